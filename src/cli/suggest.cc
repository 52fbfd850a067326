#include "suggest.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace norn::cli {

namespace {

// Characters added, left out, changed, or exchanged with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App* app) { return !app->get_name().empty(); }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* app) { return app->get_name().empty(); }))
    std::ranges::copy(options_of(*group), std::back_inserter(names));
  return names;
}

std::string did_you_mean(std::string_view misspelt, const std::vector<std::string>& words) {
  const std::string* nearest = nullptr;
  constexpr std::size_t kLongest = 64;  // the time goes with the square
  if (misspelt.size() > kLongest) return {};
  std::size_t least = std::max<std::size_t>(1, misspelt.size() / 3) + 1;
  const std::string lower = CLI::detail::to_lower(std::string(misspelt));
  for (const std::string& word : words) {
    const std::size_t apart = word.starts_with(lower) && lower.size() > 2 ? 1 : distance(lower, word);
    if (apart >= least) continue;
    least = apart;
    nearest = &word;
  }
  return nearest ? "did you mean \"" + *nearest + "\"? " : "";
}

}  // namespace norn::cli
