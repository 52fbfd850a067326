// Loop and Scan as steps. Both hand values from round to round; what a Scan reads and what both lay side by side lies
// in the memory of the graph around them.
//
// Two tables of pointers take turns, one for even and one for odd rounds, so that a carried value changes places
// without a store: an even round reads what the odd one before it wrote. Of its two buffers one is the node's output,
// so chosen that the last round of those that are announced writes it.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "norn/error.h"
#include "ops/controlflow/scan/scan.h"
#include "runtime/arena.h"
#include "runtime/control_flow.h"
#include "runtime/failed_round.h"
#include "runtime/nested_request.h"

namespace norn::runtime {
namespace {

using program::kNone;

constexpr std::size_t kNoOperand = static_cast<std::size_t>(-1);

// A value that a round hands to the next one: formal `formal`, and the body's output `result`.
struct Carried {
  std::uint32_t formal;
  std::size_t result, bytes;
  std::size_t input = kNoOperand, output = kNoOperand;
  bool fixed = false;              // the body gives back what it is given
  std::size_t spare = 0, own = 0;  // buffers in scratch memory; `own` where the output is not wanted
};

// What positions along an axis of a tensor are: `outer` pieces of `bytes` bytes, `length` times as far apart.
struct Positions {
  std::size_t outer = 1, bytes = 0, length = 0;
  bool backwards = false;
  std::size_t at(std::size_t k) const { return (backwards ? length - 1 - k : k) * bytes; }
};

struct Scanned {
  std::uint32_t formal;
  std::size_t operand;
  Positions positions;
  std::size_t buffer = 0;  // where positions do not lie in one piece
};

struct Laid {
  std::size_t result, operand;
  Positions positions;
  bool grows = false;      // `length` is not known
  std::size_t buffer = 0;  // where positions do not lie in one piece, or the output is not wanted
};

class NestedRounds final : public NestedStep {
 public:
  NestedRounds(std::shared_ptr<const Segment> segment, const program::Graph& graph) : body(std::move(segment), graph) {}

  const Body body;
  const char* round = "iteration ";
  std::vector<Carried> carried;
  std::vector<Scanned> scanned;
  std::vector<Laid> laid;
  std::size_t first_capture = 0, captures = 0;  // operands
  std::uint32_t first_captured = 0;             // value of the body's run
  std::int64_t length = -1;                     // of a Scan
  // Of a Loop: operands, and its first formal.
  std::size_t trips = kNoOperand, condition = kNoOperand;
  bool loop() const noexcept { return length < 0; }

  // Once the rest is set; false if the memory is more than can be counted.
  bool settle_memory();

  std::int64_t run_nested(void* const* operands, void* scratch, const RunContext& context,
                          Stacks* stacks) const override;
  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::size_t bytes() const noexcept override {
    return sizeof(*this) + body.bytes() + carried.capacity() * sizeof(Carried) + scanned.capacity() * sizeof(Scanned) +
           laid.capacity() * sizeof(Laid);
  }

 private:
  struct Round;
  void begin_round(Round& round, std::int64_t k) const;
  void end_round(Round& round, std::int64_t k) const;
  static std::byte* operand(void* const* operands, std::size_t index) {
    return index == kNoOperand ? nullptr : static_cast<std::byte*>(operands[index]);
  }

  std::size_t tables_[2] = {}, work_ = 0, number_ = 0, stacks_ = 0;  // in scratch memory
  std::size_t scratch_bytes_ = 0;
};

bool NestedRounds::settle_memory() {
  ScratchLayout layout;
  for (std::size_t& table : tables_) table = layout.add(body.table_bytes());
  work_ = layout.add(body.work_bytes().value_or(UINT64_MAX));
  number_ = layout.add(sizeof(std::int64_t));
  stacks_ = layout.add(laid.size() * sizeof(std::byte*));
  for (Carried& c : carried) {
    if (c.fixed) continue;
    c.spare = layout.add(c.bytes);
    if (c.output == kNoOperand) c.own = layout.add(c.bytes);
  }
  for (Scanned& s : scanned)
    if (s.positions.outer != 1) s.buffer = layout.add(s.positions.outer * s.positions.bytes);
  for (Laid& l : laid)
    if (l.positions.outer != 1 || (l.operand == kNoOperand && !l.grows))
      l.buffer = layout.add(l.positions.outer * l.positions.bytes);
  scratch_bytes_ = layout.total().value_or(0);
  return layout.total().has_value();
}

// What a run keeps at hand.
struct NestedRounds::Round {
  void* const* operands;
  std::byte* scratch;
  Stacks* stacks;
  Body::Table tables[2];
  std::size_t last_parity;    // of the round whose results are the node's outputs
  std::byte** lying;          // where the scan outputs lie
  std::int64_t capacity = 0;  // of those that grow
  std::byte* buffer(const Carried& c, std::size_t parity) const {
    if (parity != last_parity) return scratch + c.spare;
    return c.output == kNoOperand ? scratch + c.own : static_cast<std::byte*>(operands[c.output]);
  }
  std::byte* target(const Laid& l, std::size_t index, std::int64_t k) const {
    return l.buffer ? scratch + l.buffer : lying[index] + l.positions.at(static_cast<std::size_t>(k));
  }
};

void NestedRounds::begin_round(Round& round, std::int64_t k) const {
  const auto parity = static_cast<std::size_t>(k & 1);
  const Body::Table& table = round.tables[parity];
  if (k <= 2)
    for (const Carried& c : carried) {
      if (c.fixed) continue;
      body.point(table, c.formal,
                 k > 0                   ? round.buffer(c, 1 - parity)
                 : c.input == kNoOperand ? round.buffer(c, 1)
                                         : operand(round.operands, c.input));
      if (k < 2) body.point_output(table, c.result, round.buffer(c, parity));
    }
  for (const Scanned& s : scanned) {
    const Positions& p = s.positions;
    std::byte* from = operand(round.operands, s.operand) + p.at(static_cast<std::size_t>(k));
    if (p.outer != 1) {
      std::byte* const to = round.scratch + s.buffer;
      for (std::size_t o = 0; o < p.outer; ++o) std::memcpy(to + o * p.bytes, from + o * p.length * p.bytes, p.bytes);
      from = to;
    }
    body.point(table, s.formal, from);
  }
  if (laid.empty()) return;
  if (k == round.capacity && round.stacks) {
    round.capacity = k == 0 ? 4 : k * 2;
    for (std::size_t i = 0; i < laid.size(); ++i)
      if (laid[i].grows) round.lying[i] = round.stacks->grow(i, k, round.capacity);
  }
  for (std::size_t i = 0; i < laid.size(); ++i) body.point_output(table, laid[i].result, round.target(laid[i], i, k));
}

void NestedRounds::end_round(Round& round, std::int64_t k) const {
  const auto parity = static_cast<std::size_t>(k & 1);
  const Body::Table& table = round.tables[parity];
  for (const Carried& c : carried)
    if (!c.fixed && !body.is_written(c.result)) body.copy_output(table, c.result, round.buffer(c, parity));
  for (std::size_t i = 0; i < laid.size(); ++i) {
    const Laid& l = laid[i];
    const Positions& p = l.positions;
    if (!body.is_written(l.result)) body.copy_output(table, l.result, round.target(l, i, k));
    if (p.outer == 1 || l.operand == kNoOperand) continue;
    std::byte* const to = round.lying[i] + p.at(static_cast<std::size_t>(k));
    for (std::size_t o = 0; o < p.outer; ++o)
      std::memcpy(to + o * p.length * p.bytes, round.scratch + l.buffer + o * p.bytes, p.bytes);
  }
}

std::int64_t NestedRounds::run_nested(void* const* operands, void* scratch_memory, const RunContext& context,
                                      Stacks* stacks) const {
  auto* const scratch = static_cast<std::byte*>(scratch_memory);
  std::int64_t most = length;
  bool go = true;
  if (loop()) {
    most = trips == kNoOperand ? INT64_MAX : *static_cast<const std::int64_t*>(operands[trips]);
    go = condition == kNoOperand || *static_cast<const std::uint8_t*>(operands[condition]) != 0;
  }
  Round state{operands,
              scratch,
              stacks,
              {},
              static_cast<std::size_t>(most & 1) ^ 1,
              reinterpret_cast<std::byte**>(scratch + stacks_)};
  std::byte* const work = scratch + work_;
  for (std::size_t i = 0; i < laid.size(); ++i) state.lying[i] = operand(operands, laid[i].operand);
  for (std::size_t parity : {0u, 1u}) {
    const Body::Table& table = state.tables[parity] = body.begin(scratch + tables_[parity], work);
    for (std::size_t c = 0; c < captures; ++c)
      body.point(table, first_captured + static_cast<std::uint32_t>(c), operands[first_capture + c]);
    for (const Carried& c : carried)
      if (c.fixed) body.point(table, c.formal, c.input == kNoOperand ? scratch + number_ + 8 : operands[c.input]);
    if (loop()) body.point(table, 0, scratch + number_);
  }
  // Carried number 0 of a Loop is the condition.
  const bool asks = loop() && !carried[0].fixed;
  if (loop()) {
    if (asks)
      *state.buffer(carried[0], 1) = std::byte{go};
    else
      scratch[number_ + 8] = std::byte{go};
  }
  std::int64_t k = 0;
  try {
    for (; go && k < most; ++k) {
      if (loop()) std::memcpy(scratch + number_, &k, sizeof k);
      begin_round(state, k);
      if (context.stop && body.segment().steps.empty()) [[unlikely]]
        context.stop->check();
      body.run(state.tables[k & 1], work, context);
      end_round(state, k);
      if (asks) go = *state.buffer(carried[0], static_cast<std::size_t>(k & 1)) != std::byte{0};
    }
  } catch (Error& e) {
    e.within(round + std::to_string(k));
    if (loop()) throw FailedRound(std::move(e), k);
    throw std::move(e);
  }
  for (const Carried& c : carried) {
    if (c.output == kNoOperand || c.bytes == 0) continue;
    const std::byte* const from =
        k == 0 ? operand(operands, c.input) : state.buffer(c, static_cast<std::size_t>((k - 1) & 1));
    if (from != operands[c.output]) std::memcpy(operands[c.output], from, c.bytes);
  }
  return k;
}

std::size_t product(const Shape& dims, std::size_t first, std::size_t last) {
  std::size_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= static_cast<std::size_t>(dims[d]);
  return n;
}

// Along the axis, of a tensor with these dimensions, whose elements can be counted.
Positions positions(DataType type, const Shape& dims, std::size_t axis, bool backwards) {
  const std::size_t inner = product(dims, axis + 1, dims.size()) * element_size(type);
  return {product(dims, 0, axis), inner, static_cast<std::size_t>(dims[axis]), backwards};
}

StaticType type_of_input(const NestRequest& request, std::size_t input) {
  return {request.dtype(input), request.dims(input)};
}

// Formal `formal` is carried as the body's output `result`; false if that has another type.
bool carry(const NestRequest& request, NestedRounds& step, std::uint32_t formal, std::size_t result,
           const StaticType& type, std::size_t input, std::size_t output) {
  const Segment& body = step.body.segment();
  if (body.results[result].type != type || type.dtype == DataType::String) return false;
  Carried c{formal, result, step.body.output_bytes(result)};
  c.input = input;
  if (output != kNoOperand && request.wanted(output)) c.output = request.output_operand() + output;
  c.fixed = body.results[result].run_value == formal;
  if (c.fixed) c.output = kNoOperand;  // the node's input
  step.carried.push_back(c);
  return true;
}

void take_output(Nested& nested, const StaticType& type, const Carried& from) {
  nested.outputs.push_back(fact_of(type));
  nested.inputs.push_back(from.fixed ? from.input : Nested::kComputed);
}

void take_captures(const NestRequest& request, NestedRounds& step) {
  const program::Graph& graph = *request.node.subgraphs[0].graph;
  step.first_capture = request.capture_operand(0);
  step.captures = graph.captures.size();
  step.first_captured = static_cast<std::uint32_t>(graph.inputs.size());
}

}  // namespace

std::shared_ptr<const Nested> nest_loop(const NestRequest& request) {
  const program::Node& node = request.node;
  const program::Graph& graph = *node.subgraphs.at(0).graph;
  const std::size_t carried = request.inputs() > 2 ? request.inputs() - 2 : 0;
  if (node.subgraphs.size() != 1 || graph.inputs.size() != 2 + carried || graph.outputs.size() < 1 + carried)
    return nullptr;
  const std::size_t stacked = graph.outputs.size() - 1 - carried;
  if (node.outputs.size() > carried + stacked) return nullptr;
  if (request.given(0) && (!request.is_scalar(0) || request.dtype(0) != DataType::Int64)) return nullptr;
  if (request.given(1) && (!request.is_scalar(1) || request.dtype(1) != DataType::Bool)) return nullptr;

  std::vector<StaticType> formals{{DataType::Int64, *shape_of_own_formal(node, 0, 0)},
                                  {DataType::Bool, *shape_of_own_formal(node, 0, 1)}};
  for (std::size_t i = 0; i < carried; ++i) {
    if (!request.given(2 + i)) return nullptr;
    formals.push_back(type_of_input(request, 2 + i));
  }
  std::shared_ptr<const Segment> body = request.body(0, formals);
  if (!body) return nullptr;
  auto step = std::make_shared<NestedRounds>(body, graph);
  if (request.given(0)) step->trips = 0;
  if (request.given(1)) step->condition = 1;
  take_captures(request, *step);
  if (!carry(request, *step, 1, 0, formals[1], kNoOperand, kNoOperand)) return nullptr;
  for (std::size_t i = 0; i < carried; ++i)
    if (!carry(request, *step, static_cast<std::uint32_t>(2 + i), 1 + i, formals[2 + i], 2 + i, i)) return nullptr;

  // Stacks of a length that is known ahead lie in the output itself.
  const auto is_true = [](const norn::Tensor& t) { return *t.as<std::uint8_t>() != 0; };
  const Segment::Result& condition = body->results[0];
  const bool goes_on = step->carried[0].fixed || (condition.run_value == kNone && is_true(condition.constant));
  const norn::Tensor* trips = request.known(0);
  const norn::Tensor* begins = request.known(1);
  std::int64_t length = -1;
  if (trips && goes_on && (!request.given(1) || (begins && is_true(*begins)))) length = *trips->as<std::int64_t>();
  if (length < 1) length = -1;  // without a round, the stacks have no elements

  auto nested = std::make_shared<Nested>();
  nested->bodies = {body};
  for (std::size_t i = 0; i < carried && i < node.outputs.size(); ++i)
    take_output(*nested, formals[2 + i], step->carried[1 + i]);
  nested->stacked = carried;
  for (std::size_t s = 0; s < stacked; ++s) {
    const StaticType& item = body->results[1 + carried + s].type;
    Laid l{1 + carried + s, kNoOperand, {1, step->body.output_bytes(1 + carried + s), 0, false}, length < 0};
    if (element_count(item.dims) == 0) return nullptr;
    const bool wanted = request.wanted(carried + s);
    if (!wanted) l.grows = false;
    if (l.grows) nested->settled = false;
    StaticType type = item;
    if (length >= 0) {
      type.dims.insert(type.dims.begin(), length);
      if (!tensor_bytes(type.dtype, type.dims)) return nullptr;
      if (wanted) l.operand = request.output_operand() + carried + s;
      l.positions.length = static_cast<std::size_t>(length);
    }
    if (carried + s < node.outputs.size()) nested->outputs.push_back(fact_of(type));
    step->laid.push_back(l);
  }
  if (!step->settle_memory()) return nullptr;
  nested->step = std::move(step);
  return nested;
}

std::shared_ptr<const Nested> nest_scan(const NestRequest& request) {
  const program::Node& node = request.node;
  const program::Graph& graph = *node.subgraphs.at(0).graph;
  const ops::ScanParameters p =
      ops::resolve_scan(node.attributes(), static_cast<std::int64_t>(request.inputs()), graph.outputs.size());
  if (p.batched || node.subgraphs.size() != 1 || graph.inputs.size() != request.inputs() || p.input_axes.empty() ||
      graph.outputs.size() != p.states + p.output_axes.size() || node.outputs.size() > graph.outputs.size())
    return nullptr;
  std::vector<StaticType> formals;
  std::vector<Scanned> scanned;
  for (std::size_t i = 0; i < request.inputs(); ++i) {
    if (!request.given(i)) return nullptr;
    StaticType type = type_of_input(request, i);
    if (i >= p.states) {
      const std::size_t s = i - p.states;
      const auto rank = static_cast<std::int64_t>(type.dims.size());
      const std::int64_t axis = p.input_axes[s] < 0 ? p.input_axes[s] + rank : p.input_axes[s];
      if (axis < 0 || axis >= rank || type.dtype == DataType::String || element_count(type.dims) == 0) return nullptr;
      scanned.push_back({static_cast<std::uint32_t>(i), i,
                         positions(type.dtype, type.dims, static_cast<std::size_t>(axis), p.input_backwards[s])});
      if (scanned.back().positions.length != scanned[0].positions.length) return nullptr;
      type.dims.erase(type.dims.begin() + axis);
    }
    formals.push_back(std::move(type));
  }
  std::shared_ptr<const Segment> body = request.body(0, formals);
  if (!body) return nullptr;
  auto step = std::make_shared<NestedRounds>(body, graph);
  step->round = "position ";
  step->length = static_cast<std::int64_t>(scanned[0].positions.length);
  step->scanned = std::move(scanned);
  take_captures(request, *step);
  auto nested = std::make_shared<Nested>();
  nested->bodies = {body};
  for (std::size_t i = 0; i < p.states; ++i) {
    if (!carry(request, *step, static_cast<std::uint32_t>(i), i, formals[i], i, i)) return nullptr;
    if (i < node.outputs.size()) take_output(*nested, formals[i], step->carried[i]);
  }
  for (std::size_t o = 0; o < p.output_axes.size(); ++o) {
    StaticType type = body->results[p.states + o].type;
    const auto rank = static_cast<std::int64_t>(type.dims.size()) + 1;
    const std::int64_t axis = p.output_axes[o] < 0 ? p.output_axes[o] + rank : p.output_axes[o];
    if (axis < 0 || axis >= rank) return nullptr;
    type.dims.insert(type.dims.begin() + axis, step->length);
    if (!tensor_bytes(type.dtype, type.dims) || element_count(type.dims) == 0) return nullptr;
    Laid l{p.states + o, kNoOperand,
           positions(type.dtype, type.dims, static_cast<std::size_t>(axis), p.output_backwards[o])};
    if (request.wanted(p.states + o)) l.operand = request.output_operand() + p.states + o;
    if (p.states + o < node.outputs.size()) nested->outputs.push_back(fact_of(type));
    step->laid.push_back(l);
  }
  if (!step->settle_memory()) return nullptr;
  nested->step = std::move(step);
  return nested;
}

}  // namespace norn::runtime
