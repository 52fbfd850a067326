// What a run will do, by the plans that it would begin with.
#pragma once
#include <span>

#include "norn/explain.h"
#include "norn/value.h"
#include "program/program.h"
#include "runtime/executor.h"

namespace norn::runtime {

// `inputs` are those of Executor::plan. Bodies of control flow are planned too where the types of what they read are
// known ahead. Throws norn::Error if the main graph cannot be planned.
Explanation explain(const program::Program& program, const Executor& main, std::span<const Value> inputs,
                    std::span<const InputRoom> rooms = {});

}  // namespace norn::runtime
