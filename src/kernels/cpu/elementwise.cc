// Chains: the tile that is being computed stays in the first cache while every step goes over it; a step is one
// indirect call for the tile. Operands that are not laid out like the output are copied into a tile of their own first,
// unless the whole tile sees one run of them. What an operand gives to each of many images or rows is spread once for
// all of them.
#include "kernels/cpu/elementwise.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/walk.h"
#include "kernels/element_op.h"

namespace norn::kernels {
inline namespace elementwise_cc {
namespace {

constexpr std::int64_t kTile = 1024;
constexpr std::int64_t kLongTile = 8 * kTile;  // where nothing is stored between steps

template <class T>
using Step = void (*)(const T* x, const T* y, T* out, std::int64_t n, float a, float b);

// Steps of other types than f32. Arithmetic of integers wraps; NaN goes through.

template <ElementOp op>
double apply_f64(double x, double y) {
  switch (op) {
    case ElementOp::Identity: return x;
    case ElementOp::Abs: return std::fabs(x);
    case ElementOp::Neg: return -x;
    case ElementOp::Relu: return x < 0 ? 0 : x;
    case ElementOp::Sqrt: return std::sqrt(x);
    case ElementOp::Add: return x + y;
    case ElementOp::Sub: return x - y;
    case ElementOp::Mul: return x * y;
    case ElementOp::Div: return x / y;
    case ElementOp::Max: return x > y || x != x ? x : y;
    case ElementOp::Min: return x < y || x != x ? x : y;
    default: std::abort();  // the table says that there is one
  }
}

template <class T, ElementOp op>
T apply_integer(T x, T y) {
  using U = std::make_unsigned_t<T>;
  const U ux = static_cast<U>(x), uy = static_cast<U>(y);
  switch (op) {
    case ElementOp::Identity: return x;
    case ElementOp::Abs: return x < 0 ? static_cast<T>(U{0} - ux) : x;
    case ElementOp::Neg: return static_cast<T>(U{0} - ux);
    case ElementOp::Relu: return x < 0 ? T{0} : x;
    case ElementOp::Add: return static_cast<T>(ux + uy);
    case ElementOp::Sub: return static_cast<T>(ux - uy);
    case ElementOp::Mul: return static_cast<T>(ux * uy);
    case ElementOp::Max: return x < y ? y : x;
    case ElementOp::Min: return y < x ? y : x;
    default: std::abort();  // the table says that there is one
  }
}

template <class T, ElementOp op>
T apply(T x, T y) {
  if constexpr (std::is_same_v<T, double>) {
    return apply_f64<op>(x, y);
  } else {
    return apply_integer<T, op>(x, y);
  }
}

template <class T, ElementOp op, Right right>
void loop(const T* x, const T* y, T* out, std::int64_t n, float, float) {
  if constexpr (!is_binary(op)) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = apply<T, op>(x[i], T{0});
  } else if constexpr (right == Right::Value || right == Right::ValueSwapped) {
    const T value = n > 0 ? y[0] : T{0};
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = right == Right::Value ? apply<T, op>(x[i], value) : apply<T, op>(value, x[i]);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = right == Right::Vector ? apply<T, op>(x[i], y[i]) : apply<T, op>(y[i], x[i]);
    }
  }
}

template <class T, ElementOp op>
Step<T> plain_step(Right right) {
  constexpr Step<T> kSteps[kRights] = {loop<T, op, Right::Vector>, loop<T, op, Right::Value>,
                                       loop<T, op, Right::ValueSwapped>, loop<T, op, Right::VectorSwapped>};
  return kSteps[static_cast<int>(right)];
}

// By ElementOp.
template <class T, std::size_t... op>
constexpr auto plain_steps(std::index_sequence<op...>) {
  return std::array<Step<T> (*)(Right), sizeof...(op)>{[](Right right) -> Step<T> {
    if constexpr (std::is_same_v<T, double> ? kElementTable[op].f64 : kElementTable[op].integers)
      return plain_step<T, kElementTable[op].op>(right);
    return nullptr;
  }...};
}

// Null where there is none.
template <class T>
Step<T> step_function(ElementOp op, Right right) {
  if constexpr (std::is_same_v<T, float>) {
    return step_table_f32()(op, right);
  } else {
    return plain_steps<T>(std::make_index_sequence<kElementOps>())[static_cast<std::size_t>(op)](right);
  }
}

template <class T>
class Chain final : public Kernel {
 public:
  explicit Chain(const ChainConfig& config) : elements_(element_count(config.out)), inputs_(config.inputs.size()) {
    for (const ExtraOperand& input : config.inputs)
      walks_.push_back({broadcast_walk(config.out, config.layout, input)});
    element_ns_ = 0.15;
    for (const ElementStep& step : config.steps) {
      Bound bound{step.operand, step.a, step.b, nullptr, nullptr};
      if (is_binary(step.op)) {
        bound.vector = step_function<T>(step.op, step.swapped ? Right::VectorSwapped : Right::Vector);
        bound.value = step_function<T>(step.op, step.swapped ? Right::ValueSwapped : Right::Value);
        if (steps_.empty()) turned_ = step_function<T>(step.op, step.swapped ? Right::Value : Right::ValueSwapped);
        if (!walks_[static_cast<std::size_t>(step.operand)].full()) element_ns_ += 0.05;
      } else {
        bound.operand = -1;
        bound.vector = step_function<T>(step.op, Right::Vector);
      }
      element_ns_ += element_info(step.op).f32_ns;
      if (step.op != ElementOp::Identity) steps_.push_back(bound);
    }
    if constexpr (std::is_same_v<T, float>) {
      scales_and_shifts_ = begins_with_scale_and_shift(config);
      for (std::size_t k = 0; k < 2 && scales_and_shifts_; ++k)
        rows_[k] = has_rows(walks_[static_cast<std::size_t>(steps_[k].operand)]);
    }
    if (needs_no_tiles()) tile_ = kLongTile;
    for (std::size_t i = 0; i < walks_.size() && tile_ == kTile; ++i) {
      const std::int64_t period = period_of(walks_[i]);
      if (period == 0) continue;
      periods_.resize(walks_.size());
      periods_[i] = {period, scratch_};
      scratch_ += round_up(period + kTile, 64);
    }
  }

  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(scratch_) * sizeof(T); }

  void run(void* const* operands, void* scratch) const override {
    // Kernels that run this one as a part of their own give it none.
    const Call call{operands, static_cast<T*>(scratch)};
    for (std::size_t i = 0; i < periods_.size(); ++i)
      if (is_spread(call, i)) spread(call, i);
    parallel_ranges(elements_, element_ns_, kTile,
                    [&](std::int64_t begin, std::int64_t end) { range(call, begin, end); });
  }

 private:
  struct Bound {
    int operand;
    float a, b;
    Step<T> vector, value;
  };

  struct Call {
    void* const* operands;
    T* spread;  // scratch; null: nothing is spread
  };
  // What an operand repeats for the outermost dimension, and where in scratch it lies with the first kTile elements
  // once more behind it, so that a tile is one run from every position on; 0: nothing is spread.
  struct Period {
    std::int64_t size = 0, at = 0;
  };

  // Of an operand that tiles would have to be copied of, unless it takes a second cache or little is saved.
  std::int64_t period_of(const Walk& walk) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 15, kLeastUses = 4;
    if (walk.in_place() || walk.dims.front().stride != 0) return 0;
    const std::int64_t period = elements_ / std::max<std::int64_t>(1, walk.dims.front().size);
    return period <= kMost && (period + kTile) * kLeastUses <= elements_ ? period : 0;
  }

  void spread(const Call& call, std::size_t i) const {
    const auto [size, place] = periods_[i];
    T* const to = call.spread + place;
    for (std::int64_t at = 0, n = 0; at < size; at += n) {
      n = walks_[i].to_row_end(at, std::min(kTile, size - at));
      bool one = false;
      const T* from = walks_[i].read(static_cast<const T*>(call.operands[i]), at, n, to + at, one);
      if (one)
        std::fill_n(to + at, n, *from);
      else if (from != to + at)
        std::copy_n(from, n, to + at);
    }
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
    repeat_first(reinterpret_cast<char*>(to), size * kBytes, (size + kTile) * kBytes);
  }

  bool is_spread(const Call& call, std::size_t i) const {
    return call.spread != nullptr && !periods_.empty() && periods_[i].size > 0;
  }
  const T* tile_of(const Call& call, std::size_t i, std::int64_t at, std::int64_t n, T* tile, bool& one) const {
    if (is_spread(call, i)) {
      one = false;
      return call.spread + periods_[i].at + base::divide(at, periods_[i].size).rest;
    }
    return walks_[i].read(static_cast<const T*>(call.operands[i]), at, n, tile, one);
  }

  void range(const Call& call, std::int64_t begin, std::int64_t end) const {
    alignas(64) T value[kTile], other[kTile];
    T* out = static_cast<T*>(call.operands[inputs_]);
    for (std::int64_t at = begin, n = 0; at < end; at += n) {
      n = std::min(tile_, end - at);
      for (const Walk& walk : walks_) n = walk.to_row_end(at, n);
      bool one;
      const T* x = tile_of(call, 0, at, n, value, one);
      std::size_t done = 0;
      if (one && turned_ != nullptr) {  // one number and a vector: the other way round nothing is repeated
        bool both = false;
        const std::size_t i = static_cast<std::size_t>(steps_[0].operand);
        const T* y = tile_of(call, i, at, n, other, both);
        if (!both) {
          T* to = steps_.size() == 1 ? out + at : value;
          turned_(y, x, to, n, steps_[0].a, steps_[0].b);
          x = to;
          done = 1;
        }
      }
      if (one && done == 0) {
        std::fill_n(value, n, *x);
        x = value;
      } else if (scales_and_shifts_ && done == 0) {
        done = scale_and_shift(call, at, n, x, steps_.size() == 2 ? out + at : value, other);
        if (done > 0) x = value;
      }
      if (steps_.empty()) {
        std::memmove(out + at, x, static_cast<std::size_t>(n) * sizeof(T));
        continue;
      }
      for (std::size_t k = done; k < steps_.size(); ++k) {
        const Bound& step = steps_[k];
        T* to = k + 1 == steps_.size() ? out + at : value;
        if (step.operand < 0) {
          step.vector(x, nullptr, to, n, step.a, step.b);
        } else {
          const std::size_t i = static_cast<std::size_t>(step.operand);
          const T* y = tile_of(call, i, at, n, other, one);
          (one ? step.value : step.vector)(x, y, to, n, step.a, step.b);
        }
        x = to;
      }
    }
  }

  // One step, or a scale and a shift, of operands that are read where they lie.
  bool needs_no_tiles() const {
    for (const Walk& walk : walks_)
      if (!walk.in_place()) return false;
    if (walks_[0].dims.back().stride == 0) return false;
    if (steps_.size() <= 1) return true;
    return steps_.size() == 2 && scales_and_shifts_ && rows_[0] == rows_[1];
  }
  // Whether it is read in place, and not as one number.
  static bool has_rows(const Walk& walk) { return walk.in_place() && walk.dims.back().stride == 1; }

  // Mul and Add, as of a normalisation whose statistics are constants.
  static bool begins_with_scale_and_shift(const ChainConfig& c) {
    return c.steps.size() >= 2 && c.steps[0].op == ElementOp::Mul && c.steps[1].op == ElementOp::Add &&
           c.steps[0].operand != 0 && c.steps[1].operand != 0;
  }
  // Takes the first two steps at once if each of them has one number for the whole tile, or each a row that lies in
  // memory: how many it took.
  std::size_t scale_and_shift(const Call& call, std::int64_t at, std::int64_t n, const T* x, T* to, T* other) const {
    bool rows[2] = {};
    for (std::size_t k = 0; k < 2; ++k)
      rows[k] = rows_[k] || is_spread(call, static_cast<std::size_t>(steps_[k].operand));
    if (rows[0] != rows[1]) return 0;
    const T* read[2] = {};
    for (std::size_t k = 0; k < 2; ++k) {
      bool one = false;
      const auto i = static_cast<std::size_t>(steps_[k].operand);
      read[k] = tile_of(call, i, at, n, other, one);
      if (one == rows[0]) return 0;
    }
    if constexpr (std::is_same_v<T, float>) {
      const StepTableF32& steps = step_table_f32();
      if (rows[0])
        steps.scale_and_shift_each(x, read[0], read[1], to, n);
      else
        steps.scale_and_shift(x, nullptr, to, n, *read[0], *read[1]);
    }
    return 2;
  }

  std::int64_t elements_;
  std::size_t inputs_;
  std::int64_t tile_ = kTile;
  bool scales_and_shifts_ = false;
  bool rows_[2] = {};  // whether the scale and the shift have rows
  double element_ns_;
  std::vector<Walk> walks_;
  std::vector<Period> periods_;  // of the operands; none at all where there is none
  std::int64_t scratch_ = 0;     // elements
  std::vector<Bound> steps_;
  Step<T> turned_ = nullptr;  // the first step, with its operands in each other's place
};

template <class T>
bool has_steps(const ChainConfig& config) {
  for (const ElementStep& step : config.steps)
    if (step_function<T>(step.op, Right::Vector) == nullptr) return false;
  return true;
}

std::string refuses(const ChainConfig& config) {
  if (config.inputs.empty()) return "a chain needs an input";
  if (config.out.size() > Walk::kMaxDims) return "more than 32 dimensions";
  if (std::string why = extent_refusal({&config.out}); !why.empty()) return why;
  if (std::string why = extent_refusal(config.inputs); !why.empty()) return why;
  for (const ExtraOperand& input : config.inputs)
    if (broadcast_walk(config.out, config.layout, input).empty())
      return "an input of " + to_string(input.dims) + " does not broadcast to " + to_string(config.out);
  for (const ElementStep& step : config.steps)
    if (is_binary(step.op) && (step.operand < 0 || static_cast<std::size_t>(step.operand) >= config.inputs.size()))
      return "a step's operand is not among the inputs";
  switch (config.type) {
    case DataType::Float: return "";
    case DataType::Int32: return has_steps<std::int32_t>(config) ? "" : "a step has no integer form";
    case DataType::Int64: return has_steps<std::int64_t>(config) ? "" : "a step has no integer form";
    case DataType::Double: return has_steps<double>(config) ? "" : "a step has no form in double";
    default: return "computes float, double, int32 and int64, not " + std::string(data_type_name(config.type));
  }
}

std::unique_ptr<Kernel> make(const ChainConfig& config, PackedConstants&) {
  if (auto channels = make_channel_scale(config)) return channels;
  if (config.type == DataType::Int32) return std::make_unique<Chain<std::int32_t>>(config);
  if (config.type == DataType::Int64) return std::make_unique<Chain<std::int64_t>>(config);
  if (config.type == DataType::Double) return std::make_unique<Chain<double>>(config);
  return std::make_unique<Chain<float>>(config);
}

constexpr Candidate<ChainConfig> kChainCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace elementwise_cc

std::span<const Candidate<ChainConfig>> chain_candidates() { return kChainCandidates; }

}  // namespace norn::kernels
