// Data files: the sequence, map and optional messages that test data consist of.
//
// They carry no IR version, so the newest rules bind them. Each message states the kind of its elements in elem_type
// and has a field for every kind, of which only that one may be filled.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "check/rule_checks.h"
#include "check/tensor_size.h"
#include "check/text.h"
#include "format/data_messages.h"
#include "format/notation.h"
#include "ir/constants.h"

namespace norn::checks {
namespace {

using format::DataElement;

constexpr const char* kKinds[] = {"undefined", "tensor", "sparse tensor", "sequence", "map", "optional"};
constexpr std::int32_t kKindCount = static_cast<std::int32_t>(std::size(kKinds));

std::string kind_name(std::int32_t kind) {
  return kind >= 0 && kind < kKindCount ? kKinds[kind] : "unknown (" + std::to_string(kind) + ")";
}
std::int32_t number(DataElement kind) { return static_cast<std::int32_t>(kind); }

template <class Visit>
void for_each_list(const format::SequenceData& s, Visit visit) {
  visit(DataElement::Tensor, s.tensor_values.size());
  visit(DataElement::SparseTensor, s.sparse_tensor_values.size());
  visit(DataElement::Sequence, s.sequence_values.size());
  visit(DataElement::Map, s.map_values.size());
  visit(DataElement::Optional, s.optional_values.size());
}

std::size_t values_of(const format::SequenceData& s) {
  std::size_t all = 0;
  for_each_list(s, [&](DataElement, std::size_t n) { all += n; });
  return all;
}

// The first element whose type is not that of the first one.
template <class T, class TypeOf>
void check_homogeneous(Context& ctx, const Place& place, const std::vector<T>& items, TypeOf type_of) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const std::int32_t first = type_of(items[0]), here = type_of(items[i]);
    if (here == first) continue;
    const auto name = [](std::int32_t t) {
      return std::string(data_type_name(static_cast<DataType>(t > 0 && t < kDataTypeCount ? t : 0)));
    };
    ctx.report(
        "data.seq.homogeneous", place,
        "element " + std::to_string(i) + " of the sequence is of " + name(here) + ", the first one of " + name(first),
        "elements of a sequence share one element type");
    return;
  }
}

void check_items(Context& ctx, const Place& place, const format::SequenceData& s) {
  for (std::size_t i = 0; i < s.tensor_values.size(); ++i) {
    const ir::Tensor& t = s.tensor_values[i];
    check_tensor(ctx, place.of_tensor("tensor", static_cast<std::int64_t>(i), t), t, TensorUse::Data);
  }
  const auto at = [&](const char* kind, std::size_t i, std::string_view name = {}) {
    return place.at(kind, static_cast<std::int64_t>(i), name);
  };
  for (std::size_t i = 0; i < s.sparse_tensor_values.size(); ++i) {
    check_sparse_tensor(ctx, at("sparse tensor", i), s.sparse_tensor_values[i], SparseUse::Data);
  }
  for (std::size_t i = 0; i < s.sequence_values.size(); ++i) {
    check_sequence_data(ctx, at("sequence", i, s.sequence_values[i].name.get()), s.sequence_values[i]);
  }
  for (std::size_t i = 0; i < s.map_values.size(); ++i) {
    check_map_data(ctx, at("map", i, s.map_values[i].name.get()), s.map_values[i]);
  }
  for (std::size_t i = 0; i < s.optional_values.size(); ++i) {
    check_optional_data(ctx, at("optional", i, s.optional_values[i].name.get()), s.optional_values[i]);
  }
}

void check_distinct(Context& ctx, const Place& place, const format::MapData& map) {
  const auto report = [&](const std::string& key) {
    ctx.report("data.map.keys-distinct", place, "the key " + key + " is given twice", "a map has one value for a key");
  };
  std::unordered_set<std::int64_t, SeededHash> numbers;
  for (std::int64_t key : map.keys) {
    if (!numbers.insert(key).second) return report(std::to_string(key));
  }
  NameSet strings;
  for (const ir::Bytes& key : map.string_keys) {
    if (!strings.insert(ir::as_text(key))) return report(quoted(ir::as_text(key)));
  }
}

void check_key_texts(Context& ctx, const Place& place, const format::MapData& map) {
  for (std::size_t i = 0; i < map.string_keys.size(); ++i) {
    if (format::is_utf8(ir::as_text(map.string_keys[i]))) continue;
    ctx.report("type.string.utf8", place, "key " + std::to_string(i) + " of the map is not UTF-8",
               "keys of bytes that are not text can be written as integers");
    return;
  }
}

void check_keys(Context& ctx, const Place& place, const format::MapData& map) {
  const std::int32_t type = map.key_type;
  if (!ir::is_map_key(type)) {
    ctx.report("data.map.key-type", place,
               "the map's key_type is " +
                   (type > 0 && type < kDataTypeCount ? std::string(data_type_name(static_cast<DataType>(type)))
                                                      : std::to_string(type)) +
                   "; keys are integers of 8 to 64 bits or strings",
               "INT64 (7) and STRING (8) are what operators take");
  }
  const bool strings = type == static_cast<std::int32_t>(DataType::String);
  const bool both = !map.keys.empty() && !map.string_keys.empty();
  if (both || (ir::is_map_key(type) && (strings ? !map.keys.empty() : !map.string_keys.empty()))) {
    ctx.report("data.map.key-field", place,
               both ? "the map has both integer keys and string keys"
                    : std::string("the map's keys are ") + (strings ? "strings" : "integers") + ", but they stand in " +
                          (strings ? "keys" : "string_keys"),
               "integer keys belong into keys, string keys into string_keys");
  }
  check_distinct(ctx, place, map);
  check_key_texts(ctx, place, map);
}

}  // namespace

void check_sequence_data(Context& ctx, const Place& place, const format::SequenceData& s) {
  const Deeper deeper(ctx, place);
  const std::int32_t kind = s.elem_type;
  if (kind <= 0 || kind >= kKindCount) {
    ctx.report("data.seq.elem-type", place,
               "the sequence's elem_type " + std::to_string(kind) + " is not a kind of element",
               "1 tensor, 2 sparse tensor, 3 sequence, 4 map, 5 optional");
  } else {
    for_each_list(s, [&](DataElement list, std::size_t n) {
      if (n == 0 || number(list) == kind) return;
      ctx.report("data.seq.field-matches", place,
                 "the sequence's elements are of the kind " + kind_name(kind) + ", but it holds " + std::to_string(n) +
                     " of the kind " + kind_name(number(list)),
                 "fill the list that elem_type names, and no other");
    });
  }
  check_homogeneous(ctx, place, s.tensor_values, [](const ir::Tensor& t) { return t.data_type.get(); });
  check_homogeneous(ctx, place, s.sparse_tensor_values,
                    [](const ir::SparseTensor& t) { return t.values ? t.values->data_type.get() : 0; });
  check_items(ctx, place, s);
}

void check_map_data(Context& ctx, const Place& place, const format::MapData& map) {
  const Deeper deeper(ctx, place);
  check_keys(ctx, place, map);
  if (!map.values) {
    ctx.report("data.map.values", place, "the map has no values",
               "give it a sequence of values, an empty one if need be");
    return;
  }
  const std::int32_t kind = map.values->elem_type;
  if (kind == number(DataElement::Optional)) {
    ctx.report("data.map.values", place, "the map's values are of the kind " + kind_name(kind),
               "values are tensors, sparse tensors, sequences or maps");
  }
  const std::size_t keys = map.keys.size() + map.string_keys.size(), values = values_of(*map.values);
  if (keys != values) {
    ctx.report("data.map.lengths", place,
               "the map has " + std::to_string(keys) + " keys, but " + std::to_string(values) + " values",
               "each key has one value");
  }
  check_sequence_data(ctx, place.at("values", -1, map.values->name.get()), *map.values);
}

void check_optional_data(Context& ctx, const Place& place, const format::OptionalData& o) {
  const Deeper deeper(ctx, place);
  const std::int32_t kind = o.elem_type;
  const std::pair<DataElement, bool> members[] = {{DataElement::Tensor, o.tensor_value.has()},
                                                  {DataElement::SparseTensor, o.sparse_tensor_value.has()},
                                                  {DataElement::Sequence, o.sequence_value.has()},
                                                  {DataElement::Map, o.map_value.has()},
                                                  {DataElement::Optional, o.optional_value.has()}};
  const bool empty = std::none_of(std::begin(members), std::end(members), [](const auto& m) { return m.second; });
  if (kind < 0 || kind >= kKindCount || (kind == 0 && !empty)) {
    ctx.report("data.opt.elem-type", place,
               "the optional's elem_type is " + std::to_string(kind) +
                   (kind == 0 ? " (UNDEFINED), but it holds a value" : ", which is not a kind of element"),
               "1 tensor, 2 sparse tensor, 3 sequence, 4 map, 5 optional");
  } else if (kind != 0) {
    for (const auto& [member, filled] : members) {
      if (!filled || number(member) == kind) continue;
      ctx.report("data.opt.field-matches", place,
                 "the optional's element is of the kind " + kind_name(kind) + ", but it holds one of the kind " +
                     kind_name(number(member)),
                 "fill the field that elem_type names, and no other");
    }
  }
  if (o.tensor_value) {
    check_tensor(ctx, place.of_tensor("tensor", -1, *o.tensor_value), *o.tensor_value, TensorUse::Data);
  }
  if (o.sparse_tensor_value) {
    check_sparse_tensor(ctx, place.at("sparse tensor"), *o.sparse_tensor_value, SparseUse::Data);
  }
  if (o.sequence_value) check_sequence_data(ctx, place.at("sequence"), *o.sequence_value);
  if (o.map_value) check_map_data(ctx, place.at("map"), *o.map_value);
  if (o.optional_value) check_optional_data(ctx, place.at("optional"), *o.optional_value);
}

}  // namespace norn::checks
