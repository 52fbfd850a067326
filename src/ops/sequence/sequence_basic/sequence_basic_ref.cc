// A sequence's elements own their memory: the inputs' may be a run's arena, which is used again.
#include <string>
#include <utility>

#include "base/given_up.h"
#include "ops/common/elements.h"
#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace sequence_basic_ref_cc {
namespace {

void sequence_construct_ref(opset::ReferenceContext& ctx) {
  Sequence sequence;
  for (int i = 0; i < ctx.input_count(); ++i) {
    const Tensor& in = ctx.input(i);
    if (in.dtype() != ctx.input(0).dtype()) {
      ctx.fail("input " + std::to_string(i) + " is " + std::string(data_type_name(in.dtype())) + ", but input 0 is " +
               std::string(data_type_name(ctx.input(0).dtype())));
    }
    sequence.items.emplace_back(in.clone());
  }
  ctx.set_output(0, Value(std::move(sequence)));
}

void sequence_at_ref(opset::ReferenceContext& ctx) {
  const std::int64_t at = sequence_position(ctx, 1, static_cast<std::int64_t>(base::length_of(ctx.value(0))));
  const Value& item = base::item_of(ctx.value(0), static_cast<std::size_t>(at));
  if (!item.is_tensor()) return ctx.set_output(0, item);
  const Tensor& tensor = item.tensor();
  copy_elements(ctx.output(0, tensor.dtype(), tensor.dims()), 0, tensor, 0, tensor.size());
}

}  // namespace
}  // namespace sequence_basic_ref_cc

std::int64_t sequence_position(const opset::ReferenceContext& ctx, int input, std::int64_t size, bool inclusive) {
  require_position(ctx, input);
  const std::int64_t given = to_ints(ctx.input(input))[0];
  const std::int64_t at = given < 0 ? given + size : given;
  if (at < 0 || at > size || (at == size && !inclusive))
    ctx.fail("position " + std::to_string(given) + " is outside a sequence of " + std::to_string(size));
  return at;
}

void sequence_basic_references(opset::ReferenceTable& table) {
  table.add(SequenceConstruct, sequence_construct_ref);
  table.add(SequenceAt, sequence_at_ref);
}

}  // namespace norn::ops
