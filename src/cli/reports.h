// The results for the files that a command checked: reports, and errors of those that could not be read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "norn/check.h"
#include "norn/error.h"

namespace norn::cli {

class Reports {
 public:
  enum class Notation { Text, Json, Sarif };
  // Text shows findings of `least` and above, and counts the others.
  explicit Reports(Notation notation, Severity least = Severity::Note) : notation_(notation), least_(least) {}

  // Adds what `check` returns for the file, or what it throws, which goes to standard error too. "-" is standard input.
  template <class F>
  void check(const std::string& path, F&& check) {
    try {
      add(path, check());
    } catch (const Error& error) {
      add(path, error);
    }
  }
  void add(std::string path, Report report);
  void add(std::string path, const Error& error);

  bool sound() const noexcept { return readable_ && sound_; }
  // Several files get a total. One entry is an object in JSON, several are a list; SARIF is one log with a run for
  // each. An entry stands for each file, whether it could be read or not. Returns the exit code.
  int print() const;

 private:
  void print_total() const;

  Notation notation_;
  Severity least_;
  bool readable_ = true, sound_ = true;
  std::vector<std::variant<Report, std::pair<std::string, Error>>> entries_;
};

// A log of one run that did not take place.
nlohmann::ordered_json sarif_of(const Error& error);

}  // namespace norn::cli
