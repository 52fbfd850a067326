// Checking: whatever can be read can be checked, under every profile.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/rule_checks.h"
#include "format/wire.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {
namespace {

CheckOptions bounded(Profile profile) {
  CheckOptions options;
  options.profile = profile;
  options.limits.max_tensor_bytes = 1 << 24;
  options.limits.max_expanded_nodes = 1'000'000;
  options.max_findings = 200;
  return options;
}

Report run(const ir::Model& model, Profile profile) {
  Report report;
  const CheckOptions options = bounded(profile);
  checks::Context ctx(options, model.ir_version.get(), {}, report);
  try {
    checks::check_model(ctx, {}, model);
  } catch (const Error& error) {
    require(error.code() == ErrorCode::LimitExceeded, "only limits keep a check from being made");
  }
  for (const Diagnostic& found : report.diagnostics) {
    require(!found.rule.empty() && !found.message.empty(), "a finding names its rule and says what is wrong");
  }
  return report;
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  ir::Model model;
  try {
    model = format::read_model(ir::Bytes(std::vector<std::byte>(begin, begin + size)), bounded(Profile::Spec).limits);
  } catch (const Error&) {
    return;
  }
  const Report spec = run(model, Profile::Spec);
  const Report strict = run(model, Profile::Strict);
  run(model, Profile::Runtime);
  require(spec.diagnostics.size() == strict.diagnostics.size() || spec.dropped + strict.dropped > 0,
          "profiles report the same findings");
}

}  // namespace norn::fuzz
