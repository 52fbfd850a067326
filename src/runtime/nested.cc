#include "runtime/nested.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "ops/controlflow/if/if.h"
#include "runtime/arena.h"
#include "runtime/nested_request.h"
#include "runtime/run_errors.h"
#include "runtime/walk.h"

namespace norn::runtime {

using program::kNone;

// --- Body ---

Body::Body(std::shared_ptr<const Segment> segment, const program::Graph& graph)
    : segment_(std::move(segment)), graph_(graph), first_use_(segment_->run_values + 1, 0) {
  const std::vector<Location>& pointers = segment_->pointers;
  for (const Location& where : pointers)
    if (where.kind == Location::Kind::Run) ++first_use_[where.index + 1];
  for (std::size_t i = 1; i < first_use_.size(); ++i) first_use_[i] += first_use_[i - 1];
  uses_.resize(first_use_.back());
  std::vector<std::uint32_t> at(first_use_.begin(), first_use_.end() - 1);
  for (std::uint32_t p = 0; p < pointers.size(); ++p)
    if (pointers[p].kind == Location::Kind::Run) uses_[at[pointers[p].index]++] = {p, pointers[p].offset};
  for (const Segment::Result& result : segment_->results)
    result_bytes_.push_back(static_cast<std::size_t>(tensor_bytes(result.type.dtype, result.type.dims).value_or(0)));
  scratch_at_ =
      static_cast<std::size_t>(base::checked_round_up(std::uint64_t{segment_->arena_bytes}, kArenaAlign).value_or(0));
}

std::size_t Body::table_bytes() const noexcept {
  return (segment_->pointers.size() + segment_->run_values) * sizeof(void*);
}

std::optional<std::size_t> Body::work_bytes() const noexcept {
  if (scratch_at_ < segment_->arena_bytes) return {};
  return base::checked_add(std::uint64_t{scratch_at_}, std::uint64_t{segment_->scratch_bytes});
}

Body::Table Body::begin(std::byte* at, std::byte* work) const {
  const std::vector<Location>& pointers = segment_->pointers;
  Table table{reinterpret_cast<void**>(at), reinterpret_cast<void**>(at) + pointers.size()};
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const Location& where = pointers[i];
    std::byte* base = nullptr;
    if (where.kind == Location::Kind::Constant)
      base = static_cast<std::byte*>(const_cast<void*>(where.constant)) + where.offset;
    else if (where.kind == Location::Kind::Arena)
      base = work + where.offset;
    table.pointers[i] = base;
  }
  std::fill_n(table.values, segment_->run_values, nullptr);
  return table;
}

void Body::run(const Table& table, std::byte* work, const RunContext& context) const {
  const RunContext inside{context.stop, context.watch, true};
  walk(*segment_, graph_, table.pointers, work + scratch_at_, inside, [](const Step&) {});
}

void Body::copy_output(const Table& table, std::size_t output, void* memory) const {
  const Segment::Result& result = segment_->results[output];
  if (is_written(output) || result_bytes_[output] == 0) return;
  const void* from = result.run_value == kNone ? result.constant.data() : table.values[result.run_value];
  std::memcpy(memory, from, result_bytes_[output]);
}

std::size_t Body::bytes() const noexcept {
  return sizeof(Body) + segment_->bytes() + uses_.capacity() * sizeof(Use) +
         first_use_.capacity() * sizeof(std::uint32_t) + result_bytes_.capacity() * sizeof(std::size_t);
}

// --- What nodes are made of ---

const norn::Tensor* NestRequest::known(std::size_t input) const {
  const program::ValueId id = node.input(input);
  if (id == kNone) return nullptr;
  const program::Value& value = state.graph.value(id);
  if (value.is_constant()) return &value.constant;
  const norn::Tensor& known = state.values[id].known.constant;
  return known.defined() ? &known : nullptr;
}

std::size_t NestRequest::capture_operand(std::size_t subgraph) const {
  std::size_t at = node.inputs.size();
  for (std::size_t k = 0; k < subgraph; ++k) at += node.subgraphs[k].graph->captures.size();
  return at;
}

std::shared_ptr<const Segment> NestRequest::body(std::size_t subgraph, std::span<const StaticType> formals) const {
  const program::Graph& graph = *node.subgraphs[subgraph].graph;
  if (graph.inputs.size() != formals.size()) return nullptr;
  std::vector<Value> inputs;
  std::vector<opset::KnownValue> known;
  bool any_known = false;
  for (const StaticType& formal : formals) inputs.push_back(Tensor::borrow(formal.dtype, formal.dims, nullptr));
  known.resize(inputs.size());
  for (const program::Graph::Capture& c : graph.captures) {
    const PlanState::ValueState& outer = state.values[c.outer];
    inputs.push_back(Tensor::borrow(outer.type.elem, outer.dims, nullptr));
    known.push_back({outer.known.constant, {}});
    any_known = any_known || outer.known.constant.defined();
  }
  if (!any_known) known.clear();
  std::shared_ptr<const Segment> made = state.bodies->plan_body(index, subgraph, inputs, known);
  if (!made) return nullptr;
  if (!any_known) planned.push_back({subgraph, std::move(inputs), made});
  return made->is_whole() ? made : nullptr;
}

std::size_t ScratchLayout::add(std::uint64_t bytes) {
  const std::size_t at = total_;
  const auto padded = base::checked_round_up(bytes, kArenaAlign);
  const auto end = padded ? base::checked_add(std::uint64_t{total_}, *padded) : std::nullopt;
  fits_ = fits_ && end && *end <= std::uint64_t{INT64_MAX};
  if (fits_) total_ = static_cast<std::size_t>(*end);
  return at;
}

opset::Fact fact_of(const StaticType& type) {
  return {opset::ValueType::tensor(type.dtype, opset::Dims(type.dims.begin(), type.dims.end())), {}};
}

std::shared_ptr<const Nested> nest(const PlanState& state, const program::Node& node, std::uint32_t index) {
  if (!state.bodies) return nullptr;
  bool tensors = true;
  program::for_each_use(node, [&](program::ValueId id) {
    const opset::ValueType& type = state.values[id].type;
    tensors = tensors && type.is_tensor() && type.is_static() && tensor_bytes(type.elem, state.values[id].dims);
  });
  if (!tensors) return nullptr;
  std::vector<NestRequest::Planned> planned;
  const NestRequest request{state, node, index, planned};
  std::shared_ptr<const Nested> nested;
  try {
    switch (node.op->control_flow) {
      case opset::ControlFlow::If: nested = nest_if(request); break;
      case opset::ControlFlow::Loop: nested = nest_loop(request); break;
      case opset::ControlFlow::Scan: nested = nest_scan(request); break;
      default: break;
    }
  } catch (const Error& e) {
    if (ends_run(e)) throw;
    // A body that contradicts the sizes at hand is an error when it is run.
  }
  if (!nested)
    for (NestRequest::Planned& p : planned) state.bodies->keep_body(index, p.subgraph, p.inputs, std::move(p.plan));
  return nested;
}

// --- If ---

namespace {

// Operations of the branches, and of graphs in them, up to which both are planned although one of them runs: larger
// ones take long to plan, and what a late step costs is nothing beside what they compute.
constexpr std::size_t kMostBranchOperations = 256;

std::size_t count_operations(const program::Node& node) {
  std::size_t count = 0;
  for (const program::Subgraph& sub : node.subgraphs)
    program::for_each_graph(*sub.graph, [&](const program::Graph& graph) {
      for (const program::Node& inner : graph.nodes) count += 1 + inner.parts.size();
    });
  return count;
}

class NestedIf final : public NestedStep {
 public:
  struct Branch {
    std::unique_ptr<const Body> body;
    std::size_t first_capture = 0, captures = 0;  // operands
    // In scratch memory:
    std::size_t table = 0, work = 0;
    std::vector<std::pair<std::size_t, std::size_t>> unwanted;  // outputs, which need memory all the same, and where
  };
  // `branches`: for true, then for false; one that cannot be taken has no body.
  NestedIf(Branch yes, Branch no, std::size_t first_output, std::size_t outputs)
      : branches_{std::move(no), std::move(yes)}, first_output_(first_output), outputs_(outputs) {
    for (Branch& branch : branches_) {
      if (!branch.body) continue;
      ScratchLayout layout;
      branch.table = layout.add(branch.body->table_bytes());
      branch.work = layout.add(branch.body->work_bytes().value_or(UINT64_MAX));
      for (auto& [output, at] : branch.unwanted) at = layout.add(branch.body->output_bytes(output));
      bytes_ += branch.body->bytes();
      fits_ = fits_ && layout.total();
      scratch_bytes_ = std::max(scratch_bytes_, layout.total().value_or(0));
    }
  }
  bool fits() const noexcept { return fits_; }

  std::int64_t run_nested(void* const* operands, void* scratch, const RunContext& context, Stacks*) const override {
    const bool condition = branches_[0].body && branches_[1].body ? *static_cast<const std::uint8_t*>(operands[0]) != 0
                                                                  : branches_[1].body != nullptr;
    const Branch& branch = branches_[condition];
    const Body& body = *branch.body;
    if (context.stop && body.segment().steps.empty()) [[unlikely]]
      context.stop->check();
    auto* const at = static_cast<std::byte*>(scratch);
    std::byte* const work = at + branch.work;
    const Body::Table table = body.begin(at + branch.table, work);
    for (std::size_t c = 0; c < branch.captures; ++c)
      body.point(table, static_cast<std::uint32_t>(c), operands[branch.first_capture + c]);
    for (std::size_t o = 0; o < outputs_; ++o) body.point_output(table, o, operands[first_output_ + o]);
    for (const auto& [output, place] : branch.unwanted) body.point_output(table, output, at + place);
    body.run(table, work, context);
    for (std::size_t o = 0; o < outputs_; ++o)
      if (operands[first_output_ + o]) body.copy_output(table, o, operands[first_output_ + o]);
    return 1;
  }
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::size_t bytes() const noexcept override { return sizeof(*this) + bytes_; }

 private:
  Branch branches_[2];  // by the condition
  std::size_t first_output_, outputs_;
  std::size_t scratch_bytes_ = 0, bytes_ = 0;
  bool fits_ = true;
};

}  // namespace

std::shared_ptr<const Nested> nest_if(const NestRequest& request) {
  const program::Node& node = request.node;
  if (node.inputs.size() != 1 || !request.given(0) || !request.is_scalar(0) || request.dtype(0) != DataType::Bool)
    return nullptr;
  const norn::Tensor* known = request.known(0);
  if (!known && count_operations(node) > kMostBranchOperations) return nullptr;
  auto nested = std::make_shared<Nested>();
  nested->bodies.resize(node.subgraphs.size());
  NestedIf::Branch branches[2];
  const std::shared_ptr<const Segment>* like = nullptr;
  for (std::size_t k = 0; k < node.subgraphs.size(); ++k) {
    const bool yes = node.subgraphs[k].attribute == ops::kThenBranch;
    if (!yes && node.subgraphs[k].attribute != ops::kElseBranch) return nullptr;
    if (known && (*known->as<std::uint8_t>() != 0) != yes) continue;
    if (branches[yes].body) return nullptr;
    std::shared_ptr<const Segment> segment = request.body(k, {});
    if (!segment || segment->results.size() < node.outputs.size()) return nullptr;
    for (std::size_t o = 0; like && o < node.outputs.size(); ++o)
      if (request.wanted(o) && segment->results[o].type != (*like)->results[o].type) return nullptr;
    const program::Graph& graph = *node.subgraphs[k].graph;
    NestedIf::Branch& branch = branches[yes];
    branch.body = std::make_unique<const Body>(segment, graph);
    branch.first_capture = request.capture_operand(k);
    branch.captures = graph.captures.size();
    for (std::size_t o = 0; o < segment->results.size(); ++o)
      if (!request.wanted(o)) branch.unwanted.push_back({o, 0});
    nested->bodies[k] = std::move(segment);
    like = &nested->bodies[k];
  }
  if (!like || (!known && (!branches[0].body || !branches[1].body))) return nullptr;
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    const Segment::Result& result = (*like)->results[o];
    nested->outputs.push_back(fact_of(result.type));
    if (known && result.run_value == kNone) nested->outputs.back().value.constant = result.constant;
  }
  auto step = std::make_shared<NestedIf>(std::move(branches[1]), std::move(branches[0]), request.output_operand(),
                                         node.outputs.size());
  if (!step->fits()) return nullptr;
  nested->step = std::move(step);
  return nested;
}

}  // namespace norn::runtime
