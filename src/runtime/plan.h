// The Plan: what a graph becomes for given shapes. Kernels are chosen and made, memory is laid out, and a run is a walk
// over steps.
//
// A plan is a chain of segments. A segment holds every node whose shapes follow from what is known when it starts; nodes
// whose output sizes only running can tell (NonZero), or whose outputs are not tensors (sequences), and control flow run as
// late steps: they produce owned values, and what depends on them waits for the next segment, which is planned when those
// values are there. Segments for sizes that came up before are kept, a bounded number of them, and found again by the
// sizes: plans form a tree.
//
// Everything here is immutable once made, apart from the caches, which lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "norn/value.h"
#include "opset/value_type.h"
#include "program/program.h"

namespace norn::runtime {

// Where a value is while a run goes on.
struct Location {
  enum class Kind : std::uint8_t {
    None,
    Constant,  // `constant`
    Run,       // values_[index] of the run: inputs, captures, outputs, late values
    Arena,     // at `offset` in the arena of segment `index`
  } kind = Kind::None;
  std::uint32_t index = 0;
  std::size_t offset = 0;
  const void* constant = nullptr;
};

// What planning knows of a graph's values after some segments.
struct PlanState {
  std::vector<opset::ValueType> types;    // by ValueId; static once the value is available
  std::vector<opset::KnownValue> known;
  std::vector<Location> where;
  std::vector<std::uint32_t> remaining;   // nodes not planned yet, in order
  std::uint32_t run_values = 0;           // of the run's table that are in use
  std::uint32_t depth = 0;                // segments before
};

// A kernel that was not taken, and why.
struct Refusal {
  std::string kernel, reason;
};

struct Step {
  const kernels::Kernel* kernel = nullptr;  // null: the late step `late`
  std::uint32_t operands = 0;               // first of its pointers in the frame's table
  std::uint32_t late = 0;
};

// What a person is told of a step.
struct StepInfo {
  std::uint32_t node = 0;
  std::string kernel;
  std::vector<Refusal> refusals;
  std::string shapes;  // "float[1,64,56,56], float[64,64,3,3] -> float[1,64,56,56]"
};

// A node run on whole values.
struct LateStep {
  struct Input {
    enum class Kind : std::uint8_t { Omitted, Run, Pointer } kind = Kind::Omitted;
    std::uint32_t index = 0;  // of the run's table, or of the frame's pointers
    DataType dtype = DataType::Undefined;
    Shape dims;
  };
  std::uint32_t node = 0;
  std::vector<Input> inputs;                  // the node's inputs
  std::vector<std::vector<Input>> captures;   // of each subgraph
  std::vector<std::uint32_t> outputs;         // in the run's table; kNone where not wanted
};

// The memory of one run of one segment; reused by later runs.
struct Frame {
  std::shared_ptr<void> arena;
  std::vector<void*> pointers;
  void* scratch = nullptr;
};

class Segment {
 public:
  std::vector<Step> steps;
  std::vector<StepInfo> info;  // parallel to steps
  std::vector<std::string> notes;  // nodes that need no step: views, values known from the shapes
  std::vector<std::unique_ptr<kernels::Kernel>> kernels;
  std::vector<LateStep> late;

  std::size_t arena_bytes = 0, scratch_bytes = 0;
  // The frame's pointers: how each is found. Constants and this segment's arena are filled in once for a frame.
  std::vector<Location> pointers;
  // Pointers to fill in for each run: into the run's values or an earlier segment's arena.
  std::vector<std::uint32_t> patches;
  struct Allocation {
    std::uint32_t run_value;
    DataType dtype;
    Shape dims;
  };
  std::vector<Allocation> allocations;  // outputs, and strings between nodes
  std::vector<std::uint32_t> late_values;  // whose sizes pick the next segment
  // What late values hold on to: constants known from shapes.
  std::vector<norn::Tensor> constants;

  PlanState after;
  bool last() const noexcept { return after.remaining.empty(); }

  std::unique_ptr<Frame> take_frame() const;
  void give_back(std::unique_ptr<Frame> frame) const;

  // The next segment for these sizes; null if it was not planned yet.
  std::shared_ptr<const Segment> find_next(const std::vector<std::int64_t>& key) const;
  void keep_next(std::vector<std::int64_t> key, std::shared_ptr<const Segment> next) const;

 private:
  static constexpr std::size_t kMaxFrames = 8, kMaxNext = 16;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> frames_;
  mutable std::vector<std::pair<std::vector<std::int64_t>, std::shared_ptr<const Segment>>> next_;
};

struct PlanOptions {
  bool reference_only = false;
  kernels::PackedConstants* packed = nullptr;
};

// Plans the next segment. Throws norn::Error: a contradiction of shapes, with the node's place, or NotImplemented.
std::shared_ptr<Segment> plan_segment(const program::Graph& graph, const PlanState& before, const PlanOptions& options);

}  // namespace norn::runtime
