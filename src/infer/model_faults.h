// Messages about a model as a whole, its inputs and calls of its functions, shared by inference, lowering and the
// checker.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "infer/fault_text.h"
#include "ir/model.h"

namespace norn::infer {

FaultText no_graph();
// A version below 1, or a newer one than this library knows.
FaultText unknown_ir_version(std::int64_t version);
// An input of the main graph.
FaultText untyped_input(const ir::ValueInfo& input);
// Types as messages show them.
FaultText default_of_other_type(std::string_view given, std::string_view input);

// With functions replaced by their bodies.
FaultText too_many_nodes(std::uint64_t limit);
// The same, and bodies of loops counted as often as they are inferred.
FaultText too_many_visits(std::uint64_t limit);
FaultText nested_too_deeply(int limit);

// `ai.example.F`, with the overload behind a colon if there is one.
std::string function_name(const ir::Function& function);
// A call gives `given` inputs or outputs, and the function has fewer.
FaultText too_many_arguments(bool inputs, std::size_t given, const ir::Function& function);
// Each of these functions calls the one behind it, and the last one the first.
FaultText recursive_functions(std::span<const ir::Function* const> way);

}  // namespace norn::infer
