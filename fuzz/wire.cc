// The binary format: what can be read can be written, and reading that again gives the same bytes; nothing that looks
// at the model may crash.
#include "format/wire.h"

#include <vector>

#include "format/text.h"
#include "ir/tensor_data.h"
#include "ir/walk.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {
namespace {

ir::Bytes copy(const std::vector<std::byte>& bytes) { return ir::Bytes(std::vector<std::byte>(bytes)); }

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Limits limits;
  limits.max_tensor_bytes = 1 << 24;
  ir::Model model;
  try {
    model = format::read_model(ir::Bytes(std::vector<std::byte>(begin, begin + size)), limits);
  } catch (const Error&) {
    return;
  }
  const auto once = format::write_message(model);
  ir::Model again;
  try {
    again = format::read_model(copy(once), limits);
  } catch (const Error& error) {
    // A message of unknown fields only is not a model, and merging may have left nothing else.
    require(error.code() == ErrorCode::InvalidProtobuf, "what we wrote can be read");
    return;
  }
  require(format::write_message(again) == once, "writing is stable");
  const auto pieces = format::write_pieces(model, 16);
  std::vector<std::byte> joined;
  for (auto piece : pieces.spans) joined.insert(joined.end(), piece.begin(), piece.end());
  require(joined == once && pieces.size == once.size(), "pieces make up the message");

  (void)format::to_text(model);
  ir::for_each_tensor(model, [](const ir::Tensor& tensor) {
    try {
      const norn::Tensor value = ir::to_value(tensor);
      require(value.bytes() <= std::size_t{1} << 28, "a tensor is no larger than what the file stores");
    } catch (const Error&) {
    }
  });
}

}  // namespace norn::fuzz
