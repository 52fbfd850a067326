// FeatureVectorizer: an input with more columns than inputdimensions says is cut, one with fewer is filled with zeros.
#include <algorithm>
#include <string>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/common/scores.h"
#include "ops/traditionalml/feature_vectorizer/feature_vectorizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace feature_vectorizer_ref_cc {
namespace {

void feature_vectorizer_ref(opset::ReferenceContext& ctx) {
  std::vector<std::int64_t> sizes = resolve_feature_vectorizer(ctx, ctx.input_count());
  const Rows first = rows_of(ctx, ctx.input(0).dims());
  std::int64_t columns = 0;
  const bool own_sizes = sizes.empty();
  for (int i = 0; i < ctx.input_count(); ++i) {
    const Rows rows = rows_of(ctx, ctx.input(i).dims());
    if (rows.count != first.count)
      ctx.fail("input " + std::to_string(i) + " has " + std::to_string(rows.count) + " rows, but input 0 has " +
               std::to_string(first.count));
    if (own_sizes) sizes.push_back(rows.features);
    const auto sum = base::checked_add(columns, sizes[static_cast<std::size_t>(i)]);
    if (!sum) ctx.fail("the inputs have too many columns");
    columns = *sum;
  }
  const Shape dims{first.count, columns};
  const auto count = base::checked_count(dims);
  if (!count) ctx.fail("the result of shape " + to_string(dims) + " has too many elements");
  Tensor& y = ctx.output(0, DataType::Float, dims);
  std::int64_t filled = 0;
  for (int i = 0; i < ctx.input_count(); ++i)
    filled += std::min(sizes[static_cast<std::size_t>(i)], rows_of(ctx, ctx.input(i).dims()).features);
  if (filled < columns) std::fill_n(y.as_mutable<float>(), y.size(), 0.0f);
  std::int64_t begin = 0;
  for (int i = 0; i < ctx.input_count(); ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(i)];
    const Rows rows = rows_of(ctx, ctx.input(i).dims());
    const std::int64_t taken = std::min(size, rows.features);
    const auto put = [&]<class T>(const T* from) {
      float* to = y.as_mutable<float>() + begin;
      for (std::int64_t r = 0; r < rows.count; ++r, to += columns, from += rows.features)
        for (std::int64_t k = 0; k < taken; ++k) to[k] = static_cast<float>(from[k]);
    };
    const Tensor& x = ctx.input(i);
    switch (taken > 0 ? x.dtype() : DataType::Undefined) {
      case DataType::Undefined: break;
      case DataType::Float: put(x.as<float>()); break;
      case DataType::Double: put(x.as<double>()); break;
      case DataType::Int32: put(x.as<std::int32_t>()); break;
      case DataType::Int64: put(x.as<std::int64_t>()); break;
      default: put(load_numbers(x).data());
    }
    begin += size;
  }
}

}  // namespace
}  // namespace feature_vectorizer_ref_cc

void feature_vectorizer_references(opset::ReferenceTable& table) {
  table.add(FeatureVectorizer, feature_vectorizer_ref);
}

}  // namespace norn::ops
