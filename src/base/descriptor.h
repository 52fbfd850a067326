// A file descriptor that closes itself.
#pragma once
#include <unistd.h>

#include <utility>

namespace norn::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  // What close(2) says: some file systems report a failed write only there.
  int close() noexcept { return ::close(release()); }

 private:
  int fd_ = -1;
};

}  // namespace norn::base
