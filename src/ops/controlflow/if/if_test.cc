// If: types of two branches that may disagree about sizes and rank, but not about what they are.
#include "ops/controlflow/if/if.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
inline namespace if_test_cc {
namespace {

Attributes graphs() {
  Attributes attrs;
  for (const char* name : {"then_branch", "else_branch"}) {
    ir::Attribute a;
    a.name = std::string(name);
    a.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
    a.g.mut().output.emplace_back();  // the number has to be the node's; what it is the test says
    attrs.push_back(std::move(a));
  }
  return attrs;
}

opset::ValueType merged(const char* then_type, const char* else_type, const Fact& cond = fact("bool[]")) {
  Chain chain;
  chain.branches = {{type(then_type)}, {type(else_type)}};
  return chain(If, 25, graphs(), {cond}).type;
}

TEST(If, MergesShapes) {
  EXPECT_EQ(merged("float[N,3]", "float[N,3]").to_string(), "float[N,3]");
  const auto partly = merged("float[N,3]", "float[N,4]");
  EXPECT_EQ((*partly.shape)[0].to_string(), "N");
  EXPECT_EQ((*partly.shape)[1].to_string()[0], '?');
  EXPECT_EQ(merged("float[N]", "float[N,1]").to_string(), "float");
  EXPECT_EQ(merged("float[2]", "float").to_string(), "float");
  EXPECT_EQ(merged("seq(float[2])", "seq(float[2])").to_string(), "seq(float[2])");
  EXPECT_THROW(merged("float[2]", "double[2]"), Error);
  EXPECT_THROW(merged("float[2]", "seq(float[2])"), Error);
}

TEST(If, KnownConditionTakesItsBranch) {
  for (const bool cond : {true, false}) {
    Chain chain;
    chain.branches = {{type("float[2]")}, {type("int64[3]")}};
    const Fact y = chain(If, 13, graphs(), {fact(tensor<bool>({1}, {cond}))});
    EXPECT_EQ(y.type.to_string(), cond ? "float[2]" : "int64[3]");
    EXPECT_EQ(chain.subgraphs_inferred, 1);
  }
}

TEST(If, Refusals) {
  Chain chain;
  chain.branches = {{type("float[2]")}, {}};
  EXPECT_THROW(chain(If, 13, graphs(), {fact("bool[]")}), Error);
  EXPECT_THROW(merged("float[2]", "float[2]", fact("bool[2]")), Error);
  EXPECT_THROW(merged("float[2]", "float[2]", fact("int64[]")), Error);
}

TEST(If, HasNoKernel) { EXPECT_EQ(opset::find_reference(If, 25), nullptr); }

}  // namespace
}  // namespace if_test_cc
}  // namespace norn::ops::test
