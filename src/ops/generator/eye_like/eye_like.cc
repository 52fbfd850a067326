// An identity matrix of another matrix's shape. The element type is dtype, else the input's.
#include "ops/generator/eye_like/eye_like.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr TypeSet kSetT122 = tensors(types::kNumericBf | types::kBool);
constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int},
    {.name = "k", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes9[] = {
    {"T1", tensors(types::kNumeric | types::kBool)},
    {"T2", tensors(types::kNumeric | types::kBool)},
};
constexpr TypeConstraint kTypes22[] = {{"T1", kSetT122}, {"T2", kSetT122}};

constexpr Schema kEyeLike[] = {
    {.since = 9, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes9},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator EyeLike = {.name = "EyeLike", .history = kEyeLike};

void eye_like_schemas(SchemaTable& table) { table.add(EyeLike); }

}  // namespace norn::ops
