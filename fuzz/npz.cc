// .npz archives: whatever the bytes claim, reading costs no more than the limits, and arrays are whole.
#include "format/npz.h"

#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {

void check(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Limits limits;
  limits.max_tensor_bytes = 1 << 22;
  limits.max_bytes = 1 << 24;
  try {
    std::uint64_t total = 0;
    for (const auto& [name, tensor] :
         format::read_npz(ir::Bytes(std::vector<std::byte>(begin, begin + size)), limits)) {
      require(tensor.defined(), "an array has a type");
      if (tensor.dtype() == DataType::String) continue;
      total += tensor.bytes();
      // Every byte has to be there.
      unsigned sum = 0;
      for (std::size_t i = 0; i < tensor.bytes(); ++i) sum += std::to_integer<unsigned>(tensor.as<std::byte>()[i]);
      require(sum <= 255 * tensor.bytes(), "bytes are bytes");
    }
    require(total <= limits.max_bytes, "arrays keep to the limits");
  } catch (const Error&) {
  }
}

}  // namespace norn::fuzz
