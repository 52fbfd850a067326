// What models of ai.onnx.ml share: tables of rows, labels of classes, and the transforms of scores.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opset/infer_context.h"

namespace norn::ops {

// A matrix has an example in each row; a vector is one example.
struct Rows {
  std::int64_t count, features;
};
// Throws if there are neither one nor two dimensions.
Rows rows_of(const opset::NodeView& node, const norn::Shape& dims);
// The same for inference, which may not know the features; requires that input 0 has a rank.
opset::DimExpr row_count(const opset::InferContext& ctx);

// One of two lists, of integers or of strings.
struct Labels {
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  bool of_strings = false;

  std::int64_t size() const { return static_cast<std::int64_t>(of_strings ? strings.size() : ints.size()); }
  DataType type() const { return of_strings ? DataType::String : DataType::Int64; }
  // Element `at` of a tensor of type() becomes label `index`; 0 or an empty string if that is negative.
  void write(Tensor& tensor, std::int64_t at, std::int64_t index) const;
};
// Throws unless exactly one of the two attributes is given.
Labels resolve_labels(const opset::NodeView& node, std::string_view ints, std::string_view strings);

enum class PostTransform : std::uint8_t { None, Softmax, Logistic, SoftmaxZero, Probit };
// The attribute post_transform, by name.
PostTransform resolve_post_transform(const opset::NodeView& node);
// Of one example's scores. Probit is the inverse of the normal distribution's cumulative function, NaN outside of [0,
// 1].
void transform_scores(PostTransform transform, std::span<double> scores);
double probit(double p);

}  // namespace norn::ops
