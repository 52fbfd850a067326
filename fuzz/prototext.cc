#include "format/prototext.h"

#include "notation.h"

namespace norn::fuzz {
namespace {

struct ProtoText {
  template <class M>
  static M read(std::string_view text) {
    return format::from_prototext<M>(text);
  }
  template <class M>
  static std::string write(const M& message) {
    return format::to_prototext(message);
  }
};

}  // namespace

void check(const std::uint8_t* data, std::size_t size) { check_notation<ProtoText>(data, size); }

}  // namespace norn::fuzz
