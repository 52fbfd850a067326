// A tensor cut along an axis into a sequence. `split` is a scalar (the size of every part but the last) or the list of
// sizes. Without it parts have size 1, and only then keepdims = 0 drops the axis.
#include "ops/sequence/split_to_sequence/split_to_sequence.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "input", .type = "T"},
                             {.name = "split", .type = "I", .option = ParamOption::Optional}};
constexpr Param kOutputs[] = {{.name = "output_sequence", .type = "S"}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "keepdims", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes11[] = {
    {"T", tensors(types::kAll)},
    {"I", tensors(types::kIndex)},
    {"S", sequences(types::kAll)},
};
constexpr TypeConstraint kTypes24[] = {
    {"T", tensors(types::kAllBf)},
    {"I", tensors(types::kIndex)},
    {"S", sequences(types::kAllBf)},
};

constexpr Schema kSplitToSequence[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 24, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes24, .same_meaning = true},
};

}  // namespace

constinit const Operator SplitToSequence = {.name = "SplitToSequence", .history = kSplitToSequence};

void split_to_sequence_schemas(SchemaTable& table) { table.add(SplitToSequence); }

}  // namespace norn::ops
