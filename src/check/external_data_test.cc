// Locations as an attacker writes them, and files that do not hold what the model says.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "check/area_test.h"
#include "format/external.h"

namespace norn::checks {
namespace {

namespace fs = std::filesystem;

class ExternalData : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "norn-check-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = name;
    model_ = top_ / "model";
    fs::create_directories(model_ / "data");
    write(model_ / "w.bin", 8192);
    write(model_ / "data" / "v.bin", 8);
    write(top_ / "secret", 8);
  }
  void TearDown() override { fs::remove_all(top_); }

  static void write(const fs::path& path, std::size_t bytes) {
    std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
  }

  // Two floats of the file.
  static ir::Tensor tensor(std::vector<std::pair<std::string, std::string>> entries, std::int64_t elements = 2) {
    ir::Tensor t;
    t.data_type = 1;
    t.dims = {elements};
    t.data_location = ir::kDataLocationExternal;
    for (auto& [key, value] : entries) {
      auto& entry = t.external_data.emplace_back();
      entry.key = std::move(key);
      entry.value = std::move(value);
    }
    return t;
  }
  static ir::Tensor at(const std::string& location) { return tensor({{"location", location}, {"length", "8"}}); }

  Report check(const ir::Tensor& t, const CheckOptions& options = {}, std::int64_t ir_version = 14,
               const LoadOptions& loaded = {}) const {
    return run_area([&](Context& ctx, const Place& p) { check_tensor(ctx, p, t, TensorUse::Initializer); }, ir_version,
                    options, model_.string(), loaded);
  }
  static Report check_without_folder(const ir::Tensor& t) {
    return run_area([&](Context& ctx, const Place& p) { check_tensor(ctx, p, t, TensorUse::Initializer); });
  }

  fs::path top_, model_;
};

TEST_F(ExternalData, SoundOnes) {
  expect_kept(check(at("w.bin")),
              {"ext.location-enum", "ext.location.required", "ext.location.nonempty", "ext.location.regular-file",
               "ext.location.no-hardlink", "ext.no-value-fields", "ext.not-string"});
  expect_kept(check(at("data/v.bin")), {"ext.location.relative", "ext.location.no-symlink"});
  expect_only(check(at("./data//v.bin")), "");
  for (const char* name : {"..v.bin", "v..bin", "gr\xc3\xb6\xc3\x9f.bin", "data/..v", "C:"}) {
    write(model_ / name, 8);
    expect_kept(check(at(name)), {"ext.location.no-dotdot", "ext.location.posix", "ext.location.relative"});
  }
  expect_kept(check(tensor({{"location", "data/v.bin"}})), {"ext.length.matches-shape"});
  expect_kept(check(tensor({{"location", "w.bin"}, {"offset", "4096"}, {"length", "8"}, {"basepath", "/x"}})),
              {"ext.offset.integer", "ext.offset.aligned", "ext.offset.in-file", "ext.length.integer",
               "ext.length.in-file", "ext.length.matches-shape", "ext.keys-known", "ext.keys-unique"});
  expect_kept(check(tensor({{"location", "w.bin"}, {"offset", "8192"}, {"length", "0"}}, 0)),  // the file's end
              {"ext.offset.in-file", "ext.length.in-file", "ext.length.matches-shape"});
  expect_only(check_without_folder(at("anything.bin")), "");
}

TEST_F(ExternalData, EachRuleAlone) {
  fs::create_symlink("w.bin", model_ / "link.bin");
  fs::create_symlink(top_ / "secret", model_ / "out.bin");
  fs::create_directory_symlink("data", model_ / "folder");
  fs::create_hard_link(top_ / "secret", model_ / "hard.bin");
  ASSERT_EQ(::mkfifo((model_ / "pipe").c_str(), 0600), 0);
  const struct {
    const char* rule;
    ir::Tensor tensor;
  } cases[] = {
      {"ext.location.required", tensor({{"length", "8"}})},
      {"ext.location.nonempty", at("")},
      {"ext.location.relative", at("/etc/passwd")},
      {"ext.location.relative", at("C:/data.bin")},
      {"ext.location.no-dotdot", at("../secret")},
      {"ext.location.no-dotdot", at("data/../../secret")},
      {"ext.location.no-dotdot", at("data/..")},
      {"ext.location.posix", at("data\\v.bin")},
      {"ext.location.posix", at(std::string("w.bin\0.png", 10))},
      {"ext.location.posix", at("\xff.bin")},
      {"ext.location.regular-file", at("missing.bin")},
      {"ext.location.regular-file", at("w.bin/inside")},
      {"ext.location.regular-file", at("data")},
      {"ext.location.regular-file", at("pipe")},
      {"ext.location.no-symlink", at("link.bin")},
      {"ext.location.no-symlink", at("out.bin")},
      {"ext.location.no-symlink", at("folder/v.bin")},
      {"ext.location.no-hardlink", at("hard.bin")},
      {"ext.keys-known", tensor({{"location", "w.bin"}, {"length", "8"}, {"foo", "1"}})},
      {"ext.keys-known", tensor({{"location", "w.bin"}, {"length", "8"}, {"__class__", "1"}})},
      {"ext.keys-unique", tensor({{"location", "w.bin"}, {"length", "8"}, {"location", "data/v.bin"}})},
      {"ext.offset.integer", tensor({{"location", "w.bin"}, {"offset", "-1"}, {"length", "8"}})},
      {"ext.offset.integer", tensor({{"location", "w.bin"}, {"offset", "0x10"}, {"length", "8"}})},
      {"ext.offset.integer", tensor({{"location", "w.bin"}, {"offset", ""}, {"length", "8"}})},
      {"ext.offset.integer", tensor({{"location", "w.bin"}, {"offset", "18446744073709551616"}, {"length", "8"}})},
      {"ext.offset.integer", tensor({{"location", "w.bin"}, {"offset", "9223372036854775808"}, {"length", "8"}})},
      {"ext.offset.aligned", tensor({{"location", "w.bin"}, {"offset", "10"}, {"length", "8"}})},
      {"ext.offset.in-file", tensor({{"location", "w.bin"}, {"offset", "12288"}, {"length", "8"}})},
      {"ext.offset.in-file", tensor({{"location", "w.bin"}, {"offset", "9223372036854771712"}, {"length", "8"}})},
      {"ext.length.integer", tensor({{"location", "w.bin"}, {"length", "-8"}})},
      {"ext.length.integer", tensor({{"location", "w.bin"}, {"length", "8 "}})},
      {"ext.length.matches-shape", tensor({{"location", "w.bin"}, {"length", "4"}})},
      {"ext.length.matches-shape", tensor({{"location", "w.bin"}})},
      {"ext.checksum", tensor({{"location", "w.bin"}, {"length", "8"}, {"checksum", "abc"}})},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    expect_only(check(c.tensor), c.rule);
  }
}

TEST_F(ExternalData, TensorAndFileHaveToAgree) {
  ir::Tensor big = tensor({{"location", "w.bin"}, {"length", "400"}});
  big.dims = {100};
  expect_only(check(big), "");
  big.external_data[0].value = std::string("data/v.bin");
  expect_only(check(big), "ext.length.in-file");

  ir::Tensor both = at("w.bin");
  both.float_data = std::vector<float>{1, 2};
  expect_only(check(both), "ext.no-value-fields");

  ir::Tensor text = at("w.bin");
  text.data_type = 8;
  expect_only(check(text), "ext.not-string");

  ir::Tensor nowhere = at("w.bin");
  nowhere.data_location = 5;
  nowhere.float_data = std::vector<float>{1, 2};
  expect_only(check(nowhere), "ext.location-enum");

  ir::Tensor packed = tensor({{"location", "w.bin"}, {"length", "2"}});
  packed.data_type = 22;
  packed.dims = {3};
  expect_only(check(packed), "");

  ir::Tensor huge = tensor({{"location", "w.bin"}, {"length", "8"}});
  huge.data_type = 15;
  huge.dims = {std::int64_t{1} << 62};
  expect_only(check(huge), "ext.length.matches-shape");
}

TEST_F(ExternalData, ChecksumsAreComparedOnRequest) {
  std::string right = format::sha1(std::as_bytes(std::span(std::string_view("xxxxxxxx"))));
  const ir::Tensor good = tensor({{"location", "data/v.bin"}, {"checksum", right}});
  expect_kept(check(good, {.checksums = true}), {"ext.checksum"});
  for (char& c : right) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  expect_only(check(tensor({{"location", "data/v.bin"}, {"checksum", right}}), {.checksums = true}), "");
  right[0] = right[0] == '0' ? '1' : '0';
  const ir::Tensor wrong = tensor({{"location", "data/v.bin"}, {"checksum", right}});
  expect_only(check(wrong), "");
  expect_only(check(wrong, {.checksums = true}), "ext.checksum");
  expect_only(check(wrong, {}, 14, {.external_checksums = true}), "ext.checksum");
}

// A callback is asked for all of a location, once.
TEST_F(ExternalData, ChecksumsOfWhatACallbackGives) {
  static constexpr std::string_view kContent = "yyyyyyyyyyyyyyyy";
  const auto content = std::as_bytes(std::span(kContent));
  std::vector<std::string> asked;
  LoadOptions loaded;
  loaded.external_reader = [&](const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length) {
    EXPECT_EQ(offset, 0u);
    EXPECT_FALSE(length.has_value());
    asked.push_back(location);
    if (location == "nowhere") throw Error(ErrorCode::NoSuchFile, "there is nothing here");
    return SharedBytes{.bytes = content, .owner = {}};
  };
  const auto of = [&](const char* location, const std::string& sha1) {
    return tensor({{"location", location}, {"offset", "8"}, {"length", "8"}, {"checksum", sha1}});
  };
  const std::string right = format::sha1(content), wrong(40, '0');
  const auto check_all = [&](const std::vector<ir::Tensor>& tensors, const CheckOptions& options) {
    asked.clear();
    Report report = run_area(
        [&](Context& ctx, const Place& p) {
          for (std::size_t i = 0; i < tensors.size(); ++i) {
            check_tensor(ctx, p.at("initializer", static_cast<std::int64_t>(i)), tensors[i], TensorUse::Initializer);
          }
        },
        14, options, model_.string(), loaded);
    std::erase_if(report.diagnostics, [](const Diagnostic& d) { return d.severity != Severity::Error; });
    return report;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(rules_of(check_all({of("a", right), of("a", wrong), of("b", right)}, {.checksums = true})),
            Texts{"ext.checksum"});
  EXPECT_EQ(asked, (Texts{"a", "b"}));
  EXPECT_EQ(rules_of(check_all({of("nowhere", right), of("nowhere", right)}, {.checksums = true})),
            Texts{"ext.location.regular-file"});
  EXPECT_EQ(asked, Texts{"nowhere"});
  EXPECT_EQ(rules_of(check_all({of("a", wrong)}, {})), Texts{});
  EXPECT_EQ(asked, Texts{});
}

TEST_F(ExternalData, AFilesFaultIsToldOnce) {
  const Report report = run_area(
      [&](Context& ctx, const Place& p) {
        const ir::Tensor missing = at("missing.bin");
        for (int i = 0; i < 10; ++i) check_tensor(ctx, p.at("initializer", i), missing, TensorUse::Initializer);
        const ir::Tensor crooked = tensor({{"location", "w.bin"}, {"offset", "12"}, {"length", "8"}});
        for (int i = 0; i < 10; ++i) check_tensor(ctx, p.at("initializer", i), crooked, TensorUse::Initializer);
      },
      14, {}, model_.string());
  EXPECT_EQ(rules_of(report), (std::vector<std::string>{"ext.location.regular-file", "ext.offset.aligned"}));
}

TEST_F(ExternalData, WhatTheLoaderAllowsIsNoFault) {
  fs::create_directories(top_ / "weights");
  write(top_ / "weights" / "w2.bin", 8);
  fs::create_symlink(top_ / "weights" / "w2.bin", model_ / "link.bin");
  fs::create_hard_link(model_ / "w.bin", model_ / "twin.bin");
  expect_only(check(at("link.bin")), "ext.location.no-symlink");
  expect_only(check(at("link.bin"), {}, 14, {.external_roots = {(top_ / "weights").string()}}), "");
  expect_only(check(at("link.bin"), {}, 14, {.external_roots = {(top_ / "model" / "data").string()}}),
              "ext.location.no-symlink");
  expect_only(check(at("link.bin"), {}, 14, {.external = ExternalPolicy::HfCache}), "ext.location.no-symlink");
  fs::create_directory_symlink(model_ / "data", model_ / "folder");
  expect_only(check(at("folder"), {}, 14, {.external = ExternalPolicy::HfCache}), "ext.location.regular-file");
  expect_only(check(at("w2.bin"), {}, 14, {.external_roots = {(top_ / "weights").string()}}), "");
  expect_only(check(at("twin.bin")), "ext.location.no-hardlink");
  expect_only(check(at("twin.bin"), {}, 14, {.external_hard_links = true}), "");
  // Nothing is looked for in files when a callback gives the bytes.
  expect_only(check(at("nowhere.bin"), {}, 14, {.external_reader = [](auto&&...) { return SharedBytes(); }}), "");
}

TEST_F(ExternalData, AFileLargerThanTheLimitEndsTheCheck) {
  CheckOptions options;
  options.limits.max_bytes = 100;
  try {
    check(at("w.bin"), options);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::LimitExceeded);
  }
}

TEST_F(ExternalData, OtherLocationsOfAnEmbeddedTensorAreOfNoConcern) {
  ir::Tensor t = at("/etc/passwd");
  t.data_location = ir::kDataLocationDefault;
  t.float_data = std::vector<float>{1, 2};
  expect_only(check(t), "");
}

}  // namespace
}  // namespace norn::checks
