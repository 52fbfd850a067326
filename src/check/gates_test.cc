// What each IR version added: reported for files of earlier versions, wherever it stands in them, and of no later one.
#include "check/sound_models_test.h"

namespace norn::checks {
namespace {

struct Gate {
  const char* rule;
  std::int64_t from;  // the first version that has it
  Base base;
  Change use;
  std::set<std::string> also = {};  // what else a file of the version before cannot help breaking
};

Change typed(std::function<void(ir::Type&)> set) {
  return [set](ir::Model& m) {
    m.graph->value_info = {value("s")};
    ir::Type type;
    set(type);
    m.graph->value_info[0].type = type;
  };
}
Change of_elements(std::int32_t type) {
  return [type](ir::Model& m) { m.graph->value_info = {value("s", {2, 3}, type)}; };
}
// Two bytes hold two elements or more of every type below 32 bits.
ir::Tensor narrow(std::int32_t type) {
  ir::Tensor t;
  t.name = "narrow";
  t.data_type = type;
  const int bits = storage_bits(static_cast<DataType>(type));
  t.dims = {16 / bits};
  t.raw_data = ir::bytes_of(std::string(static_cast<std::size_t>((16 / bits * bits + 7) / 8), '\0'));
  return t;
}
Change initializer_of(std::int32_t type) {
  return [type](ir::Model& m) {
    m.graph->initializer.push_back(narrow(type));
    if (m.ir_version.get() <= 3) m.graph->input.push_back(value("narrow", m.graph->initializer[1].dims, type));
  };
}
Change constant_of(std::int32_t type) {
  return [type](ir::Model& m) {
    ir::Attribute a = attribute("__own", ir::AttributeType::Tensor);
    a.t = narrow(type);
    first(m).attribute = {a};
  };
}
ir::SparseTensor sparse(const std::string& name) {
  ir::SparseTensor s;
  s.dims = {4};
  s.values = tensor(name, {1});
  s.indices.mut().data_type = 7;
  s.indices->dims = {1};
  s.indices->int64_data = std::vector<std::int64_t>{2};
  return s;
}
ir::Metadata metadata() {
  ir::Metadata entries;
  entries.emplace_back().key = "com.example.k";
  return entries;
}

std::vector<Gate> gates() {
  const ir::Type element = *value("x").type;
  std::vector<Gate> all = {
      {"ir.gate.attr-type", 2, kPlain, [](auto& m) { first(m).attribute = {int_attribute("__own", 1)}; }},
      {"ir.gate.opset-import",
       3,
       kPlain,
       [](auto& m) { m.opset_import = {import_of("", 1)}; },
       {"opset.import.absent-before-3"}},
      {"ir.gate.node-domain", 3, kPlain, [](auto& m) { first(m).domain = "ai.onnx"; }},
      {"ir.gate.quant-annotation", 5, kPlain,
       [](auto& m) { m.graph->quantization_annotation.emplace_back().tensor_name = "s"; }},
      {"ir.gate.sparse-constants", 6, kPlain, [](auto& m) { m.graph->sparse_initializer = {sparse("k")}; }},
      {"ir.gate.sparse-constants", 6, kPlain,
       [](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::SparseTensor)};
         first(m).attribute[0].sparse_tensor = sparse("");
       }},
      {"ir.gate.sparse-constants", 6, kPlain,
       [](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::SparseTensors)};
         first(m).attribute[0].sparse_tensors.mut_value() = {sparse("")};
       }},
      {"ir.gate.sequence-map", 6, kPlain, typed([element](ir::Type& t) { t.sequence_type.mut().elem_type = element; })},
      {"ir.gate.sequence-map", 6, kPlain, typed([element](ir::Type& t) {
         t.map_type.mut().key_type = 7;
         t.map_type->value_type = element;
       })},
      {"ir.gate.training", 7, kPlain, [](auto& m) { m.training_info.emplace_back(); }},
      {"ir.gate.optional-type", 8, kPlain,
       typed([element](ir::Type& t) { t.optional_type.mut().elem_type = element; })},
      {"ir.gate.sparse-type", 8, kPlain, typed([](ir::Type& t) { t.sparse_tensor_type.mut().elem_type = 1; })},
      {"ir.gate.type-proto-attr", 8, kPlain,
       [element](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::TypeProto)};
         first(m).attribute[0].tp = element;
       }},
      {"ir.gate.type-proto-attr", 8, kPlain,
       [element](auto& m) {
         first(m).attribute = {attribute("__own", ir::AttributeType::TypeProtos)};
         first(m).attribute[0].type_protos.mut_value() = {element, element};
       }},
      {"ir.gate.functions", 8, kPlain,
       [](auto& m) {
         m.functions = {function()};
         m.functions[0].opset_import = m.opset_import;
       }},
      {"ir.gate.attribute-proto", 9, kFunction,
       [](auto& m) { m.functions[0].attribute_proto = {float_attribute("more", 1)}; }},
      {"ir.gate.overload", 10, kFunction, [](auto& m) { m.functions[0].overload = m.graph->node[1].overload = "v"; }},
      {"ir.gate.metadata-props", 10, kPlain, [](auto& m) { m.graph->metadata_props = metadata(); }},
      {"ir.gate.metadata-props", 10, kPlain, [](auto& m) { first(m).metadata_props = metadata(); }},
      {"ir.gate.metadata-props", 10, kPlain, [](auto& m) { m.graph->input[0].metadata_props = metadata(); }},
      {"ir.gate.metadata-props", 10, kPlain, [](auto& m) { m.graph->initializer[0].metadata_props = metadata(); }},
      {"ir.gate.metadata-props", 10, kPlain,
       [](auto& m) {
         m.graph->sparse_initializer = {sparse("k")};
         m.graph->sparse_initializer[0].indices->metadata_props = metadata();
       }},
      {"ir.gate.metadata-props", 10, kFunction, [](auto& m) { m.functions[0].metadata_props = metadata(); }},
      {"ir.gate.function-value-info", 10, kFunction, [](auto& m) { m.functions[0].value_info = {value("a")}; }},
      {"ir.gate.multi-device", 11, kPlain,
       [](auto& m) {
         m.configuration.emplace_back().name = "pair";
         m.configuration[0].num_devices = 2;
       }},
      {"ir.gate.multi-device", 11, kPlain,
       [](auto& m) {
         m.configuration.emplace_back().name = "pair";
         m.configuration[0].num_devices = 2;
         first(m).device_configurations.emplace_back().configuration_id = "pair";
       }},
      {"ir.gate.opaque-core", 14, kPlain, typed([](ir::Type& t) { t.opaque_type.mut().name = "o"; })},
  };
  const struct {
    const char* rule;
    std::int64_t from;
    std::vector<std::int32_t> types;
  } elements[] = {{"ir.gate.bfloat16", 4, {16}},    {"ir.gate.float8", 9, {17, 18, 19, 20}},
                  {"ir.gate.int4", 10, {21, 22}},   {"ir.gate.float4", 11, {23}},
                  {"ir.gate.float8e8m0", 12, {24}}, {"ir.gate.int2", 13, {25, 26}},
                  {"ir.gate.float6", 14, {27, 28}}};
  for (const auto& row : elements) {
    for (const std::int32_t type : row.types) {
      for (const Change& use : {of_elements(type), initializer_of(type), constant_of(type)}) {
        all.push_back({row.rule, row.from, kPlain, use});
      }
    }
  }
  // Inside of other types.
  all.push_back({"ir.gate.float8", 9, kPlain, typed([](ir::Type& t) {
                   t.optional_type.mut().elem_type.mut().sequence_type.mut().elem_type = *value("x", {}, 17).type;
                 })});
  all.push_back({"ir.gate.int2", 13, kPlain, typed([](ir::Type& t) {
                   t.map_type.mut().key_type = 8;
                   t.map_type->value_type.mut().sparse_tensor_type.mut().elem_type = 26;
                 })});
  return all;
}

ir::Model at_version(const Gate& gate, std::int64_t ir_version) {
  ir::Model m = base_of(gate.base, ir_version);
  if (ir_version < 10 && gate.base == kFunction) {  // operator sets of its own time
    m.opset_import[0].version = m.functions[0].opset_import[0].version = ir_version == 9 ? 20 : 18;
  }
  return m;
}

TEST(Gates, ToldBeforeTheVersionThatBringsIt) {
  for (const Gate& gate : gates()) {
    SCOPED_TRACE(gate.rule);
    for (std::int64_t ir = std::max<std::int64_t>(1, gate.from - 2); ir < gate.from; ++ir) {
      SCOPED_TRACE(ir);
      if (gate.base == kFunction && ir < 8) continue;
      ir::Model m = at_version(gate, ir);
      EXPECT_EQ(rules_in(run(m)), std::set<std::string>());
      gate.use(m);
      std::set<std::string> expected = gate.also;
      expected.insert(gate.rule);
      if (ir + 1 < gate.from) {
        EXPECT_TRUE(rules_in(run(m)).contains(gate.rule));  // beside what came in between
        continue;
      }
      EXPECT_EQ(rules_in(run(m)), expected);
      if (rules_in(run(m)) == expected) Coverage::broken().insert(gate.rule);
    }
  }
}

TEST(Gates, NotToldFromThatVersionOn) {
  for (const Gate& gate : gates()) {
    SCOPED_TRACE(gate.rule);
    for (std::int64_t ir = gate.from; ir <= 14; ++ir) {
      SCOPED_TRACE(ir);
      ir::Model m = at_version(gate, ir);
      gate.use(m);
      expect_kept(run(m), {gate.rule});
    }
  }
}

// The ONNX-ML build had sequences, maps and opaque types from the start.
TEST(Gates, ModelsOfOnnxMlHadMoreTypes) {
  const ir::Type element = *value("x").type;
  for (const Change& use : {typed([element](ir::Type& t) { t.sequence_type.mut().elem_type = element; }),
                            typed([](ir::Type& t) { t.opaque_type.mut().name = "o"; })}) {
    ir::Model m = sound(5, 10);
    m.opset_import.push_back(import_of("ai.onnx.ml", 1));
    use(m);
    expect_kept(run(m), {"ir.gate.sequence-map", "ir.gate.opaque-core"});
  }
  // What the model imports counts for its functions.
  ir::Model m = with_function(13);
  ir::ValueInfo& a = m.functions[0].value_info.emplace_back();
  a.name = "a";
  a.type.mut().opaque_type.mut().name = "o";
  EXPECT_EQ(rules_in(run(m)), std::set<std::string>{"ir.gate.opaque-core"});
  m.opset_import.push_back(import_of("ai.onnx.ml", 3));
  expect_kept(run(m), {"ir.gate.opaque-core"});
}

}  // namespace
}  // namespace norn::checks
