// Two contractions, the first into scratch memory.
#include <algorithm>
#include <string>

#include "kernels/cpu/contraction.h"
#include "kernels/cpu/extents.h"

namespace norn::kernels {
inline namespace contraction_pair_cc {
namespace {

class ContractionPair final : public Kernel {
 public:
  ContractionPair(const ContractionPairConfig& c, PackedConstants& packed)
      : first_(contraction_candidates().back().make(c.first, packed)),
        second_(contraction_candidates().back().make(c.second, packed)),
        middle_bytes_((static_cast<std::size_t>(c.middle) * element_size(c.first.type) + 63) / 64 * 64),
        middle_is_a_(c.middle_is_a) {}

  std::size_t scratch_bytes() const override {
    return middle_bytes_ + std::max(first_->scratch_bytes(), second_->scratch_bytes());
  }
  std::size_t bytes() const noexcept override { return 512 + first_->bytes() + second_->bytes(); }

  void run(void* const* operands, void* scratch) const override {
    void* const own = static_cast<std::byte*>(scratch) + middle_bytes_;
    void* const first[] = {operands[0], operands[1], nullptr, scratch};
    first_->run(first, own);
    void* const second[] = {middle_is_a_ ? scratch : operands[2], middle_is_a_ ? operands[2] : scratch, nullptr,
                            operands[3]};
    second_->run(second, own);
  }

 private:
  std::unique_ptr<Kernel> first_, second_;
  std::size_t middle_bytes_;
  bool middle_is_a_;
};

std::string refuses(const ContractionPairConfig& c) {
  for (const ContractionConfig* each : {&c.first, &c.second})
    if (std::string why = contraction_candidates().back().refuses(*each); !why.empty()) return why;
  const Shape middle = {c.middle, 8};
  return extent_refusal({&middle});
}
std::unique_ptr<Kernel> make(const ContractionPairConfig& c, PackedConstants& packed) {
  return std::make_unique<ContractionPair>(c, packed);
}

constexpr Candidate<ContractionPairConfig> kContractionPairCandidates[] = {{"contraction-pair", refuses, make}};

}  // namespace
}  // namespace contraction_pair_cc

std::span<const Candidate<ContractionPairConfig>> contraction_pair_candidates() { return kContractionPairCandidates; }

}  // namespace norn::kernels
