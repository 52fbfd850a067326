// Writing protobuf's wire format.
//
// A message's length stands before its content, so sizes come first: one pass computes every nested message's size and
// lists them in the order in which the second pass needs them; computing each where it is needed would be quadratic in
// the depth. Both passes cut long lists of messages into parts, for several threads.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/memory.h"
#include "base/parallel.h"
#include "format/fields.h"
#include "format/wire.h"

namespace norn::format {
namespace {

constexpr std::uint64_t varint_size(std::uint64_t v) {
  return static_cast<std::uint64_t>(63 - std::countl_zero(v | 1)) / 7 + 1;
}

void put_varint(std::byte*& p, std::uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<std::byte>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<std::byte>(v);
}

void put_bytes(std::byte*& p, const void* data, std::size_t n) {
  if (n) std::memcpy(p, data, n);
  p += n;
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

// The number of the field that the member holds.
template <class M, class T>
constexpr std::uint32_t number_of(T M::* member) {
  std::uint32_t number = 0;
  for_each_field<M>([&](const auto& r) {
    if constexpr (std::is_same_v<decltype(r.member), T M::*>)
      if (r.member == member) number = r.number;
  });
  return number;
}

// What is written behind the message's own field of this number.
template <class M>
std::span<const std::byte> encoded_behind(std::uint32_t number, const M& message, const Encoded& encoded) {
  if constexpr (std::is_same_v<M, ir::Graph>) {
    if (number != number_of(&ir::Graph::value_info)) return {};
    const auto at = encoded.value_info.find(&message);
    if (at != encoded.value_info.end()) return at->second.bytes();
  }
  return {};
}

template <class T>
constexpr bool is_message() {
  return !std::is_arithmetic_v<T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, ir::Bytes>;
}

// Elements of a list in one part.
constexpr std::size_t kPart = 2048;

template <class L>
bool in_parts(const L& list) {
  return list.size() >= 2 * kPart;
}
template <class L>
std::size_t parts_of(const L& list) {
  return (list.size() + kPart - 1) / kPart;
}
template <class L>
auto part_of(const L& list, std::size_t i) {
  return std::span(list).subspan(i * kPart, std::min(kPart, list.size() - i * kPart));
}

// Null for a part that is not encoded yet.
template <class L>
const Pieces* encoded_part(const L& list, std::size_t i, const Encoded& encoded) {
  const auto at = encoded.parts.find(&list[i * kPart]);
  return at == encoded.parts.end() ? nullptr : &at->second;
}

class Sizes {
 public:
  Sizes(std::size_t share_at, const Encoded& encoded) : share_at_(share_at), encoded_(encoded) {}

  template <class M>
  std::uint64_t message(const M& m) {
    const std::size_t slot = lengths.size();
    lengths.push_back(0);
    std::uint64_t total = payload(m.unknown.size());
    for_each_field<M>([&](const auto& r) {
      total += field(ir::plain(m.*r.member), varint_size(r.number << 3));
      total += payload(encoded_behind(r.number, m, encoded_).size());
    });
    lengths[slot] = total;
    return total;
  }
  // Of the message's fields with numbers between the two.
  template <class M>
  std::uint64_t fields(const M& m, std::uint32_t from, std::uint32_t to) {
    std::uint64_t total = 0;
    for_each_field<M>([&](const auto& r) {
      if (r.number > from && r.number < to) total += field(ir::plain(m.*r.member), varint_size(r.number << 3));
    });
    return total;
  }
  // Of a list of messages, under a tag of this size.
  template <class M>
  std::uint64_t elements(std::span<const M> list, std::uint64_t tag) {
    std::uint64_t total = 0;
    for (const M& m : list) total += tag + delimited(message(m));
    return total;
  }

  // Of messages and packed numbers, in the order of writing. Before those of a list in parts stand for each part how
  // many are its own, and its bytes in the buffer.
  std::vector<std::uint64_t> lengths;
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
    if constexpr (is_message<T>())
      if (in_parts(f)) return parts(f, tag);
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
  template <ir::List L>
  std::uint64_t parts(const L& f, std::uint64_t tag) {
    std::vector<Sizes> sizes(parts_of(f), Sizes(share_at_, encoded_));
    std::vector<std::uint64_t> totals(sizes.size());
    base::parallel_for(static_cast<std::int64_t>(sizes.size()), [&](std::int64_t at) {
      const auto i = static_cast<std::size_t>(at);
      if (const Pieces* ready = encoded_part(f, i, encoded_))
        totals[i] = sizes[i].shared = ready->size;
      else
        totals[i] = sizes[i].elements(part_of(f, i), tag);
    });
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      lengths.push_back(sizes[i].lengths.size());
      lengths.push_back(totals[i] - sizes[i].shared);
      total += totals[i];
      shared += sizes[i].shared;
    }
    for (const Sizes& part : sizes) lengths.insert(lengths.end(), part.lengths.begin(), part.lengths.end());
    return total;
  }

  std::size_t share_at_;
  const Encoded& encoded_;
};

class Writer {
 public:
  Writer(std::byte* buffer, const std::uint64_t* lengths, std::size_t share_at, const Encoded& encoded)
      : length_(lengths), p_(buffer), flushed_(buffer), share_at_(share_at), encoded_(encoded) {}

  template <class M>
  void message(const M& m) {
    ++length_;
    for_each_field<M>([&](const auto& r) {
      field(ir::plain(m.*r.member), r.number);
      const auto more = encoded_behind(r.number, m, encoded_);
      payload(more.data(), more.size());
    });
    payload(m.unknown.data(), m.unknown.size());
  }

  template <class M>
  void elements(std::span<const M> list, std::uint32_t number) {
    for (const M& m : list) nested(m, number);
  }

  std::vector<std::span<const std::byte>> take_spans() {
    flush();
    return std::move(spans_);
  }

 private:
  // Ends the span that is being written to.
  void flush() {
    if (p_ != flushed_) spans_.emplace_back(flushed_, static_cast<std::size_t>(p_ - flushed_));
    flushed_ = p_;
  }
  void varint(std::uint64_t v) { put_varint(p_, v); }
  void copy(const void* data, std::size_t n) { put_bytes(p_, data, n); }
  void payload(const void* data, std::size_t n) {
    if (n < share_at_) return copy(data, n);
    flush();
    spans_.emplace_back(static_cast<const std::byte*>(data), n);
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
    if constexpr (is_message<T>())
      if (in_parts(f)) return parts(f, n);
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

  template <ir::List L>
  void parts(const L& f, std::uint32_t n) {
    const std::uint64_t* header = length_;
    length_ += 2 * parts_of(f);
    std::vector<Writer> writers;
    writers.reserve(parts_of(f));
    std::byte* begin = p_;
    for (std::size_t i = 0; i < parts_of(f); ++i) {
      writers.emplace_back(begin, length_, share_at_, encoded_);
      length_ += header[2 * i];
      begin += header[2 * i + 1];
    }
    base::parallel_for(static_cast<std::int64_t>(writers.size()), [&](std::int64_t at) {
      const auto i = static_cast<std::size_t>(at);
      if (!encoded_part(f, i, encoded_)) writers[i].elements(part_of(f, i), n);
    });
    // A part that was only copied into the buffer goes on in the span before it.
    for (std::size_t i = 0; i < writers.size(); ++i) {
      const Writer& part = writers[i];
      const Pieces* ready = encoded_part(f, i, encoded_);
      const auto& spans = ready ? ready->spans : part.spans_;
      if (!spans.empty()) {
        flush();
        spans_.insert(spans_.end(), spans.begin(), spans.end());
        flushed_ = part.flushed_;
      }
      p_ = part.p_;
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

  const std::uint64_t* length_;
  std::byte* p_;
  std::byte* flushed_;
  std::vector<std::span<const std::byte>> spans_;
  std::size_t share_at_;
  const Encoded& encoded_;
};

void make_buffer(Pieces& pieces, const Sizes& sizes) {
  const auto copied = static_cast<std::size_t>(pieces.size - sizes.shared);
  pieces.buffer.reserve(copied);
  base::prepare_to_fill(pieces.buffer.data(), copied);
  pieces.buffer.resize(copied);
}

bool holds_graphs(const ir::Node& node) {
  return std::any_of(node.attribute.begin(), node.attribute.end(),
                     [](const ir::Attribute& a) { return a.g.has() || !a.graphs.empty(); });
}
bool holds_graphs(const ir::Tensor&) { return false; }

template <class M>
void encode_list(const std::vector<M>& list, std::uint32_t number, Encoded& encoded) {
  const Encoded nothing;
  for (std::size_t i = 0; in_parts(list) && i < parts_of(list); ++i) {
    const std::span<const M> part = part_of(list, i);
    if (std::any_of(part.begin(), part.end(), [](const M& m) { return holds_graphs(m); })) continue;
    Sizes sizes(kShareAt, nothing);
    Pieces pieces;
    pieces.size = sizes.elements(part, varint_size(number << 3));
    make_buffer(pieces, sizes);
    Writer writer(pieces.buffer.data(), sizes.lengths.data(), kShareAt, nothing);
    writer.elements(part, number);
    pieces.spans = writer.take_spans();
    encoded.parts.emplace(part.data(), std::move(pieces));
  }
}

}  // namespace

void encode_parts(const ir::Graph& graph, Encoded& encoded) {
  encode_list(graph.node, number_of(&ir::Graph::node), encoded);
  encode_list(graph.initializer, number_of(&ir::Graph::initializer), encoded);
}

std::vector<PlacedBytes> expected_places(const ir::Model& model, const Encoded& encoded, std::uint64_t more) {
  if (!model.graph) return {};
  const ir::Graph& graph = *model.graph;
  constexpr std::uint32_t kGraph = number_of(&ir::Model::graph), kNode = number_of(&ir::Graph::node),
                          kInitializer = number_of(&ir::Graph::initializer);
  std::vector<PlacedBytes> places;
  std::uint64_t at = 0;  // in the graph
  const auto place = [&](const auto& list) {
    for (std::size_t i = 0; i < parts_of(list); ++i) {
      const Pieces* part = in_parts(list) ? encoded_part(list, i, encoded) : nullptr;
      if (!part) return false;
      for (const auto span : part->spans) {
        places.push_back({at, span});
        at += span.size();
      }
    }
    return true;
  };
  const Encoded nothing;
  Sizes sizes(~std::size_t{0}, nothing);
  if (place(graph.node)) {
    at += sizes.fields(graph, kNode, kInitializer);
    place(graph.initializer);
  }
  const std::uint64_t begin = sizes.fields(model, 0, kGraph) + varint_size(kGraph << 3) + varint_size(at + more);
  for (PlacedBytes& p : places) p.offset += begin;
  return places;
}

void ValueInfoBytes::reserve(std::size_t bytes) {
  bytes_.reserve(bytes);
  base::prepare_to_fill(bytes_.data(), bytes_.capacity());
}

void ValueInfoBytes::add(std::string_view name, std::span<const std::byte> type) {
  using ir::ValueInfo;
  constexpr auto tag = [](std::uint32_t number) { return std::uint64_t{number} << 3 | wire_type<std::string>(); };
  constexpr std::uint64_t entry_tag = tag(number_of(&ir::Graph::value_info)),
                          name_tag = tag(number_of(&ValueInfo::name)), type_tag = tag(number_of(&ValueInfo::type));
  const std::uint64_t content = varint_size(name_tag) + varint_size(name.size()) + name.size() + varint_size(type_tag) +
                                varint_size(type.size()) + type.size();
  const std::size_t before = bytes_.size();
  bytes_.resize(before + static_cast<std::size_t>(varint_size(entry_tag) + varint_size(content) + content));
  std::byte* p = bytes_.data() + before;
  put_varint(p, entry_tag);
  put_varint(p, content);
  put_varint(p, name_tag);
  put_varint(p, name.size());
  put_bytes(p, name.data(), name.size());
  put_varint(p, type_tag);
  put_varint(p, type.size());
  put_bytes(p, type.data(), type.size());
}

template <class T>
Pieces write_pieces(const T& m, std::size_t share_at, const Encoded& encoded) {
  if (share_at == 0) share_at = 1;
  Sizes sizes(share_at, encoded);
  Pieces pieces;
  pieces.size = sizes.message(m);
  make_buffer(pieces, sizes);
  Writer writer(pieces.buffer.data(), sizes.lengths.data(), share_at, encoded);
  writer.message(m);
  pieces.spans = writer.take_spans();
  return pieces;
}

template <class T>
std::vector<std::byte> write_message(const T& m) {
  return std::move(write_pieces(m, ~std::size_t{0}).buffer);
}

template Pieces write_pieces(const ir::Model&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Model&);
template Pieces write_pieces(const ir::Graph&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Graph&);
template Pieces write_pieces(const ir::Function&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Function&);
template Pieces write_pieces(const ir::Node&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Node&);
template Pieces write_pieces(const ir::Attribute&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Attribute&);
template Pieces write_pieces(const ir::ValueInfo&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::ValueInfo&);
template Pieces write_pieces(const ir::Type&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Type&);
template Pieces write_pieces(const ir::Tensor&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::Tensor&);
template Pieces write_pieces(const ir::SparseTensor&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::SparseTensor&);
template Pieces write_pieces(const ir::OperatorSet&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const ir::OperatorSet&);
template Pieces write_pieces(const SequenceData&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const SequenceData&);
template Pieces write_pieces(const MapData&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const MapData&);
template Pieces write_pieces(const OptionalData&, std::size_t, const Encoded&);
template std::vector<std::byte> write_message(const OptionalData&);

}  // namespace norn::format
