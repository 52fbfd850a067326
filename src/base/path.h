// Paths as text, as a user gives them: what they name is looked up elsewhere.
#pragma once
#include <string>

namespace norn::base {

// The folder that a file's path is in: "." of a bare name, "" of "".
inline std::string folder_of(const std::string& path) {
  if (path.empty()) return {};
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace norn::base
