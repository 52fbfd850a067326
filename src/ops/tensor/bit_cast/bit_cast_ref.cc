// Types of equal width have elements of equal size in memory, but for the sign: int4 and int2 are kept with theirs
// repeated above them, and all others of their width with zeros. A bool is 0 or 1: any other byte is true, as it is
// wherever bools are read.
#include <cstring>

#include "ops/tensor/bit_cast/bit_cast.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace bit_cast_ref_cc {
namespace {

bool is_signed_part(DataType type) { return type == DataType::Int4 || type == DataType::Int2; }

void bit_cast_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0, bit_cast_target(ctx, x.dtype()), x.dims());
  if (x.size() == 0) return;
  std::memmove(y.mutable_data(), x.data(), x.bytes());
  const int bits = storage_bits(y.dtype());
  if (x.dtype() == y.dtype() || bits > 8) return;
  auto* bytes = static_cast<std::uint8_t*>(y.mutable_data());
  const unsigned sign = 1u << (bits - 1), all = (sign << 1) - 1;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    if (y.dtype() == DataType::Bool)
      bytes[i] = bytes[i] != 0;
    else if (is_signed_part(y.dtype()))
      bytes[i] = static_cast<std::uint8_t>(((bytes[i] & all) ^ sign) - sign);
    else
      bytes[i] &= static_cast<std::uint8_t>(all);
  }
}

}  // namespace
}  // namespace bit_cast_ref_cc

void bit_cast_references(opset::ReferenceTable& table) { table.add(BitCast, bit_cast_ref); }

}  // namespace norn::ops
