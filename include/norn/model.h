// A model as a document: loaded, looked at, saved. It may be invalid ONNX; running or checking it finds out.
//
//   auto model = norn::Model::load("model.onnx");
//   std::cout << model.summary().to_string();
//   model.save("copy.onnx");
//
// A Model is an immutable value: copies share everything, and any number of threads may use one. Tensor contents stay
// in the mapped file until they are read. Large binary models are read by several threads, the calling one and at most
// three of the process's pool; the result does not depend on their number. In a child after fork() the calling thread
// reads alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/limits.h"
#include "norn/types.h"

namespace norn {

namespace ir {
struct Model;
}

// Notations of a model. By a file's extension: .onnx .pb (Binary), .onnxtxt .onnxtext (OnnxText), .json .onnxjson
// (Json), .textproto .txtpb .prototxt .pbtxt (ProtoText), in letters of either case; anything else is Binary.
enum class Format : std::uint8_t { Auto, Binary, OnnxText, Json, ProtoText };
NORN_API Format format_of(const std::string& path) noexcept;
// Auto for another extension than those, and for none.
NORN_API Format known_format_of(const std::string& path) noexcept;

// Which files beside the model external tensor data may come from.
enum class ExternalPolicy : std::uint8_t {
  Beneath,  // the model's folder and below; no links that lead out
  HfCache,  // also the Hugging Face cache's links from snapshots/ into blobs/ of the same repository
};

// Bytes for as long as `owner` lives.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Gives the bytes of external data from elsewhere than files: `length` bytes from `offset` of what the model calls
// `location`, or all bytes from there without a length. The location is checked to be a relative path without "..", but
// is otherwise the model's choice. Called from several threads at once; throws norn::Error.
using ExternalReader =
    std::function<SharedBytes(const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length)>;

struct LoadOptions {
  Limits limits;
  Format format = Format::Auto;
  ExternalPolicy external = ExternalPolicy::Beneath;
  // Further folders that external data may lie in.
  std::vector<std::string> external_roots;
  // Read data files with more than one hard link too: such a name can stand for any file of the same file system.
  bool external_hard_links = false;
  // Compare each data file with the SHA-1 that the model gives, when it is first used; reads it whole.
  bool external_checksums = false;
  // Where external data comes from instead of files.
  ExternalReader external_reader;
  // Map the file instead of reading it. Turn off for a file that other processes may truncate while it is in use.
  bool mmap = true;
};

// The summary of a model that `norn show` prints.
struct ModelSummary {
  struct Value {
    std::string name, type;  // type as text: "float[N,3,224,224]", "seq(tensor(int64))"
  };
  struct Opset {
    std::string domain;  // "" is ai.onnx
    std::int64_t version;
  };
  std::string path, graph_name, producer, doc_string;
  std::int64_t ir_version = 0, model_version = 0;
  std::vector<Opset> opsets;
  std::vector<Value> inputs, outputs;                          // inputs without those that an initializer gives
  std::vector<std::pair<std::string, std::size_t>> operators;  // most frequent first; subgraphs and functions included
  std::size_t nodes = 0, subgraphs = 0, functions = 0, initializers = 0;
  std::uint64_t parameters = 0;       // elements of all initializers
  std::uint64_t parameter_bytes = 0;  // as stored, external data included
  std::uint64_t file_bytes = 0;       // 0 if the model did not come from a file
  std::vector<std::pair<std::string, std::string>> metadata;

  NORN_API std::string to_string() const;  // a page for a terminal
  NORN_API std::string to_json() const;
};

class NORN_API Model {
 public:
  // Reads a file in the notation of its extension unless `options.format` names one; `path` is kept to resolve external
  // data. Throws norn::Error (NoSuchFile, Io, InvalidProtobuf with the byte offset or with line and column,
  // LimitExceeded).
  static Model load(const std::string& path, const LoadOptions& options = {});
  // Reads a serialised ModelProto from memory. Copies `bytes` unless `owner` keeps them alive.
  static Model parse(std::span<const std::byte> bytes, const Limits& limits = {},
                     std::shared_ptr<const void> owner = {});

  // Reads any notation from memory; `format` Auto is Binary.
  static Model parse(std::span<const std::byte> bytes, Format format, const Limits& limits = {});
  // As load(), from memory. The model has no folder: external data lies in `options.external_roots`, or comes from
  // `options.external_reader`.
  static Model parse(std::span<const std::byte> bytes, const LoadOptions& options,
                     std::shared_ptr<const void> owner = {});
  // Writes a temporary file beside `path` and renames it over `path`: readers of an old file are not disturbed, and
  // whatever happens, the old file or the whole new one is there. A file that replaces another one is on the disk
  // before it does; one that replaces nothing is stored when the system gets to it. Data files of the model are copied
  // along into another folder. The notation follows from the extension unless `format` says otherwise.
  void save(const std::string& path, Format format = Format::Auto) const;
  // The ModelProto's bytes, or another notation's.
  std::vector<std::byte> serialize(Format format = Format::Binary) const;
  // The model in ONNX text syntax; tensors of more than `max_elements` elements are shown by their first
  // few, eight at most, and such a text cannot be read back.
  std::string to_text(std::size_t max_elements = 16) const;
  ModelSummary summary() const;

  // Where external data is looked for; "" for a model that did not come from a file.
  const std::string& base_dir() const noexcept { return base_dir_; }
  const std::string& path() const noexcept { return path_; }
  const ir::Model& document() const noexcept { return *document_; }
  // The document to be changed: this model's own if it is not shared, else a copy. The model is empty afterwards.
  std::shared_ptr<ir::Model> release_document() &&;
  // What it was loaded with: says how its external data may be read.
  const LoadOptions& load_options() const noexcept { return *options_; }
  explicit Model(std::shared_ptr<const ir::Model> document, std::string path = {}, const LoadOptions& options = {});

 private:
  std::shared_ptr<const ir::Model> document_;
  std::string path_, base_dir_;
  std::shared_ptr<const LoadOptions> options_;
};

}  // namespace norn
