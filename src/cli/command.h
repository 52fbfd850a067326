// One function per subcommand: it declares its options on the parser and what is done when the subcommand was named.
#pragma once
#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
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

// A wrong command line: ends the command with kUsage.
class UsageError : public Error {
 public:
  explicit UsageError(std::string message, std::string hint = {})
      : Error(ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)) {}
};

// `exit` is set by the command that ran.
void add_run(CLI::App& app, int& exit);
void add_show(CLI::App& app, int& exit);
void add_explain(CLI::App& app, int& exit);
void add_profile(CLI::App& app, int& exit);
void add_check(CLI::App& app, int& exit);
void add_opset(CLI::App& app, int& exit);
void add_convert(CLI::App& app, int& exit);
void add_infer(CLI::App& app, int& exit);
void add_edit(CLI::App& app, int& exit);

// "-" is standard input.
Model load_model(const std::string& path, const LoadOptions& options = {});

// Options of every command that reads a model: its notation, and which files its external data may lie in.
struct LoadFlags {
  LoadOptions options;
  void add_to(CLI::App& command);
};

// An option whose value is one of several words: `set` throws norn::Error for another one.
CLI::Option* add_word(CLI::App& command, const std::string& option, std::function<void(const std::string&)> set,
                      const std::string& help);
// Words for notations: onnx, text, json, textproto.
CLI::Option* add_notation(CLI::App& command, const std::string& option, Format& format, const std::string& help);
// An option that is a whole number of those bounds, in decimal; anything else is a usage error.
CLI::Option* add_whole(CLI::App& command, const std::string& option, std::uint64_t least, std::uint64_t most,
                       std::function<void(std::uint64_t)> set, const std::string& help);
// The same for a variable.
template <class T>
CLI::Option* add_whole(CLI::App& command, const std::string& option, T& value, const std::string& help,
                       std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<T>::max()) {
  return add_whole(
      command, option, least, most, [&value](std::uint64_t number) { value = static_cast<T>(number); }, help);
}
// An option that is a number of at least 0.
CLI::Option* add_amount(CLI::App& command, const std::string& option, double& value, const std::string& help);
// An option that may be repeated, each time with one value: what follows is not taken for a further one.
CLI::Option* repeated(CLI::Option* option);

// JSON text; bytes that are not UTF-8 are replaced.
std::string dumped(const nlohmann::ordered_json& json);
// code, message, where, hint.
nlohmann::ordered_json json_of(const Error& error);

// Options of every command that makes a session.
struct SessionFlags {
  SessionOptions options;
  void add_to(CLI::App& command);
};

}  // namespace norn::cli
