#include "kernels/cpu/softmax.h"

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kColumns = 256;  // done together, when the softmax runs down columns

class Softmax final : public Kernel {
 public:
  explicit Softmax(const SoftmaxConfig& c) : c_(c), table_(row_table()) {}

  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[1]);
    const double row_ns = 20 + 0.7 * static_cast<double>(c_.n);
    if (c_.inner == 1) {
      parallel_ranges(c_.outer, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        table_.softmax(x + begin * c_.n, out + begin * c_.n, end - begin, c_.n, c_.log);
      });
      return;
    }
    const std::int64_t blocks = (c_.inner + kColumns - 1) / kColumns;
    const double block_ns = row_ns * static_cast<double>(std::min(kColumns, c_.inner));
    parallel_ranges(c_.outer * blocks, block_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      float work[2 * kColumns];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % blocks * kColumns, at = i / blocks * c_.n * c_.inner + first;
        table_.softmax_columns(x + at, out + at, c_.n, c_.inner, std::min(kColumns, c_.inner - first), c_.log, work);
      }
    });
  }

 private:
  SoftmaxConfig c_;
  const RowTable& table_;
};

std::string refuses(const SoftmaxConfig& c) {
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  const Shape dims = {c.outer, c.n, c.inner};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make(const SoftmaxConfig& c, PackedConstants&) { return std::make_unique<Softmax>(c); }

constexpr Candidate<SoftmaxConfig> kCandidates[] = {{"simd", refuses, make}};

}  // namespace

std::span<const Candidate<SoftmaxConfig>> softmax_candidates() { return kCandidates; }

}  // namespace norn::kernels
