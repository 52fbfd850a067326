// A changed sequence shares the tensors that stay, and takes the list where that is given up. A tensor that is put in
// is copied: the input's memory may be a run's arena, which is used again.
#include <string>
#include <utility>

#include "base/given_up.h"
#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "ops/sequence/sequence_edit/sequence_edit.h"

namespace norn::ops {
inline namespace sequence_edit_ref_cc {
namespace {

using opset::ReferenceContext;

void sequence_empty_ref(ReferenceContext& ctx) {
  resolve_sequence_empty(ctx);
  ctx.set_output(0, Value(Sequence{}));
}

void sequence_erase_ref(ReferenceContext& ctx) {
  const auto size = static_cast<std::int64_t>(base::length_of(ctx.value(0)));
  if (size == 0) ctx.fail("the sequence is empty, so there is nothing to erase");
  const std::int64_t at = ctx.has_input(1) ? sequence_position(ctx, 1, size) : size - 1;
  ctx.set_output(0, base::without_item(ctx.value(0), static_cast<std::size_t>(at)));
}

void sequence_insert_ref(ReferenceContext& ctx) {
  const Tensor& tensor = ctx.input(1);
  const auto size = static_cast<std::int64_t>(base::length_of(ctx.value(0)));
  const Value* const first = base::first_item(ctx.value(0));
  if (first && first->is_tensor() && first->tensor().dtype() != tensor.dtype())
    ctx.fail("the tensor is " + std::string(data_type_name(tensor.dtype())) + ", but those of the sequence are " +
             std::string(data_type_name(first->tensor().dtype())));
  const std::int64_t at = ctx.has_input(2) ? sequence_position(ctx, 2, size, true) : size;
  ctx.set_output(0, base::with_item(ctx.value(0), static_cast<std::size_t>(at), Value(tensor.clone())));
}

void sequence_length_ref(ReferenceContext& ctx) {
  const auto size = static_cast<std::int64_t>(base::length_of(ctx.value(0)));
  *ctx.output(0, DataType::Int64, {}).as_mutable<std::int64_t>() = size;
}

}  // namespace
}  // namespace sequence_edit_ref_cc

void sequence_edit_references(opset::ReferenceTable& table) {
  table.add(SequenceEmpty, sequence_empty_ref);
  table.add(SequenceErase, sequence_erase_ref);
  table.add(SequenceInsert, sequence_insert_ref);
  table.add(SequenceLength, sequence_length_ref);
}

}  // namespace norn::ops
