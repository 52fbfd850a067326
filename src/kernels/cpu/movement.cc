// Every move is a copy of runs, or a transposition of blocks where no run survives. Dimensions that stay neighbours are
// merged first, so that the loops see the fewest and longest.
#include "kernels/cpu/movement.h"

#include <algorithm>
#include <cstring>

#include "base/division.h"
#include "kernels/cpu/by_four.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/index_check.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/picked_copy.h"
#include "kernels/cpu/reorder.h"
#include "kernels/cpu/transpose.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace movement_cc {
namespace {

constexpr double kByteNs = 0.1;

bool good_size(std::size_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }
std::string size_refusal(std::size_t bytes, std::initializer_list<const Shape*> tensors) {
  return good_size(bytes) ? extent_refusal(tensors) : "elements of " + std::to_string(bytes) + " bytes";
}

template <class T>
void copy_strided(const void* x, std::int64_t x_stride, void* out, std::int64_t out_stride, std::int64_t n) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < n; ++i) to[i * out_stride] = from[i * x_stride];
}

// n elements with strides in elements.
void copy_run(const void* x, std::int64_t x_stride, void* out, std::int64_t out_stride, std::int64_t n,
              std::size_t bytes) {
  if (x_stride == 1 && out_stride == 1) {
    copy_bytes(static_cast<char*>(out), static_cast<const char*>(x), n * static_cast<std::int64_t>(bytes));
    return;
  }
  if (x_stride == 0 && out_stride == 1) {
    if (bytes <= 8) return fill_elements(out, x, bytes, n);
    return copy_strided<Loose<Wide>>(x, 0, out, 1, n);
  }
  switch (bytes) {
    case 1: return copy_strided<std::uint8_t>(x, x_stride, out, out_stride, n);
    case 2: return copy_strided<Loose<std::uint16_t>>(x, x_stride, out, out_stride, n);
    case 4: return copy_strided<Loose<std::uint32_t>>(x, x_stride, out, out_stride, n);
    case 8: return copy_strided<Loose<std::uint64_t>>(x, x_stride, out, out_stride, n);
    default: return copy_strided<Loose<Wide>>(x, x_stride, out, out_stride, n);
  }
}

// One run of bytes, many times behind each other.
void repeat_run(const char* x, char* out, std::int64_t run, std::int64_t times) {
  if (run == 0 || times == 0) return;
  copy_bytes(out, x, run);
  repeat_first(out, run, run * times);
}

// Copies a grid of elements, outermost dimension first.
class GridCopy {
 public:
  GridCopy() = default;
  GridCopy(const std::vector<GridDim>& dims, std::size_t bytes) : bytes_(bytes) {
    for (const GridDim& d : dims) {
      points_ *= d.size;
      if (d.size == 1) continue;
      if (!dims_.empty() && dims_.back().x_stride == d.x_stride * d.size &&
          dims_.back().out_stride == d.out_stride * d.size)
        dims_.back() = {dims_.back().size * d.size, d.x_stride, d.out_stride};
      else
        dims_.push_back(d);
    }
    if (dims_.empty()) dims_.push_back({1, 1, 1});
    const std::vector<GridDim> merged = dims_;
    run_ = dims_.back();
    dims_.pop_back();
    // A long run is cut, so that several threads can share it.
    const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 16) / static_cast<std::int64_t>(bytes));
    piece_ = std::min(run_.size, most);
    pieces_ = piece_ == 0 ? 0 : (run_.size + piece_ - 1) / piece_;
    const auto size = static_cast<std::int64_t>(bytes);
    const bool is_run = run_.x_stride == 1 && run_.out_stride == 1;
    const std::int64_t in_one_loop = is_run && !dims_.empty() ? run_.size * dims_.back().size : run_.size;
    if (!dims_.empty() && points_ > kFew && run_.size * size <= kShort && in_one_loop < (is_run ? kFew : kFew / 4))
      picked_ = PickedCopy(merged, bytes);
    constexpr std::int64_t kPage = 4096, kSecondCache = std::int64_t{256} << 10;
    far_ = !dims_.empty() && run_.size * size > kLongestInPieces && run_.size * size <= kPage &&
           dims_.back().x_stride > run_.size && points_ * size > kSecondCache;
  }

  std::size_t bytes() const { return picked_.bytes(); }
  void run(const void* x, void* out) const {
    if (points_ == 0) return;
    if (picked_) return picked_.run(x, out);
    if (!dims_.empty() && run_.x_stride == 1 && run_.out_stride == 1 &&
        run_.size * static_cast<std::int64_t>(bytes_) <= kShort)
      return run_short(x, out);
    std::int64_t rows = pieces_;
    for (const GridDim& d : dims_) rows *= d.size;
    const double row_ns =
        3 + static_cast<double>(piece_) *
                (run_.x_stride == 1 && run_.out_stride == 1 ? kByteNs * static_cast<double>(bytes_) : 0.6);
    parallel_ranges(rows, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      const auto size = static_cast<std::int64_t>(bytes_);
      const std::size_t last = dims_.size() - 1;
      for (std::int64_t i = begin; i < end;) {
        // Where row i lies; those behind it along the last dimension follow by its strides.
        const auto [row, piece] = base::divide(i, pieces_);
        const std::int64_t first = piece * piece_, n = std::min(piece_, run_.size - first);
        std::int64_t follow = 1;
        GridDim step{1, 0, 0};
        if (!dims_.empty() && pieces_ == 1) {
          step = dims_[last];
          follow = std::min(step.size - base::divide(row, step.size).rest, end - i);
        }
        const GridOffsets at = grid_offsets(dims_.data(), dims_.size(), row);
        const char* from = static_cast<const char*>(x) + (at.x + first * run_.x_stride) * size;
        char* to = static_cast<char*>(out) + (at.out + first * run_.out_stride) * size;
        const bool repeats = step.x_stride == 0 && step.out_stride == n && run_.x_stride == 1 && run_.out_stride == 1;
        if (repeats)
          repeat_run(from, to, n * size, follow);
        else if (far_ && run_.x_stride == 1 && run_.out_stride == 1)
          copy_far_rows(from, step.x_stride * size, to, step.out_stride * size, n * size, follow);
        else if (run_.x_stride == 1 && run_.out_stride == 1)
          copy_rows(from, step.x_stride * size, to, step.out_stride * size, n * size, follow);
        else
          for (std::int64_t k = 0; k < follow; ++k, from += step.x_stride * size, to += step.out_stride * size)
            copy_run(from, run_.x_stride, to, run_.out_stride, n, bytes_);
        i += follow;
      }
    });
  }

 private:
  static constexpr std::int64_t kShort = 32;  // bytes of a run
  static constexpr std::int64_t kFew = 64;    // elements that are copied by one loop

  // Rows of few bytes, one dimension of them in a loop.
  void run_short(const void* x, void* out) const {
    const GridDim& inner = dims_.back();
    std::int64_t outer = 1;
    for (std::size_t d = 0; d + 1 < dims_.size(); ++d) outer *= dims_[d].size;
    constexpr std::int64_t kPart = 1024;  // of the dimension
    const std::int64_t parts = (inner.size + kPart - 1) / kPart, size = static_cast<std::int64_t>(bytes_);
    const double part_ns = 10 + 1.5 * static_cast<double>(std::min(inner.size, kPart));
    parallel_ranges(outer * parts, part_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [row, part] = base::divide(i, parts);
        const std::int64_t first = part * kPart, n = std::min(kPart, inner.size - first);
        const GridOffsets at = grid_offsets(dims_.data(), dims_.size() - 1, row);
        const char* from = static_cast<const char*>(x) + (at.x + first * inner.x_stride) * size;
        char* to = static_cast<char*>(out) + (at.out + first * inner.out_stride) * size;
        copy_rows(from, inner.x_stride * size, to, inner.out_stride * size, run_.size * size, n);
      }
    });
  }

  std::vector<GridDim> dims_;
  PickedCopy picked_;
  GridDim run_{1, 1, 1};
  std::size_t bytes_ = 1;
  std::int64_t points_ = 1, piece_ = 1, pieces_ = 1;
  bool far_ = false;  // rows are far apart in a tensor that the second cache does not hold
};

// Transpose:

class Transpose final : public Kernel {
 public:
  explicit Transpose(const TransposeConfig& c) : bytes_(c.element_bytes) {
    const auto x_strides = layout_strides(c.x, Layout::Dense);
    Shape out;
    for (std::int64_t p : c.perm) out.push_back(c.x[static_cast<std::size_t>(p)]);
    const auto out_strides = layout_strides(out, Layout::Dense);
    empty_ = element_count(c.x) == 0;
    std::vector<GridDim> dims;  // in the output's order, merged
    for (std::size_t d = 0; d < out.size(); ++d) {
      const GridDim dim{out[d], x_strides[static_cast<std::size_t>(c.perm[d])], out_strides[d]};
      if (dim.size == 1) continue;
      if (!dims.empty() && dims.back().x_stride == dim.x_stride * dim.size)
        dims.back() = {dims.back().size * dim.size, dim.x_stride, dim.out_stride};
      else
        dims.push_back(dim);
    }
    // Short runs of neighbours are one larger element.
    if (dims.size() > 1 && dims.back().x_stride == 1 &&
        good_size(bytes_ * static_cast<std::size_t>(dims.back().size))) {
      const std::int64_t n = dims.back().size;
      bytes_ *= static_cast<std::size_t>(n);
      dims.pop_back();
      for (GridDim& d : dims) {
        d.x_stride /= n;
        d.out_stride /= n;
      }
    }
    if (dims.empty() || dims.back().x_stride == 1) {
      copy_ = GridCopy(dims, bytes_);
      return;
    }
    blocks_ = true;
    const std::vector<GridDim> all = dims;
    rows_ = dims.back();
    dims.pop_back();
    const auto inner = std::find_if(dims.begin(), dims.end(), [](const GridDim& d) { return d.x_stride == 1; });
    if (inner != dims.end()) {
      columns_ = *inner;
      dims.erase(inner);
    }
    grid_ = dims;
    constexpr std::int64_t kSmall = 64;  // elements of a matrix
    if (!empty_ && !grid_.empty() && rows_.size * columns_.size <= kSmall) picked_ = PickedCopy(all, bytes_);
  }

  std::size_t bytes() const noexcept override { return 512 + copy_.bytes() + picked_.bytes(); }
  void run(void* const* operands, void*) const override {
    if (empty_) return;
    if (!blocks_) return copy_.run(operands[0], operands[1]);
    if (picked_) return picked_.run(operands[0], operands[1]);
    transpose_grid(operands[0], operands[1], grid_.data(), grid_.size(), rows_.size, columns_.size, rows_.x_stride,
                   columns_.out_stride, bytes_);
  }

 private:
  std::size_t bytes_;
  bool empty_ = false, blocks_ = false;
  GridCopy copy_;
  PickedCopy picked_;
  GridDim rows_{1, 1, 1}, columns_{1, 1, 1};
  std::vector<GridDim> grid_;
};

std::string transpose_refuses(const TransposeConfig& c) {
  if (c.perm.size() != c.x.size()) return "perm and x of different ranks";
  std::vector<bool> seen(c.x.size());
  for (std::int64_t p : c.perm) {
    if (p < 0 || static_cast<std::size_t>(p) >= c.x.size() || seen[static_cast<std::size_t>(p)])
      return "not a permutation";
    seen[static_cast<std::size_t>(p)] = true;
  }
  return size_refusal(c.element_bytes, {&c.x});
}
std::unique_ptr<Kernel> make_transpose(const TransposeConfig& c, PackedConstants&) {
  return std::make_unique<Transpose>(c);
}

// Concat:

class Concat final : public Kernel {
 public:
  explicit Concat(const ConcatConfig& c) : bytes_(c.element_bytes) {
    const auto axis = static_cast<std::size_t>(c.axis);
    Shape out = c.inputs[0];
    out[axis] = 0;
    for (const Shape& dims : c.inputs) out[axis] += dims[axis];
    const std::vector<std::int64_t> out_strides = layout_strides(out, c.layout);
    std::int64_t offset = 0;
    bool dense = true;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      const Shape& dims = c.inputs[i];
      const bool lies = i < c.strides.size() && !c.strides[i].empty();
      const std::vector<std::int64_t> strides = lies ? c.strides[i] : layout_strides(dims, c.layout);
      std::vector<GridDim> grid;
      for (std::size_t d : memory_order(dims.size(), c.layout)) grid.push_back({dims[d], strides[d], out_strides[d]});
      copies_.push_back({GridCopy(grid, bytes_), offset * out_strides[axis]});
      offset += dims[axis];
      dense = dense && !lies;
    }
    const std::int64_t row = out[axis] * out_strides[axis] * static_cast<std::int64_t>(bytes_);
    if (!dense || row > kLongRow || row == 0 || element_count(out) == 0) return;
    row_ = row;
    rows_ = element_count(out) * static_cast<std::int64_t>(bytes_) / row;
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      runs_.push_back(c.inputs[i][axis] * out_strides[axis] * static_cast<std::int64_t>(bytes_));
  }

  std::size_t bytes() const noexcept override {
    std::size_t bytes = 512;
    for (const auto& input : copies_) bytes += input.copy.bytes();
    return bytes;
  }
  void run(void* const* operands, void*) const override {
    char* out = static_cast<char*>(operands[copies_.size()]);
    if (row_ > 0) return run_rows(operands, out);
    for (std::size_t i = 0; i < copies_.size(); ++i)
      copies_[i].copy.run(operands[i], out + copies_[i].offset * static_cast<std::int64_t>(bytes_));
  }

 private:
  static constexpr std::int64_t kLongRow = 4096, kBlock = 16384;  // bytes

  // Of rows that consist of a run of each input: some rows of all of them while their lines are in the first cache.
  void run_rows(void* const* operands, char* out) const {
    const double row_ns = 1.5 * static_cast<double>(runs_.size()) + kByteNs * static_cast<double>(row_);
    const std::int64_t block = std::max<std::int64_t>(1, kBlock / row_);
    parallel_ranges(rows_, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t first = begin; first < end; first += block) {
        const std::int64_t n = std::min(block, end - first);
        char* to = out + first * row_;
        for (std::size_t i = 0; i < runs_.size(); to += runs_[i++])
          if (runs_[i] > 0)
            copy_rows(static_cast<const char*>(operands[i]) + first * runs_[i], runs_[i], to, row_, runs_[i], n);
      }
    });
  }

  struct Placed {
    GridCopy copy;
    std::int64_t offset;
  };
  std::size_t bytes_;
  std::vector<Placed> copies_;
  std::int64_t row_ = 0, rows_ = 0;  // bytes of a row; 0: inputs are copied one by one
  std::vector<std::int64_t> runs_;   // bytes of a row, by input
};

std::string concat_refuses(const ConcatConfig& c) {
  if (c.inputs.empty()) return "no inputs";
  const Shape& first = c.inputs[0];
  if (c.axis < 0 || static_cast<std::size_t>(c.axis) >= first.size()) return "an axis outside the rank";
  for (const Shape& dims : c.inputs) {
    if (dims.size() != first.size()) return "inputs of different ranks";
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (d != static_cast<std::size_t>(c.axis) && dims[d] != first[d]) return "inputs that differ off the axis";
    if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  }
  for (std::size_t i = 0; i < c.strides.size(); ++i)
    if (i >= c.inputs.size() || (!c.strides[i].empty() && c.strides[i].size() != c.inputs[i].size()) ||
        !bounded(c.strides[i]))
      return "strides that do not fit";
  Shape out = first;
  for (std::size_t i = 1; i < c.inputs.size(); ++i) {
    out[static_cast<std::size_t>(c.axis)] += c.inputs[i][static_cast<std::size_t>(c.axis)];
    if (std::string why = extent_refusal({&out}); !why.empty()) return why;
  }
  return size_refusal(c.element_bytes, {&first});
}
std::unique_ptr<Kernel> make_concat(const ConcatConfig& c, PackedConstants&) { return std::make_unique<Concat>(c); }

// Strided copy:

class StridedCopy final : public Kernel {
 public:
  explicit StridedCopy(const StridedCopyConfig& c) : c_(c) {
    std::vector<GridDim> dims;
    for (std::size_t d = 0; d < c.dims.size(); ++d) dims.push_back({c.dims[d], c.x_strides[d], c.out_strides[d]});
    copy_ = GridCopy(dims, c.element_bytes);
  }

  std::size_t bytes() const noexcept override { return 512 + copy_.bytes(); }
  void run(void* const* operands, void*) const override {
    const std::int64_t bytes = static_cast<std::int64_t>(c_.element_bytes);
    char* out = static_cast<char*>(operands[1]);
    if (c_.fill) {
      parallel_ranges(c_.out_elements, 0.1 * static_cast<double>(bytes), 1024,
                      [&](std::int64_t begin, std::int64_t end) {
                        copy_run(c_.fill_element.data(), 0, out + begin * bytes, 1, end - begin, c_.element_bytes);
                      });
    }
    copy_.run(static_cast<const char*>(operands[0]) + c_.x_offset * bytes, out + c_.out_offset * bytes);
  }

 private:
  StridedCopyConfig c_;
  GridCopy copy_;
};

std::string strided_copy_refuses(const StridedCopyConfig& c) {
  if (c.x_strides.size() != c.dims.size() || c.out_strides.size() != c.dims.size()) return "strides of another rank";
  const std::int64_t numbers[] = {c.x_offset, c.out_offset, c.out_elements};
  if (!bounded(numbers) || !bounded(c.x_strides) || !bounded(c.out_strides)) return "strides beyond any memory";
  for (std::size_t d = 0; d < c.dims.size(); ++d)
    for (const std::int64_t stride : {c.x_strides[d], c.out_strides[d]})
      if (!bounded_product({c.dims[d], stride < 0 ? -stride : stride})) return "strides beyond any memory";
  return size_refusal(c.element_bytes, {&c.dims});
}
std::unique_ptr<Kernel> make_strided_copy(const StridedCopyConfig& c, PackedConstants&) {
  return std::make_unique<StridedCopy>(c);
}

// Gather:

class Gather final : public Kernel {
 public:
  explicit Gather(const GatherConfig& c)
      : wide_(c.wide_indices), axis_(c.axis), size_(c.data[static_cast<std::size_t>(c.axis)]) {
    std::int64_t inner = 1;
    for (std::size_t d = 0; d < c.data.size(); ++d) {
      if (static_cast<std::int64_t>(d) < c.axis) outer_ *= c.data[d];
      if (static_cast<std::int64_t>(d) > c.axis) inner *= c.data[d];
    }
    count_ = element_count(c.indices);
    run_bytes_ = inner * static_cast<std::int64_t>(c.element_bytes);
  }

  // Indices that are read again and again, as they count from the front.
  std::size_t scratch_bytes() const override {
    return outer_ > 1 ? static_cast<std::size_t>(count_) * sizeof(std::int64_t) : 0;
  }
  void run(void* const* operands, void* scratch) const override {
    const char* data = static_cast<const char*>(operands[0]);
    char* out = static_cast<char*>(operands[2]);
    if (run_bytes_ == 0 || outer_ == 0) {  // nothing to copy; the indices have to be right all the same
      for (std::int64_t i = 0; i < count_; ++i) index(operands[1], i);
      return;
    }
    if (outer_ == 1 && run_bytes_ <= kShort) {
      if (wide_) return pick_short(data, static_cast<const std::int64_t*>(operands[1]), out);
      return pick_short(data, static_cast<const std::int32_t*>(operands[1]), out);
    }
    auto* const from_front = static_cast<std::int64_t*>(scratch);
    if (outer_ > 1)
      for (std::int64_t i = 0; i < count_; ++i) from_front[i] = index(operands[1], i);
    const auto pick_all = [&](auto at) {
      const double run_ns = (outer_ > 1 ? 0.5 : 2) + kByteNs * static_cast<double>(run_bytes_);
      parallel_ranges(outer_ * count_, run_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        switch (run_bytes_) {
          case 1: return pick<1>(data, at, out, begin, end);
          case 2: return pick<2>(data, at, out, begin, end);
          case 4: return pick<4>(data, at, out, begin, end);
          case 8: return pick<8>(data, at, out, begin, end);
          default: return pick<0>(data, at, out, begin, end);
        }
      });
    };
    if (outer_ > 1)
      pick_all([=](std::int64_t i) { return from_front[i]; });
    else if (run_bytes_ >= 64)
      pick_all([&, ahead = std::clamp<std::int64_t>(4096 / run_bytes_, 2, 8)](std::int64_t i) {
        fetch(data, operands[1], i + ahead);
        return index(operands[1], i);
      });
    else
      pick_all([&](std::int64_t i) { return index(operands[1], i); });
  }

 private:
  static constexpr std::int64_t kShort = 16;

  // Indices are checked before elements are picked, without a branch on any of them.
  template <class I>
  void pick_short(const char* data, const I* indices, char* out) const {
    const std::int64_t bytes = run_bytes_;
    parallel_ranges(count_, 2 + kByteNs * static_cast<double>(bytes), 1, [&](std::int64_t begin, std::int64_t end) {
      if (!indices_within(indices + begin, end - begin, size_))
        for (std::int64_t i = begin; i < end; ++i) index(indices, i);
      with_copy(bytes, [&](auto copy) {
        by_four(end - begin, [=, size = size_, from = indices + begin, to = out + begin * bytes](std::int64_t i) {
          const std::int64_t at = from[i];
          copy(to + i * bytes, data + (at + ((at >> 63) & size)) * bytes);
        });
      });
    });
  }

  // Runs [begin, end) of kBytes bytes; 0: of run_bytes_. at(k): the k-th index.
  template <std::size_t kBytes, class At>
  void pick(const char* data, const At& at, char* out, std::int64_t begin, std::int64_t end) const {
    const std::int64_t bytes = kBytes == 0 ? run_bytes_ : static_cast<std::int64_t>(kBytes);
    std::int64_t k = begin % count_, base = begin / count_ * size_;
    for (std::int64_t i = begin; i < end; base += size_, k = 0)
      for (const std::int64_t stop = std::min(end, i + count_ - k); i < stop; ++i, ++k)
        if constexpr (kBytes == 0)
          copy_bytes(out + i * bytes, data + (base + at(k)) * bytes, bytes);
        else
          std::memcpy(out + i * bytes, data + (base + at(k)) * bytes, kBytes);
  }
  // Asks for run i, if there is one, or the beginning of a long one: rows of a large table are far apart. The index may
  // be wrong.
  void fetch(const char* data, const void* indices, std::int64_t i) const {
    if (i >= count_) return;
    const std::int64_t value =
        wide_ ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int32_t*>(indices)[i];
    const auto row = static_cast<std::uint64_t>(value < 0 ? value + size_ : value);
    const auto at = reinterpret_cast<std::uintptr_t>(data) + row * static_cast<std::uint64_t>(run_bytes_);
    for (std::int64_t line = 0; line < std::min<std::int64_t>(run_bytes_, 1024); line += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(at + static_cast<std::uintptr_t>(line)));
  }
  std::int64_t index(const void* indices, std::int64_t i) const {
    const std::int64_t value =
        wide_ ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int32_t*>(indices)[i];
    if (value < -size_ || value >= size_)
      throw Error(ErrorCode::RuntimeError, "index " + std::to_string(value) + " is outside dimension " +
                                               std::to_string(axis_) + " of size " + std::to_string(size_));
    return value < 0 ? value + size_ : value;
  }

  bool wide_;
  std::int64_t axis_, size_, outer_ = 1, count_, run_bytes_;
};

std::string gather_refuses(const GatherConfig& c) {
  if (c.axis < 0 || static_cast<std::size_t>(c.axis) >= c.data.size()) return "an axis outside the rank";
  Shape out = c.data;
  out.erase(out.begin() + c.axis);
  out.insert(out.end(), c.indices.begin(), c.indices.end());
  return size_refusal(c.element_bytes, {&c.data, &c.indices, &out});
}
std::unique_ptr<Kernel> make_gather(const GatherConfig& c, PackedConstants&) { return std::make_unique<Gather>(c); }

// Reorder:

class Reorder final : public Kernel {
 public:
  explicit Reorder(const ReorderConfig& c) : batch_(c.dims[0]), rows_(c.dims[1]), element_bytes_(c.element_bytes) {
    for (std::size_t d = 2; d < c.dims.size(); ++d) columns_ *= c.dims[d];
    if (c.from == c.to) {
      columns_ *= rows_;
      rows_ = 1;
    } else if (c.from == Layout::ChannelsLast) {
      std::swap(rows_, columns_);
    }
  }
  void run(void* const* operands, void*) const override {
    transpose_matrices(operands[0], operands[1], batch_, rows_, columns_, element_bytes_);
  }

 private:
  std::int64_t batch_, rows_, columns_ = 1;
  std::size_t element_bytes_;
};

std::string reorder_refuses(const ReorderConfig& c) {
  return c.dims.size() < 2 ? "no channels" : extent_refusal({&c.dims});
}
std::unique_ptr<Kernel> make_reorder(const ReorderConfig& c, PackedConstants&) { return std::make_unique<Reorder>(c); }

constexpr Candidate<TransposeConfig> kTranspose[] = {{"copy", transpose_refuses, make_transpose}};
constexpr Candidate<ConcatConfig> kConcat[] = {{"copy", concat_refuses, make_concat}};
constexpr Candidate<StridedCopyConfig> kStridedCopy[] = {{"copy", strided_copy_refuses, make_strided_copy}};
constexpr Candidate<GatherConfig> kGather[] = {{"copy", gather_refuses, make_gather}};
constexpr Candidate<ReorderConfig> kReorder[] = {{"copy", reorder_refuses, make_reorder}};

}  // namespace
}  // namespace movement_cc

std::span<const Candidate<TransposeConfig>> transpose_candidates() { return kTranspose; }
std::span<const Candidate<ConcatConfig>> concat_candidates() { return kConcat; }
std::span<const Candidate<StridedCopyConfig>> strided_copy_candidates() { return kStridedCopy; }
std::span<const Candidate<GatherConfig>> gather_candidates() { return kGather; }
std::span<const Candidate<ReorderConfig>> reorder_candidates() { return kReorder; }

}  // namespace norn::kernels
