// LabelEncoder: keys are looked up in a table, of strings or of 64 bits that stand for the number.
#include <string>
#include <unordered_map>

#include "ops/common/elements.h"
#include "ops/traditionalml/label_encoder/label_encoder.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace label_encoder_ref_cc {
namespace {

template <class K>
void look_up(opset::ReferenceContext& ctx, const LabelPairs& pairs, const std::vector<K>& keys,
             const std::vector<K>& x) {
  std::unordered_map<K, std::int64_t> table;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [at, is_new] = table.try_emplace(keys[i], static_cast<std::int64_t>(i));
    if (!is_new && !pairs.first_counts) at->second = static_cast<std::int64_t>(i);
  }
  Tensor& y = ctx.output(0, pairs.values.dtype(), ctx.input(0).dims());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = table.find(x[i]);
    const auto to = static_cast<std::int64_t>(i);
    if (at == table.end())
      copy_elements(y, to, pairs.otherwise, 0, 1);
    else
      copy_elements(y, to, pairs.values, at->second, 1);
  }
}

void label_encoder_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const LabelPairs pairs = resolve_label_encoder(ctx, x.dtype());
  if (x.dtype() == DataType::String)
    look_up(ctx, pairs, load_all<std::string>(pairs.keys), load_all<std::string>(x));
  else
    look_up(ctx, pairs, comparable_keys(pairs.keys, pairs.bitwise), comparable_keys(x, pairs.bitwise));
}

}  // namespace
}  // namespace label_encoder_ref_cc

std::vector<std::int64_t> comparable_keys(const Tensor& t, bool bitwise) {
  if (domain_of(t.dtype()) != Domain::F64) return load_all<std::int64_t>(t);
  if (bitwise && t.dtype() == DataType::Float) {
    std::vector<std::int64_t> bits;
    for (std::int64_t i = 0; i < t.size(); ++i) bits.push_back(std::bit_cast<std::int32_t>(t.as<float>()[i]));
    return bits;
  }
  std::vector<std::int64_t> bits;
  for (const double v : load_all<double>(t))
    bits.push_back(std::bit_cast<std::int64_t>(std::isnan(v) ? std::nan("") : v == 0 ? 0.0 : v));
  return bits;
}

void label_encoder_references(opset::ReferenceTable& table) { table.add(LabelEncoder, label_encoder_ref); }

}  // namespace norn::ops
