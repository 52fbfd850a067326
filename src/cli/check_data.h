// Data files among the files of norn check.
#pragma once
#include <optional>
#include <string>

#include "norn/check.h"
#include "norn/data.h"

namespace norn::cli {

// By its name: .npy, .npz, and input_N.pb and output_N.pb, as ONNX's test data are called.
bool is_data_file(const std::string& path);

// Without `kind`, the model beside a test_data_set folder tells, or the bytes. "-" is standard input.
Report check_data_file(const std::string& path, std::optional<DataKind> kind, const CheckOptions& options);

}  // namespace norn::cli
