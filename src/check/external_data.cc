// External data: the strings that say where a tensor's bytes lie, and the file they name.
//
// The model is untrusted: its locations are judged as text first, then step by step below the model's folder, and only
// a file's kind, size and number of hard links are looked up. Its contents are read only if checksums are asked for.
// Many tensors share a file: what is wrong with the file itself is reported once, at the first tensor in it.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/text.h"
#include "check/rule_checks.h"
#include "check/tensor_size.h"
#include "check/text.h"
#include "format/external.h"
#include "format/notation.h"
#include "format/path_policy.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::checks {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::string_view kKeys[] = {"location", "offset", "length", "checksum", "basepath"};

struct DataFile {
  std::optional<std::uint64_t> size;  // nothing if it may not or cannot be opened
  std::string sha1;                   // once asked for; "" if the data cannot be read
  bool sha1_known = false;
  bool reported_alignment = false;
};
struct DataFiles {
  TextMap<DataFile> by_location;
};

struct Entries {
  const std::string* values[std::size(kKeys)] = {};
  const std::string* location() const { return values[0]; }
  const std::string* offset() const { return values[1]; }
  const std::string* length() const { return values[2]; }
  const std::string* checksum() const { return values[3]; }
};

Entries read_entries(Context& ctx, const Place& place, const ir::Tensor& tensor) {
  Entries found;
  for (const auto& entry : tensor.external_data) {
    const auto* key = std::find(std::begin(kKeys), std::end(kKeys), entry.key.get());
    if (key == std::end(kKeys)) {
      ctx.report("ext.keys-known", place, "external_data has the unknown key " + quoted(entry.key.get()),
                 "keys are location, offset, length, checksum and basepath; readers pass over others or refuse them");
      continue;
    }
    const std::string*& value = found.values[key - std::begin(kKeys)];
    if (value) {
      ctx.report("ext.keys-unique", place,
                 "external_data gives " + std::string(*key) + " twice, as " + quoted(*value) + " and " +
                     quoted(entry.value.get()),
                 "keep one of them");
      continue;
    }
    value = &entry.value.get();
  }
  return found;
}

std::optional<std::uint64_t> decimal(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value > INT64_MAX) return std::nullopt;
  return value;
}

bool is_drive(std::string_view path) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return path.size() > 2 && letter(path[0]) && path[1] == ':' && (path[2] == '/' || path[2] == '\\');
}

bool has_dotdot(std::string_view path) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find_first_of("/\\", from), path.size());
    if (path.substr(from, to - from) == "..") return true;
    from = to + 1;
  }
  return false;
}

constexpr const char* kBeneath = "external data has to lie beneath the model's folder";

// True if the location may be looked up.
bool check_location(Context& ctx, const Place& place, const std::string* location) {
  if (!location) {
    ctx.report("ext.location.required", place, "the tensor's data are external, but external_data has no location",
               "add the key \"location\": the data file's path, seen from the model's folder");
    return false;
  }
  const std::string shown = "the location of external data " + quoted(*location);
  if (location->empty()) {
    ctx.report("ext.location.nonempty", place, "the location of external data is empty",
               "give the data file's path, seen from the model's folder");
    return false;
  }
  bool good = true;
  if (location->front() == '/' || is_drive(*location)) {
    ctx.report("ext.location.relative", place, shown + " is an absolute path", kBeneath);
    good = false;
  }
  if (has_dotdot(*location)) {
    ctx.report("ext.location.no-dotdot", place, shown + " contains \"..\"", kBeneath);
    good = false;
  }
  const bool backslash = location->find('\\') != std::string::npos, nul = location->find('\0') != std::string::npos;
  if (backslash || nul || !format::is_utf8(*location)) {
    ctx.report("ext.location.posix", place,
               shown + (nul         ? " contains a NUL character"
                        : backslash ? " contains a backslash"
                                    : " is not UTF-8"),
               "spell it as a POSIX path, with \"/\", in UTF-8");
    good = false;
  }
  return good;
}

// The first step of the path that is a symbolic link, as the path up to it; "" if none is.
std::string link_on_path(const std::string& base_dir, const std::string& location) {
  base::Descriptor at(::open(base_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t from = 0; at && from <= location.size();) {
    const std::size_t to = std::min(location.find('/', from), location.size());
    const std::string name = location.substr(from, to - from);
    from = to + 1;
    if (name.empty() || name == ".") continue;
    base::Descriptor next(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info;
    if (next && ::fstat(next.get(), &info) == 0 && S_ISLNK(info.st_mode)) return location.substr(0, to);
    at = std::move(next);
  }
  return {};
}

// For a location that the policy refuses: whether a link is the reason, not the file that it leads to.
bool leads_away(const std::string& base_dir, const std::string& location) {
  if (link_on_path(base_dir, location).empty()) return false;
  struct stat info;
  return ::stat((base_dir + "/" + location).c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

// Reports what is wrong with the file itself.
DataFile look_at(Context& ctx, const Place& place, const std::string& location) {
  DataFile file;
  format::PathPolicy policy = format::path_policy(ctx.loaded());
  const bool hard_links_refused = !std::exchange(policy.hard_links, true);
  // A caller that loads with a wider policy has agreed to the links that it admits.
  const bool links_refused = policy.kind == ExternalPolicy::Beneath && policy.roots.empty();
  const std::string link = links_refused ? link_on_path(ctx.base_dir(), location) : std::string();
  if (!link.empty()) {
    ctx.report("ext.location.no-symlink", place,
               "the location of external data " + quoted(location) + " leads over the symbolic link " + quoted(link),
               "put the file itself there. A model in the Hugging Face cache consists of such links: download it to a "
               "folder of its own, or allow the cache's links (ExternalPolicy::HfCache)");
  }
  try {
    const format::OpenedFile opened = format::open_location(ctx.base_dir(), location, policy, format::Resolver::Steps);
    file.size = opened.size;
    struct stat info;
    if (hard_links_refused && ::fstat(opened.fd.get(), &info) == 0 && info.st_nlink > 1) {
      ctx.report("ext.location.no-hardlink", place,
                 "the external data file " + quoted(location) + " has " + std::to_string(info.st_nlink) +
                     " names (hard links), so its bytes may belong to another file",
                 "put a copy in its place");
    }
    if (opened.size > ctx.options().limits.max_bytes) {
      throw Error(ErrorCode::LimitExceeded,
                  "the external data file " + quoted(location) + " has " + std::to_string(opened.size) +
                      " bytes, more than Limits::max_bytes (" + std::to_string(ctx.options().limits.max_bytes) + ")",
                  place.to_string());
    }
  } catch (const Error& e) {
    if (e.code() == ErrorCode::LimitExceeded) throw;
    if (!link.empty()) return file;
    if (e.code() == ErrorCode::InvalidGraph && leads_away(ctx.base_dir(), location)) {
      ctx.report("ext.location.no-symlink", place, e.message(), e.hint());
    } else {
      ctx.report("ext.location.regular-file", place, e.message(), e.hint());
    }
  }
  return file;
}

bool is_sha1(std::string_view text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  return text.size() == 40 && std::all_of(text.begin(), text.end(), hex);
}

// The SHA-1 of all data of the location; "" if they cannot be read, which is reported.
std::string digest_of(Context& ctx, const Place& place, const std::string& location, const DataFile& file) {
  if (const ExternalReader& reader = ctx.loaded().external_reader) {
    try {
      const SharedBytes all = reader(location, 0, std::nullopt);
      return format::sha1(all.bytes);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::LimitExceeded) throw;
      ctx.report("ext.location.regular-file", place, e.message(), e.hint());
      return {};
    }
  }
  if (!file.size) return {};
  format::PathPolicy policy = format::path_policy(ctx.loaded());
  policy.hard_links = true;
  const format::OpenedFile opened = format::open_location(ctx.base_dir(), location, policy);
  return format::sha1(opened.fd.get(), opened.size, opened.path);
}

void check_checksum(Context& ctx, const Place& place, const std::string& location, const std::string& checksum,
                    DataFile* file) {
  if (!is_sha1(checksum)) {
    ctx.report("ext.checksum", place,
               "the checksum " + quoted(checksum) + " is not a SHA-1, which has 40 hexadecimal digits",
               "leave the checksum away or write the SHA-1 of the whole file");
    return;
  }
  const bool asked = ctx.options().checksums || ctx.loaded().external_checksums;
  if (!asked || !file) return;
  if (!std::exchange(file->sha1_known, true)) file->sha1 = digest_of(ctx, place, location, *file);
  if (file->sha1.empty()) return;
  std::string expected = checksum;
  std::transform(expected.begin(), expected.end(), expected.begin(), [](char c) { return base::lower(c); });
  if (expected == file->sha1) return;
  ctx.report("ext.checksum", place,
             "the file " + quoted(location) + " has the SHA-1 " + file->sha1 + ", but the model says " + expected,
             "the data file is damaged or belongs to another version of the model");
}

void check_extent(Context& ctx, const Place& place, const ir::Tensor& tensor, const Entries& entries,
                  const DataFile* file) {
  bool sound = true;
  std::uint64_t offset = 0;
  if (entries.offset()) {
    const auto value = decimal(*entries.offset());
    if (!value) {
      sound = false;
      ctx.report("ext.offset.integer", place,
                 "the offset " + quoted(*entries.offset()) + " is not a number from 0 to 2^63 - 1",
                 "write it in decimal");
    }
    offset = value.value_or(0);
  }
  std::optional<std::uint64_t> length;
  if (entries.length()) {
    length = decimal(*entries.length());
    if (!length) {
      sound = false;
      ctx.report("ext.length.integer", place,
                 "the length " + quoted(*entries.length()) + " is not a number from 0 to 2^63 - 1",
                 "write it in decimal");
    }
  }
  if (sound && file && file->size) {
    const std::uint64_t size = *file->size;
    if (offset > size) {
      sound = false;
      ctx.report("ext.offset.in-file", place,
                 "the offset " + std::to_string(offset) + " lies beyond the file " + quoted(*entries.location()) +
                     ", which has " + std::to_string(size) + " bytes",
                 "the data file is incomplete or belongs to another version of the model");
    } else if (length && *length > size - offset) {
      ctx.report("ext.length.in-file", place,
                 "offset " + std::to_string(offset) + " and length " + std::to_string(*length) +
                     " reach beyond the file " + quoted(*entries.location()) + ", which has " + std::to_string(size) +
                     " bytes",
                 "the data file is incomplete or belongs to another version of the model");
    }
    if (sound && !length) length = size - offset;
  }
  const auto type = known_type(tensor);
  const auto count = held_elements(tensor);
  if (!sound || !length || !type || !count || *type == DataType::String) return;
  const auto expected = base::packed_bytes(*count, storage_bits(*type));
  if (expected == length) return;
  ctx.report("ext.length.matches-shape", place,
             "the tensor's data take " +
                 (expected ? std::to_string(*expected) : std::string("more than 64 bits can count")) + " bytes (" +
                 std::to_string(*count) + " elements of " + std::string(data_type_name(*type)) + "), but " +
                 (entries.length() ? "the length given is " : "from its offset to the file's end there are ") +
                 std::to_string(*length),
             entries.length() ? "dims, data_type and length have to belong together"
                              : "give the key \"length\" where a file holds more than one tensor");
}

void check_alignment(Context& ctx, const Place& place, const Entries& entries, DataFile& file) {
  if (!entries.offset() || file.reported_alignment) return;
  const auto offset = decimal(*entries.offset());
  if (!offset || *offset % kPage == 0) return;
  file.reported_alignment = true;
  ctx.report("ext.offset.aligned", place,
             "the offset " + std::to_string(*offset) + " is not a multiple of " + std::to_string(kPage) +
                 " (reported once for each file)",
             "aligned tensors can be mapped into memory one by one");
}

}  // namespace

void check_external_data(Context& ctx, const Place& place, const ir::Tensor& tensor) {
  const std::int32_t where = tensor.data_location;
  if (where != ir::kDataLocationDefault && where != ir::kDataLocationExternal) {
    ctx.report("ext.location-enum", place,
               "data_location is " + std::to_string(where) + "; it is 0 (DEFAULT) or 1 (EXTERNAL)",
               "data in a file of their own are EXTERNAL");
  }
  if (!ir::is_external(tensor, ctx.ir_version())) return;
  if (tensor.data_type.get() == static_cast<std::int32_t>(DataType::String)) {
    ctx.report("ext.not-string", place, "strings cannot be external data", "store them in string_data");
  }
  if (!tensor.raw_data.get().empty() || !tensor.float_data.empty() || !tensor.int32_data.empty() ||
      !tensor.string_data.empty() || !tensor.int64_data.empty() || !tensor.double_data.empty() ||
      !tensor.uint64_data.empty()) {
    ctx.report("ext.no-value-fields", place, "the tensor's data are external, yet it also holds data itself",
               "keep one of the two");
  }
  const Entries entries = read_entries(ctx, place, tensor);
  DataFile* file = nullptr;
  DataFile unnamed;
  if (check_location(ctx, place, entries.location())) {
    auto& files = ctx.state<DataFiles>().by_location;
    auto found = files.find(*entries.location());
    if (found == files.end()) {
      const bool in_files =
          !ctx.loaded().external_reader && !(ctx.base_dir().empty() && ctx.loaded().external_roots.empty());
      DataFile seen = in_files ? look_at(ctx, place, *entries.location()) : DataFile{};
      found = files.emplace(*entries.location(), std::move(seen)).first;
    }
    file = &found->second;
  }
  check_extent(ctx, place, tensor, entries, file);
  check_alignment(ctx, place, entries, file ? *file : unnamed);
  if (entries.checksum() && entries.location()) {
    check_checksum(ctx, place, *entries.location(), *entries.checksum(), file);
  }
}

}  // namespace norn::checks
