// Lists are the trap: protobuf does not distinguish an empty list from an absent one, so an IR 1 attribute without a
// type may be an empty list of any kind.
#include "opset/attrs.h"

#include <utility>

#include "base/text.h"
#include "norn/error.h"

namespace norn::opset {
namespace {

std::string_view type_name(ir::AttributeType type) {
  switch (type) {
    case ir::AttributeType::Float: return "a float";
    case ir::AttributeType::Int: return "an int";
    case ir::AttributeType::String: return "a string";
    case ir::AttributeType::Tensor: return "a tensor";
    case ir::AttributeType::Graph: return "a graph";
    case ir::AttributeType::Floats: return "a list of floats";
    case ir::AttributeType::Ints: return "a list of ints";
    case ir::AttributeType::Strings: return "a list of strings";
    case ir::AttributeType::Tensors: return "a list of tensors";
    case ir::AttributeType::Graphs: return "a list of graphs";
    case ir::AttributeType::SparseTensor: return "a sparse tensor";
    case ir::AttributeType::SparseTensors: return "a list of sparse tensors";
    case ir::AttributeType::TypeProto: return "a type";
    case ir::AttributeType::TypeProtos: return "a list of types";
    default: return "of no known type";
  }
}

bool is_list(ir::AttributeType type) {
  return type == ir::AttributeType::Floats || type == ir::AttributeType::Ints || type == ir::AttributeType::Strings;
}

const ir::Attribute* lookup(std::span<const ir::Attribute> given, std::string_view name) {
  for (const ir::Attribute& a : given) {
    if (a.name.get() == name) return &a;
  }
  return nullptr;
}

template <class T>
T required(std::optional<T> value, const Schema& schema, std::string_view name) {
  if (!value) throw Error(ErrorCode::InvalidGraph, missing_text(*find_attr(schema, name)));
  return *std::move(value);
}

}  // namespace

std::string missing_text(const Attr& required) {
  return "the required attribute " + base::quoted(required.name) + " (" +
         std::string(ir::attribute_type_name(required.type)) + ") is missing";
}

bool lacks_value(const ir::Attribute& attribute) noexcept {
  switch (attribute.kind()) {
    case ir::AttributeType::Tensor: return !attribute.t;
    case ir::AttributeType::Graph: return !attribute.g;
    case ir::AttributeType::SparseTensor: return !attribute.sparse_tensor;
    case ir::AttributeType::TypeProto: return !attribute.tp;
    default: return false;
  }
}

const ir::Attribute* Attrs::find(std::string_view name, ir::AttributeType type, const Attr** row) const {
  *row = find_attr(*schema_, name);
  if (!*row || (*row)->type != type) {
    throw Error(ErrorCode::Internal, "the schema of version " + std::to_string(schema_->since) +
                                         " declares no attribute " + base::quoted(name) + " that is " +
                                         std::string(type_name(type)));
  }
  const ir::Attribute* a = lookup(given_, name);
  if (!a) return nullptr;
  if (!a->ref_attr_name->empty()) {
    throw Error(ErrorCode::InvalidGraph, "the attribute " + base::quoted(name) + " refers to the function attribute " +
                                             base::quoted(a->ref_attr_name.get()) + ", which has no value here");
  }
  const ir::AttributeType kind = a->kind();
  if (lacks_value(*a)) throw Error(ErrorCode::InvalidGraph, "the attribute " + base::quoted(name) + " has no value");
  if (kind == type || (kind == ir::AttributeType::Undefined && is_list(type))) return a;
  throw Error(ErrorCode::InvalidGraph, "the attribute " + base::quoted(name) + " is " + std::string(type_name(kind)) +
                                           ", but has to be " + std::string(type_name(type)));
}

bool Attrs::has(std::string_view name) const {
  if (!find_attr(*schema_, name)) {
    throw Error(ErrorCode::Internal, "the schema of version " + std::to_string(schema_->since) +
                                         " declares no attribute " + base::quoted(name));
  }
  return lookup(given_, name) != nullptr;
}

std::optional<std::int64_t> Attrs::find_i(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::Int, &row)) return a->i.get();
  return row->def.kind == Default::Kind::Int ? std::optional(row->def.i) : std::nullopt;
}
std::optional<float> Attrs::find_f(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::Float, &row)) return a->f.get();
  return row->def.kind == Default::Kind::Float ? std::optional(row->def.f) : std::nullopt;
}
std::optional<std::string> Attrs::find_s(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::String, &row)) return a->s.get();
  return row->def.kind == Default::Kind::String ? std::optional(std::string(row->def.s)) : std::nullopt;
}
std::optional<std::vector<std::int64_t>> Attrs::find_ints(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::Ints, &row)) return a->ints;
  if (row->def.kind != Default::Kind::Ints) return {};
  return std::vector<std::int64_t>(row->def.ints.begin(), row->def.ints.end());
}
std::optional<std::vector<float>> Attrs::find_floats(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::Floats, &row)) return a->floats;
  if (row->def.kind != Default::Kind::Floats) return {};
  return std::vector<float>(row->def.floats.begin(), row->def.floats.end());
}
std::optional<std::vector<std::string>> Attrs::find_strings(std::string_view name) const {
  const Attr* row;
  if (auto a = find(name, ir::AttributeType::Strings, &row)) return a->strings;
  if (row->def.kind != Default::Kind::Strings) return {};
  return std::vector<std::string>(row->def.strings.begin(), row->def.strings.end());
}

std::int64_t Attrs::i(std::string_view name) const { return required(find_i(name), *schema_, name); }
float Attrs::f(std::string_view name) const { return required(find_f(name), *schema_, name); }
std::string Attrs::s(std::string_view name) const { return required(find_s(name), *schema_, name); }
std::vector<std::int64_t> Attrs::ints(std::string_view name) const { return required(find_ints(name), *schema_, name); }
std::vector<float> Attrs::floats(std::string_view name) const { return required(find_floats(name), *schema_, name); }
std::vector<std::string> Attrs::strings(std::string_view name) const {
  return required(find_strings(name), *schema_, name);
}

const ir::Tensor* Attrs::tensor(std::string_view name) const {
  const Attr* row;
  auto a = find(name, ir::AttributeType::Tensor, &row);
  return a ? &*a->t : nullptr;
}
const ir::SparseTensor* Attrs::sparse(std::string_view name) const {
  const Attr* row;
  auto a = find(name, ir::AttributeType::SparseTensor, &row);
  return a ? &*a->sparse_tensor : nullptr;
}
const ir::Graph* Attrs::graph(std::string_view name) const {
  const Attr* row;
  auto a = find(name, ir::AttributeType::Graph, &row);
  return a ? &*a->g : nullptr;
}
const ir::Type* Attrs::type(std::string_view name) const {
  const Attr* row;
  auto a = find(name, ir::AttributeType::TypeProto, &row);
  return a ? &*a->tp : nullptr;
}

}  // namespace norn::opset
