#include "ops/common/case_driver.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "norn/error.h"
#include "ops/common/case_matrix.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "transform/lift.h"

namespace norn::ops::cases {

std::string (*check_sessions)(const Trial&, const Truth&) = nullptr;
std::string (*check_session_refusal)(const Trial&, std::string_view) = nullptr;
std::vector<Value> (*run_in_session)(const Trial&) = nullptr;

namespace {

using opset::DimExpr;
using opset::Dims;
using opset::ValueType;

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> v;
  switch (domain_of(t.dtype())) {
    case Domain::F64: return load_all<double>(t);
    case Domain::I64:
      for (auto x : load_all<std::int64_t>(t)) v.push_back(static_cast<double>(x));
      return v;
    case Domain::U64:
      for (auto x : load_all<std::uint64_t>(t)) v.push_back(static_cast<double>(x));
      return v;
    default: return std::vector<double>(static_cast<std::size_t>(t.size()));  // formulas that pick need none
  }
}

class TrialSample final : public Sample {
 public:
  explicit TrialSample(const Trial& trial) : trial_(trial), attrs_(*trial.row, trial.attrs) {
    for (const Given& g : trial.inputs) {
      Numbers n;
      if (g.value && g.value->is_tensor()) n = {g.value->tensor().dims(), numbers(g.value->tensor())};
      in_.push_back(std::move(n));
    }
  }
  bool has(int i) const override {
    return static_cast<std::size_t>(i) < in_.size() && trial_.inputs[static_cast<std::size_t>(i)].present;
  }
  const Numbers& in(int i) const override { return in_.at(static_cast<std::size_t>(i)); }
  int inputs() const override { return static_cast<int>(in_.size()); }
  std::vector<double>& out(int o, const std::vector<std::int64_t>& dims) override {
    if (static_cast<std::size_t>(o) >= outs.size()) outs.resize(static_cast<std::size_t>(o) + 1);
    Numbers& n = outs[static_cast<std::size_t>(o)];
    n.dims = dims;
    n.values.assign(static_cast<std::size_t>(count(dims)), 0);
    return n.values;
  }
  double number(std::string_view name, double otherwise) const override {
    const opset::Attr* a = opset::find_attr(*trial_.row, name);
    if (!a) return otherwise;
    if (a->type == ir::AttributeType::Float) return attrs_.find_f(name).value_or(static_cast<float>(otherwise));
    const auto i = attrs_.find_i(name);
    return i ? static_cast<double>(*i) : otherwise;
  }
  std::vector<std::int64_t> ints(std::string_view name, const std::vector<std::int64_t>& otherwise) const override {
    return opset::find_attr(*trial_.row, name) ? attrs_.find_ints(name).value_or(otherwise) : otherwise;
  }
  std::string_view word(std::string_view name) const override {
    word_ = opset::find_attr(*trial_.row, name) ? attrs_.find_s(name).value_or("") : "";
    return word_;
  }
  std::deque<Numbers> outs;  // formulas hold values of one output while they ask for the next

 private:
  const Trial& trial_;
  opset::Attrs attrs_;
  std::vector<Numbers> in_;
  mutable std::string word_;
};

// Doubles as elements of a type.
Tensor stored(DataType type, const Shape& dims, const std::vector<double>& values) {
  Tensor t(type, dims);
  switch (domain_of(type)) {
    case Domain::F64: store_all<double>(t, values); break;
    case Domain::I64: store_all<std::int64_t>(t, {values.begin(), values.end()}); break;
    case Domain::U64: {
      std::vector<std::uint64_t> v;
      for (double x : values) v.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
      store_all<std::uint64_t>(t, v);
      break;
    }
    default: throw Error(ErrorCode::Internal, "a formula gives numbers, not " + std::string(data_type_name(type)));
  }
  return t;
}

// The elements that a formula picks, each from an input, or a zero.
Tensor picked(const Trial& trial, const Numbers& from) {
  std::vector<const Tensor*> inputs;
  for (const Given& g : trial.inputs) inputs.push_back(g.value && g.value->is_tensor() ? &g.value->tensor() : nullptr);
  const bool said = !trial.outputs.empty() && trial.outputs[0].type.is_tensor();
  Tensor t(said ? trial.outputs[0].type.elem : inputs.at(0)->dtype(), from.dims);
  if (t.dtype() != DataType::String) std::fill_n(static_cast<char*>(t.mutable_data()), t.bytes(), char{});
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    if (from.values[i] < 0) continue;
    const auto code = static_cast<std::int64_t>(from.values[i]);
    copy_elements(t, static_cast<std::int64_t>(i), *inputs.at(static_cast<std::size_t>(code & 255)), code >> 8, 1);
  }
  return t;
}

const Tensor& input(const Trial& trial, std::size_t i) { return trial.inputs.at(i).value->tensor(); }

std::vector<const Value*> pointers(const Trial& trial) {
  std::vector<const Value*> p;
  for (const Given& g : trial.inputs) p.push_back(g.present ? &*g.value : nullptr);
  return p;
}

// A way of knowing the inputs.
struct Knowledge {
  std::string name;
  std::vector<Known> inputs;
  VariableSizes sizes;
};

enum class Sizes { Static, Symbolic, Shared, NoRank };
enum class Contents { Unknown, ShapeLike, All };

Knowledge knowledge(const Trial& trial, Sizes sizes, Contents contents, std::string name) {
  Knowledge k{std::move(name), {}, {}};
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const Given& g = trial.inputs[i];
    Known known{g.present, g.present ? type_of(*g.value) : ValueType{}, {}};
    if (g.present && !g.type.is_tensor() && g.type.known() && (!known.type.known() || g.value->is_map()))
      known.type = g.type;
    if (g.present && g.value->is_tensor()) {
      const Tensor& t = g.value->tensor();
      const bool shape_like = is_shape_like(*g.value);
      const bool constant = contents == Contents::All || (contents == Contents::ShapeLike && shape_like);
      if (constant) known.value.constant = t;
      if (sizes == Sizes::NoRank && !constant) known.type.shape.reset();
      if ((sizes == Sizes::Symbolic || sizes == Sizes::Shared) && !constant) {
        for (std::size_t d = 0; d < t.dims().size(); ++d) {
          const std::string variable = sizes == Sizes::Shared ? "s" + std::to_string(t.dims()[d])
                                                              : "i" + std::to_string(i) + "d" + std::to_string(d);
          k.sizes[variable] = t.dims()[d];
          (*known.type.shape)[d] = DimExpr::variable(variable);
        }
      }
    }
    k.inputs.push_back(std::move(known));
  }
  return k;
}

std::string attribute_text(const ir::Attribute& a) {
  std::string text = " " + a.name.get() + "=";
  const auto list = [&](const auto& values) {
    bool first = true;
    for (const auto& v : values) {
      text += first ? "" : ",";
      text += std::to_string(v);
      first = false;
    }
  };
  switch (static_cast<ir::AttributeType>(a.type.get())) {
    case ir::AttributeType::Int: return text + std::to_string(a.i.get());
    case ir::AttributeType::Float: return text + std::to_string(a.f.get());
    case ir::AttributeType::String: return text + a.s.get();
    case ir::AttributeType::Ints: list(a.ints); return text;
    default: return text + "...";
  }
}

// "Add-6 broadcast=1 Relu-14"
std::string names(const std::vector<transform::BoundNode>& nodes, bool with_attributes) {
  std::string text;
  for (const auto& n : nodes) {
    text += (text.empty() ? "" : " ") + opset::full_name(*n.op) + "-" + std::to_string(n.schema->since);
    if (!with_attributes) continue;
    for (const ir::Attribute& a : n.node.attribute) text += attribute_text(a);
  }
  return text;
}

// The trial's node at another version.
transform::Lifted moved(const Trial& trial, int target, bool contents, const std::vector<Value>& outputs = {}) {
  transform::BoundNode bound{.op = trial.op, .schema = trial.row};
  bound.node.op_type = std::string(trial.op->name);
  bound.node.domain = std::string(trial.op->domain);
  bound.node.attribute = trial.attrs;
  std::unordered_map<std::string, ValueType> type_by_name;
  std::unordered_map<std::string, const Tensor*> tensor_by_name;
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const Given& g = trial.inputs[i];
    bound.node.input.push_back(g.present ? "in" + std::to_string(i) : std::string());
    if (!g.present) continue;
    const ValueType type = g.value ? type_of(*g.value) : g.type;
    if (type.known()) type_by_name[bound.node.input.back()] = type;
    if (contents && g.value && g.value->is_tensor()) tensor_by_name[bound.node.input.back()] = &g.value->tensor();
  }
  for (int o = 0; o < output_count(trial); ++o) {
    const bool wanted = trial.outputs.empty() || trial.outputs[static_cast<std::size_t>(o)].present;
    bound.node.output.push_back(wanted ? "out" + std::to_string(o) : std::string());
    if (wanted && static_cast<std::size_t>(o) < outputs.size())
      type_by_name[bound.node.output.back()] = type_of(outputs[static_cast<std::size_t>(o)]);
  }
  transform::NodeContext context;
  context.type_of = [&](const std::string& name) -> const ValueType* {
    const auto at = type_by_name.find(name);
    return at == type_by_name.end() ? nullptr : &at->second;
  };
  context.constant_of = [&](const std::string& name) -> const Tensor* {
    const auto at = tensor_by_name.find(name);
    return at == tensor_by_name.end() ? nullptr : at->second;
  };
  int fresh = 0;
  context.fresh_name = [&](const std::string& hint) { return hint + "_" + std::to_string(fresh++); };
  return transform::move_version(bound, target, context);
}

// Runs nodes one after another, each lifted to the newest version first, as before running a model.
void run_nodes(const transform::Lifted& lifted, std::unordered_map<std::string, Value>& values, int depth = 0) {
  for (const auto& [name, constant] : lifted.constants) values[name] = Value(constant);
  for (const auto& b : lifted.nodes) {
    if (depth == 0) {
      transform::NodeContext context;
      std::unordered_map<std::string, ValueType> types;
      for (const std::string& name : b.node.input)
        if (!name.empty()) types[name] = type_of(values.at(name));
      context.type_of = [&](const std::string& name) -> const ValueType* {
        const auto at = types.find(name);
        return at == types.end() || !at->second.known() ? nullptr : &at->second;
      };
      context.constant_of = [&](const std::string& name) -> const Tensor* {
        const auto at = values.find(name);
        return at == values.end() || !at->second.is_tensor() ? nullptr : &at->second.tensor();
      };
      int fresh = 0;
      context.fresh_name = [&](const std::string& hint) {
        return "again_" + b.node.output[0] + hint + "_" + std::to_string(fresh++);
      };
      run_nodes(transform::move_version(b, opset::newest_version(b.op->domain), context), values, depth + 1);
      continue;
    }
    std::vector<const Value*> in;
    for (const std::string& name : b.node.input) in.push_back(name.empty() ? nullptr : &values.at(name));
    auto results =
        opset::evaluate(*b.op, opset::Attrs(*b.schema, b.node.attribute), in, static_cast<int>(b.node.output.size()));
    for (std::size_t o = 0; o < results.size(); ++o) values[b.node.output[o]] = std::move(results[o]);
  }
}

std::vector<Value> run_moved(const Trial& trial, const transform::Lifted& lifted) {
  std::unordered_map<std::string, Value> values;
  for (std::size_t i = 0; i < trial.inputs.size(); ++i)
    if (trial.inputs[i].present) values["in" + std::to_string(i)] = *trial.inputs[i].value;
  run_nodes(lifted, values);
  std::vector<Value> results;
  for (int o = 0; o < output_count(trial); ++o) {
    const auto at = values.find("out" + std::to_string(o));
    results.push_back(at == values.end() ? Value() : at->second);
  }
  return results;
}

}  // namespace

int output_count(const Trial& trial) {
  if (trial.outputs.empty()) return std::max(1, opset::min_outputs(*trial.row));
  return static_cast<int>(trial.outputs.size());
}

std::optional<Truth> truth_of(const Trial& trial) {
  const Case& c = *trial.source;
  Truth truth;
  if (c.with.each || c.with.both || c.with.formula || c.with.picks) {
    TrialSample sample(trial);
    if (c.with.each) {
      auto& values = sample.out(0, sample.in(0).dims);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = c.with.each(sample.in(0).values[i]);
    } else if (c.with.both) {
      const Numbers &a = sample.in(0), &b = sample.in(1);
      const Shape dims = broadcast(a.dims, b.dims);
      auto& values = sample.out(0, dims);
      Odometer at(dims, {broadcast_strides(a.dims, dims), broadcast_strides(b.dims, dims)});
      for (std::size_t i = 0; !at.done(); at.next(), ++i)
        values[i] = c.with.both(a.values[static_cast<std::size_t>(at.offset(0))],
                                b.values[static_cast<std::size_t>(at.offset(1))]);
    } else {
      (c.with.formula ? c.with.formula : c.with.picks)(sample);
    }
    if (sample.outs.empty()) throw Error(ErrorCode::Internal, "the formula gives no output");
    for (std::size_t o = 0; o < sample.outs.size(); ++o) {
      const Numbers& n = sample.outs[o];
      const Given* want = o < trial.outputs.size() ? &trial.outputs[o] : nullptr;
      if (want && !want->present) {
        truth.outputs.emplace_back();
        continue;
      }
      if (want && want->type.has_rank()) {
        const ValueType is = ValueType::tensor(want->type.elem, Dims(n.dims.begin(), n.dims.end()));
        if (is.to_string() != want->type.to_string())
          throw Error(ErrorCode::Internal,
                      "the formula gives " + is.to_string() + ", the case says " + want->type.to_string());
      }
      truth.outputs.push_back(c.with.picks && o == 0
                                  ? Value(picked(trial, n))
                                  : Value(stored(want ? want->type.elem : input(trial, 0).dtype(), n.dims, n.values)));
    }
    return truth;
  }
  for (const Given& g : trial.outputs) {
    if (g.present && !g.value) return std::nullopt;
    truth.outputs.push_back(g.present ? *g.value : Value());
    truth.zeros_below.push_back(g.zeros_below);
  }
  if (trial.outputs.empty()) return std::nullopt;
  return truth;
}

std::string check_against(const std::vector<Value>& got, const Truth& truth, Bound bound) {
  for (std::size_t o = 0; o < truth.outputs.size(); ++o) {
    if (truth.outputs[o].is_empty()) continue;
    if (o >= got.size()) return "output " + std::to_string(o) + " is missing";
    const auto d = difference(got[o], truth.outputs[o], bound,
                              o < truth.zeros_below.size() ? truth.zeros_below[o] : std::vector<std::int64_t>{});
    if (!d.empty()) return (truth.outputs.size() > 1 ? "output " + std::to_string(o) + ": " : "") + d;
  }
  return {};
}

std::vector<Value> run_reference(const Trial& trial) {
  auto results =
      opset::evaluate(*trial.op, opset::Attrs(*trial.row, trial.attrs), pointers(trial), output_count(trial));
  note_run(trial, results, Means::Reference);
  return results;
}

std::string check_reference(const Trial& trial, const Truth& truth) {
  return in_mode("the reference kernel",
                 [&] { return check_against(run_reference(trial), truth, {tolerance_of(*trial.source)}); });
}

std::string check_inference_only(const Trial& trial) {
  std::vector<Known> inputs;
  for (const Given& g : trial.inputs) {
    Known k{g.present, g.type, {}};
    if (g.value && g.value->is_tensor()) k.value.constant = g.value->tensor();
    if (g.ints) k.value.ints = *g.ints;
    inputs.push_back(std::move(k));
  }
  const auto outputs = static_cast<std::size_t>(output_count(trial));
  const std::string_view error = trial.source->with.error;
  try {
    const Inferred inferred = infer(*trial.op, *trial.row, trial.attrs, inputs, outputs, opset::evaluate);
    if (!error.empty()) return "inference: gives " + inferred.types[0].to_string() + ", and should refuse";
    for (std::size_t o = 0; o < trial.outputs.size(); ++o) {
      if (!trial.outputs[o].present) continue;
      if (auto m = misfit(inferred.types[o], inferred.values[o], trial.outputs[o]); !m.empty())
        return "inference: " + m;
    }
  } catch (const Error& e) {
    const std::string what = e.what();
    if (error.empty() || (error != "*" && what.find(error) == std::string::npos)) return "inference throws: " + what;
  }
  return {};
}

std::string check_move_only(const Trial& trial) {
  const Case& c = *trial.source;
  const std::string mode = "moving to " + std::to_string(c.with.to);
  try {
    const auto truth = trial.concrete() ? truth_of(trial) : std::nullopt;
    const auto lifted = moved(trial, c.with.to, true, truth ? truth->outputs : std::vector<Value>{});
    // With attributes where the case names some.
    const std::string is = names(lifted.nodes, c.with.becomes.find('=') != std::string_view::npos);
    if (!c.with.error.empty()) return mode + ": gives " + is + ", and should refuse";
    if (!c.with.becomes.empty() && is != c.with.becomes)
      return mode + ": gives " + is + ", not " + std::string(c.with.becomes);
    if (!truth) return {};
    return in_mode(mode, [&] { return check_against(run_moved(trial, lifted), *truth, {tolerance_of(c)}); });
  } catch (const Error& e) {
    const std::string what = e.what();
    if (c.with.error.empty() || (c.with.error != "*" && what.find(c.with.error) == std::string::npos))
      return mode + ": throws " + what;
  }
  return {};
}

std::string check_inference(const Trial& trial, const Truth& truth) {
  const Knowledge all[] = {
      knowledge(trial, Sizes::Static, Contents::Unknown, "inference from static types"),
      knowledge(trial, Sizes::Static, Contents::ShapeLike, "inference from static types and constant sizes"),
      knowledge(trial, Sizes::Symbolic, Contents::ShapeLike, "inference from symbolic shapes and constant sizes"),
      knowledge(trial, Sizes::Symbolic, Contents::Unknown, "inference from symbolic shapes"),
      knowledge(trial, Sizes::Shared, Contents::ShapeLike, "inference from shared symbols and constant sizes"),
      knowledge(trial, Sizes::NoRank, Contents::Unknown, "inference from unknown ranks"),
      knowledge(trial, Sizes::NoRank, Contents::ShapeLike, "inference from unknown ranks and constant sizes"),
      knowledge(trial, Sizes::Static, Contents::All, "inference from constants"),
      knowledge(trial, Sizes::Static, Contents::All, "inference that evaluates constants"),
  };
  const std::size_t count = std::size(all);
  for (std::size_t k = 0; k < count; ++k) {
    const bool evaluates = k + 1 == count;
    const auto wrong = in_mode(all[k].name, [&]() -> std::string {
      const DimExpr::Lookup sizes = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto at = all[k].sizes.find(name);
        return at == all[k].sizes.end() ? std::nullopt : std::optional(at->second);
      };
      const Inferred inferred = infer(*trial.op, *trial.row, trial.attrs, all[k].inputs,
                                      std::max(truth.outputs.size(), static_cast<std::size_t>(output_count(trial))),
                                      evaluates ? infer::Evaluator(opset::evaluate) : nullptr, &all[k].sizes);
      for (std::size_t o = 0; o < truth.outputs.size(); ++o) {
        const Value& value = truth.outputs[o];
        // An operator without inference may leave what its attributes say of the type to the walk through its body.
        if (value.is_empty() || (!trial.op->infer && !inferred.types[o].known())) continue;
        if (auto m = misfit(inferred.types[o], inferred.values[o], value, sizes, {tolerance_of(*trial.source)});
            !m.empty())
          return m;
        if (!value.is_tensor()) continue;
        // What follows from what is known has to be known.
        const bool statics = k == 1 || k == 7 || (evaluates && !trial.source->with.late);
        if (statics && !trial.source->with.late && !inferred.types[o].is_static())
          return "the sizes follow from what is known, but inferred is " + inferred.types[o].to_string();
      }
      return {};
    });
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string check_versions(const Trial& trial, const Truth& truth) {
  if (trial.row->determinism != opset::Determinism::Deterministic) return {};
  if (!opset::find_reference(*trial.op, trial.op->history.back().since)) return {};  // it runs as its function body
  const Case& c = *trial.source;
  std::vector<int> targets;
  for (const opset::Schema& row : trial.op->history) targets.push_back(row.since);
  targets.push_back(opset::newest_version(trial.op->domain));
  for (int target : targets) {
    for (const bool contents : {true, false}) {
      const std::string mode = "moved to " + std::to_string(target) + (contents ? "" : " with unknown contents");
      std::optional<transform::Lifted> lifted;
      std::string refusal;
      try {
        lifted = moved(trial, target, contents, truth.outputs);
      } catch (const Error& e) {
        if (e.code() != ErrorCode::NotImplemented) return mode + ": throws " + e.what();
        refusal = e.what();
      }
      // Down, a version may lack what the node does; up, only a step that needs contents may refuse.
      if (contents && !lifted && target >= trial.row->since) return mode + ": refuses: " + refusal;
      if (contents && c.with.down_to && target < trial.row->since && lifted.has_value() != (target >= c.with.down_to))
        return mode +
               (lifted ? ": gives " + names(lifted->nodes, true) + ", and should refuse" : ": refuses: " + refusal);
      if (!lifted) continue;
      auto wrong = in_mode(mode + " (" + names(lifted->nodes, true) + ")",
                           [&] { return check_against(run_moved(trial, *lifted), truth, {tolerance_of(c)}); });
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string check_refusal(const Trial& trial, std::string_view message) {
  if (!opset::is_runnable(*trial.op)) return check_inference_only(trial);
  if (!opset::find_reference(*trial.op, trial.op->history.back().since))
    return check_session_refusal ? check_session_refusal(trial, message) : std::string();
  std::string what;
  try {
    if (opset::find_reference(*trial.op, trial.row->since))
      run_reference(trial);
    else
      run_moved(trial, moved(trial, opset::newest_version(trial.op->domain), true));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Internal) return std::string("the reference kernel: ") + e.what();
    what = e.what();
  }
  if (what.empty()) return "the reference kernel runs, and should refuse";
  if (message != "*" && what.find(message) == std::string::npos) return "the reference kernel refuses with: " + what;
  return check_session_refusal ? check_session_refusal(trial, message) : std::string();
}

// The bits of an element, or its characters.
std::string element_of(const Tensor& t, std::int64_t i) {
  if (t.dtype() == DataType::String) return t.as<std::string>()[i];
  const std::size_t bytes = t.bytes() / static_cast<std::size_t>(t.size());
  return {static_cast<const char*>(t.data()) + static_cast<std::size_t>(i) * bytes, bytes};
}

// That what the operator says of itself (`moves`) holds of the outputs.
std::string check_movement(const Trial& trial, const std::vector<Value>& outputs) {
  const opset::Movement moves = trial.op->moves;
  const bool sums = std::any_of(trial.attrs.begin(), trial.attrs.end(),
                                [](const ir::Attribute& a) { return a.name.get() == "reduction"; });
  if (moves == opset::Movement::None || (moves == opset::Movement::Mixed && sums)) return {};
  std::unordered_set<std::string> given, others;
  for (std::size_t i = 0; i < (moves == opset::Movement::First ? 1 : trial.inputs.size()); ++i) {
    const auto& value = trial.inputs[i].value;
    if (!value || !value->is_tensor()) continue;
    for (std::int64_t k = 0; k < value->tensor().size(); ++k) given.insert(element_of(value->tensor(), k));
  }
  for (const Value& value : outputs) {
    if (!value.is_tensor()) continue;
    for (std::int64_t k = 0; k < value.tensor().size(); ++k)
      if (std::string e = element_of(value.tensor(), k); !given.contains(e)) others.insert(std::move(e));
  }
  // One that is not of the inputs is the constant.
  if (others.size() <= (moves == opset::Movement::Mixed ? 1 : 0)) return {};
  return "the operator is said to move elements, and gives others than it is given";
}

std::string check(const Trial& trial, bool thorough) {
  const Case& c = *trial.source;
  if (c.with.to) return check_move_only(trial);
  if (!trial.concrete()) return check_inference_only(trial);
  if (!c.with.error.empty()) return check_refusal(trial, c.with.error);
  const bool runs = opset::find_reference(*trial.op, trial.row->since) != nullptr;
  std::optional<Truth> truth = truth_of(trial);
  if (!truth) throw Error(ErrorCode::Internal, "the case does not say what the operator gives");
  std::string wrong;
  if (runs) wrong = check_reference(trial, *truth);
  if (wrong.empty()) wrong = check_movement(trial, truth->outputs);
  if (wrong.empty()) wrong = check_inference(trial, *truth);
  if (!opset::is_runnable(*trial.op) || !thorough) return wrong;
  if (wrong.empty()) wrong = check_versions(trial, *truth);
  if (wrong.empty() && check_sessions) wrong = check_sessions(trial, *truth);
  return wrong;
}

}  // namespace norn::ops::cases
