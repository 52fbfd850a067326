#include "spelling.h"

#include <string_view>

namespace norn::cli {

namespace {

struct Spelling {
  std::string_view option, flag;
};
constexpr Spelling kSpellings[] = {
    {"ExternalPolicy::HfCache", "--hf-cache"},
    {"LoadOptions::external_hard_links", "--hard-links"},
    {"LoadOptions::external_roots", "--external-root FOLDER"},
    {"LoadOptions::format", "--from text, json or textproto"},
    {"PackOptions::allow_over_2gib", "--allow-over-2gib"},
    {"SessionOptions::operator_sets", "--operator-set FILE"},
    {"(DataKind)", "(--kind KIND)"},
    {"norn::load_value", "norn run MODEL -i NAME=FILE"},
    {"norn::check_data", "norn check --data FILE"},
    {"norn::unrunnable_nodes", "norn check --profile runtime"},
};

}  // namespace

std::string with_flags(std::string hint) {
  for (const auto& [option, flag] : kSpellings) {
    if (const std::size_t at = hint.find(option); at != hint.npos) hint.replace(at, option.size(), flag);
  }
  return hint;
}

}  // namespace norn::cli
