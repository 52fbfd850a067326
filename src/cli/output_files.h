// norn run -o FOLDER: a file for each output.
#pragma once
#include <string>
#include <vector>

#include "norn/value.h"

namespace norn::cli {

// Writes the values, and the folder if there is none. Returns the files, no two alike: NAME.npy for tensors that NumPy
// has, NAME.pb for all else. A name that cannot be a file's, or whose file another output has, is changed.
std::vector<std::string> save_outputs(const std::string& folder, const std::vector<std::string>& names,
                                      const std::vector<Value>& values);

}  // namespace norn::cli
