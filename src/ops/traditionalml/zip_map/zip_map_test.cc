// ZipMap: a map for each row.
#include "ops/traditionalml/zip_map/zip_map.h"

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace zip_map_test_cc {
namespace {

Attributes words(std::vector<std::string> list) {
  ir::Attribute a;
  a.name = std::string("classlabels_strings");
  a.type = static_cast<std::int32_t>(ir::AttributeType::Strings);
  a.strings = std::move(list);
  return {a};
}
Attributes numbers(std::vector<std::int64_t> list) {
  return {transform::make_attr("classlabels_int64s", std::move(list))};
}

TEST(ZipMap, EveryRowIsAMap) {
  const Tensor x = tensor<float>({2, 2}, {1, 2, 3, 4});
  const Value maps = run(ZipMap, 1, words({"a", "b"}), {x})[0];
  ASSERT_EQ(maps.sequence().items.size(), 2u);
  const Map& second = maps.sequence().items[1].map();
  EXPECT_EQ(second.keys.as<std::string>()[1], "b");
  ASSERT_EQ(second.values.size(), 2u);
  EXPECT_EQ(second.values[0].tensor().rank(), 0);
  EXPECT_EQ(doubles(second.values[1].tensor()), std::vector<double>{4});
}

TEST(ZipMap, AVectorIsOneRow) {
  const Value maps = run(ZipMap, 1, numbers({7, -1}), {tensor<float>({2}, {1, 2})})[0];
  ASSERT_EQ(maps.sequence().items.size(), 1u);
  EXPECT_EQ(maps.sequence().items[0].map().keys.as<std::int64_t>()[1], -1);
  EXPECT_TRUE(run(ZipMap, 1, numbers({7}), {tensor<float>({0, 1}, {})})[0].sequence().items.empty());
}

TEST(ZipMap, RefusesOtherNumbersOfColumns) {
  EXPECT_THROW(run(ZipMap, 1, numbers({7}), {tensor<float>({1, 2}, {1, 2})}), Error);
  EXPECT_THROW(run(ZipMap, 1, numbers({7}), {tensor<float>({}, {1})}), Error);
  EXPECT_THROW(run(ZipMap, 1, {}, {tensor<float>({1}, {1})}), Error);
  EXPECT_THROW(infer(ZipMap, 1, numbers({7}), {type("float[N,2]")}), Error);
  EXPECT_EQ(infer(ZipMap, 1, numbers({7}), {type("float")}).types[0].type_string(), "seq(map(int64, float))");
  EXPECT_EQ(infer(ZipMap, 1, words({"a"}), {type("float[N,1]")}).types[0].type_string(), "seq(map(string, float))");
}

}  // namespace
}  // namespace zip_map_test_cc
}  // namespace norn::ops::test
