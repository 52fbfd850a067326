// Static shapes, as far as one shape shows its faults by itself.
//
// Exporters write -1 and the empty dim_param for "unknown"; the specification's way is a dimension with neither field.
// "*" is a variable's name like any other. Whether variables agree shows in inference and while running. The same
// variable stands in very many shapes, so what is wrong with its name is reported once.
#include <string>
#include <string_view>

#include "check/rule_checks.h"
#include "check/text.h"

namespace norn::checks {
namespace {

struct ToldVariables {
  NameSet names;
};

void check_variable(Context& ctx, const Place& place, const std::string& name) {
  if (!ctx.state<ToldVariables>().names.insert(name)) return;
  ctx.report("name.c90.dim-param", place, "the dimension variable " + quoted(name) + " is not a C identifier",
             "use letters, digits and underscores, with no digit first; readers of text formats stumble over others");
}

}  // namespace

void check_shape(Context& ctx, const Place& place, const ir::TensorShape& shape, ValueUse) {
  for (std::size_t i = 0; i < shape.dim.size(); ++i) {
    const ir::Dimension& dim = shape.dim[i];
    const bool negative = dim.dim_value.has() && dim.dim_value.get() < 0;
    const bool nameless = dim.dim_param.has() && dim.dim_param.get().empty();
    const bool odd_name = !dim.dim_param.get().empty() && !is_c_identifier(dim.dim_param.get());
    if (!negative && !nameless && !odd_name && !dim.denotation.has()) continue;
    const Place at = place.at("dimension", static_cast<std::int64_t>(i), dim.dim_param.get());
    if (negative) {
      ctx.report("shape.dim.value-nonnegative", at,
                 "the dimension's size is " + std::to_string(dim.dim_value.get()) + "; sizes are 0 or more",
                 dim.dim_value.get() == -1 ? "for an unknown size set neither dim_value nor dim_param, or name it with "
                                             "dim_param"
                                           : "");
    }
    if (nameless) {
      ctx.report("shape.dim.empty-param", at, "the dimension's dim_param is set, but empty",
                 "for an unknown size set neither dim_value nor dim_param");
    }
    if (odd_name) check_variable(ctx, at, dim.dim_param.get());
    check_dimension_denotation(ctx, at, dim);
  }
}

}  // namespace norn::checks
