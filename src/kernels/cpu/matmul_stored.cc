// Packs a stored matrix and multiplies by it: a few rows straight from the packed form, which memory bounds; more of
// them by widening a stretch of a panel at a time into the cache, for the products of separable.h, which finish a
// panel's columns while these are there (or for those of gemm.h, where vectors are short, A's elements are apart or C
// is not a bias); or, where A may be rounded to 8 bits, any number of rows by products of integers.
#include "kernels/cpu/matmul_stored.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "base/division.h"
#include "base/number.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/panel_steps.h"
#include "kernels/cpu/separable.h"
#include "kernels/cpu/stored.h"

namespace norn::kernels {
inline namespace matmul_stored_cc {
namespace {

constexpr std::int64_t kDepth = 512;       // rows of a panel that are widened at a time
constexpr std::int64_t kMostFewRows = 10;  // beyond them widening pays
constexpr std::int64_t kLeastLanes = 16;   // of panels that finish: those of 16 columns read A too often
constexpr std::int64_t kTileRows = 192;    // of A, a stretch of which stays in the second cache

struct Format {
  StoredForm form;
  int lowest = 0;        // of an integer; packed elements count from it
  bool widened = false;  // packed as bfloat16, which holds every value
};

std::optional<Format> format_of(DataType type) {
  switch (type) {
    case DataType::Uint2: return Format{StoredForm::Bits2};
    case DataType::Int2: return Format{StoredForm::Bits2, -2};
    case DataType::Uint4: return Format{StoredForm::Bits4};
    case DataType::Int4: return Format{StoredForm::Bits4, -8};
    case DataType::Uint8: return Format{StoredForm::Bits8};
    case DataType::Int8: return Format{StoredForm::Bits8, -128};
    case DataType::Float16: return Format{StoredForm::Float16};
    case DataType::BFloat16: return Format{StoredForm::BFloat16};
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
    case DataType::Float6E2M3:
    case DataType::Float6E3M2:
    case DataType::Float4E2M1: return Format{StoredForm::BFloat16, 0, true};
    default: return {};
  }
}
bool is_integer(const Format& f) { return f.form <= StoredForm::Bits8; }

// Element i of numbers of a type that scales have.
float scale_at(DataType type, const void* from, std::int64_t i) {
  switch (type) {
    case DataType::Float: return static_cast<const float*>(from)[i];
    case DataType::Float16: return base::half_to_float(static_cast<const std::uint16_t*>(from)[i]);
    case DataType::BFloat16: return base::bfloat16_to_float(static_cast<const std::uint16_t*>(from)[i]);
    default: return base::small_float_to_float(type, static_cast<const std::uint8_t*>(from)[i]);
  }
}

// Eight elements of 4 bits as a word. `flip` changes their sign bits.
std::uint32_t word_of_nibbles(const std::uint8_t* from, std::uint64_t flip) {
  std::uint64_t x;
  std::memcpy(&x, from, 8);
  x = (x ^ flip) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
  x = (x | x >> 8) & 0x0000ffff0000ffffu;
  return static_cast<std::uint32_t>(x | x >> 16);
}

class Packing {
 public:
  Packing(const StoredMatMulConfig& c, const Format& format, const StoredPanels& shape)
      : c_(c),
        format_(format),
        s_(shape),
        bytes_(static_cast<const std::uint8_t*>(c.product.b_constant.data)),
        bits_(format.form == StoredForm::Bits2   ? 2
              : format.form == StoredForm::Bits4 ? 4
                                                 : 8),
        flip_(format.lowest < 0 ? 1u << (bits_ - 1) : 0) {
    if (format.widened)
      for (std::size_t i = 0; i < 256; ++i)
        widened_.push_back(base::float_to_bfloat16(base::small_float_to_float(c.type, static_cast<std::uint16_t>(i))));
  }

  void panel(std::int64_t p, std::uint8_t* to) const {
    const std::int64_t n0 = p * s_.width, columns = std::min(s_.width, s_.n - n0);
    for (std::int64_t k0 = 0; k0 < s_.k; k0 += s_.block, to += s_.block_bytes()) {
      auto* scales = reinterpret_cast<float*>(to);
      const std::int64_t scale_row = base::quotient(k0, s_.block) * c_.scale_row;
      for (std::int64_t i = 0; i < s_.width; ++i) {
        const std::int64_t at = scale_row + base::quotient(n0 + i, c_.columns) * c_.scale_column;
        scales[i] = i >= columns ? 0.0f : c_.scales == nullptr ? 1.0f : scale_at(c_.scale_type, c_.scales, at);
        if (s_.zeros) to[4 * s_.width + i] = i < columns ? integer(static_cast<const std::uint8_t*>(c_.zeros)[at]) : 0;
      }
      std::uint8_t* unit = to + s_.header_bytes();
      const std::int64_t deep = std::min(s_.block, s_.k - k0), rows = rows_of_unit(s_.form);
      for (std::int64_t i = 0; i < deep; i += rows, unit += s_.unit_bytes()) {
        if (rows > 1)
          words(k0 + i, std::min(rows, deep - i), n0, columns, reinterpret_cast<std::uint32_t*>(unit));
        else
          row(k0 + i, n0, columns, unit);
      }
    }
  }

  std::uint8_t integer(std::uint8_t stored) const {
    return static_cast<std::uint8_t>((stored ^ flip_) & ((1u << bits_) - 1));
  }

 private:
  void words(std::int64_t k, std::int64_t rows, std::int64_t n, std::int64_t columns, std::uint32_t* to) const {
    std::fill_n(to, s_.width, 0u);
    const std::uint8_t* from = bytes_ + k * c_.row + n * c_.column;
    if (rows == 8 && bits_ == 4 && c_.row == 1) {
      for (std::int64_t j = 0; j < columns; ++j)
        to[j] = word_of_nibbles(from + j * c_.column, flip_ * 0x0101010101010101u);
      return;
    }
    const std::uint32_t flip = flip_, mask = (1u << bits_) - 1;
    for (std::int64_t i = 0; i < rows; ++i, from += c_.row) {
      const int shift = static_cast<int>(i) * bits_;
      if (c_.column == 1)
        for (std::int64_t j = 0; j < columns; ++j) to[j] |= ((from[j] ^ flip) & mask) << shift;
      else
        for (std::int64_t j = 0; j < columns; ++j) to[j] |= ((from[j * c_.column] ^ flip) & mask) << shift;
    }
  }

  void row(std::int64_t k, std::int64_t n, std::int64_t columns, std::uint8_t* to) const {
    const std::int64_t at = k * c_.row + n * c_.column;
    std::memset(to, 0, static_cast<std::size_t>(s_.unit_bytes()));
    if (s_.form == StoredForm::Bits8) {
      for (std::int64_t j = 0; j < columns; ++j) to[j] = integer(bytes_[at + j * c_.column]);
      return;
    }
    auto* halves = reinterpret_cast<std::uint16_t*>(to);
    const auto* from = reinterpret_cast<const std::uint16_t*>(bytes_);
    for (std::int64_t j = 0; j < columns; ++j)
      halves[j] = format_.widened ? widened_[bytes_[at + j * c_.column]] : from[at + j * c_.column];
  }

  const StoredMatMulConfig& c_;
  const Format& format_;
  const StoredPanels& s_;
  const std::uint8_t* bytes_;
  int bits_;
  std::uint32_t flip_;
  std::vector<std::uint16_t> widened_;
};

// Whether zero points of so many bytes are all the same.
bool alike(const std::uint8_t* zeros, std::int64_t count) {
  return std::all_of(zeros, zeros + count, [&](std::uint8_t z) { return z == zeros[0]; });
}

std::int64_t scale_count(const StoredMatMulConfig& c, std::int64_t k, std::int64_t n) {
  return (k - 1) / c.block * c.scale_row + (n - 1) / c.columns * c.scale_column + 1;
}

// Before the panels: what packing found out.
struct alignas(64) Header {
  bool zeros;
  char unused[3];  // forms are written to files: no byte is left as it was
  std::int32_t zero;
  char rest[56];
};

// Why the matrix has no products with bytes.
std::string int8_refusal(const StoredMatMulConfig& c) {
  const StoredInt8Table* const table = stored_int8_table();
  if (table == nullptr || gemm_table().width != table->width) return "the CPU has no fast products of 8-bit integers";
  const StoredForm form = format_of(c.type)->form;
  if (form != StoredForm::Bits4 && form != StoredForm::Bits2) return "rounds to 8 bits beside integers of 2 and 4 bits";
  if (c.scales != nullptr && c.block % kStretch != 0 && c.block < c.product.b[0])
    return "scales of other than a multiple of " + std::to_string(kStretch) + " rows";
  return "";
}

class StoredMatMul final : public Kernel {
 public:
  // `int8`: A is rounded to 8 bits.
  StoredMatMul(const StoredMatMulConfig& config, PackedConstants& packed, const StoredInt8Table* int8 = nullptr)
      : int8_(int8),
        c_(config.product),
        s_(c_),
        table_(stored_table()),
        gemm_(gemm_table()),
        steps_(finished_by_panels(c_, s_, int8) ? std::optional<PanelSteps>(c_) : std::nullopt),
        posts_(c_, c_form(c_) == CForm::Row && c_.beta == 1.0f, packed, steps_.has_value()) {
    const Format format = *format_of(config.type);
    b_.form = format.form;
    b_.k = s_.k;
    b_.n = s_.n;
    b_.block = std::min(config.scales == nullptr ? s_.k : config.block, s_.k);
    b_.width = gemm_.width;
    pack(config, format, packed);
    stretches_ = (s_.k + kStretch - 1) / kStretch;
    if (int8_ != nullptr)
      plan_int8();
    else
      plan();
    if (int8_ == nullptr && int8_refusal(config).empty() && s_.m <= stored_int8_table()->most_split_rows)
      split_ = stored_int8_table();
  }

  std::size_t scratch_bytes() const override {
    if (int8_ != nullptr) return quantized_bytes() + static_cast<std::size_t>(s_.m * stretches_) * 8;
    if (split_ != nullptr) return static_cast<std::size_t>(s_.m) * split_bytes();
    return scratch_each_ * static_cast<std::size_t>(tasks_);
  }

  void run(void* const* operands, void* scratch) const override {
    const float* a = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* bias = posts_.c_is_bias() ? static_cast<const float*>(operands[2]) : nullptr;
    const std::int64_t panels = b_.panels();
    if (int8_ != nullptr) {
      run_int8(a, bias, out, scratch);
      return posts_.run(operands, out);
    }
    if (split_ != nullptr) {
      run_split(a, bias, out, static_cast<std::byte*>(scratch));
      return posts_.run(operands, out);
    }
    base::parallel_for(tasks_, [&](std::int64_t task) {
      const std::int64_t column = task % by_panels_, row = task / by_panels_, by_rows = tasks_ / by_panels_;
      const auto [first, last] = base::part_of(panels, by_panels_, column);
      if (s_.m <= kMostFewRows) return few(a, bias, out, first, last);
      auto* stretch =
          reinterpret_cast<float*>(static_cast<char*>(scratch) + scratch_each_ * static_cast<std::size_t>(task));
      const auto [m0, m1] = base::part_of(s_.m, by_rows, row);
      if (steps_) return finished(operands, first, last, m0, m1, stretch);
      for (std::int64_t p = first; p < last; ++p) many(a, bias, out, p, m0, m1, stretch);
    });
    posts_.run(operands, out);
  }

 private:
  void pack(const StoredMatMulConfig& config, const Format& format, PackedConstants& packed) {
    const auto number = [](auto v) { return std::to_string(v) + " "; };
    const std::string recipe = "stored " + number(static_cast<int>(config.type)) + number(s_.k) + number(s_.n) +
                               number(config.row) + number(config.column) +
                               number(static_cast<int>(config.scale_type)) + number(config.scales != nullptr) +
                               number(config.zeros != nullptr) + number(b_.block) + number(config.columns) +
                               number(config.scale_row) + number(config.scale_column);
    std::vector<Contents> also;
    if (config.scales != nullptr) {
      const auto scales = static_cast<std::size_t>(scale_count(config, s_.k, s_.n));
      also.push_back({config.scales, true, scales * element_size(config.scale_type)});
      if (config.zeros != nullptr) also.push_back({config.zeros, true, scales});
    }
    packed_ = packed.get(c_.b_constant, 0, recipe, [&] { return make_packed(config, format); }, also);
    const auto* header = static_cast<const Header*>(packed_.get());
    b_.zeros = header->zeros;
    b_.zero = header->zero;
    b_.data = reinterpret_cast<const std::uint8_t*>(header + 1);
  }

  std::shared_ptr<const void> make_packed(const StoredMatMulConfig& config, const Format& format) const {
    StoredPanels b = b_;
    b.zero = -format.lowest;
    const auto* zeros = static_cast<const std::uint8_t*>(config.zeros);
    if (zeros != nullptr && is_integer(format)) {
      b.zeros = !alike(zeros, scale_count(config, s_.k, s_.n));
      if (!b.zeros) b.zero = Packing(config, format, b).integer(zeros[0]);
    }
    const std::int64_t panels = b.panels(), bytes = b.panel_bytes();
    auto buffer = aligned_buffer(sizeof(Header) + static_cast<std::size_t>(panels * bytes));
    auto* header = new (buffer.get()) Header{b.zeros, {}, b.zero, {}};
    auto* to = reinterpret_cast<std::uint8_t*>(header + 1);
    const Packing packing(config, format, b);
    parallel_ranges(panels, 0.5 * static_cast<double>(s_.k * b.width), 1, [&](std::int64_t begin, std::int64_t end) {
      // The rest of a panel is filled with 0.
      std::memset(to + begin * bytes, 0, static_cast<std::size_t>((end - begin) * bytes));
      for (std::int64_t p = begin; p < end; ++p) packing.panel(p, to + p * bytes);
    });
    return buffer;
  }

  // Tasks: panels for few rows; for many, panels and then rows, which widen the matrix once more each.
  void plan() {
    const std::int64_t panels = b_.panels();
    const double stored = static_cast<double>(b_.panel_bytes()) * static_cast<double>(panels);
    if (s_.m <= kMostFewRows) {
      // From memory; the sums of several rows take longer than that.
      const std::int64_t pairs = (s_.m + 1) / 2;
      const double ns = stored * 0.06 * static_cast<double>(pairs);
      tasks_ = by_panels_ = std::min(panels, product_pieces(ns));
      return;
    }
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const std::int64_t want = product_pieces(products * 0.01);
    by_panels_ = std::min(panels, want);
    tasks_ = by_panels_ * std::max<std::int64_t>(1, std::min(want / by_panels_, s_.m / 64));
    // Stretches begin and end with units.
    step_ = b_.block >= kDepth ? kDepth : kDepth / b_.block * b_.block;
    scratch_each_ = static_cast<std::size_t>(step_ * b_.width) * sizeof(float);
  }

  // Elements of A in 8 bits, then their scales, then their sums.
  std::size_t quantized_bytes() const { return static_cast<std::size_t>(s_.m * stretches_ * kStretch + 63) / 64 * 64; }

  // Of a row: its planes, and the scale and two sums of each stretch.
  std::size_t split_bytes() const {
    return align64(static_cast<std::size_t>(stretches_) * (kPlanes * kStretch + 3 * sizeof(float)));
  }
  void run_split(const float* a, const float* bias, float* out, std::byte* scratch) const {
    std::array<std::optional<SplitRow>, kSplitRows> rows;
    for (std::int64_t i = 0; i < s_.m; ++i, scratch += split_bytes()) {
      const std::int64_t plane = stretches_ * kStretch;
      auto* planes = reinterpret_cast<std::int8_t*>(scratch);
      auto* scales = reinterpret_cast<float*>(planes + kPlanes * plane);
      auto* sums = scales + stretches_;
      if (split_->split(b_.form, s_.k, a + i * s_.a_row, s_.a_column, plane, planes, scales, sums))
        rows[static_cast<std::size_t>(i)] = SplitRow{planes, scales, sums, plane};
    }
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (auto [p, last] = base::part_of(b_.panels(), by_panels_, task); p < last; ++p)
        for (std::int64_t i = 0; i < s_.m; ++i) {
          const std::int64_t n0 = p * b_.width;
          if (const auto& row = rows[static_cast<std::size_t>(i)])
            split_->multiply_split(b_, p, *row, out + i * s_.n + n0, std::min(b_.width, s_.n - n0),
                                   bias == nullptr ? nullptr : bias + n0, c_.alpha);
          else
            table_.few(b_, p, p + 1, 1, a + i * s_.a_row, s_.a_row, s_.a_column, out + i * s_.n, s_.n, bias, c_.alpha);
        }
    });
  }

  void plan_int8() {
    const double stored = static_cast<double>(b_.panel_bytes()) * static_cast<double>(b_.panels());
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    const std::int64_t want = product_pieces(std::max(stored * 0.06, products * 0.004));
    by_panels_ = std::min(b_.panels(), want);
    tasks_ = by_panels_ * std::max<std::int64_t>(1, std::min(want / by_panels_, s_.m / 64));
  }

  void run_int8(const float* a, const float* bias, float* out, void* scratch) const {
    auto* elements = static_cast<std::int8_t*>(scratch);
    auto* scales = reinterpret_cast<float*>(elements + quantized_bytes());
    auto* sums = reinterpret_cast<std::int32_t*>(scales + s_.m * stretches_);
    parallel_ranges(s_.m, static_cast<double>(s_.k) * 0.3, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        int8_->quantize(b_.form, s_.k, a + i * s_.a_row, s_.a_column, elements + i * stretches_ * kStretch,
                        scales + i * stretches_, sums + i * stretches_);
    });
    base::parallel_for(tasks_, [&](std::int64_t task) {
      const std::int64_t column = task % by_panels_, row = task / by_panels_, by_rows = tasks_ / by_panels_;
      const auto [m0, m1] = base::part_of(s_.m, by_rows, row);
      for (auto [p, last_p] = base::part_of(b_.panels(), by_panels_, column); p < last_p; ++p)
        for (std::int64_t m = m0; m < m1; m += kQuantizedRows) {
          const std::int64_t at = m * stretches_, n0 = p * b_.width;
          int8_->multiply(b_, p, std::min(kQuantizedRows, m1 - m),
                          {elements + at * kStretch, scales + at, sums + at, stretches_ * kStretch, stretches_},
                          out + m * s_.n + n0, s_.n, std::min(b_.width, s_.n - n0),
                          bias == nullptr ? nullptr : bias + n0, c_.alpha);
        }
    });
  }

  void few(const float* a, const float* bias, float* out, std::int64_t first, std::int64_t last) const {
    for (std::int64_t p = first; p < last; ++p)
      for (std::int64_t m0 = 0; m0 < s_.m; m0 += kStoredRows)
        table_.few(b_, p, p + 1, std::min(kStoredRows, s_.m - m0), a + m0 * s_.a_row, s_.a_row, s_.a_column,
                   out + m0 * s_.n, s_.n, bias, c_.alpha);
  }

  void many(const float* a, const float* bias, float* out, std::int64_t p, std::int64_t m0, std::int64_t m1,
            float* stretch) const {
    const std::int64_t n0 = p * b_.width, columns = std::min(b_.width, s_.n - n0);
    for (std::int64_t k0 = 0, k1; k0 < s_.k; k0 = k1) {
      k1 = end_of_stretch(k0);
      table_.expand(b_, p, k0, k1, stretch);
      const auto multiply = k0 == 0 ? gemm_.multiply : gemm_.multiply_onto;
      multiply(m1 - m0, columns, k1 - k0, a + m0 * s_.a_row + k0 * s_.a_column, s_.a_row, s_.a_column,
               {stretch, 0, b_.width}, out + m0 * s_.n + n0, s_.n, bias == nullptr || k0 > 0 ? nullptr : bias + n0,
               c_.alpha);
    }
  }

  // The stretch of rows of B that begins at k0, as it is stored.
  Upcoming upcoming(std::int64_t panel, std::int64_t k0) const {
    if (k0 >= s_.k) return {};
    const auto at = [&](std::int64_t k) {
      const std::int64_t within = k % b_.block / rows_of_unit(b_.form) * b_.unit_bytes();
      return k / b_.block * b_.block_bytes() + (within > 0 ? b_.header_bytes() + within : 0);
    };
    const std::int64_t begin = at(k0), end = at(end_of_stretch(k0));
    return {b_.data + panel * b_.panel_bytes() + begin, end - begin};
  }

  // The end of the stretch of rows of B that begins at k0. Within a long block the rest of it may be short.
  std::int64_t end_of_stretch(std::int64_t k0) const {
    return std::min({s_.k, k0 + step_, b_.block >= kDepth ? (k0 / b_.block + 1) * b_.block : s_.k});
  }

  static bool finished_by_panels(const MatMulConfig& c, const MatMulShape& s, const StoredInt8Table* int8) {
    const SeparableTable& table = separable_table();
    return int8 == nullptr && s.m > kMostFewRows && s.a_column == 1 && table.lanes >= kLeastLanes &&
           gemm_table().width == table.width && PanelSteps::refuses(c).empty();
  }

  // Rows of A, some at a time, by panels, whose steps are done to their columns at once.
  void finished(void* const* operands, std::int64_t first, std::int64_t last, std::int64_t m0, std::int64_t m1,
                float* stretch) const {
    const SeparableTable& table = separable_table();
    const auto* const a = static_cast<const float*>(operands[0]);
    auto* const out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float *const bias = steps_->bias(operands), *const summand = steps_->added(operands);
    const std::int64_t tiles = (m1 - m0 + kTileRows - 1) / kTileRows;
    for (std::int64_t t = 0; t < tiles; ++t) {
      const auto [begin, end] = base::part_of(m1 - m0, tiles, t);
      const std::int64_t r0 = m0 + begin, r1 = m0 + end;
      for (std::int64_t k0 = 0, k1; k0 < s_.k; k0 = k1) {
        k1 = end_of_stretch(k0);
        const bool begins = k0 == 0, ends = k1 == s_.k;
        for (std::int64_t p = first; p < last; ++p) {
          const std::int64_t n0 = p * b_.width, columns = std::min(b_.width, s_.n - n0), at = r0 * s_.n + n0;
          table_.expand(b_, p, k0, k1, stretch);
          table.multiply_panel(r1 - r0, columns, k1 - k0, a + r0 * s_.a_row + k0, s_.a_row, stretch, b_.width,
                               upcoming(p + 1 < last ? p + 1 : first, p + 1 < last ? k0 : k1),
                               begins && bias != nullptr ? bias + n0 : nullptr,
                               !begins              ? out + at
                               : summand == nullptr ? nullptr
                                                    : summand + at,
                               ends ? steps_->low() : -PanelSteps::kNone, ends ? steps_->high() : PanelSteps::kNone,
                               out + at, s_.n);
          if (ends && steps_->remain()) steps_->apply(operands, out, s_.n, r0, r1, n0, columns);
        }
      }
    }
  }

  const StoredInt8Table *int8_, *split_ = nullptr;
  MatMulConfig c_;
  MatMulShape s_;
  const StoredTable& table_;
  const GemmTable& gemm_;
  std::optional<PanelSteps> steps_;  // null: MatMulPosts does them to the whole
  MatMulPosts posts_;
  StoredPanels b_;
  std::shared_ptr<const void> packed_;
  std::int64_t tasks_ = 1, by_panels_ = 1, step_ = 0, stretches_ = 0;
  std::size_t scratch_each_ = 0;
};

std::string refuses(const StoredMatMulConfig& c) {
  const MatMulConfig& product = c.product;
  if (std::string why = matmul_config_refusal(product); !why.empty()) return why;
  const auto format = format_of(c.type);
  if (!format) return "does not read " + std::string(data_type_name(c.type));
  if (!product.b_constant.known()) return "the matrix is not constant";
  if (product.in_place_extra >= 0) return "adds nothing in place";
  if (product.b.size() != 2 || product.trans_b || !product.b_strides.empty()) return "one matrix of plain dimensions";
  const MatMulShape s(product);
  if (s.batches > 1) return "rows that are not evenly spaced";
  if (c.row < 1 || c.column < 1 || !bounded_product({s.k, c.row}) || !bounded_product({s.n, c.column}))
    return "elements that reach beyond any memory";
  if (c.scales != nullptr) {
    const DataType types[] = {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Float8E8M0};
    if (std::find(std::begin(types), std::end(types), c.scale_type) == std::end(types))
      return "does not scale by " + std::string(data_type_name(c.scale_type));
    if (c.block < 1 || c.columns < 1 || c.scale_row < 0 || c.scale_column < 0) return "scales in no order";
    if (c.block < 8 && c.block < s.k) return "scales of fewer than 8 rows";
  }
  if (c.zeros != nullptr) {
    if (c.scales == nullptr) return "zero points without scales";
    const auto* zeros = static_cast<const std::uint8_t*>(c.zeros);
    if (!is_integer(*format) && !(format->widened && zeros[0] == 0 && alike(zeros, scale_count(c, s.k, s.n))))
      return "zero points of narrow floats";
  }
  return MatMulPosts::refuses(product);
}

std::unique_ptr<Kernel> make(const StoredMatMulConfig& c, PackedConstants& packed) {
  return std::make_unique<StoredMatMul>(c, packed);
}

std::string int8_refuses(const StoredMatMulConfig& c) {
  if (std::string why = refuses(c); !why.empty()) return why;
  return int8_refusal(c);
}

std::unique_ptr<Kernel> make_int8(const StoredMatMulConfig& c, PackedConstants& packed) {
  return std::make_unique<StoredMatMul>(c, packed, stored_int8_table());
}

constexpr Candidate<StoredMatMulConfig> kStoredMatMulCandidates[] = {{"simd-stored", refuses, make}};
constexpr Candidate<StoredMatMulConfig> kInt8Candidates[] = {{"int8-stored", int8_refuses, make_int8}};

}  // namespace
}  // namespace matmul_stored_cc

std::span<const Candidate<StoredMatMulConfig>> stored_matmul_candidates() { return kStoredMatMulCandidates; }
std::span<const Candidate<StoredMatMulConfig>> stored_matmul_int8_candidates() { return kInt8Candidates; }

}  // namespace norn::kernels
