// The walk over a segment's steps.
#pragma once
#include <algorithm>
#include <cstddef>

#include "base/subnormals.h"
#include "norn/error.h"
#include "runtime/nested.h"
#include "runtime/plan.h"
#include "runtime/run_context.h"
#include "runtime/run_errors.h"

namespace norn::runtime {

// Bytes of intermediates, or of an operand, from which on a run looks before every step whether to stop.
inline constexpr std::size_t kLongSteps = std::size_t{1} << 20;

// Runs the steps; `late(step)` runs a late one. Throws norn::Error with the place of the step.
template <class Late>
void walk(const Segment& segment, const program::Graph& graph, void* const* pointers, void* scratch,
          const RunContext& context, Late&& late) {
  const Step* const first = segment.steps.data();
  const Step* const end = first + segment.steps.size();
  const Step* step = first;
  base::SubnormalMode mode;
  // Instantiated twice: a run without a stop and without a watch does not check for them.
  const auto go = [&](auto before, auto after) {
    for (; step != end; ++step) {
      before();
      mode.set(mode.before() || step->flushes_subnormals);
      if (step->kernel) [[likely]]
        step->kernel->run(pointers + step->operands, scratch);
      else if (step->nested)
        step->nested->run_nested(pointers + step->operands, scratch, context, nullptr);
      else
        late(*step);
      after();
    }
  };
  try {
    if (!context.stop && !context.watch) [[likely]] {
      go([] {}, [] {});
      return;
    }
    // Steps on little memory are short, apart from control flow, which looks by itself.
    const unsigned often = std::max(segment.arena_bytes, segment.largest_operand) > kLongSteps ? 0 : 7;
    unsigned n = 0;
    const auto at = [&] { return static_cast<std::size_t>(step - first); };
    go(
        [&] {
          if (context.stop && (n++ & often) == 0) context.stop->check();
          if (context.watch) context.watch->before(graph, segment, at());
        },
        [&] {
          if (context.watch) context.watch->after(graph, segment, at());
        });
  } catch (Error& e) {
    throw step_error(e, segment, graph, static_cast<std::size_t>(step - first), context.in_body);
  }
}

}  // namespace norn::runtime
