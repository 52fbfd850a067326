// A Program written back as a document at the newest operator sets. A fused node is written as its operations.
#include <set>
#include <unordered_set>

#include "ir/constants.h"
#include "ir/tensor_data.h"
#include "opset/registry.h"
#include "program/lower.h"

namespace norn::program {
namespace {

class Writer {
 public:
  ir::Model write(const Program& program) {
    ir::Model model;
    model.ir_version = ir::kNewestIrVersion;
    model.producer_name = std::string("norn");
    model.configuration = program.configurations;
    for (const State& state : program.states) states_.push_back(unique(state.name));
    model.graph = graph(program.main, nullptr, &program.declared_outputs);
    for (std::size_t i = 0; i < program.states.size(); ++i)
      if (program.states[i].initial.defined())
        model.graph->initializer.push_back(ir::from_value(program.states[i].initial, states_[i]));
    write_beside(program, model);
    domains_.insert("");  // a model imports one at least
    for (const std::string& domain : domains_) {
      ir::OperatorSetId id;
      id.domain = domain;
      id.version = static_cast<std::int64_t>(opset::newest_version(domain));
      model.opset_import.push_back(std::move(id));
    }
    return model;
  }

 private:
  // Values get distinct names: the document's where it is free, else with a number.
  using Names = std::vector<std::string>;

  std::string unique(const std::string& wanted) {
    std::string name = wanted.empty() ? "value" : wanted;
    while (!used_.insert(name).second) name = wanted + "_" + std::to_string(next_++);
    return name;
  }

  // The graphs beside the main one are the document's training information: what gives states their first values is
  // the first entry's initialization, and each other graph is the algorithm of an entry.
  void write_beside(const Program& program, ir::Model& model) {
    std::size_t algorithms = 0;
    for (const auto& [name, beside] : program.graphs) {
      const bool first_values = name == kInitialize;
      const std::size_t entry = first_values ? 0 : algorithms++;
      if (model.training_info.size() <= entry) model.training_info.resize(entry + 1);
      ir::TrainingInfo& info = model.training_info[entry];
      ir::Graph written = graph(beside.graph, nullptr, nullptr);
      ir::Metadata& bindings = first_values ? info.initialization_binding : info.update_binding;
      for (const NamedGraph::Update& update : beside.updates) {
        ir::StringStringEntry binding;
        binding.key = states_[update.state];
        binding.value = written.output[update.output].name;
        bindings.push_back(std::move(binding));
      }
      (first_values ? info.initialization : info.algorithm) = std::move(written);
    }
  }

  // `declared` are the interface of the main graph, which keeps its names; the outputs of others have none to keep.
  ir::Graph graph(const Graph& source, const Names* outer, const std::vector<ir::ValueInfo>* declared) {
    ir::Graph out;
    out.name = source.name.empty() ? std::string("main") : source.name;
    Names names(source.values.size());
    for (const Graph::Capture& c : source.captures) names[c.inner] = (*outer)[c.outer];
    for (ValueId id = 0; id < source.values.size(); ++id)
      if (source.value(id).origin == Origin::State) names[id] = states_[source.value(id).state];
    if (!outer)
      for (ValueId id : source.inputs) names[id] = unique(source.value(id).name);
    if (declared) {
      for (std::size_t i = 0; i < source.outputs.size(); ++i) {
        std::string& name = names[source.outputs[i]];
        const bool is_free = used_.insert((*declared)[i].name.get()).second;
        if (is_free && name.empty()) name = (*declared)[i].name.get();
      }
    }
    auto name_of = [&](ValueId id) -> const std::string& {
      if (names[id].empty()) names[id] = unique(source.value(id).name);
      return names[id];
    };
    for (ValueId id : source.inputs) out.input.push_back(info(source, id, name_of(id)));
    std::vector<bool> stored(source.values.size(), false);
    auto use = [&](ValueId id) -> std::string {
      if (id == kNone) return {};
      const Value& value = source.value(id);
      if (!stored[id] && value.constant.defined()) {
        stored[id] = true;
        out.initializer.push_back(ir::from_value(value.constant, name_of(id)));
      }
      return name_of(id);
    };
    for (ValueId id : source.inputs) use(id);
    auto put = [&](const Node& node) {
      ir::Node n;
      n.op_type = std::string(node.op->name);
      domains_.insert(std::string(node.op->domain));
      if (!node.op->domain.empty()) n.domain = std::string(node.op->domain);
      if (!node.name.empty()) n.name = node.name;
      for (ValueId id : node.inputs) n.input.push_back(use(id));
      for (ValueId id : node.outputs) n.output.push_back(id == kNone ? std::string() : name_of(id));
      n.attribute = node.attrs;
      for (const Subgraph& sub : node.subgraphs) {
        ir::Attribute attr;
        attr.name = sub.attribute;
        attr.type = static_cast<std::int32_t>(ir::AttributeType::Graph);
        for (const Graph::Capture& c : sub.graph->captures) use(c.outer);
        attr.g = graph(*sub.graph, &names, nullptr);
        n.attribute.push_back(std::move(attr));
      }
      n.device_configurations = node.device_configurations;
      n.metadata_props = node.metadata;
      out.node.push_back(std::move(n));
    };
    for (const Node& node : source.nodes) {
      put(node);
      for (const Node& part : node.parts) put(part);
    }
    std::vector<bool> is_output(source.values.size(), false);
    // What a graph but the main one gives out is made by a node of it.
    std::vector<bool> is_made(source.values.size(), declared != nullptr);
    for (const Node& node : source.nodes)
      for (ValueId id : node.results())
        if (id != kNone) is_made[id] = true;
    for (std::size_t i = 0; i < source.outputs.size(); ++i) {
      const ValueId id = source.outputs[i];
      std::string name = use(id);
      const bool keeps_name = !declared || name == (*declared)[i].name.get();
      if (!is_made[id] || is_output[id] || !keeps_name) {
        ir::Node copy;
        copy.op_type = std::string("Identity");
        copy.input = {name};
        name = declared ? (*declared)[i].name.get() : unique(name + "_out");
        copy.output = {name};
        out.node.push_back(std::move(copy));
      }
      is_output[id] = true;
      out.output.push_back(info(source, id, name));
      // Where inference does not know the rank, the document may.
      const opset::ValueType& type = source.value(id).type;
      if (declared && (*declared)[i].type && (!type.known() || (type.is_tensor() && !type.has_rank())))
        out.output.back().type = (*declared)[i].type;
    }
    return out;
  }

  static ir::ValueInfo info(const Graph& source, ValueId id, const std::string& name) {
    ir::ValueInfo v;
    v.name = name;
    if (source.value(id).type.known()) v.type = opset::to_ir(source.value(id).type);
    return v;
  }

  std::unordered_set<std::string> used_;
  std::set<std::string> domains_;
  Names states_;  // of the Program's states
  std::uint64_t next_ = 0;
};

}  // namespace

ir::Model to_model(const Program& program) { return Writer().write(program); }

}  // namespace norn::program
