// Scaled dot-product attention, with a cache of keys and values. Inputs have three axes (and head counts) or four.
// Masks are booleans or summands. 24 added the lengths of caches that are padded.
#include "ops/nn/attention/attention.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kAttnMask = {.name = "attn_mask", .type = "U", .option = kOptional};
constexpr Param kPastKey = {.name = "past_key", .type = "T1", .option = kOptional};
constexpr Param kPastValue = {.name = "past_value", .type = "T2", .option = kOptional};
constexpr Attr kIsCausal = {.name = "is_causal", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kKvNumHeads = {.name = "kv_num_heads", .type = ir::AttributeType::Int};
constexpr Attr kQNumHeads = {.name = "q_num_heads", .type = ir::AttributeType::Int};
constexpr Attr kQkMatmulOutputMode = {
    .name = "qk_matmul_output_mode", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kScale = {.name = "scale", .type = ir::AttributeType::Float};
constexpr Attr kSoftcap = {.name = "softcap", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kSoftmaxPrecision = {.name = "softmax_precision", .type = ir::AttributeType::Int};
constexpr Param kInputs23[] = {
    {.name = "Q", .type = "T1"},
    {.name = "K", .type = "T1"},
    {.name = "V", .type = "T2"},
    kAttnMask,
    kPastKey,
    kPastValue,
};
constexpr Param kInputs24[] = {
    {.name = "Q", .type = "T1"},
    {.name = "K", .type = "T1"},
    {.name = "V", .type = "T2"},
    kAttnMask,
    kPastKey,
    kPastValue,
    {.name = "nonpad_kv_seqlen", .type = "tensor(int64)", .option = kOptional},
};
constexpr Param kOutputs[] = {
    {.name = "Y", .type = "T1"},
    {.name = "present_key", .type = "T1", .option = kOptional},
    {.name = "present_value", .type = "T2", .option = kOptional},
    {.name = "qk_matmul_output", .type = "T1", .option = kOptional},
};
constexpr Attr kAttrs23[] = {kIsCausal, kKvNumHeads, kQNumHeads,       kQkMatmulOutputMode,
                             kScale,    kSoftcap,    kSoftmaxPrecision};
constexpr Attr kAttrs25[] = {
    kIsCausal,
    kKvNumHeads,
    {.name = "left_window_size", .type = ir::AttributeType::Int, .def = def_int(-1)},
    kQNumHeads,
    kQkMatmulOutputMode,
    {.name = "right_window_size", .type = ir::AttributeType::Int, .def = def_int(-1)},
    kScale,
    kSoftcap,
    kSoftmaxPrecision,
};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(types::kFloats)},
    {"T2", tensors(types::kFloats)},
    {"U", tensors(types::kNumericBf | types::kBool)},
};

constexpr Schema kAttention[] = {
    {.since = 23, .inputs = kInputs23, .outputs = kOutputs, .attrs = kAttrs23, .types = kTypes},
    {.since = 24, .inputs = kInputs24, .outputs = kOutputs, .attrs = kAttrs23, .types = kTypes},
    {.since = 25, .inputs = kInputs24, .outputs = kOutputs, .attrs = kAttrs25, .types = kTypes},
};

}  // namespace

constinit const Operator Attention = {.name = "Attention", .history = kAttention};

void attention_schemas(SchemaTable& table) { table.add(Attention); }

}  // namespace norn::ops
