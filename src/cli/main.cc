// norn: runs, shows and explains ONNX models from the command line.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "reports.h"
#include "spelling.h"
#include "streams.h"
#include "suggest.h"
#include "terminal.h"

namespace norn::cli {

Model load_model(const std::string& path, const LoadOptions& options) {
  if (path != "-") return Model::load(path, options);
  try {
    const SharedBytes input = read_input(options.limits);
    return Model::parse(input.bytes, options, input.owner);
  } catch (Error& e) {
    throw e.within(kStandardInput);
  }
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json json_of(const Error& error) {
  return {{"code", error_code_name(error.code())},
          {"message", error.message()},
          {"where", error.where()},
          {"hint", with_flags(error.hint())}};
}

namespace {

// Whether or not the command line could be parsed.
bool asked_for(std::span<char*> arguments, std::string_view flag) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return false;
    if (argument == flag) return true;
  }
  return false;
}

// A program that asked for JSON or SARIF gets it whatever happens; people read standard error.
int fail(std::span<char*> arguments, const Error& error, int exit) {
  print_error(error);
  if (std::ferror(stdout)) return exit;
  std::string text;
  if (asked_for(arguments, "--json"))
    text = dumped({{"ok", false}, {"error", json_of(error)}}) + "\n";
  else if (asked_for(arguments, "--sarif"))
    text = dumped(sarif_of(error)) + "\n";
  try {
    write_output(std::as_bytes(std::span(text)));
  } catch (const Error& unwritten) {
    print_error(unwritten);
  }
  return exit;
}

// What is thrown beside norn::Error.
Error error_of(const std::exception& error) {
  // fmt::print does not say what it could not write to.
  if (std::ferror(stdout)) return {ErrorCode::Io, std::string("standard output: ") + error.what()};
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return {ErrorCode::Io, file->code().message(), file->path1().string()};
  }
  if (dynamic_cast<const std::bad_alloc*>(&error)) return {ErrorCode::LimitExceeded, "not enough memory"};
  return {ErrorCode::Internal, error.what(), {}, "this is a defect of Norn: please report it"};
}

// What a command line that could not be parsed lacks, or what in it is unknown.
UsageError usage_error_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  std::string command = "norn";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  const std::string help = command + " --help";
  const std::vector<std::string> commands = subcommands_of(*at), unexpected = at->remaining();
  if (unexpected.empty()) return UsageError(error.what(), help);
  const std::string& first = unexpected.front();
  const bool incomplete =
      dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error);
  if (incomplete && first.starts_with("-") && first != "-") {
    const std::string name = first.substr(0, first.find('='));
    return UsageError(command + " has no option \"" + name + "\"", did_you_mean(name, options_of(*at)) + help);
  }
  if (!incomplete || commands.empty()) return UsageError(error.what(), help);
  const std::string hint = did_you_mean(first, commands);
  return UsageError(command + " has no command \"" + first + "\"",
                    hint.empty() ? fmt::format("the commands are {}", fmt::join(commands, ", ")) : hint + help);
}

int command_line(int argc, char** argv) {
  CLI::App app("Norn runs, shows and explains ONNX models.", "norn");
  app.set_version_flag("--version", std::string("norn " NORN_VERSION));
  app.require_subcommand(1);
  app.footer("norn COMMAND --help has more. Exit codes: 0 fine, 1 findings, 2 usage, 3 failed.");
  int exit = kFine;
  add_run(app, exit);
  add_show(app, exit);
  add_explain(app, exit);
  add_profile(app, exit);
  add_check(app, exit);
  add_opset(app, exit);
  add_convert(app, exit);
  add_infer(app, exit);
  add_edit(app, exit);
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::Success& request) {  // --help, --version
    exit = app.exit(request);
    flush_output();
    return exit;
  } catch (const CLI::ParseError& error) {
    return fail(arguments, usage_error_of(app, error), kUsage);
  } catch (const UsageError& error) {
    return fail(arguments, error, kUsage);
  } catch (const Error& error) {
    return fail(arguments, error, kFailed);
  } catch (const std::exception& error) {
    return fail(arguments, error_of(error), kFailed);
  }
  return exit;
}

}  // namespace
}  // namespace norn::cli

int main(int argc, char** argv) {
  using namespace norn::cli;
  keep_standard_descriptors();
  try {
    return command_line(argc, argv);
  } catch (const norn::Error& error) {
    print_error(error);
  } catch (const std::exception& error) {
    print_error(error_of(error));
  }
  return kFailed;
}
