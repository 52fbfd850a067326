// Moving along the rows of an operator's history. Nodes that steps put around the node are written for the version the
// step knew; they move on to the target as well, if they are of the same domain.
#include "transform/lift.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "norn/error.h"
#include "opset/registry.h"
#include "opset/type_check.h"
#include "transform/step_state.h"

namespace norn::ops {
void all_steps(transform::StepTable&);
}

namespace norn::transform {
namespace {

using opset::Operator;
using opset::Schema;

struct Steps final : StepTable {
  std::map<std::tuple<const Operator*, int, int>, StepFn> steps;
  std::vector<KeptVersion> kept;

  Steps() { ops::all_steps(*this); }
  void add(const Operator& op, int from, int to, StepFn step) override { steps[{&op, from, to}] = step; }
  void keeps(const Operator& op, int since, std::string_view why) override { kept.push_back({&op, since, why}); }
};

const Steps& table() {
  static const Steps steps;
  return steps;
}

std::string version_name(const Operator& op, int since) {
  return opset::full_name(op) + " of version " + std::to_string(since);
}

const Schema* row_before(const Operator& op, const Schema* row) { return row == op.history.data() ? nullptr : row - 1; }
const Schema* row_after(const Operator& op, const Schema* row) {
  return row + 1 == op.history.data() + op.history.size() ? nullptr : row + 1;
}

// Whether a node of `row` stays as it is where a newer version exists: no step leads on, and that is known.
bool ends_at(const Operator& op, const Schema& row, const Schema& next) {
  return (next.deprecated || find_kept(op, row.since)) && !find_step(op, row.since, next.since);
}

// An older row may not take the types that the node has.
void check_types(const Operator& op, const Schema& row, const ir::Node& node, const LocalValues& values) {
  const auto check = [&](std::span<const opset::Param> params, std::span<const std::string> names, const char* what) {
    for (std::size_t i = 0; i < names.size() && !params.empty(); ++i) {
      const auto* type = names[i].empty() ? nullptr : values.type_of(names[i]);
      const auto& param = params[std::min(i, params.size() - 1)];
      const auto* constraint = opset::find_type(row, param.type);
      if (!type || !constraint || opset::allows(constraint->set, *type)) continue;
      throw Error(ErrorCode::NotImplemented, version_name(op, row.since) + " does not take " + what + " \"" +
                                                 std::string(param.name) + "\" of type " + type->type_string());
    }
  };
  check(row.inputs, node.input, "input");
  check(row.outputs, node.output, "output");
}

class Mover {
 public:
  Mover(std::string_view domain, int target, const NodeContext& context) : domain_(domain), target_(target) {
    values_.context = &context;
  }

  void move(const BoundNode& bound, std::vector<BoundNode>& out) {
    if (bound.op->domain != domain_) {
      out.push_back(bound);
      return;
    }
    NodeEdit::State state{&values_, bound.node, bound.op, bound.schema, bound.schema, {}, {}};
    while (step(state)) {
    }
    for (const BoundNode& b : state.before) move(b, out);
    out.push_back({std::move(state.node), state.op, state.schema});
    for (const BoundNode& b : state.after) move(b, out);
  }

  Lifted finish(std::vector<BoundNode> nodes) {
    Lifted lifted;
    lifted.nodes = std::move(nodes);
    for (auto& [name, constant] : values_.constants) {
      const bool used = std::any_of(lifted.nodes.begin(), lifted.nodes.end(), [&](const BoundNode& b) {
        return std::find(b.node.input.begin(), b.node.input.end(), name) != b.node.input.end();
      });
      if (used) lifted.constants.emplace_back(name, std::move(constant));
    }
    return lifted;
  }

 private:
  // One row up or down; false at the end of the way.
  bool step(NodeEdit::State& state) {
    if (state.op->domain != domain_) return false;
    const Schema* wanted = opset::schema_at(*state.op, target_);
    if (wanted == state.schema) return false;
    if (!wanted) {
      throw Error(ErrorCode::NotImplemented,
                  opset::full_name(*state.op) + " does not exist in opset version " + std::to_string(target_));
    }
    return wanted->since > state.schema->since ? up(state) : down(state);
  }

  bool up(NodeEdit::State& state) {
    const Schema* next = row_after(*state.op, state.schema);
    const int from = state.schema->since;
    if (next->same_meaning) {
      state.schema = next;
      return true;
    }
    if (ends_at(*state.op, *state.schema, *next)) return false;
    const StepFn run = find_step(*state.op, from, next->since);
    if (!run) {
      throw Error(ErrorCode::NotImplemented, "there is no step from " + version_name(*state.op, from) + " to version " +
                                                 std::to_string(next->since));
    }
    if (!find_kept(*state.op, from)) {
      take(state, next, run);
      return true;
    }
    NodeEdit::State before = state;
    try {
      take(state, next, run);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::NotImplemented) throw;
      state = std::move(before);
      return false;
    }
    return true;
  }

  bool down(NodeEdit::State& state) {
    const Schema* next = row_before(*state.op, state.schema);
    const Operator& op = *state.op;
    if (state.schema->same_meaning) {
      state.schema = next;
    } else {
      const StepFn run = find_step(op, state.schema->since, next->since);
      if (!run) {
        throw Error(ErrorCode::NotImplemented, version_name(op, state.schema->since) +
                                                   " cannot be expressed as version " + std::to_string(next->since));
      }
      take(state, next, run);
    }
    if (state.op == &op) check_types(op, *state.schema, state.node, values_);
    return true;
  }

  void take(NodeEdit::State& state, const Schema* next, StepFn run) {
    state.from = state.schema;
    state.schema = next;
    NodeEdit edit(state);
    run(edit);
  }

  std::string_view domain_;
  int target_;
  LocalValues values_;
};

}  // namespace

StepFn find_step(const Operator& op, int from, int to) noexcept {
  const auto at = table().steps.find({&op, from, to});
  return at == table().steps.end() ? nullptr : at->second;
}

const KeptVersion* find_kept(const Operator& op, int since) noexcept {
  for (const KeptVersion& k : table().kept) {
    if (k.op == &op && k.since == since) return &k;
  }
  return nullptr;
}

const Schema* newest_unchanged(const Operator& op, const Schema& schema) noexcept {
  const Schema* row = &schema;
  for (const Schema* next = row_after(op, row); next; row = next, next = row_after(op, row)) {
    if (next->same_meaning) continue;
    return ends_at(op, *row, *next) ? row : nullptr;
  }
  return row;
}

Lifted move_version(const BoundNode& node, int target_opset, const NodeContext& context) {
  Mover mover(node.op->domain, target_opset, context);
  std::vector<BoundNode> nodes;
  mover.move(node, nodes);
  return mover.finish(std::move(nodes));
}

std::vector<KeptVersion> kept_versions() { return table().kept; }

std::vector<MissingStep> missing_steps() {
  std::vector<MissingStep> missing;
  for (const Operator* op : opset::all_operators()) {
    for (std::size_t i = 0; i + 1 < op->history.size(); ++i) {
      const Schema &row = op->history[i], &next = op->history[i + 1];
      if (next.same_meaning || find_step(*op, row.since, next.since) || ends_at(*op, row, next)) continue;
      missing.push_back({op, row.since, next.since});
    }
  }
  return missing;
}

}  // namespace norn::transform
