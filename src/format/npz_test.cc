#include "format/npz.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/mapped_file.h"
#include "norn/error.h"

namespace norn::format {
namespace {

namespace fs = std::filesystem;

class Npz : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_npz_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  using Arrays = std::vector<std::pair<std::string, Tensor>>;

  std::string written(const Arrays& arrays, bool compress) {
    const std::string path = (root_ / "a.npz").string();
    write_npz(arrays, path, compress);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Arrays read(const std::string& text, const Limits& limits = {}) {
    return read_npz(ir::bytes_of(text), limits);
  }
  static Tensor floats(Shape dims, float first) {
    Tensor t(DataType::Float, std::move(dims));
    std::iota(t.as_mutable<float>(), t.as_mutable<float>() + t.size(), first);
    return t;
  }
  static void expect_refused(const std::string& text, const char* why, const Limits& limits = {}) {
    try {
      read(text, limits);
      ADD_FAILURE() << "accepted: " << why;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  }

  fs::path root_;
};

TEST_F(Npz, ReturnsWhatWasWritten) {
  Tensor text(DataType::String, {2});
  text.as_mutable<std::string>()[0] = "snow";
  text.as_mutable<std::string>()[1] = "schnee \xe2\x9d\x84";
  Tensor half(DataType::BFloat16, {3}), nibble(DataType::Int4, {2, 2});
  const std::uint16_t bits[] = {0x3f80, 0x7fc0, 0xff80};
  std::memcpy(half.mutable_data(), bits, sizeof(bits));
  for (int i = 0; i < 4; ++i) nibble.as_mutable<std::int8_t>()[i] = static_cast<std::int8_t>(i - 2);
  const Arrays arrays = {
      {"x", floats({2, 3}, 1)}, {"empty", floats({0, 4}, 0)}, {"scalar", floats({}, 7)},          {"text", text},
      {"half", half},           {"nibble", nibble},           {"na\xc3\xafve", floats({5000}, 0)}};
  for (bool compress : {false, true}) {
    const Arrays back = read(written(arrays, compress));
    ASSERT_EQ(back.size(), arrays.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
      EXPECT_EQ(back[i].first, arrays[i].first);
      const Tensor &a = back[i].second, &b = arrays[i].second;
      EXPECT_EQ(a.dtype(), b.dtype()) << back[i].first;
      EXPECT_EQ(a.dims(), b.dims());
      if (b.dtype() == DataType::String) {
        for (std::int64_t k = 0; k < b.size(); ++k) EXPECT_EQ(a.as<std::string>()[k], b.as<std::string>()[k]);
      } else if (b.bytes() > 0) {
        EXPECT_EQ(std::memcmp(a.data(), b.data(), b.bytes()), 0) << back[i].first;
      }
    }
  }
  EXPECT_TRUE(read(written({}, false)).empty());
}

TEST_F(Npz, NamesAreUtf8OrMarkedAsNot) {
  const std::string name = "\xc3\xa9\xe2\x96\x92";  // e with an acute accent and a grey box
  std::string text = written({{name, floats({2}, 1)}, {"plain", floats({1}, 0)}}, false);
  EXPECT_EQ(read(text)[0].first, name);
  EXPECT_THROW(written({{"\xff", floats({2}, 1)}}, false), Error);
  EXPECT_THROW(written({{"\xed\xa0\x80", floats({2}, 1)}}, false), Error);
  // Without the mark, it is of code page 437: the bytes of the name are five of its characters.
  for (std::size_t at = text.find("PK\1\2"); at != text.npos; at = text.find("PK\1\2", at + 4)) text[at + 9] = 0;
  EXPECT_EQ(read(text)[0].first, "\xe2\x94\x9c\xe2\x8c\x90\xce\x93\xc3\xbb\xc3\x86");
  EXPECT_EQ(read(text)[1].first, "plain");
}

TEST_F(Npz, StoredArraysAreSharedWithTheFile) {
  const std::string path = (root_ / "a.npz").string();
  write_npz(Arrays{{"odd name", floats({3}, 0)}, {"x", floats({100}, 1)}}, path, false);
  const auto file = base::read_file(path, {});
  const auto back = read_npz(ir::Bytes(file.bytes.data(), file.bytes.size(), file.owner));
  for (const auto& [name, tensor] : back) {
    const auto* data = static_cast<const std::byte*>(tensor.data());
    EXPECT_TRUE(data > file.bytes.data() && data < file.bytes.data() + file.bytes.size()) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
  }
}

TEST_F(Npz, RefusesDamage) {
  for (bool compress : {false, true}) {
    const std::string good = written({{"x", floats({2, 3}, 1)}, {"y", floats({64}, 1)}}, compress);
    const Arrays truth = read(good);
    // Wherever a byte is wrong, there is an error or the arrays are as they were: checksums guard the contents.
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string text = good;
      text[i] = static_cast<char>(text[i] ^ 0x40);
      try {
        const Arrays back = read(text);
        for (std::size_t k = 0; k < back.size(); ++k) {
          ASSERT_EQ(back[k].second.bytes(), truth[k].second.bytes()) << i;
          ASSERT_EQ(std::memcmp(back[k].second.data(), truth[k].second.data(), truth[k].second.bytes()), 0) << i;
        }
      } catch (const Error&) {
      }
    }
    for (std::size_t n = 0; n < good.size(); ++n) EXPECT_THROW(read(good.substr(0, n)), Error) << n;
  }
}

TEST_F(Npz, RefusesBombs) {
  const std::string packed = written({{"x", Tensor(DataType::Uint8, {1 << 24})}}, true);
  Limits small;
  small.max_tensor_bytes = 1 << 20;
  expect_refused(packed, "limits", small);
  small = {};
  small.max_bytes = 1 << 20;
  expect_refused(packed, "limits", small);

  const auto patched = [](std::string text, std::size_t at, std::uint32_t value) {
    std::memcpy(text.data() + at, &value, 4);
    return text;
  };
  const std::string one = written({{"x", floats({64}, 1)}}, true);
  const std::size_t central = one.rfind("PK\1\2");
  expect_refused(patched(one, central + 24, 0xfffffff0u), "more than deflate can");
  expect_refused(patched(one, central + 24, 100), "longer than it claims");
  expect_refused(patched(one, central + 24, 1000), "shorter than it claims");
  // Two directory entries for the same bytes.
  std::string twice = written({{"x", floats({64}, 1)}, {"y", floats({64}, 1)}}, true);
  const std::size_t second = twice.rfind("PK\1\2");
  expect_refused(patched(twice, second + 42, 0), "overlap");
}

TEST_F(Npz, RefusesPicklesAndStrangers) {
  std::string text = written({{"x", floats({2}, 1)}}, false);
  const std::size_t at = text.find("'<f4'");
  text.replace(at, 5, "'|O' ");
  expect_refused(text, "checksum");  // and if that were right, read_npy refuses objects
  const Tensor t = floats({2}, 1);
  EXPECT_THROW(written({{"x", t}, {"x", t}}, false), Error);
  EXPECT_THROW(written({{"", t}}, false), Error);
  EXPECT_THROW(written({{std::string("a\0b", 3), t}}, false), Error);
  expect_refused("PK\3\4", "too short");
}

}  // namespace
}  // namespace norn::format
