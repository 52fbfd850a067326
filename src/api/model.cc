#include "norn/model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>

#include "api/data_content.h"
#include "api/is_model.h"
#include "api/save.h"
#include "base/mapped_file.h"
#include "base/parallel.h"
#include "base/path.h"
#include "base/text.h"
#include "format/external_write.h"
#include "format/foreign.h"
#include "format/json.h"
#include "format/prototext.h"
#include "format/text.h"
#include "format/wire.h"
#include "ir/walk.h"

namespace norn {
namespace {

// Fields share numbers with those of other messages: a reader may pass over what it does not know in data, and take it
// for a model.
void refuse_data(const ir::Bytes& bytes, const Limits& limits) {
  const std::string what = bytes.empty() ? "" : sound_data(bytes.span(), limits);
  if (what.empty()) return;
  throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: this is " + what + ", data for a model", {},
              "give it to a run of the model as an input (norn::load_value), or check it as data (norn::check_data)");
}

ir::Model read(Format format, const ir::Bytes& bytes, const Limits& limits) {
  switch (format) {
    case Format::OnnxText: return format::from_text<ir::Model>(ir::as_text(bytes), limits);
    case Format::Json: return format::from_json<ir::Model>(ir::as_text(bytes), limits);
    case Format::ProtoText: return format::from_prototext<ir::Model>(ir::as_text(bytes), limits);
    default: return read_binary_model(bytes, limits);
  }
}

bool same_folder(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

bool has_external_data(const ir::Model& model) {
  bool has = false;
  ir::for_each_tensor(model, [&](const ir::Tensor& t) { has |= t.data_location == ir::kDataLocationExternal; });
  return has;
}

// Not for Binary.
std::string write(Format format, const ir::Model& model) {
  switch (format) {
    case Format::OnnxText: return format::to_text(model, {.complete = true});
    case Format::Json: return format::to_json(model);
    default: return format::to_prototext(model);
  }
}

}  // namespace

ir::Model read_binary_model(const ir::Bytes& bytes, const Limits& limits) {
  ir::Model model;
  try {
    model = format::read_model(bytes, limits);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::InvalidProtobuf) refuse_data(bytes, limits);
    throw;
  }
  if (model.graph) return model;
  const std::string foreign = format::foreign_part(model);
  if (foreign.empty()) return model;
  refuse_data(bytes, limits);
  throw Error(ErrorCode::InvalidProtobuf, "not an ONNX model: " + foreign);
}

Format known_format_of(const std::string& path) noexcept {
  struct Row {
    std::string_view extension;
    Format format;
  };
  constexpr std::array<Row, 10> kRows{{{".onnx", Format::Binary},
                                       {".pb", Format::Binary},
                                       {".onnxtxt", Format::OnnxText},
                                       {".onnxtext", Format::OnnxText},
                                       {".json", Format::Json},
                                       {".onnxjson", Format::Json},
                                       {".textproto", Format::ProtoText},
                                       {".txtpb", Format::ProtoText},
                                       {".prototxt", Format::ProtoText},
                                       {".pbtxt", Format::ProtoText}}};
  const std::string_view name = path;
  for (const auto& [extension, format] : kRows) {
    const std::size_t size = std::min(extension.size(), name.size());
    if (base::equal_but_case(name.substr(name.size() - size), extension)) return format;
  }
  return Format::Auto;
}

Format format_of(const std::string& path) noexcept {
  const Format known = known_format_of(path);
  return known == Format::Auto ? Format::Binary : known;
}

Model::Model(std::shared_ptr<const ir::Model> document, std::string path, const LoadOptions& options)
    : document_(std::move(document)),
      path_(std::move(path)),
      base_dir_(base::folder_of(path_)),
      options_(std::make_shared<const LoadOptions>(options)) {
  if (!document_) throw Error(ErrorCode::InvalidArgument, "a model needs a document");
}

// Every document was made changeable, by load() and its like; only models hold it as const.
std::shared_ptr<ir::Model> Model::release_document() && {
  std::shared_ptr<const ir::Model> document = std::move(document_);
  if (document.use_count() > 1) return std::make_shared<ir::Model>(*document);
  return std::const_pointer_cast<ir::Model>(std::move(document));
}

Model Model::load(const std::string& path, const LoadOptions& options) {
  const base::FileBytes file = base::read_file(path, options.limits, options.mmap);
  try {
    const Format format = options.format == Format::Auto ? format_of(path) : options.format;
    const ir::Bytes bytes(file.bytes.data(), file.bytes.size(), file.owner);
    return Model(std::make_shared<ir::Model>(read(format, bytes, options.limits)), path, options);
  } catch (Error& e) {
    throw e.within(path);
  }
}

Model Model::parse(std::span<const std::byte> bytes, const Limits& limits, std::shared_ptr<const void> owner) {
  return Model(
      std::make_shared<ir::Model>(read_binary_model(ir::Bytes(bytes.data(), bytes.size(), std::move(owner)), limits)));
}

Model Model::parse(std::span<const std::byte> bytes, Format format, const Limits& limits) {
  return Model(std::make_shared<ir::Model>(read(format, ir::Bytes(bytes.data(), bytes.size(), {}), limits)));
}

Model Model::parse(std::span<const std::byte> bytes, const LoadOptions& options, std::shared_ptr<const void> owner) {
  const ir::Bytes input(bytes.data(), bytes.size(), std::move(owner));
  return Model(std::make_shared<ir::Model>(read(options.format, input, options.limits)), {}, options);
}

void save(const Model& model, const std::string& path, Format format, const SaveBegun& begun,
          const std::function<void()>& once_written) {
  if (format == Format::Auto) format = format_of(path);
  const ir::Model& document = model.document();
  const LoadOptions& options = model.load_options();
  const std::string text = format == Format::Binary ? std::string() : write(format, document);
  const std::string& from = model.base_dir();
  const std::string folder = base::folder_of(path);
  format::refuse_data_file(document, {from, folder}, options.external_roots, path);
  if (options.external_reader && !same_folder(folder, from) && has_external_data(document)) {
    throw Error(ErrorCode::InvalidArgument,
                "the model's external data comes from a reader, so that there are no files to take along", path,
                "write its tensors too: norn::unpack into a data file, or norn::pack");
  }
  // Its data files belong to it: saving into another folder takes them along.
  if (!options.external_reader) format::copy_external_files(document, from, folder, format::path_policy(options));
  const auto write_file = [&](std::span<const std::span<const std::byte>> pieces) {
    base::write_file_atomically(path, pieces, once_written, begun.file.get());
  };
  if (format == Format::Binary) {
    const format::Pieces pieces = format::write_pieces(document, format::kShareAt, begun.encoded);
    return write_file(pieces.spans);
  }
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(text))};
  write_file(pieces);
}

void Model::save(const std::string& path, Format format) const { norn::save(*this, path, format, {}); }

std::vector<std::byte> Model::serialize(Format format) const {
  if (format == Format::Auto || format == Format::Binary) return format::write_message(*document_);
  const std::string text = write(format, *document_);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string Model::to_text(std::size_t max_elements) const { return format::to_text(*document_, {max_elements}); }

}  // namespace norn
