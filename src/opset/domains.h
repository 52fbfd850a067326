// Domains of operators that this library knows beside ONNX's own, "".
#pragma once
#include <string_view>

namespace norn::opset {

inline constexpr std::string_view kMlDomain = "ai.onnx.ml";
inline constexpr std::string_view kPreviewDomain = "ai.onnx.preview";
inline constexpr std::string_view kPreviewTrainingDomain = "ai.onnx.preview.training";
inline constexpr std::string_view kTrainingDomain = "ai.onnx.training";
// Of the operators that ONNX Runtime adds to ONNX's.
inline constexpr std::string_view kMicrosoftDomain = "com.microsoft";

inline constexpr int kNewestOnnx = 28, kNewestMl = 5;  // versions of their operator sets

}  // namespace norn::opset
