// What is timed: kernels of one configuration, by every candidate of its table that takes it.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/physical.h"
#include "kernels/kernel.h"

namespace norn::bench {

struct Timed {
  std::string candidate;
  std::shared_ptr<const kernels::Kernel> kernel;
};
// One configuration of a table. `bytes`: of all operands, each once. The candidates come in the table's order, so that
// the first is what a plan takes.
struct Case {
  std::string name;  // "conv/..."
  double flop = 0, bytes = 0;
  std::vector<std::size_t> operands;  // bytes of each, the outputs among them; 0: a null pointer
  std::vector<Timed> candidates;
};

// Packed constants that live as long as the program.
class Constants final : public kernels::PackedConstants {
 public:
  std::shared_ptr<const void> get(const kernels::Contents&, std::size_t, std::string_view,
                                  const std::function<std::shared_ptr<const void>()>& make,
                                  std::span<const kernels::Contents>) override {
    return make();
  }
};

template <class Config>
void add_case(std::vector<Case>& cases, std::span<const kernels::Candidate<Config>> table, const Config& config,
              std::string name, double flop, std::vector<std::size_t> operands) {
  Case one{std::move(name), flop, 0, std::move(operands), {}};
  for (const std::size_t bytes : one.operands) one.bytes += static_cast<double>(bytes);
  Constants constants;
  for (const auto& candidate : table)
    if (candidate.refuses(config).empty())
      one.candidates.push_back({std::string(candidate.name), candidate.make(config, constants)});
  if (!one.candidates.empty()) cases.push_back(std::move(one));
}

// Normal small numbers, by which nothing overflows or becomes denormal; kept for the whole program.
const float* random_numbers(std::size_t count);

std::vector<Case> all_cases();

}  // namespace norn::bench
