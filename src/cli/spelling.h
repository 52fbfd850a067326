// Hints of the library name options as the C++ API does; the command shows flags instead.
#pragma once
#include <string>

namespace norn::cli {

// "... (LoadOptions::external_roots)" becomes "... (--external-root)".
std::string with_flags(std::string hint);

}  // namespace norn::cli
