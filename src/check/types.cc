// Types: tensor, sparse tensor, sequence, map, optional and opaque, nested in each other.
//
// A TypeProto is a oneof whose every member is optional, so "a sequence of nothing in particular" can be written down
// and has to be refused here. Main inputs and outputs need exactly one kind; elsewhere an empty TypeProto only says
// that nothing is known, except inside another type, where it leaves that type incomplete.
#include <string>

#include "check/rule_checks.h"
#include "check/text.h"
#include "ir/constants.h"
#include "ir/walk.h"
#include "norn/types.h"

namespace norn::checks {
namespace {

constexpr const char* kElementHint = "set elem_type to one of TensorProto.DataType's values, 1 (FLOAT) to 28";

bool is_main(ValueUse use) {
  return use == ValueUse::MainInput || use == ValueUse::MainOutput || use == ValueUse::Part;
}

int kinds(const ir::Type& type) {
  return type.tensor_type.has() + type.sequence_type.has() + type.map_type.has() + type.optional_type.has() +
         type.sparse_tensor_type.has() + type.opaque_type.has();
}

bool stated(const ir::Box<ir::Type>& type) { return type && (kinds(*type) > 0 || !type->unknown.empty()); }

bool known_element(std::int32_t type) { return type > 0 && type < kDataTypeCount; }

void check_tensor_type(Context& ctx, const Place& place, const ir::TypeTensor& tensor, ValueUse use) {
  const std::int32_t elem = tensor.elem_type;
  if (!tensor.elem_type.has()) {
    ctx.report("type.tensor.elem-present", place, "the tensor type states no element type", kElementHint);
  } else if (elem == 0) {
    ctx.report("type.tensor.elem-not-undefined", place, "the tensor type's element type is UNDEFINED (0)",
               kElementHint);
  } else if (!known_element(elem)) {
    ctx.report("type.tensor.elem-valid", place,
               "the tensor type's element type " + std::to_string(elem) + " is not one of the known ones, 1 to " +
                   std::to_string(kDataTypeCount - 1),
               kElementHint);
  }
  if (tensor.shape) check_shape(ctx, place, *tensor.shape, use);
}

void check_sparse_type(Context& ctx, const Place& place, const ir::TypeTensor& tensor, ValueUse use) {
  const std::int32_t elem = tensor.elem_type;
  if (!tensor.elem_type.has() || !known_element(elem)) {
    ctx.report("type.sparse.elem", place,
               tensor.elem_type.has()
                   ? "the sparse tensor type's element type " + std::to_string(elem) + " is not one of the known ones"
                   : "the sparse tensor type states no element type",
               kElementHint);
  }
  if (tensor.shape) {
    check_shape(ctx, place, *tensor.shape, use);
  } else if (is_main(use)) {
    ctx.report("type.sparse.shape", place, "the sparse tensor type has no shape, which main inputs and outputs need",
               "give it a shape; dimensions may stay open");
  }
}

// Element types are not main inputs themselves: their shapes may be missing.
ValueUse inner(ValueUse use) { return is_main(use) ? ValueUse::NestedInput : use; }

void check_map_type(Context& ctx, const Place& place, const ir::TypeMap& map, ValueUse use) {
  const std::int32_t key = map.key_type;
  if (!map.key_type.has()) {
    ctx.report("type.map.key-present", place, "the map type states no key type",
               "set key_type to an integer type of 8 to 64 bits or to STRING");
  } else if (!ir::is_map_key(key)) {
    ctx.report("type.map.key-kind", place,
               "the map type's keys are " +
                   (known_element(key) ? std::string(data_type_name(static_cast<DataType>(key)))
                                       : "of the unknown type " + std::to_string(key)) +
                   ", but keys are integers of 8 to 64 bits or strings",
               "INT64 and STRING are what operators take");
  }
  if (!stated(map.value_type)) {
    ctx.report("type.map.value-present", place, "the map type states no value type",
               "set value_type, for example to a float tensor's type");
  }
  if (map.value_type) check_type(ctx, place.at("map value"), *map.value_type, inner(use));
}

void check_optional_type(Context& ctx, const Place& place, const ir::TypeOptional& optional, ValueUse use) {
  if (!stated(optional.elem_type)) {
    ctx.report("type.optional.elem", place, "the optional type does not state what it holds when it holds something",
               "set elem_type to a tensor's or a sequence's type");
  } else if (optional.elem_type->optional_type || optional.elem_type->opaque_type) {
    ctx.report("type.optional.elem-kind", place,
               "the optional type holds " + bare(ir::describe_type(*optional.elem_type)) +
                   ", but an optional holds a tensor, a sequence or a map",
               optional.elem_type->optional_type ? "one optional is enough: use the inner one" : "");
  }
  if (optional.elem_type) check_type(ctx, place.at("optional element"), *optional.elem_type, inner(use));
}

void check_opaque_type(Context& ctx, const Place& place, const ir::TypeOpaque& opaque) {
  if (opaque.name.get().empty()) {
    ctx.report("type.opaque.name", place, "the opaque type has no name, so it cannot be distinguished from another",
               "set the type's name");
  }
  if (has_field(opaque.unknown, 3)) {
    ctx.report("type.opaque.params-retired", place, "the opaque type uses field 3, the retired 'parameters'",
               "put the parameters into the type's name or into an operator's attributes");
  }
}

}  // namespace

void check_type(Context& ctx, const Place& place, const ir::Type& type, ValueUse use) {
  const Deeper deeper(ctx, place);
  const int count = kinds(type);
  if (count > 1) {
    ctx.report("value.one-kind", place, "the type is of " + std::to_string(count) + " kinds at once",
               "keep one of tensor, sequence, map, optional, sparse tensor and opaque");
  } else if (count == 0 && is_main(use)) {
    const bool early = has_field(type.unknown, 2);
    ctx.report("value.one-kind", place,
               early ? "the type is of the sparse tensor type of IR 1, field 2, which went with IR 3"
                     : "the type says nothing: none of its kinds is set",
               early ? "today's sparse_tensor_type is field 8, with the same content"
                     : "set tensor_type (or sequence, map, optional, sparse tensor, opaque)");
  }
  if (type.tensor_type) check_tensor_type(ctx, place, *type.tensor_type, use);
  if (type.sparse_tensor_type) check_sparse_type(ctx, place, *type.sparse_tensor_type, use);
  if (type.sequence_type) {
    if (!stated(type.sequence_type->elem_type)) {
      ctx.report("type.sequence.elem", place, "the sequence type does not state the type of its elements",
                 "set elem_type to the elements' type");
    }
    if (type.sequence_type->elem_type) {
      check_type(ctx, place.at("sequence element"), *type.sequence_type->elem_type, inner(use));
    }
  }
  if (type.map_type) check_map_type(ctx, place, *type.map_type, use);
  if (type.optional_type) check_optional_type(ctx, place, *type.optional_type, use);
  if (type.opaque_type) check_opaque_type(ctx, place, *type.opaque_type);
  if (type.denotation.has()) check_type_denotation(ctx, place, type);
}

}  // namespace norn::checks
