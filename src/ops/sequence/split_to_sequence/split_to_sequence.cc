// A tensor cut along an axis into a sequence. `split` is a scalar (the size of every part but the last) or the list of
// sizes. Without it parts have size 1, and only then keepdims = 0 drops the axis.
#include "ops/sequence/split_to_sequence/split_to_sequence.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace split_to_sequence_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input", .type = "T"},
                             {.name = "split", .type = "I", .option = ParamOption::Optional}};
constexpr Param kOutputs[] = {{.name = "output_sequence", .type = "S"}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "keepdims", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes11[] = {
    {"T", tensors(types::kAll)},
    {"I", tensors(types::kIndex)},
    {"S", sequences(types::kAll)},
};
constexpr TypeConstraint kTypes24[] = {
    {"T", tensors(types::kAllBf)},
    {"I", tensors(types::kIndex)},
    {"S", sequences(types::kAllBf)},
};

constexpr Schema kSplitToSequence[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 24, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes24, .same_meaning = true},
};

// The size that every part has along the axis, if they are known to have one.
std::optional<DimExpr> common_size(const SplitToSequenceParams& p, const DimExpr& whole) {
  if (!p.is_even || !p.split || p.split->empty()) return {};
  const DimExpr& first = p.split->front();
  const bool all = *p.is_even
                       ? first == DimExpr(1) ||
                             (first.is_constant() && whole.is_constant() && whole.constant() % first.constant() == 0)
                       : std::all_of(p.split->begin(), p.split->end(), [&](const auto& d) { return d == first; });
  return all ? std::optional(first) : std::nullopt;
}

void infer_split_to_sequence(InferContext& ctx) {
  if (!ctx.has_rank(0)) {
    if (ctx.elem(0) != DataType::Undefined) ctx.set(0, ValueType::sequence(ValueType::tensor(ctx.elem(0))));
    return;
  }
  const SplitToSequenceParams p = resolve_split_to_sequence(ctx, ctx.rank(0));
  Dims dims = ctx.shape(0);
  DimExpr& size = dims[static_cast<std::size_t>(p.axis)];
  if (p.is_even == false && ctx.const_ints(1) && size.is_constant()) split_sizes(ctx, p, size.constant());
  if (p.squeeze) {
    dims.erase(dims.begin() + p.axis);
  } else {
    const auto common = common_size(p, size);
    size = common ? *common : ctx.fresh_dim("the parts may differ in size");
  }
  ctx.set(0, ValueType::sequence(ValueType::tensor(ctx.elem(0), std::move(dims))));
}

}  // namespace
}  // namespace split_to_sequence_cc

SplitToSequenceParams resolve_split_to_sequence(const NodeView& node, std::int64_t rank) {
  SplitToSequenceParams p{.axis = node.axis(rank)};
  if (!node.has_input(1)) {
    p.squeeze = !node.attrs().flag("keepdims");
    p.is_even = true;
    p.split = Dims{1};
    return p;
  }
  if (const auto shape = node.known_shape(1)) {
    if (shape->size() > 1) node.fail("split must be a scalar or a list, not of shape " + to_string(*shape));
    p.is_even = shape->empty();
  }
  p.split = node.known_ints(1);
  if (p.is_even == true && p.split && p.split->front().is_constant() && p.split->front().constant() < 1)
    node.fail("split must be one size of at least 1, or a list of sizes");
  return p;
}

std::vector<std::int64_t> split_sizes(const NodeView& node, const SplitToSequenceParams& p, std::int64_t whole) {
  std::vector<std::int64_t> sizes = to_constants(*p.split);
  if (!*p.is_even) {
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) {
      const auto next = base::checked_add(sum, size);
      if (size < 0 || !next) node.fail("split has the size " + std::to_string(size));
      sum = *next;
    }
    if (sum != whole)
      node.fail("the sizes of split make " + std::to_string(sum) + ", but the axis has " + std::to_string(whole));
    return sizes;
  }
  // Parts without elements cost memory too, and of them a small tensor may have any number.
  constexpr std::int64_t kMostParts = std::int64_t{1} << 31;
  const std::int64_t size = sizes[0], full = whole / size;
  if (full >= kMostParts) node.fail("a sequence of " + std::to_string(full) + " parts is too long");
  sizes.assign(static_cast<std::size_t>(full), size);
  if (whole > full * size) sizes.push_back(whole - full * size);
  return sizes;
}

constinit const Operator SplitToSequence = {
    .name = "SplitToSequence", .history = kSplitToSequence, .infer = infer_split_to_sequence};

void split_to_sequence_schemas(SchemaTable& table) { table.add(SplitToSequence); }

}  // namespace norn::ops
