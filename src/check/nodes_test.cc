// Rules about nodes: the operators they name, their signatures, their attributes.
#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

Change replaced(ir::Node by) {
  return [by](ir::Model& m) { m.graph->node[1] = by; };
}
Change added(ir::Node n) {
  return [n](ir::Model& m) { m.graph->node.push_back(n); };
}
Change with_import(Change change) {
  return [change](ir::Model& m) {
    m.opset_import.push_back(import_of("com.example", 1));
    change(m);
  };
}

TEST(Nodes, Operators) {
  expect_cases({
      {"node.op-type", 10, kPlain, [](auto& m) { first(m).op_type = ""; }},
      {"node.domain.imported", 10, kPlain, [](auto& m) { first(m).domain = "com.other"; },
       with_import([](auto& m) { first(m).domain = "com.example"; })},
      {"op.declared", 10, kPlain, [](auto& m) { first(m).op_type = "Frobnicate"; },
       with_import(replaced(node("Frobnicate", {"s"}, {"y"}, {}, "com.example")))},
      {"op.declared", 7, kPlain, [](auto& m) { second(m).op_type = "Erf"; }},  // since 9
      {"op.case-sensitive", 10, kPlain, [](auto& m) { second(m).op_type = "relu"; }},
      {"op.deprecated", 10, kPlain, replaced(node("Upsample", {"s", "w"}, {"y"})),
       [](auto& m) {
         replaced(node("Upsample", {"s", "w"}, {"y"}))(m);
         m.opset_import[0].version = 9;
       }},
      {"op.experimental-removed", 10, kPlain, replaced(node("ATen", {"s"}, {"y"})),
       with_import(replaced(node("ATen", {"s"}, {"y"}, {}, "com.example")))},
      {"op.experimental-removed", 10, kPlain, replaced(node("Affine", {"s"}, {"y"})),
       with_import(replaced(node("Affine", {"s"}, {"y"}, {}, "com.example")))},
  });
}

TEST(Nodes, Signatures) {
  const auto statistics = node("BatchNormalization", {"s", "w", "w", "w", "w"}, {"y", "mean", "variance"});
  auto training = statistics;
  training.attribute = {int_attribute("training_mode", 1)};
  auto part = training;
  part.output.pop_back();
  const auto axis = int_attribute("axis", 0);
  expect_cases({
      {"node.outputs.at-least-one", 10, kPlain, added(node("Relu", {"x"}, {}))},
      {"node.inputs.count", 10, kPlain, [](auto& m) { second(m).input = {"s", "s"}; }},
      {"node.inputs.count", 10, kPlain, [](auto& m) { first(m).input = {"x"}; },
       replaced(node("Clip", {"s"}, {"y"}))},  // trailing optional ones may be left off
      {"node.outputs.count", 10, kPlain, [](auto& m) { second(m).output = {"y", "z"}; },
       replaced(node("Dropout", {"s"}, {"y", "z"}))},
      {"node.variadic.min-arity", 10, kPlain, replaced(node("Concat", {}, {"y"}, {axis})),
       replaced(node("Concat", {"s"}, {"y"}, {axis}))},
      {"node.variadic.no-holes", 10, kPlain, replaced(node("Concat", {"s", "", "s"}, {"y"}, {axis})),
       replaced(node("Concat", {"s", "s", "s"}, {"y"}, {axis}))},
      {"node.inputs.required-empty", 10, kPlain, [](auto& m) { first(m).input[1] = ""; },
       replaced(node("Clip", {"s", "", "w"}, {"y"}))},
      {"node.outputs.required-empty", 10, kPlain, added(node("Relu", {"x"}, {""})),
       added(node("Dropout", {"x"}, {"d", ""}))},
      {"node.outputs.count", 10, kPlain, replaced(part), replaced(training)},
      {"node.outputs.named-iff-computed", 10, kPlain, replaced(statistics), replaced(training)},
  });
}

TEST(Nodes, AttributesOfTheSignature) {
  const auto leaky = [](ir::Attribute a) { return replaced(node("LeakyRelu", {"s"}, {"y"}, {std::move(a)})); };
  expect_cases({
      {"node.attributes.known", 10, kPlain, leaky(float_attribute("Alpha", 1)), leaky(float_attribute("alpha", 1))},
      {"node.attributes.known", 10, kPlain, [](auto& m) { first(m).attribute = {int_attribute("axes", 1)}; },
       [](auto& m) {
         first(m).attribute = {int_attribute("__axes", 1)};  // an implementation's own
       }},
      {"node.attributes.required", 10, kPlain, replaced(node("Concat", {"s"}, {"y"})),
       replaced(node("Concat", {"s"}, {"y"}, {int_attribute("axis", 0)}))},
      {"node.attributes.type", 10, kPlain, leaky(int_attribute("alpha", 1)), leaky(float_attribute("alpha", 1))},
  });
}

Change own(std::function<void(ir::Attribute&)> set, ir::AttributeType type = ir::AttributeType::Int) {
  return [set, type](ir::Model& m) {
    ir::Attribute a = attribute("__own", type);
    set(a);
    first(m).attribute = {a};
  };
}

TEST(Nodes, Attributes) {
  using enum ir::AttributeType;
  const Change good = own([](auto& a) { a.i = 1; });
  const auto text = [](const char* s) { return own([s](auto& a) { a.s = s; }, String); };
  expect_cases({
      {"attr.name", 10, kPlain, [](auto& m) { first(m).attribute = {int_attribute("", 1)}; }, good},
      {"attr.type.present", 10, kPlain, own([](auto& a) {
         a.type.clear();
         a.i = 1;
       }),
       good},
      {"attr.type.not-undefined", 10, kPlain, own([](auto& a) {
         a.type = 0;
         a.i = 1;
       }),
       good},
      {"attr.type.not-undefined", 10, kPlain, own([](auto& a) {
         a.type = 15;
         a.i = 1;
       }),
       good},
      {"attr.type.matches-field", 10, kPlain, own([](auto& a) { a.f = 1.0f; }),
       own([](auto&) {})},  // a zero that proto3 left out
      {"attr.type.matches-field", 10, kPlain, own([](auto& a) { a.ints = {1}; }), good},
      {"attr.value.exactly-one", 10, kPlain, own([](auto& a) {
         a.i = 1;
         a.f = 1.0f;
       }),
       own([](auto&) {}, Ints)},  // an empty list is a value
      {"attr.value.message-present", 10, kPlain, own([](auto&) {}, Tensor),
       own([](auto& a) { a.t = tensor(""); }, Tensor)},
      {"attr.value.message-present", 10, kPlain, own([](auto&) {}, TypeProto),
       own([](auto& a) { a.tp = *value("x").type; }, TypeProto)},
      {"attr.value.string-utf8", 10, kPlain, text("\xff"),
       text("gr\xc3\xb6\xc3\x9f"
            "e")},
      {"attr.value.string-utf8", 10, kPlain,
       own([](auto& a) { a.strings.mut_value() = {"a", "\xed\xa0\x80"}; }, Strings)},
      {"attr.unique", 10, kPlain,
       [](auto& m) { first(m).attribute = {int_attribute("__own", 1), int_attribute("__own", 1)}; },
       [](auto& m) { first(m).attribute = {int_attribute("__own", 1), int_attribute("__other", 1)}; }},
      {"attr.doc-string", 10, kPlain, own([](auto& a) {
         a.i = 1;
         a.doc_string.clear();
       }),
       good},
      {"attr.ref.only-in-function", 10, kPlain, own([](auto& a) { a.ref_attr_name = "p"; })},
      {"attr.reserved-v", 10, kPlain, own([](auto& a) {
         a.i = 1;
         a.unknown = unknown_field(12);
       }),
       own([](auto& a) {
         a.i = 1;
         a.unknown = unknown_field(24);
       })},
      {"attr.reserved-v", 10, kPlain, own([](auto& a) {
         a.i = 1;
         a.unknown = unknown_field(19);
       })},
  });
}

// Of the one finding, in a model that imports this version.
std::string hint_for(const ir::Node& n, std::int64_t version) {
  ir::Model m = sound();
  m.opset_import[0].version = version;
  m.graph->node = {n};
  for (const Diagnostic& d : run(m).diagnostics) {
    if (d.rule == "node.attributes.known" || d.rule == "op.deprecated") return d.hint;
  }
  return "no such finding";
}

// Operators took attributes in some versions, not always up to the newest.
TEST(Nodes, HintsTellTheVersionsThatHaveAnAttribute) {
  const auto with = [](const char* op, const char* name) {
    return node(op, {"x"}, {"y"}, {attribute(name, ir::AttributeType::Ints)});
  };
  // An input in version 1, an attribute from 2 on, an input again since 13.
  EXPECT_EQ(hint_for(with("Split", "split"), 18), "since opset 13 \"split\" is an input: give it as input 1");
  EXPECT_EQ(hint_for(with("Squeeze", "axes"), 21), "since opset 13 \"axes\" is an input: give it as input 1");
  EXPECT_EQ(hint_for(with("Pad", "pads"), 1), "only opsets 2 to 10 have it");
  EXPECT_EQ(hint_for(with("Pad", "paddings"), 11), "it was dropped in opset 2");
  EXPECT_EQ(hint_for(with("Upsample", "scales"), 1), "only opsets 7 to 8 have it");
  EXPECT_EQ(hint_for(with("Split", "num_outputs"), 13), "it exists from opset 18 on: import that");
}

TEST(Nodes, HintsTellTheWayOutOfDeprecatedOperators) {
  // New in version 18 and deprecated with it.
  EXPECT_EQ(hint_for(node("GroupNormalization", {"x", "x", "x"}, {"y"}), 18),
            "from version 21 on it is not deprecated: import that");
  EXPECT_EQ(hint_for(node("Upsample", {"x", "x"}, {"y"}), 18),
            "if the model was written for version 9 or earlier, correct opset_import; else replace the node by the "
            "operator that took its place");
}

// Many attributes take another way than few.
TEST(Nodes, ManyAttributes) {
  ir::Model m = sound();
  for (int i = 0; i < 40; ++i) first(m).attribute.push_back(int_attribute("__own" + std::to_string(i), i));
  expect_kept(run(m), {"attr.unique"});
  first(m).attribute.push_back(int_attribute("__own7", 7));
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"attr.unique"});
}

}  // namespace
}  // namespace norn::checks
