// Kernels beside their floors, and what each table takes beside the best of its candidates: see bench/README.md.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "base/parallel.h"
#include "kernel_bench.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/machine_peak.h"

namespace norn::bench {

namespace {

void fill(float* numbers, std::size_t count) {
  std::minstd_rand engine(1);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(static_cast<int>(engine() % 2001) - 1000) / 1000;
}

}  // namespace

const float* random_numbers(std::size_t count) {
  static std::vector<std::shared_ptr<void>> kept;
  kept.push_back(kernels::aligned_buffer(count * sizeof(float)));
  auto* const numbers = static_cast<float*>(kept.back().get());
  fill(numbers, count);
  return numbers;
}

namespace {

// The least of all repetitions, by case and candidate, and the floors: what else the machine does only adds to a time.
class Times final : public benchmark::ConsoleReporter {
 public:
  Times() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shown;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
      const std::string& name = run.run_name.function_name;
      const auto at = least_.emplace(name, seconds).first;
      at->second = std::min(at->second, seconds);
      shown.push_back(run);
      shown.back().counters["of floor"] = floors_[name] / seconds;
    }
    ConsoleReporter::ReportRuns(shown);
  }
  void floor(const std::string& name, double seconds) { floors_[name] = seconds; }
  const double* of(const std::string& name) const {
    const auto at = least_.find(name);
    return at == least_.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::string, double> least_, floors_;
};

std::string full_name(const Case& one, const Timed& timed) { return one.name + "/" + timed.candidate; }

void time_kernel(benchmark::State& state, const Case& one, const Timed& timed) {
  const base::ParallelWidth width(1);
  std::vector<std::shared_ptr<void>> memory;
  std::vector<void*> operands;
  for (const std::size_t bytes : one.operands) {
    memory.push_back(bytes == 0 ? nullptr : kernels::aligned_buffer(bytes + 64));
    operands.push_back(memory.back().get());
    fill(static_cast<float*>(operands.back()), (bytes + sizeof(float) - 1) / sizeof(float));
  }
  const auto scratch = kernels::aligned_buffer(timed.kernel->scratch_bytes() + 64);
  for (auto _ : state) {
    timed.kernel->run(operands.data(), scratch.get());
    benchmark::ClobberMemory();
  }
}

int run(int argc, char** argv) {
  kernels::limit_instruction_set();
  kernels::MachinePeak peak;
  {
    const base::ParallelWidth width(1);
    peak = kernels::measure_peak();
  }
  std::printf("peak: %.0f Gflop/s of f32; a copy in the first cache %.0f GB/s, in memory %.0f GB/s\n",
              peak.flop_per_second / 1e9, peak.copying.front().bytes_per_second / 1e9,
              peak.copying.back().bytes_per_second / 1e9);
  const std::vector<Case> cases = all_cases();
  Times times;
  for (const Case& one : cases) {
    const double floor = std::max(one.flop / peak.flop_per_second, peak.copy_seconds(one.bytes));
    for (const Timed& timed : one.candidates) {
      times.floor(full_name(one, timed), floor);
      benchmark::RegisterBenchmark(full_name(one, timed).c_str(), [&one, &timed](benchmark::State& state) {
        time_kernel(state, one, timed);
      })->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks(&times);

  constexpr double kWorse = 1.05;
  std::size_t compared = 0, worse = 0;
  for (const Case& one : cases) {
    const double* taken = times.of(full_name(one, one.candidates[0]));
    if (!taken || one.candidates.size() < 2) continue;
    const Timed* best = nullptr;
    double least = *taken;
    for (const Timed& timed : one.candidates) {
      const double* time = times.of(full_name(one, timed));
      if (time && *time < least) least = *time, best = &timed;
    }
    ++compared;
    if (!best || *taken <= kWorse * least) continue;
    ++worse;
    std::printf("%s: %s takes %.1f us, %s %.1f (%.2f times)\n", one.name.c_str(), one.candidates[0].candidate.c_str(),
                *taken * 1e6, best->candidate.c_str(), least * 1e6, *taken / least);
  }
  std::printf(
      "of %zu configurations that several candidates take, the table takes one that is more than 5%% slower "
      "than the best for %zu\n",
      compared, worse);
  return 0;
}

}  // namespace
}  // namespace norn::bench

int main(int argc, char** argv) { return norn::bench::run(argc, argv); }
