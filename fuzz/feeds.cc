#include "feeds.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "norn/element.h"
#include "norn/error.h"
#include "norn/types.h"

namespace norn::fuzz {
namespace {

constexpr std::int64_t kMostElements = 4096;
constexpr double kNumbers[] = {0,
                               1,
                               2,
                               -1,
                               3,
                               0.5,
                               -2,
                               1e-3,
                               100,
                               -0.0,
                               1e30,
                               -1e30,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};

// "float" of "tensor(float)" inside `prefix` and a bracket; "" if it is not that.
std::string inside(const std::string& type, const std::string& prefix) {
  if (!type.starts_with(prefix + "(") || !type.ends_with(")")) return {};
  return type.substr(prefix.size() + 1, type.size() - prefix.size() - 2);
}

DataType type_named(const std::string& name) {
  for (int i = 1; i < kDataTypeCount; ++i)
    if (data_type_name(static_cast<DataType>(i)) == name) return static_cast<DataType>(i);
  return DataType::Undefined;
}

}  // namespace

Feeds::Feeds(const std::vector<ArgInfo>& inputs, std::uint64_t seed, unsigned round)
    : state_(seed * 0x9E3779B97F4A7C15U + round + 1), round_(round) {
  for (const ArgInfo& info : inputs) {
    Value value;
    if (const std::string elem = inside(info.type, "tensor"); !elem.empty()) {
      fit_ = fit_ && tensor(info, elem, value);
    } else if (const std::string item = inside(inside(info.type, "seq"), "tensor"); !item.empty()) {
      Sequence items;
      for (std::int64_t k = pick(0, 2); k > 0 && fit_; --k) {
        items.items.emplace_back();
        fit_ = tensor(info, item, items.items.back());
      }
      value = std::move(items);
    } else {
      fit_ = fit_ && info.type.starts_with("optional");
    }
    if (!fit_) return;
    names_.push_back(info.name);
    list_.push_back({names_.back(), std::move(value)});
  }
}

std::uint64_t Feeds::next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_ >> 11;
}

std::int64_t Feeds::pick(std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(to - from + 1));
}

bool Feeds::tensor(const ArgInfo& info, const std::string& elem, Value& value) {
  const DataType type = type_named(elem);
  if (type == DataType::Undefined) return false;
  const auto any = [&] { return round_ == 0 ? 2 : pick(round_ == 1 ? 1 : 0, 4); };
  Shape dims;
  if (info.has_shape) {
    for (const DimInfo& d : info.shape)
      dims.push_back(d.value >= 0     ? d.value
                     : d.name.empty() ? any()
                                      : variables_.try_emplace(d.name, any()).first->second);
  } else {
    dims.assign(static_cast<std::size_t>(pick(0, 3)), any());
  }
  std::int64_t count = 1;
  for (const std::int64_t d : dims) {
    if (d > kMostElements) return false;
    count *= d;
    if (count > kMostElements) return false;
  }
  Tensor t(type, std::move(dims));
  fill(t);
  value = std::move(t);
  return true;
}

void Feeds::fill(Tensor& t) {
  const DataType type = t.dtype();
  if (type == DataType::String) {
    for (std::int64_t i = 0; i < t.size(); ++i)
      t.as_mutable<std::string>()[i] = std::string(static_cast<std::size_t>(pick(0, 2)), 'a');
    return;
  }
  auto* bytes = static_cast<std::uint8_t*>(t.mutable_data());
  const std::size_t width = element_size(type);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    std::uint8_t* at = bytes + static_cast<std::size_t>(i) * width;
    const double number = kNumbers[static_cast<std::size_t>(pick(0, round_ == 0 ? 4 : 13))];
    switch (type) {
      case DataType::Float:
      case DataType::Complex64:
        for (std::size_t part = 0; part < width; part += sizeof(float)) {
          const auto narrow = static_cast<float>(number);
          std::memcpy(at + part, &narrow, sizeof narrow);
        }
        break;
      case DataType::Double:
      case DataType::Complex128:
        for (std::size_t part = 0; part < width; part += sizeof(double)) std::memcpy(at + part, &number, sizeof number);
        break;
      case DataType::Float16:
      case DataType::BFloat16: {  // any bits are one, most of the time a small one
        const auto bits = static_cast<std::uint16_t>(type == DataType::Float16 ? 0x3c00 + 0x200 * pick(-2, 3)
                                                                               : 0x3f80 + 0x40 * pick(-2, 3));
        const auto wild = static_cast<std::uint16_t>(next());
        std::memcpy(at, round_ == 2 && pick(0, 3) == 0 ? &wild : &bits, sizeof bits);
        break;
      }
      case DataType::Bool: *at = static_cast<std::uint8_t>(pick(0, 1)); break;
      case DataType::Int4:
      case DataType::Int2: *at = static_cast<std::uint8_t>(pick(-1, 1)); break;
      case DataType::Uint4:
      case DataType::Uint2:
      case DataType::Float4E2M1:
      case DataType::Float6E2M3:
      case DataType::Float6E3M2: *at = static_cast<std::uint8_t>(pick(0, 3)); break;
      default: {  // integers, little-endian, and the bytes of float8
        const std::int64_t whole = round_ == 2 && pick(0, 5) == 0
                                       ? static_cast<std::int64_t>(std::uint64_t{1} << (8 * width - 1))
                                       : pick(round_ == 0 ? 0 : -2, 3);
        std::memcpy(at, &whole, width);
      }
    }
  }
}

}  // namespace norn::fuzz
