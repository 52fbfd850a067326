#include "check_data.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "command.h"
#include "inputs.h"
#include "streams.h"

namespace norn::cli {

namespace fs = std::filesystem;

namespace {

struct NumberedFile {
  bool input = false;
  std::size_t index = 0;
};

// input_0.pb, output_12.pb
std::optional<NumberedFile> numbered(const fs::path& path) {
  std::string_view name = path.filename().native();
  NumberedFile file{name.starts_with("input_")};
  if (!file.input && !name.starts_with("output_")) return {};
  name.remove_prefix(file.input ? 6 : 7);
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), file.index);
  if (error != std::errc() || std::string_view(end, name.data() + name.size()) != ".pb") return {};
  return file;
}

// The model that a file of a test_data_set folder belongs to, if there is one beside that folder.
std::optional<std::string> model_of(const fs::path& data) {
  const fs::path folder = fs::absolute(data).parent_path().parent_path();
  std::optional<std::string> model;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".onnx") continue;
    if (model) return {};
    model = entry.path().string();
  }
  return model;
}

// The kind that the model declares; nothing if no model does.
std::optional<DataKind> declared_kind(const std::string& path) {
  const auto file = numbered(path);
  if (!file) return {};
  const auto model = model_of(path);
  if (!model) return {};
  try {
    const ModelSummary summary = Model::load(*model).summary();
    const auto& values = file->input ? summary.inputs : summary.outputs;
    if (file->index >= values.size() || values[file->index].type == "?") return {};
    return kind_of_type(values[file->index].type);
  } catch (const Error&) {
    // a broken model says nothing about its data
  }
  return {};
}

}  // namespace

bool is_data_file(const std::string& path) {
  const std::string name = CLI::detail::to_lower(path);
  return name.ends_with(".npy") || name.ends_with(".npz") || numbered(path).has_value();
}

bool is_checked_in_folders(const std::string& path, const LoadOptions& loading) {
  const std::string extension = CLI::detail::to_lower(fs::path(path).extension().string());
  const auto is_one_of = [&](std::initializer_list<std::string_view> known) {
    return std::find(known.begin(), known.end(), extension) != known.end();
  };
  if (is_data_file(path) || is_one_of({".onnx", ".onnxtxt", ".onnxtext", ".onnxjson"})) return true;
  if (!is_one_of({".pb", ".json", ".textproto", ".txtpb", ".prototxt", ".pbtxt"})) return false;
  try {
    const ModelSummary summary = Model::load(path, loading).summary();
    return summary.nodes > 0 || !summary.outputs.empty();
  } catch (const Error&) {
    return false;
  }
}

Report check_data_file(const std::string& path, std::optional<DataKind> kind, const CheckOptions& options) {
  if (path != "-") return check_data(path, kind ? kind : declared_kind(path), options);
  try {
    return check_data(read_input(options.limits).bytes, kind, options);
  } catch (Error& e) {
    throw e.within(kStandardInput);
  }
}

}  // namespace norn::cli
