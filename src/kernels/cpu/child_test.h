// Children of tests. One may wait for ever, with every other signal than SIGKILL blocked; and what sets a timer takes
// that of alarm() away.
#pragma once
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace norn::kernels::test {

// How a child ended: killed after so long.
inline int status_of(pid_t child, std::chrono::seconds most) {
  int status = -1;
  const auto end = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < end) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

}  // namespace norn::kernels::test
