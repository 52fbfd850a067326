#include "kernels/cpu/output_blocks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/physical.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {

std::optional<OutputBlocks> OutputBlocks::of(const dnnl::memory::desc& desc, std::size_t output) {
  if (desc.get_format_kind() != dnnl::memory::format_kind::blocked ||
      desc.get_data_type() != dnnl::memory::data_type::f32 || desc.get_submemory_offset() != 0)
    return std::nullopt;
  const auto sizes = desc.get_dims(), padded = desc.get_padded_dims(), strides = desc.get_strides();
  const auto blocks = desc.get_inner_blks(), indices = desc.get_inner_idxs();
  std::vector<std::int64_t> inner(sizes.size(), 1), inner_stride(sizes.size(), 0);  // of each dimension's block
  std::int64_t step = 1;
  for (std::size_t j = blocks.size(); j-- > 0;) {
    const auto d = static_cast<std::size_t>(indices[j]);
    if (inner_stride[d] != 0) return std::nullopt;  // blocks of blocks
    inner[d] = blocks[j];
    inner_stride[d] = step;
    step *= blocks[j];
  }
  OutputBlocks form;
  form.output_ = output;
  form.block_ = inner[output];
  form.block_stride_ = strides[output];
  if (form.block_ < 2 || inner_stride[output] != 1) return std::nullopt;
  std::int64_t whole = form.block_;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (d == output) continue;
    // Contiguous blocks are one: they need no dimension of their own.
    if (inner_stride[d] != 0 && padded[d] > inner[d] && strides[d] != inner[d] * inner_stride[d]) return std::nullopt;
    form.padded_ = form.padded_ || padded[d] != sizes[d];
    if (padded[d] > 1) form.dims_.push_back({sizes[d], inner_stride[d] != 0 ? inner_stride[d] : strides[d], d});
    whole *= padded[d];
  }
  if (whole != form.block_stride_ && padded[output] > form.block_) return std::nullopt;
  form.block_stride_ = whole;
  std::sort(form.dims_.begin(), form.dims_.end(), [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
  std::int64_t expected = form.block_;
  for (std::size_t i = form.dims_.size(); i-- > 0;) {
    if (form.dims_[i].stride != expected) return std::nullopt;
    expected *= padded[form.dims_[i].at];
  }
  const std::int64_t count = (sizes[output] + form.block_ - 1) / form.block_;
  if (desc.get_size() != static_cast<std::size_t>(count * whole) * sizeof(float)) return std::nullopt;
  return form;
}

std::shared_ptr<const void> OutputBlocks::part(const Contents& contents, std::size_t offset, const dnnl_dims& strides,
                                               std::int64_t outputs, std::int64_t first,
                                               PackedConstants& packed) const {
  std::string recipe = "blocks";
  const auto add = [&](std::int64_t number) { (recipe += ' ') += std::to_string(number); };
  for (const std::int64_t number : {block_, block_stride_, outputs, strides[output_]}) add(number);
  for (const Dim& d : dims_)
    for (const std::int64_t number : {d.size, d.stride, strides[d.at]}) add(number);
  auto whole = packed.get(contents, offset, recipe,
                          [&] { return pack(static_cast<const char*>(contents.data) + offset, strides, outputs); });
  const auto* at = static_cast<const float*>(whole.get()) + first / block_ * block_stride_;
  return {std::move(whole), at};
}

std::shared_ptr<const void> OutputBlocks::pack(const char* source, const dnnl_dims& strides,
                                               std::int64_t outputs) const {
  const std::int64_t count = (outputs + block_ - 1) / block_, full = outputs / block_, every = strides[output_];
  auto buffer = aligned_buffer(static_cast<std::size_t>(count * block_stride_) * sizeof(float));
  auto* const to = static_cast<float*>(buffer.get());
  const auto zero = [&](std::int64_t from, std::int64_t blocks) {
    std::memset(to + from * block_stride_, 0, static_cast<std::size_t>(blocks * block_stride_) * sizeof(float));
  };
  if (padded_) zero(0, count);
  if (!padded_ && full < count) zero(full, 1);
  // Where outputs are rows of the source, the dimension whose elements lie side by side there runs along them.
  std::size_t row = dims_.size();
  for (std::size_t i = 0; i < dims_.size(); ++i)
    if (strides[dims_[i].at] == 1 && every != 1) row = i;
  if (row == dims_.size() || dims_[row].size < 16) {
    if (!copy_rows(source, strides, outputs, to)) copy(source, strides, outputs, to);
    return buffer;
  }
  std::vector<GridDim> grid;
  grid.push_back({full, block_ * every, block_stride_});
  for (std::size_t i = 0; i < dims_.size(); ++i)
    if (i != row) grid.push_back({dims_[i].size, strides[dims_[i].at], dims_[i].stride});
  const Dim& along = dims_[row];
  if (full > 0)
    transpose_grid(source, to, grid.data(), grid.size(), block_, along.size, every, along.stride, sizeof(float));
  if (full < count) {
    grid[0].size = 1;
    transpose_grid(source + static_cast<std::size_t>(full * block_ * every) * sizeof(float), to + full * block_stride_,
                   grid.data(), grid.size(), outputs % block_, along.size, every, along.stride, sizeof(float));
  }
  return buffer;
}

// Of outputs that are whole rows of the source, as the filters of a window are: a stretch of each row of a block is
// fetched at a time, since elements of different rows, one by one, would fall into a few sets of the cache. False for
// others.
bool OutputBlocks::copy_rows(const char* source, const dnnl_dims& strides, std::int64_t outputs, float* to) const {
  const std::int64_t count = (outputs + block_ - 1) / block_, every = strides[output_];
  std::vector<const Dim*> inner;  // from the one whose elements lie side by side on
  for (const Dim& d : dims_) inner.push_back(&d);
  std::sort(inner.begin(), inner.end(), [&](const Dim* a, const Dim* b) { return strides[a->at] < strides[b->at]; });
  std::int64_t each = 1;
  for (const Dim* d : inner) {
    if (d->size > 1 && strides[d->at] != each) return false;
    each *= d->size;
  }
  if (inner.empty() || each != every) return false;
  const Dim& outer = *inner.back();
  inner.pop_back();
  const std::int64_t points = every / std::max<std::int64_t>(1, outer.size);
  std::vector<std::int64_t> at(static_cast<std::size_t>(points), 0);  // in the form
  for (std::int64_t p = 0; p < points; ++p) {
    std::int64_t rest = p;
    for (const Dim* d : inner) {
      at[static_cast<std::size_t>(p)] += rest % d->size * d->stride;
      rest /= d->size;
    }
  }
  constexpr std::int64_t kTogether = 6144, kMost = 1 << 16;  // floats that stay in the first cache, and in the second
  if (block_ * points > kMost) return false;
  const std::int64_t stretch = std::clamp<std::int64_t>(kTogether / (block_ * points), 1, outer.size);
  const std::int64_t stretches = (outer.size + stretch - 1) / stretch, pitch = stretch * points | 1;
  const double unit_ns = static_cast<double>(block_ * stretch * points) * 0.6;
  parallel_ranges(count * stretches, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> fetched(static_cast<std::size_t>(block_ * pitch));
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t block = u / stretches, columns = std::min(block_, outputs - block * block_);
      const std::int64_t first = u % stretches * stretch, here = std::min(stretch, outer.size - first);
      for (std::int64_t o = 0; o < columns; ++o)
        std::memcpy(fetched.data() + o * pitch,
                    source + ((block * block_ + o) * every + first * points) * static_cast<std::int64_t>(sizeof(float)),
                    static_cast<std::size_t>(here * points) * sizeof(float));
      for (std::int64_t p = 0; p < points; ++p)
        for (std::int64_t i = 0; i < here; ++i) {
          float* const put = to + block * block_stride_ + (first + i) * outer.stride + at[static_cast<std::size_t>(p)];
          const float* const from = fetched.data() + i * points + p;
          for (std::int64_t o = 0; o < columns; ++o) put[o] = from[o * pitch];
        }
    }
  });
  return true;
}

// One element after the other, or a block at a time where outputs lie side by side.
void OutputBlocks::copy(const char* source, const dnnl_dims& strides, std::int64_t outputs, float* to) const {
  const std::int64_t count = (outputs + block_ - 1) / block_, every = strides[output_];
  std::int64_t points = 1;
  for (const Dim& d : dims_) points *= d.size;
  const double unit_ns = static_cast<double>(block_) * (every == 1 ? 0.2 : 1.0);
  parallel_ranges(count * points, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t block = u / points, columns = std::min(block_, outputs - block * block_);
      std::int64_t from = block * block_ * every, at = block * block_stride_;
      std::int64_t rest = u % points;
      for (std::size_t i = dims_.size(); i-- > 0; rest /= dims_[i].size) {
        from += rest % dims_[i].size * strides[dims_[i].at];
        at += rest % dims_[i].size * dims_[i].stride;
      }
      const char* x = source + from * static_cast<std::int64_t>(sizeof(float));
      if (every == 1) {
        std::memcpy(to + at, x, static_cast<std::size_t>(columns) * sizeof(float));
        continue;
      }
      for (std::int64_t o = 0; o < columns; ++o, x += every * static_cast<std::int64_t>(sizeof(float)))
        std::memcpy(to + at + o, x, sizeof(float));
    }
  });
}

}  // namespace norn::kernels
