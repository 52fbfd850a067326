// norn: runs, shows and explains ONNX models from the command line.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "command.h"
#include "streams.h"
#include "terminal.h"

namespace norn::cli {

Model load_model(const std::string& path, const LoadOptions& options) {
  if (path != "-") return Model::load(path, options);
  try {
    const SharedBytes input = read_input();
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
          {"hint", error.hint()}};
}

namespace {

bool asked_for_json(const CLI::App& app) {
  const CLI::Option* json = app.get_option_no_throw("--json");
  if (json && json->count() > 0) return true;
  const auto given = app.get_subcommands();
  return !given.empty() && asked_for_json(*given.front());
}

// A program that asked for JSON gets an object whatever happens; people read standard error.
int fail(const CLI::App& app, const Error& error, int exit) {
  print_error(error);
  if (asked_for_json(app) && !std::ferror(stdout)) {
    fmt::print("{}\n", dumped({{"ok", false}, {"error", json_of(error)}}));
    flush_output();
  }
  return exit;
}

int command_line(int argc, char** argv) {
  CLI::App app("Norn runs, shows and explains ONNX models.", "norn");
  app.set_version_flag("--version", std::string("norn " NORN_VERSION));
  app.require_subcommand(1);
  app.footer("norn COMMAND --help tells more. Exit codes: 0 fine, 1 findings, 2 usage, 3 failed.");
  int exit = kFine;
  add_run(app, exit);
  add_show(app, exit);
  add_explain(app, exit);
  add_check(app, exit);
  add_opset(app, exit);
  add_convert(app, exit);
  add_edit(app, exit);
  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::Success& request) {  // --help, --version
    exit = app.exit(request);
    flush_output();
    return exit;
  } catch (const CLI::ParseError& error) {
    std::string command = "norn ";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      command += at->get_name() + " ";
    }
    return fail(app, UsageError(error.what(), command + "--help"), kUsage);
  } catch (const UsageError& error) {
    return fail(app, error, kUsage);
  } catch (const Error& error) {
    return fail(app, error, kFailed);
  }
  return exit;
}

}  // namespace
}  // namespace norn::cli

int main(int argc, char** argv) {
  using namespace norn::cli;
  try {
    return command_line(argc, argv);
  } catch (const norn::Error& error) {
    print_error(error);
    return kFailed;
  } catch (const std::exception& error) {
    // fmt::print does not say what it could not write to.
    std::fprintf(stderr, "error: %s%s\n", std::ferror(stdout) ? "standard output: " : "", error.what());
    return kFailed;
  }
}
