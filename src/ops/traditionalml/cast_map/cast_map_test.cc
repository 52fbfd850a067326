// CastMap: values in order of their keys, or at the places that the keys say.
#include "ops/traditionalml/cast_map/cast_map.h"

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "opset/type_check.h"

namespace norn::ops::test {
inline namespace cast_map_test_cc {
namespace {

using transform::make_attr;

template <class T>
Value map_of(const std::vector<std::int64_t>& keys, const std::vector<T>& values) {
  Map map{tensor<std::int64_t>({static_cast<std::int64_t>(keys.size())}, keys), {}};
  for (const T& v : values) map.values.emplace_back(tensor<T>({}, {v}));
  return Value(std::move(map));
}

Attributes attrs_of(const char* to, const char* form, std::int64_t size = 4) {
  return {make_attr("cast_to", std::string(to)), make_attr("map_form", std::string(form)), make_attr("max_map", size)};
}
Tensor cast(const Attributes& attrs, const Value& map) { return run(CastMap, 1, attrs, {map})[0].tensor(); }
std::vector<std::string> strings(const Tensor& t) { return {t.as<std::string>(), t.as<std::string>() + t.size()}; }

TEST(CastMap, DenseFollowsTheKeys) {
  const Value map = map_of<float>({7, -2, 3}, {1.5f, -2.75f, 4});
  const Tensor y = cast(attrs_of("TO_FLOAT", "DENSE"), map);
  EXPECT_EQ(y.dims(), (norn::Shape{1, 3}));
  EXPECT_EQ(doubles(y), (std::vector<double>{-2.75, 4, 1.5}));
  EXPECT_EQ(doubles(cast(attrs_of("TO_INT64", "DENSE"), map)), (std::vector<double>{-2, 4, 1}));
  EXPECT_EQ(strings(cast(attrs_of("TO_STRING", "DENSE"), map)), (std::vector<std::string>{"-2.75", "4.0", "1.5"}));
}

TEST(CastMap, SparseHasZerosBetween) {
  const Value map = map_of<std::string>({3, 0}, {"1.5", "7"});
  EXPECT_EQ(doubles(cast(attrs_of("TO_FLOAT", "SPARSE"), map)), (std::vector<double>{7, 0, 0, 1.5}));
  EXPECT_EQ(strings(cast(attrs_of("TO_STRING", "SPARSE"), map)), (std::vector<std::string>{"7", "0", "0", "1.5"}));
  EXPECT_EQ(doubles(cast(attrs_of("TO_FLOAT", "SPARSE"), map_of<float>({}, {}))), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(cast(attrs_of("TO_FLOAT", "DENSE"), map_of<float>({}, {})).dims(), (norn::Shape{1, 0}));
}

TEST(CastMap, RefusesWhatDoesNotFit) {
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "SPARSE", 2), map_of<float>({2}, {1})), Error);
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "SPARSE", 2), map_of<float>({-1}, {1})), Error);
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "SPARSE", 0), map_of<float>({}, {})), Error);
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "WIDE"), map_of<float>({}, {})), Error);
  EXPECT_THROW(cast(attrs_of("FLOAT", "DENSE"), map_of<float>({}, {})), Error);
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "DENSE"), map_of<std::string>({0}, {"x"})), Error);
  EXPECT_THROW(cast(attrs_of("TO_FLOAT", "DENSE"), Value(tensor<float>({}, {1}))), Error);
}

TEST(CastMap, TheSparseSizeIsKnown) {
  const opset::ValueType map = opset::type_from_string("map(int64, tensor(float))");
  EXPECT_EQ(infer(CastMap, 1, attrs_of("TO_STRING", "SPARSE"), {map}).types[0].to_string(), "string[1,4]");
  EXPECT_EQ(infer(CastMap, 1, attrs_of("TO_INT64", "DENSE"), {map}).types[0].type_string(), "tensor(int64)");
}

}  // namespace
}  // namespace cast_map_test_cc
}  // namespace norn::ops::test
