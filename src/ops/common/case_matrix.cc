#include "ops/common/case_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "ops/common/case_driver.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "opset/type_check.h"

namespace norn::ops::cases {
namespace {

using opset::Operator;
using opset::Schema;

struct Runs {
  bool reference = false, session = false;
};
using Types = std::map<std::string, Runs, std::less<>>;       // by type
using Variables = std::map<std::string, Types, std::less<>>;  // by type variable
std::map<const Schema*, Variables>& all_runs() {
  static std::map<const Schema*, Variables> runs;
  return runs;
}

// The parameter that the k-th value is of; null if there is none.
const opset::Param* parameter(std::span<const opset::Param> params, std::size_t k) {
  if (params.empty()) return nullptr;
  if (k < params.size()) return &params[k];
  return params.back().option == opset::ParamOption::Variadic ? &params.back() : nullptr;
}

// Of cases that can be written: no attribute is a graph, and no input only an optional.
bool has_text(const Schema& row) {
  return std::none_of(row.attrs.begin(), row.attrs.end(),
                      [](const opset::Attr& a) { return a.type == ir::AttributeType::Graph && a.required; }) &&
         std::none_of(row.inputs.begin(), row.inputs.end(), [&](const opset::Param& p) {
           const opset::TypeConstraint* c = opset::find_type(row, p.type);
           return c && !c->set.tensor && !c->set.sequence && !c->set.maps;
         });
}
bool has_text(std::string_view type) { return !type.starts_with("optional("); }
// Random inputs are tensors and sequences of them.
bool is_drawn(std::string_view type) { return type.starts_with("tensor(") || type.starts_with("seq(tensor("); }
bool is_drawn(const Schema& row) {
  return std::none_of(row.inputs.begin(), row.inputs.end(), [&](const opset::Param& p) {
    const opset::TypeConstraint* c = opset::find_type(row, p.type);
    return c && c->set.maps;
  });
}

// A version that was withdrawn does not run; operators of com.microsoft are held by tests of their own in Python.
bool has_to_run(const Operator& op, const Schema& row) {
  if (op.name == "SequenceEmpty") return false;  // an empty sequence does not show its type: a test in Python checks it
  return op.standard && op.domain != std::string_view("com.microsoft") && opset::is_runnable(op) && has_text(row) &&
         !row.deprecated && op.control_flow == opset::ControlFlow::None;
}

// What the schema allows and nothing can compute: the sums of Col2Im of strings.
bool has_meaning(const Operator& op, std::string_view type) { return op.name != "Col2Im" || type != "tensor(string)"; }

const Runs* runs_of(const Schema& row, std::string_view variable, std::string_view type) {
  const auto at = all_runs().find(&row);
  if (at == all_runs().end()) return nullptr;
  const auto types = at->second.find(variable);
  if (types == at->second.end()) return nullptr;
  const auto runs = types->second.find(type);
  return runs == types->second.end() ? nullptr : &runs->second;
}

bool is_used(const Schema& row, std::string_view variable) {
  const auto names = [&](const opset::Param& p) { return p.type == variable; };
  return std::any_of(row.inputs.begin(), row.inputs.end(), names) ||
         std::any_of(row.outputs.begin(), row.outputs.end(), names);
}

bool is_filled(const Operator& op, const Schema& row, const Runs* runs) {
  return runs && (runs->session || !check_sessions) && (runs->reference || !opset::find_reference(op, row.since));
}

class Matrix : public testing::Environment {
 public:
  void TearDown() override {
    const bool whole = GTEST_FLAG_GET(filter) == "*" && !std::getenv("GTEST_TOTAL_SHARDS");
    if (!whole || !check_sessions) return;
    std::printf(
        "Operators, versions and element types that ran: x, by the reference kernel and in sessions; s, in\n"
        "sessions, where the version has no kernel of its own; a dot is a type that the schema does not have, a line "
        "one without a meaning.\n%-52s",
        "");
    for (int t = 1; t < kDataTypeCount; ++t)
      std::printf(" %-.4s", std::string(data_type_name(static_cast<DataType>(t))).c_str());
    std::printf("\n");
    for (const Operator* op : opset::all_operators())
      for (const Schema& row : op->history)
        if (has_to_run(*op, row)) print(*op, row);
    std::printf("%zu cells ran, %zu are left to tests in Python (optionals)\n", filled_, elsewhere_);
    EXPECT_TRUE(empty_.empty()) << empty_ << "did not run";
  }

 private:
  void print(const Operator& op, const Schema& row) {
    for (const opset::TypeConstraint& c : row.types) {
      if (!is_used(row, c.name)) continue;
      std::string line(static_cast<std::size_t>(kDataTypeCount - 1), '.'), others;
      for (const std::string& type : opset::type_strings(c.set)) {
        const Runs* runs = runs_of(row, c.name, type);
        const bool filled = is_filled(op, row, runs);
        if (!has_text(type)) {
          ++elsewhere_;
          continue;
        }
        filled_ += filled;
        if (!filled && has_meaning(op, type))
          empty_ += opset::full_name(op) + "-" + std::to_string(row.since) + " " + std::string(c.name) + " " + type +
                    (runs && runs->session ? " by the reference kernel" : "") + "\n";
        const char mark = !has_meaning(op, type) ? '-' : !filled ? '?' : runs->reference ? 'x' : 's';
        if (const opset::ValueType is = opset::type_from_string(type); is.is_tensor())
          line[static_cast<std::size_t>(is.elem) - 1] = mark;
        else
          others += mark;
      }
      const std::string name = opset::full_name(op) + "-" + std::to_string(row.since) + " " + std::string(c.name);
      std::printf("%-52s %s%s\n", name.c_str(), line.c_str(), others.empty() ? "" : (" seq, map " + others).c_str());
    }
  }

  std::size_t filled_ = 0, elsewhere_ = 0;
  std::string empty_;
};

[[maybe_unused]] const auto* const kMatrix = testing::AddGlobalTestEnvironment(new Matrix);

}  // namespace

void note_run(const Trial& trial, const std::vector<Value>& outputs, Means means) {
  Variables& variables = all_runs()[trial.row];
  const auto note = [&](const opset::Param* p, const opset::ValueType& type) {
    if (!p || !type.known()) return;
    Runs& runs = variables[std::string(p->type)][type.type_string()];
    (means == Means::Reference ? runs.reference : runs.session) = true;
  };
  for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
    const Given& g = trial.inputs[i];
    if (!g.present) continue;
    note(parameter(trial.row->inputs, i), g.type.known() || !g.value ? g.type : type_of(*g.value));
  }
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!outputs[o].is_empty()) note(parameter(trial.row->outputs, o), type_of(outputs[o]));
}

bool is_empty(const Operator& op, const Schema& row, const Cell& cell) {
  return !is_filled(op, row, runs_of(row, cell.variable, cell.type));
}

std::vector<Cell> empty_cells(const Operator& op, const Schema& row) {
  std::vector<Cell> cells;
  if (!has_to_run(op, row) || !is_drawn(row)) return cells;
  for (const opset::TypeConstraint& c : row.types) {
    if (!is_used(row, c.name)) continue;
    for (std::string& type : opset::type_strings(c.set))
      if (is_drawn(type) && has_meaning(op, type) && !is_filled(op, row, runs_of(row, c.name, type)))
        cells.push_back({c.name, std::move(type)});
  }
  return cells;
}

}  // namespace norn::ops::cases
