// A declared size goes before an inferred one unless that is a number: the names that a model gives its sizes are its
// interface.
#include "api/declare_inferred.h"

#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/name_map.h"
#include "ir/walk.h"

namespace norn {
namespace {

using infer::DocumentFacts;
using opset::DimExpr;
using opset::ValueType;

// How sizes that are not numbers are spelt in the document.
class Spelling {
 public:
  // Makes names for sizes that are not a name of the document; with `symbolic` only for unknown ones.
  Spelling(const ir::Model& model, bool symbolic) : symbolic_(symbolic) {
    if (!model.graph) return;
    ir::for_each_graph(*model.graph, [&](const ir::Graph& g, const std::string&) {
      for (const auto* list : {&g.input, &g.output, &g.value_info})
        for (const ir::ValueInfo& info : *list) note(info);
    });
  }
  // Leaves out sizes that are not a name of the document.
  Spelling() = default;

  std::string operator()(const DimExpr& d) {
    if (!d.variable_name().empty() && !opset::has_fresh(d)) return std::string(opset::document_name(d));
    if (!symbolic_) return {};
    if (!*symbolic_) return name_of(d.to_string());
    return d
        .substitute([&](std::string_view name) -> std::optional<DimExpr> {
          if (!name.starts_with('?')) return {};
          return DimExpr::variable(name_of(std::string(name)));
        })
        .to_string();
  }

 private:
  void note(const ir::ValueInfo& info) {
    if (info.type) note(*info.type);
  }
  void note(const ir::Type& type) {
    for (const auto* tensor : {&type.tensor_type, &type.sparse_tensor_type})
      if (*tensor && (*tensor)->shape)
        for (const ir::Dimension& d : (*tensor)->shape->dim) taken_.insert(d.dim_param.get());
    if (type.sequence_type && type.sequence_type->elem_type) note(*type.sequence_type->elem_type);
    if (type.optional_type && type.optional_type->elem_type) note(*type.optional_type->elem_type);
    if (type.map_type && type.map_type->value_type) note(*type.map_type->value_type);
  }
  const std::string& name_of(const std::string& size) {
    std::string& name = names_[size];
    while (name.empty()) {
      std::string next = "unk__" + std::to_string(next_++);
      if (!taken_.contains(next)) name = std::move(next);
    }
    return name;
  }

  std::optional<bool> symbolic_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::string> names_;
  std::size_t next_ = 0;
};

// Encoded types, the latest kept: most values of a large graph have a type that others shortly before them have.
class TypeBytes {
 public:
  template <class Encode>
  std::span<const std::byte> of(const ValueType& type, Encode&& encode) {
    for (const auto& [known, bytes] : latest_)
      if (same(known, type)) return bytes;
    auto& [known, bytes] = latest_[next_++ % std::size(latest_)];
    bytes = encode(type);
    known = type;
    return bytes;
  }

 private:
  // Elements and names by where they lie.
  static bool same(const ValueType& a, const ValueType& b) {
    return a.kind == b.kind && a.elem == b.elem && a.shape == b.shape && a.element == b.element && a.name == b.name;
  }
  std::pair<ValueType, std::vector<std::byte>> latest_[8];
  std::size_t next_ = 0;
};

class Writer {
  static constexpr std::size_t kUsualEntry = 48;  // bytes, encoded

 public:
  Writer(const DocumentFacts& facts, Spelling& spelling, format::Encoded* encoded)
      : facts_(facts), spelling_(spelling), encoded_(encoded) {
    for (const DocumentFacts::Graph& g : facts.graphs) graphs_.emplace(g.graph, &g);
  }

  // The graph is one that the facts are of; they refer to names in it, which stay where they are.
  void write(ir::Graph& graph, bool nested = false) {
    for (ir::Node& node : graph.node)
      for (ir::Attribute& attribute : node.attribute)
        if (attribute.g) write(*attribute.g, true);
    const auto at = graphs_.find(&graph);
    if (at == graphs_.end()) return;
    declare(graph, *at->second, nested);
  }

 private:
  // A declaration has to say what the elements are.
  static bool is_declarable(const ValueType& type) {
    switch (type.kind) {
      case ValueType::Kind::Unknown: return false;
      case ValueType::Kind::Tensor:
      case ValueType::Kind::SparseTensor: return type.elem != DataType::Undefined;
      case ValueType::Kind::Sequence:
      case ValueType::Kind::Optional: return type.element && is_declarable(*type.element);
      default: return true;
    }
  }
  ir::Type type_of(const ValueType& type) {
    return opset::to_ir(type, [this](const DimExpr& d) { return spelling_(d); });
  }

  // What nodes make needs a declaration; what has one or more takes from what was found. Inputs of the main graph are
  // what the model asks for; those of a nested one are what its node gives.
  void declare(ir::Graph& graph, const DocumentFacts::Graph& found, bool nested) {
    const std::size_t most = found.values.size() - found.first_made;
    format::ValueInfoBytes* bytes = encoded_ ? &encoded_->value_info[&graph] : nullptr;
    if (bytes)
      bytes->reserve(most * kUsualEntry);
    else  // first: `declared` points to entries
      graph.value_info.reserve(graph.value_info.size() + most);
    base::NameMap numbers;
    std::vector<std::vector<ir::ValueInfo*>> declared;
    const auto take = [&](std::vector<ir::ValueInfo>& list) {
      for (ir::ValueInfo& info : list) {
        const std::uint32_t* said = numbers.add(info.name.get(), static_cast<std::uint32_t>(declared.size()));
        (said ? declared[*said] : declared.emplace_back()).push_back(&info);
      }
    };
    take(graph.output);
    take(graph.value_info);
    if (nested) take(graph.input);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const DocumentFacts::Value& value = facts_.value(found.values[i]);
      const ValueType& type = value.type;
      if (const std::uint32_t* said = numbers.find(value.name)) {
        for (ir::ValueInfo* info : declared[*said]) merge(*info, type);
        continue;
      }
      if (i >= found.first_made && is_declarable(type)) add(graph, bytes, value.name, type);
    }
  }
  void add(ir::Graph& graph, format::ValueInfoBytes* bytes, std::string_view name, const ValueType& type) {
    if (bytes) {
      const auto encode = [this](const ValueType& t) { return format::write_message(type_of(t)); };
      return bytes->add(name, type_bytes_.of(type, encode));
    }
    ir::ValueInfo& info = graph.value_info.emplace_back();
    info.name = std::string(name);
    info.type = type_of(type);
  }
  void merge(ir::ValueInfo& info, const ValueType& found) {
    if (!found.known()) return;
    ir::Type type = type_of(found);
    if (!info.type || (!info.type->tensor_type && !info.type->sparse_tensor_type && !info.type->sequence_type &&
                       !info.type->optional_type && !info.type->map_type && !info.type->opaque_type)) {
      info.type = std::move(type);
      return;
    }
    merge(*info.type, type);
  }

  static void merge(ir::Type& declared, ir::Type& found) {
    const auto tensors = [](ir::Box<ir::TypeTensor>& to, ir::Box<ir::TypeTensor>& from) {
      if (!to || !from) return;
      if (to->elem_type.get() == 0) to->elem_type = from->elem_type.get();
      if (!from->shape || to->elem_type.get() != from->elem_type.get()) return;
      if (!to->shape) {
        to->shape = std::move(from->shape);
        return;
      }
      if (to->shape->dim.size() != from->shape->dim.size()) return;
      for (std::size_t d = 0; d < to->shape->dim.size(); ++d) {
        ir::Dimension &says = to->shape->dim[d], &is = from->shape->dim[d];
        if (says.dim_value.has()) continue;
        if (is.dim_value.has()) {
          says.dim_value = is.dim_value.get();
          says.dim_param.clear();
        } else if (says.dim_param.get().empty() && is.dim_param.has()) {
          says.dim_param = is.dim_param.get();
        }
      }
    };
    tensors(declared.tensor_type, found.tensor_type);
    tensors(declared.sparse_tensor_type, found.sparse_tensor_type);
    const auto inner = [](ir::Box<ir::Type>& to, ir::Box<ir::Type>& from) {
      if (!from) return;
      if (!to)
        to = std::move(from);
      else
        merge(*to, *from);
    };
    if (declared.sequence_type && found.sequence_type)
      inner(declared.sequence_type->elem_type, found.sequence_type->elem_type);
    if (declared.optional_type && found.optional_type)
      inner(declared.optional_type->elem_type, found.optional_type->elem_type);
    if (declared.map_type && found.map_type) inner(declared.map_type->value_type, found.map_type->value_type);
  }

  const DocumentFacts& facts_;
  Spelling& spelling_;
  format::Encoded* encoded_;
  TypeBytes type_bytes_;
  std::unordered_map<const ir::Graph*, const DocumentFacts::Graph*> graphs_;
};

}  // namespace

void declare_inferred(ir::Model& document, const DocumentFacts& facts, bool symbolic, format::Encoded* encoded) {
  Spelling spelling(document, symbolic);
  if (document.graph) Writer(facts, spelling, encoded).write(*document.graph);
}

std::vector<std::byte> type_bytes(const ValueType& type) {
  Spelling spelling;
  return format::write_message(opset::to_ir(type, [&](const DimExpr& d) { return spelling(d); }));
}

}  // namespace norn
