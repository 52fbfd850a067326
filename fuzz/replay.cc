// Puts every file of a folder through the fuzz target, and each also cut short: a corpus that once found something
// keeps guarding it in builds without a fuzzer.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "target.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(content.data());
    norn::fuzz::check(bytes, content.size());
    const std::size_t step = std::max<std::size_t>(1, content.size() / 64);
    for (std::size_t cut = 0; cut < content.size(); cut += step) norn::fuzz::check(bytes, cut);
    ++files;
  }
  std::printf("%zu inputs\n", files);
  return files == 0;
}
