#include "value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace norn::cli {

namespace {

constexpr std::int64_t kFirst = 6;

struct Statistics {
  std::int64_t finite = 0, nan = 0, infinite = 0;
  double least = std::numeric_limits<double>::infinity(), largest = -least, sum = 0;
};

std::optional<Statistics> statistics(const Tensor& tensor) {
  if (tensor.size() == 0 || !number_at(tensor, 0)) return {};
  Statistics s;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double x = *number_at(tensor, i);
    if (std::isnan(x)) {
      ++s.nan;
    } else if (std::isinf(x)) {
      ++s.infinite;
    } else {
      ++s.finite;
      s.least = std::min(s.least, x);
      s.largest = std::max(s.largest, x);
      s.sum += x;
    }
  }
  return s;
}

std::string first_elements(const Tensor& tensor) {
  std::string text = "[";
  for (std::int64_t i = 0; i < std::min(tensor.size(), kFirst); ++i) {
    text += (i ? ", " : "") + text_at(tensor, i);
  }
  return text + (tensor.size() > kFirst ? ", …]" : "]");
}

std::string type_text(const Tensor& tensor) {
  return std::string(data_type_name(tensor.dtype())) + to_string(tensor.dims());
}

nlohmann::ordered_json tensor_json(const Tensor& tensor) {
  nlohmann::ordered_json json{{"type", data_type_name(tensor.dtype())}, {"shape", tensor.dims()}};
  if (const auto s = statistics(tensor)) {
    if (s->finite > 0) {
      json["min"] = s->least;
      json["max"] = s->largest;
      json["mean"] = s->sum / static_cast<double>(s->finite);
    }
    json["nan"] = s->nan;
    json["infinite"] = s->infinite;
  }
  auto first = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < std::min(tensor.size(), kFirst); ++i) {
    const auto x = number_at(tensor, i);
    if (x && std::isfinite(*x)) {
      first.push_back(*x);
    } else {
      first.push_back(text_at(tensor, i));
    }
  }
  json["first"] = std::move(first);
  return json;
}

}  // namespace

std::string text_at(const Tensor& tensor, std::int64_t i) {
  const auto complex = [](double re, double im) { return fmt::format("{:.6g}{:+.6g}i", re, im); };
  switch (tensor.dtype()) {
    case DataType::String:
      return nlohmann::json(tensor.as<std::string>()[i]).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    case DataType::Complex64: return complex(tensor.as<float>()[2 * i], tensor.as<float>()[2 * i + 1]);
    case DataType::Complex128: return complex(tensor.as<double>()[2 * i], tensor.as<double>()[2 * i + 1]);
    case DataType::Bool: return tensor.as<std::uint8_t>()[i] ? "true" : "false";
    case DataType::Int64: return std::to_string(tensor.as<std::int64_t>()[i]);
    case DataType::Uint64: return std::to_string(tensor.as<std::uint64_t>()[i]);
    default: break;
  }
  return fmt::format("{:.6g}", number_at(tensor, i).value_or(0));
}

std::string describe(const Value& value) {
  if (value.is_sequence()) {
    std::string text = value.describe();
    const auto& items = value.sequence().items;
    for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), kFirst); ++i) {
      text += fmt::format("\n  [{}] {}", i, describe(items[i]));
    }
    return text + (items.size() > kFirst ? "\n  …" : "");
  }
  if (value.is_map()) {
    std::string text = value.describe();
    const Map& map = value.map();
    for (std::int64_t i = 0; i < std::min<std::int64_t>(map.keys.size(), kFirst); ++i) {
      text += fmt::format("\n  {}: {}", text_at(map.keys, i), describe(map.values[static_cast<std::size_t>(i)]));
    }
    return text + (map.keys.size() > kFirst ? "\n  …" : "");
  }
  if (!value.is_tensor()) return value.describe();
  const Tensor& tensor = value.tensor();
  if (tensor.rank() == 0) return fmt::format("{} {}", type_text(tensor), text_at(tensor, 0));
  std::string text = type_text(tensor);
  if (const auto s = statistics(tensor)) {
    if (s->finite > 0) {
      text += fmt::format("  min {:.6g}  max {:.6g}  mean {:.6g}", s->least, s->largest,
                          s->sum / static_cast<double>(s->finite));
    }
    if (s->nan > 0) text += fmt::format("  NaN {}", s->nan);
    if (s->infinite > 0) text += fmt::format("  infinite {}", s->infinite);
  }
  return text + "  " + first_elements(tensor);
}

nlohmann::ordered_json to_json(const Value& value) {
  if (value.is_tensor()) return tensor_json(value.tensor());
  nlohmann::ordered_json json{{"type", value.describe()}};
  if (value.is_sequence()) {
    for (const Value& item : value.sequence().items) json["items"].push_back(to_json(item));
  } else if (value.is_map()) {
    const Map& map = value.map();
    for (std::int64_t i = 0; i < map.keys.size(); ++i) {
      json["items"].push_back(
          {{"key", text_at(map.keys, i)}, {"value", to_json(map.values[static_cast<std::size_t>(i)])}});
    }
  }
  return json;
}

}  // namespace norn::cli
