#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/atomic_file.h"
#include "norn/error.h"

namespace norn::base {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_files_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path, bool mmap = true) {
    const auto file = read_file(path, {}, mmap);
    return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
  }
  static void write(const std::string& path, std::string_view a, std::string_view b = {}) {
    const auto bytes = [](std::string_view t) { return std::as_bytes(std::span(t.data(), t.size())); };
    const std::span<const std::byte> pieces[] = {bytes(a), bytes({}), bytes(b)};
    write_file_atomically(path, pieces);
  }
  static ErrorCode code_of(const std::string& path) {
    try {
      read_file(path, {});
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::Internal;
  }

  fs::path folder_;
};

TEST_F(Files, WritesPiecesAndReadsThemBack) {
  write(path("a"), "hello ", "world");
  EXPECT_EQ(content(path("a")), "hello world");
  EXPECT_EQ(content(path("a"), false), "hello world");
  write(path("empty"), "");
  EXPECT_EQ(content(path("empty")), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "a temporary file is left";
}

// What has no size may have no end.
TEST_F(Files, LimitsHoldForWhatHasNoSize) {
  const auto refused = [](const std::string& path, const Limits& limits, bool mmap = true) {
    try {
      read_file(path, limits, mmap);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::LimitExceeded) << e.what();
      return e.message().substr(e.message().find("max_"));
    }
    return std::string("read");
  };
  Limits limits;
  limits.max_stream_bytes = 1000;
  EXPECT_EQ(refused("/dev/zero", limits), "max_stream_bytes)");
  EXPECT_EQ(refused("/dev/null", limits), "read");
  limits.max_bytes = 4;
  EXPECT_EQ(refused("/dev/zero", limits), "max_bytes)");
  write(path("five"), "12345");
  EXPECT_EQ(refused(path("five"), limits), "max_bytes (4)");
  EXPECT_EQ(refused(path("five"), limits, false), "max_bytes (4)");
  write(path("four"), "1234");
  EXPECT_EQ(refused(path("four"), limits), "read");
  limits.max_bytes = std::uint64_t{1} << 40;
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::size_t size : {1000, 1001}) {
    std::thread writer([&] { std::ofstream(path("pipe")) << std::string(size, 'x'); });
    EXPECT_EQ(refused(path("pipe"), limits), size == 1000 ? "read" : "max_stream_bytes)");
    writer.join();
  }
}

TEST_F(Files, AReaderKeepsTheOldContent) {
  write(path("a"), "old content");
  const auto before = read_file(path("a"), {});
  write(path("a"), "new");
  EXPECT_EQ(std::memcmp(before.bytes.data(), "old content", 11), 0);
  EXPECT_EQ(content(path("a")), "new");
}

TEST_F(Files, WritingThroughALinkKeepsTheLink) {
  write(path("real"), "1");
  fs::create_symlink("real", path("link"));
  write(path("link"), "2");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "2");
  fs::create_directory(path("folder"));
  fs::create_symlink("../later", path("folder/near"));
  fs::create_symlink("folder/near", path("far"));
  for (const char* text : {"3", "4"}) {  // the first one makes the file
    write(path("far"), text);
    EXPECT_TRUE(fs::is_symlink(path("far")) && fs::is_symlink(path("folder/near")));
    EXPECT_EQ(content(path("later")), text);
  }
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THROW(write(path("a"), "5"), Error);
}

TEST_F(Files, KeepsPermissions) {
  const mode_t umask_before = ::umask(027);
  const auto mode = [&](const char* name) {
    struct stat info = {};
    EXPECT_EQ(::stat(path(name).c_str(), &info), 0);
    return info.st_mode & 07777;
  };
  write(path("a"), "1");
  EXPECT_EQ(mode("a"), 0640u) << "a new file has what the umask leaves";
  for (const mode_t allowed : {0600, 0664, 0777, 0444, 0640}) {
    ASSERT_EQ(::chmod(path("a").c_str(), allowed), 0);
    write(path("a"), "2");
    EXPECT_EQ(mode("a"), allowed);
  }
  ASSERT_EQ(::chmod(path("a").c_str(), 06775), 0);
  write(path("a"), "3");
  EXPECT_EQ(mode("a"), 0775u) << "rights when executed go with the content that they were given to";
  fs::create_symlink("a", path("link"));
  write(path("link"), "4");
  EXPECT_EQ(mode("a"), 0775u);
  ::umask(umask_before);
}

TEST_F(Files, KeepsOwnerAndGroup) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  write(path("a"), "1");
  ASSERT_EQ(::chown(path("a").c_str(), 12345, 23456), 0);
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  write(path("a"), "2");
  struct stat info = {};
  ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 12345u);
  EXPECT_EQ(info.st_gid, 23456u);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

// Bytes of a list in which one more user has rights: version 2, then a tag, rights and an id for each entry.
std::vector<std::uint8_t> access_list(std::uint8_t group, std::uint8_t mask) {
  std::vector<std::uint8_t> list{2, 0, 0, 0};
  const auto add = [&](std::uint8_t tag, std::uint8_t rights, std::uint8_t id) {
    list.insert(list.end(), {tag, 0, rights, 0, id, id, id, id});
  };
  add(0x01, 6, 0xff);  // the owner
  add(0x02, 6, 0x11);  // a user
  add(0x04, group, 0xff);
  add(0x10, mask, 0xff);
  add(0x20, 0, 0xff);  // others
  return list;
}

TEST_F(Files, KeepsAccessControlLists) {
  constexpr const char *kList = "system.posix_acl_access", *kDefault = "system.posix_acl_default";
  const auto list_of = [&](const char* name) {
    std::vector<std::uint8_t> list(4096);
    const ssize_t size = ::getxattr(path(name).c_str(), kList, list.data(), list.size());
    list.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return list;
  };
  const std::vector<std::uint8_t> list = access_list(0, 6);
  write(path("a"), "1");
  if (::setxattr(path("a").c_str(), kList, list.data(), list.size(), 0) != 0) GTEST_SKIP() << "no such lists here";
  ASSERT_EQ(list_of("a"), list);
  write(path("a"), "2");
  EXPECT_EQ(list_of("a"), list) << "without it, the group would have the mask's rights";
  // A file without one does not get the folder's when it is replaced.
  write(path("b"), "1");
  ASSERT_EQ(::setxattr(folder_.c_str(), kDefault, list.data(), list.size(), 0), 0);
  write(path("b"), "2");
  EXPECT_TRUE(list_of("b").empty());
  write(path("c"), "1");
  EXPECT_FALSE(list_of("c").empty());
}

// What is not waited for has the same contents, names and rights.
TEST_F(Files, WhatReplacesNothingNeedNotBeStoredFirst) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  const std::string large(20'000'000, 'x');
  for (const Stored stored : {Stored::OnCommit, Stored::BeforeReplacing}) {
    for (const char* before : {"none", "empty", "full"}) {
      for (const bool appears : {false, true}) {  // while the new one is written
        const bool exists = std::string_view(before) != "none";
        fs::remove(path("a"));
        if (exists) write(path("a"), std::string_view(before) == "full" ? "old" : "");
        if (exists) {
          ASSERT_EQ(::chmod(path("a").c_str(), 0604), 0);
        }
        AtomicFile file(path("a"), stored);
        file.write(bytes(large));
        if (appears) write(path("a"), "of another process");
        file.commit();
        EXPECT_TRUE(content(path("a")) == large) << before;
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << before;
        struct stat info = {};
        ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
        if (exists) {
          EXPECT_EQ(info.st_mode & 07777, 0604u) << before;
        }
      }
    }
  }
  fs::remove(path("a"));
  AtomicFile refused(path("a"), Stored::BeforeReplacing);
  refused.write(bytes("new"));
  write(path("a"), "of another process");
  EXPECT_THROW(refused.commit(AtomicFile::Existing::Refuse), Error);
  EXPECT_EQ(content(path("a")), "of another process");
}

TEST_F(Files, NothingIsSeenBeforeItIsWhole) {
  const auto entries = [&] { return std::distance(fs::directory_iterator(path("")), {}); };
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  write(path("old"), "old");
  const auto before = entries();
  {
    AtomicFile file(path("new"));
    file.write(bytes("abandoned"));
    EXPECT_FALSE(fs::exists(path("new")));
  }
  EXPECT_EQ(entries(), before);
  AtomicFile file(path("new"));
  file.write(bytes("whole"));
  for (int i = 0; i < 2; ++i) {
    file.pause();
    file.resume();
  }
  file.write(bytes(" file"));
  EXPECT_FALSE(file.target_exists());
  file.commit(AtomicFile::Existing::Refuse);
  EXPECT_EQ(content(path("new")), "whole file");
  AtomicFile over(path("old"));
  over.write(bytes("not this"));
  EXPECT_THROW(over.commit(AtomicFile::Existing::Refuse), Error);
  EXPECT_EQ(content(path("old")), "old");
  over.commit();
  EXPECT_EQ(content(path("old")), "not this");
  EXPECT_EQ(entries(), before + 1);
}

TEST_F(Files, ManyPieces) {
  std::vector<std::string> texts(1000);
  std::vector<std::span<const std::byte>> pieces;
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = std::to_string(i);
    all += texts[i];
    pieces.push_back(std::as_bytes(std::span(texts[i].data(), texts[i].size())));
  }
  write_file_atomically(path("a"), pieces);
  EXPECT_EQ(content(path("a")), all);
}

TEST_F(Files, PiecesMayBeWrittenAhead) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  const std::string head = "head", middle = "in the middle", tail(20'000'000, 't');
  const std::span<const std::byte> pieces[] = {bytes(head), bytes(middle), bytes(tail)};
  const std::size_t behind = head.size() + middle.size();
  const auto write = [&](std::size_t middle_at, std::size_t tail_at) {
    AtomicFile file(path("a"));
    file.write_ahead(middle_at, pieces[1]);
    file.write_ahead(tail_at, pieces[2]);
    file.begin_storing();
    EXPECT_EQ(file.size(), 0u);
    write_file_atomically(path("a"), pieces, {}, &file);
    EXPECT_TRUE(content(path("a")) == head + middle + tail) << middle_at << ", " << tail_at;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  };
  write(head.size(), behind);
  // Where they are not to be: all too early, all too late, one of them, beyond the end.
  write(head.size() - 1, behind - 1);
  write(head.size() + 1, behind + 1);
  write(head.size() + 1, behind);
  write(head.size(), behind + 30'000'000);
  write(0, 1);
  // Other memory at the place is another piece.
  AtomicFile file(path("a"));
  const std::string other(middle.size(), 'o');
  file.write_ahead(head.size(), bytes(other));
  write_file_atomically(path("a"), pieces, {}, &file);
  EXPECT_TRUE(content(path("a")) == head + middle + tail);
  // Holes are holes, whatever was written there.
  AtomicFile holes(path("a"));
  holes.write_ahead(1, pieces[2]);
  holes.write(pieces[0]);
  holes.write_zeros(3);
  holes.write(pieces[1]);
  holes.commit();
  EXPECT_EQ(content(path("a")), head + std::string(3, '\0') + middle);
  // Without commit() nothing is left.
  {
    AtomicFile(path("b")).write_ahead(5, pieces[1]);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, ErrorsHaveTheirCodes) {
  EXPECT_EQ(code_of(path("missing")), ErrorCode::NoSuchFile);
  EXPECT_EQ(code_of(folder_.string()), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(""), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of(std::string("a\0b", 3)), ErrorCode::InvalidArgument);
  EXPECT_THROW(write((folder_ / "no" / "folder").string(), "x"), Error);
  EXPECT_THROW(write(folder_.string(), "x"), Error);
}

TEST_F(Files, ReadsAPipe) {
  const std::string fifo = path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(fifo) << std::string(100'000, 'p');
    ::_exit(0);
  }
  EXPECT_EQ(content(fifo), std::string(100'000, 'p'));
}

}  // namespace
}  // namespace norn::base
