// Training information, quantization annotations and metadata.
#include "check/area_test.h"

namespace norn::checks {
namespace {

ir::Tensor variable(const std::string& name, std::vector<std::int64_t> dims, std::int32_t type = 1) {
  ir::Tensor t;
  t.name = name;
  t.data_type = type;
  t.dims = std::move(dims);
  return t;
}
ir::ValueInfo value(const std::string& name, std::vector<std::int64_t> dims, std::int32_t type = 1) {
  ir::ValueInfo v;
  v.name = name;
  v.type.mut().tensor_type.mut().elem_type = type;
  auto& shape = v.type->tensor_type->shape.mut();
  for (std::int64_t d : dims) {
    auto& dim = shape.dim.emplace_back();
    if (d >= 0) dim.dim_value = d;
  }
  return v;
}
ir::Node node(std::vector<std::string> in, std::vector<std::string> out) {
  ir::Node n;
  n.op_type = std::string("Op");
  n.input = std::move(in);
  n.output = std::move(out);
  return n;
}
void add_entry(ir::Metadata& bindings, const std::string& key, const std::string& to) {
  auto& entry = bindings.emplace_back();
  entry.key = key;
  entry.value = to;
}

// y = Op(x, w); the algorithm makes new_w from y, w and its own state; initialization makes w0.
ir::Model sound() {
  ir::Model m;
  ir::Graph& main = m.graph.mut();
  main.name = std::string("main");
  main.input = {value("x", {-1, 4})};
  main.output = {value("y", {-1, 2})};
  main.initializer = {variable("w", {4, 2})};
  main.node = {node({"x", "w"}, {"y"})};
  ir::TrainingInfo& t = m.training_info.emplace_back();
  ir::Graph& init = t.initialization.mut();
  init.name = std::string("init");
  init.output = {value("w0", {4, 2})};
  init.node = {node({}, {"w0"})};
  add_entry(t.initialization_binding, "w", "w0");
  ir::Graph& algorithm = t.algorithm.mut();
  algorithm.name = std::string("step");
  algorithm.input = {value("target", {-1, 2})};
  algorithm.initializer = {variable("rate", {})};
  algorithm.output = {value("new_w", {-1, 2}), value("new_rate", {})};
  algorithm.node = {node({"y", "target", "w", "rate"}, {"new_w"}), node({"rate"}, {"new_rate"})};
  add_entry(t.update_binding, "w", "new_w");
  add_entry(t.update_binding, "rate", "new_rate");
  return m;
}
Report check(const ir::Model& m, std::int64_t ir_version = 14) {
  return run_area([&](Context& ctx, const Place& p) { check_training(ctx, p, m); }, ir_version);
}

TEST(Training, SoundOnes) {
  expect_kept(check(sound()), {"train.init.no-inputs", "train.binding.key-is-initializer", "train.binding.init-value",
                               "train.binding.init-unique", "train.binding.update-value", "train.binding.update-unique",
                               "train.binding.type-match", "train.step.combined-valid"});
  expect_only(check(ir::Model()), "");
  // The main graph's output may be assigned, and one entry may do without either graph.
  ir::Model m = sound();
  m.graph->output.push_back(value("w2", {4, 2}));
  m.training_info[0].update_binding[0].value = std::string("w2");
  m.training_info.emplace_back();
  expect_only(check(m), "");
}

// One finding, of the reading node or output; before IR 7, which has no training, the name is just not defined.
TEST(Training, TheMainGraphReadsNothingOfAnAlgorithm) {
  const auto nested_reader = [](const char* name) {
    ir::Node n = node({}, {"inner"});
    n.input = {name};
    ir::Attribute body;
    body.name = "body";
    body.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
    body.g.mut().name = "nested";
    body.g->node = {n};
    return body;
  };
  const struct {
    const char *rule_before, *where;
    std::function<void(ir::Graph&)> change;
  } cases[] = {
      {"node.input.defined", "graph \"main\" / node 0 (Op) / input 2 \"rate\"",
       [](auto& g) { g.node[0].input.push_back("rate"); }},
      {"node.input.defined", "graph \"main\" / node 0 (Op) / input 2 \"target\"",
       [](auto& g) { g.node[0].input.push_back("target"); }},
      {"graph.output.defined", "graph \"main\" / output 1 \"new_w\" float[4,2]",
       [](auto& g) { g.output.push_back(value("new_w", {4, 2})); }},
      {"node.input.defined",
       "graph \"main\" / node 0 (Op) / attribute \"body\" / graph \"nested\" / node 0 (Op) / input 0 \"new_w\"",
       [&](auto& g) { g.node[0].attribute.push_back(nested_reader("new_w")); }},
  };
  CheckOptions options;
  options.profile = Profile::Runtime;
  const auto errors = [&](const ir::Model& m, std::int64_t ir_version) {
    Report report;
    Context ctx(options, ir_version, {}, report);
    check_model(ctx, {}, m);
    std::erase_if(report.diagnostics, [](const Diagnostic& d) {
      return d.severity != Severity::Error || d.rule.starts_with("node.domain.") || d.rule.starts_with("op.") ||
             d.rule.starts_with("tensor.");
    });
    return report;
  };
  ir::Model m = sound();
  m.ir_version = 14;
  m.opset_import.emplace_back().domain = "";
  m.opset_import[0].version = 21;
  expect_kept(errors(m, 14), {"train.step.main-not-algo"});
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    ir::Model broken = m;
    c.change(*broken.graph);
    const Report report = errors(broken, 14);
    ASSERT_EQ(rules_of(report), std::vector<std::string>{"train.step.main-not-algo"});
    EXPECT_EQ(report.diagnostics[0].where, c.where);
    Coverage::broken().insert("train.step.main-not-algo");
    EXPECT_EQ(rules_of(errors(broken, 6)), std::vector<std::string>{c.rule_before});
  }
  // Another algorithm does not see it either, and is no main graph.
  ir::Model two = m;
  two.training_info.push_back(two.training_info[0]);
  two.training_info[1].algorithm->name = "other";
  two.training_info[1].algorithm->initializer.clear();
  const Report report = errors(two, 14);
  EXPECT_EQ(rules_of(report), (std::vector<std::string>{"node.input.defined", "node.input.defined"}));
}

TEST(Training, EachRuleAlone) {
  const struct {
    const char* rule;
    std::function<void(ir::Model&, ir::TrainingInfo&)> change;
  } cases[] = {
      {"train.init.no-inputs", [](auto&, auto& t) { t.initialization->input = {value("seed", {})}; }},
      {"train.binding.key-is-initializer", [](auto&, auto& t) { t.update_binding[0].key = std::string("x"); }},
      {"train.binding.key-is-initializer",
       [](auto&, auto& t) { add_entry(t.initialization_binding, "nothing", "w0"); }},
      {"train.binding.init-value", [](auto&, auto& t) { t.initialization_binding[0].value = std::string("y"); }},
      {"train.binding.init-value", [](auto&, auto& t) { t.initialization.clear(); }},
      {"train.binding.init-unique", [](auto&, auto& t) { add_entry(t.initialization_binding, "w", "w0"); }},
      {"train.binding.update-value", [](auto&, auto& t) { t.update_binding[0].value = std::string("w0"); }},
      {"train.binding.update-unique", [](auto&, auto& t) { add_entry(t.update_binding, "w", "new_w"); }},
      {"train.binding.type-match",
       [](auto&, auto& t) {
         t.initialization->output = {value("w0", {4, 3})};
       }},
      {"train.binding.type-match", [](auto&, auto& t) { t.initialization->output = {value("w0", {8})}; }},
      {"train.binding.type-match",
       [](auto&, auto& t) {
         t.algorithm->output[0] = value("new_w", {4, 2}, 11);
       }},
      {"train.step.combined-valid",
       [](auto&, auto& t) {
         t.algorithm->initializer.push_back(variable("w", {4, 2}));
       }},
      {"train.step.combined-valid", [](auto&, auto& t) { t.algorithm->node.push_back(node({}, {"y"})); }},
      {"train.step.combined-valid", [](auto&, auto& t) { t.algorithm->input.push_back(value("x", {})); }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    ir::Model m = sound();
    c.change(m, m.training_info[0]);
    expect_only(check(m), c.rule);
    expect_only(check(m, 6), "");
  }
}

// Alternating optimizers update one variable in several entries: whether the specification forbids it is a matter of
// reading.
TEST(Training, AVariableOfTwoEntriesIsAWarning) {
  ir::Model m = sound();
  m.graph->output[0] = value("y", {4, 2});
  add_entry(m.training_info.emplace_back().update_binding, "w", "y");
  for (const Profile profile : {Profile::Spec, Profile::Strict}) {
    const Report report = run_area([&](Context& ctx, const Place& p) { check_training(ctx, p, m); }, 14,
                                   {.profile = profile});
    expect_only(report, "train.binding.update-unique");
    EXPECT_FALSE(has_errors(report));
  }
  add_entry(m.training_info[1].update_binding, "w", "y");
  EXPECT_TRUE(has_errors(check(m)));
}

ir::Graph annotated(const std::string& tensor, std::vector<std::pair<std::string, std::string>> keys) {
  ir::Graph g;
  auto& annotation = g.quantization_annotation.emplace_back();
  annotation.tensor_name = tensor;
  for (const auto& [key, to] : keys) add_entry(annotation.quant_parameter_tensor_names, key, to);
  return g;
}
// In a graph nested in another: "outer" is visible, "x", "s" and "z" are the graph's own.
Report check(const ir::Graph& g, std::int64_t ir_version = 14) {
  return run_area(
      [&](Context& ctx, const Place& p) {
        Scopes& scopes = ctx.scopes();
        const auto define = [&](const char* name) { scopes.define(scopes.intern(name), {.as = Defined::Initializer}); };
        scopes.enter(false);
        define("outer");
        scopes.enter(false);
        for (const char* name : {"x", "s", "z"}) define(name);
        check_quantization(ctx, p, g);
      },
      ir_version);
}

TEST(Quantization, EachRuleAlone) {
  const auto twice = [] {
    ir::Graph g = annotated("x", {{"SCALE_TENSOR", "s"}});
    g.quantization_annotation.push_back(g.quantization_annotation[0]);
    return g;
  };
  expect_kept(check(annotated("x", {{"SCALE_TENSOR", "s"}, {"ZERO_POINT_TENSOR", "z"}})),
              {"quant.tensor-name", "quant.keys-known", "quant.values-are-tensors", "quant.keys-unique"});
  ir::Graph both = annotated("x", {{"SCALE_TENSOR", "s"}});
  both.quantization_annotation.push_back(annotated("z", {{"SCALE_TENSOR", "s"}}).quantization_annotation[0]);
  expect_kept(check(both), {"quant.tensor-unique"});
  expect_only(check(annotated("x", {{"SCALE_TENSOR", "outer"}})), "");
  expect_only(check(annotated("unknown", {{"SCALE_TENSOR", "s"}})), "quant.tensor-name");
  expect_only(check(annotated("outer", {{"SCALE_TENSOR", "s"}})), "quant.tensor-name");
  expect_only(check(annotated("", {{"SCALE_TENSOR", "s"}})), "quant.tensor-name");
  expect_only(check(annotated("x", {{"BAD", "s"}})), "quant.keys-known");
  expect_only(check(annotated("x", {{"SCALE_TENSOR", "unknown"}})), "quant.values-are-tensors");
  expect_only(check(annotated("x", {{"SCALE_TENSOR", "s"}, {"SCALE_TENSOR", "z"}})), "quant.keys-unique");
  expect_only(check(twice()), "quant.tensor-unique");
  expect_only(check(annotated("unknown", {{"SCALE_TENSOR", "s"}}), 4), "");
}

// Metadata:

TEST(Metadata, OfTheModel) {
  const auto run = [](const ir::Metadata& entries, const std::string& denotation = {}) {
    ir::Model m;
    m.metadata_props = entries;
    m.graph.mut().input = {value("picture", {1, 3, 8, 8})};
    if (!denotation.empty()) m.graph->input[0].type->denotation = denotation;
    return run_area([&](Context& ctx, const Place& p) { check_model_metadata(ctx, p, m); });
  };
  const auto entries = [](std::vector<std::pair<std::string, std::string>> all) {
    ir::Metadata m;
    for (const auto& [key, to] : all) add_entry(m, key, to);
    return m;
  };
  const ir::Metadata image = entries({{"Image.BitmapPixelFormat", "Bgr8"},
                                      {"image.colorspacegamma", "srgb"},
                                      {"Image.NominalPixelRange", "NominalRange_0_255"}});
  expect_only(run({}), "");
  expect_kept(run(entries({{"model_author", "a"}, {"model_license", "b"}})), {"meta.model.unique-keys"});
  expect_only(run(entries({{"k", "a"}, {"k", "a"}})), "meta.model.unique-keys");
  expect_kept(run(image, "IMAGE"), {"meta.image.provide", "meta.image.values"});
  expect_only(run(entries({{"Image.BitmapPixelFormat", "Foo"}})), "meta.image.values");
  EXPECT_EQ(rules_of(run({}, "IMAGE")), std::vector<std::string>(3, "meta.image.provide"));
  expect_only(run({image.begin(), image.end() - 1}, "IMAGE"), "meta.image.provide");
}

TEST(Metadata, OfEverythingElse) {
  const auto run = [](std::vector<std::string> keys, std::int64_t ir_version = 14) {
    ir::Metadata m;
    for (const std::string& key : keys) add_entry(m, key, "v");
    return run_area(
        [&](Context& ctx, const Place& p) {
          for (int i = 0; i < 3; ++i) check_metadata(ctx, p.at("node", i), m);
        },
        ir_version);
  };
  expect_kept(run({"com.example.key", "pkg.torch.onnx.name_scopes"}), {"meta.qualified-keys", "meta.any.unique-keys"});
  expect_only(run({"namespace"}), "meta.qualified-keys");
  expect_only(run({".key"}), "meta.qualified-keys");
  EXPECT_EQ(rules_of(run({"a.b", "c.d", "a.b"})), std::vector<std::string>(3, "meta.any.unique-keys"));
  expect_only(run({"namespace", "namespace"}, 9), "");
}

}  // namespace
}  // namespace norn::checks
