// DictVectorizer: values at the places of their keys in the vocabulary.
#include "ops/traditionalml/dict_vectorizer/dict_vectorizer.h"

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "opset/type_check.h"

namespace norn::ops::test {
inline namespace dict_vectorizer_test_cc {
namespace {

template <class K, class V>
Value map_of(const std::vector<K>& keys, const std::vector<V>& values) {
  Map map{tensor<K>({static_cast<std::int64_t>(keys.size())}, keys), {}};
  for (const V& v : values) map.values.emplace_back(tensor<V>({}, {v}));
  return Value(std::move(map));
}

Attributes words(std::vector<std::string> list) {
  ir::Attribute a;
  a.name = std::string("string_vocabulary");
  a.type = static_cast<std::int32_t>(ir::AttributeType::Strings);
  a.strings = std::move(list);
  return {a};
}
Attributes numbers(std::vector<std::int64_t> list) {
  return {transform::make_attr("int64_vocabulary", std::move(list))};
}
Tensor vectorize(const Attributes& attrs, const Value& map) { return run(DictVectorizer, 1, attrs, {map})[0].tensor(); }

TEST(DictVectorizer, PutsValuesAtTheirKeys) {
  const Tensor y = vectorize(words({"a", "c", "b", "z"}), map_of<std::string, std::int64_t>({"c", "a"}, {8, 4}));
  EXPECT_EQ(y.dims(), norn::Shape{4});
  EXPECT_EQ(y.dtype(), DataType::Int64);
  EXPECT_EQ(doubles(y), (std::vector<double>{4, 8, 0, 0}));
  EXPECT_EQ(doubles(vectorize(words({"a"}), map_of<std::string, float>({"a"}, {1.5f}))), std::vector<double>{1.5});
  EXPECT_EQ(doubles(vectorize(numbers({3, -1}), map_of<std::int64_t, double>({-1}, {0.1}))),
            (std::vector<double>{0, 0.1}));
  const Tensor s = vectorize(numbers({3, 5}), map_of<std::int64_t, std::string>({5}, {"x"}));
  EXPECT_EQ(s.as<std::string>()[0], "");
  EXPECT_EQ(s.as<std::string>()[1], "x");
}

TEST(DictVectorizer, PassesOverOtherKeysAndRefusesOtherTypes) {
  EXPECT_EQ(doubles(vectorize(words({"a"}), map_of<std::string, float>({"b", "a"}, {1, 2}))), std::vector<double>{2});
  EXPECT_THROW(vectorize(words({"a"}), map_of<std::int64_t, float>({1}, {1})), Error);
  EXPECT_THROW(vectorize({}, map_of<std::int64_t, float>({1}, {1})), Error);
  EXPECT_THROW(vectorize(words({"a"}), map_of<std::string, float>({}, {})), Error);
  Attributes both = words({"a"});
  both.push_back(numbers({1})[0]);
  EXPECT_THROW(vectorize(both, map_of<std::string, float>({"a"}, {1})), Error);
}

TEST(DictVectorizer, TheTypeIsThatOfTheValues) {
  EXPECT_EQ(infer(DictVectorizer, 1, words({"a", "b"}), {opset::type_from_string("map(string, tensor(double))")})
                .types[0]
                .to_string(),
            "double[2]");
  EXPECT_THROW(infer(DictVectorizer, 1, words({"a"}), {opset::type_from_string("map(int64, tensor(double))")}), Error);
}

}  // namespace
}  // namespace dict_vectorizer_test_cc
}  // namespace norn::ops::test
