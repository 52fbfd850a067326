// Inference, and running what infers: a model is refused with a reason, or runs, by the fast kernels and by the
// reference ones. What inference says of an output holds of what comes out, and both sessions give it one type and
// shape.
//
// Time and memory are bounded: of a model that wants more, the deadline ends the run, and a large piece of memory is
// refused as the operating system would.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bounded_memory.h"
#include "feeds.h"
#include "ir/model.h"
#include "norn/error.h"
#include "norn/infer.h"
#include "norn/session.h"
#include "target.h"

namespace norn::fuzz {
namespace {

constexpr std::size_t kLargestInput = 1 << 16, kMostNodes = 100;
constexpr std::size_t kLargestAllocation = 4 << 20;

Limits limits() {
  Limits l;
  l.max_tensor_bytes = 1 << 20;
  l.max_nodes = kMostNodes;
  l.max_expanded_nodes = 2000;
  l.max_depth = 20;
  return l;
}

[[noreturn]] void violated(const std::string& what) {
  std::fprintf(stderr, "violated: %s\n", what.c_str());
  std::abort();
}

// Calls f; false if it refuses.
template <class F>
bool answers(const char* what, F&& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Internal) violated(std::string(what) + ": " + error.what());
    if (error.message().empty()) violated(std::string(what) + ": an error without a message");
  } catch (const std::bad_alloc&) {
  }
  return false;
}

struct Kind {
  std::int32_t elem = 0;
  std::optional<std::vector<std::int64_t>> dims;  // -1: not known
};

// Removes what the graph declares, which inference believes where nothing else is known, but for its inputs; from
// graphs in its nodes that of inputs, too.
void undeclare(ir::Graph& graph) {
  graph.value_info.clear();
  for (ir::ValueInfo& output : graph.output) output.type.clear();
  for (ir::Node& node : graph.node)
    for (ir::Attribute& attribute : node.attribute) {
      if (!attribute.g) continue;
      for (ir::ValueInfo& input : attribute.g->input) input.type.clear();
      undeclare(*attribute.g);
    }
}

// What inference says of the outputs that nodes of the main graph make: {name: type}.
std::map<std::string, Kind> inferred(const Model& model) {
  ir::Model bare = model.document();
  if (!bare.graph) return {};
  undeclare(*bare.graph);
  const Model typed = infer_shapes(Model(std::make_shared<const ir::Model>(std::move(bare))), {.limits = limits()});
  std::map<std::string, Kind> kinds;
  for (const ir::ValueInfo& output : typed.document().graph->output) {
    if (!output.type || !output.type->tensor_type) continue;
    Kind& kind = kinds[output.name.get()];
    kind.elem = output.type->tensor_type->elem_type.get();
    if (!output.type->tensor_type->shape) continue;
    kind.dims.emplace();
    for (const ir::Dimension& d : output.type->tensor_type->shape->dim)
      kind.dims->push_back(d.dim_value.has() ? d.dim_value.get() : -1);
  }
  return kinds;
}

using Results = std::optional<std::vector<Value>>;

Results run(const Session& session, const std::vector<Feed>& feeds) {
  RunOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  Results results;
  answers("running", [&] { results = session.run(feeds, {}, options); });
  return results;
}

void hold_against(const std::vector<ArgInfo>& outputs, const std::vector<Value>& values,
                  const std::map<std::string, Kind>& kinds) {
  require(outputs.size() == values.size(), "a session gives its outputs");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto kind = kinds.find(outputs[i].name);
    if (kind == kinds.end() || !values[i].is_tensor()) continue;
    const Tensor& t = values[i].tensor();
    const std::string what = outputs[i].name + " is " + values[i].describe() + ", unlike what inference says";
    if (kind->second.elem && static_cast<std::int32_t>(t.dtype()) != kind->second.elem) violated(what);
    if (!kind->second.dims) continue;
    if (kind->second.dims->size() != t.dims().size()) violated(what);
    for (std::size_t d = 0; d < t.dims().size(); ++d)
      if ((*kind->second.dims)[d] >= 0 && (*kind->second.dims)[d] != t.dims()[d]) violated(what);
  }
}

void hold_together(const std::vector<Value>& a, const std::vector<Value>& b, bool sizes) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_tensor() || !b[i].is_tensor()) continue;
    const bool same =
        a[i].tensor().dtype() == b[i].tensor().dtype() &&
        (sizes ? a[i].tensor().dims() == b[i].tensor().dims() : a[i].tensor().rank() == b[i].tensor().rank());
    if (!same) violated(a[i].describe() + " by fast kernels, " + b[i].describe() + " by reference ones");
  }
}

// Sizes that hang on values which two kernels may round differently, or on chance.
bool sizes_depend_on_values(const ir::Graph& graph) {
  for (const ir::Node& node : graph.node) {
    for (const std::string_view op : {"NonZero", "Compress", "Unique", "NonMaxSuppression", "If", "Loop", "Multinomial",
                                      "Bernoulli", "Cast", "RandomNormal", "RandomUniform", "Range", "StringSplit"})
      if (node.op_type.get() == op || node.op_type.get() == std::string(op) + "Like") return true;
  }
  return false;
}

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  if (size > kLargestInput) return;
  std::optional<Model> model;
  if (!answers("reading", [&] { model = Model::parse(std::as_bytes(std::span(data, size)), limits()); })) return;
  if (!model->document().graph) return;
  static const bool warm = [] {  // tables that are made once
    answers("warming up", [] { Session(Model::parse(std::span<const std::byte>{})); });
    return true;
  }();
  static_cast<void>(warm);

  const BoundedMemory bounded(kLargestAllocation);
  std::map<std::string, Kind> kinds;
  answers("inference", [&] { kinds = inferred(*model); });
  SessionOptions options;
  options.intra_op_num_threads = 1;
  options.limits = limits();
  options.verify_passes = true;
  std::optional<Session> fast, plain;
  answers("a session", [&] { fast.emplace(*model, options); });
  options.reference_only = true;
  answers("a session of reference kernels", [&] { plain.emplace(*model, options); });
  const Session* first = fast ? &*fast : plain ? &*plain : nullptr;
  if (!first) return;
  for (const unsigned round : {0U, 1U, 2U}) {
    const Feeds feeds(first->inputs(), size, round);
    if (!feeds.fit()) return;
    Results a, b;
    if (fast) a = run(*fast, feeds.list());
    if (plain) b = run(*plain, feeds.list());
    if (a) hold_against(fast->outputs(), *a, kinds);
    if (b) hold_against(plain->outputs(), *b, kinds);
    if (a && b) hold_together(*a, *b, !sizes_depend_on_values(*model->document().graph));
    if (feeds.list().empty()) return;
  }
}

}  // namespace norn::fuzz
