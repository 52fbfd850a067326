// Negative axes came with 11. Version 8 scans the items of a batch one by one, which only a graph around it could say.
#include <optional>
#include <utility>

#include "ops/controlflow/scan/scan.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace scan_adapt_cc {
namespace {

using transform::NodeEdit;

// Scanned inputs come last; outputs that are laid along axes come behind the states.
void axes_to_front(NodeEdit& edit) {
  const ScanParameters p = resolve_scan(edit.attrs(), edit.input_count(), std::nullopt);
  const auto count_from_front = [&](const char* attribute, auto&& rank_of) {
    auto axes = edit.attrs().find_ints(attribute);
    if (!axes) return;
    for (std::size_t k = 0; k < axes->size(); ++k) {
      if ((*axes)[k] >= 0) continue;
      const std::optional<std::int64_t> rank = rank_of(static_cast<int>(p.states + k));
      if (!rank) edit.cannot(std::string(attribute) + " counts from the back of a value whose rank is not known");
      (*axes)[k] += *rank;
    }
    edit.set_attr(attribute, *std::move(axes));
  };
  count_from_front("scan_input_axes", [&](int i) { return edit.input_rank(i); });
  count_from_front("scan_output_axes", [&](int o) -> std::optional<std::int64_t> {
    const opset::ValueType& type = edit.output_type(o);
    if (!type.has_rank()) return {};
    return static_cast<std::int64_t>(type.shape->size());
  });
}

constexpr const char* kBatch = "version 8 scans each item of a batch by itself, which takes a loop around the node";

}  // namespace
}  // namespace scan_adapt_cc

void scan_steps(transform::StepTable& table) {
  table.add(Scan, 8, 9, [](NodeEdit& edit) { edit.cannot(kBatch); });
  table.add(Scan, 9, 11, transform::unchanged, axes_to_front);
  table.keeps(Scan, 8, kBatch);
}

}  // namespace norn::ops
