// norn run: the main job.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "classify.h"
#include "command.h"
#include "data_set.h"
#include "inputs.h"
#include "norn/text.h"
#include "output_files.h"
#include "terminal.h"
#include "value_text.h"

namespace norn::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct RunFlags {
  std::string model;
  std::vector<std::string> inputs, shapes, outputs;  // outputs: names with commas
  std::vector<std::string> data_dirs;
  std::string save_dir;
  bool random = false, ramp = false, json = false;
  std::uint64_t seed = 0;
  int repeat = 1;
  Tolerance tolerance;
  SessionFlags session;
  LoadFlags load;
  ClassifyFlags classify;

  std::optional<Generator> generator(const Session& of) const {
    if (!random && !ramp && shapes.empty()) return {};
    return Generator{ramp ? Generator::Kind::Ramp : Generator::Kind::Random, seed, parse_shapes(shapes, of)};
  }
};

// Adds the names in "y,z". A name may hold commas itself: the longest that the model has counts.
void add_names(std::string_view list, const Session& session, std::vector<std::string>& names) {
  const auto is_output = [&](std::string_view name) {
    return std::ranges::any_of(session.outputs(), [&](const ArgInfo& output) { return output.name == name; });
  };
  for (;;) {
    const std::size_t first = std::min(list.find(','), list.size());
    std::size_t end = list.size();
    while (end != first && !is_output(list.substr(0, end))) end = list.rfind(',', end - 1);
    names.emplace_back(list.substr(0, end));
    if (end == list.size()) return;
    list.remove_prefix(end + 1);
  }
}

std::vector<std::string> wanted_outputs(const RunFlags& flags, const Session& session) {
  std::vector<std::string> names;
  for (const std::string& list : flags.outputs) add_names(list, session, names);
  for (const std::string& name : names) {
    if (std::ranges::find(session.outputs(), name, &ArgInfo::name) != session.outputs().end()) continue;
    std::string all;
    for (const ArgInfo& output : session.outputs()) all += "\n    " + output.name + "  " + declaration_text(output);
    throw UsageError("--outputs: the model has no output \"" + name + "\"", "its outputs are" + all);
  }
  if (!flags.outputs.empty()) return names;
  for (const ArgInfo& output : session.outputs()) names.push_back(output.name);
  return names;
}

// Whether "--outputs '*'" asks for every value: an output of that name comes first.
bool wants_all(const RunFlags& flags, const Session& session) {
  return flags.outputs == std::vector<std::string>{"*"} &&
         std::ranges::find(session.outputs(), "*", &ArgInfo::name) == session.outputs().end();
}

// Outputs whose sizes contradict the model's declaration: they are not an error, but are reported. A variable has the
// size that the first input or output with it has.
class DeclaredSizes {
 public:
  DeclaredSizes(const Session& session, const NamedValues& inputs) : session_(session) {
    for (const auto& [name, value] : inputs) agrees(session.inputs(), name, value);
  }
  // What the model declares, if the output contradicts it.
  std::optional<std::string> contradicted(const std::string& name, const Value& value) {
    const ArgInfo* declared = agrees(session_.outputs(), name, value);
    return declared ? std::optional(declaration_text(*declared)) : std::nullopt;
  }

 private:
  // The declaration that the value contradicts, else null.
  const ArgInfo* agrees(const std::vector<ArgInfo>& declared, const std::string& name, const Value& value) {
    const auto arg = std::ranges::find(declared, name, &ArgInfo::name);
    if (arg == declared.end() || !arg->has_shape || !value.is_tensor()) return nullptr;
    const Shape& dims = value.tensor().dims();
    if (dims.size() != arg->shape.size()) return &*arg;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const DimInfo& dim = arg->shape[d];
      const std::int64_t expected = dim.value >= 0     ? dim.value
                                    : dim.name.empty() ? dims[d]
                                                       : variables_.emplace(dim.name, dims[d]).first->second;
      if (dims[d] != expected) return &*arg;
    }
    return nullptr;
  }

  const Session& session_;
  std::map<std::string, std::int64_t> variables_;
};

int run_inputs(const RunFlags& flags, const Session& session, double load_seconds) {
  const NamedValues values =
      complete(load_inputs(flags.inputs, session), session, flags.generator(session), flags.model);
  const bool all = wants_all(flags, session);
  std::vector<std::string> names = all ? std::vector<std::string>{} : wanted_outputs(flags, session);
  const std::vector<Feed> feeds = feeds_of(values);

  std::vector<Value> outputs;
  std::vector<double> times;
  for (int i = 0; i < flags.repeat; ++i) {
    const auto start = Clock::now();
    if (!all) {
      outputs = session.run(feeds, names);
      times.push_back(seconds_since(start));
      continue;
    }
    auto named = session.run_all(feeds);
    times.push_back(seconds_since(start));
    names.clear();
    outputs.clear();
    for (auto& [name, value] : named) {
      names.push_back(name);
      outputs.push_back(std::move(value));
    }
  }
  const double first = times.front();
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  std::vector<std::string> files;
  if (!flags.save_dir.empty()) files = save_outputs(flags.save_dir, names, outputs);
  DeclaredSizes declared(session, values);

  if (flags.json) {
    nlohmann::ordered_json json{{"model", flags.model}, {"load_seconds", load_seconds}};
    json["run_seconds"] = {{"runs", times.size()}, {"first", first}, {"least", times.front()}, {"median", median}};
    json["outputs"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      nlohmann::ordered_json output{{"name", names[i]}};
      output.update(to_json(outputs[i]));
      if (!files.empty()) output["file"] = files[i];
      if (const auto other = declared.contradicted(names[i], outputs[i])) output["declared"] = *other;
      json["outputs"].push_back(std::move(output));
    }
    fmt::print("{}\n", dumped(json));
    return kFine;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    fmt::print("{}\n", printable(names[i] + "  " + describe(outputs[i])));
    if (!files.empty() && std::filesystem::path(files[i]).stem() != names[i]) {
      fmt::print("  in {}\n", printable(files[i]));
    }
    if (const auto other = declared.contradicted(names[i], outputs[i]))
      fmt::print("  note: the model declares {}\n", printable(*other));
  }
  if (flags.repeat > 1) {
    fmt::print("loaded in {}; {} runs: first {}, median {}, least {}\n", duration_text(load_seconds), flags.repeat,
               duration_text(first), duration_text(median), duration_text(times.front()));
  } else {
    fmt::print("loaded in {}, run in {}\n", duration_text(load_seconds), duration_text(first));
  }
  return kFine;
}

void refuse_beyond(const std::map<std::size_t, std::string>& files, std::size_t count, const char* what) {
  if (files.empty() || files.rbegin()->first < count) return;
  throw UsageError(
      fmt::format("\"{}\" does not fit a model with {} {}: numbers begin with 0", files.rbegin()->second, count, what));
}

NamedValues set_inputs(const DataSet& set, const RunFlags& flags, const Session& session) {
  refuse_beyond(set.inputs, session.inputs().size(), "inputs");
  NamedValues given = load_inputs(flags.inputs, session);
  for (const auto& [i, file] : set.inputs) {
    const ArgInfo& input = session.inputs()[i];
    if (std::ranges::any_of(given, [&](const auto& g) { return g.first == input.name; })) continue;
    given.emplace_back(input.name, load_as(file, input));
  }
  auto generator = flags.generator(session);
  if (!generator && set.inputs_are_ramps) generator = Generator{Generator::Kind::Ramp};
  return complete(std::move(given), session, generator, flags.model);
}

// An output without a file is not compared, and so does not agree.
int run_data_sets(const RunFlags& flags, const Session& session) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  std::size_t agreeing = 0;
  const std::vector<std::string> names = wanted_outputs(flags, session);
  std::vector<DataSet> sets;
  for (const std::string& folder : flags.data_dirs) {
    for (DataSet& set : find_data_sets(folder, flags.model)) {
      const std::filesystem::path path(folder);
      if (flags.data_dirs.size() > 1) set.name = path.filename() == set.name ? folder : (path / set.name).string();
      sets.push_back(std::move(set));
    }
  }
  for (const DataSet& set : sets) {
    refuse_beyond(set.outputs, session.outputs().size(), "outputs");
    const NamedValues values = set_inputs(set, flags, session);
    const auto start = Clock::now();
    const std::vector<Value> outputs = session.run(feeds_of(values), names);
    const double seconds = seconds_since(start);
    auto differences = nlohmann::ordered_json::array(), missing = differences, compared = differences;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto output = std::ranges::find(session.outputs(), names[i], &ArgInfo::name);
      const auto file = set.outputs.find(static_cast<std::size_t>(output - session.outputs().begin()));
      if (file == set.outputs.end()) {
        text += "\n  " + names[i] + ": there is no file to compare it with";
        missing.push_back(names[i]);
        continue;
      }
      const Comparison found = compare(outputs[i], load_as(file->second, *output), flags.tolerance);
      text += "\n  " + names[i] + ": " + (found.difference.empty() ? "agrees" : found.difference);
      nlohmann::ordered_json row{{"output", names[i]}, {"agrees", found.difference.empty()}};
      if (found.largest) {
        text += fmt::format("; the largest difference is {:.3g}", *found.largest);
        if (std::isfinite(*found.largest)) row["largest_difference"] = *found.largest;
      }
      compared.push_back(std::move(row));
      if (!found.difference.empty()) differences.push_back({{"output", names[i]}, {"what", found.difference}});
    }
    const char* result = !differences.empty() ? "DIFFERS" : !missing.empty() ? "INCOMPLETE" : "agrees";
    if (differences.empty() && missing.empty()) ++agreeing;
    report.push_back({{"name", set.name},
                      {"seconds", seconds},
                      {"outputs", std::move(compared)},
                      {"differences", std::move(differences)},
                      {"missing", std::move(missing)}});
    if (flags.json) continue;
    fmt::print("{}: {} ({}{}){}\n", set.name, result, duration_text(seconds),
               set.inputs_are_ramps && flags.inputs.empty() ? ", inputs made up: the ramp i/n" : "", printable(text));
  }
  if (flags.json) {
    fmt::print("{}\n", dumped({{"model", flags.model}, {"data_sets", report}}));
  } else {
    fmt::print("{} of {} data sets agree (rtol {:g}, atol {:g})\n", agreeing, sets.size(), flags.tolerance.relative,
               flags.tolerance.absolute);
  }
  return agreeing == sets.size() ? kFine : kFindings;
}

int run(const RunFlags& flags) {
  std::error_code unknown;
  if (std::filesystem::exists(flags.save_dir, unknown) && !std::filesystem::is_directory(flags.save_dir, unknown)) {
    throw UsageError("\"" + flags.save_dir + "\" is not a folder");
  }
  const auto start = Clock::now();
  const Session session(load_model(flags.model, flags.load.options), flags.session.options);
  const double load_seconds = seconds_since(start);
  if (!flags.classify.images.empty()) {
    ClassifyFlags classify_flags = flags.classify;
    classify_flags.json = flags.json;
    return classify(session, flags.model, classify_flags);
  }
  if (!flags.data_dirs.empty()) return run_data_sets(flags, session);
  return run_inputs(flags, session, load_seconds);
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("run", "Run a model and show, save or compare its outputs");
  auto flags = std::make_shared<RunFlags>();
  command->add_option("model", flags->model, "The model; - is standard input")->required()->type_name("MODEL");
  auto* input = repeated(command->add_option(
      "-i,--input", flags->inputs,
      "An input's value, a .npy or .pb file, or an image, decoded unless the input is a list of uint8, "
      "which takes the file's bytes (repeat)"));
  input->type_name("NAME=FILE");
  auto* shape = repeated(command->add_option("--shape", flags->shapes,
                                             "Shape of a generated input, x:1x3x224x224 (repeat); implies --random"));
  shape->type_name("NAME:DIMS");
  auto* random = command->add_flag("--random", flags->random,
                                   "Generate inputs that are not given: floats in [0,1), integers 0 or 1");
  command->add_flag("--ramp", flags->ramp, "Generate inputs that are not given: element i of n is i/n")
      ->excludes(random);
  add_whole(*command, "--seed", flags->seed, "Seed of --random (default 0)");
  repeated(command->add_option("--data-dir", flags->data_dirs,
                               "Run input_K.pb, compare with output_K.pb: a folder or its test_data_set_N (repeat)"))
      ->type_name("DIR");
  add_amount(*command, "--rtol", flags->tolerance.relative, "Relative tolerance of the comparison (default 1e-3)");
  add_amount(*command, "--atol", flags->tolerance.absolute, "Absolute tolerance of the comparison (default 1e-7)");
  repeated(command->add_option("--outputs", flags->outputs,
                               "Outputs to compute, by name, with commas (default: all); '*' is every value that a "
                               "node computes"))
      ->type_name("NAME");
  command
      ->add_option("-o,--output-dir", flags->save_dir,
                   "Write the outputs there: tensors of numbers that NumPy has as NAME.npy, all else (bfloat16, "
                   "float8, int4, strings, sequences, ...) as NAME.pb; --json names the file of each")
      ->type_name("DIR");
  add_whole(*command, "--repeat", flags->repeat, "Run so often and print the times (default 1)", 1);
  auto* images = command->add_option("--images", flags->classify.images,
                                     "Classify a batch of images, [N,H,W] or [N,C,H,W] in a .npy or .pb file");
  images->type_name("FILE")->excludes(input)->excludes(shape);
  command->add_option("--labels", flags->classify.labels, "The images' true classes, for the accuracy")
      ->type_name("FILE")
      ->needs(images);
  command->add_option("--classes", flags->classify.classes, "Names of the classes, one a line")
      ->type_name("FILE")
      ->needs(images);
  add_whole(*command, "--draw", flags->classify.draw, "How many of the images are drawn (default 8)")->needs(images);
  command->add_flag("--json", flags->json, "Report as JSON");
  flags->session.add_to(*command);
  flags->load.add_to(*command);
  command->callback([flags, &exit] { exit = run(*flags); });
}

}  // namespace norn::cli
