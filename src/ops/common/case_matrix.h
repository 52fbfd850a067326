// What cases ran: for each version of each operator, each type that a type variable of it may be. A cell that the
// schema allows and that nothing ran is a failure of the whole run (case_matrix.cc).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ops/common/case_text.h"

namespace norn::ops::cases {

enum class Means { Reference, Session };

// The trial's node ran, and gave these outputs.
void note_run(const Trial& trial, const std::vector<Value>& outputs, Means means);

struct Cell {
  std::string_view variable;
  std::string type;  // as type sets spell it: "tensor(float)"
};
// What cases have texts for, has to run, and did not yet.
std::vector<Cell> empty_cells(const opset::Operator& op, const opset::Schema& row);
bool is_empty(const opset::Operator& op, const opset::Schema& row, const Cell& cell);

}  // namespace norn::ops::cases
