#include "kernels/cpu/instruction_set.h"

#include <hwy/targets.h>

#include <cstdlib>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels::test {
namespace {

TEST(InstructionSet, IsNoneThatTheEnvironmentRulesOut) {
  const char* variable = std::getenv("NORN_MAX_CPU_ISA");
  const std::string_view limit = variable ? variable : "", set = instruction_set();
  const std::vector<std::string_view> plainest_first = {"SCALAR", "EMU128", "SSE4", "AVX2", "AVX3"};
  const std::map<std::string_view, std::ptrdiff_t> most = {{"portable", 1}, {"sse4", 2}, {"avx2", 3}};
  const auto rank = std::find(plainest_first.begin(), plainest_first.end(), set) - plainest_first.begin();
  EXPECT_LT(rank, static_cast<std::ptrdiff_t>(plainest_first.size())) << set;
  if (most.contains(limit)) {
    EXPECT_LE(rank, most.at(limit)) << set;
  }
  // Asking changes nothing: what is chosen from now on is the same.
  const std::size_t chosen = hwy::GetChosenTarget().GetIndex();
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_EQ(chosen, hwy::GetChosenTarget().GetIndex());
}

}  // namespace
}  // namespace norn::kernels::test
