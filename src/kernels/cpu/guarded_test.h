// Memory of tests that begins and ends where nothing may be read or written.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace norn::kernels::test {

// A page between two that cannot be accessed.
class Guarded {
 public:
  Guarded() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    start_ = static_cast<char*>(mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(start_, MAP_FAILED);
    EXPECT_EQ(mprotect(start_ + page_, page_, PROT_READ | PROT_WRITE), 0);
  }
  ~Guarded() { munmap(start_, 3 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  template <class T>
  T* first() const {
    return reinterpret_cast<T*>(start_ + page_);
  }
  // The last n elements of the page.
  template <class T>
  T* last(std::int64_t n) const {
    return reinterpret_cast<T*>(start_ + 2 * page_) - n;
  }

 private:
  std::size_t page_;
  char* start_;
};

}  // namespace norn::kernels::test
