// The walk behind document.h: names to numbers, graphs, nodes, calls.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_map.h"
#include "infer/attributes.h"
#include "infer/document.h"
#include "infer/inferrer.h"
#include "infer/loop_memory.h"
#include "infer/needs.h"
#include "ir/small_vector.h"

namespace norn::infer {

// The operator's row in that version of its set; null if it is not there yet.
const opset::Schema* schema_in(const opset::Operator& op, std::int64_t version);

class DocumentWalk final : private Facts {
 public:
  DocumentWalk(std::span<const ir::Function> functions, std::int64_t ir_version, const DocumentOptions& options,
               DocumentFacts& out);
  void model(const ir::Model& model);
  std::vector<opset::Fact> function(const ir::Function& function, std::span<const opset::Fact> inputs,
                                    const std::vector<ir::Attribute>& attributes);

 private:
  friend class NodeSurroundings;
  // Names of one graph or function body, on top of those around it.
  struct Scope {
    Scope() = default;
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Scope* outer = nullptr;
    Scope* caller = nullptr;              // of a function body: where the node is that calls it
    const ir::Node* called_by = nullptr;  // that node
    const Imports* imports = nullptr;
    PlaceId place = kNowhere;
    const Call* call = nullptr;
    bool recorded = false;  // whether what is found is kept: not in bodies of functions
    bool standard = false;  // in a body of one of ONNX's operators, which knows none of the model's functions
    base::NameMap ids;
    base::NameMap declared;  // by their index in `infos`
    std::span<const ir::ValueInfo> infos;
    std::vector<ValueId> defined;  // in order
    std::size_t first_made = 0;    // the first of them that a node makes
    const std::vector<ir::Node>* nodes = nullptr;
    std::vector<std::string_view> outputs;
    std::size_t at = 0;          // the node that is being inferred
    std::optional<Needs> needs;  // once asked for
    bool misfed = false;         // an input is fed another type than it declares
  };
  using Held = DocumentFacts::Value;
  using PlaceKind = DocumentFacts::Place::Kind;

  opset::InferContext::Input get(ValueId id) const override;
  void set(ValueId id, opset::InferContext::Output&& found) override;
  Unknown unknown(ValueId id) const override;
  bool stable() const noexcept override { return true; }
  std::string name(ValueId id) const override { return std::string(values_[id].name); }

  // Facts of the graph's outputs. `formals` null: inputs are those of the model.
  std::vector<opset::Fact> graph(const ir::Graph& graph, Scope& scope, const std::span<const opset::Fact>* formals,
                                 PlaceId place);
  void inputs(const ir::Graph& graph, Scope& scope, const std::span<const opset::Fact>* formals, PlaceId place);
  void initializers(const ir::Graph& graph, Scope& scope);
  void initializer(std::string_view name, opset::ValueType&& type, const ir::Tensor* contents, Scope& scope);
  void nodes(const std::vector<ir::Node>& nodes, Scope& scope, PlaceId place);
  void expect(const ir::Node& node, const Scope& scope) const;
  void node(const ir::Node& node, Scope& scope, PlaceId place);
  // What a node's name means where the model's own imports hold.
  struct Bound {
    std::string_view op_type;
    const opset::Operator* op = nullptr;
    const opset::Schema* schema = nullptr;
  };
  const Bound* bound_before(const ir::Node& node, const Scope& scope);
  // `schema` null: it is looked up.
  void infer(const opset::Operator& op, const opset::Schema* schema, const ir::Node& node, Scope& scope, PlaceId place);
  void call(const ir::Node& node, const ir::Function& function, Scope& scope, PlaceId place);
  // What the body computes for the node's outputs.
  std::vector<Held> infer_body(const ir::Node& node, const ir::Function& function, Scope& scope, PlaceId place,
                               bool standard);
  // What follows from the operator's function body, for outputs without a shape.
  void infer_through_body(const NodeView& view, const ir::Node& node, Scope& scope);
  void settle(opset::ValueType& type) const;
  // Adds the graph to those of the document whose facts are reported.
  void record(const ir::Graph& graph, Scope& scope, PlaceId place);
  // Reads the contents of initializers among a node's inputs where they may say something of its outputs.
  void read_contents(std::span<const ValueId> inputs);

  ValueId add(std::string_view name, Scope& scope, opset::Fact fact = {}, std::uint32_t unknown = 0);
  std::optional<ValueId> find(std::string_view name, const Scope& scope) const;
  // Numbers of the node's inputs; what nothing defines is a value of which nothing is known.
  ir::SmallVector<ValueId, 4> inputs_of(const ir::Node& node, const Scope& scope) const;
  // The first name that the node reads of those that the call of the function around leaves out.
  const std::string* left_out_by(const ir::Node& node, const Scope& scope) const;
  void outputs_unknown(const ir::Node& node, Scope& scope, std::uint32_t unknown);
  // Compares what the document declares of a value with what was found, and merges the two. False if they contradict,
  // which is then the last problem.
  bool merge(Held& held, const ir::Type& declared, PlaceId place, std::string_view what);
  // The type of a value after the problem that it contradicts its declaration. Either may be wrong, and conclusions
  // from it would report the same fault again, so that only what both agree on is kept.
  opset::ValueType behind_misfit(const opset::ValueType& type) const;
  // Records that the last problem is an input of the graph whose declared type is not that of what is fed.
  void misfed(Held& held, Scope& scope, PlaceId place);
  void merge_declared(ValueId id, std::string_view name, const Scope& scope);
  bool merge_shape(Held& held, const opset::ValueType& declared, PlaceId place, std::string_view what);
  opset::ValueType declared_type(const ir::Type& type, std::string_view what, PlaceId place);
  std::uint32_t unknown_because(std::string why, PlaceId where);
  // Records sizes that the scope's present node needs to be equal; a contradiction is a problem, and hides nothing.
  void equality(const opset::DimExpr& a, const opset::DimExpr& b, std::string_view what, PlaceId at, Scope& scope);
  static const Needs& needs_of(Scope& scope);
  // Whether outputs of the model need the scope's present node: it does not run otherwise.
  bool runs(Scope& scope);
  void problem(Problem::Kind kind, Fault fault, const Error& error, PlaceId place);
  PlaceId place(PlaceKind kind, PlaceId outer, const void* part, std::size_t index = 0);
  // The place and those around it; the same for a node that is inferred again, through the same calls.
  std::vector<const void*> path_of(PlaceId place) const;
  // "node 3 (Add) gives " for a declaration of what a node of its graph makes, else "it is ".
  std::string given_by(PlaceId declared) const;

  const DocumentOptions& options_;
  DocumentFacts& out_;
  FunctionTable functions_;
  std::int64_t ir_version_;
  base::StableVector<Held>& values_;  // the first is what nothing defines
  Inferrer inferrer_;
  const Imports* main_imports_ = nullptr;
  std::array<Bound, 64> bound_;  // of the default domain, by a few letters: large graphs have few operators
  std::map<std::vector<const void*>, LoopMemory> loops_;  // within the outermost graph that is being inferred
  std::uint64_t nodes_ = 0;
  int depth_ = 0;
};

}  // namespace norn::infer
