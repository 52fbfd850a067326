// norn profile: where the time of loading and running a model goes.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "inputs.h"
#include "norn/profile.h"
#include "norn/text.h"
#include "streams.h"

namespace norn::cli {

namespace {

constexpr std::size_t kMostTraceCalls = 1'000'000;

struct ProfileFlags {
  std::string model, trace;
  std::vector<std::string> inputs, shapes;
  std::uint64_t seed = 0;
  std::int64_t default_dim = 1;
  std::size_t top = 40;
  bool ramp = false, json = false, no_machine = false;
  ProfileOptions options;
  SessionFlags session;
  LoadFlags load;
};

int profile(const ProfileFlags& flags) {
  if (flags.json && flags.trace == "-")
    throw UsageError("--json and --trace - both write to standard output", "give --trace a file");
  const auto start = std::chrono::steady_clock::now();
  const Model model = load_model(flags.model, flags.load.options);
  const std::chrono::duration<double> read = std::chrono::steady_clock::now() - start;
  const Session session(model, flags.session.options);
  const Generator generator{flags.ramp ? Generator::Kind::Ramp : Generator::Kind::Random, flags.seed,
                            parse_shapes(flags.shapes, session), flags.default_dim};
  const NamedValues values = complete(load_inputs(flags.inputs, session), session, generator, flags.model);
  ProfileOptions options = flags.options;
  options.machine = !flags.no_machine;
  if (!flags.trace.empty()) options.max_trace_calls = kMostTraceCalls;
  RunProfile found = session.profile(feeds_of(values), options);
  found.load.insert(found.load.begin(), LoadPhase{"read", {}, read.count()});
  if (!flags.trace.empty()) write_text(flags.trace, found.to_chrome_trace() + "\n");
  if (flags.trace == "-") return kFine;
  if (flags.json) {
    nlohmann::ordered_json report = {{"model", flags.model}};
    report.update(nlohmann::ordered_json::parse(found.to_json()));
    fmt::print("{}\n", dumped(report));
  } else {
    fmt::print("{}", printable(found.to_string(flags.top)));
  }
  return kFine;
}

}  // namespace

void add_profile(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand(
      "profile",
      "Run a model and show where the time goes: phases of loading, passes, and each node beside what this "
      "machine can do");
  auto flags = std::make_shared<ProfileFlags>();
  command->add_option("model", flags->model, "The model; - is standard input")->required()->type_name("MODEL");
  repeated(command->add_option("-i,--input", flags->inputs,
                               "An input's value, a .npy or .pb file, or an image (repeat); others are random"))
      ->type_name("NAME=FILE");
  repeated(command->add_option("--shape", flags->shapes, "Shape of a generated input, x:1x3x224x224 (repeat)"))
      ->type_name("NAME:DIMS");
  add_whole(*command, "--dim", flags->default_dim, "Size of dimension variables that nothing else gives (default 1)");
  command->add_flag("--ramp", flags->ramp, "Generate inputs as i/n for element i of n, not at random");
  add_whole(*command, "--seed", flags->seed, "Seed of random inputs (default 0)");
  add_whole(*command, "--repeat", flags->options.runs, "Runs that count (default 10)", 1, 1'000'000);
  add_whole(*command, "--warmup", flags->options.warmups, "Runs before them (default 1)", 0, 1'000'000);
  add_whole(*command, "--top", flags->top, "Steps that are listed, the longest first (default 40)");
  command->add_flag("--no-machine", flags->no_machine, "Do not measure the machine: there are no rooflines then");
  command->add_flag("--json", flags->json, "Report as JSON, with every step");
  command
      ->add_option("--trace", flags->trace,
                   "Write every step of every run as a trace for chrome://tracing or Perfetto; - is standard output")
      ->type_name("FILE");
  flags->session.add_to(*command);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = profile(*flags); });
}

}  // namespace norn::cli
