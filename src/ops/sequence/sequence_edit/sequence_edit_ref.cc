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
  const auto size = static_cast<std::int64_t>(ctx.value(0).sequence().items.size());
  if (size == 0) ctx.fail("the sequence is empty, so there is nothing to erase");
  const std::int64_t at = ctx.has_input(1) ? sequence_position(ctx, 1, size) : size - 1;
  Sequence rest{base::items_of(ctx.value(0))};
  rest.items.erase(rest.items.begin() + at);
  ctx.set_output(0, Value(std::move(rest)));
}

void sequence_insert_ref(ReferenceContext& ctx) {
  const auto& items = ctx.value(0).sequence().items;
  const Tensor& tensor = ctx.input(1);
  const auto size = static_cast<std::int64_t>(items.size());
  if (size > 0 && items[0].is_tensor() && items[0].tensor().dtype() != tensor.dtype())
    ctx.fail("the tensor is " + std::string(data_type_name(tensor.dtype())) + ", but those of the sequence are " +
             std::string(data_type_name(items[0].tensor().dtype())));
  const std::int64_t at = ctx.has_input(2) ? sequence_position(ctx, 2, size, true) : size;
  Value added(tensor.clone());
  Sequence longer{base::items_of(ctx.value(0))};
  longer.items.insert(longer.items.begin() + at, std::move(added));
  ctx.set_output(0, Value(std::move(longer)));
}

void sequence_length_ref(ReferenceContext& ctx) {
  const auto size = static_cast<std::int64_t>(ctx.value(0).sequence().items.size());
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
