// Every pass along an axis reads the tensor that the one before made; but two passes, of which the second is along an
// axis before that of the first, keep only the lines of the first that the second is about to read. Half types are
// summed in f32, integers in double.
#include "kernels/cpu/resample.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace resample_cc {
namespace {

bool is_integer(DataType type) {
  return type == DataType::Int8 || type == DataType::Uint8 || type == DataType::Int16 || type == DataType::Uint16 ||
         type == DataType::Int32;
}

// Two axes as one where the last of them is so short that going from line to line takes longer than the sums.
ResampleConfig with_joined_axes(const ResampleConfig& c) {
  constexpr std::int64_t kShort = 8, kMostTaps = 16, kMostWeights = 16384;
  const std::size_t rank = c.x.size();
  if (c.axes.size() != 2 || rank < 2) return c;
  const ResampledAxis &along = c.axes[0], &down = c.axes[1];
  const std::int64_t columns = c.x[rank - 1], taps = along.taps * down.taps;
  if (along.axis != static_cast<std::int64_t>(rank) - 1 || down.axis != along.axis - 1 || along.out > kShort ||
      taps > kMostTaps || along.out * down.out * taps > kMostWeights || columns * c.x[rank - 2] > kMostWeights)
    return c;
  ResampledAxis both{down.axis, down.out * along.out, taps, {}, {}};
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t row = 0; row < down.out; ++row)
    for (std::int64_t column = 0; column < along.out; ++column)
      for (std::int64_t d = row * down.taps; d < (row + 1) * down.taps; ++d)
        for (std::int64_t a = column * along.taps; a < (column + 1) * along.taps; ++a) {
          both.index.push_back(down.index[at(d)] * static_cast<std::int32_t>(columns) + along.index[at(a)]);
          both.weight.push_back(down.weight[at(d)] * along.weight[at(a)]);
        }
  ResampleConfig joined = c;
  joined.x.pop_back();
  joined.x.back() *= columns;
  joined.axes = {std::move(both)};
  return joined;
}

template <class T>
struct Pass {
  std::int64_t outer, in, out, inner, taps;
  std::vector<std::int32_t> index;
  std::vector<T> weight;
  // Where lines are taken in blocks: ResampleLoops::blocks.
  std::vector<std::int32_t> block_first, block_index;
  std::vector<T> block_weight;
};

// None if a block of coordinates reads further apart than two vectors.
template <class T>
void make_blocks(Pass<T>& p, std::int64_t lanes) {
  const std::int64_t reach = 2 * lanes, count = p.out / lanes;
  if (lanes < 2 || p.in < reach) return;
  std::vector<std::int32_t> first, index;
  std::vector<T> weight;
  for (std::int64_t b = 0; b < count; ++b) {
    const auto begin = p.index.begin() + b * lanes * p.taps;
    const auto [least, most] = std::minmax_element(begin, begin + lanes * p.taps);
    const std::int64_t from = std::min<std::int64_t>(*least, p.in - reach);
    if (*most - from >= reach) return;
    first.push_back(static_cast<std::int32_t>(from));
    for (std::int64_t t = 0; t < p.taps; ++t)
      for (std::int64_t i = 0; i < lanes; ++i) {
        const auto at = static_cast<std::size_t>((b * lanes + i) * p.taps + t);
        index.push_back(p.index[at] - static_cast<std::int32_t>(from));
        weight.push_back(p.weight[at]);
      }
  }
  p.block_first = std::move(first);
  p.block_index = std::move(index);
  p.block_weight = std::move(weight);
}

template <class T>
class Resample final : public Kernel {
 public:
  Resample(const ResampleConfig& given, ResampleLoops<T> loops) : type_(given.type), loops_(loops) {
    const ResampleConfig c = with_joined_axes(given);
    Shape dims = c.x;
    first_ = largest_ = element_count(dims);
    for (const ResampledAxis& axis : c.axes) {
      const auto d = static_cast<std::size_t>(axis.axis);
      Pass<T> pass{1,  dims[d], axis.out, 1, axis.taps, axis.index, {axis.weight.begin(), axis.weight.end()},
                   {}, {},      {}};
      for (std::size_t i = 0; i < dims.size(); ++i)
        if (i != d) (i < d ? pass.outer : pass.inner) *= dims[i];
      if (pass.inner == 1) make_blocks(pass, loops_.lanes);
      dims[d] = axis.out;
      largest_ = std::max(largest_, element_count(dims));
      passes_.push_back(std::move(pass));
    }
    last_ = element_count(dims);
    keep_lines();
  }

  std::size_t scratch_bytes() const override {
    return 2 * buffer_bytes() + static_cast<std::size_t>(tasks_ * kept_bytes());
  }
  std::size_t bytes() const noexcept override {
    std::size_t n = 512;
    for (const auto& pass : passes_)
      n += (pass.index.size() + pass.block_index.size()) * (sizeof(T) + sizeof(std::int32_t));
    return n;
  }

  void run(void* const* operands, void* scratch) const override {
    if (last_ == 0) return;
    T* buffers[2] = {static_cast<T*>(scratch), static_cast<T*>(scratch) + buffer_bytes() / sizeof(T)};
    const bool own = computes_operands();
    const T* x = own ? static_cast<const T*>(operands[0]) : buffers[1];
    if (!own) load(operands[0], buffers[1]);
    if (kept_ > 0) {
      T* const to = own ? static_cast<T*>(operands[1]) : buffers[0];
      run_both(x, to, static_cast<std::byte*>(scratch) + 2 * buffer_bytes());
      x = to;
    }
    for (std::size_t p = 0; p < passes_.size() && kept_ == 0; ++p) {
      T* to = own && p + 1 == passes_.size() ? static_cast<T*>(operands[1]) : buffers[p % 2];
      run_pass(passes_[p], x, to);
      x = to;
    }
    if (!own) store(x, operands[1]);
  }

 private:
  // Whether passes read and write the operands' own type.
  bool computes_operands() const { return type_ == DataType::Float || type_ == DataType::Double; }
  // Of a whole tensor, of which there is none where all passes are made at once from operand to operand.
  std::size_t buffer_bytes() const {
    return kept_ > 0 && computes_operands() ? 0 : align64(static_cast<std::size_t>(largest_) * sizeof(T));
  }

  static constexpr std::int64_t kMostTaps = 256;  // along an axis, of lines that are kept

  // Of each task: its lines, and which one each of them is.
  std::int64_t kept_bytes() const { return round_up(kept_ * (line_ * static_cast<std::int64_t>(sizeof(T)) + 8), 64); }
  void keep_lines() {
    // What stays in the second cache as a whole is read from there with less ado.
    constexpr std::int64_t kMostLines = 64, kMostBytes = 512 << 10, kCachedBytes = 1 << 20;
    if (last_ == 0 || passes_.size() != 2 || passes_[1].taps > kMostTaps ||
        passes_[1].outer * passes_[1].in * passes_[1].inner * std::int64_t{sizeof(T)} <= kCachedBytes)
      return;
    const Pass<T>& down = passes_[1];
    if (down.inner <= kFewInner || down.inner % (passes_[0].out * passes_[0].inner) != 0) return;
    std::int64_t span = 0;
    for (std::int64_t at = 0; at < down.out; ++at) {
      const auto first = down.index.begin() + at * down.taps;
      const auto [least, most] = std::minmax_element(first, first + down.taps);
      span = std::max<std::int64_t>(span, *most - *least + 1);
    }
    line_ = down.inner;
    if (span > kMostLines || span * line_ * static_cast<std::int64_t>(sizeof(T)) > kMostBytes) return;
    kept_ = span;
    const double row_ns = 5 + 0.1 * static_cast<double>(line_ * (down.taps + passes_[0].taps));
    tasks_ = piece_count(down.outer * down.out, row_ns);
  }

  void run_both(const T* x, T* out, std::byte* scratch) const {
    const Pass<T>&along = passes_[0], &down = passes_[1];
    const std::int64_t times = line_ / (along.out * along.inner);  // lines of the first pass in one of the second
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* const holds = reinterpret_cast<std::int64_t*>(scratch + task * kept_bytes());
      T* const lines = reinterpret_cast<T*>(holds + kept_);
      std::fill_n(holds, kept_, -1);
      std::array<std::int32_t, kMostTaps> places;
      for (auto [r, last] = base::part_of(down.outer * down.out, tasks_, task); r < last; ++r) {
        const auto [outer, at] = base::divide(r, down.out);
        for (std::int64_t t = 0; t < down.taps; ++t) {
          const std::int64_t which = outer * down.in + down.index[static_cast<std::size_t>(at * down.taps + t)];
          const std::int64_t place = which % kept_;
          places[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(place);
          if (holds[place] == which) continue;
          holds[place] = which;
          pass_lines(along, x + which * times * along.in * along.inner, times, lines + place * line_);
        }
        loops_.row(lines, line_, places.data(), down.weight.data() + at * down.taps, down.taps, out + r * line_);
      }
    });
  }
  // Lines of a pass that lie behind each other.
  void pass_lines(const Pass<T>& p, const T* x, std::int64_t count, T* out) const {
    if (p.inner <= kFewInner) return few_inner(p, x, count, out);
    for (std::int64_t o = 0; o < count; ++o)
      for (std::int64_t at = 0; at < p.out; ++at, out += p.inner)
        loops_.row(x + o * p.in * p.inner, p.inner, p.index.data() + at * p.taps, p.weight.data() + at * p.taps, p.taps,
                   out);
  }
  void few_inner(const Pass<T>& p, const T* x, std::int64_t count, T* out) const {
    const auto line = loops_.lines[p.inner - 1];
    const auto blocks = static_cast<std::int64_t>(p.block_first.size());
    const std::int64_t done = blocks * loops_.lanes, taps_done = done * p.taps;
    for (std::int64_t o = 0; o < count; ++o, x += p.in * p.inner, out += p.out * p.inner) {
      if (blocks > 0)
        loops_.blocks(x, p.block_first.data(), p.block_index.data(), p.block_weight.data(), p.taps, blocks, out);
      line(x, p.index.data() + taps_done, p.weight.data() + taps_done, p.taps, p.out - done, out + done);
    }
  }

  void run_pass(const Pass<T>& p, const T* x, T* out) const {
    if (p.inner <= kFewInner) {
      const double line_ns = static_cast<double>(p.out * p.taps);
      parallel_ranges(p.outer, line_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        few_inner(p, x + begin * p.in * p.inner, end - begin, out + begin * p.out * p.inner);
      });
      return;
    }
    const double row_ns = 5 + 0.1 * static_cast<double>(p.inner * p.taps);
    parallel_ranges(p.outer * p.out, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const auto [outer, at] = base::divide(r, p.out);
        const std::int64_t first = at * p.taps;
        loops_.row(x + outer * p.in * p.inner, p.inner, p.index.data() + first, p.weight.data() + first, p.taps,
                   out + r * p.inner);
      }
    });
  }

  void load(const void* from, T* to) const {
    const std::int64_t size = static_cast<std::int64_t>(element_size(type_));
    parallel_ranges(first_, 0.3, 1024, [&](std::int64_t begin, std::int64_t end) {
      const void* at = static_cast<const char*>(from) + begin * size;
      if constexpr (std::is_same_v<T, double>) {
        cast_loop(type_, DataType::Double)(at, to + begin, end - begin);
      } else {
        const HalfTable& halves = half_table();
        (type_ == DataType::Float16 ? halves.float16_to_float : halves.bfloat16_to_float)(
            static_cast<const std::uint16_t*>(at), to + begin, end - begin);
      }
    });
  }
  void store(const T* from, void* to) const {
    parallel_ranges(last_, 1, 1024, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t n = end - begin;
      if constexpr (std::is_same_v<T, double>) {
        round_loop(type_)(from + begin, static_cast<char*>(to) + begin * static_cast<std::int64_t>(element_size(type_)),
                          n);
      } else {
        const HalfTable& halves = half_table();
        (type_ == DataType::Float16 ? halves.float_to_float16 : halves.float_to_bfloat16)(
            from + begin, static_cast<std::uint16_t*>(to) + begin, n);
      }
    });
  }

  DataType type_;
  ResampleLoops<T> loops_;
  std::vector<Pass<T>> passes_;
  std::int64_t first_, last_, largest_;
  // Where two passes are made at once: how many lines of the first one are kept, and their elements.
  std::int64_t kept_ = 0, line_ = 0, tasks_ = 0;
};

std::string refuses(const ResampleConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double && !is_half(c.type) && !is_integer(c.type))
    return "does not compute " + std::string(data_type_name(c.type));
  if (c.axes.empty()) return "there is nothing to sum";
  Shape dims = c.x;
  if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  for (const ResampledAxis& axis : c.axes) {
    const auto d = static_cast<std::size_t>(axis.axis);
    const std::size_t numbers = static_cast<std::size_t>(axis.out * axis.taps);
    if (axis.axis < 0 || d >= dims.size() || axis.taps < 1 || axis.index.size() != numbers ||
        axis.weight.size() != numbers)
      return "an axis without as many taps as it says";
    for (std::int32_t i : axis.index)
      if (i < 0 || i >= dims[d]) return "a tap outside of x";
    dims[d] = axis.out;
    if (std::string why = extent_refusal({&dims}); !why.empty()) return why;
  }
  return "";
}
std::unique_ptr<Kernel> make(const ResampleConfig& c, PackedConstants&) {
  if (c.type == DataType::Double || is_integer(c.type))
    return std::make_unique<Resample<double>>(c, resample_loops_f64());
  return std::make_unique<Resample<float>>(c, resample_loops_f32());
}

constexpr Candidate<ResampleConfig> kResampleCandidates[] = {{"resample", refuses, make}};

}  // namespace
}  // namespace resample_cc

std::span<const Candidate<ResampleConfig>> resample_candidates() { return kResampleCandidates; }

}  // namespace norn::kernels
