// The notations of a profile.
#include "norn/profile.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.h"

namespace norn {
namespace {

using Json = nlohmann::ordered_json;

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  char text[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string duration(double seconds) {
  if (seconds >= 1) return formatted("%.3f s", seconds);
  if (seconds >= 1e-3) return formatted("%.3f ms", seconds * 1e3);
  return formatted("%.2f us", seconds * 1e6);
}

// "1.23 G" of something
std::string amount(double number) {
  if (number >= 1e9) return formatted("%.2f G", number / 1e9);
  if (number >= 1e6) return formatted("%.2f M", number / 1e6);
  if (number >= 1e3) return formatted("%.2f k", number / 1e3);
  return formatted("%.0f ", number);
}

std::string percent(double share) { return formatted("%.1f%%", share * 100); }

double load_seconds(const RunProfile& profile) {
  return std::accumulate(profile.load.begin(), profile.load.end(), 0.0,
                         [](double sum, const LoadPhase& phase) { return sum + phase.seconds; });
}

std::string name_of(const LoadPhase& phase) { return phase.name.empty() ? phase.kind : phase.kind + " " + phase.name; }

std::string machine_text(const MeasuredMachine& machine) {
  const auto rate = [](double number) { return formatted("%.1f G", number / 1e9); };
  std::string text = "this machine: " + base::counted(static_cast<std::size_t>(machine.threads), "thread") + ", " +
                     rate(machine.flop_per_second) + "FLOP/s of f32";
  if (machine.copying.empty()) return text;
  const auto fastest =
      std::max_element(machine.copying.begin(), machine.copying.end(),
                       [](const auto& a, const auto& b) { return a.bytes_per_second < b.bytes_per_second; });
  return text + "; copies move " + rate(fastest->bytes_per_second) + "B/s in caches, " +
         rate(machine.copying.back().bytes_per_second) + "B/s of memory";
}

Json json_of(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

// The fields of an event that lasts.
Json lasting(const std::string& name, const char* category, int row, double begin, double seconds) {
  return {{"name", name}, {"cat", category},   {"ph", "X"},           {"pid", 1},
          {"tid", row},   {"ts", begin * 1e6}, {"dur", seconds * 1e6}};
}

Json row_name(int row, const char* name) {
  return {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", row}, {"args", {{"name", name}}}};
}

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string RunProfile::to_string(std::size_t most) const {
  std::string text = "loading: " + duration(load_seconds(*this)) + "\n";
  for (const LoadPhase& phase : load)
    text += formatted("  %-28s %12s\n", name_of(phase).c_str(), duration(phase.seconds).c_str());
  if (packed_weights) {
    text += "packed weights in " + base::quoted(packed_weights->folder) + ": " +
            amount(static_cast<double>(packed_weights->found_bytes)) + "B were there, " +
            amount(static_cast<double>(packed_weights->written_bytes)) + "B were written";
    if (!packed_weights->problem.empty()) text += "; not all could be: " + packed_weights->problem;
    text += "\n";
  }
  if (machine) text += machine_text(*machine) + "\n";
  text += base::counted(static_cast<std::size_t>(runs), "run") + ": median " + duration(median_seconds) + ", least " +
          duration(least_seconds) + ", the very first " + duration(first_seconds);
  if (total_seconds > 0) text += "; " + percent(outside_seconds / total_seconds) + " of the time is outside of steps";
  text += "\n";
  std::vector<const ProfiledStep*> order;
  for (const ProfiledStep& step : steps)
    if (step.calls > 0) order.push_back(&step);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->own_seconds > b->own_seconds; });
  const std::size_t shown = std::min(most, order.size());
  if (shown > 0)
    text += formatted("%7s %12s %12s %8s %10s %10s %9s  %s\n", "share", "total", "mean", "calls", "FLOP", "bytes",
                      "roofline", "operations, kernel, node");
  for (std::size_t i = 0; i < shown; ++i) {
    const ProfiledStep& s = *order[i];
    text += formatted("%7s %12s %12s %8lld %10s %10s %9s  ", percent(s.share).c_str(),
                      duration(s.total_seconds).c_str(), duration(s.mean_seconds()).c_str(),
                      static_cast<long long>(s.calls), s.flop ? amount(*s.flop).c_str() : "-", amount(s.bytes).c_str(),
                      s.roofline ? percent(*s.roofline).c_str() : "-");
    text += s.operations + "  " + s.kernel + "  " + s.path + "\n";
  }
  if (shown < order.size()) {
    double rest = 0;
    for (std::size_t i = shown; i < order.size(); ++i) rest += order[i]->share;
    text += formatted("%7s  ", percent(rest).c_str()) + "in " + base::counted(order.size() - shown, "more step") + "\n";
  }
  return text;
}

std::string RunProfile::to_json() const {
  Json phases = Json::array(), rows = Json::array();
  for (const LoadPhase& phase : load)
    phases.push_back({{"kind", phase.kind}, {"name", phase.name}, {"seconds", phase.seconds}});
  for (const ProfiledStep& s : steps)
    rows.push_back({{"path", s.path},
                    {"operations", s.operations},
                    {"kernel", s.kernel},
                    {"shapes", s.shapes},
                    {"calls", s.calls},
                    {"total_seconds", s.total_seconds},
                    {"own_seconds", s.own_seconds},
                    {"mean_seconds", s.mean_seconds()},
                    {"share", s.share},
                    {"flop", json_of(s.flop)},
                    {"bytes", s.bytes},
                    {"roofline", json_of(s.roofline)}});
  Json json = {{"load_seconds", load_seconds(*this)}, {"load", std::move(phases)}};
  if (packed_weights) {
    json["packed_weights"] = {{"folder", packed_weights->folder},
                              {"found_bytes", packed_weights->found_bytes},
                              {"written_bytes", packed_weights->written_bytes},
                              {"problem", packed_weights->problem}};
  }
  if (machine) {
    Json copying = Json::array();
    for (const auto& c : machine->copying)
      copying.push_back({{"bytes", c.bytes}, {"bytes_per_second", c.bytes_per_second}});
    json["machine"] = {
        {"threads", machine->threads}, {"flop_per_second", machine->flop_per_second}, {"copying", std::move(copying)}};
  }
  json["run_seconds"] = {{"runs", runs},           {"first", first_seconds},
                         {"least", least_seconds}, {"median", median_seconds},
                         {"total", total_seconds}, {"outside", outside_seconds}};
  json["steps"] = std::move(rows);
  return dumped(json, 2);
}

std::string RunProfile::to_chrome_trace() const {
  constexpr int kLoading = 1, kRunning = 2;
  Json events = Json::array();
  events.push_back(row_name(kLoading, "loading"));
  events.push_back(row_name(kRunning, "runs"));
  double at = 0;
  for (const LoadPhase& phase : load) {
    events.push_back(lasting(name_of(phase), "load", kLoading, at, phase.seconds));
    at += phase.seconds;
  }
  for (const Call& call : calls) {
    const ProfiledStep& step = steps[call.step];
    Json event = lasting(step.operations, "step", kRunning, at + call.begin_seconds, call.seconds);
    event["args"] = {{"path", step.path},
                     {"kernel", step.kernel},
                     {"shapes", step.shapes},
                     {"flop", json_of(step.flop)},
                     {"bytes", step.bytes}};
    events.push_back(std::move(event));
  }
  return dumped({{"displayTimeUnit", "ms"}, {"otherData", {{"calls_left_out", more_calls}}}, {"traceEvents", events}},
                -1);
}

}  // namespace norn
