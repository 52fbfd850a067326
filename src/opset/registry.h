// Every built-in operator, by domain and name.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "opset/schema.h"

namespace norn::opset {

// Null if there is no such operator; `domain` may be spelled "ai.onnx".
const Operator* find_operator(std::string_view domain, std::string_view name) noexcept;
// In the order of the slices.
std::span<const Operator* const> all_operators() noexcept;
// The operator's function bodies, of its object or of its slice's x_body.cc; none for one that is not a function.
std::span<const FunctionBody> bodies_of(const Operator&) noexcept;
// The body of the operator's version `since`; null if it has none.
const FunctionBody* body_at(const Operator&, int since) noexcept;
// Newest opset version of a built-in domain; 0 for a domain that is not built in.
int newest_version(std::string_view domain) noexcept;
// Whether every operator of the built-in domain is built in. Of domains other than ONNX's, only operators that
// published models use are.
bool is_complete(std::string_view domain) noexcept;
// Up to three operator names that look like `name`, best first, for "did you mean".
std::vector<std::string_view> similar_names(std::string_view domain, std::string_view name);

// Whether the operator is one of the experimental ones of the first operator sets, which were withdrawn without a
// successor of that name; it runs in the versions that had it.
bool was_experimental(const Operator&) noexcept;
// Whether `name` is one of them that never said what it computes. They are known by name only, for a message that says
// so.
bool is_removed_experimental(std::string_view name) noexcept;

}  // namespace norn::opset
