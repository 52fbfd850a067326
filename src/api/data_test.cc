#include "norn/data.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

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

}  // namespace
}  // namespace norn
