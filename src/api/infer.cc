// Inference's public face: what infer_document() found is written into a copy of the document, or reported.
#include "norn/infer.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/declare_inferred.h"
#include "api/document_inference.h"
#include "api/save.h"
#include "base/parallel.h"
#include "base/text.h"
#include "check/carry_denotations.h"
#include "format/external.h"
#include "format/wire.h"
#include "infer/document.h"
#include "opset/reference.h"

namespace norn {
namespace {

using infer::DocumentFacts;
using opset::DimExpr;
using opset::ValueType;

// Where the first fresh variable of an expression began.
void explain(Inference::Unknown& unknown, const DimExpr& d, const DocumentFacts& facts) {
  std::vector<std::string> names;
  d.collect_variables(names);
  for (const std::string& name : names) {
    const infer::Symbols::Origin* origin = facts.symbols.origin(name);
    if (!origin) continue;
    unknown.why = origin->why;
    unknown.where = facts.describe(origin->where);
    return;
  }
}

void report_facts(const DocumentFacts& facts, Inference& found) {
  for (const DocumentFacts::Graph& g : facts.graphs) {
    const std::string graph = facts.describe(g.place);
    for (infer::ValueId id : g.values) {
      const DocumentFacts::Value& value = facts.value(id);
      ++found.values;
      const ValueType& type = value.type;
      found.typed += type.known();
      if (!type.known() || (type.is_tensor() && !type.has_rank())) {
        const DocumentFacts::Unknown& unknown = facts.unknowns[value.unknown];
        found.unknown.push_back(
            {graph, std::string(value.name), type.known() ? -1 : -2, unknown.why, facts.describe(unknown.where)});
        continue;
      }
      ++found.shaped;
      bool symbolic = true, fixed = true;
      for (std::size_t d = 0; type.shape && d < type.shape->size(); ++d) {
        const DimExpr& size = (*type.shape)[d];
        fixed = fixed && size.is_constant();
        if (!opset::has_fresh(size)) continue;
        symbolic = false;
        explain(
            found.unknown.emplace_back(Inference::Unknown{graph, std::string(value.name), static_cast<int>(d), {}, {}}),
            size, facts);
      }
      found.symbolic += symbolic;
      found.fixed += fixed;
    }
  }
  for (const infer::Problem& p : facts.problems) found.problems.push_back({p.where, p.message, p.hint});
  found.without_inference.assign(facts.without_inference.begin(), facts.without_inference.end());
  std::stable_sort(found.without_inference.begin(), found.without_inference.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

bool counts(const infer::Problem& problem, const InferOptions& options) {
  using Kind = infer::Problem::Kind;
  if (problem.kind == Kind::Variables) return false;
  if (options.check_types || problem.kind != Kind::Node) return true;
  using infer::Fault;
  switch (problem.fault) {
    case Fault::Signature:
    case Fault::LeftOut:
    case Fault::Rule:
    case Fault::Meaning: return true;
    default: return false;
  }
}

void refuse_problems(const DocumentFacts& facts, const InferOptions& options) {
  if (!options.strict) return;
  for (const infer::Problem& p : facts.problems)
    if (counts(p, options)) throw Error(ErrorCode::InvalidGraph, p.message, p.where, p.hint);
}

template <class T>
T read(std::span<const std::byte> bytes, const Limits& limits) {
  return format::read_message<T>(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), limits);
}

}  // namespace

infer::DocumentOptions document_options(const std::vector<OperatorSet>& sets, const Limits& limits) {
  infer::DocumentOptions options;
  options.evaluator = opset::evaluate;
  options.limits = limits;
  for (const OperatorSet& set : sets) options.operator_sets.push_back(&set.document());
  return options;
}

infer::DocumentOptions document_options(const Model& model, const std::vector<OperatorSet>& sets,
                                        const Limits& limits) {
  infer::DocumentOptions options = document_options(sets, limits);
  options.external = format::external_reader(model.base_dir(), format::external_access(model.load_options()));
  return options;
}

Model infer_shapes(const Model& model, const InferOptions& options, Inference* found) {
  return infer_shapes(Model(model), options, found);
}

namespace {

// For another thread to be woken.
bool has_many_nodes(const ir::Model& model) { return model.graph && model.graph->node.size() >= 4096; }

// Encodes most of a large model and writes it, ahead of what inference will add.
void begin_saving(const ir::Model& model, const std::string& path, SaveBegun& begun) {
  format::encode_parts(*model.graph, begun.encoded);
  constexpr std::uint64_t kUsualType = 28;  // bytes of a declaration without its name
  std::uint64_t declarations = 0;
  for (const ir::Node& node : model.graph->node)
    for (const std::string& name : node.output) declarations += kUsualType + name.size();
  const std::vector<format::PlacedBytes> places = format::expected_places(model, begun.encoded, declarations);
  if (places.empty()) return;
  try {
    auto file = std::make_unique<base::AtomicFile>(path, base::Stored::BeforeReplacing);
    for (const format::PlacedBytes& p : places) file->write_ahead(p.offset, p.bytes);
    file->begin_storing();
    begun.file = std::move(file);
  } catch (const Error&) {  // inference or saving will report it
  }
}

// The model's document with what was found of its values, which `facts` keep. With `begun`, declarations of those that
// had none go there and not into the document, and saving it to `path` begins while inference goes on.
Model write_inferred(Model&& model, const InferOptions& options, Inference* found, DocumentFacts& facts,
                     SaveBegun* begun = nullptr, const std::string& to = {}) {
  const std::string path = model.path();
  const LoadOptions loaded = model.load_options();
  infer::DocumentOptions how = document_options(model, options.operator_sets, options.limits);
  how.past_wrong_types = !options.check_types;
  const std::shared_ptr<ir::Model> document = std::move(model).release_document();
  const bool denoted = checks::denotes_dimensions(*document);
  if (denoted) begun = nullptr;  // what it would write does not have the denotations yet
  const auto infer = [&] { infer::infer_document(*document, how, facts); };
  if (begun && has_many_nodes(*document))
    base::run_both(infer, [&] { begin_saving(*document, to, *begun); });
  else
    infer();
  refuse_problems(facts, options);
  if (found) {
    found->path = path;
    report_facts(facts, *found);
  }
  declare_inferred(*document, facts, options.symbolic, begun ? &begun->encoded : nullptr);
  if (denoted) checks::carry_denotations(*document);
  return Model(document, path, loaded);
}

}  // namespace

Model infer_shapes(Model&& model, const InferOptions& options, Inference* found) {
  DocumentFacts facts;
  return write_inferred(std::move(model), options, found, facts);
}

void infer_shapes_path(const std::string& model, const std::string& output, const InferOptions& options,
                       Inference* found) {
  LoadOptions load;
  load.limits = options.limits;
  const std::string& path = output.empty() ? model : output;
  const bool binary = format_of(path) == Format::Binary;
  SaveBegun begun;
  auto facts = std::make_unique<DocumentFacts>();
  std::optional<Model> inferred =
      write_inferred(Model::load(model, load), options, found, *facts, binary ? &begun : nullptr, path);
  std::function<void()> once_written;
  if (has_many_nodes(inferred->document()))
    once_written = [&] {  // it takes a while
      facts.reset();
      inferred.reset();
      begun.encoded = {};
    };
  save(*inferred, path, Format::Auto, begun, once_written);
}

std::vector<NamedMessage> infer_node_outputs(std::span<const std::byte> node, const std::vector<NamedMessage>& types,
                                             const std::vector<NamedMessage>& tensors,
                                             const std::vector<std::pair<std::string, std::int64_t>>& imports,
                                             std::int64_t ir_version, const InferOptions& options) {
  ir::Model model;
  model.ir_version = ir_version;
  for (const auto& [domain, version] : imports) {
    ir::OperatorSetId& import = model.opset_import.emplace_back();
    import.domain = domain;
    import.version = version;
  }
  ir::Graph& graph = model.graph.mut();
  graph.node.push_back(read<ir::Node>(node, options.limits));
  for (const auto& [name, bytes] : types) {
    ir::ValueInfo& info = graph.input.emplace_back();
    info.name = name;
    info.type = read<ir::Type>(bytes, options.limits);
  }
  for (const auto& [name, bytes] : tensors) {
    graph.initializer.push_back(read<ir::Tensor>(bytes, options.limits));
    graph.initializer.back().name = name;
  }
  DocumentFacts facts;
  infer::infer_document(model, document_options(options.operator_sets, options.limits), facts);
  InferOptions strict = options;
  strict.strict = true;
  refuse_problems(facts, strict);
  std::vector<NamedMessage> outputs;
  for (const std::string& name : graph.node[0].output)
    for (infer::ValueId id : facts.graphs.front().values)
      if (const DocumentFacts::Value& value = facts.value(id);
          !name.empty() && value.name == name && value.type.known())
        outputs.emplace_back(name, type_bytes(value.type));
  return outputs;
}

std::vector<std::vector<std::byte>> infer_function_outputs(std::span<const std::byte> function,
                                                           const std::vector<std::vector<std::byte>>& types,
                                                           const std::vector<std::vector<std::byte>>& attributes,
                                                           std::int64_t ir_version, const InferOptions& options) {
  DocumentFacts facts;
  std::vector<opset::Fact> inputs;
  for (const auto& bytes : types)
    inputs.push_back(
        {opset::from_ir(read<ir::Type>(bytes, options.limits),
                        [&] { return facts.symbols.fresh("the input has no size here", infer::kNowhere); }),
         {}});
  std::vector<ir::Attribute> given;
  for (const auto& bytes : attributes) given.push_back(read<ir::Attribute>(bytes, options.limits));
  const auto body = read<ir::Function>(function, options.limits);
  const std::vector<opset::Fact> found = infer::infer_function(
      body, inputs, given, document_options(options.operator_sets, options.limits), ir_version, facts);
  InferOptions strict = options;
  strict.strict = true;
  refuse_problems(facts, strict);
  std::vector<std::vector<std::byte>> outputs;
  for (const opset::Fact& fact : found)
    outputs.push_back(fact.type.known() ? type_bytes(fact.type) : std::vector<std::byte>());
  return outputs;
}

std::string Inference::to_string(bool why) const {
  std::string text;
  for (const Problem& p : problems) {
    ((text += "problem: ") += p.message) += "\n  at: " + p.where + "\n";
    if (!p.hint.empty()) text += "  help: " + p.hint + "\n";
  }
  if (why) {
    for (const Unknown& u : unknown) {
      text += u.graph + " / value \"" + u.value + "\": ";
      text += u.dimension == -2   ? "its type is not known"
              : u.dimension == -1 ? "its rank is not known"
                                  : "dimension " + std::to_string(u.dimension) + " is not known";
      if (!u.why.empty()) text += ": " + u.why;
      if (!u.where.empty()) text += "\n  since: " + u.where;
      text += '\n';
    }
  }
  for (const auto& [name, count] : without_inference)
    text += "shapes of " + name + " are not inferred yet (" + base::counted(count, "node") + ")\n";
  if (!path.empty()) text += path + ": ";
  text += base::counted(values, "value") + ", " + std::to_string(typed) + " with a type, " + std::to_string(shaped) +
          " with a rank, " + std::to_string(symbolic) + " whose sizes are known by number or name, " +
          std::to_string(fixed) + " of them by number; " + base::counted(problems.size(), "problem") + "\n";
  return text;
}

std::string Inference::to_json() const {
  using Json = nlohmann::ordered_json;
  Json unknowns = Json::array(), faults = Json::array(), missing = Json::object();
  for (const Unknown& u : unknown)
    unknowns.push_back(
        {{"graph", u.graph}, {"value", u.value}, {"dimension", u.dimension}, {"why", u.why}, {"where", u.where}});
  for (const Problem& p : problems) faults.push_back({{"where", p.where}, {"message", p.message}, {"hint", p.hint}});
  for (const auto& [name, count] : without_inference) missing[name] = count;
  const Json all = {{"path", path},
                    {"values", values},
                    {"typed", typed},
                    {"shaped", shaped},
                    {"symbolic", symbolic},
                    {"fixed", fixed},
                    {"unknown", std::move(unknowns)},
                    {"problems", std::move(faults)},
                    {"without_inference", std::move(missing)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace norn
