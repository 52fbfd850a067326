// Optionals: what goes in comes out, and an empty one is known as such.
#include "ops/optional/optional/optional.h"

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace optional_test_cc {
namespace {

const cases::Cases all("Optional",
                       {
                           {"OptionalGetElement-18..",
                            "{V[2,3] odd|V[0,4]|V[] random}",
                            "",
                            {.picks =
                                 [](cases::Sample& s) {
                                   auto& y = s.out(0, s.in(0).dims);
                                   for (std::size_t i = 0; i < y.size(); ++i)
                                     y[i] = cases::Sample::element(0, static_cast<std::int64_t>(i));
                                 },
                             .types = "!string"}},
                           {"OptionalGetElement-18..", "seq(string[2] a b | string[] c)",
                            "seq(string[2] a b | string[] c)"},
                           {"OptionalHasElement-18..", "{float[2] 1 2|string[0]|seq(float[] 1)|seq()}", "bool[] 1"},
                           {"OptionalHasElement-18..", "", "bool[] 0"},
                           {"OptionalHasElement-18..", "-", "bool[] 0"},
                           {"Optional", "float[N,3]", "optional(float[N,3])"},
                           {"Optional", "seq(int64[2])", "optional(seq(int64[2]))"},
                           {"Optional", "", "", {.error = "type"}},
                           {"OptionalGetElement", "optional(float[N,3])", "float[N,3]"},
                           {"OptionalGetElement", "optional(seq(string))", "seq(string)"},
                           {"OptionalGetElement-18", "int64[2] N 5", "int64[2] N 5"},
                           {"OptionalGetElement-15", "float[2]", "", {.error = "*"}},
                           {"OptionalHasElement", "optional(float[N,3])", "bool[] unknown"},
                           {"OptionalHasElement-15", "float[2]", "", {.error = "*"}},
                       });

Attributes of_type(const opset::ValueType& type) {
  Attributes attrs(1);
  attrs[0].name = std::string("type");
  attrs[0].type = static_cast<std::int32_t>(ir::AttributeType::TypeProto);
  attrs[0].tp.mut() = opset::to_ir(type);
  return attrs;
}

TEST(Optional, TheAttributeSaysTheTypeOfAnEmptyOne) {
  const Attributes attrs = of_type(type("float[2]"));
  for (const int version : {15, 28}) {
    EXPECT_EQ(infer(Optional, version, attrs, {}).types[0].to_string(), "optional(float[2])");
    const Value empty = run(Optional, version, attrs, {})[0];
    EXPECT_TRUE(empty.is_empty());
    EXPECT_EQ(doubles(run(OptionalHasElement, version, {}, {Value(empty)})[0].tensor()), std::vector<double>{0});
  }
  EXPECT_EQ(infer(Optional, 15, attrs, {type("float[2]")}).types[0].to_string(), "optional(float[2])");
  EXPECT_THROW(infer(Optional, 15, attrs, {type("double[2]")}), Error);
}

TEST(Optional, HoldsAValueOfItsOwn) {
  Tensor x = tensor<float>({1}, {1});
  const Value held = run(Optional, 15, {}, {x})[0];
  x.as_mutable<float>()[0] = 2;
  EXPECT_EQ(doubles(run(OptionalGetElement, 15, {}, {held})[0].tensor()), std::vector<double>{1});
  EXPECT_EQ(doubles(run(OptionalHasElement, 15, {}, {held})[0].tensor()), std::vector<double>{1});
  const Value sequence = run(Optional, 15, {}, {Value(Sequence{{held}})})[0];
  EXPECT_EQ(run(OptionalGetElement, 15, {}, {sequence})[0].sequence().items.size(), 1u);
}

TEST(Optional, AnEmptyOneHasNoElement) {
  const Value none;
  std::vector<const Value*> inputs{&none};
  const opset::Schema& row = OptionalGetElement.history.back();
  EXPECT_THROW(opset::evaluate(OptionalGetElement, opset::Attrs(row, {}), inputs, 1), Error);
}

}  // namespace
}  // namespace optional_test_cc
}  // namespace norn::ops::test
