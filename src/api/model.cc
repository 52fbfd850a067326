#include "norn/model.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/mapped_file.h"
#include "format/external.h"
#include "format/text.h"
#include "format/wire.h"
#include "ir/model.h"

namespace norn {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  if (path.empty()) return {};
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// A model's data files belong to it: saving into another folder takes them along.
void copy_external_data(const ir::Model& model, const std::string& from, const std::string& to) {
  std::error_code error;
  if (from.empty() || fs::equivalent(from, to, error)) return;
  for (const auto& file : format::external_files(model, from)) {
    const fs::path target = fs::path(to) / file.location;
    const base::FileBytes source = base::read_file(file.path);
    if (fs::exists(target, error)) {
      const base::FileBytes old = base::read_file(target.string());
      if (old.bytes.size() == source.bytes.size() &&
          std::equal(old.bytes.begin(), old.bytes.end(), source.bytes.begin())) {
        continue;
      }
      throw Error(ErrorCode::Io, "the model's data file \"" + target.string() + "\" exists already with other content",
                  {}, "save the model into an empty folder, or remove that file");
    }
    fs::create_directories(target.parent_path(), error);
    if (error) {
      throw Error(ErrorCode::Io,
                  "cannot make the folder \"" + target.parent_path().string() + "\": " + error.message());
    }
    const std::span<const std::byte> pieces[] = {source.bytes};
    base::write_file_atomically(target.string(), pieces);
  }
}

}  // namespace

Model::Model(std::shared_ptr<const ir::Model> document, std::string path)
    : document_(std::move(document)), path_(std::move(path)), base_dir_(folder_of(path_)) {
  if (!document_) throw Error(ErrorCode::InvalidArgument, "a model needs a document");
}

Model Model::load(const std::string& path, const LoadOptions& options) {
  const base::FileBytes file = base::read_file(path, options.mmap);
  try {
    return Model(std::make_shared<const ir::Model>(format::read_model(
                     ir::Bytes(file.bytes.data(), file.bytes.size(), file.owner), options.limits)),
                 path);
  } catch (Error& e) {
    throw e.within(path);
  }
}

Model Model::parse(std::span<const std::byte> bytes, const Limits& limits, std::shared_ptr<const void> owner) {
  return Model(std::make_shared<const ir::Model>(
      format::read_model(ir::Bytes(bytes.data(), bytes.size(), std::move(owner)), limits)));
}

void Model::save(const std::string& path) const {
  copy_external_data(*document_, base_dir_, folder_of(path));
  const format::Pieces pieces = format::write_pieces(*document_);
  base::write_file_atomically(path, pieces.spans);
}

std::vector<std::byte> Model::serialize() const { return format::write_message(*document_); }

std::string Model::to_text(std::size_t max_elements) const { return format::to_text(*document_, {max_elements}); }

}  // namespace norn
