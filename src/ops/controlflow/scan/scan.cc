// A graph run along an axis of its inputs, with state. Version 8 has a batch axis first and optional sequence lengths.
// From 9 on each input and output has an axis and a direction of its own; negative axes came with 11.
#include "ops/controlflow/scan/scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ops/controlflow/loop/carried.h"
#include "opset/infer_context.h"

namespace norn::ops {
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

// The axes that inputs or outputs are scanned along, non-negative for the given ranks (-1 where a rank is not known).
std::vector<std::int64_t> axes_of(InferContext& ctx, std::string_view attribute,
                                  const std::vector<std::int64_t>& ranks) {
  auto axes = ctx.attrs().find_ints(attribute);
  if (!axes) return std::vector<std::int64_t>(ranks.size(), 0);
  if (axes->size() != ranks.size())
    ctx.fail(std::string(attribute) + " has " + std::to_string(axes->size()) + " values, but there are " +
             std::to_string(ranks.size()) + " to scan");
  for (std::size_t i = 0; i < axes->size(); ++i)
    if (ranks[i] >= 0) (*axes)[i] = ctx.normalize_axis((*axes)[i], ranks[i], false, attribute);
  return *std::move(axes);
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
  const bool batch = ctx.version() < 9;
  const int first = batch ? 1 : 0;
  const auto scanned = ctx.attrs().i("num_scan_inputs");
  const std::int64_t carried = ctx.input_count() - first - scanned;
  if (scanned < 1 || carried < 0)
    ctx.fail("num_scan_inputs is " + std::to_string(scanned) + ", but the node has " +
             std::to_string(ctx.input_count() - first) + " inputs for states and scans");
  const auto states = static_cast<std::size_t>(carried);

  std::vector<std::int64_t> ranks;
  for (int i = first + static_cast<int>(states); i < ctx.input_count(); ++i) {
    ranks.push_back(ctx.has_rank(i) ? ctx.rank(i) : -1);
    if (ranks.back() >= 0 && ranks.back() < (batch ? 2 : 1))
      ctx.fail("input " + std::to_string(i) + " is scanned, but has rank " + std::to_string(ranks.back()));
  }
  const std::vector<std::int64_t> axes =
      batch ? std::vector<std::int64_t>(ranks.size(), 1) : axes_of(ctx, "scan_input_axes", ranks);
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

  const std::vector<Fact> found = infer_carried(ctx, "body", formals, 0, 0, states);
  if (static_cast<std::size_t>(ctx.output_count()) > found.size())
    ctx.fail("the node has " + std::to_string(ctx.output_count()) + " outputs, but its body gives " +
             std::to_string(found.size()));
  const auto with_batch = [&](ValueType type) {
    if (!batch || !type.has_rank()) return type;
    if (!batches) batches = ctx.fresh_dim("no input tells the batch size");
    type.shape->insert(type.shape->begin(), *batches);
    return type;
  };
  for (std::size_t i = 0; i < states; ++i)
    if (formals[i].type.known()) ctx.set(static_cast<int>(i), with_batch(formals[i].type));
  std::vector<std::int64_t> output_ranks;
  for (std::size_t i = states; i < found.size(); ++i)
    output_ranks.push_back(found[i].type.has_rank() ? static_cast<std::int64_t>(found[i].type.shape->size()) + 1 : -1);
  const std::vector<std::int64_t> output_axes =
      batch ? std::vector<std::int64_t>(output_ranks.size(), 0) : axes_of(ctx, "scan_output_axes", output_ranks);
  for (std::size_t i = states; i < found.size(); ++i) {
    ValueType type = found[i].type;
    if (!type.known()) continue;
    if (type.has_rank()) {
      if (!length) length = ctx.fresh_dim("no input tells the length that is scanned");
      type.shape->insert(type.shape->begin() + output_axes[i - states], *length);
    }
    ctx.set(static_cast<int>(i), with_batch(std::move(type)));
  }
}

}  // namespace

constinit const Operator Scan = {
    .name = "Scan", .history = kScan, .infer = infer_scan, .control_flow = ControlFlow::Scan};

void scan_schemas(SchemaTable& table) { table.add(Scan); }

}  // namespace norn::ops
