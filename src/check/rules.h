// Rule ids as types: a Rule can be made only from the id of a row of rule_rows.h, and the compiler looks it up, so a
// misspelt id does not compile. Pass the literal: ctx.report("graph.ssa", place, ...).
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "check/rule_rows.h"

namespace norn::checks {

class Rule {
 public:
  consteval Rule(const char* id) : index_(find(id)) {}  // NOLINT(google-explicit-constructor)

  constexpr const RuleRow& row() const noexcept { return kRuleRows[index_]; }
  constexpr std::string_view id() const noexcept { return row().id; }
  constexpr std::size_t index() const noexcept { return index_; }
  constexpr bool binds(std::int64_t ir_version) const noexcept {
    return ir_version >= row().ir_from && ir_version <= row().ir_to;
  }

 private:
  static consteval std::uint16_t find(std::string_view id) {
    for (std::size_t i = 0; i < std::size(kRuleRows); ++i) {
      if (kRuleRows[i].id == id) {
        if (!kRuleRows[i].not_checked.empty()) throw "this rule is listed as not checked";
        return static_cast<std::uint16_t>(i);
      }
    }
    throw "no such rule";
  }
  std::uint16_t index_;
};

}  // namespace norn::checks
