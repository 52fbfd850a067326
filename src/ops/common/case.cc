#include "ops/common/case.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "norn/error.h"
#include "ops/common/case_driver.h"

namespace norn::ops::cases {
namespace {

// Trials of one case that go all the way; the others are run by inference and the reference kernel only.
constexpr std::size_t kThorough = 48;

class CaseTest : public testing::Test {
 public:
  CaseTest(const Case& source, std::string name) : source_(source), name_(std::move(name)) {}
  void TestBody() override {
    std::vector<Trial> all;
    try {
      all = trials(source_);
    } catch (const Error& e) {
      FAIL() << e.what();
    }
    const char* only = std::getenv("NORN_TRIAL");
    const std::size_t every = (all.size() + kThorough - 1) / kThorough;
    int failures = 0;
    for (std::size_t i = 0; i < all.size() && failures < 3; ++i) {
      if (only && i != std::strtoul(only, nullptr, 10)) continue;
      std::string wrong;
      try {
        wrong = check(all[i], only || i % every == 0);
      } catch (const Error& e) {
        wrong = e.what();
      }
      if (wrong.empty()) continue;
      ++failures;
      std::string inputs;
      for (std::size_t k = 0; k < all[i].inputs.size(); ++k)
        if (all[i].inputs[k].value) inputs += "\n  input " + std::to_string(k) + ": " + show(*all[i].inputs[k].value);
      ADD_FAILURE() << all[i].text << "\n  " << wrong << inputs << "\n  again: NORN_TRIAL=" << i
                    << " norn_slice_tests --gtest_filter=" << name_;
    }
  }

 private:
  const Case& source_;
  std::string name_;
};

}  // namespace

Cases::Cases(const char* name, std::initializer_list<Case> cases) {
  // The list lives no longer than this call.
  const auto& kept = *new std::vector<Case>(cases);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto word = kept[i].node.substr(0, kept[i].node.find_first_of(" -{"));
    std::string test = std::to_string(i) + "_";
    for (char c : word) test += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    const std::string suite = std::string(name) + "Cases", full = suite + "." + test;
    testing::RegisterTest(suite.c_str(), test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&c = kept[i], full]() -> CaseTest* { return new CaseTest(c, full); });
  }
}

std::int64_t count(const std::vector<std::int64_t>& dims) {
  std::int64_t n = 1;
  for (std::int64_t d : dims) n *= d;
  return n;
}

bool next(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& dims) {
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

std::int64_t position(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& dims) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
  return at;
}

double Numbers::at(std::initializer_list<std::int64_t> index) const {
  return values.at(static_cast<std::size_t>(position(index, dims)));
}

}  // namespace norn::ops::cases
