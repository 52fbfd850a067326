// Data, scales and zero points are gathered as they are stored, and only what was gathered is dequantised.
//
// Bytes may hold several integers along the last axis, the first in the lowest bits. Zero points are packed as the data
// is; without them the middle of the range is 0 for bytes, and 0 itself for integers of 4 bits.
#include <string>

#include "ops/microsoft/domain.h"
#include "ops/microsoft/gather_block_quantized/gather_block_quantized.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace gather_block_quantized_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `to`: the integers in the bytes of `from`, which has `rank` axes.
void unpack(BodyBuilder& b, const std::string& from, const std::string& to, std::int64_t bits, std::int64_t rank) {
  std::string parts;
  for (std::int64_t shift = 0; shift < 8; shift += bits) {
    const std::string part = to + "_" + std::to_string(shift);
    b.scalar(part + "_by", DataType::Uint8, static_cast<double>(shift));
    b.add(part + "_shifted = BitShift <direction = \"RIGHT\"> (" + from + ", " + part + "_by) " + part +
          "_part = BitwiseAnd (" + part + "_shifted, element_mask) " + part + " = Unsqueeze (" + part +
          "_part, last_axis)");
    parts += (parts.empty() ? "" : ", ") + part;
  }
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 0);
  shape.back() = -1;
  b.ints(to + "_shape", shape);
  b.add(to + "_apart = Concat <axis = -1> (" + parts + ") " + to + " = Reshape (" + to + "_apart, " + to + "_shape)");
}

void gather_block_quantized_body(BodyBuilder& b) {
  const DataType type = b.elem(0);
  const GatherBlockQuantizedParams p = resolve_gather_block_quantized(b, type);
  if (type != DataType::Uint8 && type != DataType::Int4 && type != DataType::Uint4)
    b.unsupported("data is " + std::string(data_type_name(type)), "uint8, int4 and uint4 are known");
  const std::int64_t rank = b.rank(0) - 1 + b.rank(1), bits = p.bits, gathered = *p.gathered, blocked = *p.blocked;
  if (gathered == blocked) b.unsupported("gather_axis and quantize_axis are the same axis");
  const std::string gather = "Gather <axis = " + std::to_string(gathered) + "> ";
  // ONNX's Gather does not take integers of 4 bits.
  const std::string as_bytes =
      "Cast <to = " + std::to_string(static_cast<int>(type == DataType::Int4 ? DataType::Int8 : DataType::Uint8)) +
      "> ";
  const bool packed = type == DataType::Uint8 && bits < 8;
  if (packed) {
    const std::int64_t last[] = {-1};
    b.ints("last_axis", last);
    b.scalar("element_mask", DataType::Uint8, static_cast<double>((1 << bits) - 1));
  }
  const auto rows_of = [&](const std::string& from, const std::string& to) {
    b.add((type == DataType::Uint8 ? to + "_bytes = Identity (" : to + "_bytes = " + as_bytes + "(") + from + ")");
    b.add(to + "_rows = " + gather + "(" + to + "_bytes, indices)");
    if (packed) return unpack(b, to + "_rows", to, bits, rank);
    b.add(to + " = Identity (" + to + "_rows)");
  };
  rows_of("data", "integers");
  b.add("block_scales = " + gather + "(scales, indices)");
  std::string zeros;
  if (b.has_input(3)) {
    rows_of("zero_points", "zeros_filled");
    zeros = "zeros_filled";
    if (packed) {
      const std::int64_t zero[] = {0};
      b.ints("first", zero);
      b.add("count = Shape <start = -1> (block_scales) zeros = Slice (zeros_filled, first, count, last_axis)");
      zeros = "zeros";
    }
  } else if (type == DataType::Uint8) {
    b.scalar("middle", DataType::Uint8, static_cast<double>(std::int64_t{1} << (bits - 1)));
    b.add("scales_shape = Shape (block_scales) zeros = Expand (middle, scales_shape)");
    zeros = "zeros";
  }
  const std::int64_t axis = blocked < gathered ? blocked : blocked - 1 + b.rank(1);
  b.add("output = DequantizeLinear <axis = " + std::to_string(axis) + ", block_size = " + std::to_string(p.block) +
        "> (integers, block_scales, " + zeros + ")");
}

constexpr FunctionBody kGatherBlockQuantizedBodies[] = {
    {.since = 1, .opset = kBodyOpset, .build = gather_block_quantized_body}};

}  // namespace
}  // namespace gather_block_quantized_body_cc
}  // namespace microsoft

void gather_block_quantized_bodies(opset::BodyTable& table) {
  table.add(microsoft::GatherBlockQuantized, microsoft::kGatherBlockQuantizedBodies);
}

}  // namespace norn::ops
