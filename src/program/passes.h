// The passes: portable rewrites of a Program, each named, separate, and keeping the answer.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace norn::program {

struct Pass {
  std::string_view name;
  std::string_view what;  // a description in one line
  bool optional;          // may be left out by name
  void (*run)(Program&);
};

// In the order they run.
std::span<const Pass> passes();
// Called with the Program as each pass leaves it.
using PassObserver = std::function<void(const Pass&, const Program&)>;

// Runs all passes but those named in `disabled` ("all": every optional one). Throws norn::Error (InvalidArgument) for a
// name that is not a pass.
void run_passes(Program& program, const std::vector<std::string>& disabled, const PassObserver& after = {});

}  // namespace norn::program
