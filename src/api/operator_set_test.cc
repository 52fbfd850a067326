#include "norn/opset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "norn/check.h"
#include "norn/error.h"
#include "norn/session.h"

namespace norn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAcme = R"(
magic: "ONNXOPSET"
ir_version: 8
domain: "com.acme.ops"
opset_version: 2
operator { op_type: "Decrypt" since_version: 1 status: STABLE doc_string: "On hardware only." }
functions {
  name: "Twice"
  domain: "com.acme.ops"
  input: "x"
  output: "y"
  opset_import { domain: "" version: 17 }
  node { op_type: "Identity" input: "x" output: "unused" }
  node { op_type: "Add" input: "x" input: "x" output: "y" }
}
)";

constexpr const char* kModel = R"(
ir_version: 8
opset_import { domain: "" version: 17 }
opset_import { domain: "com.acme.ops" version: 2 }
graph {
  name: "main"
  node { op_type: "Twice" domain: "com.acme.ops" input: "a" output: "b" }
  input { name: "a" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } } } } }
  output { name: "b" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } } } } }
}
)";

class OperatorSetTest : public testing::Test {
 protected:
  OperatorSetTest() : folder_(fs::temp_directory_path() / ("norn_operator_set_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~OperatorSetTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  }
  Error refused(const std::string& file) const {
    try {
      OperatorSet::load(file);
    } catch (const Error& e) {
      return e;
    }
    ADD_FAILURE() << "not refused";
    return Error(ErrorCode::Internal, "");
  }

 private:
  fs::path folder_;
};

Model model_of(const std::string& text) { return Model::parse(std::as_bytes(std::span(text)), Format::ProtoText); }

TEST_F(OperatorSetTest, ReadsAndWritesEveryNotation) {
  const OperatorSet set = OperatorSet::load(write("acme.textproto", kAcme));
  EXPECT_EQ(set.domain(), "com.acme.ops");
  EXPECT_EQ(set.version(), 2);
  EXPECT_EQ(set.operators(), (std::vector<std::string>{"Decrypt", "Twice"}));
  for (const char* name : {"a.onnxopset", "a.json", "a.textproto", "a.pb"}) {
    set.save(path(name));
    EXPECT_EQ(OperatorSet::load(path(name)).serialize(), set.serialize()) << name;
  }
  EXPECT_EQ(OperatorSet::parse(set.serialize()).to_string(), set.to_string());
  EXPECT_NE(set.to_string().find("com.acme.ops version 2 (IR 8)"), std::string::npos);
  EXPECT_NE(set.to_string().find("body of 2 nodes"), std::string::npos);
  for (const Format format : {Format::Binary, Format::Json, Format::ProtoText}) {
    const auto bytes = set.serialize(format);
    EXPECT_EQ(OperatorSet::parse(bytes, format).serialize(), set.serialize());
    EXPECT_TRUE(check_operator_set(bytes, format).ok());
    set.save(path("any"), format);
    EXPECT_EQ(std::filesystem::file_size(path("any")), bytes.size());
  }
  EXPECT_THROW(set.save(path("a.onnxtxt")), Error);
  EXPECT_THROW(set.serialize(Format::OnnxText), Error);
}

TEST_F(OperatorSetTest, PageAsJson) {
  const std::string page = OperatorSet::load(write("acme.textproto", kAcme)).to_json();
  for (const char* part : {"\"domain\": \"com.acme.ops\"", "\"name\": \"Decrypt\"", "\"nodes\": 2"}) {
    EXPECT_NE(page.find(part), std::string::npos) << page;
  }
}

TEST_F(OperatorSetTest, FunctionsRun) {
  SessionOptions options;
  options.operator_sets.push_back(OperatorSet::load(write("acme.textproto", kAcme)));
  const Model model = model_of(kModel);
  EXPECT_THROW(Session(model, {}), Error);
  const Session session(model, options);
  Tensor a(DataType::Float, {3});
  for (int i = 0; i < 3; ++i) a.as_mutable<float>()[i] = 1.5f * static_cast<float>(i);
  const auto outputs = session.run({{"a", a}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outputs[0].tensor().as<float>()[i], 3.0f * static_cast<float>(i));
}

// A later version of one of ONNX's own sets.
TEST_F(OperatorSetTest, OperatorsOfAKnownDomain) {
  std::string later = replaced(kAcme, "domain: \"com.acme.ops\"\nopset_version: 2", "domain: \"\"\nopset_version: 40");
  later = replaced(later, "  domain: \"com.acme.ops\"\n", "  domain: \"\"\n");
  const OperatorSet set = OperatorSet::load(write("later.textproto", later));
  const Model model = model_of(replaced(replaced(kModel, " domain: \"com.acme.ops\" input", " input"),
                                        "domain: \"\" version: 17", "domain: \"\" version: 40"));
  const auto knows = [&](const CheckOptions& options) {
    return check(model, options).to_string().find("op.declared") == std::string::npos;
  };
  CheckOptions check_options;
  EXPECT_FALSE(knows(check_options));
  check_options.operator_sets.push_back(set);
  EXPECT_TRUE(knows(check_options)) << check(model, check_options).to_string();
}

TEST_F(OperatorSetTest, DeclaredOperatorsDoNot) {
  SessionOptions options;
  options.operator_sets.push_back(OperatorSet::load(write("acme.textproto", kAcme)));
  try {
    Session session(model_of(replaced(kModel, "Twice", "Decrypt")), options);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::NotImplemented);
    EXPECT_NE(e.message().find("without a body"), std::string::npos) << e.what();
  }
}

TEST_F(OperatorSetTest, DocumentsThatDisagree) {
  SessionOptions options;
  options.operator_sets.push_back(OperatorSet::load(write("a.textproto", kAcme)));
  options.operator_sets.push_back(OperatorSet::load(write("b.textproto", replaced(kAcme, "hardware", "paper"))));
  EXPECT_FALSE(check_operator_sets(options.operator_sets).ok());
  try {
    Session session(model_of(kModel), options);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("opsetdoc.domain.unique"), std::string::npos) << e.what();
  }
}

TEST_F(OperatorSetTest, RefusesWhatIsNone) {
  EXPECT_EQ(refused(write("empty", "")).code(), ErrorCode::InvalidProtobuf);
  EXPECT_EQ(refused(write("text", "magic: \"ONNXOPSET\"")).code(), ErrorCode::InvalidProtobuf);
  const auto bytes = model_of(kModel).serialize();
  EXPECT_EQ(refused(write("model.onnx", {reinterpret_cast<const char*>(bytes.data()), bytes.size()})).code(),
            ErrorCode::InvalidProtobuf);
  EXPECT_NE(refused(path("model.onnx")).message().find("this is a model"), std::string::npos);
  EXPECT_EQ(refused(write("m.textproto", replaced(kAcme, "ONNXOPSET", "ONNX"))).code(), ErrorCode::InvalidProtobuf);
  EXPECT_EQ(refused(path("nowhere")).code(), ErrorCode::NoSuchFile);
}

TEST_F(OperatorSetTest, NamesTheRule) {
  const std::string file = write("late.textproto", replaced(kAcme, "since_version: 1", "since_version: 9"));
  const Error error = refused(file);
  EXPECT_EQ(error.code(), ErrorCode::InvalidGraph);
  EXPECT_NE(error.message().find("opsetdoc.since-bound"), std::string::npos);
  const Report report = check_operator_set(file);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].rule, "opsetdoc.since-bound");
  EXPECT_EQ(report.path, file);
  const auto sound = OperatorSet::load(write("sound.textproto", kAcme));
  EXPECT_TRUE(check_operator_set(sound).diagnostics.empty());
}

TEST_F(OperatorSetTest, BuiltIn) {
  const auto has = [](const OperatorSet& set, const char* name) {
    const auto names = set.operators();
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const OperatorSet six = OperatorSet::built_in("ai.onnx", 6), newest = OperatorSet::built_in("", 28);
  EXPECT_TRUE(has(six, "Conv") && has(six, "Upsample") && !has(six, "Resize"));
  EXPECT_TRUE(has(newest, "Resize") && !has(newest, "Upsample"));  // deprecated
  EXPECT_EQ(newest.domain(), "");
  EXPECT_EQ(OperatorSet::built_in("ai.onnx.ml", 5).domain(), "ai.onnx.ml");
  const std::pair<const char*, int> domains[] = {
      {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}};
  for (const auto& [domain, last] : domains) {
    std::vector<OperatorSet> all;
    for (std::int64_t version = 1; version <= last; ++version) {
      const OperatorSet set = OperatorSet::built_in(domain, version);
      EXPECT_EQ(OperatorSet::parse(set.serialize()).operators(), set.operators());  // sound by its own rules
      all.push_back(set);
    }
    EXPECT_TRUE(check_operator_sets(all).ok()) << check_operator_sets(all).to_string();
  }
  EXPECT_EQ(newest_opset_version(), 28);
  EXPECT_EQ(newest_opset_version("ai.onnx.ml"), 5);
  EXPECT_EQ(newest_opset_version("com.acme"), 0);
  EXPECT_THROW(OperatorSet::built_in("", 29), Error);
  EXPECT_THROW(OperatorSet::built_in("", 0), Error);
  EXPECT_THROW(OperatorSet::built_in("com.acme", 1), Error);
}

}  // namespace
}  // namespace norn
