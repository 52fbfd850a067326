// Lowering and the passes, compared with what running the untouched model gives (runtime tests do the running) and
// against the structure that must come out.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "program/lower.h"
#include "program/passes.h"
#include "program/verify.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::tensor;
using transform::make_attr;

// Passes, each of which leaves a Program that is sound.
void run_verified(Program& p, const std::vector<std::string>& disabled = {}) {
  verify(p);
  run_passes(p, {.disabled = disabled, .compute = {}}, [](const Pass&, const Program& behind) { verify(behind); });
}

Error error_of(const ir::Model& model) {
  try {
    lower(model, {});
  } catch (const Error& e) {
    return e;
  }
  return Error(ErrorCode::Internal, "no error");
}

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& n : graph.nodes) {
    names.push_back(describe_operations(n));
  }
  return names;
}

TEST(Lower, ShapeArithmeticStaysSymbolic) {
  ModelBuilder m(13);
  m.input("x", "float[N,3,H]").initializer("zero", tensor<std::int64_t>({1}, {0}));
  m.initializer("minus", tensor<std::int64_t>({1}, {-1}));
  m.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"n"});
  m.node("Concat", {"n", "minus"}, {"t"}, {make_attr("axis", std::int64_t{0})});
  m.node("Reshape", {"x", "t"}, {"y"}).output("y");
  Program p = lower(m.build(), {});
  const auto& type = p.main.value(p.main.outputs[0]).type;
  ASSERT_TRUE(type.has_rank());
  EXPECT_EQ(opset::to_string(*type.shape), "[N,3*H]");
}

TEST(Lower, KeepsPathsAndDeviceConfigurations) {
  ModelBuilder m(14);
  m.input("x", "float[2]").node("Relu", {"x"}, {"y"}).output("y");
  ir::NodeDeviceConfiguration device;
  device.configuration_id = std::string("two");
  m.graph().node[0].device_configurations.push_back(device);
  Program p = lower(m.build(), {});
  EXPECT_EQ(p.main.nodes[0].path(), "graph \"main\" / node 0 \"n0\" (Relu)");
  ASSERT_EQ(p.main.nodes[0].device_configurations.size(), 1u);
  EXPECT_EQ(p.main.nodes[0].device_configurations[0].configuration_id.get(), "two");
}

TEST(Lower, StateIsKeptForTrainingOnly) {
  ModelBuilder m(14);
  m.input("x", "float[2]").initializer("w", tensor<float>({2}, {1, 2}));
  m.node("Add", {"w", "w"}, {"v"}).node("Mul", {"x", "v"}, {"y"}).output("y");
  ir::TrainingInfo training;
  ir::StringStringEntry binding;
  binding.key = std::string("w");
  binding.value = std::string("w_new");
  training.update_binding.push_back(binding);
  m.document().training_info.push_back(training);
  LowerOptions keep;
  keep.keep_state = true;
  Program p = lower(m.build(), keep);
  run_verified(p);
  EXPECT_EQ(operators(p.main), std::vector<std::string>{"Add+Mul"}) << "state must not be folded";
  Program q = lower(m.build(), {});
  run_verified(q);
  EXPECT_EQ(operators(q.main), std::vector<std::string>{"Mul"});
}

TEST(Lower, InlinesFunctionsWithAttributesDefaultsAndOmittedInputs) {
  ModelBuilder m(18);
  m.import_opset("my", 1);
  ir::Function f;
  f.name = std::string("Scaled");
  f.domain = std::string("my");
  f.input = {"a", "bound"};
  f.output = {"b"};
  f.opset_import = m.document().opset_import;
  f.attribute_proto = {make_attr("to", std::int64_t{11})};
  ir::Node cast, clip;
  cast.op_type = std::string("Cast");
  cast.input = {"a"};
  cast.output = {"c"};
  ir::Attribute to;
  to.name = std::string("to");
  to.ref_attr_name = std::string("to");
  to.type = static_cast<std::int32_t>(ir::AttributeType::Int);
  cast.attribute = {to};
  clip.op_type = std::string("Clip");
  clip.input = {"c", "bound"};
  clip.output = {"b"};
  f.node = {cast, clip};
  m.document().functions = {f};
  m.input("x", "float[2]").node("Scaled", {"x"}, {"y"}, {}, "my").output("y");
  m.node("Scaled", {"x"}, {"z"}, {make_attr("to", std::int64_t{6})}, "my").output("z");
  Program p = lower(m.build(), {});
  EXPECT_EQ(p.main.value(p.main.outputs[0]).type.to_string(), "double[2]");
  EXPECT_EQ(p.main.value(p.main.outputs[1]).type.to_string(), "int32[2]");
  EXPECT_NE(p.main.nodes[0].path().find("(my.Scaled)"), std::string::npos) << p.main.nodes[0].path();

  m.document().functions[0].node[1].op_type = std::string("Scaled");
  m.document().functions[0].node[1].domain = std::string("my");
  Error e = error_of(m.build());
  EXPECT_NE(e.message().find("calls itself"), std::string::npos) << e.what();
}

TEST(Lower, SubgraphsCaptureAndShareConstants) {
  GraphBuilder yes("yes"), no("no");
  yes.node("Add", {"x", "w"}, {"t"}).output("t", "");
  no.node("Mul", {"x", "x"}, {"e"}).output("e", "");
  ModelBuilder m(16);
  m.input("c", "bool[]").input("x", "float[3]").initializer("w", tensor<float>({3}, {1, 2, 3}));
  m.node("If", {"c"}, {"y"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.output("y");
  Program p = lower(m.build(), {});
  ASSERT_EQ(p.main.nodes.size(), 1u);
  ASSERT_EQ(p.main.nodes[0].subgraphs.size(), 2u);
  const Graph& then_graph = *p.main.nodes[0].subgraphs[0].graph;
  EXPECT_EQ(then_graph.captures.size(), 1u) << "x is captured, the constant w is shared";
  EXPECT_EQ(p.main.value(p.main.outputs[0]).type.to_string(), "float[3]");
}

TEST(Lower, TheBranchThatAKnownConditionTakesStandsInPlaceOfTheIf) {
  GraphBuilder yes("yes"), no("no");
  yes.node("Neg", {"x"}, {"t"}).output("t", "");
  no.node("MatMul", {"x", "two"}, {"e"}).output("e", "");  // exporters leave branches that cannot be
  ModelBuilder m(16);
  m.input("x", "float[2,3]").initializer("two", tensor<float>({2}, {1, 2}));
  m.initializer("true", tensor<bool>({}, {true})).initializer("false", tensor<bool>({}, {false}));
  m.node("If", {"true"}, {"y"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.output("y");
  Program p = lower(m.build(), {});
  EXPECT_EQ(operators(p.main), std::vector<std::string>{"Neg"});
  EXPECT_EQ(p.main.nodes[0].path(),
            "graph \"main\" / node 0 \"n0\" (If) / attribute \"then_branch\" / graph \"yes\" / node 0 \"n0\" (Neg)");
  EXPECT_EQ(p.main.value(p.main.outputs[0]).name, "y");
  EXPECT_EQ(p.main.value(p.main.outputs[0]).type.to_string(), "float[2,3]");

  m.graph().node[0].input[0] = "false";
  EXPECT_NE(error_of(m.build()).where().find("attribute \"else_branch\""), std::string::npos);
}

// The field that says where data lie came with IR 4: before it, they lie where they always did.
// Deeper levels remember that what they carry grows along one axis. Version 1 of Loop is lifted to a newer one.
TEST(Lower, LoopsInLoopsAreNotLoweredTwiceAsOftenAtEachLevel) {
  constexpr int kDepth = 24;
  for (const int opset : {9, 21}) {
    ir::Graph body;
    for (int level = 0; level <= kDepth; ++level) {
      const std::string n = std::to_string(level), v = "v" + n, next = "n" + n;
      GraphBuilder g("b" + n);
      g.input("i" + n, "int64[]").input("c" + n, "bool[]").graph().input.emplace_back().name = v;
      g.node("Identity", {"c" + n}, {"o" + n});
      if (level == 0)
        g.node("Concat", {v, "x"}, {next}, {make_attr("axis", std::int64_t{0})});
      else
        g.node("Loop", {"m", "", v}, {next}, {graph_attr("body", body)});
      body = g.output("o" + n, "bool[]").output(next).graph();
    }
    ModelBuilder m(opset);
    m.input("m", "int64[]").input("x", "float[2,3]").node("Loop", {"m", "", "x"}, {"y"}, {graph_attr("body", body)});
    LowerOptions options;
    options.limits.max_expanded_nodes = 20000;
    m.output("y");
    const Program p = lower(m.build(), options);
    const Graph* graph = &p.main;
    for (int level = kDepth; level >= 0; --level) {
      graph = graph->nodes.back().subgraphs.at(0).graph.get();
      const opset::ValueType& carried = graph->value(graph->inputs.at(2)).type;
      ASSERT_TRUE(carried.has_rank()) << level;
      EXPECT_FALSE((*carried.shape)[0].is_constant());
      EXPECT_EQ((*carried.shape)[1], opset::DimExpr(3));
    }
    verify(p);
  }
}

TEST(Lower, NothingIsExternalInOldFiles) {
  ModelBuilder m(7);
  m.input("x", "float[2]").input("w", "float[2]").node("Add", {"x", "w"}, {"y"}).output("y", "float[2]");
  ir::Model model = m.build();
  ir::Tensor& w = model.graph->initializer.emplace_back();
  w.name = "w";
  w.data_type = 1;
  w.dims = {2};
  w.float_data = std::vector<float>{1, 2};
  w.data_location = ir::kDataLocationExternal;
  model.ir_version = 3;
  EXPECT_EQ(lower(model, {}).main.inputs.size(), 1u);
  model.ir_version = 4;
  EXPECT_THROW(lower(model, {}), Error);
}

// They are hints of the tool that wrote the model.
TEST(Lower, AttributesOfImplementationsArePassedOver) {
  ModelBuilder m(21);
  m.input("x", "float[2]").node("Relu", {"x"}, {"y"}).output("y", "float[2]");
  ir::Model model = m.build();
  ir::Attribute& hint = model.graph->node[0].attribute.emplace_back();
  hint.name = "__compute_units";
  hint.type = static_cast<std::int32_t>(ir::AttributeType::String);
  hint.s = "some";
  EXPECT_EQ(lower(model, {}).main.nodes.size(), 1u);
  model.graph->node[0].attribute[0].name = "_compute_units";
  EXPECT_THROW(lower(model, {}), Error);
}

TEST(Lower, AttributesWithoutATypeGetIt) {
  ModelBuilder m(21);
  m.input("x", "float[2,3]").node("Hardmax", {"x"}, {"y"}, {make_attr("axis", std::int64_t{0})}).output("y");
  ir::Model model = m.build();
  model.graph->node[0].attribute[0].type.clear();
  const Program p = lower(model, {});
  EXPECT_EQ(p.main.nodes[0].attrs[0].type, static_cast<std::int32_t>(ir::AttributeType::Int));
  verify(p);
}

TEST(Lower, NamesWhatIsWrong) {
  auto expect = [](const ir::Model& model, std::initializer_list<std::string_view> parts) {
    const Error e = error_of(model);
    for (std::string_view part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << "missing: " << part << "\n in: " << e.what();
  };
  ModelBuilder unknown(14);
  unknown.input("x", "float[2]").node("Rellu", {"x"}, {"y"}).output("y");
  expect(unknown.build(), {"no operator \"Rellu\"", "node 0 \"n0\"", "did you mean \"Relu\""});

  ModelBuilder attribute(14);
  attribute.input("x", "float[2]").node("Softmax", {"x"}, {"y"}, {make_attr("axis", 1.0f)}).output("y");
  expect(attribute.build(), {"\"axis\" is FLOAT", "wants INT", "node 0"});

  ModelBuilder late(14);
  late.input("x", "float[2]").node("Add", {"x", "b"}, {"y"}).node("Relu", {"x"}, {"b"}).output("y");
  expect(late.build(), {"used before it is made", "node 1 \"n1\" (Relu) makes it", "input 1 \"b\""});

  ModelBuilder cycle(14);
  cycle.input("x", "float[2]").node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).output("b");
  expect(cycle.build(), {"cycle", "node 0 \"n0\" (Add) -> node 1 \"n1\" (Relu) -> node 0 \"n0\" (Add)"});

  ModelBuilder nothing(14);
  nothing.input("x", "float[2]").node("Add", {"x", "X"}, {"a"}).output("a");
  expect(nothing.build(), {"nothing makes the value \"X\"", "did you mean \"x\""});

  ModelBuilder twice(14);
  twice.input("x", "float[2]").node("Relu", {"x"}, {"y"}).node("Abs", {"x"}, {"y"}).output("y");
  expect(twice.build(), {"\"y\" is defined more than once: node 0 \"n0\" (Relu) makes it already", "node 1"});

  ModelBuilder shapes(14);
  shapes.input("a", "float[2,3]").input("b", "float[4,5]").node("MatMul", {"a", "b"}, {"y"}).output("y");
  expect(shapes.build(), {"node 0 \"n0\" (MatMul)", "3", "4"});

  ModelBuilder future(99);
  future.input("x", "float[2]").node("Relu", {"x"}, {"y"}).output("y");
  expect(future.build(), {"version 99", "newest"});

  ModelBuilder none(14);
  none.input("x", "float[2]").output("y");
  expect(none.build(), {"\"y\" is not computed"});

  ModelBuilder typed(14);
  typed.input("x", "float[2]").node("Relu", {"x"}, {"y"}).output("y", "int64[2]");
  expect(typed.build(), {"declared tensor(int64)", "tensor(float)"});
}

TEST(Passes, FoldConvBatchNormAndActivationIntoOneNode) {
  ModelBuilder m(15);
  m.input("x", "float[1,2,4,4]").initializer("w", ops::test::random_tensor(DataType::Float, {3, 2, 3, 3}, 1));
  for (const char* name : {"scale", "bias", "mean", "var"}) m.initializer(name, tensor<float>({3}, {1, 2, 3}));
  m.node("Conv", {"x", "w"}, {"c"}).node("BatchNormalization", {"c", "scale", "bias", "mean", "var"}, {"b"});
  m.node("Relu", {"b"}, {"y"}).output("y");
  Program p = lower(m.build(), {});
  run_verified(p);
  EXPECT_EQ(operators(p.main), std::vector<std::string>{"Conv+Relu"});
  EXPECT_EQ(p.main.nodes[0].paths.size(), 2u);
  ASSERT_EQ(p.main.nodes[0].parts.size(), 1u);
  EXPECT_EQ(p.main.nodes[0].parts[0].path(), "graph \"main\" / node 2 \"n2\" (Relu)");
  Program q = lower(m.build(), {});
  run_verified(q, {"fuse_conv_bn"});
  EXPECT_EQ(operators(q.main), (std::vector<std::string>{"Conv", "BatchNormalization", "Relu"}));
}

TEST(Passes, PaddingApartGoesIntoTheWindowThatReadsIt) {
  using Ints = std::vector<std::int64_t>;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const ir::Attribute kernel = make_attr("kernel_shape", Ints{3, 3}), own = make_attr("pads", Ints{0, 1, 1, 0});
  struct PadCase {
    Ints pads;  // of rows and columns, before and behind
    float number;
    const char* op;
    std::vector<ir::Attribute> attrs;
    bool joins;
  };
  const PadCase cases[] = {
      {{1, 0, 2, 1}, 0, "Conv", {}, true},
      {{1, 0, 1, 1}, 0, "Conv", {own}, true},
      {{1, 0, 2, 1}, 0, "Conv", {make_attr("auto_pad", "VALID")}, true},
      {{1, 0, 2, 1}, 0, "Conv", {make_attr("auto_pad", "SAME_UPPER")}, false},
      {{1, 0, 2, 1}, 1, "Conv", {}, false},
      {{-1, 0, 2, 1}, 0, "Conv", {}, false},
      {{1, 0, 3, 1}, 0, "Conv", {}, false},  // a window of padding alone
      {{1, 0, 4, 1}, 0, "Conv", {make_attr("dilations", Ints{2, 1})}, true},
      {{1, 0, 1, 1}, kLowest, "MaxPool", {kernel, own}, true},
      {{1, 0, 2, 1}, 0, "MaxPool", {kernel}, false},
      {{1, 0, 3, 1}, kLowest, "MaxPool", {kernel}, false},  // a window of padding alone
      {{1, 0, 2, 1}, kLowest, "MaxPool", {kernel, make_attr("ceil_mode", std::int64_t{1})}, false},
      {{1, 0, 2, 1}, 0, "AveragePool", {kernel}, true},
      {{1, 0, 1, 1}, 0, "AveragePool", {kernel, own}, false},  // one padding counts, the other does not
      {{1, 0, 1, 1}, 0, "AveragePool", {kernel, own, make_attr("count_include_pad", std::int64_t{1})}, true},
  };
  for (const PadCase& c : cases) {
    ModelBuilder m(21);
    m.input("x", "float[N,2,H,W]").initializer("w", ops::test::random_tensor(DataType::Float, {4, 2, 3, 3}, 1));
    const Ints pads{0, 0, c.pads[0], c.pads[1], 0, 0, c.pads[2], c.pads[3]};
    m.initializer("pads", tensor<std::int64_t>({8}, pads));
    m.initializer("number", tensor<float>({}, {c.number})).node("Pad", {"x", "pads", "number"}, {"p"});
    std::vector<std::string> inputs{"p"};
    if (c.op == std::string("Conv")) inputs.push_back("w");
    m.node(c.op, inputs, {"y"}, c.attrs).output("y");
    Program p = lower(m.build(), {});
    run_verified(p);
    const std::vector<std::string> joined{c.op}, apart{"Pad", c.op};
    EXPECT_EQ(operators(p.main), c.joins ? joined : apart) << "case " << (&c - cases);
  }
}

TEST(Passes, ElementwiseRunsJoinUnlessTheShapeGrowsOrAValueIsReadTwice) {
  ModelBuilder m(14);
  m.input("x", "float[1,4]").input("z", "float[3,4]");
  m.node("Relu", {"x"}, {"a"}).node("Tanh", {"a"}, {"b"}).node("Add", {"b", "z"}, {"c"});  // c is larger than b
  m.node("Neg", {"c"}, {"d"}).node("Mul", {"d", "c"}, {"y"}).output("y");                  // c is read twice
  Program p = lower(m.build(), {});
  run_verified(p);
  EXPECT_EQ(operators(p.main), (std::vector<std::string>{"Relu+Tanh", "Add", "Neg+Mul"}));
}

TEST(Passes, ResidualJoinsTheContractionThatComesLast) {
  ModelBuilder m(14);
  m.input("x", "float[2,4]").initializer("w", ops::test::random_tensor(DataType::Float, {4, 4}, 2));
  m.node("Relu", {"x"}, {"r"}).node("MatMul", {"r", "w"}, {"a"}).node("MatMul", {"a", "w"}, {"b"});
  m.node("Add", {"b", "r"}, {"c"}).node("Relu", {"c"}, {"y"}).output("y");
  Program p = lower(m.build(), {});
  run_verified(p);
  EXPECT_EQ(operators(p.main), (std::vector<std::string>{"Relu", "MatMul", "MatMul+Add+Relu"}));
}

TEST(Passes, FoldAndDropDead) {
  ModelBuilder m(14);
  m.input("x", "float[2]").initializer("a", tensor<float>({2}, {1, 2})).initializer("b", tensor<float>({2}, {3, 4}));
  m.node("Add", {"a", "b"}, {"c"}).node("Mul", {"x", "c"}, {"y"}).node("Exp", {"x"}, {"unused"});
  m.node("Identity", {"y"}, {"z"}).output("z");
  Program p = lower(m.build(), {});
  run_verified(p);
  ASSERT_EQ(operators(p.main), std::vector<std::string>{"Mul"});
  const Value& c = p.main.value(p.main.nodes[0].inputs[1]);
  ASSERT_TRUE(c.is_constant());
  EXPECT_EQ(ops::test::doubles(c.constant), (std::vector<double>{4, 6}));
  EXPECT_THROW(run_passes(p, {.disabled = {"no_such_pass"}, .compute = {}}), Error);
}

TEST(Passes, OptionalOutputsThatNobodyReadsAreLeftOut) {
  ModelBuilder m(17);
  m.input("x", "float[2,4]").initializer("scale", tensor<float>({4}, {1, 2, 3, 4}));
  m.node("LayerNormalization", {"x", "scale", ""}, {"a", "mean", "deviation"});
  m.node("LayerNormalization", {"a", "scale", ""}, {"b", "unread", "read"});
  m.node("Add", {"b", "read"}, {"y"}).output("y");
  Program p = lower(m.build(), {});
  run_verified(p, {"all"});
  ASSERT_EQ(p.main.nodes.size(), 3u);
  EXPECT_EQ(p.main.nodes[0].outputs.size(), 1u);
  ASSERT_EQ(p.main.nodes[1].outputs.size(), 3u);
  EXPECT_EQ(p.main.nodes[1].outputs[1], kNone);
  EXPECT_NE(p.main.nodes[1].outputs[2], kNone);
}

TEST(ToModel, WritesFusedNodesAsTheirParts) {
  ModelBuilder m(14);
  m.input("x", "float[2,4]").initializer("w", ops::test::random_tensor(DataType::Float, {4, 3}, 3));
  m.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"}).node("Identity", {"b"}, {"out"}).output("out");
  Program p = lower(m.build(), {});
  run_verified(p);
  ir::Model written = to_model(p);
  std::vector<std::string> ops;
  for (const ir::Node& n : written.graph->node) ops.push_back(n.op_type);
  EXPECT_EQ(ops, (std::vector<std::string>{"MatMul", "Relu"}));
  EXPECT_EQ(written.graph->output[0].name.get(), "out");
  Program again = lower(written, {});
  EXPECT_EQ(again.main.value(again.main.outputs[0]).type.to_string(), "float[2,3]");
}

}  // namespace
}  // namespace norn::program
