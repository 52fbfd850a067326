#include "check/area_test.h"

namespace norn::checks {
namespace {

ir::Type tensor(std::int32_t elem) {
  ir::Type type;
  type.tensor_type.mut().elem_type = elem;
  type.tensor_type->shape.mut();
  return type;
}
ir::Type sequence(ir::Type of) {
  ir::Type type;
  type.sequence_type.mut().elem_type = std::move(of);
  return type;
}
ir::Type optional(ir::Type of) {
  ir::Type type;
  type.optional_type.mut().elem_type = std::move(of);
  return type;
}
ir::Type map(std::int32_t key, ir::Type value) {
  ir::Type type;
  type.map_type.mut().key_type = key;
  type.map_type->value_type = std::move(value);
  return type;
}
ir::Type sparse(std::int32_t elem) {
  ir::Type type;
  type.sparse_tensor_type.mut().elem_type = elem;
  type.sparse_tensor_type->shape.mut();
  return type;
}
ir::Type opaque(const std::string& name) {
  ir::Type type;
  type.opaque_type.mut().name = name;
  return type;
}
ir::Type denoted(ir::Type type, const std::string& word) {
  type.denotation = word;
  return type;
}
template <class Change>
ir::Type changed(ir::Type type, Change change) {
  change(type);
  return type;
}
ir::Type with_dim(const std::function<void(ir::Dimension&)>& set) {
  ir::Type type = tensor(1);
  set(type.tensor_type->shape->dim.emplace_back());
  return type;
}

Report check_main(const ir::Type& type, std::int64_t ir_version = 14) {
  return run_area([&](Context& ctx, const Place& p) { check_type(ctx, p, type, ValueUse::MainInput); }, ir_version);
}

TEST(Types, EachRuleAlone) {
  const struct {
    const char* rule;
    ir::Type type;
  } cases[] = {
      {"value.one-kind", ir::Type()},
      {"value.one-kind", changed(tensor(1), [](ir::Type& t) { t.opaque_type.mut().name = std::string("o"); })},
      {"type.tensor.elem-present", changed(tensor(1), [](ir::Type& t) { t.tensor_type->elem_type.clear(); })},
      {"type.tensor.elem-not-undefined", tensor(0)},
      {"type.tensor.elem-valid", tensor(29)},
      {"type.tensor.elem-valid", tensor(-1)},
      {"type.tensor.elem-valid", optional(sequence(tensor(77)))},
      {"type.sequence.elem", changed(sequence(tensor(1)), [](ir::Type& t) { t.sequence_type->elem_type.clear(); })},
      {"type.sequence.elem", sequence(ir::Type())},
      {"type.map.key-present", changed(map(7, tensor(1)), [](ir::Type& t) { t.map_type->key_type.clear(); })},
      {"type.map.key-kind", map(1, tensor(1))},
      {"type.map.key-kind", map(9, tensor(1))},
      {"type.map.key-kind", map(300, tensor(1))},
      {"type.map.value-present", changed(map(7, tensor(1)), [](ir::Type& t) { t.map_type->value_type.clear(); })},
      {"type.optional.elem", optional(ir::Type())},
      {"type.optional.elem-kind", optional(opaque("o"))},
      {"type.optional.elem-kind", optional(optional(tensor(1)))},
      {"type.sparse.elem", sparse(0)},
      {"type.sparse.elem", sparse(99)},
      {"type.sparse.shape", changed(sparse(1), [](ir::Type& t) { t.sparse_tensor_type->shape.clear(); })},
      {"type.opaque.name", opaque("")},
      {"type.opaque.params-retired",
       changed(opaque("o"), [](ir::Type& t) { t.opaque_type->unknown = ir::bytes_of({"\x1a\x00", 2}); })},
      {"denotation.type.standard", denoted(tensor(1), "PICTURE")},
      {"denotation.type.standard", sequence(denoted(tensor(1), "image"))},
      {"denotation.dim.standard", with_dim([](ir::Dimension& d) { d.denotation = std::string("BATCH"); })},
      {"shape.dim.value-nonnegative", with_dim([](ir::Dimension& d) { d.dim_value = -1; })},
      {"shape.dim.empty-param", with_dim([](ir::Dimension& d) { d.dim_param = std::string(); })},
      {"name.c90.dim-param", with_dim([](ir::Dimension& d) { d.dim_param = std::string("a + b"); })},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    expect_only(check_main(c.type), c.rule);
  }
}

TEST(Types, SoundOnes) {
  for (std::int32_t elem = 1; elem < kDataTypeCount; ++elem) {
    expect_kept(check_main(tensor(elem)), {"value.one-kind", "type.tensor.elem-present", "type.tensor.elem-valid",
                                           "type.tensor.elem-not-undefined"});
  }
  for (std::int32_t key : {2, 3, 4, 5, 6, 7, 8, 12, 13}) {
    expect_kept(check_main(map(key, tensor(1))),
                {"type.map.key-present", "type.map.key-kind", "type.map.value-present"});
  }
  expect_kept(check_main(sequence(map(8, tensor(11)))), {"type.sequence.elem"});
  for (const ir::Type& held : {tensor(8), sequence(tensor(1)), map(7, tensor(1)), sparse(1)}) {
    expect_kept(check_main(optional(held)), {"type.optional.elem", "type.optional.elem-kind"});
  }
  expect_kept(check_main(sparse(14)), {"type.sparse.elem", "type.sparse.shape"});
  expect_kept(check_main(changed(sequence(sparse(1)),
                                 [](ir::Type& t) { t.sequence_type->elem_type->sparse_tensor_type->shape.clear(); })),
              {"type.sparse.shape"});
  const auto with_field_4 = [](ir::Type& t) { t.opaque_type->unknown = ir::bytes_of({"\x22\x00", 2}); };
  expect_kept(check_main(changed(opaque("o"), with_field_4)), {"type.opaque.name", "type.opaque.params-retired"});
  expect_kept(check_main(denoted(tensor(1), "IMAGE")), {"denotation.type.standard"});
  expect_kept(check_main(with_dim([](ir::Dimension& d) { d.denotation = std::string("FILTER_SPATIAL"); })),
              {"denotation.dim.standard"});
  expect_kept(check_main(with_dim([](ir::Dimension& d) { d.dim_value = std::int64_t{0}; })),
              {"shape.dim.value-nonnegative"});
  expect_kept(check_main(with_dim([](ir::Dimension& d) { d.dim_param = std::string("N_1"); })),
              {"shape.dim.empty-param", "name.c90.dim-param"});
  expect_kept(check_main(with_dim([](ir::Dimension&) {})), {"shape.dim.empty-param"});
}

TEST(Types, OnlyMainValuesNeedAKind) {
  const auto check_info = [](const ir::Type& type) {
    return run_area([&](Context& ctx, const Place& p) { check_type(ctx, p, type, ValueUse::Info); });
  };
  expect_only(check_info(ir::Type()), "");
  expect_only(check_info(changed(sparse(1), [](ir::Type& t) { t.sparse_tensor_type->shape.clear(); })), "");
  expect_only(check_info(tensor(0)), "type.tensor.elem-not-undefined");
}

TEST(Types, RulesOfLaterVersionsDoNotBindOlderFiles) {
  expect_only(check_main(optional(opaque("o")), 7), "");
  expect_only(check_main(opaque(""), 3), "");
  expect_only(check_main(denoted(tensor(1), "PICTURE"), 2), "");
  expect_only(check_main(tensor(0), 1), "type.tensor.elem-not-undefined");
}

TEST(Types, CommonFaultsOfExportersAreWarnings) {
  const ir::Type open = with_dim([](ir::Dimension& d) { d.dim_value = -1; });
  EXPECT_FALSE(has_errors(check_main(open)));
  const auto strict = run_area([&](Context& ctx, const Place& p) { check_type(ctx, p, open, ValueUse::MainInput); }, 14,
                               {.profile = Profile::Strict});
  EXPECT_TRUE(has_errors(strict));
}

TEST(Types, AVariablesNameIsToldOnce) {
  ir::Type type = with_dim([](ir::Dimension& d) { d.dim_param = std::string("2*N"); });
  for (int i = 0; i < 5; ++i) type.tensor_type->shape->dim.push_back(type.tensor_type->shape->dim[0]);
  expect_only(check_main(type), "name.c90.dim-param");
}

TEST(Types, NestingHasABound) {
  ir::Type type = tensor(1);
  for (int i = 0; i < 200; ++i) type = sequence(std::move(type));
  try {
    check_main(type);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::LimitExceeded);
  }
}

TEST(Types, ThePathLeadsToTheElement) {
  const Report report = check_main(sequence(map(8, tensor(77))));
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].where, "document / sequence element / map value");
  EXPECT_NE(report.diagnostics[0].message.find("77"), std::string::npos);
}

// ValueInfo:

Report check_value(const ir::ValueInfo& info, ValueUse use, std::int64_t ir_version = 14) {
  return run_area([&](Context& ctx, const Place& p) { check_value_info(ctx, p, info, use); }, ir_version);
}

TEST(ValueInfo, NamesAndTypes) {
  ir::ValueInfo untyped, nameless, good;
  untyped.name = std::string("x");
  nameless.type = tensor(1);
  good.name = std::string("x");
  good.type = tensor(1);
  for (ValueUse use : {ValueUse::MainInput, ValueUse::NestedOutput, ValueUse::Info, ValueUse::Part}) {
    for (std::int64_t ir_version : {1, 5, 6, 14}) {
      expect_kept(check_value(good, use, ir_version),
                  {"value.name", ir_version < 6 ? "value.type-required" : "value.type-required-main"});
    }
  }
  expect_only(check_value(nameless, ValueUse::Info), "value.name");
  expect_only(check_value(nameless, ValueUse::Part), "value.name");
  expect_only(check_value(untyped, ValueUse::Info, 5), "value.type-required");
  expect_only(check_value(untyped, ValueUse::NestedInput, 5), "value.type-required");
  expect_only(check_value(untyped, ValueUse::Info, 6), "");
  expect_only(check_value(untyped, ValueUse::NestedInput, 6), "");
  expect_only(check_value(untyped, ValueUse::Part, 6), "value.type-required-main");
}

}  // namespace
}  // namespace norn::checks
