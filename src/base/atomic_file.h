// A file that appears whole or not at all: written without a name, or under another one beside its place, and renamed.
//
// Processes that have the old file open or mapped keep it, and its other hard links keep its contents. Owner, group and
// permissions stay as they were as far as this process may set them, and no other user has more than before; setuid and
// setgid are dropped. Holes of sparse sources stay holes.
//
// A file on the disk is replaced only by one that is on the disk (fsync), so that a machine that loses power is left
// with one of them. A file that replaces nothing can only lose itself: a caller that does not have to know when it is
// on the disk (Stored::BeforeReplacing) saves the two to ten milliseconds that waiting for a disk costs, and more for
// large files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace norn::base {

// When the contents of a file have to be on the disk.
enum class Stored : std::uint8_t {
  OnCommit,         // as its name, when commit() returns
  BeforeReplacing,  // before it takes the place of a file that is not empty; otherwise when the system gets to it
};

class AtomicFile {
 public:
  // To stand at `path`; where that is a symbolic link, at what it names. Throws norn::Error (Io, InvalidArgument).
  explicit AtomicFile(const std::string& path, Stored stored = Stored::OnCommit);
  // To stand in `folder` under `name`, which must not contain a slash; `shown` is the path for messages. A symbolic
  // link of that name is replaced, not followed.
  AtomicFile(Descriptor folder, std::string name, std::string shown, Stored stored = Stored::OnCommit);
  // In the folder of another one.
  AtomicFile(const AtomicFile& beside, std::string name, std::string shown);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(), nothing remains

  // Appends.
  void write(std::span<const std::byte> bytes);
  // Writes what will be appended at `offset` later, ahead of what comes before it: if the same memory is appended
  // there, nothing is written again. It must not change meanwhile. In the order of the offsets.
  void write_ahead(std::uint64_t offset, std::span<const std::byte> bytes);
  // Has the system begin to store what is written, so that commit() does not have to wait for all of it, if it waits.
  void begin_storing() noexcept;
  void write_zeros(std::uint64_t count);  // as a hole where the file system has them
  // Appends `size` bytes of another file, inside the kernel where it can.
  void copy(int from, std::uint64_t offset, std::uint64_t size);
  // Overwrites what was written earlier.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);

  std::uint64_t size() const noexcept { return size_; }
  const std::string& path() const noexcept { return shown_; }
  int fd() const noexcept { return fd_.get(); }
  void sync();
  // Between the two, the file takes no descriptor, and only its name can be changed, commit() and discard() be called.
  void pause();
  void resume();
  // True if the place holds a regular file with the same bytes.
  bool same_as_target() const;
  bool target_exists() const;
  // Permissions, such as 0644. By default those of files that the process makes; commit() with Replace keeps the old
  // file's in any case. A file system without permissions ignores them.
  unsigned mode() const noexcept;
  void set_mode(unsigned mode) noexcept;
  // Chooses another name in the same folder.
  void retarget(std::string name, std::string shown);
  enum class Existing { Replace, Refuse };
  void commit(Existing existing = Existing::Replace);
  void discard() noexcept;

 private:
  void create(unsigned mode);
  // make() tries to use temporary_ and leaves errno.
  template <class Make>
  void name_temporary(Make&& make);
  std::string link_source() const;
  bool link_as(const std::string& name) const;
  void keep_rights();
  bool keep_access_list() const noexcept;
  bool replaces_contents() const noexcept;
  void begin_storing(std::uint64_t offset, std::uint64_t size) noexcept;
  void reserve(std::uint64_t offset, std::uint64_t size) noexcept;
  void forget_ahead();
  void close();
  [[noreturn]] void fail(const char* what) const;

  std::shared_ptr<const Descriptor> folder_;
  Descriptor fd_;
  std::string name_, temporary_, shown_;
  std::uint64_t size_ = 0;
  Stored stored_ = Stored::OnCommit;
  bool waits_ = true;  // commit() will wait for the disk, as far as is known
  struct Ahead {
    std::uint64_t offset;
    std::span<const std::byte> bytes;
  };
  std::vector<Ahead> ahead_;
  std::size_t next_ahead_ = 0;     // the first of them that may still be appended
  std::uint64_t written_end_ = 0;  // of those
};

}  // namespace norn::base
