// What the plan before chose for an operation. The next plan of the graph takes it over where nothing that choosing
// reads has changed: types, contents and layouts of what the operation and those fused behind it read and make.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/select.h"

namespace norn::runtime {

struct KeptChoice {
  std::uint64_t plan = 0;                       // PlanState::plans when it was made
  std::size_t offered = 0;                      // parts behind the operation
  std::size_t taken = 0;                        // of them
  std::weak_ptr<const kernels::Kernel> kernel;  // of a plan that may not exist any more
  std::string name;
  std::vector<Operand> uses, outs;
  bool in_place = false;
  std::vector<Refusal> refusals;
};

struct KeptChoices {
  std::map<std::pair<std::uint32_t, std::uint32_t>, KeptChoice> by_operation;  // StepInfo::node and ::first
};

}  // namespace norn::runtime
