// ONNX's test data: folders with input_K.pb and output_K.pb beside a model.
//
// Three layouts are found: the folder itself; a folder of test_data_set_N folders; and outputs alone, named after the
// model (X_output_0.pb for X.onnx), whose inputs are the ramp i/n as in ONNX's own backend tests.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inputs.h"
#include "norn/session.h"

namespace norn::cli {

struct DataSet {
  std::string name;
  std::map<std::size_t, std::string> inputs, outputs;  // files, by position; there may be gaps
  bool inputs_are_ramps = false;
};

// Throws UsageError if there is none.
std::vector<DataSet> find_data_sets(const std::string& folder, const std::string& model_path);

struct Tolerance {
  // As ONNX's backend tests, which allow bfloat16 two units in its last place: so does this one, unless another
  // relative tolerance is asked for.
  double relative = 1e-3, absolute = 1e-7;
};

struct Comparison {
  std::string difference;         // in type, shape or elements; empty if the values agree
  std::optional<double> largest;  // difference of two numbers, where any were compared
};

// |got - wanted| <= absolute + relative * |wanted|; NaN agrees with NaN; strings, integers and bools have to be equal.
Comparison compare(const Value& got, const Value& wanted, const Tolerance& tolerance);

}  // namespace norn::cli
