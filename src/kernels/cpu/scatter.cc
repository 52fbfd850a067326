// Rows of indices are checked first, in a loop of their own that has no branches; then elements move. Pieces of work
// that run beside each other write different parts of the output: what reduces by order stays within one piece.
#include "kernels/cpu/scatter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/division.h"
#include "base/number.h"
#include "kernels/cpu/by_four.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/index_blocks.h"
#include "kernels/cpu/index_check.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace scatter_cc {
namespace {

constexpr double kElementNs = 1.0;

template <class I>
void check_indices(const I* index, std::int64_t n, std::int64_t size) {
  if (indices_within(index, n, size)) return;
  for (std::int64_t i = 0; i < n; ++i)
    if (index[i] < -size || index[i] >= size) refuse_index(index[i], size);
}
bool moves_size(std::size_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

// Calls f with an unsigned integer of that many bytes.
template <class F>
void with_size(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

// The indices as rows: rows [outer x middle] of `row` elements. In `outer` parts, the data of which are apart, and
// within one of which all positions that an element can be reached from lie.
struct Rows {
  std::int64_t outer = 1, middle = 1, row = 1;
  std::int64_t axis_size = 1, axis_stride = 1;
  bool axis_is_row = false;                         // elements of a row are picks from one line of the data
  std::vector<StridedDim> outer_dims, middle_dims;  // with the data's strides; the axis itself has stride 0
};

Rows rows_of(const Shape& data, const Shape& indices, std::int64_t axis) {
  struct Dim {
    std::int64_t size, data, stride;
    bool axis;
  };
  const auto strides = layout_strides(data, Layout::Dense);
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const bool is_axis = static_cast<std::int64_t>(d) == axis;
    const Dim dim{indices[d], data[d], is_axis ? 0 : strides[d], is_axis};
    // Neighbours that are whole in the data are one dimension.
    if (!is_axis && !dims.empty() && !dims.back().axis && dim.size == dim.data) {
      dims.back() = {dims.back().size * dim.size, dims.back().data * dim.data, dim.stride, false};
      continue;
    }
    if (!is_axis && dim.data == 1 && !dims.empty()) continue;  // whose index is 0
    dims.push_back(dim);
  }
  Rows rows;
  rows.axis_size = data[static_cast<std::size_t>(axis)];
  rows.axis_stride = strides[static_cast<std::size_t>(axis)];
  rows.axis_is_row = dims.back().axis;
  rows.row = dims.back().size;
  dims.pop_back();
  bool before = true;
  for (const Dim& dim : dims) {
    before = before && !dim.axis;
    (before ? rows.outer : rows.middle) *= dim.size;
    (before ? rows.outer_dims : rows.middle_dims).push_back({dim.size, dim.stride});
  }
  return rows;
}
// Calls f(base, first) for each row of part `o`: where it lies in the data and its first element among the indices.
template <class F>
void for_each_row(const Rows& rows, std::int64_t o, F&& f) {
  const std::int64_t part = offset_of(rows.outer_dims, o);
  for (std::int64_t m = 0; m < rows.middle; ++m)
    f(part + offset_of(rows.middle_dims, m), (o * rows.middle + m) * rows.row);
}

std::string elements_refusal(const Shape& data, const Shape& indices, std::int64_t axis) {
  if (std::string why = extent_refusal({&data, &indices}); !why.empty()) return why;
  if (data.size() != indices.size() || data.empty() || axis < 0 || axis >= static_cast<std::int64_t>(data.size()))
    return "data and indices of different ranks";
  for (std::size_t d = 0; d < data.size(); ++d)
    if (static_cast<std::int64_t>(d) != axis && indices[d] > data[d])
      return "indices of " + to_string(indices) + " do not lie within data of " + to_string(data);
  return "";
}

class GatherElements final : public Kernel {
 public:
  explicit GatherElements(const GatherElementsConfig& c)
      : rows_(rows_of(c.data, c.indices, c.axis)),
        bytes_(c.element_bytes),
        wide_(c.wide_indices),
        empty_(element_count(c.indices) == 0) {}

  void run(void* const* operands, void*) const override {
    if (empty_) return;
    with_size(bytes_, [&]<class T>(T) {
      if (wide_)
        gather<T>(operands, static_cast<const std::int64_t*>(operands[1]));
      else
        gather<T>(operands, static_cast<const std::int32_t*>(operands[1]));
    });
  }

 private:
  template <class T, class I>
  void gather(void* const* operands, const I* indices) const {
    const T* data = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[2]);
    const std::int64_t rows = rows_.outer * rows_.middle, size = rows_.axis_size, step = rows_.axis_stride;
    parallel_ranges(rows, kElementNs * static_cast<double>(rows_.row), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const auto [outer, middle] = base::divide(r, rows_.middle);
        const std::int64_t base = offset_of(rows_.outer_dims, outer) + offset_of(rows_.middle_dims, middle);
        const I* index = indices + r * rows_.row;
        T* to = out + r * rows_.row;
        check_indices(index, rows_.row, size);
        const T* from = data + base;
        if (rows_.axis_is_row && step == 1)
          by_four(rows_.row, [=](std::int64_t i) { to[i] = from[from_front(index[i], size)]; });
        else if (rows_.axis_is_row)
          by_four(rows_.row, [=](std::int64_t i) { to[i] = from[from_front(index[i], size) * step]; });
        else
          by_four(rows_.row, [=](std::int64_t i) { to[i] = from[from_front(index[i], size) * step + i]; });
      }
    });
  }

  Rows rows_;
  std::size_t bytes_;
  bool wide_, empty_;
};

std::string gather_elements_refuses(const GatherElementsConfig& c) {
  if (!moves_size(c.element_bytes)) return "elements of " + std::to_string(c.element_bytes) + " bytes";
  return elements_refusal(c.data, c.indices, c.axis);
}
std::unique_ptr<Kernel> make_gather_elements(const GatherElementsConfig& c, PackedConstants&) {
  return std::make_unique<GatherElements>(c);
}

// A half type. Sums and products are kept in f32 until all updates of an element are in, and rounded once.
template <DataType type>
struct Half {
  std::uint16_t bits;
  float wide() const {
    if constexpr (type == DataType::Float16) return base::half_to_float(bits);
    return base::bfloat16_to_float(bits);
  }
  static Half of(float v) {
    if constexpr (type == DataType::Float16) return {base::float_to_half(v)};
    return {base::float_to_bfloat16(v)};
  }
};

template <ScatterKind kind, class T>
constexpr bool kKeepsWide = std::is_class_v<T> && (kind == ScatterKind::Add || kind == ScatterKind::Mul);

template <ScatterKind kind, class T>
T scattered(T old, T update) {
  if constexpr (kind == ScatterKind::Replace) return update;
  if constexpr (std::is_class_v<T>) {
    static_assert(!kKeepsWide<kind, T>);
    const float a = old.wide(), b = update.wide();
    const bool taken = b != b || (kind == ScatterKind::Max ? b > a : b < a);
    return taken && a == a ? update : old;
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (kind == ScatterKind::Add) return old + update;
    if constexpr (kind == ScatterKind::Mul) return old * update;
    if constexpr (kind == ScatterKind::Max || kind == ScatterKind::Min) {
      // NaN wins; without branches, since they cannot be predicted.
      T v = (kind == ScatterKind::Max ? update > old : update < old) ? update : old;
      v = update != update ? update : v;
      return old != old ? old : v;
    }
  } else {
    using U = std::make_unsigned_t<T>;
    const auto a = static_cast<std::uint64_t>(static_cast<U>(old)),
               b = static_cast<std::uint64_t>(static_cast<U>(update));
    if constexpr (kind == ScatterKind::Add) return static_cast<T>(a + b);
    if constexpr (kind == ScatterKind::Mul) return static_cast<T>(a * b);
    if constexpr (kind == ScatterKind::Max) return std::max(old, update);
    if constexpr (kind == ScatterKind::Min) return std::min(old, update);
  }
}

bool reduces(DataType type) {
  switch (type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Uint8:
    case DataType::Uint16:
    case DataType::Uint32:
    case DataType::Uint64: return true;
    default: return false;
  }
}
std::string scattered_type_refusal(DataType type, ScatterKind kind) {
  if (type == DataType::String || !moves_size(element_size(type)) || (kind != ScatterKind::Replace && !reduces(type)))
    return "does not take " + std::string(data_type_name(type));
  return "";
}

// Calls f(T{}, kind as a constant).
template <class F>
void with_type(DataType type, ScatterKind kind, F&& f) {
  const auto kinds = [&]<class T>(T value) {
    // Sums and products of integers wrap, so that one loop serves both signs.
    using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    switch (kind) {
      case ScatterKind::Replace: return;
      case ScatterKind::Add: return f(U{}, std::integral_constant<ScatterKind, ScatterKind::Add>{});
      case ScatterKind::Mul: return f(U{}, std::integral_constant<ScatterKind, ScatterKind::Mul>{});
      case ScatterKind::Max: return f(value, std::integral_constant<ScatterKind, ScatterKind::Max>{});
      case ScatterKind::Min: return f(value, std::integral_constant<ScatterKind, ScatterKind::Min>{});
    }
  };
  if (kind == ScatterKind::Replace)
    return with_size(element_size(type),
                     [&]<class T>(T value) { f(value, std::integral_constant<ScatterKind, ScatterKind::Replace>{}); });
  switch (type) {
    case DataType::Float: return kinds(float{});
    case DataType::Double: return kinds(double{});
    case DataType::Float16: return kinds(Half<DataType::Float16>{});
    case DataType::BFloat16: return kinds(Half<DataType::BFloat16>{});
    case DataType::Int8: return kinds(std::int8_t{});
    case DataType::Int16: return kinds(std::int16_t{});
    case DataType::Int32: return kinds(std::int32_t{});
    case DataType::Int64: return kinds(std::int64_t{});
    case DataType::Uint8: return kinds(std::uint8_t{});
    case DataType::Uint16: return kinds(std::uint16_t{});
    case DataType::Uint32: return kinds(std::uint32_t{});
    default: return kinds(std::uint64_t{});
  }
}

// Takes the updates into `out`: each(f) calls f(place in the output, which update) for all of them in order. `wide` has
// room for as many floats as `out` has elements, of which those are used that are written to.
template <ScatterKind kind, class T, class Each>
void take_updates(T* out, const T* updates, float* wide, Each&& each) {
  if constexpr (kKeepsWide<kind, T>) {
    each([=](std::int64_t to, std::int64_t) { wide[to] = out[to].wide(); });
    each([=](std::int64_t to, std::int64_t i) { wide[to] = scattered<kind>(wide[to], updates[i].wide()); });
    each([=](std::int64_t to, std::int64_t) { out[to] = T::of(wide[to]); });
  } else {
    each([=](std::int64_t to, std::int64_t i) { out[to] = scattered<kind>(out[to], updates[i]); });
  }
}
std::size_t wide_bytes(DataType type, ScatterKind kind, std::int64_t elements) {
  std::size_t bytes = 0;
  if (kind != ScatterKind::Replace)
    with_type(type, kind, [&]<class T, ScatterKind k>(T, std::integral_constant<ScatterKind, k>) {
      if (kKeepsWide<k, T>) bytes = static_cast<std::size_t>(elements) * sizeof(float);
    });
  return bytes;
}

// Nothing where the output lies in the data's memory.
void copy_all(const void* from, void* to, std::int64_t bytes) {
  if (from == to) return;
  parallel_ranges(bytes, 0.05, 4096, [&](std::int64_t begin, std::int64_t end) {
    copy_bytes(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

class ScatterElements final : public Kernel {
 public:
  explicit ScatterElements(const ScatterElementsConfig& c)
      : rows_(rows_of(c.data, c.indices, c.axis)),
        c_(c),
        elements_(element_count(c.data)),
        empty_(element_count(c.indices) == 0) {}

  std::size_t scratch_bytes() const override { return wide_bytes(c_.type, c_.kind, elements_); }

  void run(void* const* operands, void* scratch) const override {
    copy_all(operands[0], operands[3], elements_ * static_cast<std::int64_t>(element_size(c_.type)));
    if (empty_) return;
    with_type(c_.type, c_.kind, [&]<class T, ScatterKind kind>(T, std::integral_constant<ScatterKind, kind>) {
      if (c_.wide_indices)
        scatter<kind, T>(operands, static_cast<const std::int64_t*>(operands[1]), static_cast<float*>(scratch));
      else
        scatter<kind, T>(operands, static_cast<const std::int32_t*>(operands[1]), static_cast<float*>(scratch));
    });
  }

 private:
  template <ScatterKind kind, class T, class I>
  void scatter(void* const* operands, const I* indices, float* wide) const {
    const T* updates = static_cast<const T*>(operands[2]);
    T* out = static_cast<T*>(operands[3]);
    const std::int64_t n = rows_.row, size = rows_.axis_size, step = rows_.axis_stride;
    const double part_ns = kElementNs * static_cast<double>(n) * static_cast<double>(rows_.middle);
    parallel_ranges(rows_.outer, part_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o)
        take_updates<kind>(out, updates, wide, [&](auto&& take) {
          for_each_row(rows_, o, [&](std::int64_t base, std::int64_t first) {
            const I* index = indices + first;
            check_indices(index, n, size);
            for (std::int64_t i = 0; i < n; ++i)
              take(base + from_front(index[i], size) * step + (rows_.axis_is_row ? 0 : i), first + i);
          });
        });
    });
  }

  Rows rows_;
  ScatterElementsConfig c_;
  std::int64_t elements_;
  bool empty_;
};

std::string scatter_elements_refuses(const ScatterElementsConfig& c) {
  if (std::string why = scattered_type_refusal(c.type, c.kind); !why.empty()) return why;
  return elements_refusal(c.data, c.indices, c.axis);
}
std::unique_ptr<Kernel> make_scatter_elements(const ScatterElementsConfig& c, PackedConstants&) {
  return std::make_unique<ScatterElements>(c);
}

class GatherNd final : public Kernel {
 public:
  explicit GatherNd(const GatherNdConfig& c)
      : c_(c), blocks_(c.axes), bytes_(c.block * static_cast<std::int64_t>(c.element_bytes)) {}

  void run(void* const* operands, void*) const override {
    const auto* data = static_cast<const char*>(operands[0]);
    const auto* indices = static_cast<const std::int64_t*>(operands[1]);
    auto* out = static_cast<char*>(operands[2]);
    const double row_ns = 2 + 0.05 * static_cast<double>(bytes_);
    parallel_ranges(c_.batches * c_.rows, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t length = blocks_.length();
      with_copy(bytes_, [&](auto copy) {
        if (length == 1 && c_.batches == 1) {
          const std::int64_t size = c_.axes[0], bytes = bytes_;
          check_indices(indices + begin, end - begin, size);
          by_four(end - begin, [=, index = indices + begin, to = out + begin * bytes](std::int64_t r) {
            copy(to + r * bytes, data + from_front(index[r], size) * bytes);
          });
          return;
        }
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t block = blocks_.at(indices + r * length);
          copy(out + r * bytes_, data + (base::quotient(r, c_.rows) * blocks_.count() + block) * bytes_);
        }
      });
    });
  }

 private:
  GatherNdConfig c_;
  IndexBlocks blocks_;
  std::int64_t bytes_;
};

std::string gather_nd_refuses(const GatherNdConfig& c) {
  const Shape data = {c.batches, c.block, static_cast<std::int64_t>(c.element_bytes)};
  const Shape out = {c.batches, c.rows, c.block, static_cast<std::int64_t>(c.element_bytes)};
  const Shape indices = {c.batches, c.rows, static_cast<std::int64_t>(c.axes.size()), 8};
  if (std::string why = extent_refusal({&data, &out, &indices, &c.axes}); !why.empty()) return why;
  Shape all = c.axes;
  all.insert(all.end(), data.begin(), data.end());
  return extent_refusal({&all});
}
std::unique_ptr<Kernel> make_gather_nd(const GatherNdConfig& c, PackedConstants&) {
  return std::make_unique<GatherNd>(c);
}

constexpr double kBlockElementNs = 0.08;   // for each byte
constexpr std::int64_t kBlockStep = 1024;  // elements, so that looking up a block costs little beside them

class ScatterNd final : public Kernel {
 public:
  explicit ScatterNd(const ScatterNdConfig& c)
      : c_(c),
        blocks_(c.axes),
        elements_(blocks_.count() * c.block),
        copies_the_rest_(c.kind == ScatterKind::Replace &&
                         c.block * static_cast<std::int64_t>(element_size(c.type)) >= kLongBlock) {}

  std::size_t scratch_bytes() const override {
    return copies_the_rest_ ? static_cast<std::size_t>(blocks_.count()) : wide_bytes(c_.type, c_.kind, elements_);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto* indices = static_cast<const std::int64_t*>(operands[1]);
    const std::int64_t length = blocks_.length();
    const bool in_place = operands[0] == operands[3], copies_the_rest = copies_the_rest_ && !in_place;
    auto* const replaced = static_cast<bool*>(scratch);
    if (!copies_the_rest_) {
      copy_all(operands[0], operands[3], elements_ * static_cast<std::int64_t>(element_size(c_.type)));
    } else if (copies_the_rest) {
      std::fill_n(replaced, blocks_.count(), false);
      for (std::int64_t r = 0; r < c_.rows; ++r) replaced[blocks_.at(indices + r * length)] = true;
    }
    with_type(c_.type, c_.kind, [&]<class T, ScatterKind kind>(T, std::integral_constant<ScatterKind, kind>) {
      const T* update = static_cast<const T*>(operands[2]);
      T* out = static_cast<T*>(operands[3]);
      // Of every block the same elements go beside each other: an element is written by one piece, in order.
      const double element_ns = kBlockElementNs * static_cast<double>(sizeof(T)) *
                                static_cast<double>(c_.rows + (copies_the_rest ? blocks_.count() : 0));
      parallel_ranges(c_.block, element_ns, kBlockStep, [&](std::int64_t begin, std::int64_t end) {
        const auto each_row = [&](auto&& f) {
          const auto place = [&](std::int64_t r) { return blocks_.at(indices + r * length) * c_.block + begin; };
          // What is read is asked for, some rows of it at once.
          std::array<std::int64_t, kAhead> places;
          for (std::int64_t first = 0; first < c_.rows; first += kAhead) {
            const std::int64_t n = std::min(kAhead, c_.rows - first);
            for (std::int64_t r = 0; r < n; ++r) {
              const std::int64_t to = place(first + r);
              places[static_cast<std::size_t>(r)] = to;
              __builtin_prefetch(out + to, 1);
            }
            for (std::int64_t r = 0; r < n; ++r) f(places[static_cast<std::size_t>(r)], (first + r) * c_.block + begin);
          }
        };
        if constexpr (kind == ScatterKind::Replace) {
          const auto copy = [&](std::int64_t to, const T* from, std::int64_t n) {
            copy_bytes(reinterpret_cast<char*>(out + to), reinterpret_cast<const char*>(from),
                       n * static_cast<std::int64_t>(sizeof(T)));
          };
          const T* const data = static_cast<const T*>(operands[0]);
          for (std::int64_t b = 0; copies_the_rest && b < blocks_.count(); ++b)
            if (!replaced[b]) copy(b * c_.block + begin, data + b * c_.block + begin, end - begin);
          const bool whole = end - begin == c_.block;
          for (std::int64_t r = 0, n = 1; r < c_.rows; r += n) {
            const std::int64_t* const row = indices + r * length;
            const std::int64_t to = blocks_.at(row) * c_.block + begin;
            if (whole) n = blocks_.following(row, c_.rows - r);
            copy(to, update + r * c_.block + begin, n * (end - begin));
          }
        } else {
          take_updates<kind>(out, update, static_cast<float*>(scratch), [&](auto&& take) {
            each_row([&](std::int64_t to, std::int64_t from) {
              for (std::int64_t i = 0; i < end - begin; ++i) take(to + i, from + i);
            });
          });
        }
      });
    });
  }

 private:
  static constexpr std::int64_t kAhead = 64;       // rows
  static constexpr std::int64_t kLongBlock = 512;  // bytes, beside which it costs little to note what is replaced
  ScatterNdConfig c_;
  IndexBlocks blocks_;
  std::int64_t elements_;
  bool copies_the_rest_;
};

std::string scatter_nd_refuses(const ScatterNdConfig& c) {
  if (std::string why = scattered_type_refusal(c.type, c.kind); !why.empty()) return why;
  Shape data = c.axes;
  data.push_back(c.block);
  data.push_back(static_cast<std::int64_t>(element_size(c.type)));
  const Shape updates = {c.rows, c.block, static_cast<std::int64_t>(element_size(c.type))};
  const Shape indices = {c.rows, static_cast<std::int64_t>(c.axes.size()), 8};
  return extent_refusal({&data, &updates, &indices});
}
std::unique_ptr<Kernel> make_scatter_nd(const ScatterNdConfig& c, PackedConstants&) {
  return std::make_unique<ScatterNd>(c);
}

std::string known_scatter_refuses(const ScatterNdConfig& c) {
  const std::string why = scatter_nd_refuses(c);
  return why.empty() ? scatter_runs_refuses(c) : why;
}

constexpr Candidate<GatherElementsConfig> kGatherElements[] = {
    {"gather_elements", gather_elements_refuses, make_gather_elements}};
constexpr Candidate<ScatterElementsConfig> kScatterElements[] = {
    {"scatter_elements", scatter_elements_refuses, make_scatter_elements}};
constexpr Candidate<GatherNdConfig> kGatherNd[] = {{"gather_nd", gather_nd_refuses, make_gather_nd}};
constexpr Candidate<ScatterNdConfig> kScatterNd[] = {{"scatter_runs", known_scatter_refuses, make_scatter_runs},
                                                     {"scatter_nd", scatter_nd_refuses, make_scatter_nd}};

}  // namespace
}  // namespace scatter_cc

void refuse_index(std::int64_t index, std::int64_t size) {
  throw Error(ErrorCode::RuntimeError, "index " + std::to_string(index) + " is outside [" + std::to_string(-size) +
                                           ", " + std::to_string(size) + ")");
}

std::span<const Candidate<GatherElementsConfig>> gather_elements_candidates() { return kGatherElements; }
std::span<const Candidate<ScatterElementsConfig>> scatter_elements_candidates() { return kScatterElements; }
std::span<const Candidate<GatherNdConfig>> gather_nd_candidates() { return kGatherNd; }
std::span<const Candidate<ScatterNdConfig>> scatter_nd_candidates() { return kScatterNd; }

}  // namespace norn::kernels
