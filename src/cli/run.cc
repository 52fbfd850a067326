// norn run: the main job.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "classify.h"
#include "command.h"
#include "data_set.h"
#include "inputs.h"
#include "norn/data.h"
#include "terminal.h"
#include "value_text.h"

namespace norn::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct RunFlags {
  std::string model;
  std::vector<std::string> inputs, shapes, outputs;
  std::string data_dir, save_dir;
  bool random = false, ramp = false, json = false;
  std::uint64_t seed = 0;
  int repeat = 1;
  Tolerance tolerance;
  SessionFlags session;
  LoadFlags load;
  ClassifyFlags classify;

  std::optional<Generator> generator() const {
    if (!random && !ramp && shapes.empty()) return {};
    Generator generator{ramp ? Generator::Kind::Ramp : Generator::Kind::Random, seed};
    for (const std::string& shape : shapes) generator.shapes.insert(parse_shape(shape));
    return generator;
  }
};

std::vector<std::string> wanted_outputs(const RunFlags& flags, const Session& session) {
  if (!flags.outputs.empty()) return flags.outputs;
  std::vector<std::string> names;
  for (const ArgInfo& output : session.outputs()) names.push_back(output.name);
  return names;
}

// A value's name may hold characters that a file name cannot.
std::string file_stem(const std::string& name) {
  std::string stem = name;
  std::ranges::replace_if(stem, [](char c) { return c == '/' || c == '\0'; }, '_');
  return stem.empty() || stem[0] == '.' ? "_" + stem : stem;
}

// What came to ONNX after complex128 has no name in NumPy: an .npy file would hold bare bytes.
bool has_numpy_name(DataType type) { return type != DataType::String && type <= DataType::Complex128; }

void save_outputs(const std::string& folder, const std::vector<std::string>& names, const std::vector<Value>& values) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool npy = values[i].is_tensor() && has_numpy_name(values[i].tensor().dtype());
    save_value(values[i], (std::filesystem::path(folder) / (file_stem(names[i]) + (npy ? ".npy" : ".pb"))).string(),
               names[i]);
  }
}

int run_inputs(const RunFlags& flags, const Session& session, double load_seconds) {
  NamedValues given;
  for (const std::string& argument : flags.inputs) given.push_back(load_input(argument, session));
  const NamedValues values = complete(std::move(given), session, flags.generator(), flags.model);
  const std::vector<std::string> names = wanted_outputs(flags, session);
  const std::vector<Feed> feeds = feeds_of(values);

  std::vector<Value> outputs;
  std::vector<double> times;
  for (int i = 0; i < flags.repeat; ++i) {
    const auto start = Clock::now();
    outputs = session.run(feeds, names);
    times.push_back(seconds_since(start));
  }
  const double first = times.front();
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  if (!flags.save_dir.empty()) save_outputs(flags.save_dir, names, outputs);

  if (flags.json) {
    nlohmann::ordered_json json{{"model", flags.model}, {"load_seconds", load_seconds}};
    json["run_seconds"] = {{"runs", times.size()}, {"first", first}, {"least", times.front()}, {"median", median}};
    json["outputs"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      nlohmann::ordered_json output{{"name", names[i]}};
      output.update(to_json(outputs[i]));
      json["outputs"].push_back(std::move(output));
    }
    fmt::print("{}\n", dumped(json));
    return kFine;
  }
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("{}  {}\n", names[i], describe(outputs[i]));
  if (flags.repeat > 1) {
    fmt::print("loaded in {}; {} runs: first {}, median {}, least {}\n", duration_text(load_seconds), flags.repeat,
               duration_text(first), duration_text(median), duration_text(times.front()));
  } else {
    fmt::print("loaded in {}, run in {}\n", duration_text(load_seconds), duration_text(first));
  }
  return kFine;
}

NamedValues set_inputs(const DataSet& set, const RunFlags& flags, const Session& session) {
  if (set.inputs.size() > session.inputs().size()) {
    throw UsageError(fmt::format("data set \"{}\" has {} inputs, the model {}", set.name, set.inputs.size(),
                                 session.inputs().size()));
  }
  NamedValues given;
  for (const std::string& argument : flags.inputs) given.push_back(load_input(argument, session));
  for (std::size_t i = 0; i < set.inputs.size(); ++i) {
    const ArgInfo& input = session.inputs()[i];
    if (std::ranges::any_of(given, [&](const auto& g) { return g.first == input.name; })) continue;
    given.emplace_back(input.name, load_as(set.inputs[i], input));
  }
  auto generator = flags.generator();
  if (!generator && set.inputs_are_ramps) generator = Generator{Generator::Kind::Ramp};
  return complete(std::move(given), session, generator, flags.model);
}

int run_data_sets(const RunFlags& flags, const Session& session) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  std::size_t differing = 0;
  const std::vector<DataSet> sets = find_data_sets(flags.data_dir, flags.model);
  for (const DataSet& set : sets) {
    if (set.outputs.size() > session.outputs().size()) {
      throw UsageError(fmt::format("data set \"{}\" has {} outputs, the model {}", set.name, set.outputs.size(),
                                   session.outputs().size()));
    }
    const NamedValues values = set_inputs(set, flags, session);
    const auto start = Clock::now();
    const std::vector<Value> outputs = session.run(feeds_of(values));
    const double seconds = seconds_since(start);
    nlohmann::ordered_json entry{
        {"name", set.name}, {"seconds", seconds}, {"differences", nlohmann::ordered_json::array()}};
    std::string text;
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      const ArgInfo& output = session.outputs()[i];
      if (auto found = difference(outputs[i], load_as(set.outputs[i], output), flags.tolerance)) {
        text += "\n  " + output.name + ": " + *found;
        entry["differences"].push_back({{"output", output.name}, {"what", *found}});
      }
    }
    if (!text.empty()) ++differing;
    report.push_back(std::move(entry));
    if (flags.json) continue;
    fmt::print("{}: {} ({}{}){}\n", set.name, text.empty() ? "agrees" : "DIFFERS", duration_text(seconds),
               set.inputs_are_ramps && flags.inputs.empty() ? ", inputs made up: the ramp i/n" : "", text);
  }
  if (flags.json) {
    fmt::print("{}\n", dumped({{"model", flags.model}, {"data_sets", report}}));
  } else {
    fmt::print("{} of {} data sets agree (rtol {:g}, atol {:g})\n", sets.size() - differing, sets.size(),
               flags.tolerance.relative, flags.tolerance.absolute);
  }
  return differing ? kFindings : kFine;
}

int run(const RunFlags& flags) {
  const auto start = Clock::now();
  const Session session(load_model(flags.model, flags.load.options), flags.session.options);
  const double load_seconds = seconds_since(start);
  if (!flags.classify.images.empty()) {
    ClassifyFlags classify_flags = flags.classify;
    classify_flags.json = flags.json;
    return classify(session, flags.model, classify_flags);
  }
  if (!flags.data_dir.empty()) return run_data_sets(flags, session);
  return run_inputs(flags, session, load_seconds);
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("run", "Run a model and show, save or compare its outputs");
  auto flags = std::make_shared<RunFlags>();
  command->add_option("model", flags->model, "The model; - is standard input")->required()->type_name("MODEL");
  auto* input =
      repeated(command->add_option("-i,--input", flags->inputs, "An input's value, a .npy or .pb file (repeat)"));
  input->type_name("NAME=FILE");
  auto* shape = repeated(command->add_option(
      "--shape", flags->shapes, "Shape of a generated input, x:1x3x224x224 (repeat); implies --random"));
  shape->type_name("NAME:DIMS");
  auto* random = command->add_flag("--random", flags->random,
                                   "Generate inputs that are not given: floats in [0,1), integers 0 or 1");
  command->add_flag("--ramp", flags->ramp, "Generate inputs that are not given: element i of n is i/n")
      ->excludes(random);
  command->add_option("--seed", flags->seed, "Seed of --random (default 0)");
  command
      ->add_option("--data-dir", flags->data_dir,
                   "Run input_K.pb, compare with output_K.pb: a folder or its test_data_set_N")
      ->type_name("DIR");
  command->add_option("--rtol", flags->tolerance.relative, "Relative tolerance of the comparison (default 1e-3)");
  command->add_option("--atol", flags->tolerance.absolute, "Absolute tolerance of the comparison (default 1e-7)");
  repeated(command->add_option("--outputs", flags->outputs, "Outputs to compute, by name, with commas (default: all)"))
      ->type_name("NAME")
      ->delimiter(',');
  command
      ->add_option("-o,--output-dir", flags->save_dir,
                   "Write the outputs there: tensors of numbers that NumPy has as NAME.npy, all else (bfloat16, "
                   "float8, int4, strings, sequences, ...) as NAME.pb")
      ->type_name("DIR");
  command->add_option("--repeat", flags->repeat, "Run so often and tell the times (default 1)")
      ->check(CLI::PositiveNumber);
  auto* images = command->add_option("--images", flags->classify.images,
                                     "Classify a batch of images, [N,H,W] or [N,C,H,W] in a .npy or .pb file");
  images->type_name("FILE")->excludes(input)->excludes(shape);
  command->add_option("--labels", flags->classify.labels, "The images' true classes, for the accuracy")
      ->type_name("FILE")
      ->needs(images);
  command->add_option("--classes", flags->classify.classes, "Names of the classes, one a line")
      ->type_name("FILE")
      ->needs(images);
  command->add_option("--draw", flags->classify.draw, "How many of the images are drawn (default 8)")
      ->check(CLI::NonNegativeNumber)
      ->needs(images);
  command->add_flag("--json", flags->json, "Report as JSON");
  flags->session.add_to(*command);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = run(*flags); });
}

}  // namespace norn::cli
