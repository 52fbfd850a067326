// Sums over diagonals, and over dimensions that change places.
#include <string>
#include <type_traits>

#include "kernels/cpu/contraction.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace strided_sum_cc {
namespace {

// Goes through the points of a grid, the last dimension innermost.
class Points {
 public:
  Points(const Shape& dims, const std::vector<std::int64_t>& strides, std::int64_t first)
      : dims_(dims), strides_(strides) {
    for (std::size_t d = dims.size(); d-- > 0; first /= dims[d]) at_ += first % dims[d] * strides[d];
  }
  std::int64_t at() const { return at_; }
  // From point `i` to the next.
  void next(std::int64_t i) {
    for (std::size_t d = dims_.size(); d-- > 0; i /= dims_[d]) {
      if (i % dims_[d] + 1 < dims_[d]) {
        at_ += strides_[d];
        return;
      }
      at_ -= (dims_[d] - 1) * strides_[d];
    }
  }

 private:
  const Shape& dims_;
  const std::vector<std::int64_t>& strides_;
  std::int64_t at_ = 0;
};

template <class T>
class StridedSum final : public Kernel {
 public:
  explicit StridedSum(const StridedSumConfig& c) : c_(c) {
    if (!c.summed.empty()) {
      inner_ = c.summed.back();
      step_ = c.summed_strides.back();
      c_.summed.pop_back();
      c_.summed_strides.pop_back();
    }
  }

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    const std::int64_t outer = element_count(c_.summed);
    const double sum_ns = 5 + static_cast<double>(outer * inner_);
    parallel_ranges(element_count(c_.kept), sum_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Points kept(c_.kept, c_.kept_strides, begin);
      for (std::int64_t i = begin; i < end; kept.next(i), ++i) {
        Wide sum = 0;
        Points summed(c_.summed, c_.summed_strides, 0);
        for (std::int64_t o = 0; o < outer; summed.next(o), ++o) {
          const T* from = x + kept.at() + summed.at();
          for (std::int64_t k = 0; k < inner_; ++k) sum += static_cast<Wide>(from[k * step_]);
        }
        out[i] = static_cast<T>(sum);
      }
    });
  }

 private:
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  StridedSumConfig c_;
  std::int64_t inner_ = 1, step_ = 0;
};

std::string refuses(const StridedSumConfig& c) {
  if (c.kept.size() != c.kept_strides.size() || c.summed.size() != c.summed_strides.size())
    return "ranks do not fit together";
  if (!bounded(c.kept_strides) || !bounded(c.summed_strides)) return "strides beyond any memory";
  Shape all = c.kept;
  all.insert(all.end(), c.summed.begin(), c.summed.end());
  for (std::int64_t d : all)
    if (d < 1) return "an empty tensor";
  switch (c.type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Int32:
    case DataType::Uint32:
    case DataType::Int64:
    case DataType::Uint64: return extent_refusal({&all});
    default: return "has no loop for " + std::string(data_type_name(c.type));
  }
}
std::unique_ptr<Kernel> make(const StridedSumConfig& c, PackedConstants&) {
  switch (c.type) {
    case DataType::Float: return std::make_unique<StridedSum<float>>(c);
    case DataType::Double: return std::make_unique<StridedSum<double>>(c);
    case DataType::Int32:
    case DataType::Uint32: return std::make_unique<StridedSum<std::uint32_t>>(c);
    default: return std::make_unique<StridedSum<std::uint64_t>>(c);
  }
}

constexpr Candidate<StridedSumConfig> kStridedSumCandidates[] = {{"strided", refuses, make}};

}  // namespace
}  // namespace strided_sum_cc

std::span<const Candidate<StridedSumConfig>> strided_sum_candidates() { return kStridedSumCandidates; }

}  // namespace norn::kernels
