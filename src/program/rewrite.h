// What passes share beside the Rewriter, and the passes themselves, one file each.
#pragma once
#include <string>
#include <vector>

#include "program/passes.h"
#include "program/program.h"

namespace norn::program {

// What the graph's outputs need. With `known`, a node whose outputs' contents inference knows is not needed.
struct Needs {
  std::vector<bool> nodes, values;
};
Needs find_needs(const Graph& graph, bool known = false);

// For messages: Conv "c1"
std::string describe_node(const Node& node);

// True if the value is a constant (not state).
inline bool is_const(const Graph& graph, ValueId id) { return id != kNone && graph.value(id).is_constant(); }

inline bool is_const_f32(const Graph& graph, ValueId id) {
  return is_const(graph, id) && graph.value(id).constant.dtype() == DataType::Float;
}

// A constant without readers gives up its memory.
inline void release(Value& constant) {
  constant.constant = {};
  constant.known = {};
}

void fold_constants(Program&, const ComputeNode&);
// These look at one graph at a time.
void fuse_qdq(Program&, Graph&);
void fuse_quantized(Program&, Graph&);
void drop_identities(Program&, Graph&);
void recognize_activations(Program&, Graph&);
void recognize_norms(Program&, Graph&);
void recognize_attention(Program&, Graph&);
void widen_half(Program&, Graph&);
void merge_duplicates(Program&, Graph&);
void turn_conv_transposes(Program&, Graph&);
void fuse_pads(Program&, Graph&);
void fuse_conv_bn(Program&, Graph&);
void merge_convs(Program&, Graph&);
void fuse_stored_weights(Program&, Graph&);
void fuse_attention(Program&, Graph&);
void fuse_group_norms(Program&, Graph&);
void fuse_integer_folds(Program&, Graph&);
void fuse_elementwise(Program&, Graph&);
void fuse_separable(Program&, Graph&);
void gather_stored(Program&, Graph&);
void drop_dead(Program&, Graph&);

}  // namespace norn::program
