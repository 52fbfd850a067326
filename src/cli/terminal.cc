#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "norn/text.h"
#include "spelling.h"

namespace norn::cli {

namespace {

// Not fmt::print, which throws where nothing can be written: that could not be reported.
void write_error(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string label(std::string_view text, std::string_view code) {
  return colour_on(STDERR_FILENO) ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

}  // namespace

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
  std::string text = fmt::format("{} {}\n", label("error:", "1;31"), printable(error.message()));
  if (!error.where().empty()) text += fmt::format("  {} {}\n", label("at:", "1"), printable(error.where()));
  if (!error.hint().empty())
    text += fmt::format("  {} {}\n", label("help:", "1;36"), printable(with_flags(error.hint())));
  write_error(text);
}

void tell_left_out(std::string_view text) {
  constexpr std::string_view kComment = "# ";
  if (!text.starts_with(kComment)) return;
  text = text.substr(kComment.size(), text.find('\n') - kComment.size());
  write_error(fmt::format("{} {}\n", label("note:", "1"), printable(text)));
}

std::string first_line(const std::string& path) {
  std::string line;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace norn::cli
