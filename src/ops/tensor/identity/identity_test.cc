// Identity: every element type, sequences and the empty optional; what is known of the input is known of the output.
#include "ops/tensor/identity/identity.h"

#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

TEST(Identity, EveryType) {
  for (int n = 1; n < kDataTypeCount; ++n) {
    const auto type = static_cast<DataType>(n);
    if (!Identity.history.back().types[0].set.allows_tensor(type)) continue;
    SCOPED_TRACE(data_type_name(type));
    Tensor x(type, {2, 3});
    if (type == DataType::String) {
      for (int i = 0; i < 6; ++i) x.as_mutable<std::string>()[i] = std::string(static_cast<std::size_t>(i * 9), 'x');
    } else {
      auto* bytes = static_cast<std::uint8_t*>(x.mutable_data());
      for (std::size_t i = 0; i < x.bytes(); ++i)
        bytes[i] = type == DataType::Bool ? i & 1 : static_cast<std::uint8_t>(i * 37 % 4);
    }
    const Tensor y = run_and_check(Identity, 25, {}, {x})[0].tensor();
    ASSERT_EQ(y.dtype(), type);
    ASSERT_EQ(y.dims(), x.dims());
    EXPECT_NE(y.data(), x.data());
    if (type == DataType::String) {
      EXPECT_TRUE(std::equal(x.as<std::string>(), x.as<std::string>() + 6, y.as<std::string>()));
    } else {
      EXPECT_TRUE(std::equal(x.as<std::byte>(), x.as<std::byte>() + x.bytes(), y.as<std::byte>()));
    }
  }
}

TEST(Identity, OtherValues) {
  const Value sequence = Sequence{{tensor<float>({2}, {1, 2}), tensor<float>({}, {3})}};
  const auto out = run(Identity, 16, {}, {sequence});
  ASSERT_TRUE(out[0].is_sequence());
  EXPECT_EQ(out[0].sequence().items.size(), 2u);
  EXPECT_EQ(doubles(out[0].sequence().items[0].tensor()), (std::vector<double>{1, 2}));
}

TEST(Identity, Shapes) {
  EXPECT_EQ(run_and_check(Identity, 13, {}, {tensor<float>({0, 4}, {})})[0].tensor().dims(), (Shape{0, 4}));
  EXPECT_EQ(doubles(run_and_check(Identity, 1, {}, {tensor<float>({}, {4})})[0].tensor()), std::vector<double>{4});
  EXPECT_EQ(doubles(run_lifted(Identity, 1, {}, {tensor<float>({1}, {4})})[0].tensor()), std::vector<double>{4});
}

TEST(Identity, KeepsWhatIsKnown) {
  EXPECT_EQ(infer(Identity, 14, {}, {type("float[N,3]")}).types[0].to_string(), "float[N,3]");
  const auto sequence = opset::ValueType::sequence(type("int64[2]"));
  EXPECT_EQ(infer(Identity, 14, {}, {sequence}).types[0].to_string(), sequence.to_string());
  EXPECT_THROW(infer(Identity, 13, {}, {sequence}), Error);
  const auto optional = opset::ValueType::optional(type("float[2]"));
  EXPECT_EQ(infer(Identity, 16, {}, {optional}).types[0].to_string(), optional.to_string());
  EXPECT_THROW(infer(Identity, 14, {}, {optional}), Error);
  const auto known = infer(Identity, 13, {}, {type("int64[2]")}, {tensor<std::int64_t>({2}, {4, 5})});
  EXPECT_EQ(known.values[0].ints, (opset::Dims{4, 5}));
  EXPECT_TRUE(known.values[0].constant.defined());
  EXPECT_TRUE(infer(Identity, 13, {}, {type("float[1]")}, {tensor<float>({1}, {4})}).values[0].constant.defined());
}

}  // namespace
}  // namespace norn::ops::test
