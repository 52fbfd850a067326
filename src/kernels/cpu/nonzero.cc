// Elements are counted, in pieces beside each other; then their places are written as if there was one axis, where the
// coordinates of the last one lie, and become coordinates.
#include "kernels/cpu/nonzero.h"

#include <string>
#include <vector>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/late_output.h"

namespace norn::kernels {
inline namespace nonzero_cc {
namespace {

// The bits of an element that matter; 0 for types that are not taken.
std::uint64_t mask_of(DataType type) {
  switch (type) {
    case DataType::Bool:
    case DataType::Int8:
    case DataType::Uint8:
    case DataType::Int16:
    case DataType::Uint16:
    case DataType::Int32:
    case DataType::Uint32:
    case DataType::Int64:
    case DataType::Uint64: return ~std::uint64_t{0};
    case DataType::Float16:
    case DataType::BFloat16: return 0x7fff;
    case DataType::Float: return 0x7fffffff;
    case DataType::Double: return ~std::uint64_t{0} >> 1;
    default: return 0;
  }
}

class NonZero final : public Kernel {
 public:
  explicit NonZero(const NonZeroConfig& c)
      : c_(c),
        elements_(element_count(c.x)),
        size_(static_cast<std::int64_t>(element_size(c.type))),
        mask_(mask_of(c.type)),
        loops_(nonzero_loops(element_size(c.type))) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    const std::int64_t pieces = piece_count(elements_, kElementNs);
    std::vector<std::int64_t> first(static_cast<std::size_t>(pieces) + 1, 0);  // of all that are found
    const auto begin_of = [&](std::int64_t piece) { return elements_ * piece / pieces; };
    base::parallel_for(pieces, [&](std::int64_t piece) {
      const std::int64_t begin = begin_of(piece);
      first[static_cast<std::size_t>(piece) + 1] = loops_.count(x + begin * size_, begin_of(piece + 1) - begin, mask_);
    });
    for (std::size_t p = 1; p < first.size(); ++p) first[p] += first[p - 1];
    const std::int64_t rank = static_cast<std::int64_t>(c_.x.size()), all = first.back();
    auto* const out = static_cast<std::int64_t*>(static_cast<LateOutput*>(operands[1])->allocate({rank, all}));
    if (rank == 0) return;
    base::parallel_for(pieces, [&](std::int64_t piece) {
      const auto p = static_cast<std::size_t>(piece);
      const std::int64_t begin = begin_of(piece);
      loops_.places(x + begin * size_, begin_of(piece + 1) - begin, mask_, begin, out + (rank - 1) * all + first[p],
                    first[p + 1] - first[p]);
      if (rank > 1) take_apart(out + first[p], first[p + 1] - first[p], all);
    });
  }

 private:
  static constexpr double kElementNs = 0.3;

  // Places in the last of the rows of coordinates, `row` apart. What does not change along the last axis is not divided
  // again.
  void take_apart(std::int64_t* out, std::int64_t n, std::int64_t row) const {
    const std::size_t last = c_.x.size() - 1;
    const std::int64_t length = c_.x[last];
    std::int64_t begin = 0, end = 0;  // of the line of the last axis
    std::vector<std::int64_t> outer(last);
    std::int64_t* const places = out + static_cast<std::int64_t>(last) * row;
    for (std::int64_t i = 0; i < n; ++i) {
      if (places[i] >= end) {
        std::int64_t rest = base::quotient(places[i], length);
        begin = rest * length;
        end = begin + length;
        for (std::size_t d = last; d-- > 0;) {
          const auto [next, at] = base::divide(rest, c_.x[d]);
          outer[d] = at;
          rest = next;
        }
      }
      for (std::size_t d = 0; d < last; ++d) out[static_cast<std::int64_t>(d) * row + i] = outer[d];
      places[i] -= begin;
    }
  }

  NonZeroConfig c_;
  std::int64_t elements_, size_;
  std::uint64_t mask_;
  NonZeroLoops loops_;
};

std::string refuses(const NonZeroConfig& c) {
  if (mask_of(c.type) == 0) return "does not take " + std::string(data_type_name(c.type));
  Shape all = c.x;
  all.push_back(static_cast<std::int64_t>(c.x.size()) * 8);
  return extent_refusal({&c.x, &all});
}
std::unique_ptr<Kernel> make(const NonZeroConfig& c, PackedConstants&) { return std::make_unique<NonZero>(c); }

constexpr Candidate<NonZeroConfig> kNonZeroCandidates[] = {{"places", refuses, make}};

}  // namespace
}  // namespace nonzero_cc

std::span<const Candidate<NonZeroConfig>> nonzero_candidates() { return kNonZeroCandidates; }

}  // namespace norn::kernels
