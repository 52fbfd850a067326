// A model made ready to run: lowered, optimised, its constants packed as kernels want them. Sessions are doors to it.
#pragma once
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/model.h"
#include "ir/tensor_data.h"
#include "norn/profile.h"
#include "norn/session.h"
#include "program/program.h"
#include "runtime/executor.h"
#include "runtime/sizes_copied.h"

namespace norn::runtime {

class KernelStore;
class PackStore;

class CompiledModel {
 public:
  // `document` is read during construction only, but constants share its memory. In files up to IR 3 all weights are
  // inputs too: they are taken as constants, and can be fed only if `feedable_weights` keeps them apart.
  // `lowers_again`: what runs, explains and profiles it may throw SizesCopied, before any node has run. `beside`:
  // another model, whose runs' memory this one's runs work in as well.
  CompiledModel(const ir::Model& document, const ir::ExternalReader& external, const SessionOptions& options,
                bool feedable_weights = false, bool may_wait = true, bool lowers_again = false,
                const CompiledModel* beside = nullptr);
  ~CompiledModel();

  // Whether it only knows its inputs and outputs and cannot run: the bodies of some operators depend on types that the
  // document leaves open (never if not `may_wait`: they are refused then). A model that declares the fed types runs.
  bool waits() const noexcept { return program_.waits; }
  // Throws norn::Error (InvalidArgument) for feeds that do not fit, or are missing.
  void check_feeds(std::span<const Feed> feeds) const { arrange(feeds); }
  // Whether a feed names a weight that was taken as a constant.
  bool feeds_constant(std::span<const Feed> feeds) const noexcept;

  // Whether a run may depend on the bytes of this input, of bools, to be 0 and 1: it reads more than the shape, and
  // asks more than whether they are 0.
  bool needs_bools(std::string_view input, const norn::Tensor& fed) const noexcept;

  // Outputs that `places` name are written there; the tensors returned for them are those.
  struct Call {
    std::span<const Placement> places;
    std::span<const std::string> donated;  // inputs
    StepWatch* watch = nullptr;
  };
  std::vector<Value> run(std::span<const Feed> feeds, std::span<const std::string> outputs, const Call& call) const;
  std::vector<Value> run(std::span<const Feed> feeds, std::span<const std::string> outputs) const {
    return run(feeds, outputs, Call{});
  }
  Explanation explain(std::span<const Feed> feeds, std::int64_t default_dim,
                      std::span<const std::string> donated = {}) const;
  RunProfile profile(std::span<const Feed> feeds, const ProfileOptions& options) const;

  // What plans take that are kept for later runs.
  std::size_t plan_bytes() const noexcept { return plans_->bytes(); }
  // About what it takes: its plans, its graphs, and constants that are not those of the model `beside` it.
  std::size_t bytes() const noexcept { return own_bytes_ + plan_bytes(); }

  const program::Program& program() const noexcept { return program_; }
  const std::vector<ArgInfo>& inputs() const noexcept { return inputs_; }
  const std::vector<ArgInfo>& outputs() const noexcept { return outputs_; }
  const std::vector<ArgInfo>& overridable() const noexcept { return overridable_; }

 private:
  // Of what was done before running, as LoadPhase has it.
  struct Phase {
    std::string_view kind;
    std::string name;
    std::chrono::nanoseconds took;
  };
  // Plans for inputs like these.
  std::vector<Phase> plan_phases(std::span<const Value> inputs) const;
  int threads() const noexcept;
  void check_feed(std::size_t input, const Value& value) const;
  void bind_variables(std::span<const Value> values) const;
  std::vector<Value> arrange(std::span<const Feed> feeds) const;
  std::size_t output_index(std::string_view name) const;
  std::size_t input_index(std::string_view name) const;
  std::size_t donated_input(const std::string& name, std::span<const Feed> feeds) const;
  std::vector<Value> stand_ins(std::span<const Feed> feeds, std::int64_t default_dim) const;

  program::Program program_;
  SessionOptions options_;
  std::unique_ptr<PackStore> packed_;
  std::unique_ptr<KernelStore> kernels_;
  std::unique_ptr<PlanCache> plans_;
  std::shared_ptr<ArenaPool> arenas_;
  std::unique_ptr<Executor> executor_;
  std::vector<ArgInfo> inputs_, outputs_, overridable_;
  std::vector<ArgInfo> graph_inputs_;       // all of them, in the graph's order
  std::vector<opset::ValueType> declared_;  // their types
  // Inputs whose elements no node reads; those, and the ones of which nodes ask only whether they are 0.
  std::vector<std::string> unread_, tested_;
  std::unordered_map<std::string, std::size_t> input_index_;
  std::set<std::string, std::less<>> constant_weights_;  // inputs of the document that are constants here
  // Inputs whose declared shapes are plain numbers and variables of their own need no bookkeeping of variables.
  bool shared_variables_ = false;
  std::vector<Phase> load_phases_;
  std::size_t own_bytes_ = 0;
  bool planned_at_load_ = false;
};

}  // namespace norn::runtime
