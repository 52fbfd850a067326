// Trap: a state that took over kept segments must know exactly what the one that planned them knew, or an error would
// depend on which plans are kept. Hence segments carry the variables that were bound in them.
#include "runtime/plan_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "opset/inference_faults.h"
#include "program/inlined.h"
#include "runtime/kept_choice.h"
#include "runtime/plan_key.h"
#include "runtime/sizes_copied.h"

namespace norn::runtime {

using opset::DimExpr;
using opset::ValueType;
using program::Graph;
using program::kNone;
using program::Node;
using program::Origin;
using program::ValueId;

namespace {

// Of a static type.
void take_dims(PlanState::ValueState& value) {
  value.dims.clear();
  for (const DimExpr& d : *value.type.shape) value.dims.push_back(d.constant());
}

}  // namespace

GraphUses::GraphUses(const Graph& graph)
    : first_(graph.values.size() + 1, 0), reads_(graph.nodes.size(), 0), output_(graph.values.size(), kNone) {
  for (const Node& node : graph.nodes) program::for_each_use(node, [&](ValueId id) { ++first_[id + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  readers_.resize(first_.back());
  std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
    program::for_each_use(graph.nodes[n], [&](ValueId id) {
      readers_[at[id]++] = n;
      ++reads_[n];
    });
  for (std::size_t o = graph.outputs.size(); o-- > 0;) output_[graph.outputs[o]] = static_cast<std::uint32_t>(o);
}

PlanState::PlanState(const Graph& of, const GraphUses& readers, std::span<const program::State> all_states,
                     std::span<const Value> inputs, const BodyPlanner* planner,
                     std::span<const opset::KnownValue> known, const GivenFrom* from)
    : graph(of),
      uses(readers),
      states(all_states),
      bodies(planner),
      given_from(from),
      values(of.values.size()),
      pending(readers.reads()) {
  waiting = static_cast<std::uint32_t>(graph.nodes.size());
  for (std::uint32_t n = 0; n < pending.size(); ++n)
    if (pending[n] == 0) ready.push(n);
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const program::Value& value = graph.value(id);
    if (value.origin != Origin::Constant && value.origin != Origin::State) continue;
    values[id].type = value.type;
    if (value.is_constant()) values[id].known = value.known;
    if (const norn::Tensor* contents = contents_of(id); contents && contents->defined()) {
      // A constant's memory is only asked for by readers, since it may have to be copied.
      const bool own = value.origin == Origin::Constant;
      values[id].where = {Location::Kind::Constant, 0, 0, own ? contents->bytes_in_place() : contents->data()};
    }
    settle(id);
    make_available(id);
  }
  first_pending_ = pending;
  for (auto rest = ready; !rest.empty(); rest.pop()) first_ready_.push_back(rest.top());
  give(inputs, known);
}

PlanState::~PlanState() = default;

void PlanState::keep_choices() {
  if (!choices) choices = std::make_unique<KeptChoices>();
}

void PlanState::give(std::span<const Value> inputs, std::span<const opset::KnownValue> known) {
  run_values = static_cast<std::uint32_t>(inputs.size());
  std::uint32_t at = 0;
  const auto give_one = [&](ValueId id) {
    ValueState& value = values[id];
    ValueType type = type_of(inputs[at], graph.value(id).type);
    value.changed = !was_same(id, type, {});
    if (value.changed)
      value.type = std::move(type);
    else
      take_over(id);
    value.where = {Location::Kind::Run, at, 0, nullptr};
    if (!known.empty()) value.known = known[at];
    ++at;
    settle(id);
    make_available(id);
  };
  for (ValueId id : graph.inputs) give_one(id);
  for (const Graph::Capture& c : graph.captures) give_one(c.inner);
}

void PlanState::restart(std::span<const Value> inputs, const GivenFrom* from) {
  ++plans;
  given_from = from;
  rooms = {};
  donates = false;
  depth = 0;
  waiting = static_cast<std::uint32_t>(graph.nodes.size());
  pending = first_pending_;
  ready = {};
  for (const std::uint32_t node : first_ready_) ready.push(node);
  arrived.clear();
  bound_.clear();
  newly_bound_.clear();
  contradiction_.reset();
  copies_sizes_ = false;
  misfit_.clear();
  misfit_value_ = kNone;
  before_.resize(values.size());
  std::swap(before_, values);
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    ValueState& value = values[id];
    const Origin origin = graph.value(id).origin;
    if (origin == Origin::Constant || origin == Origin::State) {
      value = std::move(before_[id]);
      value.slots = {};
      value.changed = false;
    } else {
      value.type = {};
      value.known = {};
      value.where = {};
      value.dims.clear();
      value.slots = {};
      value.changed = true;
    }
  }
  give(inputs, {});
}

bool PlanState::was_static(ValueId id) const {
  if (plans == 0) return false;
  const ValueType& type = before_[id].type;
  return type.is_tensor() && type.is_static();
}

bool PlanState::was_same(ValueId id, const ValueType& type, const opset::KnownValue& known) const {
  if (!type.is_tensor() || !type.is_static() || !was_static(id)) return false;
  const ValueState& value = before_[id];
  const norn::Tensor &before = value.known.constant, &now = known.constant;
  if (type.elem != value.type.elem || *type.shape != *value.type.shape || before.defined() != now.defined())
    return false;
  if (!now.defined()) return true;
  return now.dtype() == before.dtype() && now.dims() == before.dims() && now.dtype() != DataType::String &&
         std::memcmp(now.bytes_in_place(), before.bytes_in_place(), now.bytes()) == 0;
}

void PlanState::take_over(ValueId id) {
  values[id].type = std::move(before_[id].type);
  values[id].known = std::move(before_[id].known);
  values[id].changed = false;
}

const norn::Tensor* PlanState::contents_of(ValueId id) const {
  const program::Value& value = graph.value(id);
  if (value.origin == Origin::State) return &states[value.state].initial;
  return value.is_constant() ? &value.constant : nullptr;
}

void PlanState::settle(ValueId id) {
  ValueState& value = values[id];
  if (!value.type.is_tensor() || !value.type.is_static()) return;
  take_dims(value);
  const ValueType* declared = &graph.value(id).type;
  if (declared->kind == ValueType::Kind::Optional && declared->element) declared = declared->element.get();
  if (!declared->is_tensor()) return;
  if (declared->elem != DataType::Undefined && declared->elem != value.type.elem)
    return contradict(id, "its elements are " + std::string(data_type_name(declared->elem)), {});
  if (!declared->shape) return;
  if (declared->shape->size() != value.dims.size())
    return contradict(id, "its rank is " + std::to_string(declared->shape->size()), {});
  const bool empty = std::find(value.dims.begin(), value.dims.end(), 0) != value.dims.end();
  for (std::size_t d = 0; d < value.dims.size(); ++d) {
    const DimExpr& e = (*declared->shape)[d];
    const std::string_view name = e.variable_name();
    const std::optional<std::int64_t> size = e.is_constant() ? e.constant()
                                             : name.empty() ? e.evaluate([&](std::string_view v) { return size_of(v); })
                                                            : size_of(name);
    if (!size) {
      if (!name.empty()) bind({std::string(name), value.dims[d], id, static_cast<std::uint32_t>(d)});
      continue;
    }
    if (*size == value.dims[d]) continue;
    // In the shape input of Reshape, 0 and -1 do not stand for sizes; what was inferred from it as sizes does not hold
    // then.
    if (*size < 0 || (graph.may_copy_sizes && (*size == 0 || empty))) {
      const bool copies = *size <= 0 && !e.is_constant();
      if (copies && graph.lowers_again && !given_from && depth == 0) throw SizesCopied();  // nothing has run yet
      copies_sizes_ = copies_sizes_ || copies;
      continue;
    }
    // What was inferred from such a size holds for it no more than the size itself.
    if (copies_sizes_ && !e.is_constant()) continue;
    std::string why = "dimension " + std::to_string(d) + " is " + std::to_string(*size);
    std::vector<std::string> names;
    e.collect_variables(names);
    const char* before = " (";
    if (!e.is_constant() && name.empty()) why += before + e.to_string(), before = ", ";
    for (const std::string& n : names) {
      const BoundVariable& b = bound_.find(n)->second;
      why += before;
      if (!n.starts_with('?')) why += n + " = " + std::to_string(b.size) + ", ";
      why += "dimension " + std::to_string(b.dim) + " of \"" + graph.value(b.value).name + "\"";
      before = ", ";
    }
    contradict(id, names.empty() ? why : why + ")",
               dimension_of({{}, value.dims[d], id, static_cast<std::uint32_t>(d)}) + " is " +
                   std::to_string(value.dims[d]) + " and has to be " + std::to_string(*size));
  }
}

void PlanState::contradict(ValueId id, const std::string& why, std::string wanted) {
  if (contradiction_) return;  // only the cause is reported, not what follows from it
  const bool fed = !given_from && std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end();
  contradiction_.emplace(
      ErrorCode::RuntimeError,
      (fed ? "the input " : "the value ") + base::quoted(graph.value(id).name) + " is " + values[id].type.to_string() +
          ", but the model's types and shapes say that " + why,
      (fed ? "input " : "value ") + base::quoted(graph.value(id).name) + " " + graph.value(id).type.to_string(),
      "feed sizes that fit: a dimension variable has one value in a run");
  misfit_ = std::move(wanted);
  misfit_value_ = id;
}

std::optional<std::size_t> PlanState::input_number(ValueId id) const {
  if (const auto at = std::find(graph.inputs.begin(), graph.inputs.end(), id); at != graph.inputs.end())
    return at - graph.inputs.begin();
  for (std::size_t c = 0; c < graph.captures.size(); ++c)
    if (graph.captures[c].inner == id) return graph.inputs.size() + c;
  return {};
}

namespace {

// For a size that became known by running: the node that gave it.
std::string made_by(const program::Graph& graph, ValueId id) {
  for (const Node& node : graph.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), id) == node.outputs.end()) continue;
    const bool by_contents = node.op->control_flow == opset::ControlFlow::None;
    const std::string_view step_of = program::stepped_operator(graph, node);
    return " (" + (step_of.empty() ? opset::full_name(*node.op) : "a step of " + std::string(step_of)) +
           (by_contents ? " gives it by the contents that it reads)" : " gives it)");
  }
  return {};
}

}  // namespace

std::string PlanState::dimension_of(const BoundVariable& variable) const {
  const std::optional<std::size_t> input = input_number(variable.value);
  const std::string dim = "dimension " + std::to_string(variable.dim);
  const std::string name = base::quoted(graph.value(variable.value).name);
  const bool fed = input && *input < graph.inputs.size() && !given_from;
  std::string own = dim + (fed ? " of the input " : " of ") + name;
  if (!input) return own + made_by(graph, variable.value);
  if (!given_from) return own;
  const std::string from = given_from->dimension(*input, variable.dim);
  if (from.empty()) return own;
  const bool same = from == dim + " of the input " + name || from.starts_with(own + " (");
  return same ? from : own + " (" + from + ")";
}

std::string PlanState::source_of(ValueId id, std::uint32_t dim) const {
  if (input_number(id)) return dimension_of({{}, 0, id, dim});
  const ValueType& type = graph.value(id).type;
  if (!type.is_tensor() || !type.shape || dim >= type.shape->size()) return {};
  const auto bound = bound_.find((*type.shape)[dim].variable_name());
  return bound == bound_.end() || bound->second.value == id ? std::string() : dimension_of(bound->second);
}

std::optional<std::int64_t> PlanState::size_of(std::string_view variable) const {
  const auto at = bound_.find(variable);
  return at == bound_.end() ? std::nullopt : std::optional(at->second.size);
}

ValueType PlanState::input_type(const program::Inlined::Input& input) const {
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.value(id).name == input.name && values[id].type.known()) return values[id].type;
  return program::sized(input.type, [this](std::string_view name) { return size_of(name); });
}

namespace {

// Whether the text has the number as a word of its own.
bool mentions(std::string_view text, std::int64_t number) {
  const std::string digits = std::to_string(number);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = text.find(digits); at != text.npos; at = text.find(digits, at + 1)) {
    const std::size_t end = at + digits.size();
    if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) return true;
  }
  return false;
}

// Whether the error is about the size.
bool is_of(const Error& error, std::int64_t size) {
  if (const auto* differ = dynamic_cast<const opset::SizesDiffer*>(&error))
    return differ->first() == DimExpr(size) || differ->second() == DimExpr(size);
  return mentions(error.message(), size);
}

}  // namespace

PlanState::SizeSource PlanState::source_of(const Node& node, const Error& error) const {
  const auto with_cure = [&](std::string text, std::span<const ValueId> from) -> SizeSource {
    for (const ValueId id : from)
      if (const auto input = input_number(id); given_from && input && given_from->changed(*input))
        return {std::move(text),
                "correct the body, which changes the shape of " + base::quoted(graph.value(id).name) + ", or the node"};
    if (std::any_of(from.begin(), from.end(), [&](ValueId id) { return !input_number(id); }))
      return {std::move(text), "feed sizes and contents that fit, or correct the node"};
    return {std::move(text), "feed sizes that fit, or correct the node"};
  };
  if (!misfit_.empty()) return with_cure(misfit_ + " for this node", {&misfit_value_, 1});
  std::vector<const BoundVariable*> found;
  std::string derived;
  const auto look = [&](const std::string& name, const ValueType& type) {
    if (!type.is_tensor() || !type.shape) return;
    std::vector<std::string> names;
    for (const DimExpr& d : *type.shape) d.collect_variables(names);
    bool known = !names.empty();
    for (const std::string& variable : names) {
      const auto at = bound_.find(variable);
      known = known && at != bound_.end() && !variable.starts_with('?');
      if (at != bound_.end() && std::find(found.begin(), found.end(), &at->second) == found.end())
        found.push_back(&at->second);
    }
    const bool given = std::any_of(found.begin(), found.end(),
                                   [&](const BoundVariable* b) { return graph.value(b->value).name == name; });
    if (known && !given) derived += (derived.empty() ? "" : ", ") + base::quoted(name) + " is " + type.to_string();
  };
  if (const program::Inlined* inlined = program::inlined_around(graph, node.path())) {
    for (const program::Inlined::Input& input : inlined->inputs)
      if (!input.name.empty()) look(input.name, input.type);
  } else {
    program::for_each_use(node, [&](ValueId id) { look(graph.value(id).name, graph.value(id).type); });
  }
  if (found.empty()) return {};
  const bool is_guard = !program::asked_for(error, graph, node).empty();  // its message has no size of the operator's
  const auto is_named = [&](const BoundVariable* b) { return !is_guard && is_of(error, b->size); };
  if (derived.empty() && std::any_of(found.begin(), found.end(), is_named))
    std::erase_if(found, [&](const BoundVariable* b) { return !is_named(b); });
  constexpr std::size_t kMost = 6;
  std::string text = derived.empty() ? "" : derived + ", where ";
  std::vector<ValueId> from;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i) {
    text += i ? ", " : "";
    if (!found[i]->name.starts_with('?')) text += found[i]->name + " = ";
    text += std::to_string(found[i]->size) + " is " + dimension_of(*found[i]);
    from.push_back(found[i]->value);
  }
  return with_cure(std::move(text), from);
}

void PlanState::bind(BoundVariable variable) {
  newly_bound_.push_back(variable);
  std::string name = variable.name;
  bound_.emplace(std::move(name), std::move(variable));
}

std::vector<BoundVariable> PlanState::take_newly_bound() { return std::exchange(newly_bound_, {}); }

void PlanState::make_available(ValueId id) {
  for (std::uint32_t node : uses.readers(id))
    if (--pending[node] == 0) ready.push(node);
}

void PlanState::apply(const Segment& segment) {
  arrived.clear();
  newly_bound_.clear();
  for (const BoundVariable& v : segment.bound) bound_.insert_or_assign(v.name, v);
  for (const Segment::Settled& s : segment.settled) {
    static_cast<PlannedValue&>(values[s.value]) = s.state;
    if (s.late) continue;
    if (s.state.type.is_static()) take_dims(values[s.value]);
    make_available(s.value);
  }
  // What became ready was planned in that segment.
  ready = {};
  run_values = segment.run_values;
  waiting = segment.waiting;
  ++depth;
}

void PlanState::arrive(const Segment& before, const std::vector<Value>& made) {
  for (const Segment::LateValue& late : before.late_values) {
    ValueState& value = values[late.value];
    const ValueType& expected = value.type.known() ? value.type : graph.value(late.value).type;
    value.type = type_of(made[late.run_value], expected);
    settle(late.value);
    make_available(late.value);
    arrived.push_back({late.value, false, value});
  }
}

}  // namespace norn::runtime
