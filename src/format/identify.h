// Recognises files that are neither ONNX models nor data for them, but are often mistaken for one.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace norn::format {

struct Mistake {
  std::string what;       // "a Git LFS pointer"
  std::string hint;       // what would help
  std::string data_hint;  // the same, where data for a model was wanted
};

// By the first bytes, of what cannot be read: hardly a model begins so.
std::optional<Mistake> identify(std::span<const std::byte> bytes);
// True if the beginning reads like text.
bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace norn::format
