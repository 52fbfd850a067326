// Recognises files that are not ONNX models but are often mistaken for one.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace norn::format {

struct Mistake {
  std::string what;  // "a Git LFS pointer"
  std::string hint;  // what would help
};

// By the first bytes; none of these beginnings can be that of a model.
std::optional<Mistake> identify(std::span<const std::byte> bytes);
// True if the beginning reads like text.
bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace norn::format
