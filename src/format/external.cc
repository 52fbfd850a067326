#include "format/external.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/mapped_file.h"
#include "base/text.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::format {
namespace {

using base::quoted;

[[noreturn]] void refuse(ErrorCode code, const ir::Tensor& tensor, std::string message, std::string hint = {}) {
  throw Error(code, std::move(message), ir::describe(tensor), std::move(hint));
}

std::optional<std::string> entry(const ir::Tensor& tensor, std::string_view key) {
  std::optional<std::string> found;
  for (const auto& e : tensor.external_data) {
    if (e.key.get() != key) continue;
    if (found && *found != e.value.get()) {
      refuse(ErrorCode::InvalidGraph, tensor, "external_data gives two values for " + quoted(key));
    }
    found = e.value.get();
  }
  return found;
}

std::optional<std::uint64_t> number(const ir::Tensor& tensor, std::string_view key) {
  const auto text = entry(tensor, key);
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end) {
    refuse(ErrorCode::InvalidGraph, tensor,
           "external_data's " + std::string(key) + " is not a non-negative number: " + quoted(*text));
  }
  return value;
}

std::optional<std::string> real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

void check_location(const ir::Tensor& tensor, const std::string& location) {
  const auto outside = [&](const char* why) {
    refuse(ErrorCode::InvalidGraph, tensor, "the location of external data " + quoted(location) + " " + why,
           "external data has to lie beneath the model's folder");
  };
  if (location.empty()) refuse(ErrorCode::InvalidGraph, tensor, "the location of external data is empty");
  if (location.find('\0') != std::string::npos) outside("contains a NUL character");
  if (location.front() == '/') outside("is an absolute path");
  for (std::size_t from = 0; from <= location.size();) {
    const std::size_t to = std::min(location.find('/', from), location.size());
    if (location.compare(from, to - from, "..") == 0) outside("contains \"..\"");
    from = to + 1;
  }
}

std::string checked_location(const ir::Tensor& tensor) {
  const auto location = entry(tensor, "location");
  if (!location) refuse(ErrorCode::InvalidGraph, tensor, "external_data has no \"location\"");
  check_location(tensor, *location);
  return *location;
}

std::string resolve(const ir::Tensor& tensor, const std::string& location, const std::string& base_dir) {
  const auto folder = real_path(base_dir);
  if (!folder) {
    refuse(ErrorCode::NoSuchFile, tensor,
           "the model's folder " + quoted(base_dir) + " cannot be opened: " + std::strerror(errno));
  }
  const std::string named = (*folder == "/" ? "" : *folder) + "/" + location;
  const auto path = real_path(named);
  if (!path) {
    refuse(ErrorCode::NoSuchFile, tensor,
           "cannot open the external data file " + quoted(named) + ": " + std::strerror(errno),
           "keep the data file beside the model; both belong together");
  }
  const std::string prefix = *folder == "/" ? "/" : *folder + "/";
  if (path->compare(0, prefix.size(), prefix) != 0) {
    refuse(ErrorCode::InvalidGraph, tensor,
           "the external data file " + quoted(named) + " is a link that leads out of the model's folder, to " +
               quoted(*path),
           "copy the file itself beside the model (caches that link to shared blobs can be downloaded to a folder of "
           "real files)");
  }
  struct stat info;
  if (::stat(path->c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    refuse(ErrorCode::InvalidGraph, tensor, "the external data " + quoted(*path) + " is not a regular file");
  }
  return *path;
}

class Files {
 public:
  Files(std::string base_dir, bool mmap) : base_dir_(std::move(base_dir)), mmap_(mmap) {}

  ir::Bytes read(const ir::Tensor& tensor) {
    if (base_dir_.empty()) {
      refuse(ErrorCode::InvalidArgument, tensor,
             "the tensor's data is in an external file, and the model's folder is unknown",
             "load the model from its path instead of from bytes");
    }
    const std::string location = checked_location(tensor);
    const std::uint64_t offset = number(tensor, "offset").value_or(0);
    const auto wanted = number(tensor, "length");
    const std::string path = resolve(tensor, location, base_dir_);
    const base::FileBytes file = open(path);
    const std::uint64_t size = file.bytes.size();
    if (offset > size || (wanted && *wanted > size - offset)) {
      refuse(ErrorCode::InvalidGraph, tensor,
             "external data lies outside its file: offset " + std::to_string(offset) +
                 (wanted ? ", length " + std::to_string(*wanted) : std::string()) + ", but " + quoted(path) + " has " +
                 std::to_string(size) + " bytes",
             "the data file is incomplete or belongs to another version of the model");
    }
    const std::uint64_t length = wanted.value_or(size - offset);
    return ir::Bytes(file.bytes.data() + offset, static_cast<std::size_t>(length), file.owner);
  }

 private:
  base::FileBytes open(const std::string& path) {
    std::lock_guard lock(mutex_);
    auto& file = files_[path];
    if (!file.owner) file = base::read_file(path, mmap_);
    return file;
  }

  const std::string base_dir_;
  const bool mmap_;
  std::mutex mutex_;
  std::map<std::string, base::FileBytes> files_;
};

}  // namespace

ir::ExternalReader external_reader(std::string base_dir, bool mmap) {
  auto files = std::make_shared<Files>(std::move(base_dir), mmap);
  return [files](const ir::Tensor& tensor) { return files->read(tensor); };
}

std::vector<ExternalFile> external_files(const ir::Model& model, const std::string& base_dir) {
  std::map<std::string, std::string> found;
  ir::for_each_tensor(model, [&](const ir::Tensor& tensor) {
    if (tensor.data_location != ir::kDataLocationExternal) return;
    std::string location;
    try {
      location = checked_location(tensor);
    } catch (const Error&) {
      return;  // it names no file
    }
    if (found.contains(location)) return;
    try {
      found[location] = resolve(tensor, location, base_dir);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::NoSuchFile) throw;
    }
  });
  std::vector<ExternalFile> files;
  for (auto& [location, path] : found) files.push_back({location, path});
  return files;
}

}  // namespace norn::format
