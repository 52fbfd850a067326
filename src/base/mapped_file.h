// A file's bytes, mapped read-only (or read into memory), kept alive by shared ownership.
//
// A mapped file that another process truncates raises SIGBUS on access; callers that cannot rule this out pass
// mmap=false.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "norn/limits.h"

namespace norn::base {

class AtomicFile;

struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Throws norn::Error (NoSuchFile, Io, InvalidArgument for a directory, LimitExceeded). An empty file gives an empty
// span.
FileBytes read_file(const std::string& path, const Limits& limits, bool mmap = true);

// Maps the first `bytes` bytes of an open regular file; the descriptor may be closed afterwards. `path` is for
// messages.
FileBytes map_descriptor(int fd, std::uint64_t bytes, const std::string& path);

// Gives back the pages of a mapped file within this memory, which come again when they are read: for contents that have
// been copied. Does nothing to other memory. Thread-safe.
void release_pages(const void* memory, std::size_t bytes) noexcept;

// Writes beside `path` and renames over it: the target is either the old file or the whole new one, also of a machine
// that loses power (Stored::BeforeReplacing). Pipes and devices are written to.
// `once_written`, if there is one, is called when the pieces are not needed any more: while the file gets its name, on
// another thread if one is free, and not at all if writing fails. `begun`, if there is one, is to stand at `path` and
// may have pieces written ahead. Throws norn::Error (Io).
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> pieces,
                           const std::function<void()>& once_written = {}, AtomicFile* begun = nullptr);

}  // namespace norn::base
