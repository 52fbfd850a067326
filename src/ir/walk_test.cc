#include "ir/walk.h"

#include <gtest/gtest.h>

#include "norn/types.h"

namespace norn::ir {
namespace {

Graph nested() {
  Graph inner;
  inner.name = "then \"x\"";
  inner.initializer.emplace_back();
  Graph outer;
  outer.name = "main";
  Node node;
  node.op_type = "If";
  node.name = "if1";
  Attribute branch;
  branch.name = "then_branch";
  branch.g = inner;
  node.attribute.push_back(branch);
  Attribute list;
  list.name = "list";
  list.graphs.mut_value() = {inner, inner};
  node.attribute.push_back(list);
  outer.node = {Node(), node};
  return outer;
}

TEST(Walk, VisitsNestedGraphsInOrder) {
  std::vector<std::string> paths;
  for_each_graph(nested(), [&](const Graph&, const std::string& path) { paths.push_back(path); });
  EXPECT_EQ(paths, (std::vector<std::string>{"graph \"main\"",
                                             "graph \"main\" / node 1 \"if1\" (If) / attribute \"then_branch\"",
                                             "graph \"main\" / node 1 \"if1\" (If) / attribute \"list\"[0]",
                                             "graph \"main\" / node 1 \"if1\" (If) / attribute \"list\"[1]"}));
}

TEST(Walk, VisitsEveryTensor) {
  Model model;
  model.graph = nested();
  Function f;
  f.node = model.graph->node;
  model.functions.push_back(f);
  model.training_info.emplace_back().algorithm = nested();
  int count = 0;
  for_each_tensor(model, [&](const Tensor&) { ++count; });
  EXPECT_EQ(count, 9);
}

TEST(Walk, NodesAreDescribedWithoutControlCharacters) {
  Node node;
  node.name = "n\x1b";
  node.domain = "d\xc2\x9b";
  node.op_type = "Op\x1b\"";
  EXPECT_EQ(describe_node(node, 7), "node 7 \"n\\x1b\" (d\\xc2\\x9b.Op\\x1b\\\")");
}

TEST(Walk, TypesReadLikeText) {
  Type t;
  EXPECT_EQ(describe_type(t), "?");
  t.tensor_type.mut().elem_type = 1;
  EXPECT_EQ(describe_type(t), "float");
  t.tensor_type->shape.mut();
  EXPECT_EQ(describe_type(t), "float[]");
  auto& dims = t.tensor_type->shape->dim;
  dims.resize(3);
  dims[0].dim_param = "N";
  dims[1].dim_value = 3;
  EXPECT_EQ(describe_type(t), "float[N,3,?]");
  EXPECT_EQ(type_string(t), "tensor(float)");
  Type seq;
  seq.sequence_type.mut().elem_type = t;
  EXPECT_EQ(describe_type(seq), "seq(float[N,3,?])");
  EXPECT_EQ(type_string(seq), "seq(tensor(float))");
  Type map;
  map.map_type.mut().key_type = 7;
  map.map_type->value_type = t;
  EXPECT_EQ(describe_type(map), "map(int64, float[N,3,?])");
  Type opt;
  opt.optional_type.mut().elem_type = seq;
  EXPECT_EQ(type_string(opt), "optional(seq(tensor(float)))");
  Type sparse;
  sparse.sparse_tensor_type = *t.tensor_type;
  EXPECT_EQ(describe_type(sparse), "sparse float[N,3,?]");
  Type opaque;
  opaque.opaque_type.mut().domain = "d";
  opaque.opaque_type->name = "n";
  EXPECT_EQ(describe_type(opaque), "opaque(d,n)");
}

TEST(Walk, NamesCannotControlTheTerminal) {
  Node node;
  node.op_type = "Op";
  node.domain = "ai.onnx";
  node.name = "a\x1b[2J";
  EXPECT_EQ(describe_node(node, 3), "node 3 \"a\\x1b[2J\" (Op)");
}

TEST(Attribute, KindOfOldFiles) {
  Attribute a;
  EXPECT_EQ(a.kind(), AttributeType::Undefined);
  a.f = 0.0f;
  EXPECT_EQ(a.kind(), AttributeType::Float);
  a.type = 2;
  EXPECT_EQ(a.kind(), AttributeType::Int);
}

}  // namespace
}  // namespace norn::ir
