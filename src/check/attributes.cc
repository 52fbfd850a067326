// Rules about an attribute by itself.
//
// `type` came with IR 2; before, the one field present shows it, and an empty list looks like no value at all.
// Writers of proto3 leave out zeros: a scalar type without a field is 0, 0.0 or "". Fields 12 and 16 to 19 belonged to
// a message that was withdrawn before the first release.
#include <algorithm>
#include <string>

#include "check/rule_checks.h"
#include "check/text.h"
#include "format/attribute_fields.h"
#include "format/notation.h"
#include "infer/signature.h"

namespace norn::checks {
namespace {

using ir::AttributeType;

struct Filled {
  int count = 0;
  AttributeType last = AttributeType::Undefined;
};

Filled filled_fields(const ir::Attribute& a) {
  Filled filled;
  const auto look = [&](bool present, AttributeType type) {
    if (!present) return;
    ++filled.count;
    filled.last = type;
  };
  look(a.f.has(), AttributeType::Float);
  look(a.i.has(), AttributeType::Int);
  look(a.s.has(), AttributeType::String);
  look(a.t.has(), AttributeType::Tensor);
  look(a.g.has(), AttributeType::Graph);
  look(a.sparse_tensor.has(), AttributeType::SparseTensor);
  look(a.tp.has(), AttributeType::TypeProto);
  look(!a.floats.empty(), AttributeType::Floats);
  look(!a.ints.empty(), AttributeType::Ints);
  look(!a.strings.empty(), AttributeType::Strings);
  look(!a.tensors.empty(), AttributeType::Tensors);
  look(!a.graphs.empty(), AttributeType::Graphs);
  look(!a.sparse_tensors.empty(), AttributeType::SparseTensors);
  look(!a.type_protos.empty(), AttributeType::TypeProtos);
  return filled;
}

bool is_message(AttributeType type) {
  return type == AttributeType::Tensor || type == AttributeType::Graph || type == AttributeType::SparseTensor ||
         type == AttributeType::TypeProto;
}

void check_reference(Context& ctx, const Place& place, const ir::Attribute& attribute, const Filled& filled,
                     const ir::Node* owner) {
  const std::string& name = attribute.ref_attr_name.get();
  if (filled.count > 0) {
    ctx.report("attr.ref.no-value", place,
               "it refers to the function's attribute " + quoted(name) + " and has a value too", "drop one of them");
  }
  const ir::Function* function = ctx.function();
  if (!function) {
    if (ctx.scopes().open()) return;
    ctx.report("attr.ref.only-in-function", place, infer::reference_outside_function(attribute));
    return;
  }
  if (!owner) {
    ctx.report("attr.ref.only-in-function", place,
               "it is the default of an attribute, yet refers to the attribute " + quoted(name) +
                   "; only nodes of the function's body refer to its attributes",
               "give the default a value, or list the attribute's name without a default");
    return;
  }
  const auto [declared, preset] = formal_attribute(ctx, *function, name);
  if (!declared) {
    ctx.report("function.attr.declared", place, "the function declares no attribute " + quoted(name),
               "list it among the function's attributes");
  } else if (preset && attribute.type.has() && preset->type.has() && attribute.type.get() != preset->type.get()) {
    ctx.report("attr.ref.same-type", place,
               "its type is not that of the function's attribute " + quoted(name) + ", to which it refers");
  }
}

void check_value(Context& ctx, const Place& place, const ir::Attribute& attribute, const Filled& filled) {
  if (filled.count > 1) {
    ctx.report("attr.value.exactly-one", place,
               std::to_string(filled.count) + " value fields are filled; an attribute has one value");
  }
  const std::int32_t number = attribute.type.get();
  if (ctx.ir_version() < 2 || number < 1 || number > 14) return;
  const auto type = static_cast<AttributeType>(number);
  if (filled.count == 1 && filled.last != type) {
    ctx.report("attr.type.matches-field", place,
               std::string("its type asks for the field ") + format::kValueFields[static_cast<std::size_t>(number)] +
                   ", but " + format::kValueFields[static_cast<std::size_t>(filled.last)] + " is filled");
  } else if (filled.count == 0 && is_message(type)) {
    ctx.report("attr.value.message-present", place, infer::attribute_without_value(attribute));
  }
}

struct DocState {
  bool reported = false;
};

}  // namespace

void check_attribute_fields(Context& ctx, const Place& place, const ir::Attribute& attribute, const ir::Node* owner) {
  if (attribute.name.get().empty()) ctx.report("attr.name", place, "the attribute has no name", "set name");
  if (ctx.ir_version() >= 2) {
    if (!attribute.type.has()) {
      ctx.report("attr.type.present", place, "the attribute has no type",
                 "set type; files of IR 1 only may leave it out");
    } else if (attribute.type.get() < 1 || attribute.type.get() > 14) {
      ctx.report(
          "attr.type.not-undefined", place,
          "the attribute's type is " + std::to_string(attribute.type.get()) + ", which is not an attribute type");
    }
  }
  const Filled filled = filled_fields(attribute);
  if (!attribute.ref_attr_name.get().empty())
    check_reference(ctx, place, attribute, filled, owner);
  else
    check_value(ctx, place, attribute, filled);
  const auto utf8 = [&](const std::string& text) {
    if (format::is_utf8(text)) return true;
    ctx.report("attr.value.string-utf8", place, "a string of the attribute is not UTF-8",
               "bytes that are not text belong into a tensor of uint8");
    return false;
  };
  if (!attribute.s.get().empty()) utf8(attribute.s.get());
  for (const std::string& text : attribute.strings) {
    if (!utf8(text)) break;
  }
  if (!attribute.unknown.empty() && (has_field(attribute.unknown, 12) || has_field(attribute.unknown, 16, 19))) {
    ctx.report("attr.reserved-v", place, "the attribute uses fields that were withdrawn before the first release",
               "they are not interpreted; give the value in its present field");
  }
  if (const std::string& text = attribute.doc_string.get(); !text.empty()) {
    check_doc_string(ctx, place, text);
  } else if (!std::exchange(ctx.state<DocState>().reported, true)) {
    ctx.report("attr.doc-string", place, "the attribute has no documentation; this is reported for one attribute only");
  }
}

}  // namespace norn::checks
