// Lookups in schema rows. Arity follows the parameters: an optional parameter before a required one still has to be
// counted, because the required one keeps its position. So has one before a variadic parameter, even where that may be
// empty: Loop takes at least two inputs.
#include "opset/schema.h"

namespace norn::opset {
namespace {

int least(std::span<const Param> params) noexcept {
  int count = 0, minimum = 0;
  for (const Param& p : params) {
    if (p.option == ParamOption::Variadic) {
      minimum = count + p.min_arity;
    } else {
      ++count;
      if (p.option == ParamOption::Single) minimum = count;
    }
  }
  return minimum;
}

int most(std::span<const Param> params) noexcept {
  if (!params.empty() && params.back().option == ParamOption::Variadic) return kUnbounded;
  return static_cast<int>(params.size());
}

}  // namespace

int min_inputs(const Schema& s) noexcept { return least(s.inputs); }
int max_inputs(const Schema& s) noexcept { return most(s.inputs); }
int min_outputs(const Schema& s) noexcept { return least(s.outputs); }
int max_outputs(const Schema& s) noexcept { return most(s.outputs); }

const Attr* find_attr(const Schema& schema, std::string_view name) noexcept {
  for (const Attr& a : schema.attrs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

const TypeConstraint* find_type(const Schema& schema, std::string_view variable) noexcept {
  for (const TypeConstraint& t : schema.types) {
    if (t.name == variable) return &t;
  }
  return nullptr;
}

const Schema* schema_at(const Operator& op, int opset_version) noexcept {
  const Schema* found = nullptr;
  for (const Schema& row : op.history) {
    if (row.since <= opset_version) found = &row;
  }
  return found;
}

std::string full_name(const Operator& op) {
  if (op.domain.empty()) return std::string(op.name);
  return std::string(op.domain) + "." + std::string(op.name);
}

}  // namespace norn::opset
