#include "streams.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace norn::cli {

namespace {

SharedBytes read_all() {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  for (std::size_t size = 0;;) {
    constexpr std::size_t kLeast = std::size_t{1} << 16;
    if (bytes->size() - size < kLeast) bytes->resize(2 * size + kLeast);
    const ssize_t n = ::read(STDIN_FILENO, bytes->data() + size, bytes->size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ErrorCode::Io, std::string("cannot read standard input: ") + std::strerror(errno));
    size += static_cast<std::size_t>(n);
    if (n != 0) continue;
    bytes->resize(size);
    return {*bytes, bytes};
  }
}

}  // namespace

SharedBytes read_input() {
  static const SharedBytes input = read_all();
  return input;
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
