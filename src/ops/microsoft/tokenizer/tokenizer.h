// Strings cut into tokens, as exporters of text vectorizers write it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops::microsoft {

extern const opset::Operator Tokenizer;

struct TokenizerParams {
  std::int64_t least = 1;               // characters of a token
  std::optional<std::string> token;     // a regular expression, or
  std::vector<std::string> separators;  // regular expressions, one after the other
  bool by_character = false;            // each character is a token
};
// Throws norn::Error for attributes that do not say how to split.
TokenizerParams resolve_tokenizer(const opset::NodeView& node);

}  // namespace norn::ops::microsoft
