// A few rows of bytes times matrices that each run brings, as they lie (few_rows.h): packing them would take longer
// than the products.
#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/few_rows.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace matmul_int8_few_cc {
namespace {

using Op = Int8Operand;

constexpr std::int64_t kColumns = 256;  // of a unit of work

// Rows up to which packing does not pay: dot products of bytes are quicker behind it.
std::int64_t most_rows() { return panel_table() != nullptr ? 3 : 8; }

class FewRowsMatMulInt8 final : public Kernel {
 public:
  explicit FewRowsMatMulInt8(const MatMulInt8Config& config)
      : c_(config), s_(sizes_of(config)), finisher_(c_.output, s_.n, s_.k), x_row_(round_up(s_.k, 2)) {
    chunks_ = (s_.n + kColumns - 1) / kColumns;
    const double weights = static_cast<double>(s_.batches) * static_cast<double>(s_.k * s_.n);
    tasks_ = std::min(s_.batches * chunks_, int8_pieces(weights * 0.015 * static_cast<double>(1 + s_.m), 32));
    const std::size_t rows = static_cast<std::size_t>(s_.batches * s_.m);
    x_at_ = align64(finisher_.scratch_bytes());
    row_sums_at_ = x_at_ + align64(rows * static_cast<std::size_t>(x_row_) * sizeof(std::int16_t));
    own_at_ = row_sums_at_ + align64(rows * sizeof(std::int32_t));
    own_bytes_ = align64(static_cast<std::size_t>(s_.m * kColumns) * sizeof(std::int32_t));
  }

  std::size_t scratch_bytes() const override { return own_at_ + own_bytes_ * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    auto* const wide = reinterpret_cast<std::int16_t*>(base + x_at_);
    auto* const row_sums = reinterpret_cast<std::int32_t*>(base + row_sums_at_);
    const std::int32_t x_zero = zero_point(operands[Op::XZero], c_.x_type);
    for (std::int64_t r = 0; r < s_.batches * s_.m; ++r)
      row_sums[r] = widen(operands[Op::X], s_.a_at[r / s_.m] + r % s_.m * s_.a_row, x_zero, wide + r * x_row_);
    const SumFinisher::Run finish = finisher_.prepare(operands, 0, nullptr, base);
    const Centering centering{c_.w_type, operands[Op::WZero], c_.w_zeros, 1};
    base::parallel_for(tasks_, [&](std::int64_t t) {
      auto* const sums = reinterpret_cast<std::int32_t*>(base + own_at_ + static_cast<std::size_t>(t) * own_bytes_);
      const std::int64_t units = s_.batches * chunks_;
      for (auto [u, last_u] = base::part_of(units, tasks_, t); u < last_u; ++u) {
        const std::int64_t batch = u / chunks_, first = s_.n * (u % chunks_) / chunks_;
        const std::int64_t columns = s_.n * (u % chunks_ + 1) / chunks_ - first;
        few_rows_table().multiply({wide + batch * s_.m * x_row_, x_row_, s_.m,
                                   static_cast<const std::uint8_t*>(operands[Op::W]) + s_.b_at[batch] + first, s_.n,
                                   s_.k, columns, c_.w_type == DataType::Int8, sums, kColumns});
        if (c_.w_zeros != 0) centre(centering, first, columns, row_sums + batch * s_.m, sums);
        finisher_.rows(finish, sums, kColumns, s_.m, first, columns, batch * s_.m * s_.n + first, s_.n);
      }
    });
  }

 private:
  // The sum of a row's bytes less their zero point, which it writes.
  std::int32_t widen(const void* x, std::int64_t at, std::int32_t zero, std::int16_t* to) const {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < s_.k; ++k) {
      to[k] = static_cast<std::int16_t>(zero_point(x, c_.x_type, at + k) - zero);
      sum += to[k];
    }
    if (x_row_ != s_.k) to[s_.k] = 0;
    return static_cast<std::int32_t>(sum);
  }

  // Takes the weights' zero points out of the sums.
  void centre(const Centering& centering, std::int64_t first, std::int64_t columns, const std::int32_t* row_sums,
              std::int32_t* sums) const {
    for (std::int64_t r = 0; r < s_.m; ++r, sums += kColumns)
      for (std::int64_t c = 0; c < columns; ++c)
        sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) -
                                            static_cast<std::uint32_t>(centering.zero_of(first + c)) *
                                                static_cast<std::uint32_t>(row_sums[r]));
  }

  const MatMulInt8Config c_;
  const MatMulShape s_;
  const SumFinisher finisher_;
  const std::int64_t x_row_;
  std::int64_t chunks_ = 1, tasks_ = 1;
  std::size_t x_at_ = 0, row_sums_at_ = 0, own_at_ = 0, own_bytes_ = 0;
};

}  // namespace
}  // namespace matmul_int8_few_cc

std::string few_rows_matmul_int8_refuses(const MatMulInt8Config& c) {
  if (std::string why = matmul_int8_config_refusal(c); !why.empty()) return why;
  if (c.weights.known()) return "the right matrix is constant";
  const MatMulShape s(sizes_of(c));
  if (s.m < 1 || s.k < 1 || s.batches < 1) return "an empty product";
  if (s.m > most_rows()) return "many rows";
  if (s.n < few_rows_table().block) return "few columns";
  if (!bounded_product({s.batches, s.m, s.k})) return "sizes that cannot be counted";
  return "";
}

std::unique_ptr<Kernel> make_few_rows_matmul_int8(const MatMulInt8Config& config, PackedConstants&) {
  return std::make_unique<FewRowsMatMulInt8>(config);
}

}  // namespace norn::kernels
