// Types and shapes of a whole model, without running it.
//
//   norn::Inference found;
//   norn::Model typed = norn::infer_shapes(norn::Model::load("model.onnx"), {}, &found);
//   std::cout << found.to_string(true);
//
// Sizes are expressions over the model's dimension variables: "N", "2*seq + 1". What cannot be known before running has
// a reason and the place where it began. Functions are inferred through at each call, bodies of loops until what holds
// for one iteration holds for all. Thread-safe: functions here keep no state.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/limits.h"
#include "norn/model.h"
#include "norn/opset.h"

namespace norn {

struct InferOptions {
  // Throw for the first problem instead of going on without what it hides.
  bool strict = false;
  // Types that a node's operator does not take are a problem as well, and hide what it gives.
  bool check_types = true;
  // Write expressions as names of dimensions: "2*seq + 1". Without it they get names as sizes do that are known
  // only when the model runs: "unk__0", the same name for the same expression.
  bool symbolic = false;
  // Documents that declare operators beyond the built-in ones; those with a body are inferred through.
  std::vector<OperatorSet> operator_sets;
  Limits limits;
};

// What inference found, and what it did not.
struct NORN_API Inference {
  struct Unknown {
    std::string graph;  // 'graph "main"'
    std::string value;
    int dimension = -1;  // that is not known; -1 for the rank, -2 for the type
    std::string why;     // "NonZero determines this size only when it runs"
    std::string where;   // the node, or the declaration, where it began
  };
  struct Problem {
    std::string where, message, hint;
  };
  std::string path;  // of the model; "" if it did not come from a file
  // Of all values of the main graph and of graphs in it: how many have a type, a shape, sizes that are all numbers or
  // expressions over the model's variables, sizes that are all numbers.
  std::size_t values = 0, typed = 0, shaped = 0, symbolic = 0, fixed = 0;
  std::vector<Unknown> unknown;
  std::vector<Problem> problems;
  // Operators whose shapes are not inferred yet, with how often they occur; most frequent first.
  std::vector<std::pair<std::string, std::size_t>> without_inference;

  std::string to_string(bool why = false) const;  // lines for a terminal; with `why` every unknown
  std::string to_json() const;
};

// The model with what inference finds: `value_info` for every value that a node makes, sizes of outputs and of
// value_info that the model leaves open. What the model declares stays unless inference knows a number. `found`, if not
// null, gets what is there to say. Throws norn::Error: with options.strict InvalidGraph for the first problem,
// LimitExceeded, and Io for external data.
NORN_API Model infer_shapes(const Model& model, const InferOptions& options = {}, Inference* found = nullptr);
// As above; a document with no other holder is not copied.
NORN_API Model infer_shapes(Model&& model, const InferOptions& options = {}, Inference* found = nullptr);
// As above, from file to file, saved as Model::save() does; "" for `output` is the model's own path.
NORN_API void infer_shapes_path(const std::string& model, const std::string& output, const InferOptions& options = {},
                                Inference* found = nullptr);

// A name and a serialised message: TypeProto or TensorProto.
using NamedMessage = std::pair<std::string, std::vector<std::byte>>;
// Types of a node's outputs, by name, as TypeProtos; those that are not known are left out. `node` is a serialised
// NodeProto, `types` and `tensors` are of its inputs by name, `imports` pairs of domain and version. Throws norn::Error
// (InvalidGraph) where the node cannot be.
NORN_API std::vector<NamedMessage> infer_node_outputs(std::span<const std::byte> node,
                                                      const std::vector<NamedMessage>& types,
                                                      const std::vector<NamedMessage>& tensors,
                                                      const std::vector<std::pair<std::string, std::int64_t>>& imports,
                                                      std::int64_t ir_version, const InferOptions& options = {});
// Types of a function's outputs, in order, as TypeProtos; empty bytes for those that are not known. `function` is a
// serialised FunctionProto, `types` TypeProtos of its inputs, `attributes` AttributeProtos of the call.
NORN_API std::vector<std::vector<std::byte>> infer_function_outputs(
    std::span<const std::byte> function, const std::vector<std::vector<std::byte>>& types,
    const std::vector<std::vector<std::byte>>& attributes, std::int64_t ir_version, const InferOptions& options = {});

}  // namespace norn
