#include "reports.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "command.h"
#include "norn/text.h"
#include "spelling.h"
#include "streams.h"
#include "terminal.h"

namespace norn::cli {

namespace {

using Json = nlohmann::ordered_json;
using Unreadable = std::pair<std::string, Error>;

std::string shown(std::string path) { return path == "-" ? kStandardInput : std::move(path); }

Json json_of(const Unreadable& file) {
  const auto& [path, error] = file;
  return {{"path", path}, {"ok", false}, {"error", cli::json_of(error)}};
}

// A SARIF notification is shaped as a result is, with message, level and locations, but has no rule.
Json unread_log(const std::string& path, const Error& error) {
  Report report;
  report.path = path;
  report.diagnostics = {{.where = error.where(), .message = error.message(), .hint = with_flags(error.hint())}};
  Json log = Json::parse(report.to_sarif());
  Json& run = log["runs"][0];
  Json notification = std::exchange(run["results"], Json::array())[0];
  run["tool"]["driver"]["rules"] = Json::array();
  notification.erase("ruleId");
  notification.erase("ruleIndex");
  notification["descriptor"] = {{"id", error_code_name(error.code())}};
  Json notifications = Json::array({std::move(notification)});
  run["invocations"] =
      Json::array({{{"executionSuccessful", false}, {"toolExecutionNotifications", std::move(notifications)}}});
  return log;
}

}  // namespace

Json sarif_of(const Error& error) { return unread_log({}, error); }

void Reports::add(std::string path, Report report) {
  report.path = shown(std::move(path));
  for (Diagnostic& d : report.diagnostics) d.hint = with_flags(std::move(d.hint));
  sound_ = sound_ && report.ok();
  entries_.emplace_back(std::move(report));
}

void Reports::add(std::string path, const Error& error) {
  print_error(error);
  readable_ = false;
  entries_.emplace_back(Unreadable(shown(std::move(path)), error));
}

void Reports::print_total() const {
  std::size_t counts[] = {0, 0, 0}, unreadable = 0;
  for (const auto& entry : entries_) {
    const Report* report = std::get_if<Report>(&entry);
    unreadable += !report;
    if (!report) continue;
    for (const Severity s : {Severity::Note, Severity::Warning, Severity::Error})
      counts[static_cast<std::size_t>(s)] += report->count(s);
  }
  const auto [notes, warnings, errors] = counts;
  const bool hidden = notes > 0 && least_ > Severity::Note;
  if (entries_.size() > 1) {
    fmt::print("{} files: {} error{}, {} warning{}, {} note{}{}{}\n", entries_.size(), errors, errors == 1 ? "" : "s",
               warnings, warnings == 1 ? "" : "s", notes, notes == 1 ? "" : "s", hidden ? " (not shown)" : "",
               unreadable > 0 ? fmt::format(", {} could not be checked", unreadable) : "");
  }
  if (hidden) fmt::print("--notes shows the notes\n");
}

int Reports::print() const {
  Json all = Json::array();
  for (const auto& entry : entries_) {
    const Report* report = std::get_if<Report>(&entry);
    if (notation_ == Notation::Text) {
      if (report) fmt::print("{}", printable(report->to_string(least_)));
    } else if (notation_ == Notation::Json) {
      all.push_back(report ? Json::parse(report->to_json()) : json_of(std::get<Unreadable>(entry)));
    } else {
      Json log = report ? Json::parse(report->to_sarif()) : std::apply(unread_log, std::get<Unreadable>(entry));
      if (all.empty())
        all = std::move(log);
      else
        all["runs"].push_back(std::move(log["runs"][0]));
    }
  }
  if (notation_ == Notation::Text) print_total();
  if (notation_ == Notation::Json && all.size() == 1) all = Json(all[0]);
  if (notation_ != Notation::Text) fmt::print("{}\n", dumped(all));
  return !readable_ ? kFailed : sound_ ? kFine : kFindings;
}

}  // namespace norn::cli
