// Programs that break one rule each.
#include "program/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "norn/error.h"
#include "program/lower.h"
#include "program/passes.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::tensor;
using transform::make_attr;

Program sample() {
  GraphBuilder yes("yes"), no("no");
  yes.node("Add", {"a", "w"}, {"t"}).output("t");
  no.node("Neg", {"a"}, {"e"}).output("e");
  ModelBuilder m(18);
  m.input("c", "bool[]").input("x", "float[N,3]").initializer("w", tensor<float>({3}, {1, 2, 3}));
  m.node("Abs", {"x"}, {"a"}).node("Softmax", {"a"}, {"s"}, {make_attr("axis", std::int64_t{1})});
  m.node("If", {"c"}, {"i"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.node("Add", {"s", "i"}, {"b"}).node("Mul", {"b", "w"}, {"d"}).node("Relu", {"d"}, {"y"}).output("y");
  return lower(m.build(), {});
}

std::string broken(Program p, const std::function<void(Program&)>& how) {
  verify(p);
  how(p);
  try {
    verify(p);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Internal);
    return e.what();
  }
  return "nothing is wrong";
}

#define EXPECT_BROKEN(program, text, ...)                                             \
  do {                                                                                \
    const std::string why = broken(program, [](Program& p) { __VA_ARGS__; });         \
    EXPECT_NE(why.find(text), std::string::npos) << why << "\n  at " << #__VA_ARGS__; \
  } while (false)

TEST(Verify, ValuesAreMadeOnceAndBeforeTheyAreRead) {
  EXPECT_BROKEN(sample(), "read and not made before", std::swap(p.main.nodes[0], p.main.nodes[1]));
  EXPECT_BROKEN(sample(), "(Softmax)", std::swap(p.main.nodes[0], p.main.nodes[1]));
  EXPECT_BROKEN(sample(), "made a second time", p.main.nodes[1].outputs = p.main.nodes[0].outputs);
  EXPECT_BROKEN(sample(), "made a second time", p.main.nodes[1].outputs = p.main.inputs);
  EXPECT_BROKEN(sample(), "there is no value 99", p.main.nodes[1].inputs[0] = 99);
  EXPECT_BROKEN(sample(), "there is no value 99", p.main.outputs[0] = 99);
  EXPECT_BROKEN(sample(), "read and not made", p.main.nodes.pop_back());
  EXPECT_BROKEN(sample(), "without contents", p.main.value(p.main.nodes[4].inputs[1]).constant = {});
  EXPECT_BROKEN(sample(), "not listed", p.main.inputs.pop_back());
  EXPECT_BROKEN(sample(), "listed twice", p.main.inputs.push_back(p.main.inputs[0]));
  EXPECT_BROKEN(sample(), "has contents, and is not a constant",
                p.main.value(p.main.outputs[0]).constant = tensor<float>({1, 3}, {1, 2, 3}));
}

TEST(Verify, TypesAreWhatOperatorsSay) {
  EXPECT_BROKEN(sample(), "double", p.main.value(p.main.outputs[0]).type.elem = DataType::Double);
  EXPECT_BROKEN(sample(), "(Relu)", (*p.main.value(p.main.outputs[0]).type.shape)[1] = opset::DimExpr(4));
  EXPECT_BROKEN(sample(), "its contents", p.main.value(p.main.nodes[4].inputs[1]).constant = tensor<float>({1}, {1}));
  EXPECT_BROKEN(sample(), "no attribute \"axes\"", p.main.nodes[1].attrs[0].name = "axes");
  EXPECT_BROKEN(sample(), "another type", p.main.nodes[1].attrs[0].type = 1);
  EXPECT_BROKEN(sample(), "no operator", p.main.nodes[1].op = nullptr);
  EXPECT_BROKEN(sample(), "version", p.main.nodes[1].schema = p.main.nodes[0].schema);
  EXPECT_BROKEN(sample(), "(Softmax)", p.main.nodes[1].inputs.clear());
}

TEST(Verify, GraphsInNodesReadWhatIsAround) {
  const auto branch = [](Program& p, int i) -> Graph& { return *p.main.nodes[2].subgraphs[i].graph; };
  EXPECT_NE(broken(sample(), [&](Program& p) { branch(p, 0).captures[0].outer = p.main.outputs[0]; })
                .find("read and not made before"),
            std::string::npos);
  EXPECT_NE(broken(sample(), [&](Program& p) { branch(p, 1).captures[0].outer = p.main.inputs[0]; })
                .find("and around the node"),
            std::string::npos);
  EXPECT_NE(broken(sample(), [&](Program& p) { branch(p, 1).captures.clear(); }).find("not listed"), std::string::npos);
  EXPECT_NE(broken(sample(), [&](Program& p) { branch(p, 1).outputs.clear(); }).find("(If)"), std::string::npos);
  EXPECT_NE(broken(sample(),
                   [&](Program& p) {
                     Value extra;
                     extra.name = "extra";
                     extra.origin = Origin::Feed;
                     branch(p, 1).inputs.push_back(branch(p, 1).add_value(extra));
                   })
                .find("1 inputs, and the node gives 0"),
            std::string::npos);
}

TEST(Verify, PartsOfFusedNodes) {
  const auto fused = [] {
    Program p = sample();
    run_passes(p, {});
    EXPECT_EQ(describe_operations(p.main.nodes.back()), "Add+Mul+Relu");
    return p;
  };
  EXPECT_BROKEN(fused(), "does not read", p.main.nodes.back().parts[1].inputs[0] = p.main.nodes[0].outputs[0]);
  EXPECT_BROKEN(fused(), "read elsewhere", p.main.outputs.push_back(p.main.nodes.back().outputs[0]);
                p.declared_outputs.push_back(p.declared_outputs[0]));
  // One more Add, of the last value and one before it.
  static const auto lengthen = [](Program& p, std::size_t of) {
    Node& node = p.main.nodes.back();
    const ValueId last = node.results()[0];
    Node more = node;
    more.parts.clear();
    Value value = p.main.value(last);
    p.main.value(last).name += " within";
    more.inputs = {last, of == 0 ? node.outputs[0] : node.parts[of - 1].outputs[0]};
    more.outputs = {p.main.add_value(std::move(value))};
    std::replace(p.main.outputs.begin(), p.main.outputs.end(), last, more.outputs[0]);
    node.parts.push_back(std::move(more));
  };
  Program skipping = fused();
  lengthen(skipping, 1);
  EXPECT_NO_THROW(verify(skipping));
  EXPECT_BROKEN(fused(), "read elsewhere", lengthen(p, 0));
  EXPECT_BROKEN(fused(), "not one output", p.main.nodes.back().parts[0].outputs.clear());
  EXPECT_BROKEN(fused(), "(Mul)", p.main.value(p.main.nodes.back().parts[0].outputs[0]).type.elem = DataType::Int64);
}

TEST(Verify, NamesThatDocumentsNeed) {
  EXPECT_BROKEN(sample(), "two inputs are named \"c\"", p.main.value(p.main.inputs[1]).name = "c");
  EXPECT_BROKEN(sample(), "outputs", p.declared_outputs.clear());
  EXPECT_BROKEN(sample(), "two states", p.states.resize(2));
}

}  // namespace
}  // namespace norn::program
