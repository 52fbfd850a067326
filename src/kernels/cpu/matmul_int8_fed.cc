// Rows of bytes times matrices of bytes that each run brings, or several constant ones, which are packed in panels
// first (panels_int8.h): that takes less time than all but the smallest products.
#include <new>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace matmul_int8_fed_cc {
namespace {

using Op = Int8Operand;

class FedMatMulInt8 final : public Kernel {
 public:
  explicit FedMatMulInt8(const MatMulInt8Config& config)
      : c_(config),
        s_(sizes_of(config)),
        table_(panel_table_for(s_.m, 1, s_.k, s_.n)),
        shape_(laid_out_for(table_, {1, s_.k, s_.n, 1})),
        finisher_(c_.output, s_.n, s_.k),
        loop_(shape_, finisher_, c_.output, PanelTiles(s_.m, shape_, table_, bytes_of_row(c_.output, s_.n)), c_.x_type,
              table_),
        last_rows_(element_count(c_.x) / s_.k, s_.k, table_),
        matrices_(s_.b_at.last() / (s_.k * s_.n) + 1),
        columns_(shape_.columns_before(1)) {
    const double weights = static_cast<double>(s_.k * s_.n), batches = static_cast<double>(s_.batches);
    pack_tasks_ =
        std::min(matrices_ * shape_.panels(), int8_pieces(weights * static_cast<double>(matrices_) * 0.05, 32));
    tasks_ = std::min(s_.batches * loop_.units(),
                      int8_pieces(std::max(static_cast<double>(s_.m) * weights / 400, weights * 0.02) * batches, 32));
    const auto matrices = static_cast<std::size_t>(matrices_);
    const std::size_t vector = static_cast<std::size_t>(columns_) * sizeof(std::int32_t);
    finish_bytes_ = align64(finisher_.scratch_bytes());
    sums_at_ = matrices * align64(static_cast<std::size_t>(shape_.bytes()));
    marks_at_ = sums_at_ + matrices * vector;
    corrections_at_ = marks_at_ + align64(matrices * static_cast<std::size_t>(shape_.vectors() * shape_.mark_words()) *
                                          sizeof(std::uint64_t));
    finish_at_ = corrections_at_ + vector;
    runs_at_ = finish_at_ + matrices * finish_bytes_;
    last_at_ = runs_at_ + align64(matrices * sizeof(SumFinisher::Run));
    own_at_ = last_at_ + align64(last_rows_.bytes());
  }

  std::size_t scratch_bytes() const override { return own_at_ + loop_.task_bytes() * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    auto* const sums = reinterpret_cast<std::int32_t*>(base + sums_at_);
    auto* const corrections = reinterpret_cast<std::int32_t*>(base + corrections_at_);
    auto* const runs = reinterpret_cast<SumFinisher::Run*>(base + runs_at_);
    const bool corrected = correct(operands[Op::WZero], corrections);
    base::parallel_for(pack_tasks_, [&](std::int64_t t) {
      const std::int64_t units = matrices_ * shape_.panels();
      for (auto [u, last_u] = base::part_of(units, pack_tasks_, t); u < last_u; ++u)
        pack(static_cast<const std::uint8_t*>(operands[Op::W]), base, u / shape_.panels(), u % shape_.panels(),
             corrections, sums + u / shape_.panels() * columns_, marks_of(base, u / shape_.panels()));
    });
    const std::int32_t own_zero = zero_point(operands[Op::XZero], c_.x_type), x_zero = loop_.counted_zero(own_zero);
    for (std::int64_t i = 0; i < matrices_; ++i)
      new (runs + i) SumFinisher::Run(finisher_.prepare(
          operands, x_zero, sums + i * columns_, base + finish_at_ + static_cast<std::size_t>(i) * finish_bytes_));
    const auto* const x = static_cast<const std::uint8_t*>(operands[Op::X]);
    auto* const copies = reinterpret_cast<std::uint8_t*>(base + last_at_);
    last_rows_.copy(x, copies);
    const std::int64_t units = s_.batches * loop_.units();
    base::parallel_for(tasks_, [&](std::int64_t t) {
      char* const own = base + own_at_ + static_cast<std::size_t>(t) * loop_.task_bytes();
      for (auto [unit, end] = base::part_of(units, tasks_, t); unit < end;) {
        const std::int64_t batch = unit / loop_.units(), first = unit % loop_.units();
        const std::int64_t last = std::min(loop_.units(), first + end - unit);
        const std::int64_t matrix = s_.b_at[batch] / (s_.k * s_.n);
        const std::int64_t first_row = s_.a_at[batch] / s_.k;
        loop_.run(loop_.bytes_for(own_zero),
                  {shape_, panels_of(base, matrix), corrected ? corrections : nullptr, marks_of(base, matrix)},
                  runs[matrix], first, last, 0, batch * s_.m, s_.n, own,
                  [&](std::int64_t begin, std::int64_t until, const std::uint8_t** to) {
                    for (std::int64_t r = begin; r < until; ++r) *to++ = last_rows_.at(x, first_row + r, copies);
                  });
        unit += last - first;
      }
    });
  }

 private:
  std::int8_t* panels_of(char* base, std::int64_t matrix) const {
    return reinterpret_cast<std::int8_t*>(base + static_cast<std::size_t>(matrix) *
                                                     align64(static_cast<std::size_t>(shape_.bytes())));
  }

  std::uint64_t* marks_of(char* base, std::int64_t matrix) const {
    return reinterpret_cast<std::uint64_t*>(base + marks_at_) + matrix * shape_.vectors() * shape_.mark_words();
  }

  // By how much the weights of each column are more than what is packed of them; false if by nothing.
  bool correct(const void* zeros, std::int32_t* corrections) const {
    const Centering centering{c_.w_type, zeros, c_.w_zeros, 1};
    bool any = false;
    for (std::int64_t j = 0; j < columns_; ++j) {
      corrections[j] = j < s_.n ? centering.excess_of(j) : 0;
      any = any || corrections[j] != 0;
    }
    return any;
  }

  void pack(const std::uint8_t* weights, char* base, std::int64_t matrix, std::int64_t panel,
            const std::int32_t* corrections, std::int32_t* sums, std::uint64_t* marks) const {
    const std::int64_t vector = shape_.first_vector(panel), first = vector * kPanelLanes;
    const std::int64_t columns = std::min(shape_.first_vector(panel + 1) * kPanelLanes, s_.n) - first;
    // Vectors at a time; behind them are quads of zeros.
    const std::int64_t all = shape_.first_vector(panel + 1) - vector, most = shape_.vectors_apart ? 1 : all;
    for (std::int64_t v = 0; v < all; v += most) {
      std::int8_t* const to = panels_of(base, matrix) + (vector + v) * shape_.vector_bytes();
      const std::int64_t at = first + v * kPanelLanes, quad = most * kPanelLanes * 4;
      table_.pack(weights + matrix * s_.k * s_.n + at, s_.n, s_.k,
                  std::min(columns - v * kPanelLanes, most * kPanelLanes), c_.w_type == DataType::Uint8, to, sums + at);
      std::fill(to + (s_.k + 3) / 4 * quad, to + shape_.quads() * quad, std::int8_t{0});
    }
    shape_.mark_vectors(vector, all, panels_of(base, matrix), marks);
    for (std::int64_t j = first; j < first + columns; ++j)
      sums[j] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                    static_cast<std::uint32_t>(corrections[j]) * static_cast<std::uint32_t>(s_.k));
  }

  const MatMulInt8Config c_;
  const MatMulShape s_;
  const PanelTable& table_;
  const PanelShape shape_;
  const SumFinisher finisher_;
  const PanelLoop loop_;
  const LastRows last_rows_;
  const std::int64_t matrices_, columns_;  // columns in whole vectors
  std::int64_t pack_tasks_ = 1, tasks_ = 1;
  std::size_t finish_bytes_ = 0, sums_at_ = 0, marks_at_ = 0, corrections_at_ = 0, finish_at_ = 0, runs_at_ = 0,
              last_at_ = 0, own_at_ = 0;
};

}  // namespace
}  // namespace matmul_int8_fed_cc

std::string fed_matmul_int8_refuses(const MatMulInt8Config& c) {
  if (std::string why = matmul_int8_config_refusal(c); !why.empty()) return why;
  if (c.weights.known() && element_count(c.w) == c.w[c.w.size() - 2] * c.w.back())
    return "the right matrix is constant";
  const MatMulShape s(sizes_of(c));
  if (s.m < 1 || s.k < 1 || s.batches < 1) return "an empty product";
  if (s.n < kPanelLanes / 2) return "few columns";
  constexpr std::int64_t kMostForEach = 64;  // bytes of memory for each element of the right matrices
  if (!bounded_product({s.b_at.last() + s.k * s.n, kMostForEach})) return "sizes that cannot be counted";
  return "";
}

std::unique_ptr<Kernel> make_fed_matmul_int8(const MatMulInt8Config& config, PackedConstants&) {
  return std::make_unique<FedMatMulInt8>(config);
}

}  // namespace norn::kernels
