#include "kernels/cpu/scale.h"

#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

class Scale final : public Kernel {
 public:
  explicit Scale(const ScaleConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    const float *offset = c_.by->offset.data(), *scale = c_.by->scale.data();
    parallel_ranges(c_.rows, 5 + 0.3 * static_cast<double>(c_.columns), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const float* x = static_cast<const float*>(operands[0]) + r * c_.columns;
        float* y = static_cast<float*>(operands[1]) + r * c_.columns;
        for (std::int64_t i = 0; i < c_.columns; ++i) y[i] = (x[i] - offset[i]) * scale[i];
      }
    });
  }

 private:
  ScaleConfig c_;
};

std::string refuses(const ScaleConfig& c) {
  if (c.x != DataType::Float) return "takes float, not " + std::string(data_type_name(c.x));
  if (static_cast<std::int64_t>(c.by->offset.size()) != c.columns || c.by->scale.size() != c.by->offset.size())
    return "another number of columns";
  const Shape x = {c.rows, c.columns};
  return extent_refusal({&x});
}
std::unique_ptr<Kernel> make(const ScaleConfig& c, PackedConstants&) { return std::make_unique<Scale>(c); }

constexpr Candidate<ScaleConfig> kCandidates[] = {{"columns", refuses, make}};

}  // namespace

std::span<const Candidate<ScaleConfig>> scale_candidates() { return kCandidates; }

}  // namespace norn::kernels
