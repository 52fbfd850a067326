// Checks of data files, and which message a file holds. They carry no IR version: the newest rules bind them.
//
// The messages' fields overlap. What keeps readings apart: a field that the message does not have (or has with another
// wire type) is left over, a field that may stand once but is repeated is merged, so that fewer bytes would be written
// than were read, and rules are broken. A sequence of one value and an optional of that value are the same bytes.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/data_content.h"
#include "api/is_model.h"
#include "base/mapped_file.h"
#include "base/path.h"
#include "check/rule_checks.h"
#include "format/data_file.h"
#include "format/identify.h"
#include "format/notation.h"
#include "format/wire.h"
#include "ir/constants.h"
#include "norn/check.h"
#include "norn/data.h"

namespace norn {
namespace {

struct KindName {
  DataKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 5> kKinds{{{DataKind::Tensor, "tensor"},
                                          {DataKind::SparseTensor, "sparse_tensor"},
                                          {DataKind::Sequence, "sequence"},
                                          {DataKind::Map, "map"},
                                          {DataKind::Optional, "optional"}}};

// Bytes that outlive the call.
ir::Bytes borrowed(std::span<const std::byte> bytes) {
  return {bytes.data(), bytes.size(), std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data())};
}

struct Checker {
  checks::Context& ctx;
  checks::Place top = {};

  void operator()(const ir::Tensor& t) {
    checks::check_tensor(ctx, top.of_tensor("tensor", -1, t), t, checks::TensorUse::Data);
  }
  void operator()(const ir::SparseTensor& t) {
    checks::check_sparse_tensor(ctx, top.at("sparse tensor"), t, checks::SparseUse::Data);
  }
  void operator()(const format::SequenceData& s) {
    checks::check_sequence_data(ctx, top.at("sequence", -1, s.name.get()), s);
  }
  void operator()(const format::MapData& m) { checks::check_map_data(ctx, top.at("map", -1, m.name.get()), m); }
  void operator()(const format::OptionalData& o) {
    checks::check_optional_data(ctx, top.at("optional", -1, o.name.get()), o);
  }
};

// How well bytes read as a kind of message; `refused` is set to what a limit refused.
// Whole: with faults, but every byte is kept, which a reading as another kind hardly does.
enum class Fit { None, Readable, Whole, Sound, Exact };

// A sequence and an optional have the same fields, but an optional has each of them once: of more, only the last would
// be seen.
bool has_several_values(const ir::Bytes& bytes, const Limits& limits) {
  const auto s = format::read_message<format::SequenceData>(bytes, limits);
  return s.tensor_values.size() + s.sparse_tensor_values.size() + s.sequence_values.size() + s.map_values.size() +
             s.optional_values.size() >
         1;
}

Fit fit(std::span<const std::byte> bytes, DataKind kind, const Limits& limits, std::optional<Error>& refused) {
  Report report;
  CheckOptions options;
  options.limits = limits;
  checks::Context ctx(options, ir::kNewestIrVersion, {}, report);
  try {
    if (kind == DataKind::Optional && has_several_values(borrowed(bytes), limits)) return Fit::None;
    return format::with_data(borrowed(bytes), kind, options.limits, [&](const auto& message) {
      if (!message.unknown.empty()) return Fit::None;
      Checker{ctx}(message);
      const bool whole = format::write_pieces(message).size == bytes.size();
      if (report.ok()) return whole ? Fit::Exact : Fit::Sound;
      return whole ? Fit::Whole : Fit::Readable;
    });
  } catch (const Error& e) {
    if (e.code() == ErrorCode::LimitExceeded && !refused) refused = e;
    return Fit::None;
  }
}

// The kinds that the bytes fit best.
struct Fitting {
  Fit best = Fit::None;
  std::vector<DataKind> kinds;
  std::optional<Error> refused;
};
Fitting fitting_kinds(std::span<const std::byte> bytes, const Limits& limits) {
  Fitting fitting;
  for (const KindName& row : kKinds) {
    const Fit found = fit(bytes, row.kind, limits, fitting.refused);
    if (found == Fit::None || found < fitting.best) continue;
    if (found > fitting.best) fitting.kinds.clear();
    fitting.best = found;
    fitting.kinds.push_back(row.kind);
  }
  return fitting;
}

template <class F>
std::string joined(const std::vector<DataKind>& kinds, const char* last, F&& name) {
  std::string names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    names += i == 0 ? "" : i + 1 == kinds.size() ? last : ", ";
    names += name(kinds[i]);
  }
  return names;
}

// f(message) with bytes that were said to be of a kind, or show it.
template <class F>
void with_checked(std::span<const std::byte> bytes, std::optional<DataKind> kind, const Limits& limits, F&& f) {
  const ir::Bytes input = borrowed(bytes);
  const DataKind as = kind ? *kind : data_kind(bytes, limits);
  reading_data(bytes, [&] {
    format::with_data(input, as, limits, [&](const auto& message) {
      if (kind) refuse_other_kind(input, as, limits, message);
      f(message);
    });
  });
}

}  // namespace

std::optional<format::Mistake> no_data(std::span<const std::byte> bytes) {
  if (is_model(borrowed(bytes))) return format::Mistake{"a model", "", ""};
  if (auto known = format::identify(bytes)) return known;
  const auto beginning = bytes.first(std::min<std::size_t>(bytes.size(), 512));
  const auto invalid = format::find_invalid_utf8(ir::as_text(borrowed(beginning)));
  const bool utf8 = !invalid || (beginning.size() < bytes.size() && *invalid + 4 > beginning.size());  // cut off there
  if (!utf8 || !format::looks_like_text(bytes)) return {};
  return format::Mistake{"text", "", "numbers in text become data as np.save(\"x.npy\", np.loadtxt(FILE)) saves them"};
}

std::string message_name(DataKind kind) {
  switch (kind) {
    case DataKind::SparseTensor: return "a SparseTensorProto";
    case DataKind::Sequence: return "a SequenceProto";
    case DataKind::Map: return "a MapProto";
    case DataKind::Optional: return "an OptionalProto";
    default: return "a TensorProto";
  }
}

std::string sound_data(std::span<const std::byte> bytes, const Limits& limits) {
  const Fitting fitting = fitting_kinds(bytes, limits);
  return fitting.best >= Fit::Sound ? joined(fitting.kinds, " or ", message_name) : "";
}

void refuse_other_kind(const ir::Bytes& bytes, DataKind kind, const Limits& limits, const std::string& foreign,
                       bool left_over) {
  const bool several = kind == DataKind::Optional && has_several_values(bytes, limits);
  if (foreign.empty() && !left_over && !several) return;
  // Unknown fields may be left over, but not if the bytes are sound as another kind, without unknown fields.
  const Fitting others = fitting_kinds(bytes.span(), limits);
  const bool is_another =
      others.best >= Fit::Sound && std::find(others.kinds.begin(), others.kinds.end(), kind) == others.kinds.end();
  if (foreign.empty() && !is_another && !several) return;
  std::string hint;
  if (is_another) hint = "they are " + joined(others.kinds, " or ", message_name);
  const std::string fault = several ? "they hold several values" : foreign;
  throw Error(ErrorCode::InvalidProtobuf,
              "the bytes are not " + message_name(kind) + (fault.empty() ? "" : ": " + fault), {}, std::move(hint));
}

std::string_view data_kind_name(DataKind kind) noexcept {
  for (const KindName& row : kKinds)
    if (row.kind == kind) return row.name;
  return "?";
}

DataKind data_kind_from_name(std::string_view name) {
  for (const KindName& row : kKinds)
    if (row.name == name) return row.kind;
  throw Error(ErrorCode::InvalidArgument, "there is no kind of data \"" + std::string(name) + "\"", {},
              "the kinds are tensor, sparse_tensor, sequence, map and optional");
}

DataKind data_kind(std::span<const std::byte> bytes, const Limits& limits) {
  const auto [best, fitting, refused] = fitting_kinds(bytes, limits);
  if (best <= Fit::Whole) {
    if (refused) throw *refused;  // without the limit, that reading may have been the sound one
    if (const auto mistake = no_data(bytes)) {
      throw Error(ErrorCode::InvalidProtobuf, "no data file: this is " + mistake->what, {}, mistake->data_hint);
    }
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) {
    throw Error(ErrorCode::InvalidProtobuf,
                "the bytes are not a TensorProto, SparseTensorProto, SequenceProto, MapProto or OptionalProto");
  }
  throw Error(ErrorCode::InvalidArgument,
              "which kind of data the bytes are cannot be determined: " +
                  joined(fitting, " and ", [](DataKind kind) { return std::string(data_kind_name(kind)); }) + " fit",
              {}, "say which kind it is (DataKind)");
}

DataKind data_kind(const std::string& path) {
  const base::FileBytes file = base::read_file(path, {});
  if (is_numpy(path, file)) return DataKind::Tensor;
  try {
    return data_kind(file.bytes);
  } catch (Error& e) {
    throw e.within(path);
  }
}

Report check_data(std::span<const std::byte> bytes, std::optional<DataKind> kind, const CheckOptions& options) {
  Report report;
  if (const base::FileBytes file{bytes, {}}; is_numpy({}, file)) {
    values_of({}, file, options.limits, {});
    return report;
  }
  checks::Context ctx(options, ir::kNewestIrVersion, {}, report);
  with_checked(bytes, kind, options.limits, Checker{ctx});
  return report;
}

Report check_data(const std::string& path, std::optional<DataKind> kind, const CheckOptions& options) {
  Report report;
  report.path = path;
  const base::FileBytes file = base::read_file(path, options.limits);
  if (is_numpy(path, file)) {
    values_of(path, file, options.limits, {});
    return report;
  }
  checks::Context ctx(options, ir::kNewestIrVersion, base::folder_of(path), report);
  try {
    with_checked(file.bytes, kind, options.limits, Checker{ctx});
  } catch (Error& e) {
    throw e.within(path);
  }
  return report;
}

}  // namespace norn
