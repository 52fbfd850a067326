// Attention as its products, a factor, a mask and a Softmax, fused into one node, where their sizes are those of
// attention: nothing but the mask broadcasts.
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
#include "ops/tensor/where/where.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

struct Chain {
  double scale = 1;
  program::ValueId mask = program::kNone, v = program::kNone, y = program::kNone;
  bool flags = false;     // the mask says what is seen
  std::size_t parts = 0;  // that it is made of
};

std::optional<double> number(const Selector& s, program::ValueId id) {
  const norn::Tensor* t = id == program::kNone ? nullptr : s.constant_of(id);
  if (!t || t->dtype() != DataType::Float || t->size() != 1) return {};
  return ops::number_at(*t, 0);
}

// Why the parts are not what comes behind the first product, or "".
std::string read(const Selector& s, Chain& chain) {
  program::ValueId running = s.node().outputs[0];
  const Shape scores = s.out_dims();
  for (const program::Node& part : s.parts()) {
    ++chain.parts;
    const program::ValueId made = part.outputs[0];
    if (part.op == &ops::MatMul) {
      chain.v = part.inputs[1];
      chain.y = made;
      return "";
    }
    if (s.dims_of(made) != scores) return "the scores grow";
    const auto other = [&] { return part.inputs[0] == running ? part.inputs[1] : part.inputs[0]; };
    if (part.op == &ops::Mul || part.op == &ops::Div) {
      const auto factor = number(s, other());
      if (chain.mask != program::kNone || !factor || !(*factor > 0) || !std::isfinite(*factor) ||
          (part.op == &ops::Div && part.inputs[0] != running))
        return "the scores are scaled by other than a positive number";
      chain.scale = part.op == &ops::Mul ? chain.scale * *factor : chain.scale / *factor;
    } else if (part.op == &ops::Add) {
      if (chain.mask != program::kNone || other() == running) return "two masks";
      chain.mask = other();
    } else if (part.op == &ops::Where) {
      const auto hidden = number(s, part.inputs[2]);
      if (chain.mask != program::kNone || part.inputs[1] != running || !hidden ||
          *hidden != -std::numeric_limits<double>::infinity())
        return "hidden scores become other than -infinity";
      chain.mask = part.inputs[0];
      chain.flags = true;
    } else if (part.op == &ops::Softmax) {
      const std::int64_t axis = part.attributes().i("axis");
      if (axis != -1 && axis + 1 != static_cast<std::int64_t>(scores.size())) return "Softmax over another axis";
    } else {
      return "an operation that attention does not have";
    }
    running = made;
  }
  return "there is no second product";
}

// Strides of [batch, head, row, column] of a value of rank 4, or of rank 3 with a head to each batch.
kernels::HeadStrides heads_of(const Shape& dims, const std::vector<std::int64_t>* lies) {
  const std::vector<std::int64_t> strides = lies ? *lies : kernels::layout_strides(dims, kernels::Layout::Dense);
  const std::size_t r = dims.size();
  return {strides[0], r == 4 ? strides[1] : 0, strides[r - 2], strides[r - 1]};
}

}  // namespace

bool select_attention_chain(Selector& s) {
  const auto softmax = [](const program::Node& part) { return part.op == &ops::Softmax; };
  if (std::none_of(s.parts().begin(), s.parts().end(), softmax)) return false;
  const auto refuse = [&](std::string why) {
    s.refuse("attention", std::move(why));
    return false;
  };
  Chain chain;
  if (std::string why = read(s, chain); !why.empty()) return refuse(std::move(why));
  const program::ValueId values[] = {s.node().inputs[0], s.node().inputs[1], chain.v};
  const Shape &q = s.dims(0), &k = s.dims(1), v = s.dims_of(chain.v), scores = s.out_dims();
  const std::size_t r = scores.size();
  if (r < 3 || r > 4 || q.size() != r || k.size() != r || v.size() != r)
    return refuse("its operands have neither three nor four dimensions");
  if (s.dtype(0) != DataType::Float || s.dtype(1) != DataType::Float || s.dtype_of(chain.v) != DataType::Float)
    return refuse("computes float");
  for (std::size_t d = 0; d + 2 < r; ++d)
    if (q[d] != scores[d] || k[d] != scores[d] || v[d] != scores[d]) return refuse("batches broadcast");
  if (v[r - 2] != scores[r - 1]) return refuse("keys and values are not as many");
  kernels::AttentionConfig config;
  config.batch = scores[0];
  config.heads = config.kv_heads = r == 4 ? scores[1] : 1;
  config.rows = scores[r - 2];
  config.keys = scores[r - 1];
  config.size = q[r - 1];
  config.v_size = v[r - 1];
  config.scale = static_cast<float>(chain.scale);
  config.blind_is_nan = true;
  std::vector<Operand> uses = {{values[0]}, {values[1]}, {values[2]}, {chain.mask}, {}, {}, {}};
  Shape mask;
  if (chain.mask != program::kNone) {
    mask = s.dims_of(chain.mask);
    if (s.dtype_of(chain.mask) != (chain.flags ? DataType::Bool : DataType::Float)) return refuse("another mask");
    if (mask.size() > r) return refuse("a mask of more dimensions than the scores");
    for (std::size_t d = 0; d < mask.size(); ++d)
      if (mask[d] != 1 && mask[d] != scores[r - mask.size() + d]) return refuse("a mask that does not broadcast");
    config.mask = chain.flags ? kernels::AttentionMask::Flags : kernels::AttentionMask::Summands;
    config.mask_keys = config.keys;
  }
  const std::vector<Operand> outs = {{chain.y}, {}, {}, {}};
  const auto attempt = [&](bool as_it_lies) {
    bool any = false;
    kernels::HeadStrides strides[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto* lies = as_it_lies ? s.strides_of(values[i]) : nullptr;
      uses[i].as_it_lies = lies != nullptr;
      any = any || lies;
      strides[i] = heads_of(i == 0 ? q : i == 1 ? k : v, lies);
    }
    config.q = strides[0];
    config.k = {strides[1][0], strides[1][1], strides[1][3], strides[1][2]};
    config.v = strides[2];
    config.mask_strides = {0, 0, 0, 0};
    if (chain.mask != program::kNone) {
      const auto* lies = as_it_lies ? s.strides_of(chain.mask) : nullptr;
      uses[3].as_it_lies = lies != nullptr;
      any = any || lies;
      const auto own = lies ? *lies : kernels::layout_strides(mask, kernels::Layout::Dense);
      for (std::size_t d = 0; d < mask.size(); ++d) {
        const std::size_t at = r - mask.size() + d;  // of the scores
        if (mask[d] != 1) config.mask_strides[r == 4 || at == 0 ? at : at + 1] = own[d];
      }
    }
    return (any || !as_it_lies) && s.choose_outputs(kernels::attention_candidates(), config, uses, outs);
  };
  s.take(chain.parts);
  if (attempt(true) || attempt(false)) return true;
  s.leave_parts();
  return false;
}

}  // namespace norn::runtime
