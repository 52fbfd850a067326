// Attention as its products and what is done to scores between them, fused into one node, where their sizes are those
// of attention: nothing but masks broadcasts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/cpu/attention.h"
#include "kernels/cpu/physical.h"
#include "ops/common/shapes.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/is_special/is_special.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/where/where.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

// A mask, and the dimensions of the scores that it broadcasts to.
struct Mask {
  program::ValueId value = program::kNone;
  Shape scores;

  bool is_there() const { return value != program::kNone; }
};

// The parts as attention. Scores have three dimensions, a head to each batch, or four; a reshape leads from one to the
// other.
class Chain {
 public:
  explicit Chain(const Selector& s) : s_(s), running_(s.node().outputs[0]), dims_(s.out_dims()) {}

  double scale = 1, softcap = 0;
  Mask mask, bias;
  bool flags = false, flags_hide = false;  // the mask chooses between scores and `hidden`
  float hidden = 0;
  bool bias_behind = false;  // the bias is added behind the choice
  bool guarded = false;      // probabilities that are NaN become 0
  std::int64_t heads = 1;
  program::ValueId v = program::kNone, y = program::kNone;
  std::size_t parts = 0;  // that it is made of

  // Why the parts are not what comes behind the first product, or "".
  std::string read() {
    if (std::string why = regroup(dims_); !why.empty()) return why;
    for (const program::Node& part : s_.parts()) {
      ++parts;
      if (part.op == &ops::MatMul) {
        v = part.inputs[1];
        y = part.outputs[0];
        return "";
      }
      if (std::string why = step(part); !why.empty()) return why;
      running_ = part.outputs[0];
    }
    return "there is no second product";
  }

 private:
  std::optional<double> number(program::ValueId id) const {
    const norn::Tensor* t = id == program::kNone ? nullptr : s_.constant_of(id);
    if (!t || t->dtype() != DataType::Float || t->size() != 1) return {};
    return ops::number_at(*t, 0);
  }
  static bool is_factor(const std::optional<double>& n) { return n && *n > 0 && std::isfinite(*n); }

  std::string regroup(const Shape& to) {
    const std::size_t r = to.size();
    if (r != 3 && r != 4) return "its scores have neither three nor four dimensions";
    const std::size_t old = dims_.size();
    if (to[r - 1] != dims_[old - 1] || to[r - 2] != dims_[old - 2])
      return "its scores are reshaped otherwise than by heads";
    if (r == 4) {
      if (grouped_ && heads != to[1]) return "its scores are reshaped for another number of heads";
      heads = to[1];
      grouped_ = true;
    }
    dims_ = to;
    return "";
  }

  std::string step(const program::Node& part) {
    const program::ValueId made = part.outputs[0];
    const auto other = [&] { return part.inputs[0] == running_ ? part.inputs[1] : part.inputs[0]; };
    if (part.op == &ops::Reshape) return regroup(s_.dims_of(made));
    if (guarding_ && part.op == &ops::IsNaN) return "";  // Where follows
    if (s_.dims_of(made) != dims_) return "the scores grow";
    if (guarding_) {
      // The pass has seen that it is Where(IsNaN(p), 0, p).
      guarded = true;
      return "";
    }
    if (part.op == &ops::Mul || part.op == &ops::Div) {
      const auto factor = number(other());
      if (mask.is_there() || bias.is_there() || !is_factor(factor) ||
          (part.op == &ops::Div && part.inputs[0] != running_))
        return "the scores are scaled by other than a positive number";
      (capped_ ? behind_cap_ : scale) *= part.op == &ops::Mul ? *factor : 1 / *factor;
    } else if (part.op == &ops::Tanh) {
      if (mask.is_there() || bias.is_there() || capped_) return "a cap behind a mask";
      capped_ = true;
    } else if (part.op == &ops::Add) {
      if (other() == running_) return "scores that are added to themselves";
      Mask& to = flags || mask.is_there() ? bias : mask;
      if (to.is_there()) return "more summands than two";
      to = {other(), dims_};
      bias_behind = flags;
    } else if (part.op == &ops::Where) {
      flags_hide = part.inputs[2] == running_;
      const auto fill = number(part.inputs[flags_hide ? 1 : 2]);
      if (flags || bias.is_there() || part.inputs[flags_hide ? 2 : 1] != running_ || !fill)
        return "hidden scores become other than one number";
      bias = mask;
      mask = {part.inputs[0], dims_};
      hidden = static_cast<float>(*fill);
      flags = true;
    } else if (part.op == &ops::Softmax) {
      const auto rank = static_cast<std::int64_t>(dims_.size());
      if (ops::resolve_softmax(SelectedNode(s_, part), rank).first != rank - 1) return "Softmax over another axis";
      // cap * tanh(scores / cap): the factors before it are scale and 1 / cap together.
      if (capped_) {
        softcap = behind_cap_;
        scale *= softcap;
        if (!std::isfinite(scale) || !(static_cast<float>(softcap) > 0)) return "a cap that is not a number";
      }
      guarding_ = true;
    } else {
      return "an operation that attention does not have";
    }
    return "";
  }

  const Selector& s_;
  program::ValueId running_;
  Shape dims_;             // of the running value
  bool grouped_ = false;   // the number of heads is known
  bool capped_ = false;    // there was a Tanh
  bool guarding_ = false;  // there was a Softmax
  double behind_cap_ = 1;
};

using Strides = std::vector<std::int64_t>;

// Strides of [batch, head, row, column] of a value of rank 4, or of rank 3 with batches and heads in one.
kernels::HeadStrides heads_of(const Shape& dims, const Strides* lies, std::int64_t heads) {
  const Strides strides = lies ? *lies : kernels::layout_strides(dims, kernels::Layout::Dense);
  if (dims.size() == 4) return {strides[0], strides[1], strides[2], strides[3]};
  return {strides[0] * heads, strides[0], strides[1], strides[2]};
}

// The same of what broadcasts to the scores.
kernels::HeadStrides mask_strides(const Shape& dims, const Strides* lies, std::size_t rank, std::int64_t heads) {
  const Strides own = lies ? *lies : kernels::layout_strides(dims, kernels::Layout::Dense);
  Strides strides(rank, 0);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) strides[rank - dims.size() + d] = own[d];
  if (rank == 4) return {strides[0], strides[1], strides[2], strides[3]};
  return {strides[0] * heads, strides[0], strides[1], strides[2]};
}

std::string mask_refuses(const Selector& s, const Mask& mask, DataType type) {
  if (!mask.is_there()) return "";
  const Shape& dims = s.dims_of(mask.value);
  const std::size_t r = mask.scores.size();
  if (s.dtype_of(mask.value) != type) return "another mask";
  if (dims.size() > r) return "a mask of more dimensions than the scores";
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1 && dims[d] != mask.scores[r - dims.size() + d]) return "a mask that does not broadcast";
  return "";
}

}  // namespace

bool select_attention_chain(Selector& s) {
  const auto softmax = [](const program::Node& part) { return part.op == &ops::Softmax; };
  if (std::none_of(s.parts().begin(), s.parts().end(), softmax)) return false;
  const auto refuse = [&](std::string why) {
    s.refuse("attention", std::move(why));
    return false;
  };
  Chain chain(s);
  if (std::string why = chain.read(); !why.empty()) return refuse(std::move(why));
  const program::ValueId values[] = {s.node().inputs[0], s.node().inputs[1], chain.v};
  const Shape &q = s.dims(0), &k = s.dims(1), &v = s.dims_of(chain.v), &y = s.dims_of(chain.y), scores = s.out_dims();
  const std::size_t r = scores.size();
  if (q.size() != r || k.size() != r || v.size() != y.size())
    return refuse("its operands have neither three nor four dimensions");
  if (s.dtype(0) != DataType::Float || s.dtype(1) != DataType::Float || s.dtype_of(chain.v) != DataType::Float)
    return refuse("computes float");
  for (std::size_t d = 0; d + 2 < r; ++d)
    if (q[d] != scores[d] || k[d] != scores[d]) return refuse("batches broadcast");
  for (std::size_t d = 0; d + 2 < v.size(); ++d)
    if (v[d] != y[d]) return refuse("batches broadcast");
  kernels::AttentionConfig config;
  config.heads = config.kv_heads = chain.heads;
  if (chain.heads < 1) return refuse("an empty tensor");
  config.batch = r == 4 ? scores[0] : scores[0] / chain.heads;
  config.rows = scores[r - 2];
  config.keys = scores[r - 1];
  const bool as_many = v.size() == 4 ? v[0] == config.batch && v[1] == config.heads
                                     : v.size() == 3 && v[0] == config.batch * config.heads;
  if (!as_many || v[v.size() - 2] != config.keys)
    return refuse("batches broadcast, or keys and values are not as many");
  config.size = q[r - 1];
  config.v_size = v.back();
  config.scale = chain.scale;
  config.softcap = chain.softcap;
  config.blind_is_nan = !chain.guarded;
  config.nan_is_zero = chain.guarded;
  if (std::string why = mask_refuses(s, chain.mask, chain.flags ? DataType::Bool : DataType::Float); !why.empty())
    return refuse(std::move(why));
  if (std::string why = mask_refuses(s, chain.bias, DataType::Float); !why.empty()) return refuse(std::move(why));
  if (chain.mask.is_there()) {
    config.mask = chain.flags ? kernels::AttentionMask::Choice : kernels::AttentionMask::Summands;
    config.mask_keys = config.keys;
    config.hidden = chain.hidden;
    config.flags_hide = chain.flags_hide;
  }
  config.bias = chain.bias.is_there();
  config.bias_behind = chain.bias_behind;
  std::vector<Operand> uses = {{values[0]}, {values[1]}, {values[2]}, {chain.mask.value},
                               {},          {},          {},          {chain.bias.value}};
  const std::vector<Operand> outs = {{chain.y}, {}, {}, {}};
  const auto attempt = [&](bool as_it_lies) {
    bool any = false;
    const auto lies = [&](std::size_t use) {
      const Strides* strides = as_it_lies ? s.strides_of(uses[use].value) : nullptr;
      uses[use].as_it_lies = strides != nullptr;
      any = any || strides;
      return strides;
    };
    const auto masking = [&](const Mask& mask, std::size_t use) -> kernels::HeadStrides {
      if (!mask.is_there()) return {};
      return mask_strides(s.dims_of(mask.value), lies(use), mask.scores.size(), chain.heads);
    };
    config.q = heads_of(q, lies(0), chain.heads);
    const kernels::HeadStrides transposed = heads_of(k, lies(1), chain.heads);
    config.k = {transposed[0], transposed[1], transposed[3], transposed[2]};
    config.v = heads_of(v, lies(2), chain.heads);
    config.mask_strides = masking(chain.mask, 3);
    config.bias_strides = masking(chain.bias, 7);
    return (any || !as_it_lies) && s.choose_outputs(kernels::attention_candidates(), config, uses, outs);
  };
  s.take(chain.parts);
  if (attempt(true) || attempt(false)) return true;
  s.leave_parts();
  return false;
}

}  // namespace norn::runtime
