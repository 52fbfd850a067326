// What `norn show` prints first.
//
// Counting rules: nodes, operators and subgraphs are over the main graph, its nested graphs and the functions;
// parameters are the initializers of all graphs, a sparse one counting what it stores. IR versions before 4 list every
// initializer among the inputs as well; such inputs are left out.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/model.h"
#include "ir/walk.h"
#include "norn/model.h"
#include "norn/text.h"

namespace norn {
namespace {

struct Counter {
  ModelSummary& summary;
  std::map<std::string, std::size_t> operators;

  void node(const ir::Node& n) {
    ++summary.nodes;
    const auto domain = ir::canonical_domain(n.domain.get());
    ++operators[domain.empty() ? n.op_type.get() : std::string(domain) + "." + n.op_type.get()];
  }

  void tensor(const ir::Tensor& t) {
    ++summary.initializers;
    std::uint64_t count = 0;
    try {
      count = static_cast<std::uint64_t>(element_count(t.dims));
    } catch (const Error&) {
      return;  // a broken shape, which the checker reports
    }
    const auto type = static_cast<DataType>(t.data_type > 0 && t.data_type < kDataTypeCount ? t.data_type.get() : 0);
    summary.parameters += count;
    if (type == DataType::String) {
      for (const auto& s : t.string_data) summary.parameter_bytes += s.size();
    } else {
      const auto bits = static_cast<std::uint64_t>(storage_bits(type));
      summary.parameter_bytes += count / 8 * bits + (count % 8 * bits + 7) / 8;
    }
  }

  void graph(const ir::Graph& g) {
    std::size_t graphs = 0;
    ir::for_each_graph(g, [&](const ir::Graph& inner, const std::string&) {
      ++graphs;
      for (const auto& n : inner.node) node(n);
      for (const auto& t : inner.initializer) tensor(t);
      for (const auto& s : inner.sparse_initializer)
        if (s.values) tensor(*s.values);
    });
    summary.subgraphs += graphs - 1;
  }

  void function(const ir::Function& f) {
    for (const auto& n : f.node) {
      node(n);
      for (const auto& a : n.attribute) {
        if (a.g) ++summary.subgraphs, graph(*a.g);
        for (const auto& g : a.graphs) ++summary.subgraphs, graph(g);
      }
    }
  }
};

ModelSummary::Value describe(const ir::ValueInfo& v) {
  return {v.name.get(), v.type ? ir::describe_type(*v.type) : "?"};
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes")
                   : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string human_count(std::uint64_t count) {
  if (count < 10'000) return fmt::format("{}", count);
  constexpr const char* kUnits[] = {"", " thousand", " million", " billion", " trillion"};
  double value = static_cast<double>(count);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  return fmt::format("{:.3g}{}", value, kUnits[unit]);
}

std::string plural(std::size_t n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

// Columns of a terminal, near enough: characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Text out of the file, in one line.
std::string shown(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return printable(text);
}

void list_values(std::string& page, const char* title, const std::vector<ModelSummary::Value>& values) {
  page += fmt::format("\n{}\n", title);
  if (values.empty()) page += "  none\n";
  std::size_t widest = 0;
  for (const auto& v : values) widest = std::max(widest, std::min<std::size_t>(width(shown(v.name)), 40));
  for (const auto& v : values) {
    const std::string name = shown(v.name);
    page +=
        "  " + name + std::string(widest > width(name) ? widest - width(name) : 0, ' ') + "  " + shown(v.type) + "\n";
  }
}

}  // namespace

ModelSummary Model::summary() const {
  const ir::Model& m = *document_;
  ModelSummary s;
  s.path = path_;
  s.ir_version = m.ir_version;
  s.model_version = m.model_version;
  s.doc_string = m.doc_string.get();
  s.producer = m.producer_name.get();
  if (!m.producer_version.get().empty()) s.producer += (s.producer.empty() ? "" : " ") + m.producer_version.get();
  for (const auto& o : m.opset_import)
    s.opsets.push_back({std::string(ir::canonical_domain(o.domain.get())), o.version});
  for (const auto& e : m.metadata_props) s.metadata.emplace_back(e.key.get(), e.value.get());
  struct stat info;
  if (!path_.empty() && ::stat(path_.c_str(), &info) == 0) s.file_bytes = static_cast<std::uint64_t>(info.st_size);

  Counter counter{s, {}};
  if (m.graph) {
    const ir::Graph& g = *m.graph;
    s.graph_name = g.name.get();
    std::set<std::string_view> given;
    for (const auto& t : g.initializer) given.insert(t.name.get());
    for (const auto& t : g.sparse_initializer)
      if (t.values) given.insert(t.values->name.get());
    for (const auto& v : g.input)
      if (!given.contains(v.name.get())) s.inputs.push_back(describe(v));
    for (const auto& v : g.output) s.outputs.push_back(describe(v));
    counter.graph(g);
  }
  s.functions = m.functions.size();
  for (const auto& f : m.functions) counter.function(f);
  s.operators.assign(counter.operators.begin(), counter.operators.end());
  std::stable_sort(s.operators.begin(), s.operators.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return s;
}

std::string ModelSummary::to_string() const {
  std::string page = path.empty() ? "Model" : shown(path);
  if (file_bytes) page += fmt::format("  ({})", human_bytes(file_bytes));
  page += '\n';
  const auto line = [&](const char* label, const std::string& text) {
    if (!text.empty()) page += fmt::format("  {:<11} {}\n", label, text);
  };
  line("Graph", shown(graph_name));
  line("Producer", shown(producer));
  std::string sets;
  for (const auto& o : opsets)
    sets += fmt::format("{}{} {}", sets.empty() ? "" : ", ", o.domain.empty() ? "ai.onnx" : shown(o.domain), o.version);
  line("IR version", fmt::format("{}", ir_version));
  line("Opsets", sets);
  if (model_version) line("Version", fmt::format("{}", model_version));
  std::string size = plural(nodes, "node");
  if (subgraphs) size += ", " + plural(subgraphs, "subgraph");
  if (functions) size += ", " + plural(functions, "function");
  line("Size", size);
  line("Parameters", fmt::format("{} in {} ({})", human_count(parameters), plural(initializers, "initializer"),
                                 human_bytes(parameter_bytes)));
  if (!doc_string.empty()) {
    std::string text = shown(doc_string);
    if (width(text) > 300) {
      text.resize(300);
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
      if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0) text.pop_back();
      text += " ...";
    }
    line("About", text);
  }
  list_values(page, "Inputs", inputs);
  list_values(page, "Outputs", outputs);

  if (!operators.empty()) {
    page += "\nOperators\n";
    std::vector<std::string> cells;
    std::size_t widest = 0;
    const std::size_t digits = fmt::format("{}", operators.front().second).size();
    for (const auto& [name, count] : operators) {
      cells.push_back(fmt::format("{:>{}} {}", count, digits, shown(name)));
      widest = std::max(widest, width(cells.back()));
    }
    // Read downwards, column by column, like a list.
    const std::size_t columns =
        std::max<std::size_t>(1, std::min<std::size_t>(76 / (widest + 3), (cells.size() + 3) / 4));
    const std::size_t rows = (cells.size() + columns - 1) / columns;
    for (std::size_t r = 0; r < rows; ++r) {
      std::string row = " ";
      for (std::size_t i = r; i < cells.size(); i += rows) {
        row += " " + cells[i];
        if (i + rows < cells.size()) row += std::string(widest - width(cells[i]) + 2, ' ');
      }
      page += row + "\n";
    }
  }
  if (!metadata.empty()) {
    page += "\nMetadata\n";
    for (const auto& [key, value] : metadata) {
      std::string text = shown(value);
      page += fmt::format("  {}: {}\n", shown(key), text);
    }
  }
  return page;
}

std::string ModelSummary::to_json() const {
  using Json = nlohmann::ordered_json;
  const auto values = [](const std::vector<Value>& list) {
    Json array = Json::array();
    for (const auto& v : list) array.push_back({{"name", v.name}, {"type", v.type}});
    return array;
  };
  Json json;
  json["path"] = path;
  json["file_bytes"] = file_bytes;
  json["graph_name"] = graph_name;
  json["producer"] = producer;
  json["ir_version"] = ir_version;
  json["model_version"] = model_version;
  json["doc_string"] = doc_string;
  json["opsets"] = Json::array();
  for (const auto& o : opsets) json["opsets"].push_back({{"domain", o.domain}, {"version", o.version}});
  json["inputs"] = values(inputs);
  json["outputs"] = values(outputs);
  json["nodes"] = nodes;
  json["subgraphs"] = subgraphs;
  json["functions"] = functions;
  json["initializers"] = initializers;
  json["parameters"] = parameters;
  json["parameter_bytes"] = parameter_bytes;
  json["operators"] = Json::object();
  for (const auto& [name, count] : operators) json["operators"][name] = count;
  json["metadata"] = Json::object();
  for (const auto& [key, value] : metadata) json["metadata"][key] = value;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace norn
