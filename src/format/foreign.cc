#include "format/foreign.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "format/notation.h"

namespace norn::format {
namespace {

// The numbers of the fields in bytes that a reader has passed over, and so found to be well-formed.
class Left {
 public:
  explicit Left(const ir::Bytes& bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class F>
  void each(F&& f) {
    for (int groups = 0; p_ < end_;) {
      const std::uint64_t tag = varint(), wire = tag & 7;
      if (groups == 0) f(tag >> 3);
      switch (wire) {
        case 0: varint(); break;
        case 1: p_ += 8; break;
        case 2: {
          const std::uint64_t size = varint();
          p_ += size;
          break;
        }
        case 3: ++groups; break;
        case 4: --groups; break;
        default: p_ += 4;
      }
    }
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; p_ < end_; shift += 7) {
      const auto b = std::to_integer<std::uint64_t>(*p_++);
      value |= (b & 0x7f) << (shift & 63);
      if (b < 0x80) break;
    }
    return value;
  }

  const std::byte* p_;
  const std::byte* const end_;
};

template <class T>
constexpr bool kIsMessage = requires(T message) { message.unknown; };

template <class M>
void find(const M& message, std::string& found);

template <class T>
void find_in(const T&, std::string&) {}  // a number, a string
template <class T>
void find_in(const ir::Box<T>& box, std::string& found) {
  if (box) find(*box, found);
}
template <class T>
  requires kIsMessage<T>
void find_in(const std::vector<T>& list, std::string& found) {
  for (const T& element : list) find(element, found);
}

template <class M>
void find(const M& message, std::string& found) {
  if (!found.empty()) return;
  if (!message.unknown.empty()) {
    Left(message.unknown).each([&](std::uint64_t number) {
      for_each_field<M>([&](const auto& row) {
        if (row.number != number || !found.empty()) return;
        found = "field " + std::to_string(number) + ", " + Message<M>::name + "'s " + row.name + ", is of another type";
      });
    });
  }
  for_each_field<M>([&](const auto& row) { find_in(ir::plain(message.*row.member), found); });
}

}  // namespace

template <class M>
std::string foreign_part(const M& message) {
  std::string found;
  find(message, found);
  if (!found.empty() || message.unknown.empty()) return found;
  bool any = false;
  for_each_field<M>([&](const auto& row) { any = any || is_set(ir::plain(message.*row.member)); });
  return any ? "" : std::string("none of their fields is one of ") + Message<M>::name + "'s";
}

template std::string foreign_part(const ir::Model&);
template std::string foreign_part(const ir::Tensor&);
template std::string foreign_part(const ir::SparseTensor&);
template std::string foreign_part(const SequenceData&);
template std::string foreign_part(const MapData&);
template std::string foreign_part(const OptionalData&);

}  // namespace norn::format
