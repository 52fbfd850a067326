#include "format/text.h"

#include "notation.h"

namespace norn::fuzz {
namespace {

template <class M>
void check_part(std::string_view text) {
  M part;
  try {
    part = format::from_text<M>(text);
  } catch (const Error&) {
    return;
  }
  check_binary(part);
  (void)format::to_text(part, {4});
  std::string once;
  try {
    once = format::to_text(part, {.complete = true});
  } catch (const Error&) {
    return;  // elements that do not fit their shape
  }
  const M again = format::from_text<M>(once);
  const std::string twice = format::to_text(again, {.complete = true});
  require(twice == once, "what was printed reads back", once + "\n----\n" + twice);
  // How a field is stored may change in the first round only.
  require(format::write_message(format::from_text<M>(twice)) == format::write_message(again), "reading is stable",
          once);
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_part<ir::Model>(text);
  check_part<ir::Function>(text);
  check_part<ir::Node>(text);
}

}  // namespace norn::fuzz
