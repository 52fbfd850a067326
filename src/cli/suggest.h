// Suggestions for misspelt words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace norn::cli {

std::vector<std::string> subcommands_of(const CLI::App& command);
// Its options' long names, with dashes.
std::vector<std::string> options_of(const CLI::App& command);

// "did you mean "show"? " with the word nearest to a misspelt one, or nothing if none is near.
std::string did_you_mean(std::string_view misspelt, const std::vector<std::string>& words);

}  // namespace norn::cli
