// Checks of data files. They carry no IR version: the newest rules bind them.
#include "check/areas.h"
#include "format/data_messages.h"
#include "format/wire.h"
#include "norn/check.h"
#include "norn/data.h"

namespace norn {

Report check_data(std::span<const std::byte> bytes, DataKind kind, const CheckOptions& options) {
  using namespace checks;
  constexpr std::int64_t kNewestIr = 14;
  Report report;
  Context ctx(options, kNewestIr, {}, report);
  const Place top;
  const ir::Bytes input(std::vector<std::byte>(bytes.begin(), bytes.end()));
  switch (kind) {
    case DataKind::Tensor: {
      const auto t = format::read_message<ir::Tensor>(input, options.limits);
      check_tensor(ctx, top.of_tensor("tensor", -1, t), t, TensorUse::Data);
      break;
    }
    case DataKind::SparseTensor: {
      const auto t = format::read_message<ir::SparseTensor>(input, options.limits);
      check_sparse_tensor(ctx, top.at("sparse tensor"), t, SparseUse::Data);
      break;
    }
    case DataKind::Sequence: {
      const auto s = format::read_message<format::SequenceData>(input, options.limits);
      check_sequence_data(ctx, top.at("sequence", -1, s.name.get()), s);
      break;
    }
    case DataKind::Map: {
      const auto m = format::read_message<format::MapData>(input, options.limits);
      check_map_data(ctx, top.at("map", -1, m.name.get()), m);
      break;
    }
    case DataKind::Optional: {
      const auto o = format::read_message<format::OptionalData>(input, options.limits);
      check_optional_data(ctx, top.at("optional", -1, o.name.get()), o);
      break;
    }
  }
  return report;
}

}  // namespace norn
