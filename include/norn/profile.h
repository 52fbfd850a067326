// Where the time of loading and running a model goes: phases, passes and nodes, beside what this machine can do.
//
//   norn::Session session(model);
//   norn::RunProfile found = session.profile({{"image", image}});
//   std::cout << found.to_string();  // as `norn profile` prints it
//
// FLOP and bytes follow from the definitions of the operations and from sizes, whatever the kernel does: a multiply-add
// is two operations, anything else counts one for each element that it reads or makes, moving elements none. Bytes are
// those of a step's operands, each once, as they are stored.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "norn/export.h"

namespace norn {

// Part of what loading does.
struct LoadPhase {
  std::string kind;  // "read", "lower", "pass", "prepare", "plan", "pack"
  std::string name;  // of a pass: "fuse_conv_bn"; else ""
  double seconds = 0;
};

// What this machine does at most with the session's threads, as it was measured.
struct MeasuredMachine {
  int threads = 1;
  double flop_per_second = 0;  // of f32
  struct Copying {
    std::size_t bytes;        // read and written
    double bytes_per_second;  // by a copy of so many: small ones stay in a cache
  };
  std::vector<Copying> copying;  // in ascending order of bytes
};

// One step of a plan: an operation with what is fused to it.
struct ProfiledStep {
  std::string path;        // of the document's node
  std::string operations;  // "Conv+Relu"; "copy" where a value of the node is brought into another layout or place
  std::string kernel;      // as ExplainedStep has it
  // "float[1,64,56,56], float[64,64,3,3] -> float[1,64,56,56]"; "other shapes" is what came behind the first 16 of one
  // operation and kernel.
  std::string shapes;
  std::int64_t calls = 0;  // in all runs
  double total_seconds = 0;
  double own_seconds = 0;      // without the steps that it runs in turn
  double share = 0;            // of own_seconds in the time of all runs
  std::optional<double> flop;  // of one call; empty if sizes do not determine it
  double bytes = 0;
  // The least time that the machine needs for as much FLOP or as many bytes, whichever takes longer, as a share of the
  // mean time. Above 1 where a kernel does less than the definition says, or counts in integers.
  std::optional<double> roofline;
  double mean_seconds() const noexcept { return calls > 0 ? total_seconds / static_cast<double>(calls) : 0; }
};

struct ProfileOptions {
  int runs = 10;                    // that count
  int warmups = 1;                  // before them
  bool machine = true;              // measure the machine: a third of a second
  std::size_t max_trace_calls = 0;  // keep so many calls of steps for to_chrome_trace()
};

// What came from SessionOptions::packed_weights_folder, and was written there.
struct PackedWeights {
  std::string folder;
  std::size_t found_bytes = 0, written_bytes = 0;
  std::string problem;  // why the first that could not be written was not; else ""
};

struct NORN_API RunProfile {
  std::vector<LoadPhase> load;
  std::optional<PackedWeights> packed_weights;  // of a session with such a folder
  std::optional<MeasuredMachine> machine;
  int runs = 0;
  double first_seconds = 0;  // of the very first run, if there was a warm-up: later ones find memory and caches warm
  double total_seconds = 0;  // of the runs that count
  double least_seconds = 0, median_seconds = 0;
  double outside_seconds = 0;       // of total_seconds, outside of steps
  std::vector<ProfiledStep> steps;  // in the order in which they were first begun

  struct Call {
    std::size_t step;
    double begin_seconds, seconds;  // from the beginning of the first run that counts
  };
  std::vector<Call> calls;       // in the order in which they ended
  std::uint64_t more_calls = 0;  // that were not kept

  // A page for a terminal: phases, then steps, those that take longest first, at most `most` of them.
  std::string to_string(std::size_t most = 40) const;
  std::string to_json() const;
  // For chrome://tracing or Perfetto: the phases of loading in a row of their own, and the calls that were kept.
  std::string to_chrome_trace() const;
};

}  // namespace norn
