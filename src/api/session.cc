#include "norn/session.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "norn/check.h"

#include "base/element_bytes.h"
#include "base/fork.h"
#include "base/once_per_key.h"
#include "base/stop.h"
#include "base/text.h"
#include "format/external.h"
#include "format/text.h"
#include "ir/model.h"
#include "program/lower.h"
#include "program/passes.h"
#include "runtime/compiled_model.h"

namespace norn {

namespace {

// The document with every output of its graph's nodes as an output of the graph.
ir::Model with_all_outputs(ir::Model document) {
  if (!document.graph) return document;
  ir::Graph& graph = *document.graph;
  std::unordered_map<std::string, const ir::ValueInfo*> declared;
  for (const auto* list : {&graph.value_info, &graph.output}) {
    for (const ir::ValueInfo& value : *list) declared[value.name.get()] = &value;
  }
  std::vector<ir::ValueInfo> outputs;
  std::unordered_set<std::string> listed;
  const auto add = [&](const std::string& name) {
    if (name.empty() || !listed.insert(name).second) return;
    if (const auto known = declared.find(name); known != declared.end()) {
      outputs.push_back(*known->second);
    } else {
      outputs.emplace_back().name = name;
    }
  };
  for (const ir::Node& node : graph.node) {
    for (const std::string& name : node.output) add(name);
  }
  for (const ir::ValueInfo& output : graph.output) add(output.name.get());
  graph.output = std::move(outputs);
  return document;
}

// The tensor type that an input declares, within an optional too; null for other types.
ir::TypeTensor* tensor_type_of(ir::ValueInfo& input) {
  ir::Type* declared = &input.type.mut();
  if (declared->optional_type) declared = &declared->optional_type->elem_type.mut();
  if (declared->sequence_type || declared->map_type || declared->sparse_tensor_type || declared->opaque_type)
    return nullptr;
  return &declared->tensor_type.mut();
}

// The document with the types of what is fed declared; fed inputs lose their default values, which may have other
// sizes. If `default_dim` is 0 or more, sizes of inputs without any value are declared too: a dimension variable takes
// its size in the feeds, and `default_dim` if it is in none of them.
ir::Model with_types(ir::Model document, std::span<const Feed> feeds, std::int64_t default_dim) {
  if (!document.graph) return document;
  const auto fed = [&](const ir::ValueInfo& input) -> const Feed* {
    const auto feed =
        std::find_if(feeds.begin(), feeds.end(), [&](const Feed& f) { return f.name == input.name.get(); });
    return feed == feeds.end() ? nullptr : &*feed;
  };
  std::unordered_set<std::string_view> names;  // of inputs that have a value
  std::map<std::string, std::int64_t> sizes;
  for (ir::ValueInfo& input : document.graph->input) {
    const Feed* feed = fed(input);
    if (!feed) continue;
    names.insert(input.name.get());
    if (!feed->value.is_tensor()) continue;
    ir::TypeTensor* type = tensor_type_of(input);
    if (!type) continue;  // it does not fit, which the run reports
    const Shape& dims = feed->value.tensor().dims();
    type->elem_type = static_cast<std::int32_t>(feed->value.tensor().dtype());
    ir::TensorShape& shape = type->shape.mut();
    for (std::size_t d = 0; d < std::min(dims.size(), shape.dim.size()); ++d)
      if (!shape.dim[d].dim_param.get().empty()) sizes.try_emplace(shape.dim[d].dim_param.get(), dims[d]);
    shape.dim.resize(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
      shape.dim[d].dim_param.clear();
      shape.dim[d].dim_value = dims[d];
    }
  }
  std::erase_if(document.graph->initializer, [&](const ir::Tensor& t) { return names.contains(t.name.get()); });
  if (default_dim < 0) return document;
  for (const ir::Tensor& t : document.graph->initializer) names.insert(t.name.get());
  for (ir::ValueInfo& input : document.graph->input) {
    if (names.contains(input.name.get()) || !input.type || !input.type->tensor_type || !input.type->tensor_type->shape)
      continue;
    for (ir::Dimension& dim : input.type->tensor_type->shape->dim) {
      if (dim.dim_value.has()) continue;
      const auto size = sizes.find(dim.dim_param.get());
      dim.dim_param.clear();
      dim.dim_value = size == sizes.end() ? default_dim : size->second;
    }
  }
  return document;
}

}  // namespace

struct Session::Impl {
  using CompiledPtr = std::shared_ptr<const runtime::CompiledModel>;

  // Models for fed types, where bodies of operators depend on types that the document leaves open, and where a Reshape
  // copies sizes (SizesCopied). The most recently used are kept, within the limit for the plans of a model in bytes,
  // but a few in any case.
  static constexpr std::size_t kMostTypes = 128, kFewTypes = 8;
  struct ByTypes : base::OncePerKey<runtime::CompiledModel> {
    explicit ByTypes(const SessionOptions& options)
        : OncePerKey(kMostTypes, kFewTypes, options.max_plan_bytes, &runtime::CompiledModel::bytes) {}
  };

  // The types of `feeds` as a key, independent of the order of their names.
  static std::string types_of(std::span<const Feed> feeds, std::int64_t default_dim) {
    std::vector<const Feed*> by_name;
    by_name.reserve(feeds.size());
    for (const Feed& feed : feeds) by_name.push_back(&feed);
    std::sort(by_name.begin(), by_name.end(), [](const Feed* a, const Feed* b) { return a->name < b->name; });
    std::string key;
    const auto put = [&](std::int64_t n) { key.append(reinterpret_cast<const char*>(&n), sizeof n); };
    put(default_dim);
    for (const Feed* feed : by_name) {
      put(static_cast<std::int64_t>(feed->name.size()));
      key += feed->name;
      if (!feed->value.is_tensor()) {
        put(-1);
        continue;
      }
      const Tensor& tensor = feed->value.tensor();
      put(static_cast<std::int64_t>(tensor.dtype()));
      put(static_cast<std::int64_t>(tensor.dims().size()));
      for (const std::int64_t dim : tensor.dims()) put(dim);
    }
    return key;
  }

  Impl(const Model& m, const SessionOptions& o)
      : model(m), options(o), external(external_of(m)), compiled(m.document(), external, options, false, true, true) {}

  // All models that are compiled later have the same weights: what was read is kept, even if the files change.
  static ir::ExternalReader external_of(const Model& m) {
    struct Kept {
      base::ForkSafeMutex mutex;
      std::map<std::string, ir::Bytes> read;  // by where it lies
    };
    return [read = format::external_reader(m.base_dir(), format::external_access(m.load_options())),
            kept = std::make_shared<Kept>()](const ir::Tensor& tensor) {
      std::string place;
      for (const auto& entry : tensor.external_data) {
        for (const std::string& part : {entry.key.get(), entry.value.get()})
          place += std::to_string(part.size()) + ':' + part;
      }
      {
        const std::lock_guard lock(kept->mutex);
        if (const auto found = kept->read.find(place); found != kept->read.end()) return found->second;
      }
      ir::Bytes bytes = read(tensor);  // without the lock: the caller may do this
      const std::lock_guard lock(kept->mutex);
      return kept->read.emplace(std::move(place), std::move(bytes)).first->second;
    };
  }
  // `open`, or if it waits, or `sized`, the model for the types of `feeds`: that too if it was `sized` before for them.
  // `document` gives what `open` was made of.
  CompiledPtr for_types(const CompiledPtr& open, ByTypes& made, std::span<const Feed> feeds, std::int64_t default_dim,
                        bool feedable, bool sized, const std::function<ir::Model()>& document) const {
    if (!open->waits() && !sized) {
      if (made.is_unused()) return open;
      const CompiledPtr known = made.find(types_of(feeds, default_dim));
      return known ? known : open;
    }
    if (default_dim < 0) open->check_feeds(feeds);
    return made.get(types_of(feeds, default_dim), [&] {
      return std::make_shared<const runtime::CompiledModel>(with_types(document(), feeds, default_dim), external,
                                                            options, feedable, false, false, open.get());
    });
  }
  // For feeds of any types and sizes, weights of old files among them.
  CompiledPtr open_model(const ir::Model& document) const {
    return std::make_shared<const runtime::CompiledModel>(document, external, options, true, true, true);
  }
  // Weights of files up to IR 3 may be fed. That is rare, so weights are constants, and a model that takes them is made
  // when they are first fed.
  CompiledPtr for_feeds(std::span<const Feed> feeds, std::int64_t default_dim, bool sized) const {
    const auto document = [&] { return model.document(); };
    if (!compiled.feeds_constant(feeds))
      return for_types({CompiledPtr(), &compiled}, by_types, feeds, default_dim, false, sized, document);
    const CompiledPtr open = feedable.get({}, [&] { return open_model(document()); });
    return for_types(open, feedable_by_types, feeds, default_dim, true, sized, document);
  }

  // For run_all(), which is rarely called: made on the first call.
  CompiledPtr for_all(std::span<const Feed> feeds, bool sized) const {
    const auto document = [&] { return with_all_outputs(model.document()); };
    const CompiledPtr open = all.get({}, [&] { return open_model(document()); });
    return for_types(open, all_by_types, feeds, -1, true, sized, document);
  }

  // f(find(false)), a model; where sizes that a Reshape copies are none of those that were inferred, that of the very
  // sizes fed.
  template <class Find, class F>
  static auto with_model(Find&& find, F&& f) {
    try {
      return f(find(false));
    } catch (const runtime::SizesCopied&) {
      return f(find(true));
    }
  }
  template <class F>
  auto with_model(std::span<const Feed> feeds, std::int64_t default_dim, F&& f) const {
    return with_model([&](bool sized) { return for_feeds(feeds, default_dim, sized); }, f);
  }

  Model model;  // constants share its memory
  SessionOptions options;
  ir::ExternalReader external;
  runtime::CompiledModel compiled;
  mutable base::OncePerKey<runtime::CompiledModel> feedable{1}, all{1};
  mutable ByTypes by_types{options}, feedable_by_types{options}, all_by_types{options};
};

namespace {

// f(feeds), once their bools and sub-byte elements are values of their types. Where a run reads no element, or asks
// only whether it is 0, any byte will do for a bool: to look through large ones takes as long as to compute with them.
template <class F>
auto with_sound_feeds(const runtime::CompiledModel& model, std::span<const Feed> feeds, F&& f) {
  std::vector<Feed> changed;
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const Value& value = feeds[i].value;
    if (value.is_tensor() && value.tensor().dtype() == DataType::Bool &&
        !model.needs_bools(feeds[i].name, value.tensor()))
      continue;
    std::optional<Value> sound;
    try {
      sound = base::with_sound_elements(feeds[i].value);
    } catch (Error& e) {
      throw e.within("input " + base::quoted(feeds[i].name));
    }
    if (!sound) continue;
    if (changed.empty()) changed.assign(feeds.begin(), feeds.end());
    changed[i].value = std::move(*sound);
  }
  return f(changed.empty() ? feeds : std::span<const Feed>(changed));
}

}  // namespace

Session::Session(const Model& model, const SessionOptions& options) {
  if (options.intra_op_num_threads < 0) {
    throw Error(ErrorCode::InvalidArgument,
                "a session cannot have " + std::to_string(options.intra_op_num_threads) + " threads", {},
                "1 or more, or 0 for every core");
  }
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

ModelMetadata Session::metadata() const {
  const ir::Model& m = impl_->model.document();
  ModelMetadata data;
  data.producer_name = m.producer_name.get();
  data.producer_version = m.producer_version.get();
  data.domain = m.domain.get();
  data.description = m.doc_string.get();
  data.version = m.model_version;
  if (m.graph) {
    data.graph_name = m.graph->name.get();
    data.graph_description = m.graph->doc_string.get();
  }
  for (const auto& entry : m.metadata_props) data.custom_metadata.emplace_back(entry.key.get(), entry.value.get());
  return data;
}

namespace {

// f(), which ends when the options say.
template <class F>
auto under(const RunOptions& options, F&& f) {
  std::optional<base::Stop> stop;
  if (options.terminate || options.deadline || options.interrupted)
    stop.emplace(options.terminate, options.deadline, options.interrupted);
  const base::StopScope scope(stop ? &*stop : nullptr);
  if (options.terminate || options.deadline) stop->check();
  return f();
}

}  // namespace

std::vector<Value> Session::run(std::span<const Feed> feeds, std::span<const std::string> outputs,
                                const RunOptions& options) const {
  return under(options, [&] {
    return impl_->with_model(feeds, -1, [&](const Impl::CompiledPtr& m) {
      return with_sound_feeds(*m, feeds, [&](auto sound) {
        return m->run(sound, outputs, {.places = options.placements, .donated = options.donated});
      });
    });
  });
}

std::vector<std::pair<std::string, Value>> Session::run_all(std::span<const Feed> feeds,
                                                            const RunOptions& options) const {
  return under(options, [&] {
    Impl::CompiledPtr all;
    std::vector<Value> values =
        Impl::with_model([&](bool sized) { return all = impl_->for_all(feeds, sized); },
                         [&](const Impl::CompiledPtr& m) {
                           return with_sound_feeds(*m, feeds, [&](auto sound) { return m->run(sound, {}); });
                         });
    std::vector<std::pair<std::string, Value>> named;
    named.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) named.emplace_back(all->outputs()[i].name, std::move(values[i]));
    return named;
  });
}

Explanation Session::explain(std::span<const Feed> feeds, std::int64_t default_dim,
                             std::span<const std::string> donated) const {
  return impl_->with_model(feeds, default_dim, [&](const Impl::CompiledPtr& m) {
    return with_sound_feeds(*m, feeds, [&](auto sound) { return m->explain(sound, default_dim, donated); });
  });
}

RunProfile Session::profile(std::span<const Feed> feeds, const ProfileOptions& profile_options,
                            const RunOptions& options) const {
  if (!options.placements.empty()) throw Error(ErrorCode::InvalidArgument, "outputs of a profile cannot be placed");
  if (!options.donated.empty()) throw Error(ErrorCode::InvalidArgument, "inputs of a profile cannot be donated");
  return under(options, [&] {
    return impl_->with_model(feeds, -1, [&](const Impl::CompiledPtr& m) {
      return with_sound_feeds(*m, feeds, [&](auto sound) { return m->profile(sound, profile_options); });
    });
  });
}

std::string Session::program_text() const { return format::to_text(program::to_model(impl_->compiled.program())); }

std::string_view precision_name(Precision precision) {
  switch (precision) {
    case Precision::Float32: return "float32";
    case Precision::BFloat16: return "bfloat16";
    case Precision::Int8: return "int8";
    case Precision::Model: break;
  }
  return "model";
}

Precision precision_from_name(std::string_view name) {
  for (const Precision precision : {Precision::Model, Precision::Float32, Precision::BFloat16, Precision::Int8})
    if (name == precision_name(precision)) return precision;
  throw Error(ErrorCode::InvalidArgument, "there is no precision \"" + std::string(name) + "\"", {},
              "they are model, float32, bfloat16 and int8");
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const program::Pass& pass : program::passes())
    if (pass.optional) names.emplace_back(pass.name);
  return names;
}

}  // namespace norn
