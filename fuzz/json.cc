#include "format/json.h"

#include "notation.h"

namespace norn::fuzz {
namespace {

struct Json {
  template <class M>
  static M read(std::string_view text) {
    return format::from_json<M>(text);
  }
  template <class M>
  static std::string write(const M& message) {
    return format::to_json(message);
  }
};

}  // namespace

void check(const std::uint8_t* data, std::size_t size) { check_notation<Json>(data, size); }

}  // namespace norn::fuzz
