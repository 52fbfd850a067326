#include "format/external.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "format/external_write.h"
#include "norn/error.h"

namespace norn::format {
namespace {

namespace fs = std::filesystem;

class External : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_external_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ / "model" / "sub");
    std::ofstream(root_ / "model" / "sub" / "w.bin") << "0123456789";
    std::ofstream(root_ / "secret") << "secret";
  }
  void TearDown() override { fs::remove_all(root_); }

  ir::Tensor tensor(std::vector<std::pair<std::string, std::string>> entries) {
    ir::Tensor t;
    t.name = "w";
    t.data_type = static_cast<std::int32_t>(DataType::Uint8);
    t.dims = {4};
    t.data_location = ir::kDataLocationExternal;
    for (auto& [key, value] : entries) {
      auto& e = t.external_data.emplace_back();
      e.key = key;
      e.value = value;
    }
    return t;
  }
  std::string read(std::vector<std::pair<std::string, std::string>> entries) {
    const auto reader = external_reader((root_ / "model").string(), access_);
    return std::string(ir::as_text(reader(tensor(std::move(entries)))));
  }
  void refused(std::vector<std::pair<std::string, std::string>> entries, const char* text) {
    try {
      read(std::move(entries));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
      EXPECT_NE(e.where().find("\"w\""), std::string::npos);
    }
  }

  fs::path root_;
  ExternalAccess access_;
};

TEST_F(External, ReadsRanges) {
  EXPECT_EQ(read({{"location", "sub/w.bin"}}), "0123456789");
  EXPECT_EQ(read({{"location", "./sub//w.bin"}, {"offset", "2"}, {"length", "4"}}), "2345");
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"offset", "10"}}), "");
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"length", "0"}}), "");
  const auto value =
      ir::to_value(tensor({{"location", "sub/w.bin"}, {"offset", "6"}}), external_reader((root_ / "model").string()));
  EXPECT_EQ(value.as<std::byte>()[3], std::byte{'9'});
}

TEST_F(External, TensorsOfOneFileShareItsMapping) {
  const auto reader = external_reader((root_ / "model").string());
  const auto a = reader(tensor({{"location", "sub/w.bin"}})),
             b = reader(tensor({{"location", "sub/w.bin"}, {"offset", "3"}}));
  EXPECT_EQ(a.data() + 3, b.data());
}

TEST_F(External, StaysBeneathTheFolder) {
  refused({{"location", (root_ / "secret").string()}}, "absolute");
  refused({{"location", "../secret"}}, "\"..\"");
  refused({{"location", "sub/../../secret"}}, "\"..\"");
  refused({{"location", ".."}}, "\"..\"");
  refused({{"location", std::string("sub/w.bin\0x", 11)}}, "NUL");
  refused({{"location", ""}}, "empty");
  refused({}, "no \"location\"");
  fs::create_symlink(root_ / "secret", root_ / "model" / "link");
  refused({{"location", "link"}}, "leads out");
  fs::create_directory_symlink(root_, root_ / "model" / "up");
  refused({{"location", "up/secret"}}, "leads out");
  fs::create_symlink("sub/w.bin", root_ / "model" / "inside");
  EXPECT_EQ(read({{"location", "inside"}, {"length", "2"}}), "01");
  // A folder whose name merely starts with the model folder's.
  fs::create_directories(root_ / "model2");
  std::ofstream(root_ / "model2" / "w") << "x";
  fs::create_symlink(root_ / "model2" / "w", root_ / "model" / "sibling");
  refused({{"location", "sibling"}}, "leads out");
}

TEST_F(External, ChecksNumbersAndFiles) {
  refused({{"location", "sub/w.bin"}, {"offset", "11"}}, "offset 11");
  refused({{"location", "sub/w.bin"}, {"offset", "5"}, {"length", "6"}}, "10 bytes");
  refused({{"location", "sub/w.bin"}, {"length", "18446744073709551615"}}, "outside");
  refused({{"location", "sub/w.bin"}, {"offset", "-1"}}, "non-negative");
  refused({{"location", "sub/w.bin"}, {"length", "4 "}}, "non-negative");
  refused({{"location", "sub/w.bin"}, {"length", ""}}, "non-negative");
  refused({{"location", "sub/w.bin"}, {"location", "other"}}, "two values");
  refused({{"location", "missing.bin"}}, "missing.bin");
  refused({{"location", "sub"}}, "is a folder");
  EXPECT_THROW(external_reader("")(tensor({{"location", "sub/w.bin"}})), Error);
}

TEST_F(External, ReadsRangesWithoutMapping) {
  access_.mmap = false;
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"offset", "2"}, {"length", "4"}}), "2345");
  refused({{"location", "sub/w.bin"}, {"offset", "2"}, {"length", "5"}}, "take 4");
  refused({{"location", "sub/w.bin"}}, "take 4");
}

TEST_F(External, RefusesSpellingsThatOtherSystemsResolve) {
  refused({{"location", "..\\secret"}}, "backslash");
  refused({{"location", "sub/"}}, "names a folder");
  refused({{"location", "."}}, "names a folder");
  refused({{"location", std::string(5000, 'a')}}, "longer");
}

TEST_F(External, RefusesHardLinksUnlessPermitted) {
  fs::create_hard_link(root_ / "secret", root_ / "model" / "twin");
  refused({{"location", "twin"}}, "2 names (hard links)");
  access_.policy.hard_links = true;
  EXPECT_EQ(read({{"location", "twin"}}), "secret");
}

TEST_F(External, RefusesWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((root_ / "model" / "pipe").c_str(), 0600), 0);
  refused({{"location", "pipe"}}, "regular file");  // and does not wait for a writer
  fs::create_symlink("/dev/zero", root_ / "model" / "zero");
  refused({{"location", "zero"}}, "leads out");
  fs::create_symlink("loop", root_ / "model" / "loop");
  refused({{"location", "loop"}}, "loop");
}

TEST_F(External, ToleratesUnknownKeys) {
  const auto t =
      tensor({{"location", "sub/w.bin"}, {"length", "2"}, {"basepath", "/"}, {"__class__", "x"}, {"mode", ""}});
  EXPECT_EQ(ir::as_text(external_reader((root_ / "model").string())(t)), "01");
  EXPECT_EQ(parse_external(t).unknown_keys, (std::vector<std::string>{"__class__", "mode"}));
}

TEST_F(External, VerifiesChecksumsWhenAsked) {
  const std::string right = "87acec17cd9dcd20a716cc2cf67417b71c8a7016";  // of 0123456789
  const std::string wrong(40, '0');
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"checksum", wrong}, {"length", "1"}}), "0");
  for (bool mmap : {true, false}) {
    access_.checksums = true, access_.mmap = mmap;
    EXPECT_EQ(read({{"location", "sub/w.bin"}, {"checksum", right}, {"length", "4"}}), "0123");
    refused({{"location", "sub/w.bin"}, {"checksum", wrong}, {"length", "4"}},
            "SHA-1 "
            "87acec");
    refused({{"location", "sub/w.bin"}, {"checksum", "sha1"}, {"length", "4"}}, "not a SHA-1");
  }
}

// The sum of a large file is in the making while a small one is read.
TEST_F(External, OneFileDoesNotWaitForAnother) {
  const fs::path big = root_ / "model" / "big";
  std::ofstream(big) << "";
  fs::resize_file(big, std::uintmax_t{1} << 29);
  access_.checksums = true;
  const auto reader = external_reader((root_ / "model").string(), access_);
  std::atomic<bool> begun{false}, ended{false};
  std::thread slow([&] {
    auto t = tensor({{"location", "big"}, {"length", "4"}, {"checksum", std::string(40, '0')}});
    begun = true;
    EXPECT_THROW(reader(t), Error);
    ended = true;
  });
  while (!begun) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ir::as_text(reader(tensor({{"location", "sub/w.bin"}, {"length", "4"}}))), "0123");
  EXPECT_FALSE(ended.load()) << "the large file was not slow enough";
  slow.join();
  EXPECT_THROW(reader(tensor({{"location", "big"}, {"length", "4"}, {"checksum", "odd"}})), Error);
}

TEST_F(External, ReadsFromTheCaller) {
  access_.reader = [](const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length) {
    static constexpr char kText[] = "abcdefgh";
    EXPECT_EQ(location, "any/where");
    return SharedBytes{std::as_bytes(std::span(kText)).subspan(offset, length.value_or(4)), {}};
  };
  EXPECT_EQ(read({{"location", "any/where"}, {"offset", "2"}, {"length", "4"}}), "cdef");
  EXPECT_EQ(read({{"location", "any/where"}}), "abcd");
  refused({{"location", "../up"}}, "\"..\"");
  refused({{"location", "any/where"}, {"length", "9000000000000000"}}, "limit");
}

TEST_F(External, HugeSizesAskForNoMemory) {
  // A sparse file may be larger than any memory, and then the offset and length are "right".
  const fs::path big = root_ / "model" / "big";
  std::ofstream(big) << "";
  fs::resize_file(big, std::uintmax_t{1} << 42);
  access_.mmap = false;
  refused({{"location", "big"}, {"length", "4398046511104"}}, "max_tensor_bytes");
  refused({{"location", "big"}, {"offset", "18446744073709551615"}, {"length", "1"}}, "outside");
  auto t = tensor({{"location", "sub/w.bin"}, {"length", "4"}});
  t.dims = {std::int64_t{1} << 32, std::int64_t{1} << 32};
  EXPECT_THROW(ir::to_value(t, external_reader((root_ / "model").string())), Error);
  t.dims = {-1, -4};
  EXPECT_THROW(ir::to_value(t, external_reader((root_ / "model").string())), Error);
}

TEST_F(External, SmallTypesNeedTheirBytes) {
  auto t = tensor({{"location", "sub/w.bin"}, {"length", "1"}});
  t.data_type = static_cast<std::int32_t>(DataType::Int4);
  t.dims = {3};
  EXPECT_THROW(ir::to_value(t, external_reader((root_ / "model").string())), Error);
  t = tensor({{"location", "sub/w.bin"}, {"length", "2"}});
  t.data_type = static_cast<std::int32_t>(DataType::Int4);
  t.dims = {3};
  const auto value = ir::to_value(t, external_reader((root_ / "model").string()));  // '0' '1' is 0x30 0x31
  EXPECT_EQ(value.as<std::int8_t>()[0], 0);
  EXPECT_EQ(value.as<std::int8_t>()[1], 3);
  EXPECT_EQ(value.as<std::int8_t>()[2], 1);
}

TEST_F(External, AFileReplacedLaterIsNotSeen) {
  const auto reader = external_reader((root_ / "model").string());
  const auto t = tensor({{"location", "sub/w.bin"}, {"length", "4"}});
  EXPECT_EQ(ir::as_text(reader(t)), "0123");
  fs::remove(root_ / "model" / "sub" / "w.bin");
  fs::create_symlink(root_ / "secret", root_ / "model" / "sub" / "w.bin");
  EXPECT_EQ(ir::as_text(reader(t)), "0123");
  refused({{"location", "sub/w.bin"}}, "leads out");
}

TEST_F(External, ListsAModelsFiles) {
  ir::Model model;
  auto& g = model.graph.mut();
  g.initializer = {tensor({{"location", "sub/w.bin"}}), tensor({{"location", "sub/w.bin"}, {"offset", "1"}}),
                   tensor({{"location", "gone"}}), tensor({})};
  const auto files = external_files(model, (root_ / "model").string());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].location, "sub/w.bin");
}

TEST_F(External, AppendsTensors) {
  auto t = tensor({{"location", "new/w.bin"}, {"mode", "kept"}});
  t.raw_data = ir::bytes_of("wxyz");
  const std::string base = (root_ / "model").string();
  auto first = t, second = t;
  append_external(first, base, 16);
  append_external(second, base, 16);
  EXPECT_EQ(parse_external(first).offset, 0u);
  EXPECT_EQ(parse_external(second).offset, 16u);
  EXPECT_EQ(parse_external(second).unknown_keys, std::vector<std::string>{"mode"});
  EXPECT_FALSE(second.raw_data.has());
  EXPECT_EQ(fs::file_size(root_ / "model" / "new" / "w.bin"), 20u);
  EXPECT_EQ(ir::as_text(external_reader(base)(second)), "wxyz");

  const auto refuses = [&](const std::string& location, const std::string& offset = {}) {
    auto other = tensor({{"location", location}});
    if (!offset.empty()) {
      auto& e = other.external_data.emplace_back();
      e.key = "offset", e.value = offset;
    }
    other.raw_data = ir::bytes_of("evil");
    EXPECT_THROW(append_external(other, base), Error) << location << " " << offset;
  };
  refuses("../secret");
  refuses((root_ / "secret").string());
  fs::create_symlink(root_ / "secret", root_ / "model" / "link");
  refuses("link");
  fs::create_directory_symlink(root_, root_ / "model" / "up");
  refuses("up/secret");
  fs::create_symlink(root_ / "fresh", root_ / "model" / "dangling");
  refuses("dangling");
  fs::create_hard_link(root_ / "secret", root_ / "model" / "twin");
  refuses("twin");
  refuses("new/w.bin", "0");                 // over what others refer to
  refuses("new/w.bin", "9000000000000000");  // a file of petabytes
  EXPECT_EQ(fs::file_size(root_ / "secret"), 6u);
  EXPECT_FALSE(fs::exists(root_ / "fresh"));
  EXPECT_EQ(fs::file_size(root_ / "model" / "new" / "w.bin"), 20u);
}

// A full disk, or what looks like one: files may not grow.
TEST_F(External, AppendingLeavesNothingOfWhatFails) {
  const fs::path base = root_ / "model";
  const auto fails = [&](std::string location, std::vector<std::pair<std::string, std::string>> more = {}) {
    more.emplace_back("location", std::move(location));
    auto t = tensor(more);
    t.raw_data = ir::bytes_of(std::string(5000, 'x'));
    EXPECT_THROW(append_external(t, base.string()), Error);
    EXPECT_EQ(t.raw_data.get().size(), 5000u);
  };
  std::ofstream(base / "empty") << "";
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{4000, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  fails("new");
  fails("sub/w.bin");
  fails("empty");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  fails("far", {{"offset", "9000000000000000"}});
  EXPECT_FALSE(fs::exists(base / "new"));
  EXPECT_FALSE(fs::exists(base / "far"));
  EXPECT_TRUE(fs::exists(base / "empty")) << "it was there before";
  EXPECT_EQ(fs::file_size(base / "empty"), 0u);
  EXPECT_EQ(fs::file_size(base / "sub" / "w.bin"), 10u);
}

// Appending looks at the file that it then writes, whatever its name leads to in between.
TEST_F(External, AppendsWhileTheFileIsSwapped) {
  const std::string base = (root_ / "model").string();
  const std::string file = base + "/swap", link = base + "/other";
  std::ofstream(file) << "";
  fs::create_symlink(root_ / "secret", link);
  std::atomic<bool> stop = false;
  std::thread attacker([&] {
    while (!stop) ::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
  });
  int written = 0, refused = 0;
  for (int i = 0; i < 20'000 && (written < 200 || refused < 200); ++i) {
    auto t = tensor({{"location", "swap"}});
    t.raw_data = ir::bytes_of("evil");
    try {
      append_external(t, base, 1);
      ++written;
    } catch (const Error&) {
      ++refused;
    }
  }
  stop = true;
  attacker.join();
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, 0);
  std::string text(16, '\0');
  std::ifstream(root_ / "secret").read(text.data(), 16);
  EXPECT_EQ(text, std::string("secret") + std::string(10, '\0'));
}

TEST_F(External, CopiesDataFilesWithoutLeavingTheFolder) {
  ir::Model model;
  model.graph.mut().initializer = {tensor({{"location", "sub/w.bin"}})};
  fs::create_directories(root_ / "copy");
  fs::create_directories(root_ / "elsewhere");
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "copy" / "sub");
  EXPECT_THROW(copy_external_files(model, (root_ / "model").string(), (root_ / "copy").string(), {}), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
  fs::remove(root_ / "copy" / "sub");
  copy_external_files(model, (root_ / "model").string(), (root_ / "copy").string(), {});
  EXPECT_EQ(fs::file_size(root_ / "copy" / "sub" / "w.bin"), 10u);
}

TEST_F(External, CopiesFromFurtherFolders) {
  ir::Model model;
  model.graph.mut().initializer = {tensor({{"location", "sub/w.bin"}}), tensor({{"location", "missing"}})};
  const fs::path copy = root_ / "copy";
  fs::create_directories(copy);
  copy_external_files(model, "", copy.string(), {});
  EXPECT_TRUE(fs::is_empty(copy)) << "nothing says where the files are";
  PathPolicy policy;
  policy.roots = {(root_ / "nowhere").string(), (root_ / "model").string()};
  copy_external_files(model, "", copy.string(), policy);
  EXPECT_EQ(fs::file_size(copy / "sub" / "w.bin"), 10u);
  copy_external_files(model, "", (root_ / "model").string(), policy);  // there they are
  EXPECT_EQ(fs::file_size(root_ / "model" / "sub" / "w.bin"), 10u);
}

TEST_F(External, CopiesAreForThoseWhoMayReadTheOriginal) {
  ir::Model model;
  model.graph.mut().initializer = {tensor({{"location", "sub/w.bin"}})};
  const mode_t old = ::umask(022);
  for (const auto& [from, to] : {std::pair(0600, 0600), {0644, 0644}, {0666, 0644}, {0640, 0640}, {0444, 0444}}) {
    ASSERT_EQ(::chmod((root_ / "model" / "sub" / "w.bin").c_str(), static_cast<mode_t>(from)), 0);
    fs::create_directories(root_ / "copy");
    copy_external_files(model, (root_ / "model").string(), (root_ / "copy").string(), {});
    EXPECT_EQ(static_cast<int>(fs::status(root_ / "copy" / "sub" / "w.bin").permissions()), to);
    fs::remove_all(root_ / "copy");
  }
  ::umask(old);
}

// Bytes to be written are found by their addresses to lie in a file: nothing else may come to lie there.
TEST_F(External, FilesStayMappedWithoutTheirBytes) {
  const std::string path = (root_ / "large").string(), content(100'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  MappedFiles files;
  ir::Bytes bytes = files.add({base::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path, content.size()});
  void* const at = const_cast<std::byte*>(bytes.data());
  bytes = {};
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  void* const taken = ::mmap(at, 65'536, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  EXPECT_EQ(taken, MAP_FAILED);
  if (taken != MAP_FAILED) ::munmap(taken, 65'536);
}

}  // namespace
}  // namespace norn::format
