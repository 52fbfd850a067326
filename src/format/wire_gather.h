// What reading a message keeps beside it until it ends: parts of arrays, and bytes of fields that M does not have.
#pragma once
#include <cstddef>
#include <tuple>
#include <vector>

#include "format/fields.h"
#include "ir/model.h"

namespace norn::format {

// Chunks of one number array, until the message ends. Nothing for other kinds of member.
template <class T>
struct Gather {};
template <class T>
struct Gather<ir::SharedArray<T>> {
  std::vector<T> values;
};
template <>
struct Gather<ir::Bytes> {};
template <class T>
struct Gather<ir::Rare<T>> : Gather<T> {};

template <class M>
struct Gathers;
template <class M, class... T>
struct Gathers<Rows<FieldRow<M, T>...>> {
  std::tuple<Gather<T>...> rows;
};

// Bytes of unknown fields: a view while they are contiguous, a copy otherwise.
struct Unknown {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  std::vector<std::byte> copy;

  void add(const std::byte* from, const std::byte* to) {
    if (!copy.empty()) {
      copy.insert(copy.end(), from, to);
    } else if (begin == end) {
      begin = from, end = to;
    } else if (end == from) {
      end = to;
    } else {
      copy.assign(begin, end);
      copy.insert(copy.end(), from, to);
    }
  }
};

}  // namespace norn::format
