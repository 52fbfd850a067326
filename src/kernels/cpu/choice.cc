// A tile of the output at a time; an operand is read where it lies if the tile sees one run of it or one element, else
// it is copied into a tile of its own. Comparisons with NaN are false.
#include "kernels/cpu/choice.h"

#include <array>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/walk.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kTile = 1024;
constexpr double kElementNs = 0.3;

using Truth = std::uint8_t;  // 0 or 1

template <PairOp op, class T>
Truth holds(T a, T b) {
  switch (op) {
    case PairOp::Equal: return a == b;
    case PairOp::Less: return a < b;
    case PairOp::LessOrEqual: return a <= b;
    case PairOp::Greater: return a > b;
    case PairOp::GreaterOrEqual: return a >= b;
    case PairOp::And: return static_cast<Truth>(a != T{0} && b != T{0});
    case PairOp::Or: return static_cast<Truth>(a != T{0} || b != T{0});
    case PairOp::Xor: return static_cast<Truth>((a != T{0}) != (b != T{0}));
  }
}

// One run of two operands, each of which may be one element.
template <PairOp op, class T>
void pair_loop(const void* a_data, bool a_one, const void* b_data, bool b_one, Truth* out, std::int64_t n) {
  const T *a = static_cast<const T*>(a_data), *b = static_cast<const T*>(b_data);
  if (a_one) {
    const T v = *a;
    if (b_one)
      std::fill_n(out, n, holds<op>(v, *b));
    else
      for (std::int64_t i = 0; i < n; ++i) out[i] = holds<op>(v, b[i]);
  } else if (b_one) {
    const T v = *b;
    for (std::int64_t i = 0; i < n; ++i) out[i] = holds<op>(a[i], v);
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = holds<op>(a[i], b[i]);
  }
}

using PairLoop = void (*)(const void*, bool, const void*, bool, Truth*, std::int64_t);

template <class T>
PairLoop loop_of(PairOp op) {
  switch (op) {
    case PairOp::Equal: return pair_loop<PairOp::Equal, T>;
    case PairOp::Less: return pair_loop<PairOp::Less, T>;
    case PairOp::LessOrEqual: return pair_loop<PairOp::LessOrEqual, T>;
    case PairOp::Greater: return pair_loop<PairOp::Greater, T>;
    case PairOp::GreaterOrEqual: return pair_loop<PairOp::GreaterOrEqual, T>;
    default: return nullptr;
  }
}
PairLoop find_loop(PairOp op, DataType type) {
  switch (type) {
    case DataType::Float: return loop_of<float>(op);
    case DataType::Double: return loop_of<double>(op);
    case DataType::Int8: return loop_of<std::int8_t>(op);
    case DataType::Int16: return loop_of<std::int16_t>(op);
    case DataType::Int32: return loop_of<std::int32_t>(op);
    case DataType::Int64: return loop_of<std::int64_t>(op);
    case DataType::Uint8: return loop_of<std::uint8_t>(op);
    case DataType::Uint16: return loop_of<std::uint16_t>(op);
    case DataType::Uint32: return loop_of<std::uint32_t>(op);
    case DataType::Uint64: return loop_of<std::uint64_t>(op);
    case DataType::Bool:
      switch (op) {
        case PairOp::Equal: return pair_loop<PairOp::Equal, Truth>;
        case PairOp::And: return pair_loop<PairOp::And, Truth>;
        case PairOp::Or: return pair_loop<PairOp::Or, Truth>;
        case PairOp::Xor: return pair_loop<PairOp::Xor, Truth>;
        default: return nullptr;
      }
    default: return nullptr;
  }
}

// An operand of elements of 1, 2, 4 or 8 bytes.
class Reader {
 public:
  Reader(const Shape& out, const Shape& dims, std::size_t element_bytes)
      : walk_{broadcast_walk(out, Layout::Dense, {dims})}, bytes_(element_bytes) {}

  using Tile = std::array<std::uint64_t, kTile>;
  const void* read(const void* p, std::int64_t at, std::int64_t n, Tile& tile, bool& one) const {
    switch (bytes_) {
      case 1: return walk_.read(static_cast<const std::uint8_t*>(p), at, n, cast<std::uint8_t>(tile), one);
      case 2: return walk_.read(static_cast<const std::uint16_t*>(p), at, n, cast<std::uint16_t>(tile), one);
      case 4: return walk_.read(static_cast<const std::uint32_t*>(p), at, n, cast<std::uint32_t>(tile), one);
      default: return walk_.read(static_cast<const std::uint64_t*>(p), at, n, tile.data(), one);
    }
  }

 private:
  template <class T>
  static T* cast(Tile& tile) {
    return reinterpret_cast<T*>(tile.data());
  }
  Walk walk_;
  std::size_t bytes_;
};

std::string broadcast_refusal(const Shape& out, std::initializer_list<const Shape*> operands) {
  if (out.size() > Walk::kMaxDims) return "more than 32 dimensions";
  if (std::string why = extent_refusal({&out}); !why.empty()) return why;
  for (const Shape* dims : operands) {
    if (std::string why = extent_refusal({dims}); !why.empty()) return why;
    if (broadcast_walk(out, Layout::Dense, {*dims}).empty())
      return "an input of " + to_string(*dims) + " does not broadcast to " + to_string(out);
  }
  return "";
}

class Pair final : public Kernel {
 public:
  explicit Pair(const PairConfig& c)
      : loop_(find_loop(c.op, c.type)),
        a_(c.out, c.a, element_size(c.type)),
        b_(c.out, c.b, element_size(c.type)),
        elements_(element_count(c.out)) {}

  void run(void* const* operands, void*) const override {
    Truth* out = static_cast<Truth*>(operands[2]);
    parallel_ranges(elements_, kElementNs, kTile, [&](std::int64_t begin, std::int64_t end) {
      Reader::Tile a_tile, b_tile;
      for (std::int64_t at = begin; at < end; at += kTile) {
        const std::int64_t n = std::min(kTile, end - at);
        bool a_one = false, b_one = false;
        const void* a = a_.read(operands[0], at, n, a_tile, a_one);
        const void* b = b_.read(operands[1], at, n, b_tile, b_one);
        loop_(a, a_one, b, b_one, out + at, n);
      }
    });
  }

 private:
  PairLoop loop_;
  Reader a_, b_;
  std::int64_t elements_;
};

std::string pair_refuses(const PairConfig& c) {
  if (find_loop(c.op, c.type) == nullptr) return "has no loop for " + std::string(data_type_name(c.type));
  return broadcast_refusal(c.out, {&c.a, &c.b});
}
std::unique_ptr<Kernel> make_pair(const PairConfig& c, PackedConstants&) { return std::make_unique<Pair>(c); }

template <class T>
void choose_loop(const Truth* condition, const void* x_data, bool x_one, const void* y_data, bool y_one, void* out_data,
                 std::int64_t n) {
  const T *x = static_cast<const T*>(x_data), *y = static_cast<const T*>(y_data);
  T* out = static_cast<T*>(out_data);
  // By masks: which of the two it is cannot be foretold.
  const auto of = [&](auto x_at, auto y_at) {
    for (std::int64_t i = 0; i < n; ++i) {
      const T mask = static_cast<T>(T{0} - static_cast<T>(condition[i]));
      out[i] = static_cast<T>((x_at(i) & mask) | (y_at(i) & static_cast<T>(~mask)));
    }
  };
  const auto every_x = [x](std::int64_t i) { return x[i]; };
  const auto every_y = [y](std::int64_t i) { return y[i]; };
  const auto one_x = [v = *x](std::int64_t) { return v; };
  const auto one_y = [v = *y](std::int64_t) { return v; };
  if (x_one && y_one)
    of(one_x, one_y);
  else if (x_one)
    of(one_x, every_y);
  else if (y_one)
    of(every_x, one_y);
  else
    of(every_x, every_y);
}

class Where final : public Kernel {
 public:
  explicit Where(const WhereConfig& c)
      : condition_(c.out, c.condition, 1),
        x_(c.out, c.x, c.element_bytes),
        y_(c.out, c.y, c.element_bytes),
        bytes_(c.element_bytes),
        elements_(element_count(c.out)) {}

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<std::byte*>(operands[3]);
    parallel_ranges(elements_, kElementNs, kTile, [&](std::int64_t begin, std::int64_t end) {
      Reader::Tile c_tile, x_tile, y_tile;
      for (std::int64_t at = begin; at < end; at += kTile) {
        const std::int64_t n = std::min(kTile, end - at);
        bool c_one = false, x_one = false, y_one = false;
        const auto* c = static_cast<const Truth*>(condition_.read(operands[0], at, n, c_tile, c_one));
        const void* x = x_.read(operands[1], at, n, x_tile, x_one);
        const void* y = y_.read(operands[2], at, n, y_tile, y_one);
        if (c_one) {
          const Truth all = *c;
          c = static_cast<const Truth*>(std::memset(c_tile.data(), all, static_cast<std::size_t>(n)));
        }
        void* to = out + at * static_cast<std::int64_t>(bytes_);
        switch (bytes_) {
          case 1: choose_loop<std::uint8_t>(c, x, x_one, y, y_one, to, n); break;
          case 2: choose_loop<std::uint16_t>(c, x, x_one, y, y_one, to, n); break;
          case 4: choose_loop<std::uint32_t>(c, x, x_one, y, y_one, to, n); break;
          default: choose_loop<std::uint64_t>(c, x, x_one, y, y_one, to, n);
        }
      }
    });
  }

 private:
  Reader condition_, x_, y_;
  std::size_t bytes_;
  std::int64_t elements_;
};

std::string where_refuses(const WhereConfig& c) {
  if (c.element_bytes > 8) return "elements of more than 8 bytes";
  return broadcast_refusal(c.out, {&c.condition, &c.x, &c.y});
}
std::unique_ptr<Kernel> make_where(const WhereConfig& c, PackedConstants&) { return std::make_unique<Where>(c); }

constexpr Candidate<PairConfig> kPairs[] = {{"simd", pair_refuses, make_pair}};
constexpr Candidate<WhereConfig> kWhere[] = {{"simd", where_refuses, make_where}};

}  // namespace

std::span<const Candidate<PairConfig>> pair_candidates() { return kPairs; }
std::span<const Candidate<WhereConfig>> where_candidates() { return kWhere; }

}  // namespace norn::kernels
