// Constant: every spelling gives its tensor, and every spelling goes down to a dense `value`.
#include "ops/generator/constant/constant.h"

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
inline namespace constant_test_cc {
namespace {

using transform::make_attr;

ir::Attribute sparse_attr() {
  ir::SparseTensor sparse;
  sparse.values = ir::from_value(tensor<float>({2}, {5, 7}));
  sparse.indices = ir::from_value(tensor<std::int64_t>({2, 2}, {0, 1, 1, 2}));
  sparse.dims = {2, 3};
  ir::Attribute a;
  a.name = std::string("sparse_value");
  a.type = static_cast<std::int32_t>(ir::AttributeType::SparseTensor);
  a.sparse_tensor = std::move(sparse);
  return a;
}

const cases::Cases all("Constant",
                       {
                           {"Constant value=(T[2,3] odd 9)", "", "T[2,3] odd 9", {.types = "!complex64 !complex128"}},
                           {"Constant value=(T[2,3] random 9)", "", "T[2,3] random 9"},
                           {"Constant-12.. value_float=2.5", "", "float[] 2.5", {.down_to = 1}},
                           {"Constant-12.. value_int=-3", "", "int64[] -3", {.down_to = 9}},
                           {"Constant-12.. value_string=hi", "", "string[] hi", {.down_to = 9}},
                           {"Constant-12.. value_floats=1.5,2", "", "float[2] 1.5 2", {.down_to = 1}},
                           {"Constant-12.. value_ints=4,-1", "", "int64[2] 4 -1", {.down_to = 9}},
                           {"Constant-12.. value_strings=a,\"\"", "", "string[2] a \"\"", {.down_to = 9}},
                           {"Constant-13", "", "", {.error = "*"}},
                           {"Constant-13 value_float=1 value_int=1", "", "", {.error = "*"}},
                       });

TEST(Constant, OtherSpellings) {
  struct Case {
    ir::Attribute attr;
    std::string type;
  };
  const Case cases[] = {
      {make_attr("value_float", 2.5f), "float[]"},
      {make_attr("value_int", std::int64_t{-3}), "int64[]"},
      {make_attr("value_string", std::string("hi")), "string[]"},
      {floats_attr("value_floats", {1.5f, 2}), "float[2]"},
      {make_attr("value_ints", std::vector<std::int64_t>{4, 5, 6}), "int64[3]"},
      {strings_attr("value_strings", {"a", "bc"}), "string[2]"},
      {sparse_attr(), "float[2,3]"},
  };
  for (const Case& c : cases) {
    const Value computed = run_and_check(Constant, 13, {c.attr}, {})[0];
    EXPECT_EQ(infer(Constant, 13, {c.attr}, {}).types[0].to_string(), c.type);
    const auto down = moved(Constant, 13, 9, {c.attr}, std::vector<Operand>{});
    EXPECT_EQ(down.nodes.at(0).node.attribute.at(0).name.get(), "value");
    EXPECT_TRUE(same_elements(run_moved(down, {}).tensor(), computed.tensor())) << c.type;
  }
  EXPECT_EQ(doubles(run(Constant, 11, {sparse_attr()}, {})[0].tensor()), (std::vector<double>{0, 5, 0, 0, 0, 7}));
  EXPECT_EQ(strings(run(Constant, 12, {strings_attr("value_strings", {"a", ""})}, {})[0]),
            (std::vector<std::string>{"a", ""}));
}

TEST(Constant, Contents) {
  Chain chain;
  EXPECT_EQ(chain(Constant, 13, {make_attr("value_ints", std::vector<std::int64_t>{4, -1})}, {}).contents(), "[4,-1]");
  const Tensor large = iota(DataType::Int64, {5000});
  const Fact known = chain(Constant, 13, {tensor_attr("value", large)}, {});
  EXPECT_EQ(known.shape(), "[5000]");
  EXPECT_EQ(known.contents(), "?");
  ir::Attribute outside = tensor_attr("value", tensor<float>({2}, {1, 2}));
  outside.t->raw_data.clear();
  outside.t->data_location = ir::kDataLocationExternal;
  EXPECT_EQ(chain(Constant, 13, {outside}, {}).type.to_string(), "float[2]");
  EXPECT_THROW(run(Constant, 13, {outside}, {}), Error);
}

}  // namespace
}  // namespace constant_test_cc
}  // namespace norn::ops::test
