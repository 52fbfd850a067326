#include "kernels/cpu/triangle.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace triangle_cc {
namespace {

constexpr double kByteNs = 0.05;

class Triangle final : public Kernel {
 public:
  explicit Triangle(const TriangleConfig& c) : c_(c), bytes_(static_cast<std::int64_t>(c.element_bytes)) {
    c_.k = std::clamp(c.k, -c.rows, c.columns);  // diagonals further out divide the matrix as these do
  }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const char*>(operands[0]);
    auto* out = static_cast<char*>(operands[1]);
    const std::int64_t row_bytes = c_.columns * bytes_;
    parallel_ranges(c_.matrices * c_.rows, 5 + kByteNs * static_cast<double>(row_bytes), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t r = begin; r < end;) r += rows(x, out, r, end - r);
                    });
  }

 private:
  // Row r, and those behind it, of at most so many, that are kept as a whole or cleared as it is: returns how many.
  std::int64_t rows(const char* x, char* out, std::int64_t r, std::int64_t most) const {
    // The column in which what is kept and what is cleared meet: before the first one, or behind all, for whole rows.
    const std::int64_t row = r % c_.rows, left = c_.rows - row, meet = row + c_.k + (c_.upper ? 0 : 1);
    const std::int64_t alike = meet <= 0 ? std::min(left, 1 - meet) : meet >= c_.columns ? left : 1;
    const std::int64_t count = std::min(alike, most), row_bytes = c_.columns * bytes_, all = count * row_bytes;
    const std::int64_t split = std::clamp<std::int64_t>(meet, 0, c_.columns) * bytes_ * count;
    const char* from = x + r * row_bytes;
    char* to = out + r * row_bytes;
    const auto keep = [&](std::int64_t at, std::int64_t n) {
      if (n > 0) copy_bytes(to + at, from + at, n);
    };
    const auto clear = [&](std::int64_t at, std::int64_t n) {
      if (n > 0) std::memset(to + at, 0, static_cast<std::size_t>(n));
    };
    if (c_.upper) {
      clear(0, split);
      keep(split, all - split);
    } else {
      keep(0, split);
      clear(split, all - split);
    }
    return count;
  }

  TriangleConfig c_;
  std::int64_t bytes_;
};

std::string triangle_refuses(const TriangleConfig& c) {
  const Shape dims = {c.matrices, c.rows, c.columns, static_cast<std::int64_t>(c.element_bytes)};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_triangle(const TriangleConfig& c, PackedConstants&) {
  return std::make_unique<Triangle>(c);
}

class Reverse final : public Kernel {
 public:
  explicit Reverse(const ReverseConfig& c) : c_(c), bytes_(c.inner * static_cast<std::int64_t>(c.element_bytes)) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const char*>(operands[0]);
    const auto* lengths = static_cast<const std::int64_t*>(operands[1]);
    auto* out = static_cast<char*>(operands[2]);
    const std::int64_t steps = c_.batch_first ? c_.second : c_.first, batch = c_.batch_first ? c_.first : c_.second;
    for (std::int64_t b = 0; b < batch; ++b)
      if (lengths[b] < 0 || lengths[b] > steps)
        throw Error(ErrorCode::RuntimeError, "a sequence of length " + std::to_string(lengths[b]) +
                                                 " does not lie in " + std::to_string(steps) + " steps");
    const double row_ns = static_cast<double>(c_.second) * (1.5 + kByteNs * static_cast<double>(bytes_));
    parallel_ranges(c_.first, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      switch (bytes_) {
        case 1: return rows<1>(x, lengths, out, begin, end);
        case 2: return rows<2>(x, lengths, out, begin, end);
        case 4: return rows<4>(x, lengths, out, begin, end);
        case 8: return rows<8>(x, lengths, out, begin, end);
        default: return rows<0>(x, lengths, out, begin, end);
      }
    });
  }

 private:
  // kBytes: of what moves together; 0: bytes_.
  template <std::size_t kBytes>
  void rows(const char* x, const std::int64_t* lengths, char* out, std::int64_t begin, std::int64_t end) const {
    const std::int64_t bytes = kBytes == 0 ? bytes_ : static_cast<std::int64_t>(kBytes), second = c_.second;
    for (std::int64_t i = begin; i < end; ++i) {
      char* to = out + i * second * bytes;
      for (std::int64_t j = 0; j < second; ++j, to += bytes) {
        const std::int64_t n = lengths[c_.batch_first ? i : j], step = c_.batch_first ? j : i;
        const std::int64_t from = step < n ? n - 1 - step : step;
        const std::int64_t at = c_.batch_first ? i * second + from : from * second + j;
        copy_bytes(to, x + at * bytes, bytes);
      }
    }
  }

  ReverseConfig c_;
  std::int64_t bytes_;
};

std::string reverse_refuses(const ReverseConfig& c) {
  const Shape dims = {c.first, c.second, c.inner, static_cast<std::int64_t>(c.element_bytes)};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_reverse(const ReverseConfig& c, PackedConstants&) { return std::make_unique<Reverse>(c); }

constexpr Candidate<TriangleConfig> kTriangles[] = {{"triangle", triangle_refuses, make_triangle}};
constexpr Candidate<ReverseConfig> kReverses[] = {{"reverse", reverse_refuses, make_reverse}};

}  // namespace
}  // namespace triangle_cc

std::span<const Candidate<TriangleConfig>> triangle_candidates() { return kTriangles; }
std::span<const Candidate<ReverseConfig>> reverse_candidates() { return kReverses; }

}  // namespace norn::kernels
