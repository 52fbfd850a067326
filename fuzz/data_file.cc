// Tensor and value files: the first byte chooses the kind of message, or .npy. What can be read can be written, and is
// then read the same.
#include "format/data_file.h"

#include "format/foreign.h"
#include "format/npy.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {
namespace {

ir::Bytes copy(std::vector<std::byte> bytes) { return ir::Bytes(std::move(bytes)); }

DataKind kind_of(const Value& value) {
  return value.is_tensor()     ? DataKind::Tensor
         : value.is_sparse()   ? DataKind::SparseTensor
         : value.is_sequence() ? DataKind::Sequence
         : value.is_map()      ? DataKind::Map
                               : DataKind::Optional;
}

void check_npy(ir::Bytes bytes) {
  const Tensor tensor = format::read_npy(bytes);
  std::vector<std::byte> once;
  try {
    once = format::write_npy(tensor);
  } catch (const Error&) {
    return;  // strings that NumPy cannot hold
  }
  const Tensor again = format::read_npy(copy(once));
  require(again.dtype() == tensor.dtype() && again.dims() == tensor.dims(), "an array keeps type and shape");
  require(format::write_npy(again) == once, "writing an array is stable");
}

std::string foreign_part(const ir::Bytes& bytes, DataKind kind) {
  return format::with_data(bytes, kind, {}, [](const auto& message) { return format::foreign_part(message); });
}

void check_message(const ir::Bytes& bytes, DataKind kind) {
  foreign_part(bytes, kind);
  const Value value = format::read_data(bytes, kind);
  std::vector<std::byte> once;
  try {
    once = format::write_data(value, "v");
  } catch (const Error&) {
    return;  // an optional's content may be of a mixed kind
  }
  require(foreign_part(copy(once), kind_of(value)).empty(), "what was written is of its kind");
  const Value again = format::read_data(copy(once), kind_of(value));
  require(again.describe() == value.describe(), "a value keeps kind, type and shape");
  require(format::write_data(again, "v") == once, "writing a value is stable");
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  ir::Bytes bytes = copy(std::vector<std::byte>(begin + 1, begin + size));
  try {
    const unsigned choice = data[0] % 6u;
    if (choice == 5)
      check_npy(std::move(bytes));
    else
      check_message(bytes, static_cast<DataKind>(choice));
  } catch (const Error&) {
  }
}

}  // namespace norn::fuzz
