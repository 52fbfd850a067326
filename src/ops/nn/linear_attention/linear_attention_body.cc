// A recurrence along the sequence: a few steps are written one behind the other, more are a Scan. The state is
// [batch, kv heads, key size, value size]; the query heads that share one are a dimension of their own.
#include <cmath>

#include "ops/nn/linear_attention/linear_attention.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace linear_attention_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

constexpr std::int64_t kMostWritten = 16;

// From `state` and one element of the sequence, whose values end in `at`, to `next` and `out` + at. Of an element q is
// [batch, kv heads, group, key size], k [.., 1, key size], v [.., 1, value size], g [.., key size or 1, 1],
// beta [.., 1, 1].
std::string step(const LinearAttentionParams& rule, const std::string& at, const std::string& state,
                 const std::string& next) {
  std::string text, kept = state, added = "v" + at;
  if (rule.gated) {
    kept = "kept" + at;
    text += "factor" + at + " = Exp (g" + at + ") " + kept + " = Mul (factor" + at + ", " + state + ")\n";
  }
  if (rule.delta) {
    added = "added" + at;
    text += "recalled" + at + " = MatMul (k" + at + ", " + kept + ") missing" + at + " = Sub (v" + at + ", recalled" +
            at + ") " + added + " = Mul (beta" + at + ", missing" + at + ")\n";
  }
  text += "column" + at + " = Transpose <perm = [0, 1, 3, 2]> (k" + at + ") product" + at + " = MatMul (column" + at +
          ", " + added + ")\n";
  text += next + " = Add (" + kept + ", product" + at + ") read" + at + " = MatMul (q" + at + ", " + next + ") out" +
          at + " = Mul (scale_state, read" + at + ")\n";
  return text;
}

void linear_attention_body(BodyBuilder& b) {
  const LinearAttentionParams rule = resolve_linear_attention(b.attrs(), b.has_input(4), b.has_input(5));
  const std::int64_t q_heads = rule.q_heads, heads = rule.kv_heads;
  const bool past = b.has_input(3);
  // Narrow types are computed in float.
  const DataType type = b.elem(past ? 3 : 0) == DataType::Double ? DataType::Double : DataType::Float;
  const std::string to = "Cast <to = " + std::to_string(static_cast<int>(type)) + "> ";

  // The sequence goes to the front of each.
  const std::int64_t q_shape[] = {0, 0, heads, q_heads / heads, -1}, kv_shape[] = {0, 0, heads, 1, -1},
                     gate_shape[] = {0, 0, heads, -1, 1}, beta_shape[] = {0, 0, -1, 1, 1}, packed[] = {0, 0, -1},
                     first[] = {0};
  b.ints("first_axis", first);
  b.ints("q_shape", q_shape);
  b.ints("kv_shape", kv_shape);
  if (b.size_or_unknown(4, 2) >= 0 || !rule.gated) {
    b.ints("gate_shape", gate_shape);
  } else {
    // One for each head, or for each of its keys: nothing compared it yet.
    const std::int64_t by_token[] = {0, 0, heads}, one[] = {1}, count[] = {heads};
    b.ints("gate_by_token", by_token);
    b.ints("gate_one", one);
    b.ints("gate_heads", count);
    b.add(R"(
      gate_numbers = Shape <start = 2, end = 3> (decay)
      key_numbers = Shape <start = 2, end = 3> (key)
      head_keys = Div (key_numbers, gate_heads)
      is_by_head = Equal (gate_numbers, gate_heads)
      head_numbers = Where (is_by_head, gate_one, head_keys)
      gate_shape = Concat <axis = 0> (gate_by_token, head_numbers, gate_one)
    )");
  }
  if (b.size_or_unknown(5, 2) >= 0 || !rule.delta) {
    b.ints("beta_shape", beta_shape);
  } else {
    const std::int64_t by_token[] = {0, 0}, one[] = {1}, ones[] = {1, 1}, count[] = {heads};
    b.ints("beta_by_token", by_token);
    b.ints("beta_one", one);
    b.ints("beta_ones", ones);
    b.ints("beta_heads", count);
    b.add(R"(
      beta_numbers = Shape <start = 2, end = 3> (beta)
      is_for_all = Equal (beta_numbers, beta_one)
      beta_by_head = Where (is_for_all, beta_one, beta_heads)
      beta_shape = Concat <axis = 0> (beta_by_token, beta_by_head, beta_ones)
    )");
  }
  b.ints("packed", packed);
  const auto unpack = [&](const std::string& name, const std::string& input, const std::string& shape) {
    b.add(name + "_wide = " + to + "(" + input + ") " + name + "_split = Reshape (" + name + "_wide, " + shape + ") " +
          name + "_all = Transpose <perm = [1, 0, 2, 3, 4]> (" + name + "_split)");
  };
  std::vector<std::string> parts = {"q", "k", "v"};
  unpack("q", "query", "q_shape");
  unpack("k", "key", "kv_shape");
  unpack("v", "value", "kv_shape");
  if (rule.gated) {
    unpack("g", "decay", "gate_shape");
    parts.push_back("g");
  }
  if (rule.delta) {
    unpack("beta", "beta", "beta_shape");
    parts.push_back("beta");
  }
  if (b.attrs().f("scale") != 0) {
    b.scalar("scale_state", type, static_cast<double>(b.attrs().f("scale")));
  } else {
    b.add("size_list = Shape <start = 4, end = 5> (q_all) size = Squeeze (size_list) size_wide = " + to +
          "(size) size_root = Sqrt (size_wide) scale_state = Reciprocal (size_root)");
  }
  if (past) {
    b.add("state_0 = " + to + "(past_state)");
  } else {
    const std::int64_t head_count[] = {heads};
    b.ints("head_count", head_count);
    b.scalar("zero", type, 0);
    b.add(R"(
      batch = Shape <start = 1, end = 2> (k_all)
      key_size = Shape <start = 4, end = 5> (k_all)
      value_size = Shape <start = 4, end = 5> (v_all)
      state_shape = Concat <axis = 0> (batch, head_count, key_size, value_size)
      state_0 = Expand (zero, state_shape)
    )");
  }

  const std::int64_t length = b.size_or_unknown(0, 1);
  std::string last;
  if (length >= 1 && length <= kMostWritten) {
    std::string outs;
    for (std::int64_t t = 0; t < length; ++t) {
      const std::string at = std::string("_") + std::to_string(t), next = "state_" + std::to_string(t + 1);
      b.add("index" + at + " = Constant <value_int = " + std::to_string(t) + "> ()");
      for (const std::string& part : parts) b.add(part + at + " = Gather (" + part + "_all, index" + at + ")");
      b.add(step(rule, at, "state" + at, next));
      b.add("row" + at + " = Unsqueeze (out" + at + ", first_axis)");
      outs += (t ? ", row" : "row") + at;
      last = next;
    }
    b.add("rows = Concat <axis = 0> (" + outs + ")");
  } else {
    std::string formals = "before", actuals = "state_0";
    for (const std::string& part : parts) {
      formals += ", " + part + "_t";
      actuals += ", " + part + "_all";
    }
    b.add("last_state, rows = Scan <num_scan_inputs = " + std::to_string(parts.size()) + ", body = step (" + formals +
          ") => (after, out_t) {" + step(rule, "_t", "before", "after") + "}> (" + actuals + ")");
    last = "last_state";
  }
  b.add("by_batch = Transpose <perm = [1, 0, 2, 3, 4]> (rows) flat = Reshape (by_batch, packed)");
  b.add("output = CastLike (flat, query) present_state = CastLike (" + last + (past ? ", past_state)" : ", query)"));
}

constexpr FunctionBody kLinearAttentionBodies[] = {{.since = 27, .opset = 27, .build = linear_attention_body}};

}  // namespace
}  // namespace linear_attention_body_cc

void linear_attention_bodies(opset::BodyTable& table) { table.add(LinearAttention, kLinearAttentionBodies); }

}  // namespace norn::ops
