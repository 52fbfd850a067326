// Matrix products of 8-bit integers by oneDNN's one-thread primitives: sums in 32 bits for a piece of the output that
// stays in the second cache, of which SumFinisher makes what is asked for.
//
// A constant matrix is packed without its zero points where they then fit into int8. Any other is multiplied as it is,
// uint8 less 128, and its zero points are taken out of the sums: those of a row of x, times the column's zero point.
#include <algorithm>
#include <cstring>
#include <map>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/int8_candidates.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace matmul_int8_onednn_cc {
namespace {

using Op = Int8Operand;
using dnnl_type = dnnl::memory::data_type;

constexpr std::int64_t kSums = 48 * 1024;     // of a piece
constexpr std::int64_t kFewestColumns = 128;  // of a piece
constexpr std::int64_t kFewBatches = 64;      // whose products are cut by columns

dnnl_type type_of(DataType type) { return type == DataType::Uint8 ? dnnl_type::u8 : dnnl_type::s8; }

dnnl::matmul::primitive_desc describe_int8_part(const MatMulInt8Config& c, const MatMulShape& s, std::int64_t m,
                                                std::int64_t n) {
  const dnnl::memory::desc a({m, s.k}, type_of(c.x_type), dnnl_dims{s.a_row, 1});
  const auto b = c.weights.known() ? dnnl::memory::desc({s.k, n}, dnnl_type::s8, dnnl::memory::format_tag::any)
                                   : dnnl::memory::desc({s.k, n}, dnnl_type::s8, dnnl_dims{s.n, 1});
  const dnnl::memory::desc out({m, n}, dnnl_type::s32, dnnl_dims{n, 1});
  Making making;
  dnnl::matmul::primitive_desc pd(cpu_engine(), a, b, out, attributes({}));
  if (is_reference(pd.impl_info_str())) throw dnnl::error(dnnl_unimplemented, "reference");
  return pd;
}

// Columns of a piece.
std::int64_t piece_width(const MatMulShape& s) {
  if (s.n < 2 * kFewestColumns || s.batches > kFewBatches) return std::max<std::int64_t>(1, s.n);
  return std::max(kFewestColumns, (s.n / 32 + 63) / 64 * 64);
}

// Whether the constant matrices can be packed without their zero points.
bool is_centered(const MatMulInt8Config& c) {
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return false;
  return Centering{c.w_type, c.w_zero.data, c.w_zeros, 1}.fits(c.weights, element_count(c.w));
}

class OneDnnMatMulInt8 final : public Kernel {
 public:
  OneDnnMatMulInt8(const MatMulInt8Config& config, PackedConstants& packed)
      : c_(config), s_(sizes_of(config)), centered_(is_centered(config)), finisher_(c_.output, s_.n, s_.k) {
    OneThread one;
    matrices_ = s_.b_at.last() / (s_.k * s_.n) + 1;
    cut(packed);
    for (const Part& part : parts_) {
      sums_bytes_ = std::max(sums_bytes_, align64(part.out.get_size()));
      own_bytes_ = std::max(own_bytes_, align64(part.scratch.get_size()));
    }
    row_bytes_ = align64(static_cast<std::size_t>(s_.n) * sizeof(std::int32_t));
    own_bytes_ += sums_bytes_ + row_bytes_;
    finish_bytes_ = align64(finisher_.scratch_bytes());
    sums_at_ = finish_bytes_ + own_bytes_ * static_cast<std::size_t>(tasks_);
    bases_at_ = sums_at_ + row_bytes_ * static_cast<std::size_t>(matrices_);
    zeros_at_ = bases_at_ + row_bytes_ * static_cast<std::size_t>(matrices_);
    moved_at_ = zeros_at_ + row_bytes_;
    scratch_ = moved_at_;
    if (!c_.weights.known() && c_.w_type == DataType::Uint8)
      scratch_ += align64(static_cast<std::size_t>(matrices_ * s_.k * s_.n));
    if (c_.weights.known())
      weight_sums_ = std::static_pointer_cast<const std::int32_t>(
          packed.get(c_.weights, 0, "int8 matmul sums " + to_string(c_.w) + packing().key(), [&] {
            auto buffer = aligned_buffer(row_bytes_ * static_cast<std::size_t>(matrices_));
            for (std::int64_t i = 0; i < matrices_; ++i) {
              std::vector<std::int8_t> w(static_cast<std::size_t>(s_.k * s_.n));
              packing().to_int8(static_cast<const char*>(c_.weights.data) + i * s_.k * s_.n, s_.k * s_.n, w.data());
              sum_columns(w.data(), reinterpret_cast<std::int32_t*>(static_cast<char*>(buffer.get()) +
                                                                    row_bytes_ * static_cast<std::size_t>(i)));
            }
            return buffer;
          }));
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  std::size_t bytes() const noexcept override { return (parts_.size() + 1) * kPrimitiveBytes; }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const std::int32_t x_zero = zero_point(operands[Op::XZero], c_.x_type);
    const auto* weights = static_cast<const std::int8_t*>(operands[Op::W]);
    if (moved_at_ != scratch_) {
      auto* moved = reinterpret_cast<std::uint8_t*>(base + moved_at_);
      const auto* from = static_cast<const std::uint8_t*>(operands[Op::W]);
      parallel_ranges(matrices_ * s_.k * s_.n, 0.05, 4096, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) moved[i] = from[i] ^ 0x80;
      });
      weights = reinterpret_cast<const std::int8_t*>(moved);
    }
    const char* weight_sums = reinterpret_cast<const char*>(weight_sums_.get());
    if (!weight_sums) {
      weight_sums = base + sums_at_;
      if (x_zero != 0)
        base::parallel_for(matrices_, [&](std::int64_t i) {
          sum_columns(weights + i * s_.k * s_.n,
                      reinterpret_cast<std::int32_t*>(base + sums_at_ + row_bytes_ * static_cast<std::size_t>(i)));
        });
    }
    // What is to be subtracted from the weights as they are multiplied.
    const bool has_zeros = !centered_ && has_weight_zeros(operands[Op::WZero]);
    auto* zeros = reinterpret_cast<std::int32_t*>(base + zeros_at_);
    if (has_zeros)
      for (std::int64_t j = 0; j < s_.n; ++j) zeros[j] = weight_zero(operands, j);
    const auto sums_of = [&](std::int64_t i) {
      return reinterpret_cast<const std::int32_t*>(weight_sums + row_bytes_ * static_cast<std::size_t>(i));
    };
    SumFinisher::Run run = finisher_.prepare(operands, x_zero, sums_of(0), base);
    for (std::int64_t i = 0; i < matrices_; ++i) {
      std::int32_t* bases = bases_of(base, i);
      for (std::int64_t j = 0; j < s_.n; ++j) {
        auto sum = static_cast<std::uint32_t>(run.base[j]);
        if (i > 0 && x_zero != 0)
          sum += static_cast<std::uint32_t>(x_zero) *
                 (static_cast<std::uint32_t>(sums_of(0)[j]) - static_cast<std::uint32_t>(sums_of(i)[j]));
        if (has_zeros)
          sum += static_cast<std::uint32_t>(x_zero) * static_cast<std::uint32_t>(zeros[j]) *
                 static_cast<std::uint32_t>(s_.k);
        bases[j] = static_cast<std::int32_t>(sum);
      }
    }
    auto state = pool_.take([&] { return make_state(); });
    const auto jobs = static_cast<std::int64_t>(jobs_.size());
    base::parallel_for(tasks_, [&](std::int64_t t) {
      OneThread one;
      char* own = base + finish_bytes_ + static_cast<std::size_t>(t) * own_bytes_;
      std::vector<Execution>& executions = (*state)[static_cast<std::size_t>(t)];
      for (auto [i, last_i] = base::part_of(jobs, tasks_, t); i < last_i; ++i) {
        GemmSection section(calls_gemm_);
        run_job(jobs_[static_cast<std::size_t>(i)], executions, run, weights, has_zeros, base, own);
      }
    });
    pool_.give(std::move(state));
  }

 private:
  struct Part {
    std::int64_t m, n, column;
    dnnl::matmul primitive;
    dnnl::memory::desc a, b, out, scratch;
    std::vector<std::shared_ptr<const void>> weights;  // by matrix, if constant
  };
  struct Job {
    std::size_t part;
    std::int64_t batch, row;
  };
  using State = std::vector<std::vector<Execution>>;  // by task and part

  // How constant weights become int8: without their zero points, or less 128.
  Centering packing() const {
    static constexpr std::uint8_t kHalf = 128;
    if (centered_) return {c_.w_type, c_.w_zero.data, c_.w_zeros, 1};
    if (c_.w_type == DataType::Uint8) return {c_.w_type, &kHalf, 1, 1};
    return {c_.w_type, nullptr, 0, 1};
  }
  // The zero point of a column of the weights as they are multiplied.
  std::int32_t weight_zero(void* const* operands, std::int64_t column) const {
    return zero_point(operands[Op::WZero], c_.w_type, c_.w_zeros > 1 ? column : 0) -
           (c_.w_type == DataType::Uint8 ? 128 : 0);
  }
  bool has_weight_zeros(const void* zeros) const {
    if (c_.w_type == DataType::Uint8 && c_.w_zeros == 0) return true;
    for (std::int64_t i = 0; i < c_.w_zeros; ++i)
      if (zero_point(zeros, c_.w_type, i) != (c_.w_type == DataType::Uint8 ? 128 : 0)) return true;
    return false;
  }
  std::int32_t* bases_of(char* base, std::int64_t matrix) const {
    return reinterpret_cast<std::int32_t*>(base + bases_at_ + row_bytes_ * static_cast<std::size_t>(matrix));
  }

  template <class T>
  std::uint32_t sum_of(const T* x) const {
    std::uint32_t sum = 0;
    for (std::int64_t k = 0; k < s_.k; ++k) sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(x[k]));
    return sum;
  }
  void sum_columns(const std::int8_t* w, std::int32_t* sums) const {
    std::memset(sums, 0, row_bytes_);
    int8_table().column_sums(w, s_.k, s_.n, s_.n, sums);
  }

  // Columns in the same pieces for any number of rows, so that plans for many share the packed weights.
  void cut(PackedConstants& packed) {
    const std::int64_t width = piece_width(s_);
    const std::int64_t columns = (s_.n + width - 1) / width;
    const std::int64_t row_pieces = (s_.m * width + kSums - 1) / kSums;
    const std::int64_t pieces = std::max<std::int64_t>(1, std::min(row_pieces, s_.m / 8));
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> index;  // by number of rows and first column
    for (std::int64_t batch = 0; batch < s_.batches; ++batch)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < pieces; ++i) {
          const auto [m0, m1] = base::part_of(s_.m, pieces, i);
          const auto [found, fresh] = index.try_emplace({m1 - m0, j * width}, parts_.size());
          if (fresh) parts_.push_back(make_part(m1 - m0, j * width, std::min(s_.n, (j + 1) * width), packed));
          jobs_.push_back({found->second, batch, m0});
        }
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const double ns =
        std::max(products / 400, static_cast<double>(s_.n * s_.k) * 0.02) * static_cast<double>(s_.batches);
    const auto jobs = static_cast<std::int64_t>(jobs_.size());
    tasks_ = piece_count(jobs, ns / static_cast<double>(jobs), 32);
  }

  Part make_part(std::int64_t m, std::int64_t n0, std::int64_t n1, PackedConstants& packed) {
    const auto pd = describe_int8_part(c_, s_, m, n1 - n0);
    Part part;
    part.m = m;
    part.n = n1 - n0;
    part.column = n0;
    {
      Making making;
      part.primitive = dnnl::matmul(pd);
    }
    calls_gemm_ = calls_gemm_ || calls_gemm(pd.impl_info_str());
    part.a = pd.src_desc();
    part.b = pd.weights_desc();
    part.out = pd.dst_desc();
    part.scratch = pd.scratchpad_desc();
    if (!c_.weights.known()) return part;
    const dnnl::memory::desc plain({s_.k, part.n}, dnnl_type::s8, dnnl_dims{part.n, 1});
    const std::string recipe = "onednn int8 matmul " + std::to_string(s_.n) + ' ' +
                               std::to_string(static_cast<int>(c_.x_type)) + describe(plain) + describe(part.b) +
                               std::to_string(part.b.get_size()) + packing().key();
    for (std::int64_t i = 0; i < matrices_; ++i) {
      const std::int64_t at = i * s_.k * s_.n + n0;
      part.weights.push_back(packed.get(c_.weights, static_cast<std::size_t>(at), recipe, [&] {
        std::vector<std::int8_t> block(static_cast<std::size_t>(s_.k * part.n));
        Centering how = packing();
        if (how.zeros > 1) {
          how.zero = static_cast<const char*>(how.zero) + n0;
          how.zeros = part.n;
        }
        for (std::int64_t k = 0; k < s_.k; ++k)
          how.to_int8(static_cast<const char*>(c_.weights.data) + at + k * s_.n, part.n, block.data() + k * part.n);
        return repack(block.data(), plain, part.b);
      }));
    }
    return part;
  }

  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>(static_cast<std::size_t>(tasks_));
    for (auto& executions : *state)
      for (const Part& part : parts_) {
        Execution& e = executions.emplace_back();
        e.add(DNNL_ARG_SRC, part.a);
        e.add(DNNL_ARG_WEIGHTS, part.b);
        e.add(DNNL_ARG_DST, part.out);
        e.add(DNNL_ARG_SCRATCHPAD, part.scratch);
      }
    return state;
  }

  void run_job(const Job& job, std::vector<Execution>& executions, const SumFinisher::Run& run,
               const std::int8_t* weights, bool has_zeros, char* base, char* own) const {
    const Part& part = parts_[job.part];
    Execution& e = executions[job.part];
    const auto* x = static_cast<const char*>(run.operands[Op::X]) + s_.a_at[job.batch] + job.row * s_.a_row;
    const std::int64_t matrix = s_.b_at[job.batch] / (s_.k * s_.n);
    auto* sums = reinterpret_cast<std::int32_t*>(own);
    e.set(0, x);
    if (c_.weights.known())
      e.set(1, part.weights[static_cast<std::size_t>(matrix)].get());
    else
      e.set(1, weights + matrix * s_.k * s_.n + part.column);
    e.set(2, sums);
    e.set(3, own + sums_bytes_ + row_bytes_);
    e.run(part.primitive);
    const std::int32_t* bases = bases_of(base, matrix) + part.column;
    const std::int64_t y_at = (job.batch * s_.m + job.row) * s_.n + part.column;
    if (!has_zeros) return finisher_.rows(run, sums, part.n, part.m, part.column, part.n, y_at, s_.n, bases);
    auto* own_base = reinterpret_cast<std::int32_t*>(own + sums_bytes_);
    const auto* zeros = reinterpret_cast<const std::int32_t*>(base + zeros_at_) + part.column;
    for (std::int64_t r = 0; r < part.m; ++r) {
      const char* row = x + r * s_.a_row;
      const std::uint32_t row_sum = c_.x_type == DataType::Uint8 ? sum_of(reinterpret_cast<const std::uint8_t*>(row))
                                                                 : sum_of(reinterpret_cast<const std::int8_t*>(row));
      for (std::int64_t j = 0; j < part.n; ++j)
        own_base[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bases[j]) -
                                                row_sum * static_cast<std::uint32_t>(zeros[j]));
      finisher_.rows(run, sums + r * part.n, part.n, 1, part.column, part.n, y_at + r * s_.n, s_.n, own_base);
    }
  }

  MatMulInt8Config c_;
  MatMulShape s_;
  bool centered_;  // constant weights are packed without their zero points
  SumFinisher finisher_;
  std::vector<Part> parts_;
  std::vector<Job> jobs_;
  std::int64_t matrices_ = 1, tasks_ = 1;
  std::shared_ptr<const std::int32_t> weight_sums_;
  std::size_t finish_bytes_ = 0, own_bytes_ = 0, sums_bytes_ = 0, row_bytes_ = 0, scratch_ = 0;
  std::size_t sums_at_ = 0, bases_at_ = 0, zeros_at_ = 0, moved_at_ = 0;
  bool calls_gemm_ = false;
  base::ObjectPool<State> pool_;
};

}  // namespace
}  // namespace matmul_int8_onednn_cc

std::string onednn_matmul_int8_refuses(const MatMulInt8Config& c) {
  if (std::string why = matmul_int8_config_refusal(c); !why.empty()) return why;
  if (!int8_is_exact()) return "without instructions for dot products of 8-bit integers, oneDNN's sums saturate";
  const MatMulShape s(sizes_of(c));
  if (std::string why = onednn_matmul_size_refusal(s); !why.empty()) return why;
  constexpr std::int64_t kSmall = 4096;  // products that are done sooner than a primitive begins
  if (!c.weights.known() && bounded_product({s.m, s.n, s.k}, kSmall)) return "a small product";
  OneThread one;
  try {
    // As it will be cut.
    const std::int64_t width = piece_width(s);
    for (const std::int64_t n : {width, s.n % width})
      for (const std::int64_t m : {s.m, std::min<std::int64_t>(s.m, 8)})
        if (n > 0 && m > 0 && rounds_int8_sums(describe_int8_part(c, s, m, n).impl_info_str(), c.x_type, s.k))
          return "oneDNN may round sums beyond 2^24";
  } catch (const dnnl::error&) {
    return "oneDNN has no fast implementation of it";
  }
  return "";
}

std::unique_ptr<Kernel> make_onednn_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed) {
  try {
    return std::make_unique<OneDnnMatMulInt8>(config, packed);
  } catch (const dnnl::error& e) {
    rethrow_onednn(e, "make a matrix product of integers");
  }
}

}  // namespace norn::kernels
