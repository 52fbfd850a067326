#include "infer/model_faults.h"

#include <algorithm>
#include <string>

#include "ir/constants.h"

namespace norn::infer {

FaultText no_graph() {
  return {"the model has no graph",
          "there is nothing in it to run: the file may be cut off, or another message than a ModelProto"};
}

FaultText unknown_ir_version(std::int64_t version) {
  const std::string newest = std::to_string(ir::kNewestIrVersion);
  return {"the model has IR version " + std::to_string(version) + "; this Norn knows 1 to " + newest,
          "a newer Norn may read it, or export the model for IR version " + newest + " or earlier"};
}

FaultText untyped_input(const ir::ValueInfo& input) {
  return {"the graph input has no type",
          input.type && !input.type->unknown.empty()
              ? "its type uses fields that this Norn does not know, such as the sparse tensor type of IR 1"
              : "declare its element type and shape, or export the model anew"};
}

FaultText default_of_other_type(std::string_view given, std::string_view input) {
  return {"it is " + std::string(given) + ", but the input that it is the default of is " + std::string(input),
          "correct one of them, or take the name out of the inputs if it is not fed"};
}

FaultText too_many_nodes(std::uint64_t limit) {
  return {"the model has more than " + std::to_string(limit) + " nodes once its functions are replaced by their bodies",
          "functions that call others several times multiply; raise Limits::max_expanded_nodes if the model is "
          "trusted"};
}

FaultText too_many_visits(std::uint64_t limit) {
  return {"inference would visit more than " + std::to_string(limit) +
              " nodes, bodies of called functions and of loops included",
          "raise Limits::max_expanded_nodes if the model is trusted"};
}

FaultText nested_too_deeply(int limit) {
  return {"graphs in attributes, or types in types, are nested more than " + std::to_string(limit) + " deep",
          "raise Limits::max_depth if the model is trusted"};
}

std::string function_name(const ir::Function& function) {
  std::string name = shown_bare(function.domain.get());
  if (!name.empty()) name += '.';
  name += shown_bare(function.name.get());
  return function.overload.get().empty() ? name : name + ":" + shown_bare(function.overload.get());
}

FaultText too_many_arguments(bool inputs, std::size_t given, const ir::Function& function) {
  const std::string what = inputs ? "input" : "output";
  return {"the call has " + base::counted(given, what.c_str()) + ", but the function \"" + function_name(function) +
              "\" has " + std::to_string(inputs ? function.input.size() : function.output.size()),
          "give the call as many as the function declares, or the function the parameters"};
}

FaultText recursive_functions(std::span<const ir::Function* const> way) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < way.size() && i < kMost; ++i) text += "\"" + function_name(*way[i]) + "\" -> ";
  if (way.size() > kMost) text += "... -> ";
  return {"the function calls itself: " + text + "\"" + function_name(*way.front()) + "\"",
          "functions must not be recursive: let none of them lead back to itself; what is repeated needs a Loop or "
          "Scan"};
}

}  // namespace norn::infer
