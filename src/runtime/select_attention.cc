// Attention: queries, keys and values are read where they lie, so that what split them into heads makes no copies.
#include <algorithm>
#include <array>

#include "kernels/cpu/attention.h"
#include "ops/nn/attention/attention.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

// Strides of [batch, head, row, column] for an input of rank 4, or of rank 3 with heads of `size` in its last axis.
kernels::HeadStrides by_heads(const Shape& dims, const std::vector<std::int64_t>* lies, std::int64_t size) {
  const std::size_t rank = dims.size();
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t d = rank - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
  if (lies) strides = *lies;
  if (rank == 4) return {strides[0], strides[1], strides[2], strides[3]};
  return {strides[0], size * strides[2], strides[1], strides[2]};
}

}  // namespace

bool select_attention(Selector& s) {
  const DataType type = s.out_dtype();
  const auto refuse = [&](const char* why) {
    s.refuse("attention", why);
    return false;
  };
  const ops::AttentionParams p = ops::resolve_attention(SelectedNode(s));
  for (std::size_t i = 0; i < 6; ++i)
    if (i != 3 && s.has(i) && s.dtype(i) != type) return refuse("computes in one type");
  if (type != DataType::Float && type != DataType::Double) return refuse("computes float and double");
  if (p.softmax_type && *p.softmax_type != type) return refuse("computes softmax in the type of the queries");
  if (p.kv_heads == 0) return refuse("computes one head and more");
  kernels::AttentionConfig config;
  config.type = type;
  config.batch = p.batch;
  config.heads = p.q_heads;
  config.kv_heads = p.kv_heads;
  config.rows = p.rows;
  config.keys = p.keys;
  config.past = p.past;
  config.size = p.size;
  config.v_size = p.v_size;
  config.y_by_rows = p.packed;
  config.causal = p.causal;
  config.left_window = p.left_window;
  config.right_window = p.right_window;
  config.lengths = s.has(6);
  config.scale = p.score_scale;
  config.softcap = p.softcap > 0 ? p.softcap : 0;
  const program::Node& node = s.node();
  const auto output = [&](std::size_t o) { return o < node.outputs.size() ? node.outputs[o] : program::kNone; };
  const bool present_key = output(1) != program::kNone, present_value = output(2) != program::kNone;
  if (present_key != present_value && p.past > 0) return refuse("gives present_key and present_value together");
  config.gives_present = present_key || present_value;
  if (output(3) != program::kNone) config.scores_stage = static_cast<int>(p.qk_mode);
  if (s.has(3)) {
    const Shape& mask = s.dims(3);
    if (s.dtype(3) != DataType::Bool && s.dtype(3) != type) return refuse("takes a mask of bool or the type itself");
    config.mask = s.dtype(3) == DataType::Bool ? kernels::AttentionMask::Flags : kernels::AttentionMask::Summands;
    config.mask_keys = mask.back();
  }
  std::vector<Operand> uses;
  for (std::size_t i = 0; i < 7; ++i) uses.push_back({node.input(i)});
  uses.push_back({});
  // Keys and values are appended to caches that are donated, and read there with those before them. Places are counted
  // from 0 then: they must not matter, or there are none before.
  const bool one = p.rows == 1 && p.keys == 1;  // sees all keys
  const bool by_place = p.past > 0 && ((p.causal && !one) || p.left_window >= 0 || p.right_window >= 0);
  std::array<program::ValueId, 3> read = {node.inputs[0], node.inputs[1], node.inputs[2]};
  std::vector<Operand> outs = {{output(0)}, {output(1)}, {output(2)}, {output(3)}};
  kernels::AttentionConfig appended = config;
  appended.keys = p.past + p.keys;
  appended.past = 0;
  appended.gives_present = false;
  if (p.past > 0) appended.causal = false;
  const auto takes = [&](const kernels::Candidate<kernels::AttentionConfig>& c) { return c.refuses(appended).empty(); };
  const auto candidates = kernels::attention_candidates();
  if (!by_place && present_key && present_value && s.has(4) && s.has(5) && !s.has(6) &&
      node.inputs[4] != node.inputs[5] && s.can_append(node.inputs[4], output(1), 2) &&
      s.can_append(node.inputs[5], output(2), 2) && std::any_of(candidates.begin(), candidates.end(), takes)) {
    config = appended;
    for (const std::size_t i : {1, 2}) {
      const std::int64_t size = i == 1 ? p.size : p.v_size;
      Piece piece = s.piece(read[i]);
      const auto by = by_heads(piece.dims, &piece.strides, size);
      piece.dims = {p.batch, p.kv_heads, p.keys, size};
      piece.strides = {by.begin(), by.end()};
      s.append(node.inputs[i + 3], output(i), 2, {piece});
      read[i] = output(i);
      uses[i].value = read[i];
      uses[i + 3].value = program::kNone;
      outs[i].value = program::kNone;
    }
  }
  const auto attempt = [&](bool as_it_lies) {
    const std::int64_t sizes[] = {p.size, p.size, p.v_size};
    kernels::HeadStrides* strides[] = {&config.q, &config.k, &config.v};
    bool any = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto* lies = as_it_lies ? s.strides_of(read[i]) : nullptr;
      uses[i].as_it_lies = lies != nullptr;
      any = any || lies;
      *strides[i] = by_heads(s.dims_of(read[i]), lies, sizes[i]);
    }
    if (s.has(3)) {
      const Shape& mask = s.dims(3);
      const auto* lies = as_it_lies ? s.strides_of(node.inputs[3]) : nullptr;
      uses[3].as_it_lies = lies != nullptr;
      any = any || lies;
      config.mask_strides = {0, 0, 0, 0};
      for (std::int64_t step = 1, d = static_cast<std::int64_t>(mask.size()); d-- > 0;) {
        const auto at = static_cast<std::size_t>(d);
        const std::size_t to = at + 4 - mask.size();
        if (mask[at] != 1) config.mask_strides[to] = lies ? (*lies)[at] : step;
        step *= mask[at];
      }
    }
    return (any || !as_it_lies) && s.choose_outputs(kernels::attention_candidates(), config, uses, outs);
  };
  return attempt(true) || attempt(false);
}

}  // namespace norn::runtime
