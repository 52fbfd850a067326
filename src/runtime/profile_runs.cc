// Running a compiled model to see where its time goes.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/machine_peak.h"
#include "runtime/compiled_model.h"
#include "runtime/pack_store.h"
#include "runtime/profile.h"

namespace norn::runtime {
namespace {

using Clock = Profile::Clock;

double seconds_of(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::optional<double> share_of_roofline(const ProfiledStep& step, const kernels::MachinePeak& peak) {
  const double mean = step.mean_seconds();
  if (!step.flop || mean <= 0) return {};
  const double least = std::max(*step.flop / peak.flop_per_second, peak.copy_seconds(step.bytes));
  if (least <= 0) return {};
  return least / mean;
}

MeasuredMachine describe(const kernels::MachinePeak& peak, int threads) {
  MeasuredMachine machine{threads, peak.flop_per_second, {}};
  for (const auto& copying : peak.copying) machine.copying.push_back({copying.bytes, copying.bytes_per_second});
  return machine;
}

// What ran in the runs that count, and its calls.
void add_steps(const Profile& profile, const kernels::MachinePeak* peak, Clock::time_point begin, RunProfile& found) {
  double inside = 0;
  std::vector<std::size_t> number;
  for (const StepTime& time : profile.times()) {
    number.push_back(found.steps.size());
    if (time.calls == 0) continue;
    ProfiledStep& step = found.steps.emplace_back();
    step.path = time.path;
    step.operations = time.operations;
    step.kernel = time.kernel;
    step.shapes = time.shapes;
    step.calls = time.calls;
    step.total_seconds = seconds_of(time.total);
    step.own_seconds = seconds_of(time.total - time.within);
    if (found.total_seconds > 0) step.share = step.own_seconds / found.total_seconds;
    step.flop = time.cost.flop;
    step.bytes = time.cost.bytes;
    if (peak) step.roofline = share_of_roofline(step, *peak);
    inside += step.own_seconds;
  }
  found.outside_seconds = std::max(0.0, found.total_seconds - inside);
  for (const Profile::Event& event : profile.events())
    found.calls.push_back({number[event.step], seconds_of(event.since - begin), seconds_of(event.took)});
}

}  // namespace

RunProfile CompiledModel::profile(std::span<const Feed> feeds, const ProfileOptions& options) const {
  if (options.runs < 1 || options.warmups < 0)
    throw Error(ErrorCode::InvalidArgument, "a profile has at least one run, and no negative number before it");
  RunProfile found;
  const auto add = [&](const Phase& phase) {
    found.load.push_back({std::string(phase.kind), phase.name, seconds_of(phase.took)});
  };
  for (const Phase& phase : load_phases_) add(phase);
  {
    const base::ParallelWidth width(threads());
    if (!planned_at_load_)
      for (const Phase& phase : plan_phases(arrange(feeds))) add(phase);
    if (auto files = packed_->files())
      found.packed_weights = {std::move(files->folder), files->found_bytes, files->written_bytes,
                              std::move(files->problem)};
    kernels::MachinePeak peak;
    if (options.machine) {
      peak = kernels::measure_peak();
      found.machine = describe(peak, base::parallel_width());
    }
    Profile profile;
    std::vector<double> seconds;
    Clock::time_point begin;
    for (int run = -options.warmups; run < options.runs; ++run) {
      if (run == 0) {
        profile.forget_times();
        profile.keep_events(options.max_trace_calls);
      }
      const auto start = Clock::now();
      if (run == 0) begin = start;
      const std::vector<Value> outputs = this->run(feeds, {}, {.watch = &profile});
      const double took = seconds_of(Clock::now() - start);
      if (run == -options.warmups) found.first_seconds = took;
      if (run >= 0) seconds.push_back(took);
    }
    found.runs = options.runs;
    for (const double s : seconds) found.total_seconds += s;
    std::sort(seconds.begin(), seconds.end());
    found.least_seconds = seconds.front();
    found.median_seconds = seconds[seconds.size() / 2];
    add_steps(profile, options.machine ? &peak : nullptr, begin, found);
    found.more_calls = options.max_trace_calls > 0 ? profile.more_events() : 0;
  }
  return found;
}

}  // namespace norn::runtime
