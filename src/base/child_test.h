// Children of tests. One may wait for ever, with every other signal than SIGKILL blocked; and what sets a timer takes
// that of alarm() away.
#pragma once
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace norn::base::test {

// How a child ended, killed after so long; -1, which is no end, if there is none.
inline int status_of(pid_t child, std::chrono::seconds most) {
  if (child <= 0) return -1;
  int status = -1;
  const auto end = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < end) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}
// Whether it ended by itself, with this code.
inline bool ended_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

}  // namespace norn::base::test
