// The walk over a document: what only its structures show. Whole models are in tests/python/test_inference.py.
#include "infer/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "format/text.h"
#include "norn/error.h"
#include "opset/reference.h"

namespace norn::infer {
namespace {

ir::Model parsed(const std::string& graph) {
  return format::from_text<ir::Model>("<ir_version: 10, opset_import: [\"\" : 21, \"f\" : 1]>\n" + graph);
}

std::string type_of(const DocumentFacts& facts, std::string_view name) {
  for (const DocumentFacts::Graph& g : facts.graphs)
    for (ValueId id : g.values)
      if (facts.value(id).name == name) return facts.value(id).type.to_string();
  return "none";
}

DocumentOptions options() { return {.evaluator = opset::evaluate}; }

// A loop in a loop, whose bodies are each inferred twice: every graph is reported once.
TEST(Document, GraphsThatAreInferredAgainAreToldOnce) {
  const ir::Model model = parsed(R"(agraph (int64 m, bool go, float[3] x) => (y) {
    y = Loop(m, go, x) <body = outer (int64 i, bool c, float[A] v) => (bool c_out, v_out) {
      c_out = Identity(c)
      v_out = Loop(m, c, v) <body = inner (int64 j, bool d, float[B] u) => (bool d_out, u_out) {
        d_out = Identity(d)
        u_out = Concat<axis = 0>(u, u)
      }>
    }>
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  ASSERT_EQ(facts.graphs.size(), 3u);
  EXPECT_EQ(facts.graphs[0].graph, &*model.graph);
  EXPECT_TRUE(facts.problems.empty());
  EXPECT_EQ(type_of(facts, "y").substr(0, 7), "float[?");
}

// Loops in loops, the innermost of which makes what all of them carry grow along one axis: deeper levels remember
// that, and no size is lost that stays.
std::string nested_loops(int depth) {
  const std::string d = std::to_string(depth), inner = std::to_string(depth - 1);
  const std::string body =
      depth == 0 ? "n0 = Concat<axis = 0>(v0, x)" : "n" + d + " = Loop(m, \"\", v" + d + ")" + nested_loops(depth - 1);
  return " <body = b" + d + " (int64 i" + d + ", bool c" + d + ", v" + d + ") => (bool o" + d + ", n" + d + ") { o" +
         d + " = Identity(c" + d + ") " + body + " }>";
}

TEST(Document, LoopsInLoopsAreNotInferredTwiceAsOftenAtEachLevel) {
  for (const char* given : {"float[2, 3]", "float[N, 3]"}) {
    const ir::Model model = parsed("agraph (int64 m, " + std::string(given) + " x) => (y) { y = Loop(m, \"\", x)" +
                                   nested_loops(30) + " }");
    DocumentFacts facts;
    DocumentOptions limited = options();
    limited.limits.max_expanded_nodes = 20000;
    infer_document(model, limited, facts);
    EXPECT_TRUE(facts.problems.empty());
    ASSERT_EQ(facts.graphs.size(), 32u);
    for (const char* name : {"y", "v30", "v15", "v0", "n0"}) {
      const std::string type = type_of(facts, name);
      EXPECT_TRUE(type.starts_with("float[") && type.ends_with(",3]") && type.find('?') < 12) << name << ": " << type;
    }
  }
}

TEST(Document, FactsOfBranchesAreResolvedInThem) {
  const ir::Model model = parsed(R"(agraph (bool c, float[N, 4] x, float[3, M] w) => (y) {
    y = If (c) <then_branch = t () => (a) { a = MatMul(w, x) },
      else_branch = e () => (b) { b = Constant<value_floats = [1.0]>() }>
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_TRUE(facts.problems.empty());
  EXPECT_TRUE(facts.symbols.empty());  // what the branch says of M and N holds in it alone
  EXPECT_EQ(type_of(facts, "a"), "float[3,4]");
  EXPECT_EQ(type_of(facts, "y"), "float");
}

// As IR 1 wrote them: the attribute is copied to be completed, and findings refer to the document's graph.
TEST(Document, GraphsOfAttributesWithoutAType) {
  ir::Model model = parsed(R"(agraph (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Neg(x) }>
  })");
  std::vector<ir::Attribute>& attributes = model.graph->node[0].attribute;
  for (ir::Attribute& attribute : attributes) attribute.type.clear();
  DocumentFacts facts;
  infer_document(model, options(), facts);
  ASSERT_EQ(facts.graphs.size(), 3u);
  EXPECT_EQ(std::set({facts.graphs[1].graph, facts.graphs[2].graph}),
            std::set<const ir::Graph*>({&*attributes[0].g, &*attributes[1].g}));
  EXPECT_EQ(type_of(facts, "a"), "float[N]");
  EXPECT_NE(facts.describe(facts.graphs[1].place).find("(If) / attribute"), std::string::npos);
}

TEST(Document, ANumberAndAListOfItAreNotTheSame) {
  const ir::Model model = parsed(R"(agraph (bool c) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Constant<value_int = 1>() },
      else_branch = e () => (b) { b = Constant<value_ints = [1]>() }>
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_EQ(type_of(facts, "y"), "int64");
}

TEST(Document, WhatABranchDeclaresOfAValueAroundItHoldsInIt) {
  const ir::Model model = parsed(R"(agraph (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (float[3] x) { }, else_branch = e () => (b) { b = Neg(x) }>
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_EQ(type_of(facts, "x"), "float[N]");
  EXPECT_EQ(type_of(facts, "b"), "float[N]");
}

TEST(Document, CallsThatDoNotEnd) {
  const ir::Model model = parsed(R"(agraph (float[N] x) => (y) { y = f.a(x) }
    <domain: "f", opset_import: ["" : 21, "f" : 1]> a (x) => (y) { y = f.b(x) }
    <domain: "f", opset_import: ["" : 21, "f" : 1]> b (x) => (y) { y = f.a(x) })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  ASSERT_EQ(facts.problems.size(), 1u);
  EXPECT_NE(facts.problems[0].message.find("calls itself"), std::string::npos);
  EXPECT_NE(facts.problems[0].where.find("function \"b\""), std::string::npos);
  EXPECT_EQ(type_of(facts, "y"), "?");
}

TEST(Document, LimitsHold) {
  std::string functions;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i), next = i == 29 ? "Relu" : "f.g" + std::to_string(i + 1);
    functions += "<domain: \"f\", opset_import: [\"\" : 21, \"f\" : 1]> g" + n + " (x) => (y) { a = " + next +
                 "(x) y = " + next + "(a) }\n";
  }
  const ir::Model model = parsed("agraph (float[N] x) => (y) { y = f.g0(x) }\n" + functions);
  DocumentFacts facts;
  DocumentOptions limited = options();
  limited.limits.max_expanded_nodes = 1000;
  EXPECT_THROW(infer_document(model, limited, facts), Error);
}

TEST(Document, ContradictionsNameTheNodeAndTheDeclaration) {
  const ir::Model model = parsed(R"(agraph (float[3] x, float[N] z, float[4] w) => (float[4] y, int64[N] i)
    <float[5] t> { t = Relu(x) y = Neg(x) i = Identity(z) a = Add(z, w) })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  std::vector<std::string> messages;
  for (const Problem& p : facts.problems) messages.push_back(p.message);
  const auto has = [&](std::string_view text) {
    return std::any_of(messages.begin(), messages.end(),
                       [&](const std::string& m) { return m.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("value_info declares float[5], but node 0 (Relu) gives float[3]: dimension 0 differs"));
  EXPECT_TRUE(has("the graph output declares float[4], but node 1 (Neg) gives float[3]: dimension 0 differs"));
  EXPECT_TRUE(has("the graph output declares int64[N], but node 2 (Identity) gives float[N]"));
  EXPECT_EQ(messages.size(), 3u) << ::testing::PrintToString(messages);
}

// A rank that a branch leaves open is not known for the branch's reason, which began in the branch.
TEST(Document, OutputsOfBranchesSayWhereTheUnknownBegan) {
  const ir::Model model = parsed(R"(agraph (bool c, float[N] x, int64[K] s) => (y, z) {
    y, z = If (c) <then_branch = t () => (a, b) { a = Reshape(x, s) b = Neg(x) },
      else_branch = e () => (f, g) { f = Neg(x) g = Expand(x, s) }>
    k = ConstantOfShape(s)
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  std::map<std::string, std::string> why;
  for (infer::ValueId id : facts.graphs.front().values)
    if (const DocumentFacts::Value& value = facts.value(id); value.unknown)
      why[std::string(value.name)] =
          facts.unknowns[value.unknown].why + " @ " + facts.describe(facts.unknowns[value.unknown].where);
  EXPECT_TRUE(why["y"].starts_with("neither the contents of shape nor its length are known @")) << why["y"];
  EXPECT_TRUE(why["y"].ends_with("node 0 (Reshape)")) << why["y"];
  EXPECT_TRUE(why["z"].starts_with("neither the contents of shape nor its length are known @")) << why["z"];
  EXPECT_TRUE(why["z"].ends_with("node 1 (Expand)")) << why["z"];
  EXPECT_TRUE(why["k"].starts_with("neither the contents of input nor its length are known @")) << why["k"];
}

// Nodes that no output needs do not run: their demands on sizes are compared with the rest, but do not add to it.
TEST(Document, NodesThatNothingNeedsTeachNobody) {
  const ir::Model model = parsed(R"(agraph (float[N] x, float[M] z, bool c, float[4,2] w) => (y, v) {
    y = Relu(x)
    d = MatMul(x, w)
    v = If (c) <
      then_branch = t () => (a) { a = Neg(z) unused = MatMul(z, w) },
      else_branch = e () => (b) { b, unread = f.g(z) s = Shape(unread) }
    >
  }
  <domain: "f", opset_import: ["" : 21]>
  g (u) => (o, p) { o = Exp(u) k = Constant<value_floats = [1.0, 2.0]>() unused = MatMul(u, k) p = MatMul(k, u) })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_TRUE(facts.problems.empty());
  EXPECT_EQ(type_of(facts, "y"), "float[N]");
  EXPECT_EQ(type_of(facts, "v"), "float[M]");
  EXPECT_EQ(type_of(facts, "d"), "float[2]");
  EXPECT_EQ(type_of(facts, "a"), "float[M]");
}

TEST(Document, NodesThatGraphsOfOthersNeedTeach) {
  const ir::Model model = parsed(R"(agraph (float[N] x, bool c, float[4,2] w) => (y, v) {
    y = Relu(x)
    d = MatMul(x, w)
    v = If (c) <then_branch = t () => (a) { a = Neg(d) }, else_branch = e () => (d) { }>
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_TRUE(facts.problems.empty());
  EXPECT_EQ(type_of(facts, "y"), "float[4]");
}

TEST(Document, DeclarationsThatWouldEmptyADimensionAreDoubted) {
  const ir::Model model =
      parsed(R"(agraph (float[B,P,4] past, float[B,S,4] x) => (float[B,P,4] present, float[0] none) {
    k = Relu(x)
    present = Concat<axis = 1>(past, k)
    none = Constant<value = float[0] {}>()
  })");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  ASSERT_EQ(facts.problems.size(), 1u);
  EXPECT_EQ(facts.problems[0].kind, Problem::Kind::Variables);
  EXPECT_NE(facts.problems[0].message.find("P + S is P only if S is 0"), std::string::npos)
      << facts.problems[0].message;
  EXPECT_EQ(type_of(facts, "past"), "float[B,P,4]");
}

TEST(Document, UndefinedNamesHideNothingElse) {
  const ir::Model model = parsed("agraph (float[2] x) => (y, z) { y = Relu(x) z = Add(nothing, x) }");
  DocumentFacts facts;
  infer_document(model, options(), facts);
  EXPECT_EQ(type_of(facts, "y"), "float[2]");
  EXPECT_EQ(type_of(facts, "z"), "float");
  EXPECT_TRUE(facts.problems.empty());
}

}  // namespace
}  // namespace norn::infer
