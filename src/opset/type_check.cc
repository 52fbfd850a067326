// A map's value type is a tensor type in a document, but type sets spell its element only: map(int64, float).
#include "opset/type_check.h"

#include <algorithm>
#include <array>
#include <bit>

namespace norn::opset {
namespace {

struct MapSpelling {
  MapBit bit;
  std::string_view text;
};
constexpr std::array<MapSpelling, 8> kMaps = {{
    {kMapInt64String, "map(int64, string)"},
    {kMapInt64Float, "map(int64, float)"},
    {kMapInt64Double, "map(int64, double)"},
    {kMapStringInt64, "map(string, int64)"},
    {kMapStringFloat, "map(string, float)"},
    {kMapStringDouble, "map(string, double)"},
    {kSeqMapStringFloat, "seq(map(string, float))"},
    {kSeqMapInt64Float, "seq(map(int64, float))"},
}};

bool has_bit(std::uint32_t bits, DataType type) { return (bits >> static_cast<unsigned>(type)) & 1u; }

bool allows_tensor_in(std::uint32_t bits, const ValueType& type) {
  return type.elem == DataType::Undefined ? bits != 0 : has_bit(bits, type.elem);
}

}  // namespace

bool allows(const TypeSet& set, const ValueType& type) {
  const ValueType* inner = type.element.get();
  const bool inner_unknown = !inner || !inner->known();
  switch (type.kind) {
    case ValueType::Kind::Unknown: return true;
    case ValueType::Kind::Tensor: return allows_tensor_in(set.tensor, type);
    case ValueType::Kind::Sequence:
      if (inner_unknown) return set.sequence != 0 || (set.maps & (kSeqMapStringFloat | kSeqMapInt64Float)) != 0;
      if (inner->is_tensor()) return allows_tensor_in(set.sequence, *inner);
      break;
    case ValueType::Kind::Optional:
      if (inner_unknown) return set.optional != 0 || set.optional_sequence != 0;
      if (inner->is_tensor()) return allows_tensor_in(set.optional, *inner);
      if (inner->kind == ValueType::Kind::Sequence) {
        const ValueType* item = inner->element.get();
        if (!item || !item->known()) return set.optional_sequence != 0;
        return item->is_tensor() && allows_tensor_in(set.optional_sequence, *item);
      }
      return false;
    default: break;
  }
  if (set.maps == 0) return false;
  const std::string text = type.type_string();
  return std::any_of(kMaps.begin(), kMaps.end(),
                     [&](const MapSpelling& m) { return (set.maps & m.bit) && m.text == text; });
}

std::vector<std::string> type_strings(const TypeSet& set) {
  std::vector<std::string> all;
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    const std::string tensor = "tensor(" + std::string(data_type_name(type)) + ")";
    if (has_bit(set.tensor, type)) all.push_back(tensor);
    if (has_bit(set.sequence, type)) all.push_back("seq(" + tensor + ")");
    if (has_bit(set.optional, type)) all.push_back("optional(" + tensor + ")");
    if (has_bit(set.optional_sequence, type)) all.push_back("optional(seq(" + tensor + "))");
  }
  for (const MapSpelling& m : kMaps) {
    if (set.maps & m.bit) all.emplace_back(m.text);
  }
  std::sort(all.begin(), all.end());
  return all;
}

ValueType only_type(const TypeSet& set) {
  const int types = std::popcount(set.tensor) + std::popcount(set.sequence) + std::popcount(set.optional) +
                    std::popcount(set.optional_sequence) + std::popcount(set.maps);
  return types == 1 ? type_from_string(type_strings(set)[0]) : ValueType{};
}

ValueType type_from_string(std::string_view text) {
  const auto inside = [&](std::string_view prefix) -> std::string_view {
    if (!text.starts_with(prefix) || !text.ends_with(')')) return {};
    return text.substr(prefix.size(), text.size() - prefix.size() - 1);
  };
  if (auto elem = inside("tensor("); !elem.empty()) {
    const DataType type = data_type_from_name(elem);
    return type == DataType::Undefined ? ValueType{} : ValueType::tensor(type);
  }
  if (auto of = inside("seq("); !of.empty()) return ValueType::sequence(type_from_string(of));
  if (auto of = inside("optional("); !of.empty()) return ValueType::optional(type_from_string(of));
  if (auto of = inside("map("); !of.empty()) {
    const auto comma = of.find(',');
    if (comma == std::string_view::npos) return {};
    std::string_view value = of.substr(comma + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    ValueType map{.kind = ValueType::Kind::Map, .elem = data_type_from_name(of.substr(0, comma))};
    const DataType elem = data_type_from_name(value);
    map.element = std::make_shared<const ValueType>(elem == DataType::Undefined ? type_from_string(value)
                                                                                : ValueType::tensor(elem));
    return map;
  }
  return {};
}

bool same_type(const ValueType& a, const ValueType& b) {
  if (!a.known() || !b.known()) return true;
  if (a.kind != b.kind) return false;
  if (a.elem != b.elem && a.elem != DataType::Undefined && b.elem != DataType::Undefined) return false;
  if (a.kind == ValueType::Kind::Opaque && *a.name != *b.name) return false;
  return !a.element || !b.element || same_type(*a.element, *b.element);
}

ValueType without_shape(const ValueType& type) {
  ValueType bare{.kind = type.kind, .elem = type.elem, .name = type.name};
  if (type.element) bare.element = std::make_shared<const ValueType>(without_shape(*type.element));
  return bare;
}

}  // namespace norn::opset
