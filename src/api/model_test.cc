// Models are built from bytes by hand: the public API has no way to construct one.
#include "norn/model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "norn/data.h"

namespace norn {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::string varint(std::uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
std::string field(std::uint32_t number, const std::string& payload) {
  return varint(number << 3 | 2) + varint(payload.size()) + payload;
}
std::string field(std::uint32_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }
std::string entry(const std::string& key, const std::string& value) { return field(1, key) + field(2, value); }

std::string value_info(const std::string& name) {
  const std::string shape = field(1, field(2, "N"s)) + field(1, field(1, 4));
  return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)));
}

// y = Relu(Add(x, w)); w is initializer and input, as in IR 3.
std::string model_bytes(bool external) {
  std::string w = field(1, 4) + field(2, 1) + field(8, "w"s);
  w += external ? field(13, entry("location", "data/w.bin")) + field(14, 1) : field(9, std::string(16, '\0'));
  const std::string graph = field(1, field(1, "x"s) + field(1, "w"s) + field(2, "t"s) + field(4, "Add"s)) +
                            field(1, field(1, "t"s) + field(2, "y"s) + field(4, "Relu"s)) + field(2, "g"s) +
                            field(5, w) + field(11, value_info("x")) + field(11, value_info("w")) +
                            field(12, value_info("y"));
  return field(1, 3) + field(2, "maker"s) + field(3, "1.0"s) + field(7, graph) + field(8, field(1, ""s) + field(2, 7)) +
         field(14, entry("k", "v"));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Models : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_model_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(Models, LoadSaveAndParseKeepTheBytes) {
  const std::string bytes = model_bytes(false), path = write("m.onnx", bytes);
  for (bool mmap : {false, true}) {
    LoadOptions options;
    options.mmap = mmap;
    EXPECT_EQ(text_of(Model::load(path, options).serialize()), bytes);
  }
  EXPECT_EQ(text_of(Model::parse(std::as_bytes(std::span(bytes.data(), bytes.size()))).serialize()), bytes);
  const Model model = Model::load(path);
  EXPECT_EQ(model.base_dir(), folder_.string());
  model.save(path);  // over the file that it is mapped from
  EXPECT_EQ(content(path), bytes);
  EXPECT_EQ(text_of(model.serialize()), bytes);
}

TEST_F(Models, NotationsFollowTheExtension) {
  const std::string bytes = model_bytes(false);
  const Model model = Model::load(write("m.onnx", bytes));
  for (const char* name : {"m.json", "m.onnxjson", "m.textproto", "m.txtpb", "m.prototxt", "m.pbtxt"}) {
    const std::string path = (folder_ / name).string();
    model.save(path);
    EXPECT_NE(content(path).find("ir_version"), std::string::npos) << name;
    EXPECT_EQ(text_of(Model::load(path).serialize()), bytes) << name;
  }
  for (const char* name : {"m.onnxtxt", "m.onnxtext"}) {
    const std::string path = (folder_ / name).string();
    model.save(path);
    EXPECT_NE(content(path).find("t = Add (x, w)"), std::string::npos) << name;
    EXPECT_EQ(Model::load(path).to_text(), model.to_text()) << name;
  }
  const std::string odd = (folder_ / "m.bin").string();
  model.save(odd, Format::Json);
  LoadOptions options;
  options.format = Format::Json;
  EXPECT_EQ(text_of(Model::load(odd, options).serialize()), bytes);
  EXPECT_EQ(text_of(Model::parse(model.serialize(Format::ProtoText), Format::ProtoText).serialize()), bytes);
}

TEST_F(Models, ErrorsNameTheFile) {
  const std::string path = write("m.onnx", model_bytes(false).substr(0, 60));
  try {
    Model::load(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
    EXPECT_EQ(e.where().find(path), 0u);
    EXPECT_NE(e.where().find("byte "), std::string::npos);
  }
  EXPECT_THROW(Model::load((folder_ / "none.onnx").string()), Error);
}

TEST_F(Models, SummaryCountsAndReads) {
  const auto s = Model::load(write("m.onnx", model_bytes(false))).summary();
  EXPECT_EQ(s.nodes, 2u);
  EXPECT_EQ(s.parameters, 4u);
  EXPECT_EQ(s.parameter_bytes, 16u);
  EXPECT_EQ(s.producer, "maker 1.0");
  EXPECT_EQ(s.file_bytes, model_bytes(false).size());
  ASSERT_EQ(s.inputs.size(), 1u) << "w has an initializer";
  EXPECT_EQ(s.inputs[0].type, "float[N,4]");
  for (const char* text : {"ai.onnx 7", "2 nodes", "x  float[N,4]", "1 Add", "1 Relu", "k: v", "16 bytes"}) {
    EXPECT_NE(s.to_string().find(text), std::string::npos) << text << "\n" << s.to_string();
  }
  EXPECT_NE(s.to_json().find("\"parameters\": 4"), std::string::npos) << s.to_json();
}

TEST_F(Models, SavingElsewhereTakesExternalDataAlong) {
  const Model model = Model::load(write("a/m.onnx", model_bytes(true)));
  fs::create_directories(folder_ / "b");
  model.save(
      (folder_ / "b" / "early.onnx").string());  // the data file is missing; the document is not the worse for it
  EXPECT_FALSE(fs::exists(folder_ / "b" / "data"));
  write("a/data/w.bin", std::string(16, 'w'));
  model.save((folder_ / "a" / "copy.onnx").string());
  model.save((folder_ / "b" / "m.onnx").string());
  EXPECT_EQ(content(folder_ / "b" / "data" / "w.bin"), std::string(16, 'w'));
  model.save((folder_ / "b" / "again.onnx").string());
  write("b/data/w.bin", "something else");
  EXPECT_THROW(model.save((folder_ / "b" / "m.onnx").string()), Error);
  EXPECT_EQ(content(folder_ / "b" / "data" / "w.bin"), "something else");
}

TEST_F(Models, AFolderIsTheSameHoweverItIsSpelled) {
  write("a/data/w.bin", std::string(16, 'w'));
  const std::string file = write("a/m.onnx", model_bytes(true));
  fs::create_directory_symlink(folder_ / "a", folder_ / "link");
  LoadOptions options;
  options.external_reader = [](const std::string&, std::uint64_t, std::optional<std::uint64_t>) {
    return SharedBytes{};
  };
  const Model model = Model::load(file, options);
  for (const fs::path& folder : {folder_ / "a", folder_ / "." / "a", folder_ / "a" / "..", folder_ / "link"}) {
    SCOPED_TRACE(folder);
    const bool same = fs::equivalent(folder, folder_ / "a");
    if (same)
      EXPECT_NO_THROW(model.save((folder / "n.onnx").string()));
    else
      EXPECT_THROW(model.save((folder / "n.onnx").string()), Error);
  }
  EXPECT_THROW(model.save((folder_ / "nowhere" / "n.onnx").string()), Error);
}

TEST_F(Models, ValuesGoThroughBothFileTypes) {
  Tensor t(DataType::Float, {2, 2});
  for (int i = 0; i < 4; ++i) t.as_mutable<float>()[i] = static_cast<float>(i);
  for (const char* name : {"v.npy", "v.pb"}) {
    const std::string path = (folder_ / name).string();
    save_value(t, path, "v");
    const Value again = load_value(path);
    ASSERT_EQ(again.describe(), "float[2,2]");
    EXPECT_EQ(std::memcmp(again.tensor().data(), t.data(), t.bytes()), 0);
  }
  EXPECT_THROW(save_value(Sequence{}, (folder_ / "s.npy").string()), Error);
  save_value(Sequence{{t, t}}, (folder_ / "s.pb").string());
  EXPECT_EQ(load_value((folder_ / "s.pb").string(), DataKind::Sequence).describe(), "seq of 2");
}

TEST_F(Models, BytesAreLoadedAsFilesAre) {
  const std::string bytes = model_bytes(false);
  const Model model = Model::parse(std::as_bytes(std::span(bytes)));
  for (const Format format : {Format::Binary, Format::OnnxText, Format::Json, Format::ProtoText}) {
    LoadOptions options;
    options.format = format;
    EXPECT_EQ(Model::parse(model.serialize(format), options).to_text(), model.to_text());
  }
  LoadOptions small;
  small.limits.max_nodes = 1;
  EXPECT_THROW(Model::parse(model.serialize(), small), Error);
}

}  // namespace
}  // namespace norn
