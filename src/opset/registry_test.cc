#include "opset/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "opset/type_check.h"

namespace norn::opset {
namespace {

TEST(Registry, FindsByDomainAndName) {
  const Operator* add = find_operator("", "Add");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(find_operator("ai.onnx", "Add"), add);
  EXPECT_EQ(find_operator("ai.onnx.ml", "Add"), nullptr);
  EXPECT_EQ(find_operator("", "add"), nullptr);
  EXPECT_EQ(find_operator("", ""), nullptr);
}

TEST(Registry, EveryOperatorIsThereOnceWithAscendingRows) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Operator* op : all_operators()) {
    SCOPED_TRACE(full_name(*op));
    EXPECT_TRUE(seen.emplace(op->domain, op->name).second);
    EXPECT_EQ(find_operator(op->domain, op->name), op);
    EXPECT_FALSE(op->history.empty());
    int before = 0;
    for (const Schema& row : op->history) {
      EXPECT_GT(row.since, before);
      before = row.since;
      EXPECT_LE(row.since, newest_version(op->domain));
      for (const auto* params : {&row.inputs, &row.outputs}) {
        for (const Param& p : *params) {
          EXPECT_TRUE(find_type(row, p.type) || type_from_string(p.type).known())
              << "version " << row.since << ": " << p.type;
        }
      }
    }
    EXPECT_FALSE(op->history.front().same_meaning);
  }
}

TEST(Registry, RowInForce) {
  const Operator& add = *find_operator("", "Add");
  EXPECT_EQ(schema_at(add, 0), nullptr);
  EXPECT_EQ(schema_at(add, 1)->since, 1);
  EXPECT_EQ(schema_at(add, 5)->since, 1);
  EXPECT_EQ(schema_at(add, 12)->since, 7);
  EXPECT_EQ(schema_at(add, 99)->since, 14);
}

TEST(Registry, VersionsAndNames) {
  EXPECT_EQ(newest_version(""), 28);
  EXPECT_EQ(newest_version("ai.onnx"), 28);
  EXPECT_EQ(newest_version("ai.onnx.ml"), 5);
  EXPECT_EQ(newest_version("com.microsoft"), 1);
  EXPECT_EQ(newest_version("com.example"), 0);
  EXPECT_TRUE(is_complete("ai.onnx"));
  EXPECT_FALSE(is_complete("com.microsoft"));
  EXPECT_FALSE(is_complete("com.example"));
  const auto near = similar_names("", "Dvi");
  EXPECT_NE(std::find(near.begin(), near.end(), "Div"), near.end());
  EXPECT_TRUE(similar_names("", "CompletelyDifferent").empty());
  EXPECT_TRUE(similar_names("", "Foo").empty());  // Cos is two letters of three away
  EXPECT_TRUE(similar_names("", "Bar").empty());
  EXPECT_EQ(similar_names("", "OR"), std::vector<std::string_view>{"Or"});
  EXPECT_EQ(similar_names("", "Rellu").front(), "Relu");
  EXPECT_EQ(similar_names("", "MaxPooling").front(), "MaxPool");
}

TEST(Registry, ExperimentalOperators) {
  EXPECT_TRUE(is_removed_experimental("ATen"));
  EXPECT_TRUE(is_removed_experimental("GRUUnit"));
  EXPECT_FALSE(is_removed_experimental("ScaledTanh"));  // which runs
  EXPECT_TRUE(was_experimental(*find_operator("", "ScaledTanh")));
  EXPECT_FALSE(was_experimental(*find_operator("", "Upsample")));
  EXPECT_FALSE(is_removed_experimental("Upsample"));  // it came to stay before it was deprecated
  for (const Operator* op : all_operators()) EXPECT_FALSE(op->domain.empty() && is_removed_experimental(op->name));
  EXPECT_EQ(find_operator("", "Upsample")->history.front().support, Support::Experimental);
  EXPECT_EQ(find_operator("", "Upsample")->history.back().support, Support::Common);
  EXPECT_EQ(find_operator("ai.onnx.preview", "FlexAttention")->history.front().support, Support::Experimental);
}

TEST(Registry, AllVersionsOfAllOperators) {
  std::size_t versions = 0;
  for (const Operator* op : all_operators()) versions += op->history.size();
  EXPECT_EQ(all_operators().size(), 279u);
  EXPECT_EQ(versions, 720u);
}

TEST(Schema, Arity) {
  const Param inputs[] = {{.name = "a", .type = "T"},
                          {.name = "b", .type = "T", .option = ParamOption::Optional},
                          {.name = "c", .type = "T"},
                          {.name = "d", .type = "T", .option = ParamOption::Optional}};
  Schema s{.inputs = inputs};
  EXPECT_EQ(min_inputs(s), 3);
  EXPECT_EQ(max_inputs(s), 4);
  const Param variadic[] = {{.name = "a", .type = "T", .option = ParamOption::Optional},
                            {.name = "b", .type = "T", .option = ParamOption::Variadic, .min_arity = 0}};
  s.inputs = variadic;
  EXPECT_EQ(min_inputs(s), 1);
  EXPECT_EQ(max_inputs(s), kUnbounded);
}

TEST(TypeCheck, SetsAndSpellings) {
  const TypeSet set =
      tensors(elems(DataType::Float)) | optional_sequences(elems(DataType::Int64)) | maps(kMapInt64Float);
  EXPECT_EQ(type_strings(set),
            (std::vector<std::string>{"map(int64, float)", "optional(seq(tensor(int64)))", "tensor(float)"}));
  for (const std::string& text : type_strings(set)) {
    const ValueType type = type_from_string(text);
    EXPECT_EQ(type.type_string(), text);
    EXPECT_TRUE(allows(set, type)) << text;
  }
  EXPECT_FALSE(allows(set, type_from_string("tensor(double)")));
  EXPECT_FALSE(allows(set, type_from_string("seq(tensor(int64))")));
  EXPECT_FALSE(allows(set, type_from_string("map(int64, double)")));
  EXPECT_TRUE(allows(set, {}));
  EXPECT_TRUE(allows(set, ValueType::optional({})));
}

TEST(ValueType, FromDocumentAndBack) {
  int fresh = 0;
  const auto make_fresh = [&] { return DimExpr::variable("?" + std::to_string(fresh++)); };
  ir::Type document;
  auto& tensor = document.tensor_type.mut();
  tensor.elem_type = static_cast<std::int32_t>(DataType::Float);
  auto& dims = tensor.shape.mut().dim;
  dims.resize(5);
  dims[0].dim_param = "N";
  dims[1].dim_value = 3;
  dims[3].dim_value = -1;
  dims[4].dim_param = "?x";
  const ValueType type = from_ir(document, make_fresh);
  EXPECT_EQ(type.to_string(), "float[N,3,?0,?1,?2]");
  const ir::Type back = to_ir(type);
  EXPECT_EQ(back.tensor_type->shape->dim[0].dim_param.get(), "N");
  EXPECT_EQ(back.tensor_type->shape->dim[1].dim_value.get(), 3);
  EXPECT_FALSE(back.tensor_type->shape->dim[2].dim_param.has());
  const ValueType nested = ValueType::optional(ValueType::sequence(type));
  EXPECT_EQ(from_ir(to_ir(nested), make_fresh).type_string(), "optional(seq(tensor(float)))");
}

}  // namespace
}  // namespace norn::opset
