// norn: runs, shows and explains ONNX models from the command line.
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>

#include "command.h"
#include "terminal.h"

namespace norn::cli {

Model load_model(const std::string& path) {
  if (path != "-") return Model::load(path);
  const std::string bytes{std::istreambuf_iterator<char>(std::cin), {}};
  return Model::parse(std::as_bytes(std::span(bytes)));
}

void SessionFlags::add_to(CLI::App& command) {
  command.add_option("--threads", options.intra_op_num_threads, "Threads of one run; 0 is every core (default)")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--disable-pass", options.disabled_passes, "Leave out an optional pass; \"all\" leaves out every one")
      ->type_name("NAME");
  command.add_option_function<std::vector<std::string>>(
             "--operator-set",
             [this](const std::vector<std::string>& files) {
               for (const std::string& file : files) options.operator_sets.push_back(OperatorSet::load(file));
             },
             "A document that declares operators beyond the built-in ones (docs/operator-sets.md)")
      ->type_name("FILE");
  command.add_flag("--reference", options.reference_only, "Reference kernels only: slow, and obviously right");
}

namespace {

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
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    print_error(UsageError(error.what(), "norn " + (at == &app ? std::string() : at->get_name() + " ") + "--help"));
    return kUsage;
  }
  return exit;
}

}  // namespace
}  // namespace norn::cli

int main(int argc, char** argv) {
  using namespace norn::cli;
  try {
    return command_line(argc, argv);
  } catch (const UsageError& error) {
    print_error(error);
    return kUsage;
  } catch (const norn::Error& error) {
    print_error(error);
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return kFailed;
  }
}
