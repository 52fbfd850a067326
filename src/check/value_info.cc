// ValueInfo: a name and a type, for inputs, outputs and what lies between.
//
// Until IR 5 every ValueInfo needs a type; from IR 6 only the main graph's inputs and outputs do, so that bodies of
// control flow may stay untyped. The rules of graphs report inputs and outputs without names, and those of the main
// graph without types.
#include <string>

#include "check/rule_checks.h"

namespace norn::checks {

void check_value_info(Context& ctx, const Place& place, const ir::ValueInfo& info, ValueUse use) {
  const bool main = use == ValueUse::MainInput || use == ValueUse::MainOutput;
  const bool formal = main || use == ValueUse::NestedInput || use == ValueUse::NestedOutput;
  if (info.name.get().empty() && !formal) {
    ctx.report("value.name", place, "the value has no name, so no node can read or write it", "name the value");
  }
  if (info.type) {
    check_type(ctx, place, *info.type, use);
    note_image(ctx, info);
  } else if (!main) {
    ctx.report("value.type-required", place,
               "the value has no type; in files of IR " + std::to_string(ctx.ir_version()) + " every value has one",
               "set its type, or save the model as IR 6 or later");
    if (use == ValueUse::Part) {
      ctx.report("value.type-required-main", place, "the value has no type, which main inputs and outputs need",
                 "set its type; a tensor's dimensions may stay open");
    }
  }
  check_doc_string(ctx, place, info.doc_string.get());
  if (!info.metadata_props.empty()) check_metadata(ctx, place, info.metadata_props);
}

}  // namespace norn::checks
