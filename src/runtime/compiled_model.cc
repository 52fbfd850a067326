#include "runtime/compiled_model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/awake.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/text.h"
#include "ir/walk.h"
#include "kernels/cpu/instruction_set.h"
#include "ops/logical/compare/compare.h"
#include "ops/logical/logical/logical.h"
#include "ops/tensor/shape/shape.h"
#include "program/lower.h"
#include "program/passes.h"
#include "program/verify.h"
#include "runtime/compute_node.h"
#include "runtime/explain.h"
#include "runtime/hand_out.h"
#include "runtime/kernel_store.h"
#include "runtime/output_places.h"
#include "runtime/pack_store.h"
#include "runtime/plan_key.h"

namespace norn::runtime {
namespace {

ArgInfo describe(const ir::ValueInfo& info) {
  ArgInfo arg;
  arg.name = info.name;
  if (!info.type) return arg;
  arg.type = ir::type_string(*info.type);
  const ir::TypeTensor* tensor = info.type->tensor_type          ? &*info.type->tensor_type
                                 : info.type->sparse_tensor_type ? &*info.type->sparse_tensor_type
                                                                 : nullptr;
  if (!tensor || !tensor->shape) return arg;
  arg.has_shape = true;
  for (const ir::Dimension& dim : tensor->shape->dim) {
    DimInfo d;
    if (dim.dim_value.has() && dim.dim_value.get() >= 0)
      d.value = dim.dim_value;
    else if (dim.dim_param.has())
      d.name = dim.dim_param;
    arg.shape.push_back(std::move(d));
  }
  return arg;
}

std::string shape_text(const ArgInfo& arg) {
  std::string text = "[";
  for (std::size_t i = 0; i < arg.shape.size(); ++i) {
    if (i) text += ",";
    const DimInfo& d = arg.shape[i];
    text += d.value >= 0 ? std::to_string(d.value) : d.name.empty() ? "?" : d.name;
  }
  return text + "]";
}

// "tensor(float)" -> "float"
std::string_view element_name(const ArgInfo& arg) {
  std::string_view t = arg.type;
  return t.starts_with("tensor(") ? t.substr(7, t.size() - 8) : std::string_view{};
}

std::string input_place(const ArgInfo& arg) {
  const std::string_view element = element_name(arg);
  const std::string type = element.empty() ? arg.type : std::string(element) + (arg.has_shape ? shape_text(arg) : "");
  return "input " + base::quoted(arg.name) + (type.empty() ? "" : " ") + type;
}

void verify_behind(const program::Program& program, std::string_view pass) {
  try {
    program::verify(program);
  } catch (Error& e) {
    throw e.within("behind " + std::string(pass));
  }
}

// Tests run sessions on more threads than the machine has: those that the thread around a run has.
int threads_of(const SessionOptions& options) {
  const int asked = options.intra_op_num_threads;
  return asked == 0 ? base::parallel_width() : std::min(asked, base::hardware_threads());
}

std::string name_list(const std::vector<ArgInfo>& args) {
  std::string text;
  for (const ArgInfo& arg : args) text += (text.empty() ? "\"" : ", \"") + arg.name + "\"";
  return text.empty() ? "none" : text;
}

// `did you mean "x"? `, or nothing.
std::string question(std::string_view name, const std::vector<ArgInfo>& args) {
  base::Nearest nearest(name);
  for (const ArgInfo& arg : args) nearest.offer(arg.name);
  const std::string text = nearest.question();
  return text.empty() ? text : text + " ";
}

bool has_open_types(const program::Program& program) {
  return std::any_of(program.main.inputs.begin(), program.main.inputs.end(), [&](program::ValueId id) {
    const opset::ValueType& type = program.main.value(id).type;
    return !type.is_tensor() || !type.is_static();
  });
}

bool asks_shape(const program::Node& node) {
  return (node.op == &ops::Shape || node.op == &ops::Size) && node.parts.empty();
}

// Whether its kernels, and the reference, ask of bools only whether they are 0.
bool tests_bools(const program::Node& node) {
  static const opset::Operator* const kTesting[] = {&ops::Not, &ops::And, &ops::Or, &ops::Xor, &ops::Equal};
  return std::find(std::begin(kTesting), std::end(kTesting), node.op) != std::end(kTesting) && node.parts.empty() &&
         node.schema == &node.op->history.back();
}

// Names of inputs that have only such readers, or none.
std::vector<std::string> inputs_read_by(const program::Graph& graph, bool (*is_such)(const program::Node&)) {
  std::vector<bool> read(graph.values.size(), false);
  for (const program::ValueId id : graph.outputs)
    if (id != program::kNone) read[id] = true;
  for (const program::Node& node : graph.nodes)
    if (!is_such(node)) program::for_each_use(node, [&](program::ValueId id) { read[id] = true; });
  std::vector<std::string> names;
  for (const program::ValueId id : graph.inputs)
    if (!read[id]) names.push_back(graph.value(id).name);
  return names;
}

// About what graphs take, and constants that `beside` has not.
std::size_t bytes_of(const program::Program& program, const program::Program& beside) {
  std::unordered_set<const void*> shared;
  const auto each = [](const program::Program& of, const auto& f) {
    program::for_each_graph(of.main, f);
    for (const auto& [name, graph] : of.graphs) program::for_each_graph(graph.graph, f);
  };
  each(beside, [&](const program::Graph& graph) {
    for (const program::Value& value : graph.values)
      if (value.constant.defined()) shared.insert(value.constant.bytes_in_place());
  });
  std::size_t bytes = 0;
  each(program, [&](const program::Graph& graph) {
    bytes += graph.values.size() * sizeof(program::Value) + graph.nodes.size() * sizeof(program::Node);
    for (const program::Value& value : graph.values)
      if (value.constant.defined() && shared.insert(value.constant.bytes_in_place()).second)
        bytes += program::memory_of(value.constant);
  });
  return bytes;
}

}  // namespace

CompiledModel::CompiledModel(const ir::Model& document, const ir::ExternalReader& external,
                             const SessionOptions& options, bool feedable_weights, bool may_wait, bool lowers_again,
                             const CompiledModel* beside)
    : options_(options),
      packed_(std::make_unique<PackStore>(
          options.packed_weights_folder.empty() ? nullptr : FormFolder::at(options.packed_weights_folder))),
      kernels_(std::make_unique<KernelStore>()),
      plans_(std::make_unique<PlanCache>(options.max_plan_bytes)),
      arenas_(beside ? beside->arenas_ : std::make_shared<ArenaPool>()) {
  kernels::limit_instruction_set();
  const base::ParallelWidth width(threads());
  using Clock = std::chrono::steady_clock;
  auto since = Clock::now();
  const auto phase = [&](std::string_view kind, std::string_view name = {}) {
    load_phases_.push_back({kind, std::string(name), Clock::now() - since});
  };
  program::LowerOptions lower;
  lower.limits = options.limits;
  lower.external = external;
  lower.feedable_weights = feedable_weights;
  for (const OperatorSet& set : options.operator_sets) lower.operator_sets.push_back(&set.document());
  lower.may_wait = may_wait;
  program_ = program::lower(document, lower);
  if (program_.waits && !has_open_types(program_)) {  // feeds add nothing
    lower.may_wait = false;
    program_ = program::lower(document, lower);
  }
  phase("lower");
  if (options.verify_passes) verify_behind(program_, "lowering");
  since = Clock::now();
  const auto passed = [&](const program::Pass& pass, const program::Program& p) {
    phase("pass", pass.name);
    if (options.verify_passes) verify_behind(p, pass.name);
    since = Clock::now();
  };
  program_.main.lowers_again = lowers_again;
  program::PassOptions passes;
  passes.disabled = options.disabled_passes;
  if (!options.reference_only)
    passes.compute = [&](const program::Graph& graph, const program::Node& node) {
      return compute_node(graph, node, options.flush_subnormals);
    };
  if (!program_.waits) program::run_passes(program_, passes, passed);
  if (!program_.waits) {
    unread_ = inputs_read_by(program_.main, asks_shape);
    tested_ =
        inputs_read_by(program_.main, [](const program::Node& node) { return asks_shape(node) || tests_bools(node); });
  }
  if (beside) own_bytes_ = bytes_of(program_, beside->program_);

  const program::Graph& graph = program_.main;
  for (program::ValueId id : graph.inputs) {
    const program::Value& value = graph.value(id);
    const ir::ValueInfo* info = nullptr;
    for (const ir::ValueInfo& v : program_.declared_inputs)
      if (v.name == value.name) info = &v;
    ArgInfo arg = info ? describe(*info) : ArgInfo{.name = value.name};
    input_index_.emplace(arg.name, graph_inputs_.size());
    (value.constant.defined() ? overridable_ : inputs_).push_back(arg);
    graph_inputs_.push_back(std::move(arg));
    const auto unknown = [] { return opset::DimExpr::variable("?"); };
    declared_.push_back(info && info->type ? opset::from_ir(*info->type, unknown) : value.type);
  }
  for (const ir::ValueInfo& v : program_.declared_inputs) {
    if (input_index_.contains(v.name.get())) continue;
    constant_weights_.insert(v.name.get());
    overridable_.push_back(describe(v));
  }
  for (const ir::ValueInfo& v : program_.declared_outputs) outputs_.push_back(describe(v));
  std::vector<std::string> names;
  for (const ArgInfo& arg : graph_inputs_)
    for (const DimInfo& d : arg.shape)
      if (!d.name.empty()) names.push_back(d.name);
  std::sort(names.begin(), names.end());
  shared_variables_ = std::adjacent_find(names.begin(), names.end()) != names.end();

  PlanOptions plan;
  plan.reference_only = options.reference_only;
  plan.precision = options.precision;
  plan.flush_subnormals = options.flush_subnormals;
  plan.packed = packed_.get();
  plan.kernels = kernels_.get();
  executor_ = std::make_unique<Executor>(graph, program_.states, plan, Executor::Kept{*plans_, *arenas_}, true);
  // A model without open dimensions is planned now, so that the first run is like the others.
  phase("prepare");
  if (!has_open_types(program_)) {
    std::ranges::move(plan_phases(stand_ins({}, 1)), std::back_inserter(load_phases_));
    packed_->release_source();
    planned_at_load_ = true;
  }
}

std::vector<CompiledModel::Phase> CompiledModel::plan_phases(std::span<const Value> inputs) const {
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds packing_before = packed_->packing();
  executor_->plan(inputs);
  const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - start;
  const std::chrono::nanoseconds packing = std::min(all, packed_->packing() - packing_before);
  return {{"plan", {}, all - packing}, {"pack", {}, packing}};
}

int CompiledModel::threads() const noexcept { return threads_of(options_); }

CompiledModel::~CompiledModel() = default;

void CompiledModel::check_feed(std::size_t input, const Value& value) const {
  const ArgInfo& arg = graph_inputs_[input];
  const opset::ValueType& declared = declared_[input];
  std::string why = misfit(value, declared);
  if (why.empty()) return;
  throw Error(ErrorCode::InvalidArgument, std::move(why), input_place(arg), misfit_hint(value, declared));
}

void CompiledModel::bind_variables(std::span<const Value> values) const {
  struct Bound {
    std::string_view name;
    std::int64_t value;
    std::size_t input, dim;
  };
  std::vector<Bound> bound;
  for (std::size_t i = 0; i < graph_inputs_.size(); ++i) {
    if (!values[i].is_tensor() || !graph_inputs_[i].has_shape) continue;
    for (std::size_t d = 0; d < graph_inputs_[i].shape.size(); ++d) {
      const std::string& name = graph_inputs_[i].shape[d].name;
      if (name.empty()) continue;
      const std::int64_t size = values[i].tensor().dims()[d];
      auto same = std::find_if(bound.begin(), bound.end(), [&](const Bound& b) { return b.name == name; });
      if (same == bound.end()) {
        bound.push_back({name, size, i, d});
      } else if (same->value != size) {
        throw Error(ErrorCode::InvalidArgument,
                    "the dimension \"" + name + "\" is " + std::to_string(same->value) + " in dimension " +
                        std::to_string(same->dim) + " of input \"" + graph_inputs_[same->input].name + "\" and " +
                        std::to_string(size) + " in dimension " + std::to_string(d) + " of input \"" +
                        graph_inputs_[i].name + "\"",
                    input_place(graph_inputs_[i]),
                    "feed both inputs with the same size there: a dimension variable has one value in a run");
      }
    }
  }
}

std::size_t CompiledModel::input_index(std::string_view name) const {
  std::size_t index = graph_inputs_.size();
  if (graph_inputs_.size() <= 8) {
    for (std::size_t i = 0; i < graph_inputs_.size(); ++i)
      if (graph_inputs_[i].name == name) index = i;
  } else if (auto it = input_index_.find(std::string(name)); it != input_index_.end()) {
    index = it->second;
  }
  if (index == graph_inputs_.size())
    throw Error(ErrorCode::InvalidArgument, "the model has no input " + base::quoted(name), {},
                question(name, graph_inputs_) + "its inputs are " + name_list(graph_inputs_));
  return index;
}

std::vector<Value> CompiledModel::arrange(std::span<const Feed> feeds) const {
  std::vector<Value> values(graph_inputs_.size());
  std::vector<bool> given(graph_inputs_.size(), false);
  for (const Feed& feed : feeds) {
    const std::size_t index = input_index(feed.name);
    if (given[index])
      throw Error(ErrorCode::InvalidArgument, "the input \"" + std::string(feed.name) + "\" is fed twice");
    given[index] = true;
    check_feed(index, feed.value);
    values[index] = feed.value;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (given[i]) continue;
    const program::Value& value = program_.main.value(program_.main.inputs[i]);
    if (value.constant.defined())
      values[i] = value.constant;
    else if (value.type.kind != opset::ValueType::Kind::Optional)
      throw Error(ErrorCode::InvalidArgument, "the input \"" + graph_inputs_[i].name + "\" was not fed",
                  input_place(graph_inputs_[i]), "feed it: the model needs " + name_list(inputs_));
  }
  if (shared_variables_) bind_variables(values);
  return values;
}

bool CompiledModel::feeds_constant(std::span<const Feed> feeds) const noexcept {
  if (constant_weights_.empty()) return false;
  return std::any_of(feeds.begin(), feeds.end(), [&](const Feed& f) { return constant_weights_.contains(f.name); });
}

bool CompiledModel::needs_bools(std::string_view input, const norn::Tensor& fed) const noexcept {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), input) != names.end();
  };
  // Small ones may become known values; to look through them takes no time.
  constexpr std::int64_t kMany = 4096;
  return !has(unread_) && !(fed.size() >= kMany && has(tested_));
}

std::size_t CompiledModel::output_index(std::string_view name) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].name == name) return i;
  throw Error(ErrorCode::InvalidArgument, "the model has no output " + base::quoted(name), {},
              question(name, outputs_) + "its outputs are " + name_list(outputs_));
}

std::vector<Value> CompiledModel::run(std::span<const Feed> feeds, std::span<const std::string> outputs,
                                      const Call& call) const {
  std::vector<std::size_t> picked;
  for (const std::string& name : outputs) picked.push_back(output_index(name));
  std::vector<Value> values = arrange(feeds);
  OutputPlaces placed(outputs_.size());
  for (const Placement& place : call.places) placed.add(output_index(place.output), place);
  placed.check(values);
  const base::ParallelWidth width(threads());
  Donations donations(values.size());
  for (const std::string& name : call.donated) donations.add(donated_input(name, feeds));
  donations.check(values, placed.all());
  const std::vector<InputRoom> rooms = donations.rooms(values, executor_->may_append());
  const base::StayAwake awake;
  std::vector<Value> results = executor_->run(
      std::move(values), {true, call.watch, placed.free(), call.donated.empty() ? nullptr : &donations, rooms});
  placed.fill(results);
  donations.succeed();
  arenas_->run_ended();
  if (outputs.empty()) return results;
  std::vector<Value> chosen;
  for (std::size_t i : picked) chosen.push_back(results[i]);
  std::sort(picked.begin(), picked.end());
  if (std::adjacent_find(picked.begin(), picked.end()) != picked.end()) copy_overlapping_outputs(chosen, {});
  return chosen;
}

// Inputs that are not fed count as tensors of the declared shape, in which a dimension variable is what other inputs
// have there; only sizes matter here, so they need no memory.
std::vector<Value> CompiledModel::stand_ins(std::span<const Feed> feeds, std::int64_t default_dim) const {
  std::vector<Value> values(graph_inputs_.size());
  std::map<std::string_view, std::int64_t> sizes;
  const auto bind = [&](const opset::ValueType* type, const Value& value) {
    if (type->kind == opset::ValueType::Kind::Optional && type->element) type = type->element.get();
    if (!type->is_tensor() || !type->has_rank() || !value.is_tensor()) return;
    const Shape& dims = value.tensor().dims();
    for (std::size_t d = 0; d < std::min(dims.size(), type->shape->size()); ++d)
      if (const std::string_view name = (*type->shape)[d].variable_name(); !name.empty())
        sizes.try_emplace(name, dims[d]);
  };
  const auto input_at = [&](std::size_t i) -> const program::Value& {
    return program_.main.value(program_.main.inputs[i]);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const Feed& feed : feeds)
      if (feed.name == graph_inputs_[i].name) {
        check_feed(i, feed.value);
        values[i] = feed.value;
      }
    bind(&input_at(i).type, values[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_empty() || !input_at(i).constant.defined()) continue;
    values[i] = input_at(i).constant;
    bind(&input_at(i).type, values[i]);
  }
  const auto size_of = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const opset::ValueType& type = input_at(i).type;
    if (!values[i].is_empty() || !type.is_tensor() || !type.has_rank()) continue;
    Shape dims;
    for (const opset::DimExpr& d : *type.shape) dims.push_back(d.evaluate(size_of).value_or(default_dim));
    values[i] = Tensor::borrow(type.elem, std::move(dims), nullptr);
  }
  return values;
}

// Of what a name donates: what is not fed is a constant of the model.
std::size_t CompiledModel::donated_input(const std::string& name, std::span<const Feed> feeds) const {
  const std::size_t input = input_index(name);
  if (std::none_of(feeds.begin(), feeds.end(), [&](const Feed& f) { return f.name == name; }))
    throw Error(ErrorCode::InvalidArgument, "the input " + base::quoted(name) + " is donated but not fed",
                input_place(graph_inputs_[input]));
  return input;
}

Explanation CompiledModel::explain(std::span<const Feed> feeds, std::int64_t default_dim,
                                   std::span<const std::string> donated) const {
  std::vector<std::size_t> given;
  for (const std::string& name : donated) given.push_back(input_index(name));
  const std::vector<Value> values = stand_ins(feeds, default_dim);
  return runtime::explain(program_, *executor_, values, explained_rooms(values, executor_->may_append(), given));
}

}  // namespace norn::runtime
