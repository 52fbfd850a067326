#include "format/external.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
    const auto reader = external_reader((root_ / "model").string());
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
};

TEST_F(External, ReadsRanges) {
  EXPECT_EQ(read({{"location", "sub/w.bin"}}), "0123456789");
  EXPECT_EQ(read({{"location", "./sub//w.bin"}, {"offset", "2"}, {"length", "4"}}), "2345");
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"offset", "10"}}), "");
  EXPECT_EQ(read({{"location", "sub/w.bin"}, {"length", "0"}}), "");
  const auto value = ir::to_value(tensor({{"location", "sub/w.bin"}, {"offset", "6"}}),
                                  external_reader((root_ / "model").string()));
  EXPECT_EQ(value.as<char>()[3], '9');
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
  refused({{"location", "sub"}}, "regular file");
  EXPECT_THROW(external_reader("")(tensor({{"location", "sub/w.bin"}})), Error);
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

}  // namespace
}  // namespace norn::format
