// Version steps of Gemm: the attribute `broadcast` went with 7, C became optional with 11.
#include <cstring>

#include "ops/math/gemm/gemm.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace gemm_adapt_cc {
namespace {

using namespace transform;

void drop_broadcast(NodeEdit& edit) { edit.remove_attr("broadcast"); }

void write_broadcast(NodeEdit& edit) {
  const auto &c = edit.input_type(2).shape, &y = edit.output_type(0).shape;
  const bool same = c && y && *c == *y;
  edit.set_attr("broadcast", static_cast<std::int64_t>(same ? 0 : 1));
}

void write_c(NodeEdit& edit) {
  if (edit.has_input(2)) return;
  DataType type = edit.input_type(0).elem;
  if (type == DataType::Undefined) type = edit.input_type(1).elem;
  if (type == DataType::Undefined) {
    edit.cannot("C is required there, and a zero in its place needs the element type, which is not known");
  }
  Tensor zero(type, {1});
  std::memset(zero.mutable_data(), 0, zero.bytes());
  edit.set_input(2, zero);
}

}  // namespace
}  // namespace gemm_adapt_cc

void gemm_steps(StepTable& table) {
  table.add(Gemm, 6, 7, drop_broadcast, write_broadcast);
  table.add(Gemm, 9, 11, unchanged, write_c);
}

}  // namespace norn::ops
