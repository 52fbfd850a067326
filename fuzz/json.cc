#include "format/json.h"

#include "notation.h"

namespace norn::fuzz {
namespace {

template <class M>
void check_part(std::string_view text) {
  M message;
  try {
    message = format::from_json<M>(text);
  } catch (const Error&) {
    return;
  }
  const std::string once = format::to_json(message);
  const M again = format::from_json<M>(once);
  require(format::write_message(again) == format::write_message(message), "what was written reads back", once);
  require(format::to_json(again) == once, "writing is stable", once);
  check_binary(message);
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_part<ir::Model>(text);
  check_part<ir::Tensor>(text);
}

}  // namespace norn::fuzz
