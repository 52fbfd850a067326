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
  // Another algorithm does not see it either, and is not a main graph.
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
      {"train.binding.type-match", [](auto&, auto& t) { t.initialization->output = {value("w0", {4, 3})}; }},
      {"train.binding.type-match", [](auto&, auto& t) { t.initialization->output = {value("w0", {8})}; }},
      {"train.binding.type-match", [](auto&, auto& t) { t.algorithm->output[0] = value("new_w", {4, 2}, 11); }},
      {"train.binding.type-match",
       [](auto&, auto& t) {
         ir::Type element = *t.algorithm->output[0].type;
         t.algorithm->output[0].type.mut() = {};
         t.algorithm->output[0].type->sequence_type.mut().elem_type = element;
       }},
      {"train.binding.type-match",
       [](auto&, auto& t) {
         t.algorithm->output[0].type.clear();
         t.algorithm->value_info = {value("new_w", {4, 2}, 7)};
       }},
      {"train.step.combined-valid", [](auto&, auto& t) { t.algorithm->initializer.push_back(variable("w", {4, 2})); }},
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

// An initialization stands by itself; the main graph does not change the order of its nodes.
TEST(Training, InitializationSeesNoMainGraph) {
  ir::Model m = sound();
  m.ir_version = 14;
  Report report;
  const CheckOptions options;
  Context ctx(options, 14, {}, report);
  m.training_info[0].initialization->node = {node({"y"}, {"w0"})};
  check_model(ctx, {}, m);
  std::vector<Diagnostic> found;
  for (const Diagnostic& d : report.diagnostics) {
    if (d.where.find("initialization") != std::string::npos && d.severity == Severity::Error) found.push_back(d);
  }
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "node.input.defined");
  EXPECT_NE(found[0].hint.find("initialization"), std::string::npos) << found[0].hint;
}

TEST(Training, PlacesTellWhichGraph) {
  ir::Model m = sound();
  m.ir_version = 14;
  for (auto* g : {&m.training_info[0].initialization, &m.training_info[0].algorithm}) {
    (*g)->name = "same";
    (*g)->node = {node({"nowhere"}, {"made"})};
  }
  Report report;
  const CheckOptions options;
  Context ctx(options, 14, {}, report);
  check_model(ctx, {}, m);
  std::set<std::string> places;
  for (const Diagnostic& d : report.diagnostics) {
    if (d.rule == "node.input.defined") places.insert(d.where);
  }
  EXPECT_EQ(places,
            (std::set<std::string>{"training_info 0 / initialization \"same\" / node 0 (Op) / input 0 \"nowhere\"",
                                   "training_info 0 / algorithm \"same\" / node 0 (Op) / input 0 \"nowhere\""}));
}

// Alternating optimizers update one variable in several entries: whether the specification forbids it is a matter of
// reading.
TEST(Training, AVariableOfTwoEntriesIsAWarning) {
  ir::Model m = sound();
  m.graph->output[0] = value("y", {4, 2});
  add_entry(m.training_info.emplace_back().update_binding, "w", "y");
  for (const Profile profile : {Profile::Spec, Profile::Strict}) {
    const Report report =
        run_area([&](Context& ctx, const Place& p) { check_training(ctx, p, m); }, 14, {.profile = profile});
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

// An annotation names tensors of the model, wherever they are: it computes nothing.
TEST(Quantization, TensorsOfTheModel) {
  const auto branch = [](const char* name, const char* reads, const char* gives) {
    ir::Graph g;
    g.name = name;
    g.output = {value(gives, {})};
    g.node = {node({reads}, {gives})};
    g.node[0].op_type = "Relu";
    return g;
  };
  ir::Model m;
  m.ir_version = 10;
  m.opset_import.emplace_back().version = 21;
  ir::Graph& g = m.graph.mut();
  g.name = "main";
  g.input = {value("x", {}), value("c", {})};
  g.input[1].type->tensor_type->elem_type = 9;
  g.output = {value("y", {})};
  g.node = {node({"c"}, {"y"}), node({"x"}, {"late"})};
  g.node[0].op_type = "If";
  g.node[1].op_type = "Relu";
  for (const char* name : {"then_branch", "else_branch"}) {
    ir::Attribute& a = g.node[0].attribute.emplace_back();
    a.name = name;
    a.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
    a.g = branch(name, "x", name[0] == 't' ? "p" : "q");
  }
  const auto annotation = [](const char* tensor, const char* scale) {
    return annotated(tensor, {{"SCALE_TENSOR", scale}}).quantization_annotation;
  };
  const auto reported = [&](const ir::Model& model) {
    Report report;
    const CheckOptions options;
    Context ctx(options, 10, {}, report);
    check_model(ctx, {}, model);
    const auto rules = rules_of(report);
    return std::count(rules.begin(), rules.end(), "quant.values-are-tensors");
  };
  ir::Graph& nested = *g.node[0].attribute[0].g;
  for (const char* scale : {"late", "q", "x", "y"}) {
    nested.quantization_annotation = annotation("p", scale);
    EXPECT_EQ(reported(m), 0) << scale;
  }
  nested.quantization_annotation = annotation("p", "nowhere");
  EXPECT_EQ(reported(m), 1);
  nested.quantization_annotation.clear();
  g.quantization_annotation = annotation("x", "p");
  EXPECT_EQ(reported(m), 0);

  // A function's body has tensors of its own and does not see the model's.
  ir::Model called = m;
  called.graph->quantization_annotation.clear();
  ir::Function& f = called.functions.emplace_back();
  f.name = "F";
  f.domain = "com.example";
  f.opset_import = m.opset_import;
  f.input = {"x", "c"};
  f.output = {"y"};
  f.node = m.graph->node;
  f.node[1].output = {"later"};
  const auto with_scale = [&](const char* scale) {
    f.node[0].attribute[0].g->quantization_annotation = annotation("p", scale);
    return reported(called);
  };
  EXPECT_EQ(with_scale("later"), 0);
  EXPECT_EQ(with_scale("late"), 1);
}

// Metadata:

TEST(Metadata, OfTheModel) {
  const auto run = [](const ir::Metadata& entries, const std::string& denotation = {}) {
    ir::Model m;
    m.metadata_props = entries;
    m.graph.mut().input = {value("picture", {1, 3, 8, 8})};
    if (!denotation.empty()) m.graph->input[0].type->denotation = denotation;
    return run_area([&](Context& ctx, const Place& p) {
      check_model_metadata(ctx, p, m);
      note_image(ctx, m.graph->input[0]);
      check_image_keys(ctx, p, m);
    });
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

// Images may be any of the model's values, and stand in other types.
TEST(Metadata, ImagesAmongTheValues) {
  ir::Type image = *value("", {1, 3, 8, 8}).type;
  image.denotation = "IMAGE";
  ir::Type sequence, optional, map;
  sequence.sequence_type.mut().elem_type = image;
  optional.optional_type.mut().elem_type = sequence;
  map.map_type.mut().key_type = 7;
  map.map_type->value_type = image;
  const auto reported = [](const std::function<void(ir::Model&)>& change) {
    ir::Model m = sound();
    m.ir_version = 10;
    change(m);
    Report report;
    const CheckOptions options;
    Context ctx(options, 10, {}, report);
    check_model(ctx, {}, m);
    const auto rules = rules_of(report);
    return std::count(rules.begin(), rules.end(), "meta.image.provide");
  };
  EXPECT_EQ(reported([](auto&) {}), 0);
  for (const ir::Type& type : {image, sequence, optional, map}) {
    EXPECT_EQ(reported([&](auto& m) { m.graph->input[0].type = type; }), 3);
  }
  const auto info = [&](std::vector<ir::ValueInfo>& infos) {
    infos.push_back(value("z", {}));
    infos.back().type = image;
  };
  EXPECT_EQ(reported([&](auto& m) { info(m.graph->value_info); }), 3);
  EXPECT_EQ(reported([&](auto& m) { info(m.training_info[0].algorithm->value_info); }), 3);
  EXPECT_EQ(reported([&](auto& m) { info(m.functions.emplace_back().value_info); }), 3);
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
