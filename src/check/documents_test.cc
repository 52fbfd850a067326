// Rules about a model's frame: its own fields, and the operator sets that it imports.
#include "check/sound_models_test.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

// Bytes that are not read: of uint8 elements only the number counts.
Change stored_bytes(std::size_t n) {
  return [n](ir::Model& m) {
    ir::Tensor& w = m.graph->initializer[0];
    w.float_data = {};
    w.data_type = 2;
    w.dims = {static_cast<std::int64_t>(n)};
    static const std::byte here{};
    w.raw_data = ir::Bytes(&here, n, {});
  };
}
void use_own_operator(ir::Model& m) { m.graph->node = {node("Mine", {"x", "w"}, {"y"}, {}, "com.example")}; }

TEST(Documents, TheModelsOwnFields) {
  expect_cases({
      {"model.ir-version.present", 10, kPlain, [](auto& m) { m.ir_version.clear(); }},
      {"model.ir-version.present", 10, kPlain, [](auto& m) { m.ir_version = 0; }},
      {"model.ir-version.known", 14, kPlain, [](auto& m) { m.ir_version = 15; }},
      {"model.ir-version.known", 10, kPlain, [](auto& m) { m.ir_version = 99; }},
      {"model.ir-version.known", 10, kPlain, [](auto& m) { m.ir_version = -1; }},
      {"model.graph.present", 10, kPlain, [](auto& m) { m.graph.clear(); }},
      {"model.producer-name", 10, kPlain, [](auto& m) { m.producer_name.clear(); }},
      {"model.producer-version", 10, kPlain, [](auto& m) { m.producer_version.clear(); }},
      {"model.domain.present", 10, kPlain, [](auto& m) { m.domain.clear(); }},
      {"model.domain.reverse-dns", 10, kPlain, [](auto& m) { m.domain = "a b"; }},
      {"model.size-2gib", 10, kPlain, stored_bytes(std::size_t{1} << 31), stored_bytes((std::size_t{1} << 31) - 1)},
  });
}

TEST(Documents, OpsetImports) {
  expect_cases({
      {"ver.opset.simple", 10, kFunction, [](auto& m) { m.opset_import[1].version = -3; }},
      {"ver.opset.simple", 10, kFunction, [](auto& m) { m.opset_import[1].version = 0; }},
      {"ver.opset.int32-range", 10, kFunction, [](auto& m) { m.opset_import[1].version = std::int64_t{1} << 31; },
       [](auto& m) { m.opset_import[1].version = (std::int64_t{1} << 31) - 1; }},
      {"opset.import.absent-before-3",
       2,
       kPlain,
       [](auto& m) { m.opset_import = {import_of("", 1)}; },
       {},
       {"ir.gate.opset-import"}},
      {"opset.import.nonempty", 10, kPlain, [](auto& m) { m.opset_import.clear(); }},
      {"opset.import.has-default", 10, kPlain,
       [](auto& m) {
         use_own_operator(m);
         m.opset_import = {import_of("com.example", 1)};
       },
       [](auto& m) {
         use_own_operator(m);
         m.opset_import.push_back(import_of("com.example", 1));
       }},
      {"opset.import.version-present", 10, kFunction, [](auto& m) { m.opset_import[1].version.clear(); }},
      {"opset.import.version-known", 14, kPlain,
       [](auto& m) { m.opset_import[0].version = opset::newest_version("") + 1; },
       [](auto& m) { m.opset_import[0].version = opset::newest_version(""); }},
      {"opset.import.version-known", 14, kPlain, [](auto& m) { m.opset_import.push_back(import_of("ai.onnx.ml", 6)); },
       [](auto& m) { m.opset_import.push_back(import_of("ai.onnx.ml", 5)); }},
      {"opset.import.one-version-per-domain", 10, kFunction,
       [](auto& m) { m.functions[0].opset_import.push_back(import_of("ai.onnx", 20)); },
       [](auto& m) { m.functions[0].opset_import.push_back(import_of("com.example", 20)); }},
      {"opset.import.unique-domain", 10, kPlain, [](auto& m) { m.opset_import.push_back(import_of("ai.onnx", 20)); },
       [](auto& m) { m.opset_import.push_back(import_of("ai.onnx.ml", 5)); }},
      {"opset.import.reverse-dns", 10, kPlain, [](auto& m) { m.opset_import.push_back(import_of("x", 1)); },
       [](auto& m) {
         m.opset_import.push_back(import_of("com.example.x", 1));
         m.opset_import.push_back(import_of("ai.onnx.preview.training", 1));
       }},
      {"opset.min-ir", 7, kPlain, [](auto& m) { m.opset_import[0].version = 15; },
       [](auto& m) { m.opset_import[0].version = 14; }},
  });
}

// The first release with a version of the default set, and the IR version it wrote.
TEST(Documents, EveryOpsetHasTheIrOfItsRelease) {
  const struct {
    std::int64_t ir, last_opset;
  } releases[] = {{3, 8},  {4, 9},   {5, 10},  {6, 11},  {7, 14},  {8, 18},
                  {9, 20}, {10, 22}, {11, 23}, {12, 24}, {13, 27}, {14, 28}};
  for (std::size_t i = 0; i < std::size(releases); ++i) {
    const auto [ir, last] = releases[i];
    for (std::int64_t version = i == 0 ? 1 : releases[i - 1].last_opset + 1; version <= last; ++version) {
      SCOPED_TRACE(version);
      expect_kept(run(sound(ir, version)), {"opset.min-ir"});
      if (ir > 3) {
        EXPECT_EQ(rules_in(run(sound(ir - 1, version))), std::set<std::string>{"opset.min-ir"});
      }
    }
  }
}

}  // namespace
}  // namespace norn::checks
