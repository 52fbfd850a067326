#include "norn/session.h"

#include "norn/check.h"

#include "format/external.h"
#include "format/text.h"
#include "ir/model.h"
#include "program/lower.h"
#include "program/passes.h"
#include "runtime/compiled_model.h"

namespace norn {

struct Session::Impl {
  Impl(const Model& m, const SessionOptions& options)
      : model(m),
        compiled(m.document(), format::external_reader(m.base_dir(), format::external_access(m.load_options())),
                 options) {}
  Model model;  // constants share its memory
  runtime::CompiledModel compiled;
};

Session::Session(const Model& model, const SessionOptions& options) {
  if (options.operator_sets.size() > 1) {
    const Report report = check_operator_sets(options.operator_sets);
    for (const Diagnostic& d : report.diagnostics) {
      if (d.severity != Severity::Error) continue;
      throw Error(ErrorCode::InvalidGraph, d.message + " (" + std::string(d.rule) + ")", d.where, d.hint);
    }
  }
  impl_ = std::make_unique<Impl>(model, options);
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const std::vector<ArgInfo>& Session::inputs() const noexcept { return impl_->compiled.inputs(); }
const std::vector<ArgInfo>& Session::outputs() const noexcept { return impl_->compiled.outputs(); }
const std::vector<ArgInfo>& Session::overridable_initializers() const noexcept { return impl_->compiled.overridable(); }

std::vector<Value> Session::run(std::span<const Feed> feeds, std::span<const std::string> outputs) const {
  return impl_->compiled.run(feeds, outputs);
}

std::string Session::explain(std::span<const Feed> feeds, std::int64_t default_dim) const {
  return impl_->compiled.explain(feeds, default_dim);
}

std::string Session::program_text() const {
  return format::to_text(program::to_model(impl_->compiled.program()));
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const program::Pass& pass : program::passes())
    if (pass.optional) names.emplace_back(pass.name);
  return names;
}

}  // namespace norn
