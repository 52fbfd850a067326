// A node's attributes, read by name with the schema's defaults.
//
// A name that the schema does not declare, or declares with another type, is a defect of the caller and throws
// ErrorCode::Internal the first time the code runs; no attribute is ever looked up by an unchecked string.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "opset/schema.h"

namespace norn::opset {

// Whether the attribute says that it is a tensor, graph, sparse tensor or type, and has none.
bool lacks_value(const ir::Attribute& attribute) noexcept;

// Of an attribute that a node has to have and has not.
std::string missing_text(const Attr& required);

class Attrs {
 public:
  Attrs(const Schema& schema, std::span<const ir::Attribute> given) : schema_(&schema), given_(given) {}

  // Whether the node itself sets the attribute.
  bool has(std::string_view name) const;

  // Whether this version has the attribute.
  bool declares(std::string_view name) const noexcept { return find_attr(*schema_, name) != nullptr; }

  // The node's value, else the schema's default; throws InvalidGraph if there is neither.
  std::int64_t i(std::string_view name) const;
  bool flag(std::string_view name) const { return i(name) != 0; }
  float f(std::string_view name) const;
  std::string s(std::string_view name) const;
  std::vector<std::int64_t> ints(std::string_view name) const;
  std::vector<float> floats(std::string_view name) const;
  std::vector<std::string> strings(std::string_view name) const;

  // The node's value, else the schema's default, else nothing.
  std::optional<std::int64_t> find_i(std::string_view name) const;
  std::optional<float> find_f(std::string_view name) const;
  std::optional<std::string> find_s(std::string_view name) const;
  std::optional<std::vector<std::int64_t>> find_ints(std::string_view name) const;
  std::optional<std::vector<float>> find_floats(std::string_view name) const;
  std::optional<std::vector<std::string>> find_strings(std::string_view name) const;

  // Given values only; null if the node does not set the attribute.
  const ir::Tensor* tensor(std::string_view name) const;
  const ir::SparseTensor* sparse(std::string_view name) const;
  const ir::Graph* graph(std::string_view name) const;
  const ir::Type* type(std::string_view name) const;

  const Schema& schema() const noexcept { return *schema_; }
  std::span<const ir::Attribute> given() const noexcept { return given_; }

 private:
  const ir::Attribute* find(std::string_view name, ir::AttributeType type, const Attr** row) const;
  const Schema* schema_;
  std::span<const ir::Attribute> given_;
};

}  // namespace norn::opset
