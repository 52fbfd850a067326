#include "kernels/cpu/matmul.h"

#include <optional>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"

namespace norn::kernels {

MatrixOffsets::MatrixOffsets(const Shape& lead, const Shape& dims, const std::vector<std::int64_t>& strides,
                             std::size_t skip) {
  std::vector<StridedDim> found;  // innermost first
  for (std::size_t d = lead.size(); d-- > 0;) {
    if (lead[d] == 1) continue;
    const std::int64_t stride = d < skip || dims[d - skip] == 1 ? 0 : strides[d - skip];
    if (!found.empty() && stride == found.back().stride * found.back().size)
      found.back().size *= lead[d];
    else
      found.push_back({lead[d], stride});
  }
  dims_.assign(found.rbegin(), found.rend());
}

inline namespace matmul_cc {
namespace {

// The stride of all dimensions but the last as one dimension of rows; nothing if they are not evenly spaced.
std::optional<std::int64_t> even_rows(const Shape& dims, const std::vector<std::int64_t>& strides) {
  std::optional<std::int64_t> row, next;
  for (std::size_t d = dims.size() - 1; d-- > 0;) {
    if (dims[d] == 1) continue;
    if (next && *next != strides[d]) return {};
    if (!row) row = strides[d];
    next = strides[d] * dims[d];
  }
  return row ? row : std::optional(dims.back());
}

}  // namespace
}  // namespace matmul_cc

MatMulShape::MatMulShape(const MatMulConfig& c) {
  const std::size_t ra = c.a.size(), rb = c.b.size(), ro = c.out.size();
  const auto a = c.a_strides.empty() ? layout_strides(c.a, Layout::Dense) : c.a_strides;
  const auto b = c.b_strides.empty() ? layout_strides(c.b, Layout::Dense) : c.b_strides;
  m = c.out[ro - 2];
  n = c.out[ro - 1];
  k = c.trans_a ? c.a[ra - 2] : c.a[ra - 1];
  a_row = a[c.trans_a ? ra - 1 : ra - 2];
  a_column = a[c.trans_a ? ra - 2 : ra - 1];
  b_row = b[c.trans_b ? rb - 1 : rb - 2];
  b_column = b[c.trans_b ? rb - 2 : rb - 1];
  // A's batches are more rows if B has none.
  bool shared_b = true;
  for (std::size_t d = 0; d + 2 < rb; ++d) shared_b = shared_b && c.b[d] == 1;
  Shape lead(c.out.begin(), c.out.end() - 2);
  const Shape a_lead(c.a.begin(), c.a.end() - 2);
  if (shared_b && !c.trans_a && element_count(a_lead) == element_count(lead)) {
    if (const auto row = even_rows(c.a, a)) {
      a_row = *row;
      m *= element_count(lead);
      return;
    }
  }
  batches = element_count(lead);
  a_at = MatrixOffsets(lead, c.a, a, ro - ra);
  b_at = MatrixOffsets(lead, c.b, b, ro - rb);
}

std::int64_t product_count(const MatMulConfig& c) { return MatMulShape(c).batches; }

CForm c_form(const MatMulConfig& c) {
  if (!c.has_c || c.beta == 0.0f) return CForm::None;
  const std::int64_t n = c.out.back();
  const std::int64_t elements = element_count(c.c);
  return elements == n && !c.c.empty() && c.c.back() == n ? CForm::Row : CForm::Other;
}

std::string matmul_config_refusal(const MatMulConfig& c) {
  const std::size_t ra = c.a.size(), rb = c.b.size(), ro = c.out.size();
  if (ra < 2 || rb < 2 || ro < 2) return "operands of rank below 2";
  if (std::string why = extent_refusal({&c.a, &c.b, &c.out, &c.c}); !why.empty()) return why;
  if (std::string why = extent_refusal(c.extra); !why.empty()) return why;
  for (const Shape* dims : {&c.a, &c.b, &c.out})
    for (std::int64_t d : *dims)
      if (d <= 0) return "an empty tensor";
  const std::int64_t m = c.trans_a ? c.a[ra - 1] : c.a[ra - 2], ka = c.trans_a ? c.a[ra - 2] : c.a[ra - 1];
  const std::int64_t n = c.trans_b ? c.b[rb - 2] : c.b[rb - 1], kb = c.trans_b ? c.b[rb - 1] : c.b[rb - 2];
  if (m != c.out[ro - 2] || n != c.out[ro - 1] || ka != kb) return "dims do not fit together";
  for (const auto& [dims, strides] : {std::pair(&c.a, &c.a_strides), std::pair(&c.b, &c.b_strides)}) {
    if (strides->empty()) continue;
    if (strides->size() != dims->size()) return "strides of another rank";
    std::int64_t last = 0;
    for (std::size_t d = 0; d < dims->size(); ++d) {
      const auto reach = bounded_product({(*dims)[d] - 1, (*strides)[d]});
      if ((*strides)[d] < 0 || !reach || *reach > kMostExtent - last) return "strides that reach beyond any memory";
      last += *reach;
    }
  }
  for (const Shape* dims : {&c.a, &c.b}) {
    if (dims->size() > ro) return "an operand of higher rank than the output";
    for (std::size_t d = 0; d + 2 < dims->size(); ++d)
      if ((*dims)[d] != 1 && (*dims)[d] != c.out[d + ro - dims->size()]) return "batch dims do not broadcast";
  }
  if (c.has_c && broadcast_walk(c.out, Layout::Dense, {c.c, Layout::Dense, nullptr}).empty())
    return "C does not broadcast";
  return "";
}

inline namespace matmul_cc {
namespace {

constexpr Candidate<MatMulConfig> kMatMulCandidates[] = {
#ifdef NORN_ONEDNN
    {"simd-rows", rows_matmul_refuses, make_rows_matmul},
    {"simd-narrow", narrow_matmul_refuses, make_narrow_matmul},
    {"simd-thin", thin_matmul_refuses, make_thin_matmul},
    {"simd-small", simd_small_matmul_refuses, make_simd_matmul},
    {"simd-batches", batch_matmul_refuses, make_batch_matmul},
    {"simd-shallow", shallow_matmul_refuses, make_shallow_matmul},
    {"simd-panels", panel_matmul_refuses, make_panel_matmul},
    {"onednn", onednn_matmul_refuses, make_onednn_matmul, true},
#endif
    {"simd", simd_matmul_refuses, make_simd_matmul},
};

}  // namespace
}  // namespace matmul_cc

std::span<const Candidate<MatMulConfig>> matmul_candidates() { return kMatMulCandidates; }

std::span<const Candidate<MatMulConfig>> matmul_bf16_candidates() {
#ifdef NORN_ONEDNN
  return onednn_matmul_bf16_candidates();
#else
  return {};
#endif
}

}  // namespace norn::kernels
