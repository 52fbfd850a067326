// The walk as a whole: sound models, severities, places, bounds. What each rule reports is tested with its area.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "check/sound_models_test.h"
#include "format/notation.h"

namespace norn::checks {
namespace {

TEST(Checker, SoundModelsHaveNoFindings) {
  for (const Base base : {kPlain, kIf, kLoop, kFunction}) {
    for (std::int64_t ir = base == kFunction ? 8 : 4; ir <= 14; ++ir) {
      if (base != kPlain && ir < 9) continue;  // their opset came with IR 10; 9 would warn of it
      ir::Model m = base_of(base, ir);
      if (ir < 10 && base != kPlain) m.opset_import[0].version = 20;
      if (ir < 10) {
        for (auto& f : m.functions) f.opset_import[0].version = 20;
      }
      EXPECT_EQ(rules_in(run(m)), std::set<std::string>()) << base << " at IR " << ir << "\n";
    }
  }
  EXPECT_EQ(rules_in(run(sound(1))), std::set<std::string>());
  EXPECT_EQ(rules_in(run(sound(2))), std::set<std::string>());
}

// Large graphs are looked at by two threads; findings and their order are the same as with one.
TEST(Checker, AnyNumberOfThreadsFindsTheSame) {
  ir::Model m = sound();
  auto& nodes = m.graph->node;
  nodes.clear();
  for (int i = 0; i < 6000; ++i) {
    const std::string number = std::to_string(i);
    nodes.push_back(node("Abs", {i == 0 ? "x" : "v" + std::to_string(i - 1)}, {i == 5999 ? "y" : "v" + number}));
    nodes.back().name = "n" + number;
  }
  nodes[5000].name = nodes[5900].name = "n17";
  nodes[3000].output.push_back("too:many");
  nodes[3001].input[0] = "nowhere";
  nodes[4321].op_type = "Absolute";
  std::string one;  // thread's findings
  for (const int width : {1, 0}) {
    base::ParallelWidth threads(width);
    const Report report = run(m);
    EXPECT_EQ(rules_of(report), (std::vector<std::string>{"node.outputs.count", "node.input.defined", "op.declared",
                                                          "name.ns.node", "name.ns.node", "name.c90"}));
    std::string all;
    for (const Diagnostic& d : report.diagnostics) all += d.where + ": " + d.message + "\n";
    if (width == 1)
      one = all;
    else
      EXPECT_EQ(all, one);
  }
  EXPECT_NE(one.find("node 5000"), std::string::npos) << one;
  EXPECT_NE(one.find("node 5900"), std::string::npos) << one;
}

TEST(Checker, IdsAreUniqueAndVersionsSane) {
  std::set<std::string_view> ids;
  for (const RuleRow& rule : kRuleRows) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(rule.level == kMust || rule.level == kShould || rule.level == kNorn) << rule.id;
    EXPECT_EQ(rule.id.starts_with("norn."), rule.level == kNorn) << rule.id;
    EXPECT_LE(1, rule.ir_from) << rule.id;
    EXPECT_LE(rule.ir_from, rule.ir_to) << rule.id;
    EXPECT_LE(rule.ir_to, 14) << rule.id;
  }
}

Severity severity_under(Profile profile, const ir::Model& model, std::string_view rule) {
  CheckOptions options;
  options.profile = profile;
  for (const auto& d : run(model, options).diagnostics) {
    if (d.rule == rule) return d.severity;
  }
  ADD_FAILURE() << rule << " is not reported";
  return Severity::Note;
}

TEST(Checker, SeveritiesFollowTheProfile) {
  ir::Model shapeless = sound();
  shapeless.graph->input[0].type->tensor_type->shape.clear();
  EXPECT_EQ(severity_under(Profile::Spec, shapeless, "graph.io.shape"), Severity::Warning);
  EXPECT_EQ(severity_under(Profile::Strict, shapeless, "graph.io.shape"), Severity::Error);
  EXPECT_EQ(severity_under(Profile::Runtime, shapeless, "graph.io.shape"), Severity::Warning);
  ir::Model nameless = sound();
  nameless.graph->name.clear();
  EXPECT_EQ(severity_under(Profile::Spec, nameless, "graph.name"), Severity::Error);
  EXPECT_EQ(severity_under(Profile::Runtime, nameless, "graph.name"), Severity::Warning);
  ir::Model dangling = sound();
  dangling.graph->node[0].input[0] = "xx";
  EXPECT_EQ(severity_under(Profile::Runtime, dangling, "node.input.defined"), Severity::Error);
  ir::Model anonymous = sound();
  anonymous.producer_name.clear();
  EXPECT_EQ(severity_under(Profile::Spec, anonymous, "model.producer-name"), Severity::Note);
  EXPECT_EQ(severity_under(Profile::Strict, anonymous, "model.producer-name"), Severity::Warning);
}

TEST(Checker, PlacesAndHints) {
  ir::Model m = with_if();
  m.graph->node[1].name = "choose";
  m.graph->input.push_back(value("scale"));
  then_branch(m).node[0].input = {"scael"};
  Report report = run(m);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].where,
            "graph \"main\" / node 1 \"choose\" (If) / attribute \"then_branch\" / graph \"then\" / "
            "node 0 (Identity) / input 0 \"scael\"");
  EXPECT_NE(report.diagnostics[0].hint.find("did you mean"), std::string::npos);

  m = sound();
  m.graph->node[1] = node("Squeeze", {"s"}, {"y"}, {attribute("axes", ir::AttributeType::Ints)});
  m.graph->node[1].attribute[0].ints = {0};
  report = run(m);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].hint, "since opset 13 \"axes\" is an input: give it as input 1");

  m = sound();
  m.graph->node[1].input = {"x", ""};
  m.graph->node[0].input = {"x", "", "w"};
  report = run(m);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_NE(report.diagnostics[1].where.find("input 1"), std::string::npos) << report.diagnostics[1].where;
}

TEST(Checker, OptionsCountAndDrop) {
  ir::Model m = sound();
  m.graph->node.clear();
  for (int i = 0; i < 50; ++i) m.graph->node.push_back(node("Relu", {"no"}, {i == 0 ? "y" : "v" + std::to_string(i)}));
  m.producer_name.clear();
  CheckOptions options;
  options.max_findings = 1;
  const Report report = run(m, options);
  EXPECT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].severity, Severity::Error);
  EXPECT_EQ(report.dropped, 50u);

  ir::Model custom = sound();
  custom.opset_import.push_back(import_of("com.example", 1));
  custom.graph->node[1] = node("Mine", {"s"}, {"y"}, {}, "com.example");
  EXPECT_TRUE(rules_in(run(custom)).empty());
  options = {};
  options.check_custom_domain = true;
  EXPECT_TRUE(rules_in(run(custom, options)).contains("op.declared"));

  ir::Model mixed = with_function();
  mixed.functions[0].opset_import[0].version = 6;
  options = {};
  options.skip_opset_compatibility_check = true;
  EXPECT_FALSE(rules_in(run(mixed, options)).contains("function.opset.compatible"));
}

// With a node at the bottom, and with bodies that do nothing but call: those cost time as well.
void expect_doubling_refused(bool empty) {
  ir::Model m = with_function();
  m.functions.clear();
  for (int i = 0; i < 60; ++i) {
    ir::Function f = function("F" + std::to_string(i));
    f.attribute.clear();
    f.node[0].attribute.clear();
    f.opset_import.push_back(import_of("com.example", 1));
    if (i > 0) {
      const std::string below = "F" + std::to_string(i - 1);
      f.node = {node(below, {"a"}, {"m"}, {}, "com.example"), node(below, {"m"}, {"b"}, {}, "com.example")};
    }
    if (empty && i == 0) {
      f.node.clear();
      f.output = {"a"};
    }
    m.functions.push_back(std::move(f));
  }
  m.graph->node[1] = node("F10", {"s"}, {"y"}, {}, "com.example");
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>());
  m.graph->node[1].op_type = "F59";
  try {
    run(m);
    FAIL() << "2^59 nodes are accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::LimitExceeded);
  }
}
TEST(Checker, DoublingFunctionsAreRefusedInLinearTime) {
  expect_doubling_refused(false);
  expect_doubling_refused(true);
}

TEST(Checker, DepthAndNodesAreBounded) {
  ir::Model m = with_if();
  CheckOptions options;
  options.limits.max_depth = 1;
  EXPECT_THROW(run(m, options), Error);
  options = {};
  options.limits.max_nodes = 3;
  EXPECT_THROW(run(m, options), Error);
  options.limits.max_nodes = 4;
  EXPECT_EQ(rules_in(run(m, options)), std::set<std::string>());
}

// Very many findings about values, and very much that is declared of values: most findings are only counted.
TEST(Checker, UndefinedNamesCostOneLookEach) {
  constexpr int kMany = 80'000;
  ir::Model m = sound();
  m.graph->node.reserve(2 * kMany);
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    m.graph->node.push_back(node("Abs", {"nowhere" + number}, {"v" + number}));
    m.graph->value_info.push_back(value("v" + number, {}));
    m.graph->initializer.push_back(tensor("w" + number, {1}));
  }
  const Report report = run(m);
  EXPECT_EQ(rules_in(report), std::set<std::string>{"node.input.defined"});
  EXPECT_EQ(report.diagnostics.size() + report.dropped, static_cast<std::size_t>(kMany));
}

// As many attributes as a function declares, given by its caller and read in its body; and as many functions as the
// model has imports.
TEST(Checker, AttributesAndImportsOfFunctionsCostOneLookEach) {
  constexpr int kMany = 50'000;
  ir::Model m = with_function();
  ir::Function& f = m.functions[0];
  f.attribute.clear();
  m.graph->node[1].attribute.clear();
  const ir::Node reader = f.node[0];
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "p" + std::to_string(i);
    f.attribute.push_back(name);
    f.node.push_back(reader);
    f.node.back().output = {"v" + name};
    f.node.back().attribute[0].ref_attr_name = name;
    m.graph->node[1].attribute.push_back(float_attribute(name, 1));
    m.opset_import.push_back(import_of("com.example." + name, 1));
  }
  f.node.erase(f.node.begin());
  f.output = {"vp0"};
  for (int i = 0; i < kMany; ++i) m.functions.push_back(function("F" + std::to_string(i)));
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>());
  m.functions[0].node.back().attribute[0].ref_attr_name = "q";
  m.graph->node[1].attribute.push_back(float_attribute("r", 1));
  EXPECT_EQ(rules_in(run(m)), (std::set<std::string>{"function.attr.declared", "function.call.unknown-attr"}));
}

// Texts of 16 bytes with one hash in the unordered containers of GCC's library (MurmurHash64A with a fixed seed).
std::vector<std::string> colliding_texts(std::size_t count) {
  constexpr std::uint64_t kMul = 0xc6a4a7935bd1e995, kSeed = 0xc70f6907;
  std::uint64_t inverse = kMul;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMul * inverse;
  const auto shift = [](std::uint64_t v) { return v ^ (v >> 47); };
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = 0x6161616161616161 + i;
    const std::uint64_t state = (kSeed ^ (16 * kMul) ^ (shift(first * kMul) * kMul)) * kMul;
    const std::uint64_t second = shift((state ^ 1) * inverse) * inverse;
    std::string& text = texts.emplace_back(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
  }
#ifdef __GLIBCXX__
  EXPECT_EQ(std::hash<std::string_view>{}(texts.front()), std::hash<std::string_view>{}(texts.back()));
#endif
  return texts;
}

TEST(Checker, ChosenNamesDoNotCollide) {
  const std::vector<std::string> names = colliding_texts(100'000);
  const auto add = [](auto& list, auto change) { change(list.emplace_back()); };
  const Change changes[] = {
      [&](ir::Model& m) {  // dimension variables
        auto& dims = m.graph->input[0].type->tensor_type->shape->dim;
        for (const auto& n : names) add(dims, [&](auto& d) { d.dim_param = n; });
      },
      [&](ir::Model& m) {  // keys of metadata
        for (const auto& n : names) add(m.graph->metadata_props, [&](auto& e) { e.key = n; });
      },
      [&](ir::Model& m) {  // values, one of them read before it is there
        for (const auto& n : names) m.graph->node.push_back(node("Abs", {"x"}, {n}));
        m.graph->node.front().input[0] = names.back();
      },
      [&](ir::Model& m) {  // what is declared of values
        for (const auto& n : names) m.graph->value_info.push_back(value(n));
        m.graph->node.front().input[0] = "nowhere";
      },
      [&](ir::Model& m) {  // operators
        m.opset_import.push_back(import_of("com.example", 1));
        for (const auto& n : names) m.graph->node.push_back(node(n, {"x"}, {}, {}, "com.example"));
      },
      [&](ir::Model& m) {  // domains, in descending order
        for (std::size_t k = names.size(); k-- > 0;) {
          m.opset_import.push_back(import_of("d" + std::to_string(1'000'000 + k), 1));
        }
      },
      [&](ir::Model& m) {  // functions
        for (const auto& n : names) add(m.functions, [&](auto& f) { f.name = n; });
      },
      [&](ir::Model& m) {  // variables of training
        ir::TrainingInfo& info = m.training_info.emplace_back();
        for (const auto& n : names) add(info.update_binding, [&](auto& e) { e.key = n; });
      },
      [&](ir::Model& m) {  // device configurations
        for (const auto& n : names) add(m.configuration, [&](auto& c) { c.name = n; });
        add(m.graph->node[0].device_configurations, [](auto& c) { c.configuration_id = "none"; });
      },
      [&](ir::Model& m) {  // values of one node with shardings
        m.graph->node[0].input = names;
        add(m.graph->node[0].device_configurations, [](auto& c) { c.configuration_id = "none"; });
      },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SCOPED_TRACE(i);
    ir::Model m = sound();
    changes[i](m);
    EXPECT_FALSE(run(m).diagnostics.empty());
  }
}

// Findings stay short and plain, however long and odd what they are about is.
TEST(Checker, FindingsAreShort) {
  std::string odd = "\x1b[2J\n";
  while (odd.size() < 100'000) odd += "\xc3\xa9";
  ir::Model m = with_function();
  m.domain = odd;
  m.opset_import.push_back(import_of(odd, 0));
  m.graph->name = odd;
  m.graph->node.push_back(node("Abs", {odd}, {odd, odd}));
  m.graph->node.push_back(node(odd, {odd}, {"o2"}));
  m.graph->node.push_back(node(odd, {odd}, {"o3"}, {}, odd));
  m.graph->node.push_back(node("F", {"x"}, {"o4"}, {float_attribute(odd, 1)}, "com.example"));
  m.graph->node.push_back(node("Relu", {"x"}, {"o5"}, {float_attribute(odd, 1)}));
  m.graph->node.back().overload = odd;
  m.graph->value_info = {value(odd), value(odd)};
  m.graph->input[0].type->denotation = odd;
  m.graph->input[0].type->tensor_type->shape->dim[0].denotation = odd;
  m.graph->input[0].type->tensor_type->shape->dim[1].dim_param = odd;
  auto& annotation = m.graph->quantization_annotation.emplace_back();
  annotation.tensor_name = odd + odd;
  annotation.quant_parameter_tensor_names.resize(2);
  for (auto& e : annotation.quant_parameter_tensor_names) e.key = odd, e.value = odd + "?";
  for (int i = 0; i < 2; ++i) {
    auto& entry = m.metadata_props.emplace_back();
    entry.key = entry.value = odd;
  }
  m.functions.push_back(m.functions[0]);
  m.functions[1].name = odd;
  m.functions[1].attribute_proto.push_back(float_attribute(odd, 1));
  m.functions[1].attribute_proto.push_back(float_attribute(odd, 1));
  m.functions.push_back(m.functions[1]);
  ir::TrainingInfo& info = m.training_info.emplace_back();
  info.initialization_binding.resize(2);
  info.update_binding.resize(2);
  for (auto* list : {&info.initialization_binding, &info.update_binding}) {
    for (auto& e : *list) e.key = odd, e.value = odd;
  }
  m.configuration.resize(2);
  for (auto& c : m.configuration) c.name = odd;
  auto& device = m.graph->node[0].device_configurations.emplace_back();
  device.configuration_id = odd + "?";
  device.sharding_spec.emplace_back().tensor_name = odd + "?";
  ir::Tensor& data = m.graph->initializer.emplace_back(tensor("external"));
  data.float_data = {};
  data.data_location = 1;
  auto& location = data.external_data.emplace_back();
  location.key = "location";
  location.value = "/" + odd;
  data.external_data.emplace_back().key = odd;
  CheckOptions all;
  all.max_findings = 1000;
  const Report report = run(m, all);
  EXPECT_GT(rules_in(report).size(), 20u);
  for (const Diagnostic& d : report.diagnostics) {
    for (const std::string* text : {&d.where, &d.message, &d.hint}) {
      EXPECT_LT(text->size(), 2000u) << d.rule << ": " << text->substr(0, 300);
      EXPECT_TRUE(format::is_utf8(*text)) << d.rule << ": " << text->substr(0, 300);
      EXPECT_TRUE(std::none_of(text->begin(), text->end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }))
          << d.rule;
    }
  }
}

}  // namespace
}  // namespace norn::checks
