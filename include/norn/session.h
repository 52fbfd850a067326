// Running a model.
//
//   norn::Session session(norn::Model::load("digits_cnn.onnx"));
//   norn::Tensor image(norn::DataType::Float, {1, 1, 8, 8});
//   auto outputs = session.run({{"image", image}});
//
// A Session is immutable after construction: run() is const and may be called from any number of threads at once.
// Results are the same bits whatever the number of threads.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "norn/explain.h"
#include "norn/export.h"
#include "norn/model.h"
#include "norn/opset.h"
#include "norn/profile.h"
#include "norn/value.h"

namespace norn {

// What factors of products of float may be rounded to, where the CPU multiplies that faster. Sums are in float in any
// case, and so is all other work. A product that the CPU or the kernel does not know so is computed in float, and
// Session::explain says why.
enum class Precision : std::uint8_t {
  Model,     // what the model allows: Int8 for MatMulNBits with accuracy_level 4, nothing for all others
  Float32,   // nothing
  BFloat16,  // products with constant matrices, convolutions with constant weights: both factors to bfloat16, of 8
             // bits of precision
  Int8,      // products with matrices stored in 2 or 4 bits: the other factor to 8 bits, with a scale for each 32
             // elements of a row
};
NORN_API std::string_view precision_name(Precision precision);  // "model", "float32", "bfloat16", "int8"
// Throws norn::Error (InvalidArgument) for another name.
NORN_API Precision precision_from_name(std::string_view name);

struct SessionOptions {
  // Threads that one run may use, the calling thread included; 0 is every core this process may use (affinity and
  // cgroup quota). Sessions share one pool of threads.
  int intra_op_num_threads = 0;
  // Passes to leave out, by name ("fuse_conv_bn"); "all" leaves out every optional one. Unknown names are an error.
  std::vector<std::string> disabled_passes;
  // Choose reference kernels only: slow, and simple enough to be compared with.
  bool reference_only = false;
  // Documents that declare operators beyond the built-in ones; those that bring a body run.
  std::vector<OperatorSet> operator_sets;
  Limits limits;
  // Bytes that plans for shapes that came by may take; the least recently used ones go first. A plan that is in use,
  // and the one made last, stay whatever they take. Where the model has to be lowered again for shapes, what it becomes
  // has as many bytes once more, and the last few stay.
  std::size_t max_plan_bytes = std::size_t{128} << 20;
  Precision precision = Precision::Model;
  // Fast kernels of matrix products, convolutions, attention and recurrent layers whose factors are floating-point, and
  // what is fused behind them, take elements that are closer to 0 than the smallest normal number of the type they
  // compute in (1.2e-38 for float) as 0, and give 0 in their place: CPUs take up to a hundred times as long over them.
  // False: they are computed as all others are.
  bool flush_subnormals = true;
  // Where weights are kept as kernels want them, for sessions of other processes with the same weights, which read the
  // files instead of packing again; "" is nowhere. The folder is made if there is none, its parent is not. It grows
  // with every model, kind of CPU and build of Norn: any file in it may be removed at any time. Users who may write
  // there can change what models answer. Files that this process may not write or read are left out, and the whole
  // folder where it has no secret of its own yet; Session::profile reports that (RunProfile::packed_weights).
  std::string packed_weights_folder;
  // Check the lowered program by its own rules, and again after each pass; what breaks one is an Internal error.
  // For tests of Norn and reports of faults: it costs about as much as loading.
  bool verify_passes = false;
};

// One dimension of a declared shape: a number, a variable's name, or unknown (value < 0 and no name).
struct DimInfo {
  std::int64_t value = -1;
  std::string name;
};

// An input or output as the model declares it.
struct ArgInfo {
  std::string name;
  std::string type;  // "tensor(float)", "seq(tensor(int64))"
  bool has_shape = false;
  std::vector<DimInfo> shape;
};

// What the model says about itself.
struct ModelMetadata {
  std::string producer_name, producer_version, graph_name, domain;
  std::string description, graph_description;                        // the doc_strings of the model and of its graph
  std::int64_t version = 0;                                          // model_version
  std::vector<std::pair<std::string, std::string>> custom_metadata;  // metadata_props
};

struct Feed {
  std::string_view name;
  Value value;
};

// Memory for an output.
struct Placement {
  std::string_view output;  // the model's name for it
  Tensor tensor;            // of the element type and the shape that the output will have
};

// Of one run. A run that is ended throws norn::Error (Cancelled), and everything is as if it had not begun. It looks
// for reasons to end between steps, at each turn of a loop, and between the pieces that large steps are cut into.
struct RunOptions {
  const std::atomic<bool>* terminate = nullptr;                   // ends the run once it is true; has to outlive it
  std::optional<std::chrono::steady_clock::time_point> deadline;  // ends the run from then on
  // Asked on the calling thread, at most every 10 ms: true ends the run.
  std::function<bool()> interrupted;
  // Outputs that are written into the caller's memory, and returned as these tensors; of a run that throws, what lies
  // there is anything. Places must not overlap each other or constants of the model. One that overlaps an input is
  // allowed, and costs a copy, as does one of an output that needs no step of its own.
  std::vector<Placement> placements;
  // Inputs whose memory is given up, by name: the run may write to it, and an output may lie in it afterwards. Whatever
  // else shares that memory must not be used any more, and what lies there after a run that throws is anything. Memory
  // that another input or a placement overlaps is left alone. A cache that the graph appends to by Concat gets room to
  // grow (norn/spaced.h): donated to the next run, it is not copied, and what is new is written behind it.
  std::vector<std::string> donated;
};

class NORN_API Session {
 public:
  // Lowers, optimises and prepares the model. Throws norn::Error, with the place in the model.
  explicit Session(const Model& model, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Inputs that must be fed, then outputs, in the model's order.
  const std::vector<ArgInfo>& inputs() const noexcept;
  const std::vector<ArgInfo>& outputs() const noexcept;
  // Inputs that have a default (an initializer of the same name).
  const std::vector<ArgInfo>& overridable_initializers() const noexcept;

  // Computes `outputs` (all of them if empty), in that order. Feeds are used in place, without a copy, and are
  // compared with the declared types and shapes: a dimension variable has one value in a run. Throws norn::Error.
  std::vector<Value> run(std::span<const Feed> feeds, std::span<const std::string> outputs = {},
                         const RunOptions& options = {}) const;
  std::vector<Value> run(std::initializer_list<Feed> feeds) const {
    return run(std::span<const Feed>(feeds.begin(), feeds.size()));
  }

  // Every value that a node of the model's graph computes, with its name, in the order of the nodes, and behind them
  // outputs that no node computes. Values that passes would merge or leave out are computed for this, by plans of
  // their own that the first call makes: an output may differ from what run() gives by rounding.
  std::vector<std::pair<std::string, Value>> run_all(std::span<const Feed> feeds, const RunOptions& options = {}) const;

  ModelMetadata metadata() const;

  // What runs each node, why nothing faster does, and which passes nearly changed it, for the shapes of these feeds:
  // to_string() is what `norn explain` prints. Dimension variables that no feed gives count as `default_dim`. `donated`
  // is as RunOptions has it.
  Explanation explain(std::span<const Feed> feeds = {}, std::int64_t default_dim = 1,
                      std::span<const std::string> donated = {}) const;
  // Runs the model some times and says where the time goes, of loading too. `options` end the runs as they end run().
  RunProfile profile(std::span<const Feed> feeds, const ProfileOptions& profile_options = {},
                     const RunOptions& options = {}) const;
  // The lowered program after passes, as ONNX text.
  std::string program_text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Names of the optional passes, in the order they run.
NORN_API std::vector<std::string> pass_names();

}  // namespace norn
