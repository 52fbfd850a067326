#include "output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>

#include "norn/data.h"
#include "norn/error.h"

namespace norn::cli {

namespace {

// What came to ONNX after complex128 has no name in NumPy: an .npy file would hold bare bytes.
bool has_numpy_name(DataType type) { return type != DataType::String && type <= DataType::Complex128; }

std::string extension_of(const Value& value) {
  return value.is_tensor() && has_numpy_name(value.tensor().dtype()) ? ".npy" : ".pb";
}

// `name` as the name of a file that ends in `end`: without what no file's name has, and no longer than file systems
// take.
std::string file_name(std::string name, const std::string& end) {
  constexpr std::size_t kMost = 255;  // bytes
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '\0'; }, '_');
  if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
  std::size_t kept = std::min(name.size(), kMost - end.size());
  if (kept < name.size()) {  // cut between characters
    for (int i = 0; i < 3 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80; ++i) --kept;
  }
  return name.substr(0, kept) + end;
}

// Outputs that keep their names come first, so that others do not take their files.
std::vector<std::string> file_names(const std::vector<std::string>& names, const std::vector<Value>& values) {
  std::vector<std::string> files(names.size());
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string end = extension_of(values[i]), file = file_name(names[i], end);
    if (file == names[i] + end && taken.insert(file).second) files[i] = file;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string end = extension_of(values[i]);
    for (std::size_t number = 1; files[i].empty(); ++number) {
      const std::string file = file_name(names[i], number == 1 ? end : fmt::format("-{}{}", number, end));
      if (taken.insert(file).second) files[i] = file;
    }
  }
  return files;
}

}  // namespace

std::vector<std::string> save_outputs(const std::string& folder, const std::vector<std::string>& names,
                                      const std::vector<Value>& values) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::Io, "cannot make the folder \"" + folder + "\": " + error.message());
  std::vector<std::string> files = file_names(names, values);
  for (std::size_t i = 0; i < names.size(); ++i) {
    files[i] = (std::filesystem::path(folder) / files[i]).string();
    save_value(values[i], files[i], names[i]);
  }
  return files;
}

}  // namespace norn::cli
