// Reading through mmap, writing through a temporary file and rename.
//
// Sizes of pipes, devices and files in /proc are not known beforehand, so they are read to their end, which an endless
// one does not have: a limit of its own holds for them.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/descriptor.h"
#include "base/fork.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/text.h"
#include "norn/error.h"

namespace norn::base {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int error) {
  throw Error(error == ENOENT || error == ENOTDIR ? ErrorCode::NoSuchFile : ErrorCode::Io,
              what + " " + base::quoted(path) + ": " + std::strerror(error));
}

void check_path(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::InvalidArgument, "an empty path names no file");
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::InvalidArgument,
                "a path must not contain a NUL character: " + base::quoted(path.c_str()) + "...");
  }
}

[[noreturn]] void too_large(const std::string& path, std::string message, std::string hint = {}) {
  throw Error(ErrorCode::LimitExceeded, std::move(message), path, std::move(hint));
}

// Memory that grows where it is, or by changing page tables, instead of being copied and cleared.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }
  void resize(std::size_t size) {
    void* grown = std::realloc(data_, std::max<std::size_t>(size, 1));
    if (!grown) throw std::bad_alloc();
    data_ = grown;
    size_ = size;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t size() const { return size_; }
  FileBytes release() && {
    std::shared_ptr<const void> owner(std::exchange(data_, nullptr), [](void* p) { std::free(p); });
    return {std::span(static_cast<const std::byte*>(owner.get()), size_), owner};
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Reads `expected` bytes, or to the end if their number is not known.
FileBytes read_all(int fd, const std::string& path, std::optional<std::size_t> expected, const Limits& limits) {
  const bool stream = !expected && limits.max_stream_bytes < limits.max_bytes;
  const std::uint64_t most = stream ? limits.max_stream_bytes : limits.max_bytes;
  Buffer content;
  content.resize(expected.value_or(65536) + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == content.size()) content.resize(content.size() + content.size() / 2 + 65536);
    const ssize_t n = ::read(fd, content.data() + used, std::min(content.size() - used, std::size_t{1} << 30));
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("cannot read", path, errno);
    }
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > most) {
      too_large(
          path,
          "the input goes on beyond " + std::to_string(most) + " bytes (limit " +
              (stream ? "max_stream_bytes" : "max_bytes") + ")",
          stream ? "that is the limit of pipes and devices, which may have no end: write a file, or raise it" : "");
    }
  }
  content.resize(used);
  return std::move(content).release();
}

void write_pieces(int fd, const std::string& path, std::span<const std::span<const std::byte>> pieces) {
  std::vector<iovec> batch;
  std::size_t next = 0;
  while (next < pieces.size() || !batch.empty()) {
    while (batch.size() < 64 && next < pieces.size()) {
      auto piece = pieces[next++];
      if (!piece.empty()) batch.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
    }
    if (batch.empty()) break;
    ssize_t n = ::writev(fd, batch.data(), static_cast<int>(batch.size()));
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("cannot write", path, errno);
    }
    auto done = static_cast<std::size_t>(n);
    std::size_t whole = 0;
    while (whole < batch.size() && done >= batch[whole].iov_len) done -= batch[whole++].iov_len;
    batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(whole));
    if (!batch.empty()) {
      batch[0].iov_base = static_cast<char*>(batch[0].iov_base) + done;
      batch[0].iov_len -= done;
    }
  }
}

}  // namespace

namespace {

// The files that are mapped now: first byte and size.
struct Mappings {
  ForkSafeMutex mutex;
  std::map<std::uintptr_t, std::size_t> all;
};
Mappings& mappings() {
  static Mappings* const kept = new Mappings;  // outlives mappings that static objects hold
  return *kept;
}

}  // namespace

void release_pages(const void* memory, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  Mappings& mapped = mappings();
  std::lock_guard lock(mapped.mutex);  // held, so that the memory does not become another's
  auto at = mapped.all.upper_bound(begin);
  if (at == mapped.all.begin()) return;
  --at;
  if (begin - at->first >= at->second || bytes > at->second - (begin - at->first)) return;
  advise_pages(const_cast<void*>(memory), bytes, static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)), MADV_DONTNEED);
}

namespace {

// What is near a path that leads nowhere: a file of a similar name, or the folder that is missing.
std::string near_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path wanted(path);
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, failed))
    return "there is no folder " + base::quoted(folder.string()) + " either";
  const std::string name = wanted.filename().string();
  Nearest nearest(name);
  std::filesystem::directory_iterator at(folder, failed), end;
  for (int n = 0; !failed && at != end && n < 1000; at.increment(failed), ++n)
    nearest.offer(at->path().filename().string());
  std::string question = nearest.question();
  if (!question.empty()) return question;
  return wanted.is_absolute()
             ? ""
             : "the path is relative to " + base::quoted(std::filesystem::current_path(failed).string());
}

std::string models_in(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> found;
  std::filesystem::directory_iterator at(folder, failed), end;
  for (int n = 0; !failed && at != end && n < 1000; at.increment(failed), ++n)
    if (at->path().extension() == ".onnx") found.push_back(base::quoted(at->path().string()));
  std::sort(found.begin(), found.end());
  if (found.empty()) return "give the path of a file in it";
  return "the models in it are: " + found[0] + (found.size() > 1 ? ", " + found[1] : "") +
         (found.size() > 2 ? ", ..." : "");
}

}  // namespace

FileBytes read_file(const std::string& path, const Limits& limits, bool mmap) {
  check_path(path);
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) {
    if (errno == ENOENT) throw Error(ErrorCode::NoSuchFile, "no such file: " + base::quoted(path), {}, near_file(path));
    fail("cannot open", path, errno);
  }
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) fail("cannot look at", path, errno);
  if (S_ISDIR(info.st_mode))
    throw Error(ErrorCode::InvalidArgument, base::quoted(path) + " is a folder, not a file", {}, models_in(path));
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return read_all(fd.get(), path, {}, limits);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > limits.max_bytes) {
    too_large(path, "the input has " + std::to_string(size) + " bytes, more than the limit max_bytes (" +
                        std::to_string(limits.max_bytes) + ")");
  }
  if (!mmap) return read_all(fd.get(), path, size, limits);
  return map_descriptor(fd.get(), size, path);
}

FileBytes map_descriptor(int fd, std::uint64_t bytes, const std::string& path) {
  if (bytes == 0) return {{}, std::make_shared<const char>()};
  const auto size = static_cast<std::size_t>(bytes);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) fail("cannot map", path, errno);
  std::shared_ptr<const void> owner(address, [size](void* p) {
    {
      std::lock_guard lock(mappings().mutex);
      mappings().all.erase(reinterpret_cast<std::uintptr_t>(p));
    }
    ::munmap(p, size);
  });
  std::lock_guard lock(mappings().mutex);
  mappings().all.emplace(reinterpret_cast<std::uintptr_t>(address), size);
  return {std::span<const std::byte>(static_cast<const std::byte*>(address), size), std::move(owner)};
}

void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> pieces,
                           const std::function<void()>& once_written, AtomicFile* begun) {
  check_path(path);
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    throw Error(ErrorCode::Io, "cannot write " + base::quoted(path) + ": it is a folder");
  }
  if (exists && !S_ISREG(info.st_mode)) {  // a pipe or a device has nothing that a rename could keep safe
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd) fail("cannot open for writing", path, errno);
    write_pieces(fd.get(), path, pieces);
    if (once_written) once_written();
    return;
  }
  std::optional<AtomicFile> made;
  AtomicFile& file = begun ? *begun : made.emplace(path, Stored::BeforeReplacing);
  for (const auto piece : pieces) file.write(piece);
  if (once_written)
    run_both([&] { file.commit(); }, once_written);
  else
    file.commit();
}

}  // namespace norn::base
