// External data: the input is a TensorProto that says where its data lies. In a folder with traps (links out, a hard
// link, a pipe, a device), nothing but a stretch of the one honest file may ever be read, and nothing outside written.
#include "format/external.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "format/external_write.h"
#include "format/wire.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHonest = "The quick brown fox jumps over the lazy dog.";
constexpr std::string_view kSecret = "SECRET";

// Made for each process, removed at its end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "norn_fuzz_XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "a temporary folder");
    root_ = pattern;
    fs::create_directories(model() / "sub");
    fs::create_directories(root_ / "writing");
    std::ofstream(model() / "w") << kHonest;
    std::ofstream(root_ / "secret") << kSecret;
    fs::create_symlink("../secret", model() / "link");
    fs::create_symlink("../w", model() / "sub" / "in");
    fs::create_directory_symlink("..", model() / "up");
    fs::create_directory_symlink("..", root_ / "writing" / "up");
    fs::create_symlink("../secret", root_ / "writing" / "link");
    fs::create_symlink("/dev/zero", model() / "zero");
    fs::create_hard_link(root_ / "secret", model() / "twin");
    fs::create_hard_link(root_ / "secret", root_ / "writing" / "twin");
    require(::mkfifo((model() / "pipe").c_str(), 0600) == 0, "a pipe");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  fs::path model() const { return root_ / "model"; }
  fs::path writing() const { return root_ / "writing"; }
  void check_untouched() const {
    require(fs::file_size(root_ / "secret") == kSecret.size(), "files outside are not written");
    require(std::distance(fs::directory_iterator(root_), {}) == 3, "files outside are not made");
  }

 private:
  fs::path root_;
};

}  // namespace

void check(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  ir::Tensor tensor;
  try {
    tensor = format::read_message<ir::Tensor>(ir::Bytes(std::vector<std::byte>(begin, begin + size)));
  } catch (const Error&) {
    return;
  }
  for (bool mmap : {true, false}) {
    format::ExternalAccess access;
    access.mmap = mmap;
    access.checksums = !mmap;
    try {
      const ir::Bytes bytes = format::external_reader(folder.model().string(), access)(tensor);
      require(kHonest.find(ir::as_text(bytes)) != std::string_view::npos, "only the model's own file is read");
    } catch (const Error&) {
    }
  }
  if (tensor.raw_data.get().size() > 1000) return;
  try {
    format::append_external(tensor, folder.writing().string());
  } catch (const Error&) {
  }
  folder.check_untouched();
}

}  // namespace norn::fuzz
