#include "format/data_file.h"

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "ir/constants.h"
#include "norn/error.h"

namespace norn::format {
namespace {

template <class Message>
std::string place(const char* kind, const Message& m) {
  return m.name.get().empty() ? std::string(kind) : std::string(kind) + " " + base::quoted(m.name.get());
}

[[noreturn]] void invalid(std::string message, std::string where) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), std::move(where));
}

template <class T>
std::vector<Value> all(const std::vector<T>& items, const ir::ExternalReader& external) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const T& item : items) values.emplace_back(to_value(item, external));
  return values;
}

// The one list of a SequenceProto that is filled, or the declared one if none is.
DataElement element_of(const SequenceData& s) {
  const std::pair<DataElement, bool> lists[] = {{DataElement::Tensor, !s.tensor_values.empty()},
                                                {DataElement::SparseTensor, !s.sparse_tensor_values.empty()},
                                                {DataElement::Sequence, !s.sequence_values.empty()},
                                                {DataElement::Map, !s.map_values.empty()},
                                                {DataElement::Optional, !s.optional_values.empty()}};
  const std::int32_t declared = s.elem_type;
  if (declared < 0 || declared > static_cast<std::int32_t>(DataElement::Optional)) {
    invalid("its elem_type " + std::to_string(declared) + " is unknown", place("sequence", s));
  }
  auto element = static_cast<DataElement>(declared);
  for (const auto& [kind, filled] : lists) {
    if (!filled || kind == element) continue;
    if (element != DataElement::Undefined) {
      invalid("it holds elements of a kind other than its elem_type " + std::to_string(declared), place("sequence", s));
    }
    element = kind;
  }
  return element;
}

}  // namespace

Value to_value(const SequenceData& s, const ir::ExternalReader& external) {
  Sequence sequence;
  try {
    switch (element_of(s)) {
      case DataElement::Undefined: break;
      case DataElement::Tensor: sequence.items = all(s.tensor_values, external); break;
      case DataElement::SparseTensor: sequence.items = all(s.sparse_tensor_values, external); break;
      case DataElement::Sequence: sequence.items = all(s.sequence_values, external); break;
      case DataElement::Map: sequence.items = all(s.map_values, external); break;
      case DataElement::Optional: sequence.items = all(s.optional_values, external); break;
    }
  } catch (Error& e) {
    throw e.within(place("sequence", s));
  }
  return sequence;
}

Value to_value(const MapData& m, const ir::ExternalReader& external) {
  const std::string where = place("map", m);
  if (!m.keys.empty() && !m.string_keys.empty()) invalid("it has both integer and string keys", where);
  if (!ir::is_map_key(m.key_type))
    invalid("its key type " + std::to_string(m.key_type.get()) + " is neither an integer type nor string", where);
  const auto key_type = static_cast<DataType>(m.key_type.get());
  const bool strings = key_type == DataType::String;
  if (strings ? !m.keys.empty() : !m.string_keys.empty()) invalid("its keys are not of its key type", where);
  Map map;
  if (strings) {
    map.keys = Tensor(DataType::String, {static_cast<std::int64_t>(m.string_keys.size())});
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < m.string_keys.size(); ++i) {
      const auto key = ir::as_text(m.string_keys[i]);
      if (!seen.insert(key).second) invalid("the key " + base::quoted(key) + " is given twice", where);
      map.keys.as_mutable<std::string>()[i] = key;
    }
  } else {
    map.keys = Tensor(DataType::Int64, {static_cast<std::int64_t>(m.keys.size())});
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < m.keys.size(); ++i) {
      if (key_type == DataType::Uint64 && m.keys[i] < 0) {
        throw Error(ErrorCode::NotImplemented, "a uint64 key is larger than 63 bits", where);
      }
      if (!seen.insert(m.keys[i]).second) invalid("the key " + std::to_string(m.keys[i]) + " is given twice", where);
      map.keys.as_mutable<std::int64_t>()[i] = m.keys[i];
    }
  }
  if (m.values) {
    try {
      map.values = to_value(*m.values, external).sequence().items;
    } catch (Error& e) {
      throw e.within(where);
    }
  }
  if (static_cast<std::int64_t>(map.values.size()) != map.keys.size()) {
    invalid("it has " + std::to_string(map.keys.size()) + " keys, but " + std::to_string(map.values.size()) + " values",
            where);
  }
  return map;
}

Value to_value(const OptionalData& o, const ir::ExternalReader& external) {
  const std::string where = place("optional", o);
  const std::pair<DataElement, bool> members[] = {{DataElement::Tensor, o.tensor_value.has()},
                                                  {DataElement::SparseTensor, o.sparse_tensor_value.has()},
                                                  {DataElement::Sequence, o.sequence_value.has()},
                                                  {DataElement::Map, o.map_value.has()},
                                                  {DataElement::Optional, o.optional_value.has()}};
  std::optional<DataElement> filled;
  for (const auto& [kind, has] : members) {
    if (!has) continue;
    if (filled) invalid("it holds more than one value", where);
    filled = kind;
  }
  if (!filled) return Value();  // elem_type may still say what an empty optional could hold
  if (o.elem_type.get() != 0 && o.elem_type.get() != static_cast<std::int32_t>(*filled)) {
    invalid("it holds a value of a kind other than its elem_type " + std::to_string(o.elem_type.get()), where);
  }
  try {
    switch (*filled) {
      case DataElement::Tensor: return to_value(*o.tensor_value, external);
      case DataElement::SparseTensor: return to_value(*o.sparse_tensor_value, external);
      case DataElement::Sequence: return to_value(*o.sequence_value, external);
      case DataElement::Map: return to_value(*o.map_value, external);
      default: return to_value(*o.optional_value, external);
    }
  } catch (Error& e) {
    throw e.within(where);
  }
}

Value read_data(const ir::Bytes& bytes, DataKind kind) {
  return with_data(bytes, kind, {}, [](const auto& message) { return named_value(message).second; });
}

namespace {

OptionalData optional_from(const Value& value);
MapData map_from(const Map& map);

DataElement kind_of(const Value& value) {
  if (value.is_tensor()) return DataElement::Tensor;
  if (value.is_sparse()) return DataElement::SparseTensor;
  if (value.is_sequence()) return DataElement::Sequence;
  if (value.is_map()) return DataElement::Map;
  return DataElement::Undefined;
}

SequenceData sequence_from(const std::vector<Value>& items) {
  SequenceData s;
  DataElement element = items.empty() ? DataElement::Tensor : kind_of(items.front());
  for (const Value& v : items)
    if (v.is_empty()) element = DataElement::Optional;
  s.elem_type = static_cast<std::int32_t>(element);
  for (const Value& v : items) {
    if (element != DataElement::Optional && kind_of(v) != element) {
      throw Error(ErrorCode::InvalidArgument, "a sequence of mixed kinds cannot be saved: it holds " +
                                                  items.front().describe() + " and " + v.describe());
    }
    switch (element) {
      case DataElement::Tensor: s.tensor_values.push_back(ir::from_value(v.tensor())); break;
      case DataElement::SparseTensor: s.sparse_tensor_values.push_back(ir::from_value(v.sparse())); break;
      case DataElement::Sequence: s.sequence_values.push_back(sequence_from(v.sequence().items)); break;
      case DataElement::Map: s.map_values.push_back(map_from(v.map())); break;
      default: s.optional_values.push_back(optional_from(v)); break;
    }
  }
  return s;
}

MapData map_from(const Map& map) {
  MapData m;
  m.key_type = static_cast<std::int32_t>(map.keys.dtype());
  for (std::int64_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys.dtype() == DataType::String)
      m.string_keys.push_back(ir::bytes_of(map.keys.as<std::string>()[i]));
    else
      m.keys.push_back(map.keys.as<std::int64_t>()[i]);
  }
  m.values = sequence_from(map.values);
  return m;
}

OptionalData optional_from(const Value& value) {
  OptionalData o;
  o.elem_type = static_cast<std::int32_t>(kind_of(value));
  switch (kind_of(value)) {
    case DataElement::Tensor: o.tensor_value = ir::from_value(value.tensor()); break;
    case DataElement::SparseTensor: o.sparse_tensor_value = ir::from_value(value.sparse()); break;
    case DataElement::Sequence: o.sequence_value = sequence_from(value.sequence().items); break;
    case DataElement::Map: o.map_value = map_from(value.map()); break;
    default: break;
  }
  return o;
}

template <class M>
std::vector<std::byte> named(M m, const std::string& name) {
  if (!name.empty()) m.name = name;
  return write_message(m);
}

}  // namespace

std::vector<std::byte> write_data(const Value& value, const std::string& name) {
  if (value.is_tensor()) return write_message(ir::from_value(value.tensor(), name));
  if (value.is_sparse()) return write_message(ir::from_value(value.sparse(), name));
  if (value.is_sequence()) return named(sequence_from(value.sequence().items), name);
  if (value.is_map()) return named(map_from(value.map()), name);
  return named(optional_from(value), name);
}

}  // namespace norn::format
