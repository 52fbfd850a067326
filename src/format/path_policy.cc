#include "format/path_policy.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "norn/error.h"

namespace norn::format {
namespace {

using base::Descriptor;
constexpr int kMaxLinks = 40;                                           // as the kernel
constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // a pipe must not keep us waiting

using Names = std::deque<std::string>;

Names split(std::string_view path) {
  Names names;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    if (to > from && path.substr(from, to - from) != ".") names.emplace_back(path.substr(from, to - from));
    from = to + 1;
  }
  return names;
}

std::string join(const std::string& folder, std::string_view name) {
  return (folder == "/" ? "" : folder) + "/" + std::string(name);
}

std::optional<std::string> real_path(const std::string& path) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

bool lies_in(const std::string& path, const std::string& folder) {
  return folder == "/" || (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

enum class Fate { Opened, LeadsOut, NotRegular, Failed };  // Failed: `error` says why

struct Attempt {
  Fate fate = Fate::Failed;
  int error = 0;
  bool folder = false;  // NotRegular because it is one
  Descriptor fd;
  Names names;  // below the folder, links resolved; only from the walk by steps
};

Attempt failed(int error) {
  Attempt attempt;
  attempt.error = error;
  return attempt;
}

// Resolves below `root` without ever leaving it: every name is opened relative to its open folder and never followed;
// links are read and taken apart here.
Attempt walk(int root, Names rest) {
  Attempt result;
  std::vector<Descriptor> folders;
  int links = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name == "..") {
      if (folders.empty()) return result.fate = Fate::LeadsOut, std::move(result);
      folders.pop_back();
      result.names.pop_back();
      continue;
    }
    const int at = folders.empty() ? root : folders.back().get();
    Descriptor next(::openat(at, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info;
    if (!next || ::fstat(next.get(), &info) != 0) return failed(errno);
    if (S_ISLNK(info.st_mode)) {
      if (++links > kMaxLinks) return failed(ELOOP);
      std::string target(PATH_MAX, '\0');
      const ssize_t n = ::readlinkat(next.get(), "", target.data(), target.size());
      if (n < 0) return failed(errno);
      target.resize(static_cast<std::size_t>(n));
      if (target.starts_with('/')) return result.fate = Fate::LeadsOut, std::move(result);
      Names names = split(target);
      rest.insert(rest.begin(), names.begin(), names.end());
      continue;
    }
    result.names.push_back(name);
    if (S_ISDIR(info.st_mode)) {
      folders.push_back(std::move(next));
      continue;
    }
    if (!rest.empty()) return failed(ENOTDIR);
    if (!S_ISREG(info.st_mode)) return result.fate = Fate::NotRegular, std::move(result);
    result.fd = Descriptor(::openat(at, name.c_str(), kReading | O_NOFOLLOW));
    if (!result.fd) return failed(errno);
    return result.fate = Fate::Opened, std::move(result);
  }
  result.folder = true;
  return result.fate = Fate::NotRegular, std::move(result);
}

// The kernel's answer where it is a clear yes; anything else is left to walk(), which knows why.
std::optional<Attempt> ask_kernel(int root, const std::string& location) {
  open_how how{};
  how.flags = kReading;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  Attempt attempt;
  attempt.fd = Descriptor(static_cast<int>(::syscall(SYS_openat2, root, location.c_str(), &how, sizeof(how))));
  if (!attempt.fd) return std::nullopt;
  attempt.fate = Fate::Opened;
  return attempt;
}

Attempt open_below(int root, const std::string& location, Resolver resolver) {
  if (resolver == Resolver::Kernel) {
    if (auto attempt = ask_kernel(root, location)) return std::move(*attempt);
  }
  return walk(root, split(location));
}

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

[[noreturn]] void refuse_path(std::string message, std::string hint = {}) {
  throw Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint));
}

[[noreturn]] void refuse_irregular(const std::string& path, bool folder) {
  const std::string what = "the external data " + base::quoted(path) + " is ";
  if (!folder) refuse_path(what + "not a regular file");
  refuse_path(what + "a folder, not a regular file",
              "`location` names the file that has the data: correct it, or put the file there");
}

OpenedFile accept(Attempt attempt, std::string path, const PathPolicy& policy) {
  struct stat info;
  if (::fstat(attempt.fd.get(), &info) != 0) {
    throw Error(ErrorCode::Io, "cannot look at " + base::quoted(path) + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) refuse_irregular(path, S_ISDIR(info.st_mode));
  if (info.st_nlink > 1 && !policy.hard_links) {
    refuse_path("the external data file " + base::quoted(path) + " has " + std::to_string(info.st_nlink) +
                    " names (hard links), so it may be a file from elsewhere",
                "put a copy in its place, or allow hard links if you trust where the model lies "
                "(LoadOptions::external_hard_links)");
  }
  return {std::move(attempt.fd), std::move(path), static_cast<std::uint64_t>(info.st_size)};
}

// The Hugging Face cache keeps a repository's files in blobs/ under their hashes, and links to them from
// snapshots/<revision>/. Opens below the repository's folder and takes what ends in blobs/ or in the model's folder.
std::optional<OpenedFile> open_in_cache(const std::string& base, const std::string& location,
                                        const PathPolicy& policy) {
  const Names folders = split(base);
  std::size_t snapshots = folders.size();
  for (std::size_t i = 0; i + 1 < folders.size(); ++i)
    if (folders[i] == "snapshots") snapshots = i;
  if (snapshots == folders.size()) return std::nullopt;
  std::string repository;
  for (std::size_t i = 0; i < snapshots; ++i) repository += "/" + folders[i];
  const Names inner(folders.begin() + static_cast<std::ptrdiff_t>(snapshots), folders.end());
  Names names = inner;
  for (const std::string& name : split(location)) names.push_back(name);
  const Descriptor root = open_folder(repository.empty() ? "/" : repository);
  if (!root) return std::nullopt;
  Attempt attempt = walk(root.get(), std::move(names));
  if (attempt.fate != Fate::Opened) return std::nullopt;
  const Names& found = attempt.names;
  const bool blob = found.size() == 2 && found.front() == "blobs";
  const bool beside = found.size() > inner.size() && std::equal(inner.begin(), inner.end(), found.begin());
  if (!blob && !beside) return std::nullopt;
  std::string path = repository;
  for (const std::string& name : found) path += "/" + name;
  return accept(std::move(attempt), std::move(path), policy);
}

// A link may lead into a folder that the caller allows. Its end is opened anew from that folder, following no link,
// so that what is opened lies there whatever happens to the links meanwhile.
std::optional<OpenedFile> open_real(const std::string& real, const std::string& root, const PathPolicy& policy) {
  const auto folder = real_path(root);
  if (!folder || !lies_in(real, *folder)) return std::nullopt;
  const Descriptor fd = open_folder(*folder);
  if (!fd) return std::nullopt;
  Names names = split(std::string_view(real).substr(*folder == "/" ? 1 : folder->size() + 1));
  const std::size_t depth = names.size();
  Attempt attempt = walk(fd.get(), std::move(names));
  if (attempt.fate != Fate::Opened || attempt.names.size() != depth) return std::nullopt;
  return accept(std::move(attempt), real, policy);
}

bool cache_has(const std::string& base, const std::string& location, const PathPolicy& policy) {
  try {
    return open_in_cache(base, location, policy).has_value();
  } catch (const Error&) {
    return false;
  }
}

// What would let the link's end `real` be read.
std::string permission(const std::string& base, const std::string& location, const std::string& real,
                       const PathPolicy& policy) {
  if (policy.kind != ExternalPolicy::HfCache && cache_has(base, location, policy)) {
    return "it lies in the same Hugging Face cache; allow the cache's links (ExternalPolicy::HfCache)";
  }
  const auto slash = real.rfind('/');
  return "copy the file itself beside the model, or allow the folder " +
         base::quoted(slash == 0 ? "/" : real.substr(0, slash)) + " (LoadOptions::external_roots)";
}

}  // namespace

PathPolicy path_policy(const LoadOptions& options) {
  return {options.external, options.external_roots, options.external_hard_links};
}

std::string location_fault(std::string_view location) {
  if (location.empty()) return "is empty";
  if (location.find('\0') != std::string_view::npos) return "contains a NUL character";
  if (location.front() == '/') return "is an absolute path";
  if (location.find('\\') != std::string_view::npos) return "contains a backslash; locations are spelled with \"/\"";
  if (location.back() == '/') return "names a folder";
  if (location.size() >= PATH_MAX) return "is longer than a path can be";
  const Names names = split(location);
  if (names.empty()) return "names a folder";
  if (std::find(names.begin(), names.end(), "..") != names.end()) return "contains \"..\"";
  return {};
}

OpenedFile open_location(const std::string& base_dir, const std::string& location, const PathPolicy& policy,
                         Resolver resolver) {
  if (const std::string fault = location_fault(location); !fault.empty()) {
    refuse_path("the location of external data " + base::quoted(location) + " " + fault,
                "external data has to lie beneath the model's folder");
  }
  Attempt attempt = failed(ENOENT);
  std::optional<std::string> base, real;
  if (!base_dir.empty()) {
    base = real_path(base_dir);
    const Descriptor root = base ? open_folder(base_dir) : Descriptor();
    if (!root) {
      throw Error(ErrorCode::NoSuchFile,
                  "the model's folder " + base::quoted(base_dir) + " cannot be opened: " + std::strerror(errno));
    }
    attempt = open_below(root.get(), location, resolver);
    if (attempt.fate == Fate::Opened) return accept(std::move(attempt), join(*base, location), policy);
    if (policy.kind == ExternalPolicy::HfCache) {
      if (auto file = open_in_cache(*base, location, policy)) return std::move(*file);
    }
    real = real_path(join(*base, location));
    // An absolute link may well end beneath the model's folder.
    if (real && attempt.fate == Fate::LeadsOut) {
      if (auto file = open_real(*real, *base, policy)) return std::move(*file);
    }
  }
  for (const std::string& folder : policy.roots) {
    if (real) {
      if (auto file = open_real(*real, folder, policy)) return std::move(*file);
    }
    const Descriptor root = open_folder(folder);
    if (!root) continue;
    Attempt there = open_below(root.get(), location, resolver);
    if (there.fate == Fate::Opened) return accept(std::move(there), join(folder, location), policy);
  }
  if (base_dir.empty() && !policy.roots.empty()) {
    std::string folders;
    for (const std::string& folder : policy.roots) folders += (folders.empty() ? "" : ", ") + base::quoted(folder);
    throw Error(ErrorCode::NoSuchFile, "there is no external data file " + base::quoted(location) + " in " + folders +
                                           ": " + std::strerror(ENOENT));
  }
  if (base_dir.empty()) {
    throw Error(ErrorCode::InvalidArgument,
                "the tensor's data is in an external file, and the model's folder is unknown", {},
                "load the model from its path, or name the data's folder (LoadOptions::external_roots)");
  }
  const std::string named = join(*base, location);
  switch (attempt.fate) {
    case Fate::LeadsOut:
      refuse_path("the external data file " + base::quoted(named) + " is a link that leads out of the model's folder" +
                      (real ? ", to " + base::quoted(*real) : std::string()),
                  real ? permission(*base, location, *real, policy) : std::string());
    case Fate::NotRegular: refuse_irregular(named, attempt.folder);
    default: break;
  }
  throw Error(attempt.error == ENOENT || attempt.error == ENOTDIR ? ErrorCode::NoSuchFile : ErrorCode::Io,
              "cannot open the external data file " + base::quoted(named) + ": " + std::strerror(attempt.error), {},
              attempt.error == ENOENT ? "keep the data file beside the model; both belong together" : std::string());
}

WritePlace place_for_writing(const std::string& base_dir, const std::string& location) {
  if (const std::string fault = location_fault(location); !fault.empty()) {
    throw Error(ErrorCode::InvalidArgument, "the location of external data " + base::quoted(location) + " " + fault, {},
                "name a file beneath the model's folder");
  }
  const std::string top = base_dir.empty() ? "." : base_dir;
  std::string shown = top;
  const auto fail = [&](const char* what, int error) {
    throw Error(ErrorCode::Io,
                what + (" " + base::quoted(shown) + ": ") +
                    (error == ELOOP || error == ENOTDIR ? "a link or a file is in the way" : std::strerror(error)));
  };
  Descriptor folder(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("cannot open the folder", errno);
  Names names = split(location);
  while (names.size() > 1) {
    const std::string name = std::move(names.front());
    names.pop_front();
    shown = join(shown, name);
    if (::mkdirat(folder.get(), name.c_str(), 0777) != 0 && errno != EEXIST) fail("cannot make the folder", errno);
    Descriptor next(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) fail("cannot open the folder", errno);
    folder = std::move(next);
  }
  return {std::move(folder), names.front(), join(shown, names.front())};
}

}  // namespace norn::format
