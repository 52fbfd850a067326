// One function per subcommand: it declares its options on the parser and what is done when the subcommand was named.
#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "norn/model.h"
#include "norn/session.h"

namespace norn::cli {

// Exit codes of every command.
enum ExitCode {
  kFine = 0,
  kFindings = 1,  // it worked, and found something: an output that differs, say
  kUsage = 2,     // the command line, or what it names, does not fit
  kFailed = 3,
};

// A command line that does not fit: ends the command with kUsage.
class UsageError : public Error {
 public:
  explicit UsageError(std::string message, std::string hint = {})
      : Error(ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)) {}
};

// `exit` is set by the command that ran.
void add_run(CLI::App& app, int& exit);
void add_show(CLI::App& app, int& exit);
void add_explain(CLI::App& app, int& exit);
void add_check(CLI::App& app, int& exit);
void add_opset(CLI::App& app, int& exit);
void add_convert(CLI::App& app, int& exit);
void add_edit(CLI::App& app, int& exit);

// "-" is standard input.
Model load_model(const std::string& path);

// Options of every command that makes a session.
struct SessionFlags {
  SessionOptions options;
  void add_to(CLI::App& command);
};

}  // namespace norn::cli
