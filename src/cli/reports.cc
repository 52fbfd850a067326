#include "reports.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "command.h"
#include "norn/text.h"
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
  report.diagnostics = {{.where = error.where(), .message = error.message(), .hint = error.hint()}};
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
  sound_ = sound_ && report.ok();
  entries_.emplace_back(std::move(report));
}

void Reports::add(std::string path, const Error& error) {
  print_error(error);
  readable_ = false;
  entries_.emplace_back(Unreadable(shown(std::move(path)), error));
}

int Reports::print() const {
  Json all = Json::array();
  for (const auto& entry : entries_) {
    const Report* report = std::get_if<Report>(&entry);
    if (notation_ == Notation::Text) {
      if (report) fmt::print("{}", printable(report->to_string()));
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
  if (notation_ == Notation::Json && all.size() == 1) all = Json(all[0]);
  if (notation_ != Notation::Text) fmt::print("{}\n", dumped(all));
  return !readable_ ? kFailed : sound_ ? kFine : kFindings;
}

}  // namespace norn::cli
