// Data files among the files of norn check.
#pragma once
#include <optional>
#include <string>

#include "norn/check.h"
#include "norn/data.h"

namespace norn::cli {

// By its name: .npy, .npz, and input_N.pb and output_N.pb, as ONNX's test data are called.
bool is_data_file(const std::string& path);
// Whether a file of a folder is checked with it: a model or a data file by its name, or a model by its content where
// the extension is used for other files, too (.pb, .json, and those of protobuf text).
bool is_checked_in_folders(const std::string& path, const LoadOptions& loading);

// Without `kind`, the model beside a test_data_set folder decides, or the bytes. "-" is standard input.
Report check_data_file(const std::string& path, std::optional<DataKind> kind, const CheckOptions& options);

}  // namespace norn::cli
