// OneHotEncoder: numbers are cut to integers before they are looked up. Of a category that is given twice, the last
// place counts.
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/checked.h"
#include "base/text.h"
#include "ops/common/elements.h"
#include "ops/common/scores.h"
#include "ops/traditionalml/one_hot_encoder/one_hot_encoder.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace one_hot_encoder_ref_cc {
namespace {

template <class K>
std::unordered_map<K, std::int64_t> places(const std::vector<K>& categories) {
  std::unordered_map<K, std::int64_t> places;
  for (std::size_t i = 0; i < categories.size(); ++i) places[categories[i]] = static_cast<std::int64_t>(i);
  return places;
}

void one_hot_encoder_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto [categories, zeros] = resolve_one_hot_encoder(ctx, x.dtype());
  Shape dims = x.dims();
  dims.push_back(categories.size());
  if (!base::checked_count(dims)) ctx.fail("the result of shape " + to_string(dims) + " has too many elements");
  Tensor& y = ctx.output(0, DataType::Float, dims);
  float* to = y.as_mutable<float>();
  std::fill(to, to + y.size(), 0.0f);
  const auto set = [&](const auto& known, std::int64_t at, const auto& key, const auto& show) {
    const auto place = known.find(key);
    if (place != known.end())
      to[at * categories.size() + place->second] = 1;
    else if (!zeros)
      ctx.fail(show() + " is not one of the categories", "set zeros to 1 for a row of zeros");
  };
  if (categories.of_strings) {
    const auto known = places(categories.strings);
    const std::string* words = x.as<std::string>();
    for (std::int64_t i = 0; i < x.size(); ++i) set(known, i, words[i], [&] { return base::quoted(words[i]); });
    return;
  }
  const auto known = places(categories.ints);
  if (domain_of(x.dtype()) == Domain::I64) {
    const auto keys = load_all<std::int64_t>(x);
    for (std::size_t i = 0; i < keys.size(); ++i)
      set(known, static_cast<std::int64_t>(i), keys[i], [&] { return std::to_string(keys[i]); });
    return;
  }
  const auto keys = load_all<double>(x);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto show = [&] { return std::to_string(keys[i]); };
    if (keys[i] >= -0x1p63 && keys[i] < 0x1p63)
      set(known, static_cast<std::int64_t>(i), static_cast<std::int64_t>(keys[i]), show);
    else if (!zeros)
      ctx.fail(show() + " is not one of the categories", "set zeros to 1 for a row of zeros");
  }
}

}  // namespace
}  // namespace one_hot_encoder_ref_cc

void one_hot_encoder_references(opset::ReferenceTable& table) { table.add(OneHotEncoder, one_hot_encoder_ref); }

}  // namespace norn::ops
