#include "kernels/cpu/matmul.h"

#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {

MatMulShape::MatMulShape(const MatMulConfig& c) {
  const std::size_t ra = c.a.size(), rb = c.b.size(), ro = c.out.size();
  const std::int64_t a_last = c.a[ra - 1], b_last = c.b[rb - 1];
  m = c.out[ro - 2];
  n = c.out[ro - 1];
  k = c.trans_a ? c.a[ra - 2] : a_last;
  a_row = c.trans_a ? 1 : a_last;
  a_column = c.trans_a ? a_last : 1;
  b_row = c.trans_b ? 1 : b_last;
  b_column = c.trans_b ? b_last : 1;
  // A's batches are more rows if B has none.
  bool shared_b = true;
  for (std::size_t d = 0; d + 2 < rb; ++d) shared_b = shared_b && c.b[d] == 1;
  Shape lead(c.out.begin(), c.out.end() - 2);
  const Shape a_lead(c.a.begin(), c.a.end() - 2);
  if (shared_b && !c.trans_a && element_count(a_lead) == element_count(lead)) {
    m *= element_count(lead);
    a_at = b_at = {0};
    return;
  }
  auto offsets = [&](const Shape& dims, std::vector<std::int64_t>& at) {
    const std::size_t skip = ro - dims.size();
    std::int64_t step = dims[dims.size() - 1] * dims[dims.size() - 2];
    std::vector<std::int64_t> strides(lead.size(), 0);
    for (std::size_t d = lead.size(); d-- > skip;) {
      if (dims[d - skip] != 1) strides[d] = step;
      step *= dims[d - skip];
    }
    at.resize(static_cast<std::size_t>(batches));
    for (std::int64_t i = 0; i < batches; ++i) {
      std::int64_t rest = i, offset = 0;
      for (std::size_t d = lead.size(); d-- > 0;) {
        offset += rest % lead[d] * strides[d];
        rest /= lead[d];
      }
      at[static_cast<std::size_t>(i)] = offset;
    }
  };
  batches = element_count(lead);
  offsets(c.a, a_at);
  offsets(c.b, b_at);
}

CForm c_form(const MatMulConfig& c) {
  if (!c.has_c || c.beta == 0.0f) return CForm::None;
  const std::int64_t n = c.out.back();
  const std::int64_t elements = element_count(c.c);
  return elements == n && !c.c.empty() && c.c.back() == n ? CForm::Row : CForm::Other;
}

std::string matmul_config_refusal(const MatMulConfig& c) {
  const std::size_t ra = c.a.size(), rb = c.b.size(), ro = c.out.size();
  if (ra < 2 || rb < 2 || ro < 2) return "operands of rank below 2";
  for (const Shape* dims : {&c.a, &c.b, &c.out})
    for (std::int64_t d : *dims)
      if (d <= 0) return "an empty tensor";
  const std::int64_t m = c.trans_a ? c.a[ra - 1] : c.a[ra - 2], ka = c.trans_a ? c.a[ra - 2] : c.a[ra - 1];
  const std::int64_t n = c.trans_b ? c.b[rb - 2] : c.b[rb - 1], kb = c.trans_b ? c.b[rb - 1] : c.b[rb - 2];
  if (m != c.out[ro - 2] || n != c.out[ro - 1] || ka != kb) return "dims do not fit together";
  for (const Shape* dims : {&c.a, &c.b}) {
    if (dims->size() > ro) return "an operand of higher rank than the output";
    for (std::size_t d = 0; d + 2 < dims->size(); ++d)
      if ((*dims)[d] != 1 && (*dims)[d] != c.out[d + ro - dims->size()]) return "batch dims do not broadcast";
  }
  if (c.has_c && broadcast_walk(c.out, Layout::Dense, {c.c, Layout::Dense, nullptr}).empty())
    return "C does not broadcast";
  return "";
}

namespace {

constexpr Candidate<MatMulConfig> kCandidates[] = {
#ifdef NORN_ONEDNN
    {"simd-small", own_small_matmul_refuses, make_own_matmul},
    {"onednn", onednn_matmul_refuses, make_onednn_matmul},
#endif
    {"simd", own_matmul_refuses, make_own_matmul},
};

}  // namespace

std::span<const Candidate<MatMulConfig>> matmul_candidates() { return kCandidates; }

}  // namespace norn::kernels
