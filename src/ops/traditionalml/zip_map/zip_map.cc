// Each row of scores as a map from class to score. Classes are strings or integers, one list of the two.
#include "ops/traditionalml/zip_map/zip_map.h"

#include <memory>
#include <utility>

#include "ops/common/scores.h"

namespace norn::ops {
inline namespace zip_map_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "tensor(float)"}};
constexpr Param kOutputs[] = {{.name = "Z", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "classlabels_int64s", .type = ir::AttributeType::Ints},
    {.name = "classlabels_strings", .type = ir::AttributeType::Strings},
};
constexpr TypeConstraint kTypes[] = {{"T", maps(kSeqMapInt64Float | kSeqMapStringFloat)}};

constexpr Schema kZipMap[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_zip_map(InferContext& ctx) {
  const Labels labels = resolve_labels(ctx, "classlabels_int64s", "classlabels_strings");
  if (ctx.has_rank(0)) {
    row_count(ctx);
    ctx.unify(ctx.shape(0).back(), labels.size(), "the columns of X and the labels");
  }
  ValueType map{.kind = ValueType::Kind::Map, .elem = labels.type()};
  map.element = std::make_shared<const ValueType>(ValueType::tensor(DataType::Float, {}));
  ctx.set(0, ValueType::sequence(std::move(map)));
}

}  // namespace
}  // namespace zip_map_cc

constinit const Operator ZipMap = {
    .domain = "ai.onnx.ml", .name = "ZipMap", .history = kZipMap, .infer = infer_zip_map};

void zip_map_schemas(SchemaTable& table) { table.add(ZipMap); }

}  // namespace norn::ops
