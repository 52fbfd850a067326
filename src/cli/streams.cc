#include "streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>

namespace norn::cli {

namespace {

constexpr std::size_t kMostText = std::size_t{64} << 20;

SharedBytes read_all(const Limits& limits) {
  struct stat info;
  const bool sized = ::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode);
  const bool stream = !sized && limits.max_stream_bytes < limits.max_bytes;
  const std::uint64_t most = stream ? limits.max_stream_bytes : limits.max_bytes;
  std::unique_ptr<void, void (*)(void*)> memory(nullptr, std::free);
  std::size_t size = 0, room = 0;
  for (;;) {
    if (room == size) {
      room = size + size / 2 + (std::size_t{1} << 16);
      void* grown = std::realloc(memory.get(), room);
      if (!grown) throw std::bad_alloc();
      [[maybe_unused]] void* const moved = memory.release();
      memory.reset(grown);
    }
    const ssize_t n = ::read(STDIN_FILENO, static_cast<std::byte*>(memory.get()) + size, room - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ErrorCode::Io, std::string("cannot read standard input: ") + std::strerror(errno));
    size += static_cast<std::size_t>(n);
    if (size > most) {
      throw Error(ErrorCode::LimitExceeded,
                  "the input goes on beyond " + std::to_string(most) + " bytes (limit " +
                      (stream ? "max_stream_bytes" : "max_bytes") + ")",
                  {}, stream ? "give a file by its name, or raise the limit with --max-stream-bytes" : "");
    }
    if (n != 0) continue;
    const auto* begin = static_cast<const std::byte*>(memory.get());
    return {{begin, size}, std::shared_ptr<const void>(memory.release(), std::free)};
  }
}

}  // namespace

void keep_standard_descriptors() noexcept {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

SharedBytes read_input(const Limits& limits) {
  static const SharedBytes input = read_all(limits);
  return input;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::NoSuchFile, "cannot read \"" + path + "\"");
  std::string text;
  while (file) {
    const std::size_t size = text.size();
    text.resize(size + (std::size_t{1} << 16));
    file.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
    text.resize(size + static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostText) {
      throw Error(ErrorCode::LimitExceeded,
                  "the file goes on beyond the limit of " + std::to_string(kMostText) + " bytes", path);
    }
  }
  if (file.bad()) throw Error(ErrorCode::Io, "cannot read \"" + path + "\"");
  return text;
}

void write_text(const std::string& path, std::string_view text) {
  if (path == "-") return write_output(std::as_bytes(std::span(text)));
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw Error(ErrorCode::Io,
                "cannot write \"" + path + "\"" + (errno ? ": " + std::string(std::strerror(errno)) : ""));
}

void write_output(std::span<const std::byte> bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) || std::ferror(stdout)) {
    throw Error(ErrorCode::Io, std::string("cannot write to standard output: ") + std::strerror(errno));
  }
}

}  // namespace norn::cli
