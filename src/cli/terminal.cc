#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace norn::cli {

bool colour_on(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  const char* term = std::getenv("TERM");
  return isatty(fd) && !(term && std::string_view(term) == "dumb");
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 80;
}

void print_error(const Error& error) {
  const bool colour = colour_on(STDERR_FILENO);
  const auto label = [&](std::string_view text, std::string_view code) {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  };
  fmt::print(stderr, "{} {}\n", label("error:", "1;31"), error.message());
  if (!error.where().empty()) fmt::print(stderr, "  {} {}\n", label("at:", "1"), error.where());
  if (!error.hint().empty()) fmt::print(stderr, "  {} {}\n", label("help:", "1;36"), error.hint());
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace norn::cli
