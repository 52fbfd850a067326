// A data file's content, read once: its kind, its names and its values have to be those of the same bytes, even if the
// file changes meanwhile.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "format/foreign.h"
#include "format/identify.h"
#include "ir/field.h"
#include "norn/data.h"
#include "norn/error.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn {

// An .npy or .npz file, by its content or its name.
bool is_numpy(const std::string& path, const base::FileBytes& file);

// Every value of a file read from `path`, by name; without `kind`, data_kind() decides. Throws norn::Error, at `path`.
std::vector<std::pair<std::string, Value>> values_of(const std::string& path, const base::FileBytes& file,
                                                     const Limits& limits, std::optional<DataKind> kind);

// Throws norn::Error (InvalidProtobuf) if bytes that were said to be of one kind are plainly of another, or no data:
// `foreign` is format::foreign_part() of what was read, `left_over` whether it has unknown fields.
void refuse_other_kind(const ir::Bytes& bytes, DataKind kind, const Limits& limits, const std::string& foreign,
                       bool left_over);
template <class M>
void refuse_other_kind(const ir::Bytes& bytes, DataKind kind, const Limits& limits, const M& message) {
  refuse_other_kind(bytes, kind, limits, format::foreign_part(message), !message.unknown.empty());
}
// "a TensorProto"
std::string message_name(DataKind kind);

// "a TensorProto": the message that the bytes are without a fault; "" if they are not data.
std::string sound_data(std::span<const std::byte> bytes, const Limits& limits);
// What else than data the bytes are, if that is known.
std::optional<format::Mistake> no_data(std::span<const std::byte> bytes);
// f(), which reads data out of the bytes; where it cannot because they are something else, norn::Error says what.
template <class F>
auto reading_data(std::span<const std::byte> bytes, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    const bool unreadable = e.code() == ErrorCode::InvalidProtobuf || e.code() == ErrorCode::InvalidGraph ||
                            e.code() == ErrorCode::InvalidArgument;
    if (const auto mistake = unreadable ? no_data(bytes) : std::nullopt) {
      throw Error(ErrorCode::InvalidProtobuf, "no data file: this is " + mistake->what, {}, mistake->data_hint);
    }
    throw;
  }
}

}  // namespace norn
