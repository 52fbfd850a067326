// Output for terminals, in colour and as wide as they are, and plain text elsewhere.
#pragma once
#include <string>
#include <string_view>

#include "norn/error.h"

namespace norn::cli {

// True if `stream` is a terminal and the user has not asked for no colour (NO_COLOR, TERM=dumb).
bool colour_on(int fd);
// Columns of the terminal; 80 if there is none.
int terminal_width();

// "message", then "at:" and "help:" lines, on standard error.
void print_error(const Error& error);

// A text in ONNX's syntax begins with a comment where the syntax had no form for something: prints that comment on
// standard error.
void tell_left_out(std::string_view text);
// Nothing for a pipe, which cannot be read again.
std::string first_line(const std::string& path);

// Seconds for people: "0.42 ms", "3.1 s".
std::string duration_text(double seconds);

}  // namespace norn::cli
