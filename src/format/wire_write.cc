// Writing protobuf's wire format.
//
// A message's length stands before its content, so sizes come first: one pass computes every nested message's size and
// lists them in the order in which the second pass needs them; computing each where it is needed would be quadratic in
// the depth.
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "format/fields.h"
#include "format/wire.h"

namespace norn::format {
namespace {

constexpr std::uint64_t varint_size(std::uint64_t v) {
  return static_cast<std::uint64_t>(63 - std::countl_zero(v | 1)) / 7 + 1;
}

template <class T>
constexpr std::uint64_t as_varint(T v) {
  // Negative numbers of any width are sign-extended to ten bytes, as protobuf does.
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
  else
    return v;
}

template <class T>
constexpr unsigned wire_type() {
  if constexpr (std::is_same_v<T, float>)
    return 5;
  else if constexpr (std::is_same_v<T, double>)
    return 1;
  else if constexpr (std::is_integral_v<T>)
    return 0;
  else
    return 2;
}

template <class T>
std::uint64_t number_size(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T);
  else
    return varint_size(as_varint(v));
}

template <class T>
std::uint64_t packed_size(const ir::SharedArray<T>& values) {
  if constexpr (std::is_floating_point_v<T>) return values.size() * sizeof(T);
  std::uint64_t total = 0;
  for (T v : values) total += number_size(v);
  return total;
}

class Sizes {
 public:
  explicit Sizes(std::size_t share_at) : share_at_(share_at) {}

  template <class M>
  std::uint64_t message(const M& m) {
    const std::size_t slot = lengths.size();
    lengths.push_back(0);
    std::uint64_t total = payload(m.unknown.size());
    for_each_field<M>([&](const auto& r) { total += field(ir::plain(m.*r.member), varint_size(r.number << 3)); });
    lengths[slot] = total;
    return total;
  }

  std::vector<std::uint64_t> lengths;  // of messages and packed numbers, in the order of writing
  std::uint64_t shared = 0;

 private:
  std::uint64_t payload(std::uint64_t n) {
    if (n >= share_at_) shared += n;
    return n;
  }
  std::uint64_t delimited(std::uint64_t n) { return varint_size(n) + n; }

  template <class T>
    requires std::is_arithmetic_v<T>
  std::uint64_t field(const ir::Field<T>& f, std::uint64_t tag) {
    return f.has() ? tag + number_size(f.get()) : 0;
  }
  std::uint64_t field(const ir::Field<std::string>& f, std::uint64_t tag) {
    return f.has() ? tag + delimited(f.get().size()) : 0;
  }
  std::uint64_t field(const ir::Field<ir::Bytes>& f, std::uint64_t tag) {
    return f.has() ? tag + delimited(payload(f.get().size())) : 0;
  }
  template <class T>
  std::uint64_t field(const ir::SharedArray<T>& f, std::uint64_t tag) {
    if (f.empty()) return 0;
    const std::uint64_t n = packed_size(f);
    lengths.push_back(n);
    if constexpr (std::is_floating_point_v<T>) payload(n);
    return tag + delimited(n);
  }
  template <class T>
  std::uint64_t field(const ir::Box<T>& f, std::uint64_t tag) {
    return f ? tag + delimited(message(*f)) : 0;
  }
  template <ir::List L>
  std::uint64_t field(const L& f, std::uint64_t tag) {
    using T = typename L::value_type;
    std::uint64_t total = 0;
    for (const T& v : f) {
      if constexpr (std::is_arithmetic_v<T>)
        total += tag + number_size(v);
      else if constexpr (std::is_same_v<T, std::string>)
        total += tag + delimited(v.size());
      else if constexpr (std::is_same_v<T, ir::Bytes>)
        total += tag + delimited(payload(v.size()));
      else
        total += tag + delimited(message(v));
    }
    return total;
  }

  std::size_t share_at_;
};

class Writer {
 public:
  Writer(Pieces& pieces, const std::vector<std::uint64_t>& lengths, std::size_t share_at)
      : pieces_(pieces),
        length_(lengths.data()),
        p_(pieces.buffer.data()),
        flushed_(pieces.buffer.data()),
        share_at_(share_at) {}

  template <class M>
  void message(const M& m) {
    ++length_;
    for_each_field<M>([&](const auto& r) { field(ir::plain(m.*r.member), r.number); });
    payload(m.unknown.data(), m.unknown.size());
  }

  void flush() {
    if (p_ != flushed_) pieces_.spans.emplace_back(flushed_, static_cast<std::size_t>(p_ - flushed_));
    flushed_ = p_;
  }

 private:
  void varint(std::uint64_t v) {
    while (v >= 0x80) {
      *p_++ = static_cast<std::byte>(v | 0x80);
      v >>= 7;
    }
    *p_++ = static_cast<std::byte>(v);
  }
  void copy(const void* data, std::size_t n) {
    if (n) std::memcpy(p_, data, n);
    p_ += n;
  }
  void payload(const void* data, std::size_t n) {
    if (n < share_at_) return copy(data, n);
    flush();
    pieces_.spans.emplace_back(static_cast<const std::byte*>(data), n);
  }
  template <class T>
  void number(T v) {
    if constexpr (std::is_floating_point_v<T>)
      copy(&v, sizeof(T));
    else
      varint(as_varint(v));
  }
  void tag(std::uint32_t number, unsigned wire) { varint(number << 3 | wire); }

  template <class T>
    requires std::is_arithmetic_v<T>
  void field(const ir::Field<T>& f, std::uint32_t n) {
    if (!f.has()) return;
    tag(n, wire_type<T>());
    number(f.get());
  }
  void field(const ir::Field<std::string>& f, std::uint32_t n) {
    if (f.has()) text(f.get(), n);
  }
  void field(const ir::Field<ir::Bytes>& f, std::uint32_t n) {
    if (f.has()) bytes(f.get(), n);
  }
  template <class T>
  void field(const ir::SharedArray<T>& f, std::uint32_t n) {
    if (f.empty()) return;
    tag(n, 2);
    varint(*length_++);
    if constexpr (std::is_floating_point_v<T>) {
      payload(f.data(), f.size() * sizeof(T));
    } else {
      for (T v : f) number(v);
    }
  }
  template <class T>
  void field(const ir::Box<T>& f, std::uint32_t n) {
    if (f) nested(*f, n);
  }
  template <ir::List L>
  void field(const L& f, std::uint32_t n) {
    using T = typename L::value_type;
    for (const T& v : f) {
      if constexpr (std::is_arithmetic_v<T>) {
        tag(n, wire_type<T>());
        number(v);
      } else if constexpr (std::is_same_v<T, std::string>) {
        text(v, n);
      } else if constexpr (std::is_same_v<T, ir::Bytes>) {
        bytes(v, n);
      } else {
        nested(v, n);
      }
    }
  }

  void text(const std::string& v, std::uint32_t n) {
    tag(n, 2);
    varint(v.size());
    copy(v.data(), v.size());
  }
  void bytes(const ir::Bytes& v, std::uint32_t n) {
    tag(n, 2);
    varint(v.size());
    payload(v.data(), v.size());
  }
  template <class M>
  void nested(const M& m, std::uint32_t n) {
    tag(n, 2);
    varint(*length_);
    message(m);
  }

  Pieces& pieces_;
  const std::uint64_t* length_;
  std::byte* p_;
  std::byte* flushed_;
  std::size_t share_at_;
};

}  // namespace

template <class T>
Pieces write_pieces(const T& m, std::size_t share_at) {
  if (share_at == 0) share_at = 1;
  Sizes sizes(share_at);
  Pieces pieces;
  pieces.size = sizes.message(m);
  pieces.buffer.resize(static_cast<std::size_t>(pieces.size - sizes.shared));
  Writer writer(pieces, sizes.lengths, share_at);
  writer.message(m);
  writer.flush();
  return pieces;
}

template <class T>
std::vector<std::byte> write_message(const T& m) {
  return std::move(write_pieces(m, ~std::size_t{0}).buffer);
}

template Pieces write_pieces(const ir::Model&, std::size_t);
template std::vector<std::byte> write_message(const ir::Model&);
template Pieces write_pieces(const ir::Graph&, std::size_t);
template std::vector<std::byte> write_message(const ir::Graph&);
template Pieces write_pieces(const ir::Function&, std::size_t);
template std::vector<std::byte> write_message(const ir::Function&);
template Pieces write_pieces(const ir::Node&, std::size_t);
template std::vector<std::byte> write_message(const ir::Node&);
template Pieces write_pieces(const ir::Attribute&, std::size_t);
template std::vector<std::byte> write_message(const ir::Attribute&);
template Pieces write_pieces(const ir::ValueInfo&, std::size_t);
template std::vector<std::byte> write_message(const ir::ValueInfo&);
template Pieces write_pieces(const ir::Type&, std::size_t);
template std::vector<std::byte> write_message(const ir::Type&);
template Pieces write_pieces(const ir::Tensor&, std::size_t);
template std::vector<std::byte> write_message(const ir::Tensor&);
template Pieces write_pieces(const ir::SparseTensor&, std::size_t);
template std::vector<std::byte> write_message(const ir::SparseTensor&);
template Pieces write_pieces(const ir::OperatorSet&, std::size_t);
template std::vector<std::byte> write_message(const ir::OperatorSet&);
template Pieces write_pieces(const SequenceData&, std::size_t);
template std::vector<std::byte> write_message(const SequenceData&);
template Pieces write_pieces(const MapData&, std::size_t);
template std::vector<std::byte> write_message(const MapData&);
template Pieces write_pieces(const OptionalData&, std::size_t);
template std::vector<std::byte> write_message(const OptionalData&);

}  // namespace norn::format
