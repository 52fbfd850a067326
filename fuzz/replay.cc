// Puts every file of some folders through a fuzz target, whole and cut short, so that an input that once found
// something keeps guarding it in builds without a fuzzer. The last name printed is that of the input that failed.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// An input has memory of its own, so that a sanitizer sees what is read behind its end.
void check(const std::vector<char>& content, std::size_t size) {
  const std::vector<std::uint8_t> input(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
  norn::fuzz::check(input.data(), input.size());
}

bool replay(const fs::path& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return false;
  check(content, content.size());
  const std::size_t step = std::max<std::size_t>(1, content.size() / 64);
  for (std::size_t cut = 0; cut < content.size(); cut += step) check(content, cut);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    const auto files = files_of(argv[i]);
    if (files.empty()) {
      std::fprintf(stderr, "%s has no inputs\n", argv[i]);
      return 1;
    }
    for (const fs::path& file : files) {
      if (!replay(file)) {
        std::fprintf(stderr, "%s cannot be read\n", file.c_str());
        return 1;
      }
    }
  }
  return 0;
}
