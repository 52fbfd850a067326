// The Plan: what a graph becomes for given shapes. Kernels are chosen and made, memory is laid out, and a run is a walk
// over steps.
//
// A plan is a chain of segments. A segment holds every node whose shapes follow from what is known when it starts;
// nodes whose output sizes are only known when they have run (NonZero), or whose outputs are not tensors (sequences),
// and control flow whose bodies are not settled (nested.h) run as late steps: they produce owned values, and what
// depends on them waits for the next segment, which is planned when those values are there. Segments for sizes that
// came up before are found again in the PlanCache: plans form a tree.
//
// A segment keeps only what it adds to what the segments before it settled, so that a chain costs what its nodes cost.
//
// Everything here is immutable once made, apart from the frames that are kept for later runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fork.h"
#include "kernels/kernel.h"
#include "norn/value.h"
#include "opset/value_type.h"
#include "program/program.h"
#include "runtime/arena_pool.h"

namespace norn {
enum class Precision : std::uint8_t;  // norn/session.h
}

namespace norn::runtime {

class ContentChoice;
class KernelStore;
class NestedStep;
class PlanState;
class Segment;

// Where a value is during a run.
struct Location {
  enum class Kind : std::uint8_t {
    None,
    Constant,  // `constant`
    Run,       // values_[index] of the run: inputs, captures, outputs, late values
    Arena,     // the arena of segment `index`
  } kind = Kind::None;
  std::uint32_t index = 0;
  std::size_t offset = 0;  // from its beginning, in bytes
  const void* constant = nullptr;
  bool part = false;    // of a value of the run, which is larger than what lies here
  bool spaced = false;  // of a value of the run that has room (base/room.h)
};

// What planning knows of a value.
struct PlannedValue {
  opset::ValueType type;  // static once the value is available, if it is a tensor
  opset::KnownValue known;
  Location where;
};

// The size that a dimension variable has in a run, and the first value that had it.
struct BoundVariable {
  std::string name;
  std::int64_t size = 0;
  program::ValueId value = program::kNone;
  std::uint32_t dim = 0;
};

// A kernel that was not taken, and why.
struct Refusal {
  std::string kernel, reason;
};

struct Step {
  const kernels::Kernel* kernel = nullptr;  // null: `nested`, or without it the late step `late`
  const NestedStep* nested = nullptr;
  std::uint32_t operands = 0;  // first of its pointers in the frame's table
  std::uint32_t late = 0;
  bool flushes_subnormals = false;  // base/subnormals.h
};

// A tensor whose sizes are known.
struct StaticType {
  DataType dtype = DataType::Undefined;
  Shape dims;
  friend bool operator==(const StaticType&, const StaticType&) = default;
};

// What explanations and profiles report of a step.
struct StepInfo {
  std::uint32_t node = 0;
  std::string kernel;
  std::vector<Refusal> refusals;
  std::vector<StaticType> inputs, outputs;  // a late step's outputs are not known
  // Which of the node's operations it runs: 0 is the node's own, k is parts[k - 1].
  std::uint32_t first = 0, operations = 1;
  // Plans of the node's graphs that the step runs; null: one that never runs. Empty if plans are found at run time.
  std::vector<std::shared_ptr<const Segment>> bodies;
  // The graph's input in whose memory it writes if that is donated; kNone for none.
  std::uint32_t donated = program::kNone;
  double multiply_adds = 0;  // in products among the operations (step_cost.h)
  bool copies = false;       // it moves a value that the operation reads or makes, and computes nothing
};
// Operation k of those that the step runs.
const program::Node& operation_of(const program::Graph& graph, const StepInfo& info, std::uint32_t k = 0);
// `"x" float[1,64,56,56], "w" float[64,64,3,3] -> float[1,64,56,56]`; of a step that runs several operations without
// the names.
std::string shapes_text(const program::Graph& graph, const StepInfo& info);

// An operation that needs no step.
struct SparedNode {
  enum class Why : std::uint8_t { View, KnownFromShapes } why;
  std::uint32_t node, operation;  // as StepInfo::node and ::first
};
const program::Node& operation_of(const program::Graph& graph, const SparedNode& spared);

// A node run on whole values.
struct LateStep {
  struct Input {
    enum class Kind : std::uint8_t {
      Omitted,
      Run,      // the run's value as it is: no tensor
      Tensor,   // the run's value under `dims`: views share its memory
      Pointer,  // memory that the frame's pointer `index` leads to
    } kind = Kind::Omitted;
    bool last = false;                     // of Run: nothing reads the value behind the step, nor twice in it
    std::uint32_t index = 0;               // of the run's table, or of the frame's pointers
    DataType dtype = DataType::Undefined;  // of a tensor; Undefined for one whose sizes an explanation does not know
    Shape dims;
  };
  std::uint32_t node = 0;
  std::vector<Input> inputs;                 // the node's inputs
  std::vector<std::vector<Input>> captures;  // of each subgraph
  std::vector<std::uint32_t> outputs;        // in the run's table; kNone where not wanted
  // What runs the node; null: the interpreter of its operator, or its reference kernel.
  std::shared_ptr<const NestedStep> nested;
  const ContentChoice* choice = nullptr;  // of a kernel before the reference kernel; the executor's
  // Or a kernel of outputs whose sizes it determines (find_late_select()), which have the types of the node's.
  std::shared_ptr<const kernels::Kernel> kernel;
  std::vector<std::uint32_t> operands;  // of `kernel`: the node's inputs by number; kNone for null
  std::vector<StaticType> types;        // of the outputs of `nested`, from `stacked` on those of the items of stacks
  std::vector<std::size_t> given;       // Nested::inputs
  std::size_t stacked = 0;
};

// One run of one segment: its stretch of memory, and where its operands lie. The pointers are reused by later runs.
struct Frame {
  ArenaPool::Stretch arena;
  std::byte* base = nullptr;  // of the arena that the pointers lead into
  std::vector<void*> pointers;
  void* scratch = nullptr;
};

class Segment {
 public:
  explicit Segment(std::uint64_t number) : id(number) {}

  const std::uint64_t id;  // of no other segment or graph of the compiled model
  std::vector<Step> steps;
  std::vector<StepInfo> info;  // parallel to steps
  std::vector<SparedNode> spared;
  std::vector<std::shared_ptr<const kernels::Kernel>> kernels;
  std::vector<LateStep> late;

  std::size_t arena_bytes = 0, scratch_bytes = 0;
  std::size_t largest_operand = 0;  // bytes that a step reads; a view may be larger than its memory
  // The frame's pointers: how each is found. Constants and this segment's arena are filled in once for a frame.
  std::vector<Location> pointers;
  // Pointers to fill in for each run: into the run's values or an earlier segment's arena.
  std::vector<std::uint32_t> patches;
  struct Allocation {
    std::uint32_t run_value;
    DataType dtype;
    Shape dims;
    std::uint32_t output = program::kNone;  // of the graph
    // Input of the graph in whose memory it lies if that is donated, else memory of its own.
    std::uint32_t donor = program::kNone;
    // With room along `axis`, in the donor's where `appends`, else of its own.
    std::int64_t axis = -1, capacity = -1;
    bool appends = false;
    bool has_room() const noexcept { return capacity >= 0; }
  };
  std::vector<Allocation> allocations;  // outputs, and strings between nodes
  struct LateValue {
    program::ValueId value;
    std::uint32_t run_value;
  };
  std::vector<LateValue> late_values;   // whose sizes pick the next segment
  std::vector<norn::Tensor> constants;  // contents known from shapes, which steps read

  std::uint32_t run_values = 0;  // of the run's table that are in use
  std::uint32_t waiting = 0;     // nodes that are not planned yet
  std::uint64_t asked = 0;       // inputs of nodes that run reference kernels for want of contents (content_choice.h)
  bool last() const noexcept { return waiting == 0; }

  // For planning the segments behind this one:
  struct Settled {
    program::ValueId value;
    bool late;  // available only behind this segment
    PlannedValue state;
  };
  std::vector<Settled> settled;      // what they read
  std::vector<BoundVariable> bound;  // variables that got their size here

  // Of the last segment: where the graph's outputs are.
  struct Result {
    std::uint32_t run_value = program::kNone;
    bool copied = false;    // the caller's input, or an earlier output's memory too: handed out as a copy
    norn::Tensor constant;  // where run_value is kNone
    StaticType type;        // Undefined if it is not a tensor of known sizes
  };
  std::vector<Result> results;
  // Whether it is the whole plan of a graph whose outputs are tensors of known sizes, and not strings.
  bool is_whole() const noexcept;

  // Bytes that keeping this plan costs. An estimate where kernels are concerned.
  std::size_t bytes() const;

  // Throws norn::Error (LimitExceeded) if there is no memory for it.
  std::unique_ptr<Frame> take_frame(ArenaPool& arenas) const;
  void give_back(std::unique_ptr<Frame> frame, ArenaPool& arenas) const noexcept;

 private:
  static constexpr std::size_t kMaxFrames = 8;
  base::ObjectPool<Frame> frames_;
};

struct PlanOptions {
  bool reference_only = false;
  bool flush_subnormals = true;
  Precision precision{};
  kernels::PackedConstants* packed = nullptr;
  KernelStore* kernels = nullptr;
  std::uint32_t passed_over = 0;  // candidates of each node that are left out although they would take it
  // Elements of a node's largest operand from which on kernels are chosen by contents while running (content_choice.h);
  // 0, for tests: always, and also for contents that have not come before.
  std::int64_t chosen_from = 4096;
};

// Plans the next segment from what `state` knows, and brings `state` behind it. Throws norn::Error: a contradiction of
// shapes, with the node's place, or NotImplemented; `state` is of no use then.
std::shared_ptr<Segment> plan_segment(PlanState& state, std::shared_ptr<Segment> segment, const PlanOptions& options);

}  // namespace norn::runtime
