#include "opset/function_body.h"

#include <array>
#include <charconv>

#include "norn/error.h"
#include "opset/type_not_known.h"

namespace norn::opset {
namespace {

std::string number(double value) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

constexpr const char* kDeclare =
    "declare it in the type of the graph's input that it follows from, or export the model for that size";

}  // namespace

DataType BodyBuilder::elem(int i) const {
  const DataType elem = type(i).is_tensor() ? type(i).elem : DataType::Undefined;
  if (elem == DataType::Undefined) throw TypeNotKnown("the element type of input " + std::to_string(i), kDeclare);
  return elem;
}

int BodyBuilder::rank(int i) const {
  if (!type(i).has_rank()) throw TypeNotKnown("the rank of input " + std::to_string(i), kDeclare);
  return static_cast<int>(type(i).shape->size());
}

std::int64_t BodyBuilder::size_or_unknown(int i, int dimension) const noexcept {
  const auto at = static_cast<std::size_t>(dimension);
  if (!type(i).has_rank() || at >= type(i).shape->size() || !(*type(i).shape)[at].is_constant()) return -1;
  return (*type(i).shape)[at].constant();
}

std::int64_t BodyBuilder::size(int i, int dimension) const {
  if (dimension >= rank(i)) fail("input " + std::to_string(i) + " has rank " + std::to_string(rank(i)) + " only");
  const std::int64_t size = size_or_unknown(i, dimension);
  if (size < 0)
    throw TypeNotKnown("dimension " + std::to_string(dimension) + " of input " + std::to_string(i), kDeclare);
  return size;
}

const ValueType& BodyBuilder::type(int i) const noexcept {
  static const ValueType kUnknown;
  return has_input(i) ? *node_.inputs[static_cast<std::size_t>(i)] : kUnknown;
}

const norn::Tensor* BodyBuilder::constant(int i) const noexcept {
  const auto at = static_cast<std::size_t>(i);
  return i >= 0 && at < node_.constants.size() ? node_.constants[at] : nullptr;
}

std::optional<Dims> BodyBuilder::known_ints(int i) const {
  const norn::Tensor* contents = constant(i);
  return contents ? ints_of(*contents) : std::nullopt;
}

void BodyBuilder::constant(std::string_view name, ir::Tensor contents) {
  ir::Node node;
  node.op_type = std::string("Constant");
  node.output.emplace_back(name);
  ir::Attribute& value = node.attribute.emplace_back();
  value.name = std::string("value");
  value.type = static_cast<std::int32_t>(ir::AttributeType::Tensor);
  value.t.mut() = std::move(contents);
  add(std::move(node));
}

void BodyBuilder::add(std::string_view nodes) {
  if (parts_.empty() || !parts_.back().nodes.empty()) parts_.emplace_back();
  (parts_.back().text += nodes) += '\n';
}

void BodyBuilder::add(ir::Node node) {
  if (parts_.empty() || !parts_.back().text.empty()) parts_.emplace_back();
  parts_.back().nodes.push_back(std::move(node));
}

void BodyBuilder::scalar(std::string_view name, DataType type, double value) {
  const std::string to(name);
  switch (type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Int32:
    case DataType::Int64:
      return add(to + " = Constant <value = " + std::string(data_type_name(type)) + " {" + number(value) + "}> ()");
    default:
      add(to + "_wide = Constant <value = double {" + number(value) + "}> ()");
      return add(to + " = Cast <to = " + std::to_string(static_cast<int>(type)) + "> (" + to + "_wide)");
  }
}

void BodyBuilder::ints(std::string_view name, std::span<const std::int64_t> values) {
  std::string text = std::string(name) + " = Constant <value = int64[" + std::to_string(values.size()) + "] {";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  add(text + "}> ()");
}

void BodyBuilder::unsupported(std::string message, std::string hint) const {
  throw Error(ErrorCode::NotImplemented, std::move(message), {}, std::move(hint));
}

}  // namespace norn::opset
