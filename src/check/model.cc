// Rules about the model message itself.
//
// The size that counts against protobuf's 2 GiB is that of the message, so tensors in other files do not add to it. A
// document that was built or edited has no file yet; its tensors' bytes are a lower bound.
#include <cstdint>

#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/model_faults.h"
#include "ir/constants.h"

namespace norn::checks {
namespace {

constexpr std::uint64_t kMaxMessage = (std::uint64_t{1} << 31) - 1;

}  // namespace

void check_model_fields(Context& ctx, const Place& place, const ir::Model& model) {
  const std::int64_t version = model.ir_version.get();
  const std::string newest = std::to_string(ir::kNewestIrVersion);
  if (version == 0) {
    ctx.report("model.ir-version.present", place,
               model.ir_version.has() ? "ir_version is 0" : "the model states no ir_version",
               "set ir_version to the IR version that the file is written by, 1 to " + newest);
  } else if (version < 0 || version > ir::kNewestIrVersion) {
    ctx.report("model.ir-version.known", place, infer::unknown_ir_version(version));
  }
  if (!model.graph) {
    ctx.report("model.graph.present", place, infer::no_graph());
  }
  if (model.producer_name.get().empty()) {
    ctx.report("model.producer-name", place, "the model does not name the tool that wrote it", "set producer_name");
  }
  if (model.producer_version.get().empty()) {
    ctx.report("model.producer-version", place, "the model does not state the version of the tool that wrote it",
               "set producer_version");
  }
  if (const std::string& domain = model.domain.get(); domain.empty()) {
    ctx.report("model.domain.present", place, "the model states no domain", "set domain, com.example.vision say");
  } else if (!is_reverse_dns(domain)) {
    ctx.report("model.domain.reverse-dns", place, "the domain " + quoted(domain) + " is not a reversed DNS name",
               "write it as packages are named: com.example.vision");
  }
  check_doc_string(ctx, place, model.doc_string.get());
}

void check_model_size(Context& ctx, const Place& place) {
  const std::uint64_t bytes = ctx.stored_bytes();
  if (bytes <= kMaxMessage) return;
  ctx.report("model.size-2gib", place,
             "the model's message holds " + std::to_string(bytes) +
                 " bytes of tensors; other readers of protobuf stop at " + std::to_string(kMaxMessage),
             "move tensors into a data file beside the model: norn unpack");
}

}  // namespace norn::checks
