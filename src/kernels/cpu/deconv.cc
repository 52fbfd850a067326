// A matrix product gives what every element of x adds at every position of the kernel; the rows of it are then added to
// the rows of the output that they fall on. A piece of work is a few channels of the output, which nothing else writes,
// and goes over x a tile at a time.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "base/division.h"
#include "kernels/cpu/channels_first.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/plane_adds.h"

namespace norn::kernels {
inline namespace deconv_cc {
namespace {

constexpr double kProductNs = 0.03;
constexpr std::int64_t kProductRows = 48;  // of the matrix product, in one piece
constexpr std::int64_t kTileColumns = 1024;

// Where the elements of an input fall on a plane of the output: element i and position t of the kernel meet at
// i * strides + t * dilations - pads.
struct PlaneScatter {
  Spatial3 in, out, kernel, strides, dilations, pads;
  const PlaneAdds* adds = &plane_adds();

  std::int64_t positions() const { return in[0] * in[1] * in[2]; }
  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  std::int64_t plane() const { return out[0] * out[1] * out[2]; }

  // Adds the elements [at, at + n) of a plane of the input, as they are at all positions of the kernel, which lie
  // `apart`.
  template <class T>
  void add(const T* from, std::int64_t apart, std::int64_t at, std::int64_t n, T* to) const {
    auto [line, column] = base::divide(at, in[2]);
    auto [layer, row] = base::divide(line, in[1]);
    while (n > 0) {
      // Whole rows of a layer, or a part of one.
      const bool whole = column == 0 && n >= in[2];
      const std::int64_t columns = std::min(n, in[2] - column);
      const std::int64_t rows = whole ? std::min(base::quotient(n, in[2]), in[1] - row) : 1;
      for (std::int64_t t0 = 0; t0 < kernel[0]; ++t0) {
        const std::int64_t z = layer * strides[0] + t0 * dilations[0] - pads[0];
        if (z < 0 || z >= out[0]) continue;
        for (std::int64_t t1 = 0; t1 < kernel[1]; ++t1) {
          const auto [first, last] = inside(1, t1 * dilations[1] - pads[1], row, row + rows);
          if (first >= last) continue;
          const std::int64_t y = first * strides[1] + t1 * dilations[1] - pads[1];
          add_rows(from + (t0 * kernel[1] + t1) * kernel[2] * apart + (first - row) * in[2], apart, column, columns,
                   last - first, to + (z * out[1] + y) * out[2]);
        }
      }
      const std::int64_t done = rows * columns;
      from += done;
      n -= done;
      column = 0;
      row += rows;
      if (row == in[1]) row = 0, ++layer;
    }
  }
  // Which of the places [begin, end) of an input fall inside, `shift` beyond where their strides lead.
  std::pair<std::int64_t, std::int64_t> inside(std::size_t d, std::int64_t shift, std::int64_t begin,
                                               std::int64_t end) const {
    const std::int64_t step = strides[d];
    if (shift < 0) begin = std::max(begin, base::quotient_up(-shift, step));
    return {begin, out[d] > shift ? std::min(end, base::quotient_up(out[d] - shift, step)) : begin};
  }
  // Columns of some rows of the input, at all positions along a row of the kernel; `to` is the first row that they fall
  // on. Two neighbouring positions at a time fill every element of it.
  template <class T>
  void add_rows(const T* from, std::int64_t apart, std::int64_t column, std::int64_t columns, std::int64_t rows,
                T* to) const {
    const std::int64_t step = strides[2], to_row = strides[1] * out[2];
    for (std::int64_t t = 0; t < kernel[2]; ++t, from += apart) {
      const std::int64_t shift = t * dilations[2] - pads[2];
      auto [begin, end] = inside(2, shift, column, column + columns);
      if constexpr (std::is_same_v<T, float>) {
        if (step == 2 && dilations[2] == 1 && t + 1 < kernel[2]) {
          const auto [next, next_end] = inside(2, shift + 1, column, column + columns);
          // At one of the ends there may be one element more of either.
          const std::int64_t both = std::max(begin, next), both_end = std::min(end, next_end);
          if (both < both_end) {
            adds->pairs(to + both * 2 + shift, to_row, from + both - column, from + apart + both - column, in[2],
                        both_end - both, rows);
            add_run(from, column, begin, both, shift, rows, to);
            add_run(from, column, both_end, end, shift, rows, to);
            from += apart;
            ++t;
            add_run(from, column, next, both, shift + 1, rows, to);
            add_run(from, column, both_end, next_end, shift + 1, rows, to);
            continue;
          }
        }
      }
      add_run(from, column, begin, end, shift, rows, to);
    }
  }
  template <class T>
  void add_run(const T* from, std::int64_t column, std::int64_t begin, std::int64_t end, std::int64_t shift,
               std::int64_t rows, T* to) const {
    if (begin >= end) return;
    const std::int64_t step = strides[2], to_row = strides[1] * out[2], n = end - begin;
    from += begin - column;
    to += begin * step + shift;
    if constexpr (std::is_same_v<T, float>) {
      adds->apart(to, to_row, step, from, in[2], n, rows);
    } else {
      for (std::int64_t r = 0; r < rows; ++r, from += in[2], to += to_row)
        if (step == 1)
          for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
        else
          for (std::int64_t i = 0; i < n; ++i) to[i * step] += from[i];
    }
  }
  // Whether every element of the output is one product.
  bool tiles() const {
    for (std::size_t d = 0; d < 3; ++d)
      if (strides[d] != kernel[d] || pads[d] != 0 || dilations[d] != 1 || out[d] != in[d] * strides[d]) return false;
    return true;
  }
  // If so, writes the elements [at, at + n) of all positions of the kernel, which lie `apart`, with `bias`.
  template <class T>
  void put(const T* from, std::int64_t apart, std::int64_t at, std::int64_t n, T bias, T* to) const {
    const std::int64_t step = kernel[2];
    std::int64_t column = at % in[2], row = at / in[2] % in[1], layer = at / in[2] / in[1];
    while (n > 0) {
      const std::int64_t run = std::min(n, in[2] - column);
      for (std::int64_t t = 0; t < kernel[0] * kernel[1]; ++t) {
        const std::int64_t z = layer * kernel[0] + t / kernel[1], y = row * kernel[1] + t % kernel[1];
        const T* line = from + t * step * apart;
        T* line_to = to + (z * out[1] + y) * out[2] + column * step;
        if (step == 2) {
          const T* next = line + apart;
          for (std::int64_t i = 0; i < run; ++i) {
            line_to[2 * i] = line[i] + bias;
            line_to[2 * i + 1] = next[i] + bias;
          }
          continue;
        }
        for (std::int64_t k = 0; k < step; ++k)
          for (std::int64_t i = 0; i < run; ++i) line_to[i * step + k] = line[k * apart + i] + bias;
      }
      from += run;
      n -= run;
      column = 0;
      if (++row == in[1]) row = 0, ++layer;
    }
  }
};

template <class T>
class Deconv final : public Kernel {
 public:
  explicit Deconv(const DeconvConfig& c) : c_(c), loops_(product_loops<T>()) {
    batch_ = c.x[0];
    in_channels_ = c.x[1] / c.group;
    out_channels_ = c.w[1];
    places_ = {spatial3(c.x, 2, 1),       spatial3(c.out, 2, 1),       spatial3(c.w, 2, 1),
               spatial3(c.strides, 0, 1), spatial3(c.dilations, 0, 1), spatial3(c.pads_begin, 0, 0)};
    tiles_ = places_.tiles();
    positions_ = places_.positions();
    taps_ = places_.taps();
    out_plane_ = places_.plane();
    panels_ = (positions_ + loops_.width - 1) / loops_.width;
    channels_ = std::clamp<std::int64_t>(kProductRows / taps_, 1, out_channels_);
    blocks_ = (out_channels_ + channels_ - 1) / channels_;
    columns_ = std::max<std::int64_t>(1, kTileColumns / loops_.width) * loops_.width;
  }

  std::size_t scratch_bytes() const override {
    const std::int64_t packed = batch_ * c_.group * packed_size();
    return static_cast<std::size_t>(packed + units() * (product_size() + rows_size())) * sizeof(T);
  }

  void run(void* const* operands, void* scratch) const override {
    const T *x = static_cast<const T*>(operands[0]), *w = static_cast<const T*>(operands[1]),
            *bias = static_cast<const T*>(operands[2]);
    T *out = static_cast<T*>(operands[3]), *packed = static_cast<T*>(scratch);
    T* const products = packed + batch_ * c_.group * packed_size();
    parallel_ranges(batch_ * c_.group * panels_, 0.3 * static_cast<double>(loops_.width * in_channels_), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t g = i / panels_, p = i % panels_;
                        pack_product_panels(x + g * in_channels_ * positions_, positions_, 1, in_channels_, positions_,
                                            loops_.width, p, p + 1, packed + g * packed_size());
                      }
                    });
    const double unit_ns = (kProductNs * static_cast<double>(in_channels_) + 0.5) *
                           static_cast<double>(channels_ * taps_) * static_cast<double>(positions_);
    parallel_ranges(units(), unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t u = begin; u < end; ++u) {
        const std::int64_t g = u / blocks_, first = u % blocks_ * channels_;  // g counts batches and groups
        const std::int64_t count = std::min(channels_, out_channels_ - first), group = g % c_.group;
        T* to = out + (g * out_channels_ + first) * out_plane_;
        const auto bias_of = [&](std::int64_t m) {
          return c_.has_bias ? bias[group * out_channels_ + first + m] : T{0};
        };
        for (std::int64_t m = 0; m < count && !tiles_; ++m) std::fill_n(to + m * out_plane_, out_plane_, bias_of(m));
        // w[c, m, t]: rows of the product are channels and taps, its depth the channels of x.
        const T* rows = w + group * in_channels_ * out_channels_ * taps_ + first * taps_;
        T* product = products + u * (product_size() + rows_size());
        std::int64_t apart = out_channels_ * taps_;
        if (rows_size() > 0) {
          T* const together = product + product_size();
          for (std::int64_t l = 0; l < in_channels_; ++l)
            std::copy_n(rows + l * apart, count * taps_, together + l * count * taps_);
          rows = together;
          apart = count * taps_;
        }
        for (std::int64_t at = 0; at < positions_; at += columns_) {
          const std::int64_t n = std::min(columns_, positions_ - at);
          loops_.multiply(count * taps_, n, in_channels_, rows, 1, apart,
                          packed + g * packed_size() + at * in_channels_, loops_.width * in_channels_, loops_.width,
                          product, columns_, false);
          for (std::int64_t m = 0; m < count && tiles_; ++m)
            places_.put(product + m * taps_ * columns_, columns_, at, n, bias_of(m), to + m * out_plane_);
          for (std::int64_t m = 0; m < count && !tiles_; ++m)
            places_.add(product + m * taps_ * columns_, columns_, at, n, to + m * out_plane_);
        }
      }
    });
  }

 private:
  std::int64_t units() const { return batch_ * c_.group * blocks_; }
  std::int64_t packed_size() const { return panels_ * loops_.width * in_channels_; }
  std::int64_t product_size() const { return channels_ * taps_ * columns_; }
  // A copy of what is multiplied of w, whose rows lie on as many pages as there are channels.
  std::int64_t rows_size() const {
    constexpr std::int64_t kDeep = 96;
    return in_channels_ < kDeep || blocks_ == 1 ? 0 : channels_ * taps_ * in_channels_;
  }

  DeconvConfig c_;
  ProductLoops<T> loops_;
  std::int64_t batch_, in_channels_, out_channels_;  // channels of a group
  PlaneScatter places_;
  bool tiles_;
  std::int64_t positions_, taps_, out_plane_, panels_, channels_, blocks_, columns_;
};

}  // namespace
}  // namespace deconv_cc

std::string deconv_sizes_refuse(const DeconvConfig& c) {
  if (c.x.size() < 3 || c.x.size() > 5) return "another number of spatial dimensions than 1 to 3";
  if (c.w.size() != c.x.size() || c.out.size() != c.x.size()) return "tensors of different ranks";
  for (const Shape* dims : {&c.x, &c.w, &c.out})
    for (std::int64_t d : *dims)
      if (d < 1) return "an empty tensor";
  const Shape packed = {c.x[0], c.x[1], 512, element_count(c.x) / c.x[0] / c.x[1], 8};
  const std::int64_t taps = element_count(c.w) / c.w[0] / c.w[1];
  const Shape products = {c.x[0], c.group, c.w[1] + kProductRows, taps, kTileColumns + 512, 8};
  if (!bounded(c.strides) || !bounded(c.dilations) || !bounded(c.pads_begin)) return "steps beyond any memory";
  if (std::string why = extent_refusal({&packed, &products, &c.x, &c.w, &c.out}); !why.empty()) return why;
  for (std::size_t d = 0; d < c.strides.size(); ++d)
    if (!bounded_product({c.x[d + 2], c.strides[d]}) || !bounded_product({c.w[d + 2], c.dilations[d]}))
      return "steps beyond any memory";
  return "";
}
inline namespace deconv_cc {
namespace {

std::string deconv_refuses(const DeconvConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  if (c.layout != Layout::Dense) return "channels are last";
  return deconv_sizes_refuse(c);
}
template <class T>
class Col2Im final : public Kernel {
 public:
  explicit Col2Im(const Col2ImConfig& c)
      : planes_(c.planes),
        places_{spatial3(c.columns, 0, 1), spatial3(c.image, 0, 1),     spatial3(c.kernel, 0, 1),
                spatial3(c.strides, 0, 1), spatial3(c.dilations, 0, 1), spatial3(c.pads_begin, 0, 0)} {}

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    const std::int64_t n = places_.positions(), taps = places_.taps(), plane = places_.plane();
    parallel_ranges(planes_, static_cast<double>(n * taps), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        std::fill_n(out + p * plane, plane, T{0});
        places_.add(x + p * taps * n, n, 0, n, out + p * plane);
      }
    });
  }

 private:
  std::int64_t planes_;
  PlaneScatter places_;
};

std::string col2im_refuses(const Col2ImConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  if (c.image.empty() || c.image.size() > 3) return "another number of spatial dimensions than 1 to 3";
  for (const auto* list : {&c.columns, &c.kernel, &c.strides, &c.dilations, &c.pads_begin})
    if (list->size() != c.image.size() || !bounded(*list)) return "steps beyond any memory";
  Shape x = {c.planes}, out = {c.planes};
  for (std::size_t d = 0; d < c.image.size(); ++d) {
    if (c.image[d] < 1 || c.columns[d] < 1 || c.kernel[d] < 1) return "an empty tensor";
    if (!bounded_product({c.columns[d], c.strides[d]}) || !bounded_product({c.kernel[d], c.dilations[d]}))
      return "steps beyond any memory";
    x.insert(x.end(), {c.columns[d], c.kernel[d]});
    out.push_back(c.image[d]);
  }
  return extent_refusal({&x, &out});
}
std::unique_ptr<Kernel> make_col2im(const Col2ImConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<Col2Im<double>>(c);
  return std::make_unique<Col2Im<float>>(c);
}

constexpr Candidate<Col2ImConfig> kCol2Ims[] = {{"col2im", col2im_refuses, make_col2im}};
constexpr Candidate<DeconvConfig> kDeconvs[] = {{"deconv-rows", deconv_rows_refuses, make_deconv_rows},
                                                {"deconv-phases", deconv_phases_refuse, make_deconv_phases},
                                                {"deconv", deconv_refuses, make_added_deconv}};

}  // namespace
}  // namespace deconv_cc

std::unique_ptr<Kernel> make_added_deconv(const DeconvConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<Deconv<double>>(c);
  return std::make_unique<Deconv<float>>(c);
}

double deconv_added_ns(const DeconvConfig& c) {
  constexpr double kAddNs = 0.5, kPutNs = 0.3, kFillNs = 0.1;
  const std::int64_t channels = c.x[1] / c.group;
  const double positions = static_cast<double>(element_count(c.x)) / static_cast<double>(c.x[1]),
               columns =
                   static_cast<double>(element_count(c.w)) / static_cast<double>(c.w[0]) * static_cast<double>(c.group),
               depth = static_cast<double>(channels),
               narrower = 16 / static_cast<double>(channels_first_table().lanes);  // than the vectors of these numbers
  const bool tiles = c.strides == std::vector<std::int64_t>(c.w.begin() + 2, c.w.end());
  return narrower * positions * columns * (kProductNs * depth + (tiles ? kPutNs : kAddNs)) +
         kFillNs * static_cast<double>(element_count(c.out));
}

std::span<const Candidate<DeconvConfig>> deconv_candidates() { return kDeconvs; }
std::span<const Candidate<Col2ImConfig>> col2im_candidates() { return kCol2Ims; }

}  // namespace norn::kernels
