// Many rows times a matrix of at most 4 x 4.
#include <array>

#include "kernels/cpu/contraction.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/narrow.h"

namespace norn::kernels {
inline namespace matmul_narrow_cc {
namespace {

constexpr std::int64_t kLeastRows = 64, kPiece = 1024;

// The common form of both configurations: batches of m dense rows, and dense products.
struct Narrow {
  std::int64_t batches, m, n, k, b_row, b_column;
  NarrowProduct multiply;

  template <class T, class AAt, class BAt, class CAt>
  void run(const T* a, const T* b, T* c, AAt a_at, BAt b_at, CAt c_at) const {
    const std::int64_t pieces = (m + kPiece - 1) / kPiece;
    const double piece_ns = 10 + 0.3 * static_cast<double>(std::min(m, kPiece) * n);
    parallel_ranges(batches * pieces, piece_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<T, kNarrow * kNarrow> own;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t batch = i / pieces, first = i % pieces * kPiece;
        const T* from = b + b_at(batch);
        for (std::int64_t l = 0; l < k; ++l)
          for (std::int64_t j = 0; j < n; ++j)
            own[static_cast<std::size_t>(l * n + j)] = from[l * b_row + j * b_column];
        multiply(std::min(kPiece, m - first), a + a_at(batch) + first * k, own.data(), c + c_at(batch) + first * n);
      }
    });
  }
};

class NarrowMatMul final : public Kernel {
 public:
  explicit NarrowMatMul(const MatMulConfig& c)
      : s_(c),
        loops_{s_.batches, s_.m, s_.n, s_.k, s_.b_row, s_.b_column, narrow_product(DataType::Float, s_.n, s_.k)} {}
  void run(void* const* operands, void*) const override {
    loops_.run(
        static_cast<const float*>(operands[0]), static_cast<const float*>(operands[1]),
        static_cast<float*>(operands[3]), [this](std::int64_t i) { return s_.a_at[i]; },
        [this](std::int64_t i) { return s_.b_at[i]; }, [this](std::int64_t i) { return i * s_.m * s_.n; });
  }

 private:
  MatMulShape s_;
  Narrow loops_;
};

class NarrowContraction final : public Kernel {
 public:
  explicit NarrowContraction(const ContractionConfig& c)
      : c_(c), loops_{1, c.m, c.n, c.k, c.b_row, c.b_column, narrow_product(c.type, c.n, c.k)} {
    for (const auto& dim : c.batch) loops_.batches *= dim.size;
  }
  void run(void* const* operands, void*) const override {
    if (c_.type == DataType::Double)
      product(static_cast<const double*>(operands[0]), static_cast<const double*>(operands[1]),
              static_cast<double*>(operands[3]));
    else
      product(static_cast<const float*>(operands[0]), static_cast<const float*>(operands[1]),
              static_cast<float*>(operands[3]));
  }

 private:
  template <class T>
  void product(const T* a, const T* b, T* c) const {
    const auto by = [this](std::int64_t ContractionConfig::Batch::* stride) {
      return [this, stride](std::int64_t i) {
        std::int64_t at = 0;
        for (std::size_t d = c_.batch.size(); d-- > 0; i /= c_.batch[d].size)
          at += i % c_.batch[d].size * c_.batch[d].*stride;
        return at;
      };
    };
    using Batch = ContractionConfig::Batch;
    loops_.run(a, b, c, by(&Batch::a), by(&Batch::b), by(&Batch::c));
  }

  ContractionConfig c_;
  Narrow loops_;
};

}  // namespace
}  // namespace matmul_narrow_cc

std::string narrow_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (s.m < kLeastRows || !narrow_product(DataType::Float, s.n, s.k)) return "is for many rows times a tiny matrix";
  if (s.a_column != 1 || s.a_row != s.k) return "reads dense rows";
  if (c.alpha != 1 || c.has_c || !c.post.empty() || c.in_place_extra >= 0) return "gives the product alone";
  return "";
}
std::unique_ptr<Kernel> make_narrow_matmul(const MatMulConfig& c, PackedConstants&) {
  return std::make_unique<NarrowMatMul>(c);
}

// Of a configuration that contraction_candidates() can count.
std::string narrow_contraction_refuses(const ContractionConfig& c) {
  if (c.m < kLeastRows || !narrow_product(c.type, c.n, c.k)) return "is for many rows times a tiny matrix";
  if (c.a_column != 1 || c.a_row != c.k || c.c_row != c.n) return "reads and writes dense rows";
  if (c.alpha != 1 || c.has_d || !c.sums.empty()) return "gives the product alone";
  return "";
}
std::unique_ptr<Kernel> make_narrow_contraction(const ContractionConfig& c, PackedConstants&) {
  return std::make_unique<NarrowContraction>(c);
}

}  // namespace norn::kernels
