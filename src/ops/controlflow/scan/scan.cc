// A graph run along an axis of its inputs, with state. Version 8 has a batch axis first and optional sequence lengths.
// From 9 on each input and output has an axis and a direction of its own; negative axes came with 11.
#include "ops/controlflow/scan/scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "norn/error.h"
#include "ops/controlflow/loop/carried.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace scan_cc {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInitialStateAndScanInputs = {
    .name = "initial_state_and_scan_inputs", .type = "V", .option = kVariadic, .homogeneous = false};
constexpr Attr kBody = {.name = "body", .type = ir::AttributeType::Graph, .required = true};
constexpr Attr kNumScanInputs = {.name = "num_scan_inputs", .type = ir::AttributeType::Int, .required = true};
constexpr Param kInputs8[] = {{.name = "sequence_lens", .type = "I", .option = ParamOption::Optional},
                              kInitialStateAndScanInputs};
constexpr Param kInputs9[] = {kInitialStateAndScanInputs};
constexpr Param kOutputs[] = {
    {.name = "final_state_and_scan_outputs", .type = "V", .option = kVariadic, .homogeneous = false},
};
constexpr Attr kAttrs8[] = {
    kBody,
    {.name = "directions", .type = ir::AttributeType::Ints},
    kNumScanInputs,
};
constexpr Attr kAttrs9[] = {
    kBody,
    kNumScanInputs,
    {.name = "scan_input_axes", .type = ir::AttributeType::Ints},
    {.name = "scan_input_directions", .type = ir::AttributeType::Ints},
    {.name = "scan_output_axes", .type = ir::AttributeType::Ints},
    {.name = "scan_output_directions", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes8[] = {{"I", tensors(elems(DataType::Int64))}, {"V", tensors(types::kAll)}};
constexpr TypeConstraint kTypes9[] = {{"V", tensors(types::kAll)}};
constexpr TypeConstraint kTypes16[] = {{"V", tensors(types::kAllBf)}};
constexpr TypeConstraint kTypes19[] = {{"V", tensors(types::kAllIr9)}};
constexpr TypeConstraint kTypes21[] = {{"V", tensors(types::kAllIr10)}};
constexpr TypeConstraint kTypes23[] = {{"V", tensors(types::kAllIr11)}};
constexpr TypeConstraint kTypes24[] = {{"V", tensors(types::kAllIr12)}};
constexpr TypeConstraint kTypes25[] = {{"V", tensors(types::kAllIr13)}};

constexpr Schema kScan[] = {
    {.since = 8,
     .inputs = kInputs8,
     .outputs = kOutputs,
     .attrs = kAttrs8,
     .types = kTypes8,
     .determinism = Determinism::NonDeterministic},
    {.since = 9,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes9,
     .determinism = Determinism::NonDeterministic},
    {.since = 11,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes9,
     .determinism = Determinism::NonDeterministic},
    {.since = 16,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes16,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 19,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes19,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 21,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes21,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 23,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes23,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 24,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes24,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs9,
     .outputs = kOutputs,
     .attrs = kAttrs9,
     .types = kTypes25,
     .determinism = Determinism::NonDeterministic,
     .same_meaning = true},
};

std::string counted(std::string_view attribute, std::size_t values, std::size_t wanted) {
  return std::string(attribute) + " has " + std::to_string(values) + " values, but there are " +
         std::to_string(wanted) + " to scan";
}

std::vector<std::int64_t> list_of(const Attrs& attrs, std::string_view attribute, std::size_t count) {
  auto list = attrs.find_ints(attribute);
  if (!list) return std::vector<std::int64_t>(count, 0);
  if (list->size() != count) throw Error(ErrorCode::InvalidGraph, counted(attribute, list->size(), count));
  return *std::move(list);
}

std::vector<bool> directions_of(const Attrs& attrs, std::string_view attribute, std::size_t count) {
  std::vector<bool> backwards;
  for (std::int64_t direction : list_of(attrs, attribute, count)) {
    if (direction != 0 && direction != 1)
      throw Error(ErrorCode::InvalidGraph, std::string(attribute) + " has " + std::to_string(direction) +
                                               "; a direction is 0 (forwards) or 1 (backwards)");
    backwards.push_back(direction == 1);
  }
  return backwards;
}

// What the body takes of an input: the input without the axis, and without the batch before version 9.
Fact slice_of(const ValueType& type, std::int64_t axis, bool batch) {
  Fact fact{.type = ValueType::tensor(type.elem), .value = {}};
  if (!type.has_rank()) return fact;
  fact.type.shape = *type.shape;
  const auto first = fact.type.shape->begin();
  if (batch)
    fact.type.shape->erase(first, first + std::min<std::ptrdiff_t>(2, fact.type.shape->end() - first));
  else
    fact.type.shape->erase(first + axis);
  return fact;
}

void infer_scan(InferContext& ctx) {
  const ScanParameters p = resolve_scan(ctx.attrs(), ctx.input_count(), std::nullopt);
  const bool batch = p.batched;
  const int first = batch ? 1 : 0;
  const std::size_t states = p.states;

  // Non-negative where the rank is known, which an axis that counts from the back takes.
  const auto normalize = [&](std::int64_t axis, std::int64_t rank, std::string_view attribute) {
    ctx.require_axis_sign(axis, 11);
    return rank < 0 ? axis : ctx.normalize_axis(axis, rank, false, attribute);
  };
  std::vector<std::int64_t> axes;
  for (std::size_t k = 0; k < p.input_axes.size(); ++k) {
    const int i = first + static_cast<int>(states + k);
    const std::int64_t rank = ctx.has_rank(i) ? ctx.rank(i) : -1;
    if (rank >= 0 && rank < (batch ? 2 : 1))
      ctx.fail("input " + std::to_string(i) + " is scanned, but has rank " + std::to_string(rank));
    axes.push_back(normalize(p.input_axes[k], rank, "scan_input_axes"));
  }
  std::vector<Fact> formals;
  std::optional<DimExpr> batches, length;
  for (std::size_t i = 0; i < states; ++i) {
    ValueType type = ctx.input(first + static_cast<int>(i));
    if (batch && type.has_rank() && !type.shape->empty()) {
      batches = batches ? ctx.unify(*batches, type.shape->front(), "batch sizes") : type.shape->front();
      type.shape->erase(type.shape->begin());
    }
    formals.push_back({.type = std::move(type), .value = {}});
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ValueType& type = ctx.input(first + static_cast<int>(states + i));
    if (!type.known()) {
      formals.emplace_back();
      continue;
    }
    formals.push_back(slice_of(type, axes[i], batch));
    if (!type.has_rank()) continue;
    const DimExpr& along = (*type.shape)[static_cast<std::size_t>(axes[i])];
    length = length ? ctx.unify(*length, along, "lengths of scanned inputs") : along;
    if (batch) batches = batches ? ctx.unify(*batches, type.shape->front(), "batch sizes") : type.shape->front();
  }

  const Carried body = infer_carried(ctx, "body", formals, 0, 0, states);
  const std::vector<Fact>& found = body.outputs;
  const auto with_batch = [&](ValueType type) {
    if (!batch || !type.has_rank()) return type;
    if (!batches) batches = ctx.fresh_dim("the batch size does not follow from the inputs");
    type.shape->insert(type.shape->begin(), *batches);
    return type;
  };
  for (std::size_t i = 0; i < states; ++i)
    if (formals[i].type.known()) ctx.set(static_cast<int>(i), with_batch(behind(ctx, formals[i].type, body)));
  const std::vector<std::int64_t> output_axes = resolve_scan(ctx.attrs(), ctx.input_count(), found.size()).output_axes;
  for (std::size_t i = states; i < found.size(); ++i) {
    ValueType type = behind(ctx, found[i].type, body);
    if (!type.known()) continue;
    if (type.has_rank()) {
      if (!length) length = ctx.fresh_dim("the scanned length does not follow from the inputs");
      const auto rank = static_cast<std::int64_t>(type.shape->size()) + 1;
      type.shape->insert(type.shape->begin() + normalize(output_axes[i - states], rank, "scan_output_axes"), *length);
    }
    ctx.set(static_cast<int>(i), with_batch(std::move(type)));
  }
}

}  // namespace
}  // namespace scan_cc

ScanParameters resolve_scan(const Attrs& attrs, std::int64_t inputs, std::optional<std::size_t> body_outputs) {
  ScanParameters p;
  p.batched = attrs.schema().since < 9;
  const std::int64_t values = attrs.schema().since < 9 ? inputs - 1 : inputs, scanned = attrs.i("num_scan_inputs");
  if (scanned < 1 || scanned > values)
    throw Error(ErrorCode::InvalidGraph, "num_scan_inputs is " + std::to_string(scanned) + ", but the node has " +
                                             std::to_string(values) + " inputs for states and scans");
  const auto count = static_cast<std::size_t>(scanned);
  p.states = static_cast<std::size_t>(values - scanned);
  p.input_axes = p.batched ? std::vector<std::int64_t>(count, 1) : list_of(attrs, "scan_input_axes", count);
  p.input_backwards = directions_of(attrs, p.batched ? "directions" : "scan_input_directions", count);
  if (!body_outputs) return p;
  if (*body_outputs < p.states)
    throw Error(ErrorCode::InvalidGraph, "the body gives " + std::to_string(*body_outputs) + " values, but there are " +
                                             std::to_string(p.states) + " states");
  const std::size_t made = *body_outputs - p.states;
  p.output_axes = p.batched ? std::vector<std::int64_t>(made, 0) : list_of(attrs, "scan_output_axes", made);
  p.output_backwards =
      p.batched ? std::vector<bool>(made, false) : directions_of(attrs, "scan_output_directions", made);
  return p;
}

constinit const Operator Scan = {
    .name = "Scan", .history = kScan, .infer = infer_scan, .control_flow = ControlFlow::Scan};

void scan_schemas(SchemaTable& table) { table.add(Scan); }

}  // namespace norn::ops
