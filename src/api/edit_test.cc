#include "norn/edit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/mapped_file.h"
#include "format/external.h"
#include "format/wire.h"
#include "ir/walk.h"
#include "norn/external.h"

namespace norn {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Edit : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "norn_edit_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  static ir::Tensor raw(const std::string& name, std::size_t bytes, char fill) {
    ir::Tensor t;
    t.name = name;
    t.data_type = static_cast<std::int32_t>(DataType::Uint8);
    t.dims = {static_cast<std::int64_t>(bytes)};
    t.raw_data = ir::bytes_of(std::string(bytes, fill));
    return t;
  }
  // Tensors of every kind in every place, and unknown fields.
  static ir::Model model() {
    ir::Model m;
    m.ir_version = 10;
    m.opset_import.emplace_back().version = 21;
    m.unknown = ir::bytes_of(std::string("\xfa\x3f\x02hi", 5));
    auto& g = m.graph.mut();
    g.name = "main";
    g.initializer = {raw("big", 5000, 'b'), raw("small", 10, 's'), raw("big2", 6000, 'c')};
    ir::Tensor typed;
    typed.name = "typed";
    typed.data_type = static_cast<std::int32_t>(DataType::Float);
    typed.dims = {1000};
    typed.float_data = std::vector<float>(1000, 1.5f);
    ir::Tensor text;
    text.name = "text";
    text.data_type = static_cast<std::int32_t>(DataType::String);
    text.dims = {2000};
    text.string_data.mut_value().assign(2000, ir::bytes_of("x"));
    g.initializer.push_back(typed);
    g.initializer.push_back(text);
    auto& sparse = g.sparse_initializer.emplace_back();
    sparse.values = raw("sparse", 3000, 'v');
    auto& node = g.node.emplace_back();
    node.op_type = "Constant";
    auto& a = node.attribute.emplace_back();
    a.name = "value";
    a.type = static_cast<std::int32_t>(ir::AttributeType::Tensor);
    a.t = raw("constant", 4000, 'k');
    auto& branch = node.attribute.emplace_back();
    branch.name = "body";
    branch.g.mut().initializer = {raw("inner", 2000, 'i')};
    return m;
  }
  std::string path(const char* name) const { return (root_ / name).string(); }
  std::string save(const ir::Model& m, const char* name = "in.onnx") {
    const auto bytes = format::write_message(m);
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  static ir::Model read(const std::string& file) {
    const auto bytes = base::read_file(file, {}, false);
    return format::read_model(ir::Bytes(bytes.bytes.data(), bytes.bytes.size(), bytes.owner));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(root_)) list.push_back(entry.path().filename());
    std::sort(list.begin(), list.end());
    return list;
  }

  fs::path root_;
};

TEST_F(Edit, UnpackAndPackReturnTheSameBytes) {
  ir::Model m = model();
  m.graph->initializer.erase(m.graph->initializer.begin() + 3);  // numbers in typed fields come back as raw_data
  const std::string in = save(m), out = path("out.onnx"), back = path("back.onnx");
  unpack(in, out);
  EXPECT_EQ(names(), (std::vector<std::string>{"in.onnx", "out.onnx", "out.onnx.data"}));
  std::vector<std::string> outside;
  const ir::Model unpacked = read(out);
  ir::for_each_tensor(unpacked, [&](const ir::Tensor& t) {
    if (t.data_location != ir::kDataLocationExternal) return;
    outside.push_back(t.name);
    EXPECT_EQ(format::parse_external(t).offset % 4096, 0u);
    EXPECT_FALSE(t.raw_data.has());
  });
  EXPECT_EQ(outside, (std::vector<std::string>{"big", "big2", "constant", "inner"}));
  pack(out, back);
  EXPECT_EQ(content(back), content(in));
}

TEST_F(Edit, TypedFieldsMoveToo) {
  const std::string in = save(model()), out = path("out.onnx");
  unpack(in, out);
  const ir::Model m = read(out);
  const ir::Tensor& typed = m.graph->initializer[3];
  EXPECT_TRUE(typed.float_data.empty());
  const auto value = ir::to_value(typed, format::external_reader(root_.string()));
  EXPECT_EQ(value.as<float>()[999], 1.5f);
  EXPECT_EQ(m.graph->initializer[4].string_data.size(), 2000u);
}

TEST_F(Edit, InPlace) {
  const std::string in = save(model());
  const std::string before = content(in);
  pack(in, in);
  EXPECT_EQ(content(in), before);
  unpack(in, in);
  EXPECT_EQ(names(), (std::vector<std::string>{"in.onnx", "in.onnx.data"}));
  const std::string data = content(root_ / "in.onnx.data");
  save(read(in), "other.onnx");  // refers to the same data file
  UnpackOptions options;
  options.alignment = 64;
  unpack(in, in, options);
  EXPECT_EQ(names(), (std::vector<std::string>{"in.onnx", "in.onnx-2.data", "in.onnx.data", "other.onnx"}));
  EXPECT_EQ(content(root_ / "in.onnx.data"), data);
  pack(in, in);
  pack(path("other.onnx"), path("other.onnx"));
  EXPECT_EQ(content(in), content(root_ / "other.onnx"));
  strip(in, in);
  EXPECT_LT(fs::file_size(in), 1000u);
}

TEST_F(Edit, NeverWritesOverOtherData) {
  const std::string in = save(model());
  std::ofstream(path("w.bin")) << "of another model";
  UnpackOptions options;
  options.location = "w.bin";
  EXPECT_THROW(unpack(in, path("out.onnx"), options), Error);
  EXPECT_EQ(names(), (std::vector<std::string>{"in.onnx", "w.bin"}));
  EXPECT_EQ(content(root_ / "w.bin"), "of another model");
  fs::remove(root_ / "w.bin");
  unpack(in, path("out.onnx"), options);
  unpack(in, path("again.onnx"), options);  // the same bytes are shared
  EXPECT_EQ(names(), (std::vector<std::string>{"again.onnx", "in.onnx", "out.onnx", "w.bin"}));
  for (const char* location : {"../w", "/tmp/w", "a\\b"}) {
    options.location = location;
    EXPECT_THROW(unpack(in, path("out.onnx"), options), Error) << location;
  }
  options = {};
  options.alignment = 48;
  EXPECT_THROW(unpack(in, path("out.onnx"), options), Error);
}

TEST_F(Edit, SeveralFilesWithChecksums) {
  const std::string in = save(model()), out = path("out.onnx");
  UnpackOptions options;
  options.location = "data/w.bin";
  options.max_file_bytes = 10000;
  options.checksums = true;
  unpack(in, out, options);
  EXPECT_TRUE(fs::exists(root_ / "data" / "w-2.bin"));
  for (const auto& entry : fs::directory_iterator(root_ / "data")) EXPECT_LE(entry.file_size(), 10000u);
  LoadOptions load;
  load.external_checksums = true;
  pack(out, path("back.onnx"), {}, load);
  std::fstream file(root_ / "data" / "w.bin", std::ios::in | std::ios::out | std::ios::binary);
  file.put('!');
  file.close();
  EXPECT_THROW(pack(out, path("back.onnx"), {}, load), Error);
  EXPECT_NO_THROW(pack(out, path("back.onnx")));
}

TEST_F(Edit, StripKeepsTheStructure) {
  const std::string in = save(model()), out = path("out.onnx");
  strip(in, out);
  ir::Model before = read(in);
  const ir::Model after = read(out);
  std::size_t tensors = 0;
  ir::for_each_tensor(after, [&](const ir::Tensor& t) {
    ++tensors;
    EXPECT_FALSE(t.raw_data.has());
    EXPECT_TRUE(t.float_data.empty() && t.string_data.empty() && t.external_data.empty());
    EXPECT_FALSE(t.dims.empty());
  });
  EXPECT_EQ(tensors, 8u);
  EXPECT_EQ(after.graph->node.size(), before.graph->node.size());
  EXPECT_EQ(ir::as_text(after.unknown), ir::as_text(before.unknown));
}

TEST_F(Edit, OldModelsHaveNoExternalData) {
  ir::Model m = model();
  m.ir_version = 3;
  EXPECT_THROW(unpack(save(m), path("out.onnx")), Error);
}

TEST_F(Edit, UntrustedLocationsAreRefused) {
  ir::Model m = model();
  std::ofstream(root_ / "secret") << std::string(5000, '!');
  fs::create_directories(root_ / "sub");
  auto& t = m.graph->initializer[0];
  t.raw_data.clear();
  t.data_location = ir::kDataLocationExternal;
  auto& e = t.external_data.emplace_back();
  e.key = "location";
  const auto refused = [&](const std::string& location) {
    e.value = location;
    save(m, "sub/m.onnx");
    EXPECT_THROW(pack(path("sub/m.onnx"), path("sub/out.onnx")), Error) << location;
    EXPECT_THROW(unpack(path("sub/m.onnx"), path("sub/out.onnx")), Error) << location;
  };
  refused("../secret");
  refused(path("secret"));
  fs::create_symlink("../secret", root_ / "sub" / "link");
  refused("link");
  fs::create_hard_link(root_ / "secret", root_ / "sub" / "twin");
  refused("twin");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "sub"), {}), 3);  // nothing half-written stays
}

// Bytes of memory that this process held at most since the last call.
std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::uint64_t peak = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) peak = std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak;
}

TEST_F(Edit, LargerThanMemoryShouldBe) {
  constexpr std::uint64_t kSize = std::uint64_t{6} << 30, kHalf = kSize / 2;
  std::ofstream(path("w.bin")) << "";
  fs::resize_file(path("w.bin"), kSize);  // sparse
  {
    std::fstream file(path("w.bin"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(kHalf);
    file << "middle";
  }
  ir::Model m = model();
  for (int i = 0; i < 2; ++i) {
    ir::Tensor t;
    t.name = "huge" + std::to_string(i);
    t.data_type = static_cast<std::int32_t>(DataType::Uint8);
    t.dims = {static_cast<std::int64_t>(kHalf)};
    t.data_location = ir::kDataLocationExternal;
    const std::pair<const char*, std::string> entries[] = {{"location", "w.bin"},
                                                           {"offset", std::to_string(kHalf * static_cast<unsigned>(i))},
                                                           {"length", std::to_string(kHalf)}};
    for (const auto& [key, value] : entries) {
      auto& e = t.external_data.emplace_back();
      e.key = key, e.value = value;
    }
    m.graph->initializer.push_back(t);
  }
  const std::string in = save(m);
  peak_memory();
  const std::uint64_t before = peak_memory();  // what other tests left, which sanitizers keep for a while
  const auto expect_little_memory = [&](const char* what) {
    const std::uint64_t peak = peak_memory();
    EXPECT_GT(peak, 0u);
    EXPECT_LT(peak, before + (std::uint64_t{200} << 20)) << what;
  };
  EXPECT_THROW(pack(in, path("packed.onnx")), Error);  // 2 GiB
  EXPECT_FALSE(fs::exists(path("packed.onnx")));
  PackOptions options;
  options.allow_over_2gib = true;
  pack(in, path("packed.onnx"), options);
  expect_little_memory("pack");
  EXPECT_GT(fs::file_size(path("packed.onnx")), kSize);
  unpack(path("packed.onnx"), path("unpacked.onnx"));
  expect_little_memory("unpack");
  strip(path("packed.onnx"), path("stripped.onnx"));
  expect_little_memory("strip");
  EXPECT_LT(fs::file_size(path("stripped.onnx")), 2000u);
  const auto reader = format::external_reader(root_.string());
  const ir::Model unpacked = read(path("unpacked.onnx"));
  const ir::Bytes middle = reader(unpacked.graph->initializer[6]);
  EXPECT_EQ(middle.size(), kHalf);
  EXPECT_EQ(ir::as_text(middle).substr(0, 8), std::string_view("middle\0\0", 8));
  expect_little_memory("read");
}

// A file for each tensor, and more of them than a process may have open.
TEST_F(Edit, MoreDataFilesThanDescriptors) {
  ir::Model m = model();
  for (int i = 0; i < 300; ++i) m.graph->initializer.push_back(raw("w" + std::to_string(i), 100, static_cast<char>(i)));
  const std::string in = save(m);
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  UnpackOptions options{.location = "sub/w.bin"};
  options.threshold = 50;
  options.max_file_bytes = 1;
  options.checksums = true;
  EXPECT_NO_THROW(unpack(in, path("out.onnx"), options));
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_GT(std::distance(fs::directory_iterator(root_ / "sub"), {}), 300);
  LoadOptions checked;
  checked.external_checksums = true;
  pack(path("out.onnx"), path("back.onnx"), {}, checked);
  EXPECT_EQ(read(path("back.onnx")).graph->initializer.back().raw_data.get().size(), 100u);
}

// The model would be renamed over the only copy of its weights.
TEST_F(Edit, AModelIsNotWrittenOverItsData) {
  const std::string in = save(model());
  const auto refused = [&](auto&& write) {
    const auto before = names();
    EXPECT_THROW(write(), Error);
    EXPECT_EQ(names(), before);
  };
  for (const char* location : {"n.onnx", "./n.onnx"}) {
    refused([&] { unpack(in, path("n.onnx"), {.location = location}); });
    refused([&] { unpack(Model::load(in), path("n.onnx"), {.location = location}); });
  }
  refused([&] { unpack(in, path("c-2.data"), {.location = "c.data", .max_file_bytes = 1}); });

  unpack(in, path("v.onnx"), {.location = "v.data"});
  const std::string data = content(root_ / "v.data");
  const std::string v = path("v.onnx"), over = path("v.data"), linked = path("link");
  fs::create_symlink("v.data", linked);
  fs::create_directory(root_ / "other");
  for (const std::string& out : {over, linked}) {
    refused([&] { Model::load(v).save(out, Format::Binary); });
    refused([&] { pack(v, out); });
    refused([&] { strip(v, out); });
    refused([&] { unpack(v, out, {.location = "again.data"}); });
    EXPECT_EQ(content(root_ / "v.data"), data);
  }
  EXPECT_THROW(Model::load(v).save((root_ / "other" / "v.data").string(), Format::Binary), Error);
  EXPECT_FALSE(fs::exists(root_ / "other" / "v.data"));
  Model::load(v).save(path("w.onnx"));
  EXPECT_EQ(content(path("w.onnx")), content(v));
}

int permissions(const std::string& path) { return static_cast<int>(fs::status(path).permissions()); }

TEST_F(Edit, DataIsForThoseWhoMayReadTheModel) {
  const mode_t old = ::umask(022);
  UnpackOptions options;
  options.location = "w.data";
  options.max_file_bytes = 1;
  const std::string m = save(model(), "m.onnx"), copy = path("copy.onnx");
  ASSERT_EQ(::chmod(m.c_str(), 0600), 0);
  unpack(m, copy, options);
  EXPECT_EQ(permissions(path("w.data")), 0600);  // though the new model is as the process makes files
  EXPECT_EQ(permissions(path("w-2.data")), 0600);
  options.location = "v.data";
  unpack(m, m, options);
  EXPECT_EQ(permissions(m), 0600);
  EXPECT_EQ(permissions(path("v.data")), 0600);
  // A model for everybody whose tensors are not.
  ASSERT_EQ(::chmod(m.c_str(), 0644), 0);
  options.location = "u.data";
  unpack(m, m, options);
  EXPECT_EQ(permissions(path("u.data")), 0600);
  const std::string open = save(model(), "open.onnx");
  options.location = "o.data";
  unpack(open, path("o.onnx"), options);
  EXPECT_EQ(permissions(path("o.data")), 0644);
  // In place it is the model that says it, not the process.
  ::umask(077);
  options.location = "p.data";
  unpack(open, open, options);
  EXPECT_EQ(permissions(path("p.data")), 0644);
  options.location = "q.data";
  unpack(Model::load(save(model(), "fresh.onnx")), path("q.onnx"), options);
  EXPECT_EQ(permissions(path("q.data")), 0600);
  ::umask(old);
}

// The onnx package looks for external data in neither.
TEST_F(Edit, WhatFewLookForOutsideStaysInside) {
  ir::Model m = model();
  m.training_info.emplace_back().initialization.mut().initializer = {raw("state", 3000, 't')};
  m.training_info.back().algorithm.mut().initializer = {raw("step", 3000, 'a')};
  auto& f = m.functions.emplace_back();
  f.name = "f";
  f.attribute_proto.emplace_back().t = raw("default", 3000, 'd');
  auto& a = f.node.emplace_back().attribute.emplace_back();
  a.t = raw("of a node", 3000, 'n');
  auto& body = f.node.emplace_back().attribute.emplace_back().g.mut();
  body.initializer = {raw("of a body", 3000, 'b')};
  body.node.emplace_back().attribute.emplace_back().t = raw("of its node", 3000, 'o');
  const std::string in = save(m), out = path("out.onnx");
  unpack(in, out);
  const ir::Model after = read(out);
  EXPECT_EQ(after.training_info[0].initialization->initializer[0].raw_data.get().size(), 3000u);
  EXPECT_EQ(after.training_info[0].algorithm->initializer[0].raw_data.get().size(), 3000u);
  EXPECT_EQ(after.functions[0].attribute_proto[0].t->raw_data.get().size(), 3000u);
  EXPECT_EQ(after.functions[0].node[0].attribute[0].t->data_location, ir::kDataLocationExternal);
  const ir::Graph& inner = *after.functions[0].node[1].attribute[0].g;
  EXPECT_EQ(inner.initializer[0].raw_data.get().size(), 3000u);
  EXPECT_EQ(inner.node[0].attribute[0].t->data_location, ir::kDataLocationExternal);
  EXPECT_EQ(after.graph->initializer[0].data_location, ir::kDataLocationExternal);
}

TEST_F(Edit, FurtherFoldersHoldItsDataToo) {
  fs::create_directories(root_ / "data");
  UnpackOptions options;
  options.location = "w.data";
  unpack(save(model()), path("data/m.onnx"), options);
  const std::string data = path("data/w.data"), before = content(data), bytes = content(path("data/m.onnx"));
  LoadOptions loading;
  loading.external_roots = {(root_ / "data").string()};
  const Model m = Model::parse(std::as_bytes(std::span(bytes)), loading);
  const std::string apart = path("apart.onnx");
  fs::copy_file(path("data/m.onnx"), apart);
  options.location = "v.data";
  EXPECT_THROW(pack(m, data), Error);
  EXPECT_THROW(strip(m, data), Error);
  EXPECT_THROW(unpack(m, data, options), Error);
  EXPECT_THROW(m.save(data), Error);
  EXPECT_THROW(pack(apart, data, {}, loading), Error);
  EXPECT_THROW(strip(apart, data, loading), Error);
  EXPECT_THROW(unpack(apart, data, options, loading), Error);
  EXPECT_EQ(content(data), before);
  pack(m, path("packed.onnx"));
  EXPECT_EQ(read(path("packed.onnx")).graph->initializer[0].raw_data.get().size(), 5000u);
  strip(m, path("bare.onnx"));
  EXPECT_FALSE(read(path("bare.onnx")).graph->initializer[0].raw_data.has());
  // Saved elsewhere, it takes its data along.
  fs::create_directories(root_ / "copy");
  m.save(path("copy/m.onnx"));
  EXPECT_EQ(content(path("copy/w.data")), before);
  m.save(path("data/again.onnx"));
  EXPECT_EQ(content(data), before);
}

TEST_F(Edit, ModelsInMemory) {
  ir::Model m = model();
  m.graph->initializer.erase(m.graph->initializer.begin() + 3);  // numbers in typed fields come back as raw_data
  const std::string in = save(m);
  const auto bytes = base::read_file(in, {}, false);
  unpack(Model::parse(bytes.bytes), path("out.onnx"), {.location = "w.data"});
  EXPECT_EQ(names(), (std::vector<std::string>{"in.onnx", "out.onnx", "w.data"}));
  const Model packed = pack(Model::load(path("out.onnx")));
  fs::remove(root_ / "w.data");
  const auto whole = packed.serialize();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(whole.data()), whole.size()), content(in));
  strip(in, path("stripped.onnx"));
  strip(Model::load(in)).save(path("again.onnx"));
  EXPECT_EQ(content(path("again.onnx")), content(path("stripped.onnx")));
}

TEST_F(Edit, DataFromAReader) {
  const std::string in = save(model());
  unpack(in, path("out.onnx"), {.location = "w.data"});
  const std::string data = content(path("w.data"));
  fs::remove(root_ / "w.data");
  LoadOptions options;
  options.external_reader = [&](const std::string& location, std::uint64_t at, std::optional<std::uint64_t> length) {
    EXPECT_EQ(location, "w.data");
    return SharedBytes{std::as_bytes(std::span(data)).subspan(at, length.value()), {}};
  };
  const auto bytes = base::read_file(path("out.onnx"), {}, false);
  const Model loaded = Model::parse(bytes.bytes, options);
  pack(path("out.onnx"), path("packed.onnx"), {}, options);
  pack(loaded).save(path("again.onnx"));
  EXPECT_EQ(content(path("again.onnx")), content(path("packed.onnx")));
  EXPECT_EQ(read(path("again.onnx")).graph->initializer[0].raw_data.get().size(), 5000u);
  EXPECT_THROW(pack(Model::parse(bytes.bytes)), Error);  // no folder, no reader
  EXPECT_THROW(loaded.save(path("dangling.onnx")), Error);
  EXPECT_FALSE(fs::exists(path("dangling.onnx")));
  unpack(loaded, path("whole.onnx"), {.location = "whole.data"});
  EXPECT_EQ(fs::file_size(path("whole.data")), data.size());
}

TEST_F(Edit, SingleTensors) {
  ir::Tensor t = raw("t", 100, 't');
  auto& e = t.external_data.emplace_back();
  e.key = "location", e.value = "t.bin";
  const auto saved = save_external_tensor(format::write_message(t), root_.string());
  const SharedBytes loaded = load_external_tensor(saved, root_.string());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(loaded.bytes.data()), loaded.bytes.size()),
            std::string(100, 't'));
  const ExternalDataFile file = open_external("t.bin", root_.string());
  EXPECT_EQ(file.size, 100u);
  EXPECT_EQ(::close(file.fd), 0);
  EXPECT_THROW(open_external("../t.bin", root_.string()), Error);
}

}  // namespace
}  // namespace norn
