#include "inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <random>

#include "command.h"
#include "image_input.h"
#include "norn/data.h"

namespace norn::cli {

namespace {

const ArgInfo* find_input(const Session& session, std::string_view name) {
  for (const auto* list : {&session.inputs(), &session.overridable_initializers()}) {
    for (const ArgInfo& arg : *list) {
      if (arg.name == name) return &arg;
    }
  }
  return nullptr;
}

std::string input_list(const Session& session) {
  std::string text;
  for (const ArgInfo& arg : session.inputs()) text += "\n    " + arg.name + "  " + declaration_text(arg);
  return text;
}

DataType element_of(const ArgInfo& input) {
  const std::string_view type = input.type;
  if (!type.starts_with("tensor(")) return DataType::Undefined;
  return data_type_from_name(type.substr(7, type.size() - 8));
}

// `ramp` in [0, 1); `coin` is 0 or 1.
void set_element(Tensor& tensor, std::int64_t i, double ramp, int coin) {
  const auto f = static_cast<float>(ramp);
  switch (tensor.dtype()) {
    case DataType::Float: tensor.as_mutable<float>()[i] = f; return;
    case DataType::Double: tensor.as_mutable<double>()[i] = ramp; return;
    case DataType::Float16:
      tensor.as_mutable<std::uint16_t>()[i] = std::bit_cast<std::uint16_t>(static_cast<_Float16>(f));
      return;
    case DataType::BFloat16:
      tensor.as_mutable<std::uint16_t>()[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16);
      return;
    case DataType::Complex64:
      tensor.as_mutable<float>()[2 * i] = f;
      tensor.as_mutable<float>()[2 * i + 1] = 0;
      return;
    case DataType::Complex128:
      tensor.as_mutable<double>()[2 * i] = ramp;
      tensor.as_mutable<double>()[2 * i + 1] = 0;
      return;
    case DataType::String: tensor.as_mutable<std::string>()[i] = coin ? "one" : "zero"; return;
    default: break;  // integers, and the bits of small floats
  }
  const std::size_t size = element_size(tensor.dtype());
  std::byte* element = tensor.as_mutable<std::byte>() + static_cast<std::size_t>(i) * size;
  std::memset(element, 0, size);
  element[0] = static_cast<std::byte>(coin);
}

using Variables = std::map<std::string, std::int64_t, std::less<>>;

// The dimension variables of inputs that have shapes already.
Variables variables_of(const NamedValues& given, const Session& session, const Generator& generator) {
  struct Bound {
    std::int64_t size;
    std::string input;
  };
  std::map<std::string, Bound, std::less<>> bound;
  const auto bind = [&](const ArgInfo& input, const Shape& shape, bool by_flag) {
    if (!input.has_shape || input.shape.size() != shape.size()) return;  // which the session reports
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::string& name = input.shape[d].name;
      if (name.empty()) continue;
      const auto [at, added] = bound.try_emplace(name, Bound{shape[d], input.name});
      if (added || !by_flag || at->second.size == shape[d]) continue;
      throw UsageError(fmt::format("--shape: \"{}\" is {} in input \"{}\" and {} in input \"{}\"", name,
                                   at->second.size, at->second.input, shape[d], input.name),
                       "a dimension variable has one value in a run");
    }
  };
  for (const auto& [name, value] : given) {
    const ArgInfo* input = find_input(session, name);
    if (input && value.is_tensor()) bind(*input, value.tensor().dims(), false);
  }
  for (const auto& [name, shape] : generator.shapes) bind(*find_input(session, name), shape, true);
  Variables variables;
  for (const auto& [name, of] : bound) variables.emplace(name, of.size);
  return variables;
}

Shape shape_for(const ArgInfo& input, const Generator& generator, const Variables& variables) {
  if (const auto given = generator.shapes.find(input.name); given != generator.shapes.end()) return given->second;
  if (!input.has_shape) {
    throw UsageError("the model does not declare a shape for input \"" + input.name + "\"",
                     "add --shape " + input.name + ":1x3x224x224, say");
  }
  Shape shape;
  for (const DimInfo& dim : input.shape) {
    const auto variable = variables.find(dim.name);
    shape.push_back(dim.value >= 0                ? dim.value
                    : variable != variables.end() ? variable->second
                                                  : generator.unknown_dim);
  }
  return shape;
}

// Random: floats in [0, 1), integers 0 or 1. Ramp: element i of n is i / n.
Value make(const ArgInfo& input, std::size_t index, const Generator& generator, const Variables& variables) {
  const DataType type = element_of(input);
  if (type == DataType::Undefined) {
    throw UsageError("input \"" + input.name + "\" is " + input.type + ", which cannot be generated",
                     "give it with -i " + input.name + "=FILE.pb");
  }
  Tensor tensor(type, shape_for(input, generator, variables));
  std::mt19937_64 random(generator.seed + index);
  const bool ramp = generator.kind == Generator::Kind::Ramp;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::uint64_t bits = random();
    const double uniform = static_cast<double>(bits >> 11) * 0x1p-53;
    const double part = static_cast<double>(i) / static_cast<double>(tensor.size());
    set_element(tensor, i, ramp ? part : uniform, static_cast<int>(ramp ? i & 1 : bits & 1));
  }
  return tensor;
}

std::pair<std::string, Value> load_input(const std::string& argument, const Session& session) {
  std::string name, path;
  // Names and paths may hold "=" themselves: the longest name that the model has counts.
  std::size_t equals = argument.rfind('=');
  while (equals != argument.find('=') && !find_input(session, std::string_view(argument).substr(0, equals))) {
    equals = argument.rfind('=', equals - 1);
  }
  if (equals != std::string::npos) {
    name = argument.substr(0, equals);
    path = argument.substr(equals + 1);
  } else if (session.inputs().size() == 1) {
    name = session.inputs().front().name;
    path = argument;
  } else {
    throw UsageError(
        fmt::format("\"-i {}\" does not say which of the {} inputs it is", argument, session.inputs().size()),
        "write -i NAME=" + argument + "; the inputs are" + input_list(session));
  }
  const ArgInfo* input = find_input(session, name);
  if (!input) throw UsageError("the model has no input \"" + name + "\"", "its inputs are" + input_list(session));
  if (is_image_file(path)) return {name, load_image(path, *input, session.metadata())};
  return {name, load_as(path, *input)};
}

std::pair<std::string, Shape> parse_shape(const std::string& argument) {
  const UsageError wrong("\"" + argument + "\" is not a shape", "write NAME:1x3x224x224 or NAME:[1,3,224,224]");
  const std::size_t colon = argument.rfind(':');
  if (colon == std::string::npos || colon == 0) throw wrong;
  std::string_view dims = std::string_view(argument).substr(colon + 1);
  char separator = 'x';
  if (dims.starts_with('[')) {
    if (!dims.ends_with(']')) throw wrong;
    dims = dims.substr(1, dims.size() - 2);
    separator = ',';
  }
  Shape shape;
  const char *at = dims.data(), *end = at + dims.size();
  while (at != end) {
    std::int64_t dim = 0;
    const auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 0) throw wrong;
    shape.push_back(dim);
    at = next;
    if (at == end) break;
    if (*at != separator || ++at == end) throw wrong;
  }
  return {argument.substr(0, colon), shape};
}

}  // namespace

std::vector<Feed> feeds_of(const NamedValues& values) {
  std::vector<Feed> feeds;
  feeds.reserve(values.size());
  for (const auto& [name, value] : values) feeds.push_back({name, value});
  return feeds;
}

DataKind kind_of_type(std::string_view type) {
  if (type.starts_with("optional(")) return DataKind::Optional;
  if (type.starts_with("seq(")) return DataKind::Sequence;
  if (type.starts_with("map(")) return DataKind::Map;
  if (type.starts_with("sparse_tensor(") || type.starts_with("sparse ")) return DataKind::SparseTensor;
  return DataKind::Tensor;
}

Value load_as(const std::string& path, const std::string& type) { return load_value(path, kind_of_type(type)); }

Value load_as(const std::string& path, const ArgInfo& declared) { return load_as(path, declared.type); }

NamedValues load_inputs(const std::vector<std::string>& arguments, const Session& session) {
  NamedValues values;
  for (const std::string& argument : arguments) {
    auto value = load_input(argument, session);
    if (std::ranges::find(values, value.first, &NamedValues::value_type::first) != values.end())
      throw UsageError("input \"" + value.first + "\" is given twice");
    values.push_back(std::move(value));
  }
  return values;
}

std::map<std::string, Shape> parse_shapes(const std::vector<std::string>& arguments, const Session& session) {
  std::map<std::string, Shape> shapes;
  for (const std::string& argument : arguments) {
    auto [name, shape] = parse_shape(argument);
    if (std::ranges::find(session.inputs(), name, &ArgInfo::name) == session.inputs().end()) {
      throw UsageError("--shape: the model has no input \"" + name + "\"", "its inputs are" + input_list(session));
    }
    if (!shapes.emplace(name, std::move(shape)).second) {
      throw UsageError("--shape: input \"" + name + "\" is given two shapes");
    }
  }
  return shapes;
}

NamedValues complete(NamedValues given, const Session& session, const std::optional<Generator>& generator,
                     const std::string& model_path) {
  const auto is_given = [&](const std::string& name) {
    return std::ranges::any_of(given, [&](const auto& g) { return g.first == name; });
  };
  Variables variables;
  if (generator) {
    for (const auto& [name, shape] : generator->shapes) {
      if (is_given(name)) throw UsageError("--shape: input \"" + name + "\" is not generated: its value is given");
    }
    variables = variables_of(given, session, *generator);
  }
  std::vector<const ArgInfo*> missing;
  for (std::size_t i = 0; i < session.inputs().size(); ++i) {
    const ArgInfo& input = session.inputs()[i];
    if (is_given(input.name)) continue;
    if (generator) {
      given.emplace_back(input.name, make(input, i, *generator, variables));
    } else {
      missing.push_back(&input);
    }
  }
  if (missing.empty()) return given;
  std::string what, command = "norn run " + model_path;
  for (const ArgInfo* input : missing) {
    what += "\n    " + input->name + "  " + declaration_text(*input);
    command += " -i " + input->name + "=" + input->name + ".npy";
  }
  throw UsageError(fmt::format("{} not given:{}", missing.size() == 1 ? "an input is" : "inputs are", what),
                   command + "\n        or --random to generate what is not given");
}

std::string declaration_text(const ArgInfo& arg) {
  if (!arg.has_shape) return arg.type;
  std::string dims;
  for (const DimInfo& dim : arg.shape) {
    dims += (dims.empty() ? "" : ",") + (dim.value >= 0     ? std::to_string(dim.value)
                                         : dim.name.empty() ? "?"
                                                            : dim.name);
  }
  return arg.type + " [" + dims + "]";
}

}  // namespace norn::cli
