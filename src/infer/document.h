// Inference of a whole document: what is known of every value of every graph, what contradicts what, and why the rest
// stays unknown. Functions are inferred through at each call, bodies of Loop and Scan to a fixed point.
//
// A document may be wrong anywhere. A fault of a node is kept as a problem, its outputs stay unknown, and the walk
// continues. Undefined names and names that are defined twice are for the checker; here the former are unknown, and for
// the latter the last definition holds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stable_vector.h"
#include "infer/inferrer.h"
#include "ir/model.h"
#include "ir/operator_set.h"
#include "ir/tensor_data.h"
#include "norn/limits.h"

namespace norn::infer {

struct DocumentOptions {
  Evaluator evaluator = nullptr;
  Limits limits;
  std::vector<const ir::OperatorSet*> operator_sets;  // that declare operators beyond the built-in ones
  ir::ExternalReader external;  // how to read small external tensors; without it their contents stay unknown
  // Infer what a node with wrong types would give all the same. Without it the outputs stay unknown, so that one fault
  // shows once.
  bool past_wrong_types = false;
};

struct Problem {
  enum class Kind : std::uint8_t {
    Node,          // `fault` says more
    DeclaredType,  // what the document declares of a value is another type than inference finds
    DeclaredShape,
    Variables,  // sizes that are equal only for some values of the variables, or for none that other nodes leave
  };
  Kind kind = Kind::Node;
  Fault fault = Fault::Meaning;
  std::string where, message, hint;
  const void* part = nullptr;  // the message that has the fault: a node, or what declares a value
  bool of_formal = false;      // what a node feeds an input of its graph does not fit the input's declaration
};

// What inference knows of a document. Names and graphs are the document's, which has to outlive it.
class DocumentFacts {
 public:
  struct Unknown {
    std::string why;
    PlaceId where = kNowhere;  // the node or declaration where it began
  };
  // There are as many as the document has names, and contents are known of few.
  struct Value {
    std::string_view name;
    opset::ValueType type;
    ir::Box<opset::KnownValue> contents;
    const ir::Tensor* unread = nullptr;  // an initializer whose contents have not been asked for yet
    std::uint32_t unknown = 0;           // index into unknowns, if the type or the rank is not known

    opset::Fact fact() const { return {type, contents ? *contents : opset::KnownValue{}}; }
    void set(opset::KnownValue&& known) {
      if (known.known() || known.fractions)
        contents = std::move(known);
      else
        contents.clear();
    }
    void set(opset::Fact&& fact) {
      type = std::move(fact.type);
      set(std::move(fact.value));
    }
  };
  struct Graph {
    const ir::Graph* graph = nullptr;
    PlaceId place = kNowhere;
    std::vector<ValueId> values;  // in the order of definition: inputs, initializers, nodes' outputs
    std::size_t first_made = 0;   // in `values`: the first that a node makes
  };

  std::vector<Graph> graphs;  // the main graph first, then the others in the order of the document
  std::vector<Unknown> unknowns{1};
  std::vector<Problem> problems;
  // How often operators occur that have no inference here, by full name. Those without a known signature are not
  // among them.
  std::map<std::string, std::size_t> without_inference;
  Symbols symbols;

  const Value& value(ValueId id) const noexcept { return values_[id]; }
  // 'graph "main" / node 3 "a" (Add)'
  std::string describe(PlaceId place) const;

  DocumentFacts();
  DocumentFacts(const DocumentFacts&) = delete;
  DocumentFacts& operator=(const DocumentFacts&) = delete;

 private:
  friend class DocumentWalk;
  struct Place {
    enum class Kind : std::uint8_t { Graph, Node, Attribute, Function, Input, Declared } kind;
    PlaceId outer = kNowhere;
    std::size_t index = 0;
    const void* part = nullptr;  // the message that `kind` names
  };
  base::StableVector<Value> values_;  // of all graphs, and of bodies of functions
  std::vector<Place> places_;
  // Owners of places, graphs and names that are not the document's: bodies of operators, and attributes with graphs
  // that a call gave or that were completed.
  std::vector<std::shared_ptr<const ir::Function>> bodies_;
  std::deque<std::vector<ir::Attribute>> attributes_;
};

// Fills `facts`, which has to be new. Throws norn::Error (LimitExceeded) for a document beyond the limits, and what
// reading external data throws.
void infer_document(const ir::Model& model, const DocumentOptions& options, DocumentFacts& facts);

// The outputs of a function for the given inputs and attributes.
std::vector<opset::Fact> infer_function(const ir::Function& function, std::span<const opset::Fact> inputs,
                                        const std::vector<ir::Attribute>& attributes, const DocumentOptions& options,
                                        std::int64_t ir_version, DocumentFacts& facts);

}  // namespace norn::infer
