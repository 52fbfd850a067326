// Faults of an If's types, which the checker finds as well, from declarations.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator If;
inline constexpr std::string_view kThenBranch = "then_branch", kElseBranch = "else_branch";  // attributes

// Types as messages show them: "bool[2]".
std::string not_one_condition(std::string_view condition);
inline constexpr const char* kOneConditionHint = "reduce it to one element, with ReduceMax or ReduceMin say";
std::string branches_differ(std::size_t output, std::string_view thens, std::string_view elses);
inline constexpr const char* kBranchesDifferHint =
    "let both branches give one type: put a Cast at the end of one of them, say";

}  // namespace norn::ops
