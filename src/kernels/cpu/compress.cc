// The places that are chosen become runs of neighbours. Of many short rows the runs are copied one after the other,
// each for all rows that the first cache holds; of long rows, row by row.
#include "kernels/cpu/compress.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/by_four.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/nonzero.h"
#include "kernels/cpu/physical.h"
#include "kernels/late_output.h"

namespace norn::kernels {
inline namespace compress_cc {
namespace {

constexpr double kByteNs = 0.1, kRunNs = 2;
constexpr std::int64_t kShortRow = 2048, kCached = 16384;  // bytes
constexpr std::int64_t kPicked = 16;                       // bytes of a block that are moved at once
constexpr std::int64_t kPart = 4096;                       // places of a row that one task copies

struct Neighbours {
  std::int64_t first, count;
};

std::vector<Neighbours> runs_of(const std::vector<std::int64_t>& places) {
  std::vector<Neighbours> runs;
  for (const std::int64_t place : places)
    if (!runs.empty() && place == runs.back().first + runs.back().count)
      ++runs.back().count;
    else
      runs.push_back({place, 1});
  return runs;
}

class Compressed final : public Kernel {
 public:
  explicit Compressed(const CompressConfig& c)
      : c_(c), loops_(nonzero_loops(1)), block_(c.inner * static_cast<std::int64_t>(c.element_bytes)) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const char*>(operands[0]);
    constexpr std::uint64_t kAnyBit = ~std::uint64_t{0};
    const std::int64_t count = loops_.count(operands[1], c_.condition, kAnyBit);
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    loops_.places(operands[1], c_.condition, kAnyBit, 0, places.data(), count);
    Shape dims = c_.out;
    dims[static_cast<std::size_t>(c_.axis)] = count;
    auto* const out = static_cast<char*>(static_cast<LateOutput*>(operands[2])->allocate(dims));
    if (count == 0 || c_.outer * block_ == 0) return;
    if (c_.outer > 1 && c_.n * block_ <= kShortRow) return short_rows(x, places, out);
    if (block_ <= kPicked && (block_ & (block_ - 1)) == 0) return picked(x, places, out);
    long_rows(x, places, out);
  }

 private:
  void short_rows(const char* x, const std::vector<std::int64_t>& places, char* out) const {
    const std::vector<Neighbours> runs = runs_of(places);
    const std::int64_t from_row = c_.n * block_, to_row = std::ssize(places) * block_;
    const std::int64_t rows = std::max<std::int64_t>(1, kCached / from_row), parts = (c_.outer + rows - 1) / rows;
    const double row_ns = kRunNs * static_cast<double>(runs.size()) + kByteNs * static_cast<double>(to_row);
    parallel_ranges(parts, row_ns * static_cast<double>(rows), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        const std::int64_t first = part * rows, m = std::min(rows, c_.outer - first);
        const char* from = x + first * from_row;
        char* to = out + first * to_row;
        for (const Neighbours& run : runs) {
          copy_rows(from + run.first * block_, from_row, to, to_row, run.count * block_, m);
          to += run.count * block_;
        }
      }
    });
  }

  // Calls of parts of rows: use(from, to, places of the part).
  template <class Use>
  void over_parts(const char* x, const std::vector<std::int64_t>& places, char* out, double place_ns,
                  const Use& use) const {
    const std::int64_t count = std::ssize(places), parts = (count + kPart - 1) / kPart;
    const double part_ns = place_ns * static_cast<double>(std::min(count, kPart));
    parallel_ranges(c_.outer * parts, part_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [row, part] = base::divide(i, parts);
        const std::int64_t first = part * kPart, m = std::min(kPart, count - first);
        use(x + row * c_.n * block_, out + (row * count + first) * block_,
            std::span(places).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(m)));
      }
    });
  }
  void picked(const char* x, const std::vector<std::int64_t>& places, char* out) const {
    with_copy(block_, [&](auto copy) {
      over_parts(x, places, out, 1, [&](const char* from, char* to, std::span<const std::int64_t> part) {
        const std::int64_t* at = part.data();
        by_four(std::ssize(part), [=, this](std::int64_t i) { copy(to + i * block_, from + at[i] * block_); });
      });
    });
  }
  void long_rows(const char* x, const std::vector<std::int64_t>& places, char* out) const {
    over_parts(x, places, out, kRunNs + kByteNs * static_cast<double>(block_),
               [&](const char* from, char* to, std::span<const std::int64_t> part) {
                 for (std::size_t i = 0; i < part.size();) {
                   std::size_t m = 1;
                   while (i + m < part.size() && part[i + m] == part[i] + static_cast<std::int64_t>(m)) ++m;
                   const std::int64_t bytes = static_cast<std::int64_t>(m) * block_;
                   copy_bytes(to, from + part[i] * block_, bytes);
                   to += bytes;
                   i += m;
                 }
               });
  }

  CompressConfig c_;
  NonZeroLoops loops_;
  std::int64_t block_;
};

std::string refuses(const CompressConfig& c) {
  if (c.condition > c.n) return "a condition longer than the axis";
  if (c.element_bytes > 16 || (c.element_bytes & (c.element_bytes - 1)) != 0)
    return "elements of " + std::to_string(c.element_bytes) + " bytes";
  const Shape all = {c.outer, c.n, c.inner, static_cast<std::int64_t>(c.element_bytes)};
  return extent_refusal({&all});
}
std::unique_ptr<Kernel> make(const CompressConfig& c, PackedConstants&) { return std::make_unique<Compressed>(c); }

constexpr Candidate<CompressConfig> kCompressCandidates[] = {{"compress", refuses, make}};

}  // namespace
}  // namespace compress_cc

std::span<const Candidate<CompressConfig>> compress_candidates() { return kCompressCandidates; }

}  // namespace norn::kernels
