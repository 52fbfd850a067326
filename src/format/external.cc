#include "format/external.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/checked.h"
#include "base/mapped_file.h"
#include "base/once_per_key.h"
#include "base/text.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::format {
namespace {

[[noreturn]] void refuse(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint));
}

std::uint64_t number(const std::string& key, const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    refuse("external_data's " + key + " is not a non-negative number: " + base::quoted(text));
  }
  return value;
}

std::string checksum(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);
  if (text.size() != 40 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    refuse("external_data's checksum is not a SHA-1 (40 hexadecimal digits): " + base::quoted(text));
  }
  return text;
}

ExternalEntry parse(const ir::Tensor& tensor) {
  std::map<std::string, std::string> values;
  for (const auto& e : tensor.external_data) {
    const auto [at, fresh] = values.emplace(e.key.get(), e.value.get());
    if (!fresh && at->second != e.value.get())
      refuse("external_data gives two values for " + base::quoted(e.key.get()));
  }
  ExternalEntry entry;
  bool located = false;
  for (const auto& [key, value] : values) {
    if (key == "location")
      entry.location = value, located = true;
    else if (key == "offset")
      entry.offset = number(key, value);
    else if (key == "length")
      entry.length = number(key, value);
    else if (key == "checksum")
      entry.checksum = checksum(value);
    else if (key != "basepath")
      entry.unknown_keys.push_back(key);
  }
  if (!located) refuse("external_data has no \"location\"");
  if (const std::string fault = location_fault(entry.location); !fault.empty()) {
    refuse("the location of external data " + base::quoted(entry.location) + " " + fault,
           "external data has to lie beneath the model's folder");
  }
  return entry;
}

// Bytes that the tensor's type and shape take; nothing if they are broken, which reading the tensor reports.
std::optional<std::uint64_t> needed_bytes(const ir::Tensor& tensor) {
  const std::int32_t type = tensor.data_type;
  const int bits = type > 0 && type < kDataTypeCount ? storage_bits(static_cast<DataType>(type)) : 0;
  if (bits == 0) return std::nullopt;
  const auto count = base::checked_count(tensor.dims);
  return count ? base::packed_bytes(*count, bits) : std::nullopt;
}

ir::Bytes read_range(const OpenedFile& file, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pread(file.fd.get(), bytes.data() + done, std::min(bytes.size() - done, std::size_t{1} << 30),
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw Error(ErrorCode::Io, "cannot read " + base::quoted(file.path) + ": " +
                                     (n < 0 ? std::strerror(errno) : "it became shorter while it was read"));
    }
    done += static_cast<std::size_t>(n);
  }
  return ir::Bytes(std::move(bytes));
}

class Files {
 public:
  Files(std::string base_dir, ExternalAccess access) : base_dir_(std::move(base_dir)), access_(std::move(access)) {}

  ir::Bytes read(const ir::Tensor& tensor) {
    const ExternalEntry entry = parse(tensor);
    const auto needed = needed_bytes(tensor);
    if (access_.reader) return from_caller(entry, needed);
    if (!access_.mmap && !access_.checksums) {
      const OpenedFile file = open_location(base_dir_, entry.location, access_.policy);
      const std::uint64_t length = checked_length(entry, file.size, file.path);
      check_size(length, needed);
      return read_range(file, entry.offset, length);
    }
    const Held file = hold(entry);
    const std::uint64_t length = checked_length(entry, file.bytes.size(), file.path);
    return ir::Bytes(file.bytes.data() + entry.offset, static_cast<std::size_t>(length), file.bytes.owner());
  }

 private:
  struct Held {
    ir::Bytes bytes;
    std::string path;
  };

  // Before memory is asked for.
  void check_size(std::uint64_t length, std::optional<std::uint64_t> needed) const {
    if (length > access_.max_bytes) {
      throw Error(ErrorCode::LimitExceeded, "external data of " + std::to_string(length) +
                                                " bytes is larger than the limit max_tensor_bytes, " +
                                                std::to_string(access_.max_bytes));
    }
    if (needed && *needed != length) {
      refuse("the external data has " + std::to_string(length) + " bytes, but the tensor's type and shape take " +
             std::to_string(*needed));
    }
  }

  ir::Bytes from_caller(const ExternalEntry& entry, std::optional<std::uint64_t> needed) const {
    if (entry.length) check_size(*entry.length, needed);
    SharedBytes got = access_.reader(entry.location, entry.offset, entry.length);
    if (entry.length && got.bytes.size() != *entry.length) {
      throw Error(ErrorCode::InvalidArgument, "the reader of external data gave " + std::to_string(got.bytes.size()) +
                                                  " bytes of " + base::quoted(entry.location) + " instead of " +
                                                  std::to_string(*entry.length));
    }
    check_size(got.bytes.size(), needed);
    if (got.owner || got.bytes.empty()) return ir::Bytes(got.bytes.data(), got.bytes.size(), std::move(got.owner));
    return ir::Bytes(std::vector<std::byte>(got.bytes.begin(), got.bytes.end()));
  }

  Held hold(const ExternalEntry& entry) {
    const std::shared_ptr<const Held> held = files_.get(entry.location, [&] {
      OpenedFile file = open_location(base_dir_, entry.location, access_.policy);
      auto made = std::make_shared<Held>();
      made->path = file.path;
      if (access_.mmap) {
        base::FileBytes mapped = base::map_descriptor(file.fd.get(), file.size, file.path);
        made->bytes = ir::Bytes(mapped.bytes.data(), mapped.bytes.size(), std::move(mapped.owner));
      } else {
        made->bytes = read_range(file, 0, file.size);
      }
      return made;
    });
    if (access_.checksums && entry.checksum) {
      const auto digest =
          digests_.get(entry.location, [&] { return std::make_shared<const std::string>(sha1(held->bytes.span())); });
      check_digest(held->path, *digest, *entry.checksum);
    }
    return *held;
  }

  const std::string base_dir_;
  const ExternalAccess access_;
  // By location, all of them: the tensors of one file wait for it, and for no other.
  static constexpr std::size_t kAll = ~std::size_t{0};
  base::OncePerKey<Held> files_{kAll};
  base::OncePerKey<std::string> digests_{kAll};
};

using Digest = std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)>;

Digest start_sha1() {
  Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr) != 1) {
    throw Error(ErrorCode::NotImplemented, "the system's cryptography library does not offer SHA-1");
  }
  return context;
}

std::string finish(const Digest& context) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

template <class F>
auto at_tensor(const ir::Tensor& tensor, F&& f) {
  try {
    return f();
  } catch (Error& e) {
    throw e.within(ir::describe(tensor));
  }
}

}  // namespace

ExternalEntry parse_external(const ir::Tensor& tensor) {
  return at_tensor(tensor, [&] { return parse(tensor); });
}

std::uint64_t checked_length(const ExternalEntry& entry, std::uint64_t size, const std::string& path) {
  if (entry.offset > size || (entry.length && *entry.length > size - entry.offset)) {
    refuse("external data lies outside its file: offset " + std::to_string(entry.offset) +
               (entry.length ? ", length " + std::to_string(*entry.length) : std::string()) + ", but " +
               base::quoted(path) + " has " + std::to_string(size) + " bytes",
           "the data file is incomplete or belongs to another version of the model");
  }
  return entry.length.value_or(size - entry.offset);
}

ExternalAccess external_access(const LoadOptions& options) {
  return {path_policy(options), options.mmap, options.external_checksums, options.limits.max_tensor_bytes,
          options.external_reader};
}

ir::ExternalReader external_reader(std::string base_dir, ExternalAccess access) {
  auto files = std::make_shared<Files>(std::move(base_dir), std::move(access));
  return [files](const ir::Tensor& tensor) { return at_tensor(tensor, [&] { return files->read(tensor); }); };
}

std::vector<ExternalFile> external_files(const ir::Model& model, const std::string& base_dir,
                                         const PathPolicy& policy) {
  std::set<std::string> seen;
  std::vector<ExternalFile> files;
  ir::for_each_tensor(model, [&](const ir::Tensor& tensor) {
    if (tensor.data_location != ir::kDataLocationExternal) return;
    std::string location;
    try {
      location = parse(tensor).location;
    } catch (const Error&) {
      return;  // it names no file
    }
    if (!seen.insert(location).second) return;
    try {
      files.push_back({location, open_location(base_dir, location, policy)});
    } catch (Error& e) {
      if (e.code() != ErrorCode::NoSuchFile) throw e.within(ir::describe(tensor));
    }
  });
  return files;
}

std::string sha1(std::span<const std::byte> bytes) {
  const Digest context = start_sha1();
  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size());
  return finish(context);
}

std::string sha1(int fd, std::uint64_t size, const std::string& path) {
  const Digest context = start_sha1();
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < size;) {
    const ssize_t n =
        ::pread(fd, buffer.data(), std::min<std::uint64_t>(buffer.size(), size - at), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw Error(ErrorCode::Io, "cannot read " + base::quoted(path) + ": " +
                                     (n < 0 ? std::strerror(errno) : "it became shorter while it was read"));
    }
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return finish(context);
}

void check_digest(const std::string& path, const std::string& is, const std::string& expected) {
  if (is == expected) return;
  refuse(
      "the external data file " + base::quoted(path) + " has the SHA-1 " + is + ", but the model expects " + expected,
      "the data file is damaged or belongs to another version of the model");
}

}  // namespace norn::format
