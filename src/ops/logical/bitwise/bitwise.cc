// Logic on the bits of integers. The binary ones broadcast both sides.
#include "ops/logical/bitwise/bitwise.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kBitwiseAndInputs[] = {
    {.name = "A", .type = "T", .diff = kNonDiff},
    {.name = "B", .type = "T", .diff = kNonDiff},
};
constexpr Param kBitwiseNotInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kBitwiseAndOutputs[] = {{.name = "C", .type = "T", .diff = kNonDiff}};
constexpr Param kBitwiseNotOutputs[] = {{.name = "Y", .type = "T", .diff = kNonDiff}};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kInts)}};

constexpr Schema kRows18[] = {
    {.since = 18, .inputs = kBitwiseAndInputs, .outputs = kBitwiseAndOutputs, .types = kTypes},
};

constexpr Schema kBitwiseNot[] = {
    {.since = 18, .inputs = kBitwiseNotInputs, .outputs = kBitwiseNotOutputs, .types = kTypes},
};

}  // namespace

constinit const Operator BitwiseAnd = {.name = "BitwiseAnd", .history = kRows18};
constinit const Operator BitwiseOr = {.name = "BitwiseOr", .history = kRows18};
constinit const Operator BitwiseXor = {.name = "BitwiseXor", .history = kRows18};
constinit const Operator BitwiseNot = {.name = "BitwiseNot", .history = kBitwiseNot};

void bitwise_schemas(SchemaTable& table) {
  for (const Operator* op : {&BitwiseAnd, &BitwiseOr, &BitwiseXor, &BitwiseNot}) table.add(*op);
}

}  // namespace norn::ops
