// The binary format: protobuf's wire format for the messages listed in fields.h.
//
// Reading is lossless: fields that fields.h does not know, and known fields of another wire type, go to `unknown` byte
// by byte and are written back after the known ones. As protobuf does: repeated numbers are accepted packed and
// unpacked, a repeated singular message merges, the last scalar and the last member of a oneof win. Other than
// protobuf, lengths are 64 bits wide. Payloads are views into the input, kept alive by its owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/model.h"
#include "norn/limits.h"

namespace norn::format {

// Reads a ModelProto. Throws norn::Error: InvalidProtobuf with the byte offset and the place in the message, and where
// the bytes are something else that people take for a model (a Git LFS pointer, an archive, a page of HTML), says what;
// LimitExceeded. If `bytes` has no owner, they are copied.
ir::Model read_model(ir::Bytes bytes, const Limits& limits = {});

// Reads any message of fields.h that wire_read.cc instantiates. Empty bytes are the empty message.
template <class T>
T read_message(ir::Bytes bytes, const Limits& limits = {});

// Encoded entries of a graph's value_info. Those of a large graph are quicker to write than to build as messages.
class ValueInfoBytes {
 public:
  // `type` is an encoded ir::Type.
  void add(std::string_view name, std::span<const std::byte> type);
  void reserve(std::size_t bytes);
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};
// A serialised message without copies of its large payloads: `spans` point into `buffer`, into the message and into
// what was encoded before, which must outlive them.
struct Pieces {
  std::vector<std::byte> buffer;
  std::vector<std::span<const std::byte>> spans;
  std::uint64_t size = 0;
};

// What of a message is encoded already when it is written.
struct Encoded {
  // What graphs declare beside what they hold; it is written behind that.
  std::unordered_map<const ir::Graph*, ValueInfoBytes> value_info;
  // Parts of long lists, by their first elements, which have not changed since.
  std::unordered_map<const void*, Pieces> parts;
};
// Encodes the graph's nodes and initializers, where they are many: they stay as they are while other work finds out
// what the graph is to declare. Nodes with graphs are left out, since those may get declarations too.
void encode_parts(const ir::Graph& graph, Encoded& encoded);

// Where those of a model's main graph will lie in its file, from the first on. Known before the graph is complete if
// its length, for which `more` bytes beside them are expected, takes as many bytes as the final one.
struct PlacedBytes {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
};
std::vector<PlacedBytes> expected_places(const ir::Model& model, const Encoded& encoded, std::uint64_t more);

inline constexpr std::size_t kShareAt = 4096;
// Payloads of at least `share_at` bytes are referred to, smaller ones are copied.
template <class T>
Pieces write_pieces(const T& message, std::size_t share_at = kShareAt, const Encoded& encoded = {});

template <class T>
std::vector<std::byte> write_message(const T& message);

}  // namespace norn::format
