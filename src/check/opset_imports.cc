// Rules about opset_import of a model.
//
// "" and "ai.onnx" are one domain. Before IR 3 there was no opset_import: the default set at version 1 was in force.
// The IR version that an operator set needs follows from the release that first had both.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/operator_faults.h"
#include "opset/domains.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

// IR version of the first release with version i + 1 of the set.
constexpr std::array<std::int64_t, opset::kNewestOnnx> kIrOfOnnx = {3, 3, 3, 3, 3, 3, 3,  3,  4,  5,  6,  7,  7,  7,
                                                                    8, 8, 8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 14};
constexpr std::array<std::int64_t, opset::kNewestMl> kIrOfMl = {3, 6, 8, 9, 10};
static_assert(kIrOfOnnx.back() != 0 && kIrOfMl.back() != 0, "a version of the set has no IR version");
constexpr std::int64_t kIrOfTraining = 7;

// 3 for a set that is not known.
std::int64_t ir_of(std::string_view domain, std::int64_t version) {
  const auto from = [&](const auto& table) {
    return version >= 1 && version <= static_cast<std::int64_t>(table.size())
               ? table[static_cast<std::size_t>(version - 1)]
               : std::int64_t{3};
  };
  if (domain.empty()) return from(kIrOfOnnx);
  if (domain == opset::kMlDomain) return from(kIrOfMl);
  if (domain == opset::kTrainingDomain || domain == opset::kPreviewTrainingDomain) return kIrOfTraining;
  return 3;
}

}  // namespace

void check_opset_version(Context& ctx, const Place& at, const ir::OperatorSetId& id) {
  const std::string_view domain = ir::canonical_domain(id.domain.get());
  const std::int64_t version = id.version.get();
  if (!id.version.has()) {
    ctx.report("opset.import.version-present", at, "the import of " + domain_text(domain) + " states no version",
               "set version, " + std::to_string(std::max(1, opset::newest_version(domain))) + " say");
  } else if (version < 1) {
    ctx.report("ver.opset.simple", at, *infer::unknown_version(domain, version));
  } else if (version > std::numeric_limits<std::int32_t>::max()) {
    ctx.report("ver.opset.int32-range", at,
               "version " + std::to_string(version) + " of " + domain_text(domain) + " does not fit 32 bits");
  } else if (auto fault = infer::unknown_version(domain, version)) {
    ctx.report("opset.import.version-known", at, std::move(*fault));
  }
}

void check_opset_imports(Context& ctx, const Place& place, const ir::Model& model) {
  if (model.opset_import.empty()) {
    ctx.report("opset.import.nonempty", place, "the model imports no operator set, so its operators mean nothing",
               "add opset_import with the version that the model was written for");
    return;
  }
  ctx.report("opset.import.absent-before-3", place,
             "the model has opset_import; up to IR 2 version 1 of the default set is in force and nothing is imported",
             "set ir_version to 3 or more");
  bool has_default = false;
  NameSet seen;
  for (std::size_t i = 0; i < model.opset_import.size(); ++i) {
    const ir::OperatorSetId& id = model.opset_import[i];
    const std::string_view domain = ir::canonical_domain(id.domain.get());
    const Place at = place.at("opset_import", static_cast<std::int64_t>(i), id.domain.get());
    has_default |= domain.empty();
    if (!seen.insert(domain)) {
      ctx.report("opset.import.unique-domain", at,
                 domain_text(domain) + " is imported twice; the highest version counts");
    }
    check_opset_version(ctx, at, id);
    if (const std::int64_t needs = ir_of(domain, id.version.get()); needs > ctx.ir_version() && ctx.ir_version() >= 3) {
      ctx.report("opset.min-ir", at,
                 domain_text(domain) + " " + std::to_string(id.version.get()) + " came with IR " +
                     std::to_string(needs) + "; the model states IR " + std::to_string(ctx.ir_version()),
                 "set ir_version to " + std::to_string(needs));
    }
    if (opset::newest_version(domain) == 0 && !domain.empty() && !is_reverse_dns(domain)) {
      ctx.report("opset.import.reverse-dns", at, "the domain " + quoted(domain) + " is not a reversed DNS name",
                 "write it as packages are named: com.example.ops");
    }
  }
  if (!has_default) {
    ctx.report("opset.import.has-default", place, "the model does not import the default operator set ai.onnx",
               "add opset_import {domain: \"\", version: " + std::to_string(opset::newest_version("")) + "}");
  }
}

}  // namespace norn::checks
