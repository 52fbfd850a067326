// Editing files: the model is mapped, its tensors stay views, and writing copies their bytes from file to file.
#include "norn/edit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "api/is_model.h"
#include "base/atomic_file.h"
#include "base/path.h"
#include "format/external_pack.h"
#include "format/wire.h"
#include "ir/model.h"

namespace norn {
namespace {

constexpr std::uint64_t kMessageLimit = (std::uint64_t{1} << 31) - 1;

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A model being edited and the files its bytes lie in.
struct Edited {
  ir::Model model;
  format::MappedFiles files;
  std::string base_dir;
};

Edited open_model(const std::string& path, const LoadOptions& options) {
  Edited edited;
  edited.base_dir = base::folder_of(path);
  const Format format = options.format == Format::Auto ? format_of(path) : options.format;
  format::OpenedFile file;
  struct stat info;
  if (format == Format::Binary && options.mmap) {
    file.fd = base::Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  }
  if (!file.fd || ::fstat(file.fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    edited.model = Model::load(path, options).document();  // reports what is wrong, if that is why
    return edited;
  }
  file.path = path;
  file.size = static_cast<std::uint64_t>(info.st_size);
  try {
    edited.model = read_binary_model(edited.files.add(std::move(file)), options.limits);
  } catch (Error& e) {
    throw e.within(path);
  }
  return edited;
}

void check_size(std::uint64_t bytes, const PackOptions& pack, const std::string& where) {
  if (bytes <= kMessageLimit || pack.allow_over_2gib) return;
  throw Error(ErrorCode::LimitExceeded,
              "the packed model would have " + std::to_string(bytes) +
                  " bytes, and ONNX keeps a model file below 2 GiB (2147483647 bytes)",
              where,
              "leave the tensors in data files, or allow more (PackOptions::allow_over_2gib): Norn reads such a file, "
              "libraries built on protobuf do not");
}

// `before_rename` puts data files in their places once the model is safely on disk, before it appears under its name.
template <class F>
void write_model(const Edited& edited, const std::string& path, const PackOptions& pack, F&& before_rename) {
  if (format_of(path) != Format::Binary) {
    before_rename();
    return Model(std::make_shared<ir::Model>(edited.model)).save(path);
  }
  const format::Pieces pieces = format::write_pieces(edited.model);
  check_size(pieces.size, pack, path);
  base::AtomicFile file(path);
  for (const auto piece : pieces.spans) edited.files.append(file, piece);
  file.sync();
  before_rename();
  file.commit();
}

constexpr PackOptions kAnySize{.allow_over_2gib = true};

void unpack_to(Edited& edited, const std::string& in, const std::string& out, const UnpackOptions& unpack,
               const LoadOptions& options) {
  if (edited.model.ir_version.has() && edited.model.ir_version.get() < 4) {
    throw Error(ErrorCode::InvalidArgument,
                "the model is of IR version " + std::to_string(edited.model.ir_version.get()) +
                    ", and external data exists from version 4 on",
                in, "convert the model to a newer IR version first");
  }
  format::DataFileOptions file;
  file.location = unpack.location.empty() ? name_of(out) + ".data" : unpack.location;
  file.may_rename = unpack.location.empty();
  file.alignment = unpack.alignment;
  file.max_file_bytes = unpack.max_file_bytes;
  file.checksums = unpack.checksums;
  // A user who may not read the model must not read its tensors either.
  struct stat info;
  if (::stat(out.c_str(), &info) == 0) file.mode = info.st_mode & 0777;
  if (!in.empty() && ::stat(in.c_str(), &info) == 0) file.at_most = info.st_mode & 0777;
  format::DataFileWriter writer(base::folder_of(out), std::move(file), edited.files);
  format::unpack_tensors(edited.model, unpack.threshold, edited.base_dir, format::external_access(options),
                         edited.files, writer);
  writer.finish();
  format::refuse_data_file(edited.model, {base::folder_of(out)}, {}, out);
  write_model(edited, out, kAnySize, [&] { writer.commit(); });
}

// To be written to `out`.
Edited edited_copy(const Model& model, const std::string& out) {
  format::refuse_data_file(model.document(), {model.base_dir()}, model.load_options().external_roots, out);
  return {model.document(), {}, model.base_dir()};
}

// As `model`, but for its tensors.
Model changed(const Model& model, ir::Model document) {
  return Model(std::make_shared<ir::Model>(std::move(document)), model.path(), model.load_options());
}

}  // namespace

void pack(const std::string& in, const std::string& out, const PackOptions& pack, const LoadOptions& options) {
  Edited edited = open_model(in, options);
  format::refuse_data_file(edited.model, {edited.base_dir}, options.external_roots, out);
  format::pack_tensors(edited.model, edited.base_dir, format::external_access(options), edited.files);
  write_model(edited, out, pack, [] {});
}

void unpack(const std::string& in, const std::string& out, const UnpackOptions& unpack, const LoadOptions& options) {
  Edited edited = open_model(in, options);
  format::refuse_data_file(edited.model, {edited.base_dir}, options.external_roots, out);
  unpack_to(edited, in, out, unpack, options);
}

void strip(const std::string& in, const std::string& out, const LoadOptions& options) {
  Edited edited = open_model(in, options);
  format::refuse_data_file(edited.model, {edited.base_dir}, options.external_roots, out);
  format::strip_tensors(edited.model);
  write_model(edited, out, kAnySize, [] {});
}

Model pack(const Model& model, const PackOptions& pack) {
  ir::Model document = model.document();
  format::MappedFiles files;  // the tensors keep what is mapped
  format::pack_tensors(document, model.base_dir(), format::external_access(model.load_options()), files);
  check_size(format::write_pieces(document).size, pack, model.path());
  return changed(model, std::move(document));
}

void unpack(const Model& model, const std::string& out, const UnpackOptions& unpack) {
  Edited edited = edited_copy(model, out);
  unpack_to(edited, model.path(), out, unpack, model.load_options());
}

void pack(const Model& model, const std::string& out, const PackOptions& pack) {
  Edited edited = edited_copy(model, out);
  format::pack_tensors(edited.model, edited.base_dir, format::external_access(model.load_options()), edited.files);
  write_model(edited, out, pack, [] {});
}

void strip(const Model& model, const std::string& out) {
  Edited edited = edited_copy(model, out);
  format::strip_tensors(edited.model);
  write_model(edited, out, kAnySize, [] {});
}

Model strip(const Model& model) {
  ir::Model document = model.document();
  format::strip_tensors(document);
  return changed(model, std::move(document));
}

}  // namespace norn
