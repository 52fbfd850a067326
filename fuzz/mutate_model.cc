// How the fuzzer changes models: as documents, so that most of what it tries can be read. Bytes are changed as well.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "format/wire.h"
#include "ir/model.h"
#include "norn/error.h"
#include "norn/limits.h"
#include "norn/types.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace norn::fuzz {
namespace {

constexpr std::int64_t kWhole[] = {0,
                                   1,
                                   2,
                                   3,
                                   -1,
                                   -2,
                                   4,
                                   5,
                                   7,
                                   8,
                                   16,
                                   17,
                                   31,
                                   32,
                                   33,
                                   63,
                                   64,
                                   65,
                                   127,
                                   128,
                                   255,
                                   256,
                                   1000,
                                   65536,
                                   std::int64_t{1} << 20,
                                   (std::int64_t{1} << 31) - 1,
                                   std::int64_t{1} << 31,
                                   -(std::int64_t{1} << 31),
                                   std::int64_t{1} << 40,
                                   std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::min() + 1};
constexpr float kReal[] = {0,
                           1,
                           -1,
                           0.5F,
                           2,
                           -0.0F,
                           1e-30F,
                           1e30F,
                           -1e30F,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void change(ir::Model& model) {
    if (!model.graph) return;
    ir::Graph& graph = *model.graph;
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      switch (below(10)) {
        case 0: version(model); break;
        case 1: declared(graph); break;
        case 2:
        case 3: contents(graph); break;
        case 4:
        case 5: operands(graph); break;
        default: attributes(graph);
      }
    }
  }

  // Nodes of `other`, with what they read, behind those of `model`; one of their operands comes from there.
  void join(ir::Model& model, const ir::Model& other) {
    if (!model.graph || !other.graph || other.graph->node.empty()) return;
    ir::Graph& graph = *model.graph;
    const std::vector<std::string> known = names(graph);
    ir::Graph added = *other.graph;
    const std::string prefix = "j" + std::to_string(below(1000)) + "_";
    for (ir::Node& node : added.node) {
      for (std::string& n : node.input) n = n.empty() ? n : prefix + n;
      for (std::string& n : node.output) n = n.empty() ? n : prefix + n;
    }
    for (ir::Tensor& t : added.initializer) t.name = prefix + t.name.get();
    for (auto* list : {&added.input, &added.output})
      for (ir::ValueInfo& v : *list) v.name = prefix + v.name.get();
    if (!known.empty()) {
      ir::Node& node = added.node[below(added.node.size())];
      if (!node.input.empty()) node.input[below(node.input.size())] = known[below(known.size())];
    }
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(graph.node, added.node);
    append(graph.initializer, added.initializer);
    append(graph.input, added.input);
    append(graph.output, added.output);
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  template <class T>
  auto& one_of(T& list) {
    return list[below(std::size(list))];
  }
  std::int64_t whole() { return below(3) == 0 ? one_of(kWhole) : static_cast<std::int64_t>(below(7)) - 2; }

  static std::vector<std::string> names(const ir::Graph& graph) {
    std::vector<std::string> all;
    for (const ir::ValueInfo& v : graph.input) all.push_back(v.name.get());
    for (const ir::Tensor& t : graph.initializer) all.push_back(t.name.get());
    for (const ir::Node& n : graph.node)
      for (const std::string& o : n.output) all.push_back(o);
    return all;
  }

  void version(ir::Model& model) {
    if (!model.opset_import.empty())
      one_of(model.opset_import).version = static_cast<std::int64_t>(below(8) == 0 ? below(200) : 1 + below(28));
  }

  // A dimension, the rank or the element type of a graph's input, or an input where a constant was.
  void declared(ir::Graph& graph) {
    if (!graph.initializer.empty() && below(3) == 0) {
      const ir::Tensor& t = one_of(graph.initializer);
      if (std::none_of(graph.input.begin(), graph.input.end(),
                       [&](const ir::ValueInfo& v) { return v.name.get() == t.name.get(); })) {
        ir::ValueInfo v;
        v.name = t.name.get();
        ir::TypeTensor& type = v.type.mut().tensor_type.mut();
        type.elem_type = t.data_type.get();
        for (const std::int64_t d : t.dims) type.shape.mut().dim.emplace_back().dim_value = d;
        type.shape.mut();
        const std::string name = v.name.get();
        graph.input.push_back(std::move(v));
        std::erase_if(graph.initializer, [&](const ir::Tensor& x) { return x.name.get() == name; });
      }
      return;
    }
    auto& list = below(4) ? graph.input : graph.output;
    if (list.empty()) return;
    ir::ValueInfo& v = one_of(list);
    if (!v.type || !v.type->tensor_type) return;
    ir::TypeTensor& type = *v.type->tensor_type;
    if (below(6) == 0) {
      type.elem_type = static_cast<std::int32_t>(below(30));
    } else if (below(6) == 0) {
      type.shape.clear();
    } else {
      auto& dims = type.shape.mut().dim;
      if (below(4) == 0) dims.emplace_back();
      if (dims.empty()) return;
      if (below(6) == 0) {
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(below(dims.size())));
        return;
      }
      ir::Dimension& d = one_of(dims);
      d = {};
      if (below(2))
        d.dim_value = whole();
      else if (below(2))
        d.dim_param = std::string(1, static_cast<char>('A' + below(3)));
    }
  }

  void contents(ir::Graph& graph) {
    std::vector<ir::Tensor*> all;
    for (ir::Tensor& t : graph.initializer) all.push_back(&t);
    for (ir::Node& n : graph.node)
      for (ir::Attribute& a : n.attribute)
        if (a.t) all.push_back(&*a.t);
    if (!all.empty()) tensor(*one_of(all));
  }

  // Contents are rewritten as raw bytes where they are.
  void tensor(ir::Tensor& t) {
    if (below(24) == 0) t.data_type = static_cast<std::int32_t>(below(30));
    const auto width = t.data_type.get() > 0 && t.data_type.get() < kDataTypeCount
                           ? element_size(static_cast<DataType>(t.data_type.get()))
                           : 4;
    if (below(3) == 0) {
      if (below(4) == 0) t.dims.push_back(whole());
      if (!t.dims.empty()) one_of(t.dims) = whole();
      std::uint64_t bytes = width;
      for (const std::int64_t d : t.dims) bytes *= static_cast<std::uint64_t>(d);
      if (t.raw_data.has() && bytes <= 4096) {
        std::vector<std::byte> raw(bytes);
        for (std::size_t i = 0; i < bytes && !t.raw_data.get().empty(); ++i)
          raw[i] = t.raw_data.get().data()[i % t.raw_data.get().size()];
        t.raw_data = ir::Bytes(std::move(raw));
      }
      return;
    }
    if (!t.raw_data.has() || t.raw_data.get().empty()) return;
    std::vector<std::byte> raw(t.raw_data.get().data(), t.raw_data.get().data() + t.raw_data.get().size());
    const std::size_t at = below(raw.size()) / width * width;
    if (at + width > raw.size()) return;
    if (t.data_type.get() == static_cast<std::int32_t>(DataType::Float)) {
      std::memcpy(raw.data() + at, &one_of(kReal), 4);
    } else {
      const std::int64_t value = whole();
      std::memcpy(raw.data() + at, &value, std::min<std::size_t>(width, 8));
    }
    t.raw_data = ir::Bytes(std::move(raw));
  }

  void operands(ir::Graph& graph) {
    if (graph.node.empty()) return;
    ir::Node& node = one_of(graph.node);
    const std::vector<std::string> known = names(graph);
    switch (below(5)) {
      case 0:
        if (!node.input.empty()) node.input.pop_back();
        break;
      case 1: node.input.push_back(known.empty() || below(3) == 0 ? std::string() : known[below(known.size())]); break;
      case 2:
        if (!node.input.empty()) one_of(node.input) = std::string();
        break;
      case 3:
        if (node.output.size() < 6) {
          node.output.push_back("more" + std::to_string(below(1000)));
          ir::ValueInfo v;
          v.name = node.output.back();
          graph.output.push_back(std::move(v));
        }
        break;
      default:
        if (!node.input.empty() && !known.empty()) one_of(node.input) = known[below(known.size())];
    }
  }

  void attributes(ir::Graph& graph) {
    if (graph.node.empty()) return;
    ir::Node& node = one_of(graph.node);
    if (node.attribute.empty()) return operands(graph);
    const std::size_t at = below(node.attribute.size());
    ir::Attribute& a = node.attribute[at];
    if (below(12) == 0) {
      node.attribute.erase(node.attribute.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (a.i.has()) {
      a.i = whole();
    } else if (a.f.has()) {
      a.f = one_of(kReal);
    } else if (a.t) {
      tensor(*a.t);
    } else if (a.g) {
      change_graph(*a.g);
    } else if (!a.ints.empty()) {
      if (below(5) == 0)
        a.ints.push_back(whole());
      else if (below(5) == 0)
        a.ints.pop_back();
      else
        one_of(a.ints) = whole();
    }
  }

  void change_graph(ir::Graph& graph) {
    switch (below(4)) {
      case 0: declared(graph); break;
      case 1: contents(graph); break;
      case 2: operands(graph); break;
      default: attributes(graph);
    }
  }

  std::mt19937 random_;
};

bool read(const std::uint8_t* data, std::size_t size, ir::Model& model) {
  Limits limits;
  limits.max_tensor_bytes = 1 << 20;
  limits.max_nodes = 1000;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  try {
    model = format::read_model(ir::Bytes(std::vector<std::byte>(begin, begin + size)), limits);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// 0 if it does not fit.
std::size_t write(const ir::Model& model, std::uint8_t* data, std::size_t max_size) {
  const std::vector<std::byte> bytes = format::write_message(model);
  if (bytes.size() > max_size) return 0;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace
}  // namespace norn::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  norn::ir::Model model;
  if (seed % 8 == 0 || !norn::fuzz::read(data, size, model)) return LLVMFuzzerMutate(data, size, max_size);
  norn::fuzz::Mutator(seed).change(model);
  const std::size_t written = norn::fuzz::write(model, data, max_size);
  return written ? written : LLVMFuzzerMutate(data, size, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size, const std::uint8_t* two,
                                                 std::size_t two_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
  norn::ir::Model model, other;
  if (!norn::fuzz::read(one, one_size, model) || !norn::fuzz::read(two, two_size, other)) return 0;
  norn::fuzz::Mutator(seed).join(model, other);
  return norn::fuzz::write(model, out, max_size);
}
