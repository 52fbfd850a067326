// CategoryMapper: of a category that is given twice, the last pair counts.
#include <string>
#include <unordered_map>

#include "ops/common/elements.h"
#include "ops/traditionalml/category_mapper/category_mapper.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace category_mapper_ref_cc {
namespace {

template <class From, class To>
void map_by(opset::ReferenceContext& ctx, const std::vector<From>& from, const std::vector<To>& to, DataType type,
            const To& otherwise) {
  std::unordered_map<From, const To*> pairs;
  for (std::size_t i = 0; i < from.size(); ++i) pairs[from[i]] = &to[i];
  const Tensor& x = ctx.input(0);
  std::vector<To> result;
  result.reserve(static_cast<std::size_t>(x.size()));
  for (const From& key : load_all<From>(x)) {
    const auto at = pairs.find(key);
    result.push_back(at == pairs.end() ? otherwise : *at->second);
  }
  store_all<To>(ctx.output(0, type, x.dims()), result);
}

void category_mapper_ref(opset::ReferenceContext& ctx) {
  const CategoryMapperParams p = resolve_category_mapper(ctx);
  if (ctx.input(0).dtype() == DataType::String)
    map_by(ctx, p.strings, p.ints, DataType::Int64, ctx.attrs().i("default_int64"));
  else
    map_by(ctx, p.ints, p.strings, DataType::String, ctx.attrs().s("default_string"));
}

}  // namespace
}  // namespace category_mapper_ref_cc

void category_mapper_references(opset::ReferenceTable& table) { table.add(CategoryMapper, category_mapper_ref); }

}  // namespace norn::ops
