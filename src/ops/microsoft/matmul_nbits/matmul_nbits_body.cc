// B has a row for each column of the product: [N, blocks, bytes of a block], the first element of a byte in its lowest
// bits, the last block filled up. It becomes integers [N, K] of `bits` bits, which are dequantised along K by blocks.
//
// Zero points are packed as B is, row by row, unless they have the type of A. An accuracy_level that allows to round A
// stays with the product as metadata, by which its kernel is chosen.
#include "base/checked.h"
#include "ir/tensor_data.h"
#include "ops/microsoft/domain.h"
#include "ops/microsoft/matmul_nbits/matmul_nbits.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace matmul_nbits_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

DataType packed_type(const NBitsPacking& p) {
  return p.bits == 2 ? DataType::Uint2 : p.bits == 4 ? DataType::Uint4 : DataType::Uint8;
}

NBitsPacking known_packing(const BodyBuilder& b) {
  const NBitsPacking p = resolve_matmul_nbits(b);
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    b.unsupported("the attribute bits is " + std::to_string(p.bits) + "; 2, 4 and 8 are known");
  if (b.attrs().i("weight_prepacked") != 0)
    b.unsupported("the attribute weight_prepacked says that B has the layout of a device");
  return p;
}

// The integers in the bytes of `from`, along a new last axis of `to`, as uint8.
void unpack(BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t bits) {
  if (bits == 8) return b.add(to + " = Unsqueeze (" + from + ", last_axis)");
  std::string parts;
  for (std::int64_t shift = 0; shift < 8; shift += bits) {
    const std::string part = to + "_" + std::to_string(shift);
    b.add(part + "_by = Constant <value = uint8 {" + std::to_string(shift) + "}> ()");
    b.add(part + "_shifted = BitShift <direction = \"RIGHT\"> (" + from + ", " + part + "_by)");
    b.add(part + "_part = BitwiseAnd (" + part + "_shifted, element_mask)");
    b.add(part + " = Unsqueeze (" + part + "_part, last_axis)");
    parts += (parts.empty() ? "" : ", ") + part;
  }
  b.add(to + " = Concat <axis = -1> (" + parts + ")");
}

// `zeros`, of `blocks` for each column: integers of the weights' type, or numbers of A's.
void add_zero_points(BodyBuilder& b, const NBitsPacking& p, bool numbers) {
  const std::string cast =
      "Cast <to = " + std::to_string(static_cast<int>(numbers ? b.elem(0) : packed_type(p))) + "> ";
  if (!b.has_input(3)) {
    b.scalar("middle", DataType::Uint8, static_cast<double>(std::int64_t{1} << (p.bits - 1)));
    return b.add("middles = Expand (middle, scales_shape) zeros = " + cast + "(middles)");
  }
  if (b.elem(3) != DataType::Uint8) return b.add("zeros = Reshape (zero_points, scales_shape)");
  const std::int64_t bytes[] = {p.columns, (p.blocks * p.bits - 1) / 8 + 1}, row[] = {p.columns, -1},
                     blocks[] = {p.blocks};
  b.ints("zero_bytes_shape", bytes);
  b.ints("zero_row_shape", row);
  b.ints("block_count", blocks);
  b.add("zero_bytes = Reshape (zero_points, zero_bytes_shape)");
  unpack(b, "zero_bytes", "zero_elements", p.bits);
  b.add("zero_rows = Reshape (zero_elements, zero_row_shape)");
  b.add("zeros_wide = Slice (zero_rows, first, block_count, depth_axis) zeros = " + cast + "(zeros_wide)");
}

// `numbers` [N, K], where each element has the scale and the zero point of the block that g_idx gives it.
void dequantize_by_index(BodyBuilder& b) {
  b.add(R"(
    block_of = Slice (g_idx, first, depth, first)
    scale_of = Gather <axis = 1> (block_scales, block_of)
    zero_of = Gather <axis = 1> (zeros, block_of)
    elements = CastLike (integers_wide, A)
    centred = Sub (elements, zero_of)
    numbers = Mul (centred, scale_of)
  )");
}

void dequantize_with_numbers(BodyBuilder& b, const NBitsPacking& p) {
  const std::int64_t blocks[] = {p.columns, p.blocks, p.block};
  b.ints("blocks_shape", blocks);
  b.add(R"(
    by_block = Reshape (rows, blocks_shape)
    elements = CastLike (by_block, A)
    zeros_by_block = Unsqueeze (zeros, last_axis)
    scales_by_block = Unsqueeze (block_scales, last_axis)
    centred = Sub (elements, zeros_by_block)
    scaled = Mul (centred, scales_by_block)
    numbers_filled = Reshape (scaled, rows_shape)
    numbers = Slice (numbers_filled, first, depth, depth_axis)
  )");
}

// `rows` [N, K filled up to whole blocks] and `integers_wide` [N, K], as uint8.
void add_integers(BodyBuilder& b, const NBitsPacking& p) {
  unpack(b, "B", "bytes_elements", p.bits);
  b.add("rows = Reshape (bytes_elements, rows_shape)");
  b.add(p.padded_depth == p.depth ? "integers_wide = Identity (rows)"
                                  : "integers_wide = Slice (rows, first, depth, depth_axis)");
}

// `integers` [N, K] of the weights' type: a constant B as it lies in memory is a tensor of them in ONNX's own packing.
// False if it is none.
bool add_reread(BodyBuilder& b, const NBitsPacking& p) {
  const norn::Tensor* packed = b.constant(1);
  const auto count = base::checked_mul(p.columns, p.depth);
  if (!packed || p.bits == 8 || p.padded_depth != p.depth || !count || packed->size() != *count / (8 / p.bits))
    return false;
  ir::Tensor integers = ir::from_value(*packed);
  integers.dims = {p.columns, p.depth};
  integers.data_type = static_cast<std::int32_t>(packed_type(p));
  b.constant("integers", std::move(integers));
  return true;
}

void add_product(BodyBuilder& b, const std::string& to) {
  ir::Node product;
  product.op_type = std::string("MatMul");
  product.input = {std::string("A"), std::string("right")};
  product.output.emplace_back(to);
  if (b.attrs().i("accuracy_level") == 4) product.metadata_props = rounding_to_int8();
  b.add(std::move(product));
}

void matmul_nbits_body(BodyBuilder& b) {
  const NBitsPacking p = known_packing(b);
  const bool zeros_are_numbers = b.has_input(3) && b.elem(3) != DataType::Uint8;
  const std::int64_t last[] = {-1}, zero[] = {0}, one[] = {1}, depth[] = {p.depth},
                     rows[] = {p.columns, p.padded_depth}, scales[] = {p.columns, p.blocks};
  b.ints("last_axis", last);
  b.ints("first", zero);
  b.ints("depth_axis", one);
  b.ints("depth", depth);
  b.ints("rows_shape", rows);
  b.ints("scales_shape", scales);
  b.scalar("element_mask", DataType::Uint8, static_cast<double>((std::int64_t{1} << p.bits) - 1));
  const bool whole = !b.has_input(4) && !zeros_are_numbers;
  const bool reread = whole && add_reread(b, p);
  if (!reread) add_integers(b, p);
  b.add("block_scales = Reshape (scales, scales_shape)");
  add_zero_points(b, p, b.has_input(4));
  if (b.has_input(4)) {
    dequantize_by_index(b);
  } else if (zeros_are_numbers) {
    dequantize_with_numbers(b, p);
  } else {
    if (!reread)
      b.add("integers = Cast <to = " + std::to_string(static_cast<int>(packed_type(p))) + "> (integers_wide)");
    b.add("numbers = DequantizeLinear <axis = 1, block_size = " + std::to_string(p.block) +
          "> (integers, block_scales, zeros)");
  }
  b.add("right = Transpose <perm = [1, 0]> (numbers)");
  add_product(b, b.has_input(5) ? "product" : "Y");
  if (b.has_input(5)) b.add("Y = Add (product, bias)");
}

constexpr FunctionBody kMatMulNBitsBodies[] = {{.since = 1, .opset = kBodyOpset, .build = matmul_nbits_body}};

}  // namespace
}  // namespace matmul_nbits_body_cc
}  // namespace microsoft

void matmul_nbits_bodies(opset::BodyTable& table) { table.add(microsoft::MatMulNBits, microsoft::kMatMulNBitsBodies); }

}  // namespace norn::ops
