// Places are found as if there was one axis, in pieces beside each other, and then become coordinates.
#include "kernels/cpu/nonzero.h"

#include <algorithm>
#include <string>
#include <vector>

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
        loop_(nonzero_loop(element_size(c.type))) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    const std::int64_t pieces = piece_count(elements_, kElementNs);
    std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>(pieces));
    const auto begin_of = [&](std::int64_t piece) { return elements_ * piece / pieces; };
    base::parallel_for(pieces, [&](std::int64_t piece) {
      // A chunk's places go where there is room for all of its elements; few are kept as a rule.
      std::vector<std::int64_t>& places = found[static_cast<std::size_t>(piece)];
      std::size_t count = 0;
      for (std::int64_t i = begin_of(piece), end = begin_of(piece + 1); i < end; i += kChunk) {
        const std::int64_t n = std::min(kChunk, end - i);
        if (places.size() < count + static_cast<std::size_t>(n))
          places.resize(std::max(2 * places.size(), count + static_cast<std::size_t>(n)));
        count += static_cast<std::size_t>(loop_(x + i * size_, n, mask_of(c_.type), i, places.data() + count));
      }
      places.resize(count);
    });
    std::int64_t all = 0;
    std::vector<std::int64_t> first;
    for (const auto& places : found) {
      first.push_back(all);
      all += static_cast<std::int64_t>(places.size());
    }
    const auto rank = static_cast<std::int64_t>(c_.x.size());
    auto* const out = static_cast<std::int64_t*>(static_cast<LateOutput*>(operands[1])->allocate({rank, all}));
    if (rank == 0) return;
    base::parallel_for(pieces, [&](std::int64_t piece) {
      const auto p = static_cast<std::size_t>(piece);
      write(found[p], out + first[p], all);
    });
  }

 private:
  static constexpr std::int64_t kChunk = 4096;
  static constexpr double kElementNs = 0.5;

  // Rows of coordinates, `row` apart. What does not change along the last axis is not divided again.
  void write(const std::vector<std::int64_t>& places, std::int64_t* out, std::int64_t row) const {
    const std::size_t last = c_.x.size() - 1;
    if (last == 0) {
      std::copy(places.begin(), places.end(), out);
      return;
    }
    const std::int64_t length = c_.x[last];
    std::int64_t begin = 0, end = 0;  // of the line of the last axis
    std::vector<std::int64_t> outer(last);
    for (std::size_t i = 0; i < places.size(); ++i, ++out) {
      if (places[i] >= end) {
        std::int64_t rest = places[i] / length;
        begin = rest * length;
        end = begin + length;
        for (std::size_t d = last; d-- > 0; rest /= c_.x[d]) outer[d] = rest % c_.x[d];
      }
      for (std::size_t d = 0; d < last; ++d) out[static_cast<std::int64_t>(d) * row] = outer[d];
      out[static_cast<std::int64_t>(last) * row] = places[i] - begin;
    }
  }

  NonZeroConfig c_;
  std::int64_t elements_, size_;
  NonZeroLoop loop_;
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
