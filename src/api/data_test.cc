#include "norn/data.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

namespace norn {
namespace {

namespace fs = std::filesystem;

class Values : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_values_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }
  std::string path(const char* name) const { return (root_ / name).string(); }
  static Tensor tensor() {
    Tensor t(DataType::Int32, {3});
    for (int i = 0; i < 3; ++i) t.as_mutable<std::int32_t>()[i] = i - 1;
    return t;
  }
  fs::path root_;
};

TEST_F(Values, OneOfEveryKindOfFile) {
  for (const char* name : {"x.npy", "x.pb", "x.npz"}) {
    save_value(tensor(), path(name), "x");
    const auto values = load_values(path(name));
    ASSERT_EQ(values.size(), 1u) << name;
    EXPECT_EQ(values[0].first, std::string(name) == "x.npy" ? "" : "x") << name;
    EXPECT_EQ(std::memcmp(values[0].second.tensor().data(), tensor().data(), 12), 0) << name;
    EXPECT_EQ(load_value(path(name)).tensor().dims(), Shape{3}) << name;
  }
}

TEST_F(Values, ArchivesHoldTensorsByName) {
  const std::vector<std::pair<std::string, Value>> values = {{"b", tensor()}, {"a", Tensor(DataType::Float, {0, 2})}};
  save_values(values, path("v.npz"), true);
  const auto back = load_values(path("v.npz"));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].first, "b");
  EXPECT_EQ(back[1].second.tensor().dims(), (Shape{0, 2}));
  EXPECT_THROW(load_value(path("v.npz")), Error);
  const std::vector<std::pair<std::string, Value>> sequence = {{"s", Sequence{{tensor()}}}};
  EXPECT_THROW(save_values(sequence, path("s.npz")), Error);
  EXPECT_FALSE(fs::exists(path("s.npz")));
}

TEST_F(Values, MessagesOfEveryKind) {
  const Value sequence = Sequence{{tensor(), tensor()}};
  save_value(sequence, path("s.pb"), "s");
  const auto values = load_values(path("s.pb"));
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].first, "s");
  EXPECT_EQ(values[0].second.sequence().items.size(), 2u);
  save_value(Sequence{{tensor()}}, path("one.pb"), "o");
  EXPECT_THROW(load_values(path("one.pb")), Error);  // an optional of the tensor is the same
  EXPECT_TRUE(load_values(path("one.pb"), {}, DataKind::Sequence)[0].second.is_sequence());
  EXPECT_TRUE(load_values(path("one.pb"), {}, DataKind::Optional)[0].second.is_tensor());
  const std::vector<std::pair<std::string, Value>> two = {{"a", tensor()}, {"b", tensor()}};
  EXPECT_THROW(save_values(two, path("two.pb")), Error);
  EXPECT_THROW(save_values(two, path("two.npy")), Error);
  save_values(std::span(two).first(1), path("a.npy"));
  EXPECT_EQ(data_kind(path("a.npy")), DataKind::Tensor);
  EXPECT_EQ(load_value(path("a.npy")).tensor().dims(), Shape{3});
}

TEST_F(Values, LimitsBindEveryKindOfFile) {
  const auto refused = [&](const char* name, const Limits& limits, std::optional<DataKind> kind) {
    const auto beyond = [](auto&& call) {
      try {
        call();
      } catch (const Error& e) {
        return e.code() == ErrorCode::LimitExceeded && e.where().find("/x.") != std::string::npos;
      }
      return false;
    };
    return beyond([&] { load_values(path(name), limits, kind); }) +
           beyond([&] { load_value(path(name), kind, limits); });
  };
  for (const char* name : {"x.npy", "x.pb", "x.npz"}) {
    save_value(tensor(), path(name), "x");
    const auto size = static_cast<std::uint64_t>(fs::file_size(path(name)));
    for (const auto kind : {std::optional<DataKind>(), std::optional(DataKind::Tensor)}) {
      Limits small, enough;
      small.max_bytes = size - 1;
      EXPECT_EQ(refused(name, small, kind), 2) << name;
      small = {};
      small.max_tensor_bytes = 11;
      EXPECT_EQ(refused(name, small, kind), 2) << name;
      // An archive counts its array's header too.
      enough.max_bytes = size;
      enough.max_tensor_bytes = std::string(name) == "x.npz" ? size : 12;
      EXPECT_EQ(load_value(path(name), kind, enough).tensor().dims(), Shape{3}) << name;
      EXPECT_EQ(load_values(path(name), enough, kind).size(), 1u) << name;
    }
  }
  save_value(Sequence{{Sequence{{Sequence{{tensor(), tensor()}}}}}}, path("x.deep"), "x");
  Limits flat;
  flat.max_depth = 2;
  EXPECT_EQ(refused("x.deep", flat, {}), 2);
  EXPECT_EQ(refused("x.deep", flat, DataKind::Sequence), 2);
  std::ofstream(path("x.html")) << "<html>";
  EXPECT_THROW(data_kind(path("x.html")), Error);
}

// A pipe gives its content once: the next read gets the next content.
TEST_F(Values, AFileIsReadOnce) {
  const std::string fifo = path("x");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  save_value(Sequence{{tensor(), tensor()}}, path("first.pb"), "first");
  save_value(tensor(), path("second.pb"), "second");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (const char* name : {"first.pb", "second.pb", "second.pb"}) {
      std::ifstream in(path(name), std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(in), {}};
      int fd = -1;
      while (!stop && (fd = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK)) < 0) std::this_thread::yield();
      if (fd < 0) return;
      EXPECT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
      ::close(fd);
      // The reader has to close its end, or it would read on in what comes next.
      while (!stop && (fd = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK)) >= 0) ::close(fd);
    }
  });
  std::vector<std::pair<std::string, Value>> values;
  EXPECT_NO_THROW(values = load_values(fifo));
  stop = true;
  writer.join();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].first, "first");
  ASSERT_TRUE(values[0].second.is_sequence());
  EXPECT_EQ(values[0].second.sequence().items.size(), 2u);
}

// Extensions are ASCII, whatever letters the locale has ('I' is not a capital 'i' in Turkish).
TEST_F(Values, ArraysAloneMustTellTheirType) {
  for (const DataType type : {DataType::BFloat16, DataType::Float8E4M3FN, DataType::Int4}) {
    Tensor two(type, {2});
    std::fill_n(static_cast<std::byte*>(two.mutable_data()), two.bytes(), std::byte{1});
    const Value value{std::move(two)};
    EXPECT_THROW(save_value(value, path("x.npy")), Error);
    EXPECT_FALSE(fs::exists(path("x.npy")));
    for (const char* name : {"x.npz", "x.pb"}) {
      save_value(value, path(name));
      EXPECT_EQ(load_value(path(name)).tensor().dtype(), type) << name;
    }
  }
}

TEST_F(Values, ExtensionsOfAnyCase) {
  for (const char* name : {"x.NPY", "x.Npz"}) {
    save_value(tensor(), path(name), "x");
    EXPECT_EQ(load_values(path(name))[0].second.tensor().dims(), Shape{3}) << name;
  }
  EXPECT_EQ(data_kind(path("x.NPY")), DataKind::Tensor);
}

}  // namespace
}  // namespace norn
