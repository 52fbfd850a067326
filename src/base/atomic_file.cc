#include "base/atomic_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "norn/error.h"

namespace norn::base {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
// Of what is long, so many bytes are written before the system is asked to begin storing them: disk and memory then
// work at the same time.
constexpr std::size_t kStored = std::size_t{8} << 20;

// True when the bytes could be read; false at the end of the file.
bool read_fully(int fd, std::byte* to, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t n = ::pread(fd, to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n, size -= static_cast<std::size_t>(n), offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

// Where a link leads whose end is not there yet; "" for links that lead to each other.
std::string end_of_links(std::string path) {
  std::array<char, PATH_MAX> to;
  for (int links = 0; links < 40; ++links) {
    const ssize_t size = ::readlink(path.c_str(), to.data(), to.size());
    if (size <= 0) return path;
    const auto slash = path.rfind('/');
    const std::string folder = to[0] == '/' || slash == std::string::npos ? "" : path.substr(0, slash + 1);
    path = folder + std::string(to.data(), static_cast<std::size_t>(size));
  }
  errno = ELOOP;
  return {};
}

}  // namespace

void AtomicFile::fail(const char* what) const {
  throw Error(ErrorCode::Io, std::string(what) + " \"" + shown_ + "\": " + std::strerror(errno));
}

AtomicFile::AtomicFile(const std::string& path, Stored stored) : shown_(path), stored_(stored) {
  if (path.empty()) throw Error(ErrorCode::InvalidArgument, "an empty path names no file");
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::InvalidArgument, "a path must not contain a NUL character");
  }
  std::string target = path;
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists) {
    if (S_ISDIR(info.st_mode)) throw Error(ErrorCode::Io, "cannot write \"" + path + "\": it is a folder");
    if (!S_ISREG(info.st_mode)) {
      throw Error(ErrorCode::Io, "cannot write \"" + path + "\": it is not a regular file", {},
                  "this writes beside the file and replaces it, as no pipe or device can be: write to a file and copy "
                  "it (the norn command writes to standard output for \"-\")");
    }
    std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
    if (real) target = real.get();
  } else {
    target = end_of_links(path);
    if (target.empty()) fail("cannot write");
  }
  const auto slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  name_ = slash == std::string::npos ? target : target.substr(slash + 1);
  folder_ = std::make_shared<const Descriptor>(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!*folder_) fail("cannot open the folder of");
  create(exists ? info.st_mode & 0777 : 0666);
  waits_ = stored_ == Stored::OnCommit || replaces_contents();
}

AtomicFile::AtomicFile(Descriptor folder, std::string name, std::string shown, Stored stored)
    : folder_(std::make_shared<const Descriptor>(std::move(folder))),
      name_(std::move(name)),
      shown_(std::move(shown)),
      stored_(stored) {
  create(0666);
  waits_ = stored_ == Stored::OnCommit || replaces_contents();
}

AtomicFile::AtomicFile(const AtomicFile& beside, std::string name, std::string shown)
    : folder_(beside.folder_), name_(std::move(name)), shown_(std::move(shown)) {
  create(0666);
}

AtomicFile::~AtomicFile() { discard(); }

// Without a name where the system can do that: then nothing remains of a process that is killed.
void AtomicFile::create(unsigned mode) {
  fd_ = Descriptor(::openat(folder_->get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, static_cast<mode_t>(mode)));
  if (fd_ && ::access(link_source().c_str(), F_OK) == 0) return;
  name_temporary([&] {
    fd_ = Descriptor(::openat(folder_->get(), temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                              static_cast<mode_t>(mode)));
    return static_cast<bool>(fd_);
  });
}

std::string AtomicFile::link_source() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

bool AtomicFile::link_as(const std::string& name) const {
  return ::linkat(AT_FDCWD, link_source().c_str(), folder_->get(), name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

template <class Make>
void AtomicFile::name_temporary(Make&& make) {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = name_.substr(0, 200) + ".tmp" + std::to_string(random());
    if (make()) return;
    if (errno != EEXIST) break;
  }
  temporary_.clear();
  fail("cannot create a file beside");
}

void AtomicFile::discard() noexcept {
  if (!temporary_.empty()) ::unlinkat(folder_->get(), temporary_.c_str(), 0);
  temporary_.clear();
  fd_ = Descriptor();
}

// Takes blocks for much that will be written, at once instead of as pages are stored. Writing finds out what is wrong.
void AtomicFile::reserve(std::uint64_t offset, std::uint64_t size) noexcept {
  if (size >= kStored)
    ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(size));
}

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  reserve(offset, bytes.size());
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd_.get(), bytes.data(), std::min(bytes.size(), kStored), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write");
    if (static_cast<std::size_t>(n) == kStored) begin_storing(offset, kStored);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (next_ahead_ < ahead_.size() && ahead_[next_ahead_].offset < size_) ++next_ahead_;
  const Ahead* const ahead = next_ahead_ < ahead_.size() ? &ahead_[next_ahead_] : nullptr;
  if (!ahead || ahead->offset != size_ || ahead->bytes.data() != bytes.data() || ahead->bytes.size() != bytes.size())
    write_at(size_, bytes);
  size_ += bytes.size();
}

void AtomicFile::write_ahead(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_at(offset, bytes);
  ahead_.push_back({offset, bytes});
  written_end_ = offset + bytes.size();
}

void AtomicFile::begin_storing(std::uint64_t offset, std::uint64_t size) noexcept {
  if (waits_) ::sync_file_range(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE);
}

void AtomicFile::begin_storing() noexcept { begin_storing(0, 0); }

// What was written ahead and not appended may lie behind the end.
void AtomicFile::forget_ahead() {
  if (written_end_ > size_ && ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) fail("cannot write");
  written_end_ = 0;
  ahead_.clear();
}

void AtomicFile::write_zeros(std::uint64_t count) {
  if (count == 0) return;
  forget_ahead();
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_ + count)) != 0) fail("cannot write");
  size_ += count;
}

void AtomicFile::copy(int from, std::uint64_t offset, std::uint64_t size) {
  forget_ahead();
  const std::uint64_t end = offset + size;
  std::vector<std::byte> buffer;
  bool in_kernel = true;
  while (offset < end) {
    // A file system without holes says EINVAL; ENXIO is a hole up to the file's end.
    const off_t data = ::lseek(from, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
      struct stat info;
      if (::fstat(from, &info) != 0 || static_cast<std::uint64_t>(info.st_size) < end) break;
      write_zeros(end - offset);
      return;
    }
    if (data > static_cast<off_t>(offset)) {
      const std::uint64_t hole = std::min(static_cast<std::uint64_t>(data), end) - offset;
      write_zeros(hole);
      offset += hole;
      continue;
    }
    std::uint64_t stop = end;
    if (data >= 0) {
      const off_t hole = ::lseek(from, data, SEEK_HOLE);
      if (hole > data) stop = std::min(end, static_cast<std::uint64_t>(hole));
    }
    reserve(size_, stop - offset);
    while (offset < stop) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(stop - offset, kStored));
      if (in_kernel) {
        auto in = static_cast<off64_t>(offset), out = static_cast<off64_t>(size_);
        const ssize_t n = ::copy_file_range(from, &in, fd_.get(), &out, wanted, 0);
        if (n > 0) {
          if (static_cast<std::size_t>(n) == kStored) begin_storing(size_, kStored);
          offset += static_cast<std::uint64_t>(n), size_ += static_cast<std::uint64_t>(n);
          continue;
        }
        if (n < 0 && errno == EINTR) continue;
        in_kernel = false;  // another file system, or one that cannot: plain reading finds out what is wrong
      }
      buffer.resize(kChunk);
      const std::size_t part = std::min(wanted, kChunk);
      if (!read_fully(from, buffer.data(), part, offset)) {
        throw Error(ErrorCode::Io, "a source of \"" + shown_ + "\" ended early: it was changed while it was copied");
      }
      write({buffer.data(), part});
      offset += part;
    }
  }
  if (offset < end) {
    throw Error(ErrorCode::Io, "a source of \"" + shown_ + "\" ended early: it was changed while it was copied");
  }
}

void AtomicFile::sync() {
  if (::fsync(fd_.get()) != 0) fail("cannot write");
}

// A file system over a network may report only here that what was written did not fit.
void AtomicFile::close() {
  if (fd_.close() != 0) fail("cannot write");
}

void AtomicFile::pause() {
  if (temporary_.empty()) name_temporary([&] { return link_as(temporary_); });
  sync();
  close();
}

void AtomicFile::resume() {
  if (fd_) return;
  fd_ = Descriptor(::openat(folder_->get(), temporary_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd_) fail("cannot open the file that is to become");
}

bool AtomicFile::target_exists() const {
  struct stat info;
  return ::fstatat(folder_->get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

bool AtomicFile::same_as_target() const {
  Descriptor old(::openat(folder_->get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (!old || ::fstat(old.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (static_cast<std::uint64_t>(info.st_size) != size_) return false;
  std::vector<std::byte> a(kChunk), b(kChunk);
  for (std::uint64_t at = 0; at < size_; at += kChunk) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, size_ - at));
    if (!read_fully(old.get(), a.data(), n, at) || !read_fully(fd_.get(), b.data(), n, at)) return false;
    if (std::memcmp(a.data(), b.data(), n) != 0) return false;
  }
  return true;
}

void AtomicFile::retarget(std::string name, std::string shown) {
  name_ = std::move(name);
  shown_ = std::move(shown);
}

unsigned AtomicFile::mode() const noexcept {
  struct stat own;
  return ::fstat(fd_.get(), &own) == 0 ? own.st_mode & 0777 : 0600;
}

void AtomicFile::set_mode(unsigned mode) noexcept {
  if (mode != this->mode() && ::fchmod(fd_.get(), mode) != 0) return;
}

// In a mode, the group's rights are the mask of an access control list, if there is one: as a mode alone, they would be
// the group's. False if that cannot be known or kept.
bool AtomicFile::keep_access_list() const noexcept {
  constexpr const char* kName = "system.posix_acl_access";
  const Descriptor old(::openat(folder_->get(), name_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::array<std::byte, 4096> list;
  const ssize_t size = ::fgetxattr(old.get(), kName, list.data(), list.size());
  if (size >= 0) return ::fsetxattr(fd_.get(), kName, list.data(), static_cast<std::size_t>(size), 0) == 0;
  if (errno == ENOTSUP) return true;
  // The folder's default list may have been given to the new file.
  return errno == ENODATA && (::fremovexattr(fd_.get(), kName) == 0 || errno == ENODATA);
}

void AtomicFile::keep_rights() {
  struct stat old, own;
  if (::fstatat(folder_->get(), name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(old.st_mode)) return;
  if (::fstat(fd_.get(), &own) != 0) return;
  bool same_group = own.st_gid == old.st_gid;
  if (own.st_uid != old.st_uid || !same_group) {
    // Only root gives files away; others may be of the old file's group.
    same_group = ::fchown(fd_.get(), old.st_uid, old.st_gid) == 0 ||
                 ::fchown(fd_.get(), static_cast<uid_t>(-1), old.st_gid) == 0;
  }
  unsigned mode = old.st_mode & 0777;
  if (!same_group || !keep_access_list()) mode = (mode & 0707) | (mode & 007) << 3;  // the group may what others may
  // A file system that refuses leaves the mode that the file was made with, which allows less.
  set_mode(mode);
}

bool AtomicFile::replaces_contents() const noexcept {
  struct stat old;
  return ::fstatat(folder_->get(), name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode) &&
         old.st_size != 0;
}

void AtomicFile::commit(Existing existing) {
  if (fd_) forget_ahead();
  const bool wait = stored_ == Stored::OnCommit || replaces_contents();
  const bool unnamed = temporary_.empty();
  if (fd_ && existing == Existing::Replace) keep_rights();
  if (fd_ && wait && !(unnamed && existing == Existing::Refuse)) {
    pause();
  } else if (fd_) {
    if (wait) sync();
    if (unnamed) {
      // The name comes last, and while there is a descriptor; closing another one reports what closing this would.
      if (Descriptor(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)).close() != 0) fail("cannot write");
      if (!link_as(name_)) {
        if (errno != EEXIST || existing == Existing::Refuse) fail("cannot write");
        name_temporary([&] { return link_as(temporary_); });
        if (replaces_contents()) sync();  // another process has made it meanwhile
      }
    }
    close();
  }
  if (existing == Existing::Refuse && !temporary_.empty()) {
    if (::renameat2(folder_->get(), temporary_.c_str(), folder_->get(), name_.c_str(), RENAME_NOREPLACE) == 0) {
      temporary_.clear();
    } else if ((errno != EINVAL && errno != ENOSYS) || target_exists()) {
      fail("cannot write");
    }
  }
  if (!temporary_.empty()) {
    if (::renameat(folder_->get(), temporary_.c_str(), folder_->get(), name_.c_str()) != 0) fail("cannot write");
    temporary_.clear();
  }
  // The new name becomes durable with the folder; a file system that cannot sync folders loses nothing else.
  if (stored_ == Stored::OnCommit) ::fsync(folder_->get());
}

}  // namespace norn::base
