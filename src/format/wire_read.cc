// Reading protobuf's wire format into the document.
//
// Costs stay linear in the input: repeated chunks of a number array are gathered in a vector beside the message, and
// what merging a repeated singular message copies is counted against a budget, because a hostile file could otherwise
// make every merge copy everything before it. Long runs of nodes, tensors and values are read by several threads;
// neither the document nor the error for a broken one depends on how many.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/memory.h"
#include "base/parallel.h"
#include "format/bounds.h"
#include "format/fields.h"
#include "format/identify.h"
#include "format/wire.h"
#include "format/wire_gather.h"
#include "norn/error.h"

namespace norn::format {
namespace {

static_assert(std::endian::native == std::endian::little, "fixed-width numbers are read as they lie");

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroupStart = 3, kGroupEnd = 4, kFixed32 = 5 };

template <class T>
constexpr unsigned wire_of() {
  if constexpr (std::is_same_v<T, float>)
    return kFixed32;
  else if constexpr (std::is_same_v<T, double>)
    return kFixed64;
  else
    return kVarint;
}

class Reader {
 public:
  Reader(const ir::Bytes& input, const Limits& limits)
      : begin_(input.data()),
        end_(input.data() + input.size()),
        owner_(input.owner()),
        bounds_(input.size(), limits),
        max_depth_(static_cast<std::size_t>(bounds_.max_depth())),
        merge_budget_((std::uint64_t{1} << 26) + 16 * static_cast<std::uint64_t>(input.size())) {
    path_.resize(max_depth_ + 1);
  }

  // True if any field was one that M has.
  template <class M>
  bool message(M& m, const std::byte* p, const std::byte* end) {
    Gathers<std::remove_cv_t<decltype(Message<M>::fields)>> gathers;
    Unknown unknown;
    bool any = false;
    while (p < end) {
      const std::byte* start = p;
      const std::uint64_t tag = varint(p, end);
      const std::uint64_t number = tag >> 3;
      const auto wire = static_cast<unsigned>(tag & 7);
      if (number == 0 || number > 0x1fffffff) fail(start, "there is no field number " + std::to_string(number));
      if (dispatch(m, static_cast<std::uint32_t>(number), wire, p, end, gathers.rows, row_indices<M>())) {
        any = true;
        continue;
      }
      p = skip(start, p, end, static_cast<std::uint32_t>(number), wire);
      unknown.add(start, p);
    }
    finish(m, gathers.rows, row_indices<M>());
    if constexpr (std::is_same_v<M, ir::Tensor>) bounds_.check_tensor(m, [&] { return where(end); });
    keep(m.unknown, unknown);
    return any;
  }

 private:
  struct Place {
    const char* field;
    std::size_t index;  // kSingle for a singular field
  };
  static constexpr std::size_t kSingle = ~std::size_t{0};

  [[noreturn]] void fail(const std::byte* at, std::string message, std::string hint = {}) const {
    throw Error(ErrorCode::InvalidProtobuf, "not a readable protobuf message: " + std::move(message), where(at),
                std::move(hint));
  }

  std::string where(const std::byte* at) const {
    std::string text = "byte " + std::to_string(at - begin_);
    for (std::size_t i = 0; i < depth_; ++i) {
      text += i ? "." : " in ";
      text += path_[i].field;
      if (path_[i].index != kSingle) text += "[" + std::to_string(path_[i].index) + "]";
    }
    return text;
  }

  [[noreturn]] void ends_early(const std::byte* at, std::uint64_t missing) const {
    fail(at, "the file ends too early, at least " + std::to_string(missing) + " bytes are missing",
         "the file was probably cut off while it was copied or downloaded; fetch it again");
  }

  // Most numbers are tags, lengths and enumerations of one byte.
  [[gnu::always_inline]] std::uint64_t varint(const std::byte*& p, const std::byte* end) const {
    if (p < end && *p < std::byte{0x80}) return std::to_integer<std::uint64_t>(*p++);
    return long_varint(p, end);
  }

  [[gnu::noinline]] std::uint64_t long_varint(const std::byte*& p, const std::byte* end) const {
    const std::byte* start = p;
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p == end) {
        if (end == end_) ends_early(start, 1);
        fail(start, "a number runs over the end of its message");
      }
      const auto b = std::to_integer<std::uint64_t>(*p++);
      value |= (b & 0x7f) << (shift & 63);
      if (b < 0x80) return value;
    }
    fail(start, "a number is longer than ten bytes");
  }

  // Reads a length and checks that so many bytes follow.
  [[gnu::always_inline]] std::size_t length(const std::byte*& p, const std::byte* end, std::uint32_t number) const {
    const std::byte* start = p;
    const std::uint64_t n = varint(p, end);
    if (n <= static_cast<std::uint64_t>(end - p)) return static_cast<std::size_t>(n);
    too_long(start, p, n, number);
  }

  [[noreturn, gnu::noinline]] void too_long(const std::byte* start, const std::byte* p, std::uint64_t n,
                                            std::uint32_t number) const {
    const auto left = static_cast<std::uint64_t>(end_ - p);
    if (n > left) ends_early(start, n - left);
    fail(start, "field " + std::to_string(number) + " has length " + std::to_string(n) +
                    " and runs over the end of its message");
  }

  const std::byte* skip(const std::byte* start, const std::byte* p, const std::byte* end, std::uint32_t number,
                        unsigned wire) {
    switch (wire) {
      case kVarint: varint(p, end); return p;
      case kFixed64: return fixed(p, end, 8);
      case kFixed32: return fixed(p, end, 4);
      case kBytes: {
        const std::size_t n = length(p, end, number);
        return p + n;
      }
      case kGroupStart: return skip_group(start, p, end, number);
      case kGroupEnd: fail(start, "a group ends that did not begin (field " + std::to_string(number) + ")");
      default: fail(start, "wire type " + std::to_string(wire) + " does not exist");
    }
  }

  const std::byte* skip_group(const std::byte* start, const std::byte* p, const std::byte* end, std::uint32_t number) {
    std::vector<std::uint64_t> open{number};
    while (!open.empty()) {
      if (p == end) {
        if (end == end_) ends_early(start, 1);
        fail(start, "a group does not end within its message");
      }
      const std::byte* at = p;
      const std::uint64_t tag = varint(p, end);
      const auto wire = static_cast<unsigned>(tag & 7);
      if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) fail(at, "there is no field number " + std::to_string(tag >> 3));
      if (wire == kGroupStart) {
        if (depth_ + open.size() >= max_depth_) too_deep(at);
        open.push_back(tag >> 3);
      } else if (wire == kGroupEnd) {
        if (tag >> 3 != open.back()) fail(at, "groups end in the wrong order");
        open.pop_back();
      } else {
        p = skip(at, p, end, static_cast<std::uint32_t>(tag >> 3), wire);
      }
    }
    return p;
  }

  const std::byte* fixed(const std::byte* p, const std::byte* end, std::size_t n) const {
    const auto left = static_cast<std::size_t>(end - p);
    if (left >= n) return p + n;
    if (end == end_) ends_early(p, n - left);
    fail(p, "a number runs over the end of its message");
  }

  [[noreturn]] void too_deep(const std::byte* at) const { bounds_.too_deep("byte " + std::to_string(at - begin_)); }

  template <class M, class R, std::size_t... I>
  bool dispatch(M& m, std::uint32_t number, unsigned wire, const std::byte*& p, const std::byte* end, R& gathers,
                std::index_sequence<I...>) {
    bool handled = false;
    (void)((row_at<I>(Message<M>::fields).number == number
                ? (handled = one_of<I>(m, wire, p, end, std::get<I>(gathers)), true)
                : false) ||
           ...);
    return handled;
  }

  template <std::size_t I, class M, class G>
  bool one_of(M& m, unsigned wire, const std::byte*& p, const std::byte* end, G& gather) {
    constexpr auto& r = row_at<I>(Message<M>::fields);
    if constexpr (r.trait == Trait::OneOf) {
      if (!value(ir::plain_mut(m.*r.member), r.number, r.name, wire, p, end, gather)) return false;
      clear_others<I>(m, row_indices<M>());
      return true;
    } else {
      return value(ir::plain_mut(m.*r.member), r.number, r.name, wire, p, end, gather);
    }
  }

  template <std::size_t I, class M, std::size_t... J>
  void clear_others(M& m, std::index_sequence<J...>) {
    const auto clear = [&](auto index) {
      constexpr auto& r = row_at<index.value>(Message<M>::fields);
      if constexpr (index.value != I && r.trait == Trait::OneOf) (m.*r.member).clear();
    };
    (clear(std::integral_constant<std::size_t, J>()), ...);
  }

  // Writers put the elements of a repeated field one behind the other: those that follow `p` (which stands behind the
  // first one's tag) are counted, so that the vector grows once. Nothing but their lengths is looked at, and a hostile
  // count is bounded.
  static constexpr std::size_t kPart = 512;
  struct Run {
    std::size_t count = 1;     // the last of them may be cut off
    std::size_t complete = 0;  // those whose ends are known
    const std::byte* end;      // of the last complete one
  };
  // `parts` receives where elements 0, kPart, 2 * kPart, ... stand.
  static Run run_of(std::uint32_t number, const std::byte* p, const std::byte* end,
                    std::vector<const std::byte*>* parts = nullptr) {
    constexpr std::size_t kMost = 1 << 16;
    const std::uint64_t tag = (std::uint64_t{number} << 3) | kBytes;
    const auto read = [&](std::uint64_t& v) {
      v = 0;
      for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        const auto b = static_cast<std::uint64_t>(*p++);
        v |= (b & 0x7f) << shift;
        if (b < 0x80) return true;
      }
      return false;
    };
    Run run{.end = p};
    if (parts) parts->push_back(p);
    for (std::uint64_t n = 0, next = 0; run.count < kMost; ++run.count) {
      if (!read(n) || n > static_cast<std::uint64_t>(end - p)) break;
      p += n;
      run.complete = run.count;
      run.end = p;
      if (!read(next) || next != tag) break;
      if (parts && run.count % kPart == 0) parts->push_back(p);
    }
    return run;
  }

  // Messages that large models have by the thousands.
  template <class T>
  static constexpr bool kMany =
      std::is_same_v<T, ir::Node> || std::is_same_v<T, ir::Tensor> || std::is_same_v<T, ir::ValueInfo>;

  // Appends the complete elements of a run, read by several threads, and leaves `p` behind them. Where anything is
  // wrong with them, or they cost too much together, changes nothing and returns false: reading them one by one then
  // finds the first fault, whatever the number of threads.
  template <class T>
  bool read_parts(std::vector<T>& field, std::uint32_t number, const char* name, const Run& run,
                  std::span<const std::byte* const> starts, const std::byte*& p) {
    const std::size_t first = field.size(), parts = (run.complete + kPart - 1) / kPart;
    // More threads would wait for memory, and for each other's allocations.
    const base::ParallelWidth width(std::min(4, base::parallel_width()));
    if (!base::is_resident(field.data() + first, run.complete * sizeof(T))) {
      constexpr std::size_t kPrepared = 8;  // parts at a time
      base::prefer_large_pages(field.data() + first, run.complete * sizeof(T));
      base::parallel_for(static_cast<std::int64_t>((parts + kPrepared - 1) / kPrepared), [&](std::int64_t i) {
        const std::size_t from = static_cast<std::size_t>(i) * kPrepared * kPart;
        base::prepare_to_fill(field.data() + first + from,
                              std::min(kPrepared * kPart, run.complete - from) * sizeof(T));
      });
    }
    field.resize(first + run.complete);
    std::atomic<std::uint64_t> nodes{0}, merged{0};
    std::atomic<bool> failed{false};
    base::parallel_for(static_cast<std::int64_t>(parts), [&](std::int64_t index) {
      const auto i = static_cast<std::size_t>(index);
      if (failed || nodes > bounds_.nodes_left() || merged > merge_budget_) return;
      try {
        Reader part(*this);
        // Threads that share a reference count wait for each other.
        part.owner_ = {std::make_shared<std::shared_ptr<const void>>(owner_), owner_.get()};
        const std::byte* at = starts[i];
        const std::size_t end = std::min(kPart, run.complete - i * kPart);
        for (std::size_t j = 0; j < end; ++j) {
          if (j > 0) part.varint(at, run.end);  // the tag
          part.element(field, first + i * kPart + j, number, name, at, run.end);
        }
        nodes += bounds_.nodes_left() - part.bounds_.nodes_left();
        merged += merge_budget_ - part.merge_budget_;
      } catch (...) {
        failed = true;
      }
    });
    if (failed || nodes > bounds_.nodes_left() || merged > merge_budget_) {
      field.resize(first);
      return false;
    }
    bounds_.count_nodes(nodes, [&] { return where(p); });
    charge(merged, p);
    p = run.end;
    return true;
  }

  // Reads the element at `p`, with those of the same field that follow it where they are many.
  template <class T>
  void elements(std::vector<T>& field, std::uint32_t number, const char* name, const std::byte*& p,
                const std::byte* end) {
    while (true) {
      std::vector<const std::byte*> starts;
      const Run run = run_of(number, p, end, kMany<T> ? &starts : nullptr);
      if (field.capacity() - field.size() < run.count) {
        field.reserve(std::max(field.size() + run.count, field.size() * 2));
      }
      bool read = false;
      if constexpr (kMany<T>) {
        read =
            run.complete >= 4 * kPart && base::parallel_width() > 1 && read_parts(field, number, name, run, starts, p);
      }
      if (!read) {
        base::prepare_to_fill(field.data() + field.size(), run.count * sizeof(T));
        field.emplace_back();
        return element(field, field.size() - 1, number, name, p, end);
      }
      const std::byte* next = p;
      if (next == end || varint(next, end) != ((std::uint64_t{number} << 3) | kBytes)) return;
      p = next;
    }
  }

  template <class T>
  void element(std::vector<T>& field, std::size_t i, std::uint32_t number, const char* name, const std::byte*& p,
               const std::byte* end) {
    if constexpr (std::is_same_v<T, ir::Node>) bounds_.count_nodes(1, [&] { return where(p); });
    nested(field[i], number, name, i, p, end);
  }

  // Each value() stores one occurrence of a field, or returns false if the wire type is not the field's.

  template <class T, class G>
    requires std::is_arithmetic_v<T>
  bool value(ir::Field<T>& field, std::uint32_t, const char*, unsigned wire, const std::byte*& p, const std::byte* end,
             G&) {
    if (wire != wire_of<T>()) return false;
    field = number<T>(p, end);
    return true;
  }

  template <class G>
  bool value(ir::Field<std::string>& field, std::uint32_t number, const char*, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    if (wire != kBytes) return false;
    const std::size_t n = length(p, end, number);
    field = std::string(reinterpret_cast<const char*>(p), n);
    p += n;
    return true;
  }

  template <class G>
  bool value(ir::Field<ir::Bytes>& field, std::uint32_t number, const char* name, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    if (wire != kBytes) return false;
    field = payload(p, end, number, name);
    return true;
  }

  template <class T, class G>
    requires std::is_arithmetic_v<T>
  bool value(std::vector<T>& field, std::uint32_t number, const char*, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    return numbers(field, number, wire, p, end);
  }

  template <ir::List L, class G>
    requires std::is_same_v<typename L::value_type, std::string>
  bool value(L& field, std::uint32_t number, const char*, unsigned wire, const std::byte*& p, const std::byte* end,
             G&) {
    if (wire != kBytes) return false;
    if (field.empty()) field.reserve(run_of(number, p, end).count);
    const std::size_t n = length(p, end, number);
    field.emplace_back(reinterpret_cast<const char*>(p), n);
    p += n;
    return true;
  }

  template <class G>
  bool value(std::vector<ir::Bytes>& field, std::uint32_t number, const char* name, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    if (wire != kBytes) return false;
    field.push_back(payload(p, end, number, name));
    return true;
  }

  template <class T>
  bool value(ir::SharedArray<T>& field, std::uint32_t number, const char* name, unsigned wire, const std::byte*& p,
             const std::byte* end, Gather<ir::SharedArray<T>>& gather) {
    if (wire != kBytes && wire != wire_of<T>()) return false;
    if constexpr (std::is_floating_point_v<T>) {
      if (wire == kBytes && field.empty() && gather.values.empty()) {
        const std::byte* start = p;
        const std::byte* at = p;
        const std::size_t n = length(at, end, number);
        if (n % sizeof(T) == 0 && reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) {
          check_payload(start, n, name);
          field = ir::SharedArray<T>(reinterpret_cast<const T*>(at), n / sizeof(T), owner_);
          p = at + n;
          return true;
        }
      }
    }
    if (!field.empty()) {
      charge(field.size() * sizeof(T), p);
      gather.values.insert(gather.values.begin(), field.begin(), field.end());
      field = {};
    }
    return numbers(gather.values, number, wire, p, end);
  }

  template <class T, class G>
    requires std::is_class_v<T>
  bool value(ir::Box<T>& field, std::uint32_t number, const char* name, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    if (wire != kBytes) return false;
    nested(field.mut(), number, name, kSingle, p, end);
    return true;
  }

  template <class T, class G>
    requires requires(T message) { message.unknown; }
  bool value(std::vector<T>& field, std::uint32_t number, const char* name, unsigned wire, const std::byte*& p,
             const std::byte* end, G&) {
    if (wire != kBytes) return false;
    if (field.size() == field.capacity()) {
      elements(field, number, name, p, end);
    } else {
      field.emplace_back();
      element(field, field.size() - 1, number, name, p, end);
    }
    return true;
  }

  template <class M>
  void nested(M& m, std::uint32_t number, const char* name, std::size_t index, const std::byte*& p,
              const std::byte* end) {
    if (depth_ >= max_depth_) too_deep(p);
    path_[depth_++] = {name, index};
    const std::size_t n = length(p, end, number);
    message(m, p, p + n);
    p += n;
    --depth_;
  }

  template <class T>
  T number(const std::byte*& p, const std::byte* end) const {
    if constexpr (std::is_floating_point_v<T>) {
      const std::byte* next = fixed(p, end, sizeof(T));
      T value;
      std::memcpy(&value, p, sizeof(T));
      p = next;
      return value;
    } else {
      return static_cast<T>(varint(p, end));
    }
  }

  template <class T>
  bool numbers(std::vector<T>& values, std::uint32_t field_number, unsigned wire, const std::byte*& p,
               const std::byte* end) {
    if (wire == wire_of<T>()) {
      values.push_back(number<T>(p, end));
      return true;
    }
    if (wire != kBytes) return false;
    const std::byte* start = p;
    const std::size_t n = length(p, end, field_number);
    if constexpr (std::is_floating_point_v<T>) {
      check_payload(start, n, "packed numbers");
      if (n % sizeof(T))
        fail(start, "packed numbers of " + std::to_string(sizeof(T)) + " bytes fill " + std::to_string(n) + " bytes");
      const std::size_t old = values.size();
      values.resize(old + n / sizeof(T));
      if (n) std::memcpy(values.data() + old, p, n);
      p += n;
    } else {
      const std::byte* last = p + n;
      const auto count =
          static_cast<std::size_t>(std::count_if(p, last, [](std::byte b) { return b < std::byte{0x80}; }));
      check_payload(start, count, "packed numbers");  // of at least a byte each, in memory
      // Exact reservation would make many small chunks quadratic.
      if (values.capacity() - values.size() < count) values.reserve(std::max(values.size() + count, values.size() * 2));
      while (p < last) values.push_back(static_cast<T>(varint(p, last)));
    }
    return true;
  }

  ir::Bytes payload(const std::byte*& p, const std::byte* end, std::uint32_t number, const char* name) const {
    const std::byte* start = p;
    const std::size_t n = length(p, end, number);
    check_payload(start, n, name);
    ir::Bytes bytes(p, n, owner_);
    p += n;
    return bytes;
  }

  void check_payload(const std::byte* at, std::size_t n, const char* name) const {
    bounds_.check_payload(n, name, [&] { return where(at); });
  }

  void charge(std::uint64_t bytes, const std::byte* at) {
    if (bytes > merge_budget_) {
      throw Error(ErrorCode::LimitExceeded, "one message is given in too many parts that have to be merged", where(at));
    }
    merge_budget_ -= bytes;
  }

  template <class M, class R, std::size_t... I>
  void finish(M& m, R& gathers, std::index_sequence<I...>) {
    const auto one = [&](auto index) {
      constexpr auto& r = row_at<index.value>(Message<M>::fields);
      auto& gather = std::get<index.value>(gathers);
      if constexpr (requires { gather.values; }) {
        if (!gather.values.empty()) ir::plain_mut(m.*r.member) = std::move(gather.values);
      }
    };
    (one(std::integral_constant<std::size_t, I>()), ...);
  }

  void keep(ir::Rare<ir::Bytes>& member, Unknown& found) {
    if (found.begin == found.end) return;
    ir::Bytes& unknown = member.mut_value();
    if (unknown.empty() && found.copy.empty()) {
      unknown = ir::Bytes(found.begin, static_cast<std::size_t>(found.end - found.begin), owner_);
      return;
    }
    if (found.copy.empty()) found.copy.assign(found.begin, found.end);
    if (!unknown.empty()) {
      charge(unknown.size(), found.begin);
      found.copy.insert(found.copy.begin(), unknown.begin(), unknown.end());
    }
    unknown = ir::Bytes(std::move(found.copy));
  }

  const std::byte* begin_;
  const std::byte* end_;
  std::shared_ptr<const void> owner_;
  Bounds bounds_;
  std::size_t max_depth_;
  std::uint64_t merge_budget_;
  std::vector<Place> path_;  // the first depth_ of them
  std::size_t depth_ = 0;
};

// Bytes without an owner are copied, unless they are too many to be read anyway.
ir::Bytes owned(ir::Bytes bytes, const Limits& limits) {
  Bounds(bytes.size(), limits);
  if (!bytes.owner() && !bytes.empty()) return ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
  return bytes;
}

[[noreturn]] void not_a_model(const ir::Bytes& bytes, const Error& error) {
  if (auto mistake = identify(bytes.span())) {
    throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: this is " + mistake->what, error.where(),
                mistake->hint);
  }
  // Before version 0.2 the graph itself was the top message and its first field a node.
  if (bytes[0] == std::byte{0x0a}) {
    throw Error(ErrorCode::InvalidProtobuf, error.message(), error.where(),
                "field 1 is not the IR version: if the file is from ONNX 0.1 (2017), it has no model message and "
                "cannot be read; otherwise it is not an ONNX model");
  }
  if (looks_like_text(bytes.span())) {
    throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model in the binary format: this is text", error.where(),
                "if it is a model in ONNX's text syntax, JSON or protobuf's text format, say so (LoadOptions::format)");
  }
  throw error;
}

}  // namespace

ir::Model read_model(ir::Bytes input, const Limits& limits) {
  const ir::Bytes bytes = owned(std::move(input), limits);
  if (bytes.empty()) {
    throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: the file is empty", "byte 0",
                "the download or the export that should have written it probably failed");
  }
  ir::Model model;
  try {
    Reader reader(bytes, limits);
    if (!reader.message(model, bytes.data(), bytes.data() + bytes.size())) {
      throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: none of its fields belongs to ModelProto", "byte 0");
    }
    if (bytes[0] == std::byte{0x0a} && !model.ir_version.has() && !model.graph) {
      throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: it has neither an IR version nor a graph", "byte 0");
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidProtobuf) throw;
    not_a_model(bytes, error);
  }
  return model;
}

template <class T>
T read_message(ir::Bytes input, const Limits& limits) {
  const ir::Bytes bytes = owned(std::move(input), limits);
  T m;
  Reader(bytes, limits).message(m, bytes.data(), bytes.data() + bytes.size());
  return m;
}

template ir::Model read_message(ir::Bytes, const Limits&);
template ir::Graph read_message(ir::Bytes, const Limits&);
template ir::Function read_message(ir::Bytes, const Limits&);
template ir::Node read_message(ir::Bytes, const Limits&);
template ir::Attribute read_message(ir::Bytes, const Limits&);
template ir::ValueInfo read_message(ir::Bytes, const Limits&);
template ir::Type read_message(ir::Bytes, const Limits&);
template ir::Tensor read_message(ir::Bytes, const Limits&);
template ir::SparseTensor read_message(ir::Bytes, const Limits&);
template ir::OperatorSet read_message(ir::Bytes, const Limits&);
template SequenceData read_message(ir::Bytes, const Limits&);
template MapData read_message(ir::Bytes, const Limits&);
template OptionalData read_message(ir::Bytes, const Limits&);

}  // namespace norn::format
