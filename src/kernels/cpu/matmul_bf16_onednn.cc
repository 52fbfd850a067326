// Products with a constant matrix whose factors are rounded to bfloat16, by oneDNN's one-thread primitives; sums are
// f32, and so is what follows. A piece of A's rows is rounded right before it is multiplied, all of A if it is cut by
// columns.
//
// oneDNN's better product writes rows that lie one behind the other, so that a piece of columns goes to scratch memory
// and from there, with the steps that follow, to its place.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace matmul_bf16_onednn_cc {
namespace {

using dnnl_type = dnnl::memory::data_type;

constexpr std::int64_t kPieceRows = 128;    // the least that are worth a piece of their own
constexpr std::int64_t kPieceColumns = 96;  // the same of columns, of few rows
constexpr std::int64_t kWideColumns = 384;  // and of many
constexpr std::int64_t kMostColumns = 32;   // pieces

// C as the primitive's bias, or what posts do.
bool c_is_bias(const MatMulConfig& c) { return c_form(c) == CForm::Row && c.beta == 1.0f && c.alpha == 1.0f; }

dnnl::matmul::primitive_desc describe_part(const MatMulConfig& c, const MatMulShape& s, std::int64_t m,
                                           std::int64_t n) {
  const dnnl::memory::desc a({m, s.k}, dnnl_type::bf16, dnnl_dims{s.k, 1});
  const dnnl::memory::desc b({s.k, n}, dnnl_type::bf16, dnnl::memory::format_tag::any);
  const dnnl::memory::desc out({m, n}, dnnl_type::f32, dnnl_dims{n, 1});
  dnnl::post_ops ops;
  if (c.alpha != 1.0f) ops.append_eltwise(dnnl::algorithm::eltwise_linear, c.alpha, 0.0f);
  const auto attr = attributes(ops);
  Making making;
  dnnl::matmul::primitive_desc pd =
      c_is_bias(c) ? dnnl::matmul::primitive_desc(cpu_engine(), a, b, dense_desc({1, n}), out, attr)
                   : dnnl::matmul::primitive_desc(cpu_engine(), a, b, out, attr);
  if (is_reference(pd.impl_info_str())) throw dnnl::error(dnnl_unimplemented, "reference");
  return pd;
}

// How the steps meet a row of a piece; nothing if one of them needs more than a row.
std::optional<std::vector<Spread>> row_spreads(const MatMulConfig& c) {
  if (c_form(c) != CForm::None && !c_is_bias(c)) return {};
  std::vector<Spread> spreads;
  for (const ExtraOperand& e : c.extra) {
    spreads.push_back(spread_of(e.dims, c.out, c.out.size() - 1));
    if (spreads.back() == Spread::None || e.layout != Layout::Dense || !e.strides.empty()) return {};
  }
  return spreads;
}

MatMulConfig without_steps(MatMulConfig c) {
  c.post.clear();
  return c;
}

class OneDnnBf16MatMul final : public Kernel {
 public:
  OneDnnBf16MatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        spreads_(row_spreads(c_)),
        posts_(spreads_ ? without_steps(c_) : c_, c_is_bias(c_), packed) {
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const std::int64_t want = product_pieces(std::max(products * 0.005, static_cast<double>(s_.n * s_.k) * 0.05) + 300);
    // Of many rows in the same pieces whatever their number, so that plans share the packed matrix.
    by_column_ = s_.m < kPieceRows / 2 ? std::min(want, s_.n / kPieceColumns)
                 : want > 1            ? std::min(kMostColumns, s_.n / kWideColumns)
                                       : 1;
    by_column_ = std::max<std::int64_t>(1, by_column_);
    by_row_ = std::max<std::int64_t>(1, std::min(want / by_column_, s_.m / kPieceRows));
    for (std::int64_t j = 0; j < by_column_; ++j)
      for (std::int64_t i = 0; i < by_row_; ++i) {
        const std::int64_t n0 = column(j), m = row(i + 1) - row(i);
        const bool there = std::any_of(parts_.begin(), parts_.end(),
                                       [&](const Part& part) { return part.m == m && part.column == n0; });
        if (!there) parts_.push_back(make_part(m, n0, column(j + 1), packed));
      }
    for (const Part& part : parts_) scratchpad_ = std::max(scratchpad_, align64(part.scratch.get_size()));
    // By columns A is rounded once, before.
    const std::int64_t rows = (s_.m + by_row_ - 1) / by_row_;
    rounded_ = align64(static_cast<std::size_t>((by_column_ > 1 ? s_.m : rows) * s_.k) * 2);
    std::int64_t widest = 0;
    for (const Part& part : parts_) widest = std::max(widest, part.n);
    if (by_column_ > 1) piece_ = align64(static_cast<std::size_t>(rows * widest) * sizeof(float));
  }

  std::size_t scratch_bytes() const override {
    const auto tasks = static_cast<std::size_t>(by_row_ * by_column_);
    return tasks * (scratchpad_ + piece_) + (by_column_ > 1 ? 1 : tasks) * rounded_;
  }
  bool reads(std::size_t i) const override { return i != 1; }
  std::size_t bytes() const noexcept override { return (parts_.size() + 1) * kPrimitiveBytes; }

  void run(void* const* operands, void* scratch) const override {
    const auto* a = static_cast<const float*>(operands[0]);
    auto* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    auto* base = static_cast<char*>(scratch);
    const std::int64_t tasks = by_row_ * by_column_;
    char* pieces = base + scratchpad_ * static_cast<std::size_t>(tasks);
    char* rounded = pieces + piece_ * static_cast<std::size_t>(tasks);
    if (by_column_ > 1)
      parallel_ranges(s_.m, static_cast<double>(s_.k) * 0.06, 1, [&](std::int64_t begin, std::int64_t end) {
        round(a, begin, end, reinterpret_cast<std::uint16_t*>(rounded) + begin * s_.k);
      });
    auto state = pool_.take([&] { return make_state(); });
    base::parallel_for(tasks, [&](std::int64_t t) {
      OneThread one;
      GemmSection section(calls_gemm_);
      const std::int64_t j = t / by_row_, i = t % by_row_, m0 = row(i), n0 = column(j);
      char* own = rounded + static_cast<std::size_t>(m0 * s_.k) * 2;
      if (by_column_ == 1) {
        own = rounded + rounded_ * static_cast<std::size_t>(t);
        round(a, m0, row(i + 1), reinterpret_cast<std::uint16_t*>(own));
      }
      float* to = out + m0 * s_.n + n0;
      float* piece = by_column_ == 1 ? to : reinterpret_cast<float*>(pieces + piece_ * static_cast<std::size_t>(t));
      const Part& part = part_of(row(i + 1) - m0, n0);
      Execution& e = (*state)[static_cast<std::size_t>(t)];
      e.set(0, own);
      e.set(1, part.weights.get());
      e.set(2, piece);
      e.set(3, base + scratchpad_ * static_cast<std::size_t>(t));
      if (posts_.c_is_bias()) e.set(4, static_cast<const float*>(operands[2]) + n0);
      e.run(part.primitive);
      for (std::int64_t r = 0; r < part.m; ++r) finish(operands, piece + r * part.n, m0 + r, n0, part.n, to + r * s_.n);
    });
    pool_.give(std::move(state));
    posts_.run(operands, out);
  }

 private:
  struct Part {
    std::int64_t m, column, n;
    dnnl::matmul primitive;
    dnnl::memory::desc a, b, out, scratch;
    std::shared_ptr<const void> weights;
  };
  using State = std::vector<Execution>;  // by task

  std::int64_t row(std::int64_t i) const { return s_.m * i / by_row_; }
  std::int64_t column(std::int64_t j) const {
    const std::int64_t blocks = (s_.n + 15) / 16;
    return std::min(s_.n, blocks * j / by_column_ * 16);
  }
  const Part& part_of(std::int64_t m, std::int64_t column) const {
    return *std::find_if(parts_.begin(), parts_.end(),
                         [&](const Part& part) { return part.m == m && part.column == column; });
  }

  void round(const float* a, std::int64_t m0, std::int64_t m1, std::uint16_t* to) const {
    for (std::int64_t m = m0; m < m1; ++m, to += s_.k) half_table().float_to_bfloat16(a + m * s_.a_row, to, s_.k);
  }

  // From a row of a piece, with the steps that follow, to its place.
  void finish(void* const* operands, const float* from, std::int64_t m, std::int64_t n0, std::int64_t n,
              float* to) const {
    const StepTableF32& steps = step_table_f32();
    if (spreads_)
      for (const ElementStep& step : c_.post) {
        const float* other = nullptr;
        Right right = Right::Vector;
        if (is_binary(step.op)) {
          const auto extra = static_cast<std::size_t>(step.operand);
          const Spread spread = (*spreads_)[extra];
          other = static_cast<const float*>(operands[3 + extra]) + (spread == Spread::Full      ? m * s_.n + n0
                                                                    : spread == Spread::Channel ? n0
                                                                                                : 0);
          if (spread == Spread::Scalar)
            right = step.swapped ? Right::ValueSwapped : Right::Value;
          else if (step.swapped)
            right = Right::VectorSwapped;
        }
        steps(step.op, right)(from, other, to, n, step.a, step.b);
        from = to;
      }
    if (from != to) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
  }

  Part make_part(std::int64_t m, std::int64_t n0, std::int64_t n1, PackedConstants& packed) {
    const auto pd = describe_part(c_, s_, m, n1 - n0);
    Part part{m, n0, n1 - n0, {}, pd.src_desc(), pd.weights_desc(), pd.dst_desc(), pd.scratchpad_desc(), {}};
    {
      Making making;
      part.primitive = dnnl::matmul(pd);
    }
    calls_gemm_ = calls_gemm_ || calls_gemm(pd.impl_info_str());
    const dnnl::memory::desc plain({s_.k, part.n}, dnnl_type::f32, dnnl_dims{s_.b_row, s_.b_column});
    const std::int64_t at = n0 * s_.b_column;
    part.weights = packed.get(c_.b_constant, static_cast<std::size_t>(at) * sizeof(float),
                              "onednn bf16 matmul " + describe(plain) + describe(part.b), [&] {
                                return repack(static_cast<const float*>(c_.b_constant.data) + at, plain, part.b);
                              });
    return part;
  }

  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>();
    for (std::int64_t t = 0; t < by_row_ * by_column_; ++t) {
      const Part& part = part_of(row(t % by_row_ + 1) - row(t % by_row_), column(t / by_row_));
      Execution& e = state->emplace_back();
      e.add(DNNL_ARG_SRC, part.a);
      e.add(DNNL_ARG_WEIGHTS, part.b);
      e.add(DNNL_ARG_DST, part.out);
      e.add(DNNL_ARG_SCRATCHPAD, part.scratch);
      if (posts_.c_is_bias()) e.add(DNNL_ARG_BIAS, dense_desc({1, part.n}));
    }
    return state;
  }

  MatMulConfig c_;
  MatMulShape s_;
  std::optional<std::vector<Spread>> spreads_;  // of the extras, if the steps are done row by row
  MatMulPosts posts_;
  std::vector<Part> parts_;
  std::int64_t by_row_ = 1, by_column_ = 1;
  std::size_t scratchpad_ = 0, rounded_ = 0, piece_ = 0;
  bool calls_gemm_ = false;
  base::ObjectPool<State> pool_;
};

std::string refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (!multiplies_bfloat16()) return "the CPU has no dot products of bfloat16";
  if (!c.b_constant.known()) return "rounds constant matrices alone";
  if (c.in_place_extra >= 0) return "adds nothing in place";
  const MatMulShape s(c);
  if (std::string why = onednn_matmul_size_refusal(s); !why.empty()) return why;
  if (s.batches > 1) return "several products";
  if (s.a_column != 1) return "rows of A whose elements do not lie one behind the other";
  if (bounded_product({s.m, s.n, s.k}, 64 * 1024)) return "a small product";
  OneThread one;
  try {
    describe_part(c, s, s.m, s.n);
  } catch (const dnnl::error&) {
    return "oneDNN has no fast implementation of it";
  }
  return MatMulPosts::refuses(c);
}

std::unique_ptr<Kernel> make(const MatMulConfig& config, PackedConstants& packed) {
  OneThread one;
  try {
    return std::make_unique<OneDnnBf16MatMul>(config, packed);
  } catch (const dnnl::error& e) {
    rethrow_onednn(e, "make a matrix product in bfloat16");
  }
}

constexpr Candidate<MatMulConfig> kOneDnnBf16Candidates[] = {{"onednn-bf16", refuses, make, true}};

}  // namespace
}  // namespace matmul_bf16_onednn_cc

std::span<const Candidate<MatMulConfig>> onednn_matmul_bf16_candidates() { return kOneDnnBf16Candidates; }

}  // namespace norn::kernels
