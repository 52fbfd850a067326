// Each row of scores as a map from class to score. Classes are strings or integers, one list of the two.
#include "ops/traditionalml/zip_map/zip_map.h"

namespace norn::ops {
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

}  // namespace

constinit const Operator ZipMap = {.domain = "ai.onnx.ml", .name = "ZipMap", .history = kZipMap};

void zip_map_schemas(SchemaTable& table) { table.add(ZipMap); }

}  // namespace norn::ops
