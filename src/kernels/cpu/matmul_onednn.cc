// Matrix products by oneDNN's one-thread primitives. A product is cut by columns when B is the larger factor (each part
// of B is then read by one task only), else by rows; many small products are shared out whole. Where both factors are
// stored transposed, or A is and more is added than a bias, a copy of A that is not may be multiplied.
#include <algorithm>
#include <map>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/config_key.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/output_blocks.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/transpose.h"
#include "kernels/later.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace matmul_onednn_cc {
namespace {

constexpr std::int64_t kLargeConstant = 1 << 16;        // elements of a factor whose packed forms must not multiply
constexpr std::int64_t kPieceColumns = 48;              // what oneDNN's product works on at a time on AVX-512
constexpr std::int64_t kWidePiece = 4 * kPieceColumns;  // narrower pieces take up to a tenth longer: A is read for each
constexpr std::int64_t kPieceRows = 128;                // the same for fewer rows
// Columns of B from which on a copy of A takes less than it saves.
constexpr std::int64_t kTurnedColumns = 64, kDoublyTurnedColumns = 256;

dnnl::memory::desc strided(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t column) {
  return {{rows, columns}, dnnl::memory::data_type::f32, dnnl_dims{row, column}};
}

// How C and the steps are done.
struct Fusion {
  bool bias = false;      // C is the primitive's bias
  int bias_extra = -1;    // or what the first step adds
  bool add_c = false;     // C is the first binary post-op
  std::size_t steps = 0;  // so many of them are the primitive's, the first ones
  // What follows them reads nothing else, and is done to each piece while that is in the cache; otherwise to the whole.
  bool rest_by_piece = false;
  std::vector<Spread> spreads;

  std::size_t first_post() const { return bias_extra >= 0 ? 1 : 0; }  // of the steps
};

dnnl::memory::desc extra_desc(const MatMulShape& s, std::int64_t m, std::int64_t n, Spread spread) {
  switch (spread) {
    case Spread::Full: return strided(m, n, s.n, 1);
    case Spread::Channel: return dense_desc({1, n});
    default: return dense_desc({1, 1});
  }
}

// How many of the steps oneDNN has, the first ones.
std::size_t known_steps(const MatMulConfig& c, const MatMulShape& s, const Fusion& f) {
  const auto desc_of = [&](std::size_t, Spread spread) { return extra_desc(s, s.m, s.n, spread); };
  for (std::size_t i = f.first_post(); i < c.post.size(); ++i) {
    dnnl::post_ops ops;
    std::vector<BinaryPost> binaries;
    if (!append_posts({c.post[i]}, f.spreads, c.in_place_extra, desc_of, ops, binaries)) return i;
  }
  return c.post.size();
}

Fusion choose_fusion(const MatMulConfig& c, const MatMulShape& s) {
  Fusion f;
  const std::size_t column = c.out.size() - 1;
  for (const ExtraOperand& e : c.extra) f.spreads.push_back(spread_of(e.dims, c.out, column));
  bool c_done = c_form(c) == CForm::None;
  if (c_form(c) == CForm::Row && c.beta == 1.0f && c.alpha == 1.0f) {
    f.bias = c_done = true;
  } else if (!c_done && c.beta == 1.0f && s.batches == 1 && spread_of(c.c, c.out, column) != Spread::None) {
    f.add_c = c_done = true;
  }
  // oneDNN adds a bias in the product's own code, and the same as a post-op in another pass over the output.
  if (c_form(c) == CForm::None && c.alpha == 1.0f && !c.post.empty() && c.post[0].op == ElementOp::Add &&
      c.post[0].operand >= 0 && c.post[0].operand != c.in_place_extra &&
      f.spreads[static_cast<std::size_t>(c.post[0].operand)] == Spread::Channel)
    f.bias_extra = c.post[0].operand;
  if (c_done) f.steps = known_steps(c, s, f);
  return f;
}

// Whether a copy of A is multiplied. Pieces of a product whose A is stored transposed are left to an implementation
// that reads what steps add one element at a time, and that is slow where B is stored transposed, too.
bool turns_a(const MatMulConfig& c, const MatMulShape& s) {
  if (c.b_constant.known() || s.n < kTurnedColumns || s.a_row != 1 || s.a_column == 1) return false;
  if (s.n >= kDoublyTurnedColumns && s.b_row == 1 && s.b_column != 1) return true;
  const Fusion f = choose_fusion(c, s);
  return f.add_c || std::any_of(c.post.begin() + static_cast<std::ptrdiff_t>(f.first_post()),
                                c.post.begin() + static_cast<std::ptrdiff_t>(std::max(f.steps, f.first_post())),
                                [](const ElementStep& step) { return is_binary(step.op); });
}
// As MatMulShape has it but for a copy of A: its matrices lie one behind the other, rows with elements side by side.
MatMulShape multiplied_shape(const MatMulConfig& c) {
  MatMulShape s(c);
  if (!turns_a(c, s)) return s;
  s.a_row = s.k;
  s.a_column = 1;
  const Shape lead(c.out.begin(), c.out.end() - 2);
  s.a_at = MatrixOffsets(lead, c.a, layout_strides(c.a, Layout::Dense), c.out.size() - c.a.size());
  return s;
}

struct Made {
  dnnl::matmul::primitive_desc pd;
  std::vector<BinaryPost> binaries;
};
constexpr std::size_t kOperandC = ~std::size_t{0};

Made describe_part(const MatMulConfig& c, const MatMulShape& s, const Fusion& f, std::int64_t m, std::int64_t n) {
  Made made;
  dnnl::post_ops ops;
  auto desc_of = [&](std::size_t, Spread spread) { return extra_desc(s, m, n, spread); };
  if (c.alpha != 1.0f) ops.append_eltwise(dnnl::algorithm::eltwise_linear, c.alpha, 0.0f);
  if (f.add_c) {
    const Spread spread = spread_of(c.c, c.out, c.out.size() - 1);
    made.binaries.push_back({ops.len(), kOperandC, spread});
    ops.append_binary(dnnl::algorithm::binary_add, desc_of(0, spread));
  }
  const std::vector<ElementStep> steps(c.post.begin() + static_cast<std::ptrdiff_t>(f.first_post()),
                                       c.post.begin() + static_cast<std::ptrdiff_t>(f.steps));
  if (!append_posts(steps, f.spreads, c.in_place_extra, desc_of, ops, made.binaries))
    throw dnnl::error(dnnl_unimplemented, "steps");
  const auto a = strided(m, s.k, s.a_row, s.a_column), out = strided(m, n, s.n, 1);
  const auto b = c.b_constant.known()
                     ? dnnl::memory::desc({s.k, n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any)
                     : strided(s.k, n, s.b_row, s.b_column);
  const auto attr = attributes(ops);
  Making making;
  made.pd = f.bias || f.bias_extra >= 0
                ? dnnl::matmul::primitive_desc(cpu_engine(), a, b, dense_desc({1, n}), out, attr)
                : dnnl::matmul::primitive_desc(cpu_engine(), a, b, out, attr);
  if (is_reference(made.pd.impl_info_str())) throw dnnl::error(dnnl_unimplemented, "reference");
  return made;
}

// The same, kept with its primitive for others like it.
struct MadePart {
  Made made;
  dnnl::matmul primitive;  // empty if only the description was asked for
};
std::string part_key(const MatMulConfig& c, const MatMulShape& s, const Fusion& f, std::int64_t m, std::int64_t n,
                     bool primitive) {
  std::string key = primitive ? "onednn matmul code " : "onednn matmul ";
  const bool known = c.b_constant.known();
  key::append(key, Shape{m, n, s.k, s.n, s.a_row, s.a_column, known ? 0 : s.b_row, known ? 0 : s.b_column, known,
                         f.bias, f.bias_extra, f.add_c, static_cast<std::int64_t>(f.steps),
                         f.add_c ? static_cast<int>(spread_of(c.c, c.out, c.out.size() - 1)) : 0});
  key::append(key, c.alpha);
  if (f.steps) {
    key::append(key, c.post);
    key::append(key, f.spreads);
    key::append(key, c.in_place_extra);
  }
  return key;
}

std::shared_ptr<const MadePart> kept_part(const MatMulConfig& c, const MatMulShape& s, const Fusion& f, std::int64_t m,
                                          std::int64_t n, bool primitive, PackedConstants* store) {
  const auto make = [&] {
    auto part = std::make_shared<MadePart>();
    if (primitive) {
      part->made = kept_part(c, s, f, m, n, false, store)->made;
      Making making;
      part->primitive = dnnl::matmul(part->made.pd);
    } else {
      part->made = describe_part(c, s, f, m, n);
    }
    return part;
  };
  if (!store) return make();
  return std::static_pointer_cast<const MadePart>(
      store->get({}, 0, part_key(c, s, f, m, n, primitive), [&]() -> std::shared_ptr<const void> { return make(); }));
}

// The most that oneDNN does itself; throws dnnl::error if it cannot do the product at all.
Fusion working_fusion(const MatMulConfig& c, const MatMulShape& s, PackedConstants* store) {
  Fusion f = choose_fusion(c, s);
  const bool has_posts = f.steps > f.first_post() || f.add_c;
  if (has_posts) {
    try {
      kept_part(c, s, f, s.m, s.n, false, store);
    } catch (const dnnl::error&) {
      f.steps = f.first_post();
      f.add_c = false;
    }
  }
  if (f.steps == f.first_post() && !f.add_c) kept_part(c, s, f, s.m, s.n, false, store);
  f.rest_by_piece = (f.bias || f.add_c || c_form(c) == CForm::None) &&
                    std::none_of(c.post.begin() + static_cast<std::ptrdiff_t>(f.steps), c.post.end(),
                                 [](const ElementStep& step) { return is_binary(step.op); });
  return f;
}

// The configuration without the steps that the pieces' own code does.
MatMulConfig without_steps(MatMulConfig c, const Fusion& f) {
  const std::size_t done = f.rest_by_piece ? c.post.size() : f.steps;
  c.post.erase(c.post.begin(), c.post.begin() + static_cast<std::ptrdiff_t>(done));
  return c;
}

class OneDnnMatMul final : public Kernel {
 public:
  OneDnnMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(multiplied_shape(config)),
        turned_(turns_a(config, MatMulShape(config))),
        f_(working_fusion(c_, s_, &packed)),
        posts_(without_steps(c_, f_), f_.bias || f_.add_c, packed) {
    OneThread one;
    if (f_.rest_by_piece) rest_.assign(c_.post.begin() + static_cast<std::ptrdiff_t>(f_.steps), c_.post.end());
    cut(Cut::Best);
    if (LaterWork* const later = LaterWork::current()) leave_pieces(*later, packed);
    unfinished_.leave([this, &packed] { finish(packed); });
  }

  std::size_t scratch_bytes() const override {
    unfinished_.finish();
    return scratch_;
  }
  bool reads(std::size_t i) const override { return i != 1 || !c_.b_constant.known(); }
  std::size_t bytes() const noexcept override { return (parts_.size() + 1) * kPrimitiveBytes; }

  void run(void* const* operands, void* scratch) const override {
    if (turned_) turn_a(operands[0], scratch);
    const auto* const a = static_cast<const float*>(turned_ ? scratch : operands[0]);
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    auto state = pool_.take([&] { return make_state(); });
    base::parallel_for(tasks_, [&](std::int64_t t) {
      OneThread one;
      const std::size_t task = static_cast<std::size_t>(t);
      for (std::size_t j = first_job(task); j < first_job(task + 1); ++j) {
        GemmSection section(calls_gemm_);
        run_job(jobs_[j], (*state)[alike_ ? task : j], a, operands, out, static_cast<char*>(scratch));
      }
    });
    pool_.give(std::move(state));
    posts_.run(operands, out);
  }

 private:
  void turn_a(const void* a, void* copy) const {
    const auto strides = c_.a_strides.empty() ? layout_strides(c_.a, Layout::Dense) : c_.a_strides;
    const auto dense = layout_strides(c_.a, Layout::Dense);
    std::vector<GridDim> grid;
    for (std::size_t d = 0; d + 2 < c_.a.size(); ++d) grid.push_back({c_.a[d], strides[d], dense[d]});
    const std::int64_t rows = c_.a[c_.a.size() - (c_.trans_a ? 1 : 2)];  // s_.m may be those of all matrices
    transpose_grid(a, copy, grid.data(), grid.size(), s_.k, rows, MatMulShape(c_).a_column, s_.k, sizeof(float));
  }

  // Descriptions and code, which make_part() finds in the store then.
  void leave_pieces(LaterWork& later, PackedConstants& packed) const {
    const auto config = std::make_shared<const MatMulConfig>(c_);
    for (const Part& part : parts_) {
      later.piece(part_key(c_, s_, f_, part.m, part.n, true),
                  [config, fusion = f_, m = part.m, n = part.n, &packed]() -> std::shared_ptr<const void> {
                    try {
                      return kept_part(*config, multiplied_shape(*config), fusion, m, n, true, &packed);
                    } catch (const dnnl::error&) {
                      return nullptr;  // as finish() will find, too
                    }
                  });
    }
  }

  void finish(PackedConstants& packed) {
    OneThread one;
    // With a full-size operand in the steps, a slice by columns (with a stride) may have no fast implementation.
    for (const Cut how : {Cut::Best, Cut::Rows, Cut::Whole}) {
      cut(how);
      try {
        for (Part& part : parts_) make_part(part, packed);
        break;
      } catch (const dnnl::error& e) {
        if (how == Cut::Whole) rethrow_onednn(e, "make a matrix product");
      }
    }
    // Jobs of one task share scratch, being done one after the other.
    std::size_t most = 0;
    for (const Part& part : parts_) most = std::max(most, align64(part.scratchpad_bytes));
    const std::size_t copy = turned_ ? align64(static_cast<std::size_t>(element_count(c_.a)) * sizeof(float)) : 0;
    scratch_ = copy + most * static_cast<std::size_t>(tasks_);
    for (std::size_t t = 0; t < static_cast<std::size_t>(tasks_); ++t)
      for (std::size_t j = first_job(t); j < first_job(t + 1); ++j) jobs_[j].scratch_at = copy + t * most;
    alike_ = parts_.size() == 1 && jobs_.size() > static_cast<std::size_t>(tasks_);
  }

  struct Part {
    std::int64_t m, column, n;
    std::shared_ptr<const MadePart> kept;
    dnnl::memory::desc a, b, out, scratch;
    std::size_t scratchpad_bytes;
    std::vector<BinaryPost> binaries;
    std::vector<std::shared_ptr<const void>> weights;  // by matrix of B, if constant
  };
  struct Job {
    std::size_t part;
    std::int64_t batch, row, column;
    std::size_t scratch_at;
  };
  using State = std::vector<Execution>;

  std::size_t first_job(std::size_t task) const { return jobs_.size() * task / static_cast<std::size_t>(tasks_); }

  enum class Cut { Best, Rows, Whole };

  // Wide pieces of the columns, an even number of them so that two threads have as many.
  std::int64_t wide_pieces() const { return std::max<std::int64_t>(2, (s_.n + kWidePiece) / (2 * kWidePiece) * 2); }

  // A product in `each` pieces: by columns as long as they are wide, then by rows; two narrow ones where that is all.
  void cut_columns(std::int64_t each, std::int64_t& by_column, std::int64_t& by_row) const {
    by_column = std::max<std::int64_t>(1, std::min({each, wide_pieces(), s_.n / 64}));
    by_row = std::max<std::int64_t>(1, std::min(each / by_column, s_.m / kPieceRows));
  }

  // Of a B that a run brings and that is stored transposed, every piece by rows reads all, but turns it as fast; one by
  // columns takes a sixth longer for each of A's rows, unless it is very wide.
  bool rather_by_rows() const {
    const bool turned = !c_.b_constant.known() && s_.b_row == 1 && s_.b_column != 1;
    return turned && (s_.m >= 2 * kPieceRows || (s_.m >= kPieceRows && s_.n < 4 * kWidePiece));
  }
  void cut_turned(std::int64_t each, std::int64_t& by_column, std::int64_t& by_row) const {
    constexpr std::int64_t kManyProducts = 8, kLeastRows = 72;
    if (s_.batches >= kManyProducts && each == 2) return;
    const std::int64_t most = s_.m >= 2 * kPieceRows ? s_.m / kPieceRows : s_.m / kLeastRows;
    by_row = std::max<std::int64_t>(1, std::min(each, most));
    by_column = std::max<std::int64_t>(1, std::min(each / by_row, s_.n / (2 * kWidePiece)));
  }

  // Where so many pieces begin, and where the last one ends: at multiples of what oneDNN works on, if they are wide
  // enough for that not to matter. Of an even number, half of them cover half of the columns, so that two threads have
  // as much to do.
  std::vector<std::int64_t> column_bounds(std::int64_t pieces) const {
    const std::int64_t block = s_.n / pieces >= 2 * kPieceColumns ? kPieceColumns : 16;
    const std::int64_t parts = pieces % 2 == 0 ? 2 : 1, each = pieces / parts;
    const std::int64_t half = std::min(s_.n, round_up((s_.n + parts - 1) / parts, 16));
    std::vector<std::int64_t> bounds;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t begin = part * half, blocks = ((part == 0 ? half : s_.n - half) + block - 1) / block;
      for (std::int64_t i = 0; i < each; ++i) bounds.push_back(begin + blocks * i / each * block);
    }
    bounds.push_back(s_.n);
    return bounds;
  }

  void cut(Cut how) {
    parts_.clear();
    jobs_.clear();
    calls_gemm_ = false;
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const double product_ns = std::max(products * 0.01, static_cast<double>(s_.n * s_.k) * 0.1) + 300;
    const double all_ns = product_ns * static_cast<double>(s_.batches);
    const std::int64_t want = product_pieces(all_ns, most_pieces(all_ns, 32));
    tasks_ = want;
    std::int64_t by_column = 1, by_row = 1;
    if (want > s_.batches) {
      const std::int64_t each = (want + s_.batches - 1) / s_.batches;
      if (how == Cut::Whole) {
        by_row = 1;
      } else if (how == Cut::Best && rather_by_rows()) {
        cut_turned(each, by_column, by_row);
      } else if (s_.n >= s_.m && how == Cut::Best) {
        cut_columns(each, by_column, by_row);
      } else {
        by_row = std::max<std::int64_t>(1, std::min(each, s_.m / 16));
      }
    }
    // A constant that takes long to pack is cut at the same columns for any number of rows that is not larger, so that
    // plans for many share one copy.
    if (how == Cut::Best && c_.b_constant.known() && s_.n >= s_.m && s_.n >= 4 * kPieceColumns &&
        s_.k >= kLargeConstant / s_.n) {
      by_column = std::min<std::int64_t>(32, wide_pieces());
      by_row = std::max<std::int64_t>(1, std::min(want / by_column, s_.m / kPieceRows));
    }
    const std::vector<std::int64_t> columns = column_bounds(by_column);
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> index;  // by number of rows and first column
    for (std::int64_t batch = 0; batch < s_.batches; ++batch) {
      for (std::int64_t i = 0; i < by_row; ++i) {
        for (std::int64_t j = 0; j < by_column; ++j) {
          const auto [m0, m1] = base::part_of(s_.m, by_row, i);
          const std::int64_t n0 = columns[static_cast<std::size_t>(j)], n1 = columns[static_cast<std::size_t>(j) + 1];
          const auto [found, fresh] = index.try_emplace({m1 - m0, n0}, parts_.size());
          if (fresh) parts_.push_back({.m = m1 - m0, .column = n0, .n = n1 - n0});
          jobs_.push_back({found->second, batch, m0, n0, 0});
        }
      }
    }
    tasks_ = std::min<std::int64_t>(want, static_cast<std::int64_t>(jobs_.size()));
  }

  void make_part(Part& part, PackedConstants& packed) {
    part.kept = kept_part(c_, s_, f_, part.m, part.n, true, &packed);
    const Made& made = part.kept->made;
    const std::int64_t n0 = part.column, n1 = n0 + part.n;
    calls_gemm_ = calls_gemm_ || calls_gemm(made.pd.impl_info_str());
    part.a = made.pd.src_desc();
    part.b = made.pd.weights_desc();
    part.out = made.pd.dst_desc();
    part.scratch = made.pd.scratchpad_desc();
    part.scratchpad_bytes = part.scratch.get_size();
    part.binaries = made.binaries;
    if (c_.b_constant.known()) {
      const std::int64_t matrices = s_.b_at.last() / (s_.k * s_.n) + 1;
      const auto plain = strided(s_.k, part.n, s_.b_row, s_.b_column);
      auto blocks = OutputBlocks::of(part.b, 1);
      if (blocks && !(blocks->begins_at(n0) && blocks->ends_at(n1, s_.n))) blocks.reset();
      for (std::int64_t i = 0; i < matrices; ++i) {
        const std::int64_t at = i * s_.k * s_.n + n0 * s_.b_column;
        const float* source = static_cast<const float*>(c_.b_constant.data) + at;
        if (part.b == plain && reinterpret_cast<std::uintptr_t>(source) % alignof(float) == 0) {  // wanted as it is
          part.weights.emplace_back(std::shared_ptr<const void>(), source);
          continue;
        }
        if (blocks) {
          part.weights.push_back(blocks->part(c_.b_constant, static_cast<std::size_t>(i * s_.k * s_.n) * sizeof(float),
                                              {s_.b_row, s_.b_column}, s_.n, n0, packed));
          continue;
        }
        part.weights.push_back(packed.get(c_.b_constant, static_cast<std::size_t>(at) * sizeof(float),
                                          "onednn matmul " + describe(plain) + describe(part.b),
                                          [&] { return repack(source, plain, part.b); }));
      }
    }
  }

  Execution execution(const Part& part) const {
    Execution e;
    e.add(DNNL_ARG_SRC, part.a);
    e.add(DNNL_ARG_WEIGHTS, part.b);
    e.add(DNNL_ARG_DST, part.out);
    e.add(DNNL_ARG_SCRATCHPAD, part.scratch);
    if (f_.bias || f_.bias_extra >= 0) e.add(DNNL_ARG_BIAS, dense_desc({1, part.n}));
    for (const BinaryPost& b : part.binaries)
      e.add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(b.index) | DNNL_ARG_SRC_1, extra_desc(s_, part.m, part.n, b.spread));
    return e;
  }
  // One for each job, or for each task if the jobs are alike.
  std::unique_ptr<State> make_state() const {
    auto state = std::make_unique<State>();
    if (alike_)
      for (std::int64_t t = 0; t < tasks_; ++t) state->push_back(execution(parts_[0]));
    else
      for (const Job& job : jobs_) state->push_back(execution(parts_[job.part]));
    return state;
  }

  void run_job(const Job& job, Execution& e, const float* a, void* const* operands, float* out, char* scratch) const {
    const Part& part = parts_[job.part];
    const std::int64_t out_at = (job.batch * s_.m + job.row) * s_.n + job.column;
    e.set(0, a + s_.a_at[job.batch] + job.row * s_.a_row);
    if (c_.b_constant.known())
      e.set(1, part.weights[static_cast<std::size_t>(s_.b_at[job.batch] / (s_.k * s_.n))].get());
    else
      e.set(1, static_cast<const float*>(operands[1]) + s_.b_at[job.batch] + job.column * s_.b_column);
    e.set(2, out + out_at);
    e.set(3, scratch + job.scratch_at);
    std::size_t next = 4;
    if (f_.bias || f_.bias_extra >= 0)
      e.set(next++, static_cast<const float*>(operands[f_.bias ? 2 : 3 + f_.bias_extra]) + job.column);
    for (const BinaryPost& b : part.binaries) {
      const float* extra = static_cast<const float*>(b.extra == kOperandC ? operands[2] : operands[3 + b.extra]);
      e.set(next++, extra + (b.spread == Spread::Full ? out_at : b.spread == Spread::Channel ? job.column : 0));
    }
    e.run(part.kept->primitive);
    const StepTableF32& steps = step_table_f32();
    for (std::int64_t r = 0; !rest_.empty() && r < part.m; ++r) {
      float* row = out + out_at + r * s_.n;
      for (const ElementStep& step : rest_) steps(step.op)(row, nullptr, row, part.n, step.a, step.b);
    }
  }

  MatMulConfig c_;
  MatMulShape s_;
  bool turned_;  // a copy of A is multiplied
  Fusion f_;
  MatMulPosts posts_;
  std::vector<ElementStep> rest_;  // done to each piece
  std::vector<Part> parts_;
  std::vector<Job> jobs_;
  std::int64_t tasks_ = 1;
  bool alike_ = false;  // all jobs run the same primitive, and there are more of them than tasks
  std::size_t scratch_ = 0;
  bool calls_gemm_ = false;  // in some part
  base::ObjectPool<State> pool_;
  Unfinished unfinished_;
};

}  // namespace
}  // namespace matmul_onednn_cc

// It keeps distances between rows and columns in bytes, and numbers of blocks of all dimensions together.
std::string onednn_matmul_size_refusal(const MatMulShape& s) {
  constexpr std::int64_t kMostProducts = 1 << 20;  // described one by one
  if (std::max({s.m, s.n, s.k}) > kMostOneDnn / 4 || !bounded_product({s.m, s.k}, kMostOneDnn) ||
      !bounded_product({s.k, s.n}, kMostOneDnn) || !bounded_product({s.m, s.n}, kMostOneDnn))
    return "larger than oneDNN can count";
  return s.batches > kMostProducts ? "too many products to describe each" : "";
}

std::string onednn_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (std::string why = onednn_matmul_size_refusal(s); !why.empty()) return why;
  OneThread one;
  try {
    const Fusion f = working_fusion(c, multiplied_shape(c), nullptr);
    const bool added = std::any_of(c.post.begin(), c.post.begin() + static_cast<std::ptrdiff_t>(f.steps),
                                   [&](const ElementStep& step) { return step.operand == c.in_place_extra; });
    if (c.in_place_extra >= 0 && !added) return "the steps that follow are not oneDNN's, so the sum cannot be in place";
  } catch (const dnnl::error&) {
    return "oneDNN has no fast implementation of it";
  }
  return MatMulPosts::refuses(c);
}

std::unique_ptr<Kernel> make_onednn_matmul(const MatMulConfig& config, PackedConstants& packed) {
  OneThread one;
  try {
    return std::make_unique<OneDnnMatMul>(config, packed);
  } catch (const dnnl::error& e) {
    rethrow_onednn(e, "make a matrix product");
  }
}

}  // namespace norn::kernels
