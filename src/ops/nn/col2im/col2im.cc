// Blocks of columns summed back into an image. It undoes im2col but for overlaps, which are added. Any number of
// spatial dimensions.
#include "ops/nn/col2im/col2im.h"

#include <string>
#include <utility>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace col2im_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "image_shape", .type = "tensor(int64)", .diff = kNonDiff},
    {.name = "block_shape", .type = "tensor(int64)", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kCol2Im[] = {
    {.since = 18, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

// What image_shape and block_shape say that is known: sizes have to make sense.
void check_sizes(const NodeView& node, const Dims& sizes, std::string_view name, std::int64_t least) {
  for (const DimExpr& size : sizes) {
    if (size.is_constant() && size.constant() < least) {
      node.fail(std::string(name) + " contains " + size.to_string() + ", but has to be at least " +
                std::to_string(least));
    }
  }
}

// The rank follows from the length of a list, which a file may give without its contents.
void infer_col2im(InferContext& ctx) {
  ctx.require_rank(0, 3);
  const auto image = ctx.known_ints(1), block = ctx.known_ints(2);
  if (image) check_sizes(ctx, *image, "image_shape", 0);
  if (block) check_sizes(ctx, *block, "block_shape", 1);
  if (image && block && image->size() != block->size()) {
    ctx.fail("image_shape has " + std::to_string(image->size()) + " sizes, block_shape " +
             std::to_string(block->size()));
  }
  std::optional<std::size_t> rank;
  for (int i = 1; i < 3; ++i) {
    ctx.require_rank(i, 1);
    if (!ctx.has_rank(i)) continue;
    const DimExpr& length = ctx.shape(i)[0];
    if (length.is_constant() && length.constant() <= kMostDims) rank = static_cast<std::size_t>(length.constant());
  }
  if (image) rank = image->size();
  if (block) rank = block->size();
  for (const auto& [attribute, entries] : {std::pair("dilations", 1u), std::pair("pads", 2u), std::pair("strides", 1u)})
    if (const auto list = ctx.attrs().find_ints(attribute); !rank && list && !list->empty())
      rank = list->size() / entries;
  if (!rank) return ctx.set(0, ctx.elem(0));
  read_window(ctx.attrs(), *rank);

  Dims out;
  if (ctx.has_rank(0)) {
    const Dims& x = ctx.shape(0);
    out.push_back(x[0]);
    const DimExpr area = block ? product(*block) : DimExpr();
    if (!block)
      out.push_back(ctx.fresh_dim("the contents of \"block_shape\" are not known"));
    else if (x[1].is_constant() && area.is_constant() && x[1].constant() % area.constant() != 0)
      ctx.fail("the input has " + x[1].to_string() + " rows, which blocks of " + area.to_string() + " do not divide");
    else
      out.push_back(DimExpr::floor_div(x[1], area));
    const auto sizes = ctx.const_ints(1), window = ctx.const_ints(2);
    if (sizes && window)
      ctx.unify(x[2], product(to_dims(resolve_window(ctx.attrs(), *sizes, *window, false).out)),
                "columns of the input and blocks that fit into the image");
  } else {
    out = {ctx.fresh_dim(), ctx.fresh_dim()};
  }
  for (std::size_t d = 0; d < *rank; ++d)
    out.push_back(image ? (*image)[d] : ctx.fresh_dim("the contents of \"image_shape\" are not known"));
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace col2im_cc

Col2ImParams resolve_col2im(const NodeView& node, const Shape& x) {
  if (x.size() != 3) node.fail("the input " + norn::to_string(x) + " has to be of rank 3");
  const auto image = node.require(node.const_ints(1), "image_shape"),
             block = node.require(node.const_ints(2), "block_shape");
  check_sizes(node, to_dims(image), "image_shape", 0);
  check_sizes(node, to_dims(block), "block_shape", 1);
  const Window window = resolve_window(node.attrs(), image, block, false);
  const std::int64_t area = product(to_dims(block)).constant(), blocks = product(to_dims(window.out)).constant();
  if (x[1] % area != 0) {
    node.fail("the input has " + std::to_string(x[1]) + " rows, which blocks of " + std::to_string(area) +
              " do not divide");
  }
  if (x[2] != blocks) {
    node.fail("the input has " + std::to_string(x[2]) + " columns, but " + std::to_string(blocks) +
              " blocks fit into the image");
  }
  return {.channels = x[1] / area, .block_size = area, .image = image, .window = window};
}

constinit const Operator Col2Im = {.name = "Col2Im", .history = kCol2Im, .infer = infer_col2im};

void col2im_schemas(SchemaTable& table) { table.add(Col2Im); }

}  // namespace norn::ops
