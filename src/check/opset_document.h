// The rules about operator-set documents, one by one and about several that are used together.
#pragma once
#include <span>

#include "ir/operator_set.h"
#include "norn/check.h"

namespace norn::checks {

void check_opset_document(const ir::OperatorSet& set, Report& report);
// Findings about a single document are not repeated.
void check_opset_documents(std::span<const ir::OperatorSet* const> sets, Report& report);

}  // namespace norn::checks
