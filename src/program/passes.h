// The passes: portable rewrites of a Program, each named, separate, and keeping the answer.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace norn::program {

// The outputs, in the node's order, of a node whose inputs are constants of the graph.
using ComputeNode = std::function<std::vector<norn::Value>(const Graph&, const Node&)>;

struct PassOptions {
  std::vector<std::string> disabled;  // "all": every optional one
  // For nodes with large inputs or outputs; what it throws is passed over. Reference kernels compute all others.
  ComputeNode compute;
};

struct Pass {
  std::string_view name;
  std::string_view what;  // a description in one line
  bool optional;          // may be left out by name
  void (*run)(Program&, const PassOptions&);
};

// In the order they run.
std::span<const Pass> passes();
// Called with the Program as each pass leaves it.
using PassObserver = std::function<void(const Pass&, const Program&)>;

// Runs all passes but those disabled. Throws norn::Error (InvalidArgument) for a name that is not a pass.
void run_passes(Program& program, const PassOptions& options, const PassObserver& after = {});

}  // namespace norn::program
