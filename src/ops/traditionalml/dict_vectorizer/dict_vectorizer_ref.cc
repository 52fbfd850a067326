// DictVectorizer: what the map does not have is zero, of strings the empty one. What the vocabulary does not have is
// passed over, as by scikit-learn's, whose models these are.
#include <string>
#include <unordered_map>

#include "ops/common/elements.h"
#include "ops/common/scores.h"
#include "ops/traditionalml/dict_vectorizer/dict_vectorizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace dict_vectorizer_ref_cc {
namespace {

// -1 for a key that is not in the vocabulary.
template <class K>
std::vector<std::int64_t> places(const std::vector<K>& vocabulary, const Tensor& keys) {
  std::unordered_map<K, std::int64_t> place;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) place.try_emplace(vocabulary[i], static_cast<std::int64_t>(i));
  std::vector<std::int64_t> result;
  for (const K& key : load_all<K>(keys)) {
    const auto at = place.find(key);
    result.push_back(at == place.end() ? -1 : at->second);
  }
  return result;
}

void dict_vectorizer_ref(opset::ReferenceContext& ctx) {
  const Map& map = ctx.value(0).map();
  const Labels vocabulary = resolve_dict_vectorizer(ctx, map.keys.dtype());
  const auto to = vocabulary.of_strings ? places(vocabulary.strings, map.keys) : places(vocabulary.ints, map.keys);
  if (map.values.empty()) ctx.fail("the map is empty, so that the type of its values is not known");
  const DataType type = map.values[0].tensor().dtype();
  Tensor& y = ctx.output(0, type, {vocabulary.size()});
  if (type == DataType::String)
    std::fill_n(y.as_mutable<std::string>(), y.size(), std::string());
  else
    std::fill_n(static_cast<char*>(y.mutable_data()), y.bytes(), char{});
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Tensor& value = map.values[i].tensor();
    if (value.dtype() != type || value.size() != 1) ctx.fail("the values of the map must be scalars of one type");
    if (to[i] >= 0) copy_elements(y, to[i], value, 0, 1);
  }
}

}  // namespace
}  // namespace dict_vectorizer_ref_cc

void dict_vectorizer_references(opset::ReferenceTable& table) { table.add(DictVectorizer, dict_vectorizer_ref); }

}  // namespace norn::ops
