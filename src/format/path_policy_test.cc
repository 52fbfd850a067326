#include "format/path_policy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "norn/error.h"

namespace norn::format {
namespace {

namespace fs = std::filesystem;

// Both resolvers have to say the same.
class Policy : public testing::TestWithParam<Resolver> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_policy_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = fs::canonical(pattern);
    fs::create_directories(root_ / "model" / "sub");
    fs::create_directories(root_ / "store");
    std::ofstream(root_ / "model" / "sub" / "w") << "inside";
    std::ofstream(root_ / "store" / "w2") << "store!!";
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string opened(const std::string& location) {
    return open_location((root_ / "model").string(), location, policy_, GetParam()).path;
  }
  Error refused(const std::string& location) {
    try {
      ADD_FAILURE() << "accepted: " << opened(location);
    } catch (const Error& e) {
      return e;
    }
    return Error(ErrorCode::Internal, "");
  }

  fs::path root_;
  PathPolicy policy_;
};

TEST_P(Policy, LinksWithinTheFolder) {
  fs::create_symlink("sub/w", root_ / "model" / "a");
  fs::create_symlink("../a", root_ / "model" / "sub" / "b");
  fs::create_directory_symlink("sub/../sub", root_ / "model" / "c");
  fs::create_symlink(root_ / "model" / "sub" / "w", root_ / "model" / "absolute");
  for (const char* location : {"sub/w", "a", "sub/b", "c/w", "./c//b", "absolute"}) {
    const OpenedFile file = open_location((root_ / "model").string(), location, policy_, GetParam());
    EXPECT_EQ(file.size, 6u) << location;
  }
}

TEST_P(Policy, LinksOut) {
  fs::create_symlink("../store/w2", root_ / "model" / "a");
  fs::create_symlink("../model/sub/w", root_ / "model" / "roundabout");
  fs::create_directory_symlink("/", root_ / "model" / "slash");
  const Error e = refused("a");
  EXPECT_EQ(e.code(), ErrorCode::InvalidGraph);
  EXPECT_NE(e.message().find((root_ / "store" / "w2").string()), std::string::npos) << e.what();
  EXPECT_NE(e.hint().find("allow the folder \"" + (root_ / "store").string()), std::string::npos) << e.what();
  EXPECT_NE(e.hint().find("LoadOptions::external_roots"), std::string::npos) << e.what();
  EXPECT_EQ(e.hint().find("ExternalPolicy::HfCache"), std::string::npos) << e.what();
  refused("slash/etc/passwd");
  EXPECT_NE(std::string(refused("slash").what()).find("leads out"), std::string::npos);
  // It ends inside after all.
  EXPECT_EQ(opened("roundabout"), (root_ / "model" / "sub" / "w").string());
}

TEST_P(Policy, FurtherFolders) {
  fs::create_symlink("../store/w2", root_ / "model" / "a");
  policy_.roots = {(root_ / "store").string()};
  EXPECT_EQ(opened("a"), (root_ / "store" / "w2").string());
  EXPECT_EQ(opened("w2"), (root_ / "store" / "w2").string());  // not beside the model, but there
  EXPECT_EQ(opened("sub/w"), (root_ / "model" / "sub" / "w").string());
  EXPECT_EQ(open_location("", "w2", policy_, GetParam()).size, 7u);
  // A link in a further folder does not lead on.
  std::ofstream(root_ / "secret") << "secret";
  fs::create_symlink("../secret", root_ / "store" / "s");
  refused("s");
  fs::create_symlink("../store/s", root_ / "model" / "s");
  refused("s");
}

TEST_P(Policy, HuggingFaceCache) {
  const fs::path repository = root_ / "hub" / "models--a--b", snapshot = repository / "snapshots" / "f00d";
  fs::create_directories(repository / "blobs");
  fs::create_directories(snapshot / "onnx");
  std::ofstream(repository / "blobs" / "abc") << "blob";
  std::ofstream(repository / "secret") << "secret";
  std::ofstream(repository / "snapshots" / "other") << "other";
  fs::create_symlink("../../../blobs/abc", snapshot / "onnx" / "w.data");
  fs::create_symlink("../../../secret", snapshot / "onnx" / "bad");
  fs::create_symlink("../../other", snapshot / "onnx" / "sibling");
  fs::create_symlink(repository / "blobs" / "abc", snapshot / "onnx" / "absolute");
  fs::create_directories(root_ / "hub" / "models--c--d" / "blobs");
  std::ofstream(root_ / "hub" / "models--c--d" / "blobs" / "abc") << "foreign";
  fs::create_symlink("../../../../models--c--d/blobs/abc", snapshot / "onnx" / "foreign");
  const std::string base = (snapshot / "onnx").string();
  const auto accepted = [&](const char* location) {
    try {
      return open_location(base, location, policy_, GetParam()).path;
    } catch (const Error& e) {
      return e.hint();
    }
  };
  EXPECT_NE(accepted("w.data").find("ExternalPolicy::HfCache"), std::string::npos);
  // It is advised where it would help.
  for (const char* location : {"bad", "sibling", "foreign", "absolute"}) {
    EXPECT_EQ(accepted(location).find("ExternalPolicy::HfCache"), std::string::npos) << location;
    EXPECT_NE(accepted(location).find("LoadOptions::external_roots"), std::string::npos) << location;
  }
  policy_.kind = ExternalPolicy::HfCache;
  EXPECT_EQ(accepted("foreign").find("ExternalPolicy::HfCache"), std::string::npos);
  EXPECT_EQ(accepted("w.data"), (repository / "blobs" / "abc").string());
  for (const char* location : {"bad", "sibling", "foreign", "absolute"}) {
    EXPECT_THROW(open_location(base, location, policy_, GetParam()), Error) << location;
  }
  // Outside of a cache the policy is Beneath.
  fs::create_symlink("../store/w2", root_ / "model" / "a");
  refused("a");
}

std::string content(const OpenedFile& file) {
  std::string text(64, '\0');
  const ssize_t n = ::pread(file.fd.get(), text.data(), text.size(), 0);
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

// A process that may write in the model's folder exchanges two names, over and over, until this ends.
class Exchanging {
 public:
  Exchanging(fs::path a, fs::path b)
      : thread_([this, a = a.string(), b = b.string()] {
          while (!stop_) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
        }) {}
  ~Exchanging() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Between looking at a file and reading it, it must not become another one.
TEST_P(Policy, NamesSwappedWhileTheyAreOpened) {
  fs::create_directories(root_ / "outside");
  std::ofstream(root_ / "outside" / "w") << "secret";
  fs::create_symlink("../outside/w", root_ / "model" / "link");
  fs::create_directory_symlink("../outside", root_ / "model" / "way");
  std::ofstream(root_ / "model" / "file") << "inside";
  const struct {
    const char *name, *other, *location;
  } cases[] = {{"file", "link", "file"}, {"sub", "way", "sub/w"}};
  for (const auto& c : cases) {
    const Exchanging attacker(root_ / "model" / c.name, root_ / "model" / c.other);
    int opened = 0, refused = 0;
    for (int i = 0; i < 200'000 && (opened < 2000 || refused < 2000); ++i) {
      try {
        const OpenedFile file = open_location((root_ / "model").string(), c.location, policy_, GetParam());
        ++opened;
        ASSERT_EQ(content(file), "inside");
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(opened, 0) << c.location;
    EXPECT_GT(refused, 0) << c.location;
  }
}

INSTANTIATE_TEST_SUITE_P(Resolvers, Policy, testing::Values(Resolver::Kernel, Resolver::Steps),
                         [](const auto& info) { return info.param == Resolver::Kernel ? "Kernel" : "Steps"; });

TEST(WritePlace, IsBeneathTheFolder) {
  std::string pattern = (fs::temp_directory_path() / "norn_write_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path root = pattern;
  fs::create_directories(root / "model");
  fs::create_directory_symlink(root, root / "model" / "up");
  const std::string base = (root / "model").string();
  for (const char* location : {"../x", "/x", "up/x", "a/../../x", "", "a\\x"}) {
    EXPECT_THROW(place_for_writing(base, location), Error) << location;
  }
  EXPECT_EQ(place_for_writing(base, "a/b/x").shown, base + "/a/b/x");
  EXPECT_TRUE(fs::is_directory(root / "model" / "a" / "b"));
  // A folder that becomes a link between being made and being entered.
  fs::create_directories(root / "outside");
  fs::create_directory_symlink("../outside", root / "model" / "way");
  {
    const Exchanging attacker(root / "model" / "a", root / "model" / "way");
    int refused = 0;
    for (int i = 0; i < 100'000 && refused < 2000; ++i) {
      try {
        const WritePlace place = place_for_writing(base, "a/x");
        const int fd = ::openat(place.folder.get(), "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_GE(fd, 0);
        ::close(fd);
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 0);
  }
  EXPECT_TRUE(fs::is_empty(root / "outside"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace norn::format
