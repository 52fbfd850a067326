// Bodies of ONNX's operators: that they are sound, and that those of operators with a kernel compute what it computes.
#include "infer/function_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "opset/function_body.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "program/lower.h"
#include "program/passes.h"
#include "tests/support/model_builder.h"

namespace norn::program {
namespace {

using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::random_tensor;
using ops::test::tensor;
using opset::Attrs;
using opset::Operator;
using opset::Schema;
using opset::ValueType;
using FunctionPtr = std::shared_ptr<const ir::Function>;

FunctionPtr body_of(const char* name, int opset, const std::vector<ir::Attribute>& attrs,
                    const std::vector<ValueType>& inputs, int outputs = 1) {
  const Operator* op = opset::find_operator("", name);
  std::vector<const ValueType*> types;
  for (const ValueType& type : inputs) types.push_back(&type);
  return infer::function_body(*op, Attrs(*opset::schema_at(*op, opset), attrs), types,
                              std::vector<bool>(static_cast<std::size_t>(outputs), true));
}

// Every name that a node reads is an input or made before; every operator is one of the set that the body imports, and
// takes what it is given.
void expect_sound(const ir::Function& f) {
  ASSERT_EQ(f.opset_import.size(), 1u);
  const auto version = static_cast<int>(f.opset_import[0].version.get());
  std::set<std::string> names(f.input.begin(), f.input.end());
  std::set<std::string> attributes(f.attribute.begin(), f.attribute.end());
  for (const ir::Attribute& attr : f.attribute_proto) attributes.insert(attr.name.get());
  for (const ir::Node& node : f.node) {
    SCOPED_TRACE(node.op_type.get());
    const Operator* op = opset::find_operator("", node.op_type.get());
    ASSERT_NE(op, nullptr);
    const Schema* schema = opset::schema_at(*op, version);
    ASSERT_NE(schema, nullptr);
    EXPECT_FALSE(schema->deprecated);
    EXPECT_GE(static_cast<int>(node.input.size()), opset::min_inputs(*schema));
    EXPECT_LE(static_cast<int>(node.input.size()), opset::max_inputs(*schema));
    EXPECT_LE(static_cast<int>(node.output.size()), opset::max_outputs(*schema));
    for (const ir::Attribute& attr : node.attribute) {
      const opset::Attr* row = opset::find_attr(*schema, attr.name.get());
      ASSERT_NE(row, nullptr) << attr.name.get();
      EXPECT_EQ(row->type, attr.kind()) << attr.name.get();
      const std::string& refers_to = attr.ref_attr_name.get();
      EXPECT_TRUE(refers_to.empty() || attributes.contains(refers_to)) << refers_to;
    }
    for (const std::string& name : node.input) EXPECT_TRUE(name.empty() || names.contains(name)) << name;
    for (const std::string& name : node.output) EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const std::string& name : f.output) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(FunctionBody, WrittenOnesAreSound) {
  int seen = 0;
  for (const Operator* op : opset::all_operators()) {
    for (const Schema& row : op->history) {
      const opset::FunctionBody* body = opset::body_at(*op, row.since);
      if (!body || body->build) continue;
      SCOPED_TRACE(opset::full_name(*op) + " " + std::to_string(row.since));
      const FunctionPtr f = infer::function_body(*op, Attrs(row, {}), {}, {true});
      ASSERT_NE(f, nullptr);
      expect_sound(*f);
      ++seen;
    }
  }
  EXPECT_GT(seen, 30);
}

TEST(FunctionBody, RowsAscendAndSayTheirSet) {
  for (const Operator* op : opset::all_operators()) {
    int before = 0;
    for (const opset::FunctionBody& body : opset::bodies_of(*op)) {
      SCOPED_TRACE(opset::full_name(*op));
      EXPECT_GT(body.since, before);
      before = body.since;
      EXPECT_NE(body.nodes.empty(), body.build == nullptr);
      EXPECT_LE(body.opset, opset::newest_version(""));
      EXPECT_GE(body.since, op->history.front().since);
    }
  }
}

TEST(FunctionBody, DependsOnTheNode) {
  const ValueType x = ValueType::tensor(DataType::Float, {2, 3});
  EXPECT_EQ(body_of("Add", 14, {}, {x, x}), nullptr);
  EXPECT_EQ(body_of("Clip", 6, {}, {x}), nullptr);  // before 11 the limits are attributes
  const FunctionPtr none = body_of("Clip", 13, {}, {x}), both = body_of("Clip", 13, {}, {x, x, x});
  EXPECT_EQ(none->node.size(), 1u);
  EXPECT_EQ(both->node.size(), 2u);
  EXPECT_EQ(both, body_of("Clip", 13, {}, {x, x, x}));  // parsed once
  EXPECT_THROW(body_of("Gelu", 20, {}, {ValueType{}}), Error);
  EXPECT_THROW(body_of("Gelu", 20, {transform::make_attr("approximate", std::string("fast"))}, {x}), Error);
}

TEST(FunctionBody, ThreadsShareOne) {
  const ValueType x = ValueType::tensor(DataType::Double, {4});
  std::vector<FunctionPtr> found(8);
  std::vector<std::thread> threads;
  for (FunctionPtr& f : found) threads.emplace_back([&] { f = body_of("Elu", 22, {}, {x}); });
  for (std::thread& t : threads) t.join();
  for (const FunctionPtr& f : found) EXPECT_EQ(f, found[0]);
}

TEST(FunctionBody, LinearAttentionOfManySteps) {
  const auto type = [](std::int64_t length) {
    return ValueType::tensor(DataType::Float, {opset::DimExpr::variable("B"), length, 8});
  };
  const std::vector<ir::Attribute> attrs = {transform::make_attr("q_num_heads", std::int64_t{2}),
                                            transform::make_attr("kv_num_heads", std::int64_t{2}),
                                            transform::make_attr("update_rule", std::string("linear"))};
  const auto scans = [&](std::int64_t length) {
    const FunctionPtr f = body_of("LinearAttention", 27, attrs, {type(length), type(length), type(length)}, 2);
    expect_sound(*f);
    return std::count_if(f->node.begin(), f->node.end(), [](const ir::Node& n) { return n.op_type.get() == "Scan"; });
  };
  EXPECT_EQ(scans(3), 0);
  EXPECT_EQ(scans(40), 1);
}

// The Loop around the node's graph takes and gives what a Loop has to, and the graph's own names stay.
TEST(FunctionBody, SequenceMapIsALoop) {
  norn::test::GraphBuilder graph("each");
  graph.input("a", "float[N]").input("b", "float").node("Add", {"a", "b"}, {"__map_0"}).output("__map_0", "float");
  const ValueType sequence = ValueType::sequence(ValueType::tensor(DataType::Float));
  const FunctionPtr f = body_of("SequenceMap", 17, {norn::test::graph_attr("body", graph.graph())},
                                {sequence, ValueType::tensor(DataType::Float)});
  EXPECT_TRUE(f->opset_import.empty());
  EXPECT_EQ(f->input, (std::vector<std::string>{"__input_sequence", "__additional_inputs_0"}));
  EXPECT_EQ(f->output, std::vector<std::string>{"__out_sequence_0"});
  const ir::Node& loop = f->node.back();
  ASSERT_EQ(loop.op_type.get(), "Loop");
  const ir::Graph& body = *loop.attribute.at(0).g;
  EXPECT_EQ(body.input.size(), loop.input.size());
  EXPECT_EQ(body.output.size(), loop.output.size() + 1);
  std::set<std::string> names(f->input.begin(), f->input.end());
  for (const ir::ValueInfo& input : body.input) EXPECT_TRUE(names.insert(input.name.get()).second);
  for (const ir::Node& node : body.node) {
    for (const std::string& name : node.input) EXPECT_TRUE(names.contains(name)) << name;
    for (const std::string& name : node.output) EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const ir::ValueInfo& output : body.output) EXPECT_TRUE(names.contains(output.name.get()));
}

// The body as a function of the model, folded away: its inputs are constants.
std::vector<norn::Tensor> run_body(FunctionPtr body, const std::vector<ir::Attribute>& attrs,
                                   const std::vector<norn::Tensor>& inputs) {
  ir::Function own = *body;
  own.domain = std::string("test");
  own.name = std::string("Body");
  ModelBuilder m(28);
  m.import_opset("test", 1);
  std::vector<std::string> in, out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    in.push_back("in" + std::to_string(i));
    m.initializer(in.back(), inputs[i]);
  }
  m.node("Body", in, {"out"}, attrs, "test").output("out", "");
  ir::Model model = m.build();
  model.functions.push_back(std::move(own));
  Program program = lower(model, {});
  run_passes(program, {});
  const Value& value = program.main.value(program.main.outputs[0]);
  return {value.constant};
}

void expect_near(const norn::Tensor& got, const norn::Tensor& want, double relative) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.dims(), want.dims());
  const auto a = doubles(got), b = doubles(want);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], std::abs(b[i]) * relative + relative / 4) << i;
}

TEST(FunctionBody, ComputesWhatTheKernelComputes) {
  struct Case {
    const char* op;
    int opset;
    std::vector<ir::Attribute> attrs;
    int inputs = 1;
  };
  const auto number = [](const char* name, std::int64_t v) { return transform::make_attr(name, v); };
  const Case cases[] = {
      {"Relu", 14, {}},
      {"Softsign", 22, {}},
      {"Softmax", 13, {}},
      {"Softmax", 13, {number("axis", 0)}},
      {"LogSoftmax", 13, {number("axis", 1)}},
      {"Clip", 13, {}, 1},
      {"Clip", 13, {}, 2},
      {"Clip", 13, {}, 3},
      {"ReduceL1", 18, {}, 12},
      {"ReduceL2", 18, {number("keepdims", 0)}, 12},
      {"ReduceSumSquare", 18, {}, 12},
      {"ReduceLogSumExp", 18, {}, 12},
      {"ReduceLogSumExp", 28, {number("keepdims", 0)}, 12},
      {"ReduceLogSum", 18, {}, 12},
  };
  for (const Case& c : cases) {
    for (const DataType type : {DataType::Float, DataType::Double, DataType::Float16}) {
      SCOPED_TRACE(std::string(c.op) + " of " + std::string(data_type_name(type)));
      norn::Tensor x = random_tensor(type, {3, 4}, 5);
      const Operator& op = *opset::find_operator("", c.op);
      if (std::string_view(c.op) == "ReduceLogSum")
        x = ops::test::run(*opset::find_operator("", "Abs"), 13, {}, {x})[0].tensor();
      std::vector<norn::Tensor> inputs = {x};
      if (c.inputs == 12) inputs.push_back(tensor<std::int64_t>({1}, {-1}));
      if (c.inputs == 2 || c.inputs == 3) inputs.push_back(ops::test::tensor_of(type, {}, {-0.5}));
      if (c.inputs == 3) inputs.push_back(ops::test::tensor_of(type, {}, {0.25}));
      std::vector<ValueType> types;
      for (const norn::Tensor& t : inputs)
        types.push_back(ValueType::tensor(t.dtype(), opset::Dims(t.dims().begin(), t.dims().end())));
      const FunctionPtr body = body_of(c.op, c.opset, c.attrs, types);
      ASSERT_NE(body, nullptr);
      expect_sound(*body);
      const auto want =
          ops::test::run(op, c.opset, c.attrs, std::vector<norn::Value>(inputs.begin(), inputs.end()))[0].tensor();
      const auto got = run_body(body, c.attrs, inputs);
      expect_near(got[0], want, type == DataType::Float16 ? 4e-3 : 1e-6);
    }
  }
}

TEST(FunctionBody, RangeWithoutItsKernel) {
  const auto int_range = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
    const ValueType scalar = ValueType::tensor(DataType::Int64, opset::Dims{});
    const auto one = [](std::int64_t v) { return tensor<std::int64_t>({}, {v}); };
    return doubles(
        run_body(body_of("Range", 11, {}, {scalar, scalar, scalar}), {}, {one(start), one(limit), one(delta)})[0]);
  };
  EXPECT_EQ(int_range(3, 9, 3), (std::vector<double>{3, 6}));
  EXPECT_EQ(int_range(10, 4, -2), (std::vector<double>{10, 8, 6}));
  EXPECT_EQ(int_range(5, 1, 2), std::vector<double>{});
}

}  // namespace
}  // namespace norn::program
