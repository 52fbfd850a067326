// B is packed into panels where it is read often enough, or does not lie in rows; the tail of its last panel always is.
// A constant is packed once.
#include "kernels/cpu/contraction.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/row_dots.h"
#include "kernels/cpu/walk.h"

namespace norn::kernels {
inline namespace contraction_cc {
namespace {

constexpr double kProductNs = 0.03;
constexpr std::int64_t kRowBlock = 96;  // rows of A that are one piece of work; a multiple of any tile's
constexpr std::int64_t kFewRows = 6;    // which are not worth packing for

struct Offsets {
  std::int64_t a = 0, b = 0, c = 0;
  std::int64_t own_b = 0;  // which of the different matrices B
};

template <class T>
class Contraction final : public Kernel {
 public:
  Contraction(const ContractionConfig& c, PackedConstants& packed) : c_(c), loops_(product_loops<T>()) {
    for (const auto& dim : c.batch) {
      batches_ *= dim.size;
      if (dim.b != 0) own_b_ *= dim.size;
    }
    for (const auto& dim : c.sums) {
      sums_ *= dim.size;
      if (dim.b != 0) own_sums_ *= dim.size;
    }
    own_b_ *= own_sums_;
    panels_ = (c.n + loops_.width - 1) / loops_.width;
    dots_ = sums_ == 1 && c.n == 1 && c.b_row == 1 && c.a_column == 1;
    column_dots_ = sums_ == 1 && !dots_ && c.m <= 2 && c.b_row == 1 && c.a_column == 1 && c.k > 1;
    in_place_ = !dots_ && c.m <= kFewRows && c.b_column == 1;
    if (c.has_d) d_walk_.dims = broadcast_walk({c.m, c.n}, Layout::Dense, {.dims = c.d});
    if (dots_ || column_dots_ || in_place_ || own_b_ > 1 || !c.b_constant.known()) return;
    std::string recipe = "contraction " + std::string(data_type_name(c.type));
    for (const std::int64_t size : {c.k, c.n, c.b_row, c.b_column, loops_.width})
      recipe.append(1, ' ').append(std::to_string(size));
    constant_ = packed.get(c.b_constant, 0, recipe, [&] {
      auto buffer = aligned_buffer(static_cast<std::size_t>(packed_size()) * sizeof(T));
      pack(static_cast<const T*>(c.b_constant.data), static_cast<T*>(buffer.get()));
      return buffer;
    });
  }

  std::size_t scratch_bytes() const override {
    return dots_ || column_dots_ || constant_ ? 0 : static_cast<std::size_t>(own_b_ * packed_size()) * sizeof(T);
  }
  bool reads(std::size_t i) const override { return i != 1 || !constant_; }

  void run(void* const* operands, void* scratch) const override {
    const T *a = static_cast<const T*>(operands[0]), *b = static_cast<const T*>(operands[1]);
    T* c = static_cast<T*>(operands[3]);
    if (column_dots_) return rows_by_columns(a, b, static_cast<const T*>(operands[2]), c);
    if (!dots_ && !constant_) pack(b, static_cast<T*>(scratch));
    const T* const packed = static_cast<const T*>(constant_ ? constant_.get() : scratch);
    const std::int64_t row_block = dots_ ? together() : kRowBlock, blocks = (c_.m + row_block - 1) / row_block;
    const double block_ns =
        5 + kProductNs * static_cast<double>(std::min(row_block, c_.m)) * static_cast<double>(c_.n * c_.k);
    parallel_ranges(batches_ * blocks, block_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t batch = i / blocks, first = i % blocks * row_block;
        const std::int64_t rows = std::min(row_block, c_.m - first);
        const Offsets at = offsets(c_.batch, batch);
        T* to = c + at.c + first * c_.c_row;
        const T* from = a + at.a + first * c_.a_row;
        if (dots_) {
          dots_of_(from, c_.a_row, rows, c_.k, b + at.b, to, c_.c_row);
        } else {
          for (std::int64_t s = 0; s < sums_; ++s) {
            const Offsets more = offsets(c_.sums, s);
            const T* panels = packed + (at.own_b * own_sums_ + more.own_b) * packed_size();
            product(rows, from + more.a, b + at.b + more.b, panels, to, s > 0);
          }
        }
        finish(static_cast<const T*>(operands[2]), first, rows, to, 0, c_.n);
      }
    });
  }

 private:
  // Of one batch: all panels, or the last one if it is not full.
  std::int64_t packed_size() const {
    if (in_place_) return c_.n % loops_.width == 0 ? 0 : c_.k * loops_.width;
    return panels_ * loops_.width * c_.k;
  }
  static Offsets offsets(const std::vector<ContractionConfig::Batch>& dims, std::int64_t index) {
    Offsets at;
    std::int64_t step = 1;
    for (std::size_t d = dims.size(); d-- > 0; index /= dims[d].size) {
      const std::int64_t i = index % dims[d].size;
      if (dims[d].b != 0) {
        at.own_b += i * step;
        step *= dims[d].size;
      }
      at.a += i * dims[d].a;
      at.b += i * dims[d].b;
      at.c += i * dims[d].c;
    }
    return at;
  }

  // Where the matrix B begins that has this number among the different ones.
  std::int64_t b_offset(std::int64_t own_b) const {
    std::int64_t at = 0;
    for (const auto* dims : {&c_.sums, &c_.batch}) {
      for (std::size_t d = dims->size(); d-- > 0;) {
        const ContractionConfig::Batch& dim = (*dims)[d];
        if (dim.b == 0) continue;
        at += own_b % dim.size * dim.b;
        own_b /= dim.size;
      }
    }
    return at;
  }

  // So many sums of k products are one piece of work: several of what RowDots takes at a time, if they are short.
  std::int64_t together() const { return c_.k < 64 ? 512 : 64; }

  // A row or two against columns that lie as rows do.
  void rows_by_columns(const T* a, const T* b, const T* d, T* c) const {
    const std::int64_t columns = together(), blocks = (c_.n + columns - 1) / columns;
    const double dot_ns = 3 + 0.1 * static_cast<double>(c_.k);
    parallel_ranges(batches_ * blocks, dot_ns * static_cast<double>(c_.m * std::min(columns, c_.n)), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const Offsets at = offsets(c_.batch, i / blocks);
                        const std::int64_t first = i % blocks * columns, last = std::min(c_.n, first + columns);
                        for (std::int64_t r = 0; r < c_.m; ++r)
                          dots_of_(b + at.b + first * c_.b_column, c_.b_column, last - first, c_.k,
                                   a + at.a + r * c_.a_row, c + at.c + r * c_.c_row + first, 1);
                        finish(d, 0, c_.m, c + at.c, first, last);
                      }
                    });
  }

  void pack(const T* b, T* packed) const {
    const std::int64_t first = in_place_ ? c_.n / loops_.width : 0, count = panels_ - first;
    if (count == 0) return;
    const double panel_ns = 0.3 * static_cast<double>(loops_.width * c_.k);
    parallel_ranges(own_b_ * count, panel_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t batch = i / count, p = first + i % count;
        T* to = packed + batch * packed_size() - first * loops_.width * c_.k;
        pack_product_panels(b + b_offset(batch), c_.b_row, c_.b_column, c_.k, c_.n, loops_.width, p, p + 1, to);
      }
    });
  }

  void product(std::int64_t rows, const T* a, const T* b, const T* packed, T* c, bool add) const {
    if (!in_place_)
      return loops_.multiply(rows, c_.n, c_.k, a, c_.a_row, c_.a_column, packed, loops_.width * c_.k, loops_.width, c,
                             c_.c_row, add);
    const std::int64_t full = c_.n / loops_.width * loops_.width;
    if (full > 0)
      loops_.multiply(rows, full, c_.k, a, c_.a_row, c_.a_column, b, loops_.width, c_.b_row, c, c_.c_row, add);
    if (full < c_.n)
      loops_.multiply(rows, c_.n - full, c_.k, a, c_.a_row, c_.a_column, packed, 0, loops_.width, c + full, c_.c_row,
                      add);
  }

  // Columns [begin, end) of rows from `first` on.
  void finish(const T* d, std::int64_t first, std::int64_t rows, T* c, std::int64_t begin, std::int64_t end) const {
    const T alpha = static_cast<T>(c_.alpha), beta = static_cast<T>(c_.beta);
    if (alpha != T{1})
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = begin; j < end; ++j) c[r * c_.c_row + j] *= alpha;
    if (!c_.has_d) return;
    constexpr std::int64_t kTile = 256;
    T tile[kTile];
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = begin; j < end; j += kTile) {
        const std::int64_t n = std::min(kTile, end - j);
        bool one = false;
        const T* from = d_walk_.read(d, (first + r) * c_.n + j, n, tile, one);
        T* to = c + r * c_.c_row + j;
        for (std::int64_t i = 0; i < n; ++i) to[i] += beta * from[one ? 0 : i];
      }
  }

  ContractionConfig c_;
  ProductLoops<T> loops_;
  RowDots<T> dots_of_;
  Walk d_walk_;
  std::int64_t batches_ = 1, sums_ = 1, panels_ = 1;
  std::int64_t own_b_ = 1, own_sums_ = 1;  // different matrices B: of all, and of one batch
  bool dots_ = false, column_dots_ = false, in_place_ = false;
  std::shared_ptr<const void> constant_;  // B in panels
};

bool computes(DataType type) {
  switch (type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Uint32:
    case DataType::Uint64: return true;
    default: return false;
  }
}

std::string refuses(const ContractionConfig& c) {
  if (!computes(c.type)) return "does not compute " + std::string(data_type_name(c.type));
  const bool real = c.type == DataType::Float || c.type == DataType::Double;
  if (!real && (c.alpha != 1 || c.has_d)) return "integers with a factor or a summand";
  if (c.m < 1 || c.n < 1 || c.k < 1) return "an empty tensor";
  Shape a = {c.m, c.k, 8}, b = {c.k, c.n, 8, 64}, out = {c.m, c.n, 8};
  std::vector<std::int64_t> strides = {c.a_row, c.a_column, c.b_row, c.b_column, c.c_row};
  for (const auto& dim : c.batch) {
    if (dim.size < 1) return "an empty tensor";
    for (Shape* dims : {&a, &b, &out}) dims->push_back(dim.size);
    strides.insert(strides.end(), {dim.a, dim.b, dim.c});
  }
  for (const auto& dim : c.sums) {
    if (dim.size < 1) return "an empty tensor";
    for (Shape* dims : {&a, &b}) dims->push_back(dim.size);
    strides.insert(strides.end(), {dim.a, dim.b});
  }
  if (!bounded(strides)) return "strides beyond any memory";
  if (c.has_d && broadcast_walk({c.m, c.n}, Layout::Dense, {.dims = c.d}).empty()) return "C does not broadcast";
  return extent_refusal({&a, &b, &out});
}
std::unique_ptr<Kernel> make(const ContractionConfig& c, PackedConstants& packed) {
  switch (c.type) {
    case DataType::Float: return std::make_unique<Contraction<float>>(c, packed);
    case DataType::Double: return std::make_unique<Contraction<double>>(c, packed);
    case DataType::Int32:
    case DataType::Uint32: return std::make_unique<Contraction<std::uint32_t>>(c, packed);
    default: return std::make_unique<Contraction<std::uint64_t>>(c, packed);
  }
}

std::string refuses_narrow(const ContractionConfig& c) {
  std::string why = refuses(c);
  return why.empty() ? narrow_contraction_refuses(c) : why;
}

constexpr Candidate<ContractionConfig> kContractionCandidates[] = {{"narrow", refuses_narrow, make_narrow_contraction},
                                                                   {"contraction", refuses, make}};

}  // namespace
}  // namespace contraction_cc

std::span<const Candidate<ContractionConfig>> contraction_candidates() { return kContractionCandidates; }

}  // namespace norn::kernels
