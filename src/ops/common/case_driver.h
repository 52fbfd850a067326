// Checking one trial in every way. Each function returns "" or what is wrong, with the mode in which it was found.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ops/common/case_check.h"

namespace norn::ops::cases {

// What a node gives: values, or that it is refused.
struct Truth {
  std::vector<Value> outputs;                          // an empty Value is one that is not wanted
  std::vector<std::vector<std::int64_t>> zeros_below;  // by output
  std::vector<bool> checked;                           // by output; empty: all
};

// How many outputs the node has: those of the case, or as few as the operator takes.
int output_count(const Trial& trial);
// The truth that the case gives, if it gives one.
std::optional<Truth> truth_of(const Trial& trial);
// What moves elements gives the same ones.
inline double tolerance_of(const Case& c) { return c.with.picks ? 0 : c.with.tolerance; }
std::string check_against(const std::vector<Value>& got, const Truth& truth, Bound bound);

std::string check_inference_only(const Trial& trial);
std::string check_move_only(const Trial& trial);
// Of a node with contents and results.
std::string check_inference(const Trial& trial, const Truth& truth);
std::string check_reference(const Trial& trial, const Truth& truth);
std::string check_versions(const Trial& trial, const Truth& truth);
// Set where the runtime is linked (case_session.cc); null elsewhere.
extern std::string (*check_sessions)(const Trial& trial, const Truth& truth);
// That a node is refused in every way in which it would run. `message` is part of what the reference says.
std::string check_refusal(const Trial& trial, std::string_view message);
// `message` counts for operators that run as their bodies.
extern std::string (*check_session_refusal)(const Trial& trial, std::string_view message);
// The node's outputs, run by a session. Null where the runtime is not linked.
extern std::vector<Value> (*run_in_session)(const Trial& trial);

// All of it, as the case asks. `thorough`: sessions and versions too.
std::string check(const Trial& trial, bool thorough);

// The outputs of the reference kernel of the trial's version.
std::vector<Value> run_reference(const Trial& trial);

}  // namespace norn::ops::cases
