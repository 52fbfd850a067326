// Stop words removed and case changed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator StringNormalizer;

enum class CaseChange : std::uint8_t { None, Lower, Upper };
struct StringNormalizerParams {
  std::vector<std::string> stopwords;
  bool case_sensitive;
  CaseChange action = CaseChange::None;
};
StringNormalizerParams resolve_string_normalizer(const opset::NodeView& node);

}  // namespace norn::ops
