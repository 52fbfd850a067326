#include "infer/infer_node.h"

#include <gtest/gtest.h>

#include <deque>

#include "infer/symbols.h"
#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "opset/reference.h"

namespace norn::infer {
namespace {

using namespace opset;
using ops::test::tensor;
using ops::test::type;

struct Engine final : InferContext::Engine {
  Symbols unifier;
  int fresh = 0;
  DimExpr fresh_dim(std::string_view) override { return DimExpr::variable("?" + std::to_string(fresh++)); }
  DimExpr fresh_int(std::string_view) override { return DimExpr::variable("?" + std::to_string(fresh++) + "~"); }
  void equal(const DimExpr& a, const DimExpr& b, std::string_view) override { unifier.equal(a, b); }
  std::vector<opset::Fact> infer_subgraph(std::string_view, std::span<const opset::Fact>) override { return {}; }
};

struct Given {
  std::optional<ValueType> type;
  KnownValue value = {};
};

std::vector<InferContext::Output> node(const Operator& op, int version, const std::vector<Given>& given,
                                       int outputs = 1, Evaluator evaluator = nullptr,
                                       std::vector<ir::Attribute> attributes = {}) {
  std::vector<InferContext::Input> inputs;
  for (const Given& g : given) inputs.push_back({g.type ? &*g.type : nullptr, &g.value});
  std::vector<InferContext::Output> out(static_cast<std::size_t>(outputs));
  Engine engine;
  infer_node(op, Attrs(*schema_at(op, version), attributes), inputs, out, engine, evaluator);
  return out;
}

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::Internal, "none");
}

TEST(InferNode, ChecksArity) {
  EXPECT_EQ(error_of([] { node(ops::Add, 14, {{type("float[2]")}}); }).message(),
            "input 1 \"B\" is missing: Add has 1 input, but its version 14 takes 2");
  EXPECT_EQ(error_of([] { node(ops::Add, 14, {{type("float[2]")}, {std::nullopt}}); }).message(),
            "input 1 \"B\" is missing: an empty name leaves it out");
  EXPECT_EQ(error_of([] { node(ops::Sum, 13, {{type("float[2]")}, {std::nullopt}}); }).message(),
            "input 1 \"data_0\" is missing: an empty name leaves it out");
  const Error many = error_of([] { node(ops::Add, 14, {{type("float")}, {type("float")}, {type("float")}}); });
  EXPECT_EQ(many.message(), "Add has 3 inputs, but its version 14 takes 2");
  EXPECT_EQ(many.code(), ErrorCode::InvalidGraph);
  EXPECT_EQ(error_of([] { node(ops::Add, 14, {{type("float")}, {type("float")}}, 2); }).message(),
            "Add has 2 outputs, but its version 14 gives 1");
}

TEST(InferNode, ChecksTypes) {
  const Error two = error_of([] { node(ops::Add, 14, {{type("float[2]")}, {type("int64[3]")}}); });
  EXPECT_EQ(two.message(), "input 1 \"B\" is int64[3], but T is float because of input 0 \"A\"");
  EXPECT_EQ(two.where(), "inputs (float[2], int64[3])");
  const Error old = error_of([] { node(ops::Add, 7, {{type("int8[2]")}, {type("int8[2]")}}); });
  EXPECT_NE(old.message().find("input 0 \"A\" is int8[2]"), std::string::npos);
  EXPECT_EQ(old.hint(), "Add accepts it from opset version 14 on");
  EXPECT_THROW(node(ops::Add, 14, {{type("string[2]")}, {type("string[2]")}}), Error);
  EXPECT_THROW(node(ops::Add, 14, {{ValueType::sequence(type("float"))}, {type("float")}}), Error);
}

TEST(InferNode, UnknownInputsAreNoError) {
  auto out = node(ops::Add, 14, {{ValueType{}}, {ValueType{}}});
  EXPECT_FALSE(out[0].type.known());
  out = node(ops::Add, 14, {{ValueType{}}, {type("double[3]")}});
  EXPECT_EQ(out[0].type.to_string(), "double");
}

TEST(InferNode, IntegersAndConstantsComeTogether) {
  const auto a = tensor<std::int64_t>({2}, {4, 5});
  auto out =
      node(ops::Mul, 14,
           {{type("int64[2]"), {.constant = a}}, {type("int64[]"), {.constant = tensor<std::int64_t>({}, {3})}}});
  ASSERT_TRUE(out[0].value.ints.has());
  EXPECT_EQ(to_string(*out[0].value.ints), "[12,15]");
  ASSERT_TRUE(out[0].value.constant.defined());
  EXPECT_EQ(out[0].value.constant.as<std::int64_t>()[1], 15);

  const Dims symbolic = {DimExpr::variable("N"), 5};
  out = node(ops::Mul, 14, {{type("int64[2]"), {.ints = symbolic}}, {type("int64[2]"), {.constant = a}}});
  EXPECT_EQ(to_string(*out[0].value.ints), "[4*N,25]");
  EXPECT_FALSE(out[0].value.constant.defined());
}

TEST(InferNode, EvaluatesConstantsOfOtherTypes) {
  const Given x{type("float[2]"), {.constant = tensor<float>({2}, {1, 2})}};
  EXPECT_FALSE(node(ops::Div, 14, {x, x})[0].value.known());
  const auto out = node(ops::Div, 14, {x, x}, 1, evaluate);
  ASSERT_TRUE(out[0].value.constant.defined());
  EXPECT_EQ(out[0].value.constant.as<float>()[1], 1.0f);
  EXPECT_FALSE(out[0].value.ints.has());

  const Given large{type("float[2000]"), {.constant = Tensor(DataType::Float, {2000})}};
  EXPECT_FALSE(node(ops::Add, 14, {large, large}, 1, evaluate)[0].value.known());
}

TEST(InferNode, ErrorsOfTheKernelMakeTheGraphInvalid) {
  const Given one{type("int32[1]"), {.constant = tensor<std::int32_t>({1}, {1})}};
  const Given zero{type("int32[1]"), {.constant = tensor<std::int32_t>({1}, {0})}};
  const Error e = error_of([&] { node(ops::Div, 14, {one, zero}, 1, evaluate); });
  EXPECT_EQ(e.code(), ErrorCode::InvalidGraph);
  EXPECT_EQ(e.where(), "inputs (int32[1], int32[1]) / input 1");
}

TEST(InferNode, NarrowResultsThatDoNotFitWrapThroughTheEvaluator) {
  const Given big{type("int32[1]"), {.constant = tensor<std::int32_t>({1}, {INT32_MAX})}};
  EXPECT_FALSE(node(ops::Add, 14, {big, big})[0].value.known());
  EXPECT_EQ(to_string(*node(ops::Add, 14, {big, big}, 1, evaluate)[0].value.ints), "[-2]");
}

// An operator made up for the types that the schema alone determines.
constexpr Param kIn[] = {{.name = "X", .type = "T"},
                         {.name = "Y", .type = "tensor(int64)", .option = ParamOption::Optional}};
constexpr Param kOut[] = {{.name = "A", .type = "T"},
                          {.name = "B", .type = "tensor(bool)"},
                          {.name = "C", .type = "U", .option = ParamOption::Optional}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kFloats)}, {"U", tensors(types::kString)}};
constexpr Attr kAttrs[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)},
                           {.name = "mode", .type = ir::AttributeType::String, .required = true}};
constexpr Schema kRows[] = {{.since = 1, .inputs = kIn, .outputs = kOut, .attrs = kAttrs, .types = kTypes}};
void knows_nothing(InferContext&) {}
void takes_axis(InferContext& ctx) {
  ctx.require_rank(0, 3);
  ctx.set(0, ctx.elem(0), {ctx.normalize_axis(ctx.attrs().i("axis"), 3), ctx.fresh_dim()});
  ctx.set(7, DataType::Float);
}

TEST(InferNode, FillsInTypesFromTheSchema) {
  const Operator op = {"test", "Made", kRows, knows_nothing};
  const auto out = node(op, 1, {{type("float16[2]")}}, 3);
  EXPECT_EQ(out[0].type.to_string(), "float16");
  EXPECT_EQ(out[1].type.to_string(), "bool");
  EXPECT_EQ(out[2].type.to_string(), "string");
  EXPECT_EQ(error_of([&] { node(op, 1, {{type("float")}, {type("int32[2]")}}, 3); }).message(),
            "input 1 \"Y\" is int32[2], but has to be tensor(int64)");
}

TEST(InferNode, ContextHelps) {
  const Operator op = {"test", "Made", kRows, takes_axis};
  EXPECT_EQ(node(op, 1, {{type("float[2,3,4]")}}, 2)[0].type.to_string(), "float[2,?0]");
  EXPECT_EQ(error_of([&] { node(op, 1, {{type("float[2]")}}, 2); }).message(),
            "input 0 \"X\" has rank 1, but rank 3 is required");
  ir::Attribute axis;
  axis.name = "axis";
  axis.type = static_cast<std::int32_t>(ir::AttributeType::Int);
  axis.i = 3;
  EXPECT_EQ(error_of([&] { node(op, 1, {{type("float[2,3,4]")}}, 2, nullptr, {axis}); }).message(),
            "axis is 3, but has to be in [-3, 2] for rank 3");
}

TEST(Attrs, DefaultsAndDefects) {
  std::vector<ir::Attribute> given(1);
  given[0].name = "mode";
  given[0].type = static_cast<std::int32_t>(ir::AttributeType::String);
  given[0].s = "linear";
  const Attrs attrs(kRows[0], given);
  EXPECT_EQ(attrs.i("axis"), -1);
  EXPECT_FALSE(attrs.has("axis"));
  EXPECT_EQ(attrs.s("mode"), "linear");
  EXPECT_EQ(error_of([&] { attrs.i("axes"); }).code(), ErrorCode::Internal);
  EXPECT_EQ(error_of([&] { attrs.f("axis"); }).code(), ErrorCode::Internal);
  EXPECT_EQ(error_of([&] { Attrs(kRows[0], {}).s("mode"); }).message(),
            "the required attribute \"mode\" (STRING) is missing");
  given[0].type = static_cast<std::int32_t>(ir::AttributeType::Int);
  EXPECT_EQ(error_of([&] { Attrs(kRows[0], given).s("mode"); }).message(),
            "the attribute \"mode\" is an int, but has to be a string");
}

}  // namespace
}  // namespace norn::infer
