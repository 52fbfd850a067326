// Writing data files: tensors one after another, each at an aligned offset, the gaps zero.
//
// A new set of data files never takes the place of other data, since other models may refer to it: an existing file is
// accepted only if it holds the same bytes. Bytes that lie in open files are copied from there, so that writing costs
// neither memory nor, for sparse files, disk.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "format/external.h"
#include "ir/model.h"

namespace norn::format {

// Open files and where they are mapped. They stay mapped for as long as this object lives, or the bytes are in use:
// else other memory could come to lie at their addresses and be taken for them.
class MappedFiles {
 public:
  ir::Bytes add(OpenedFile file);
  // The permissions that all of them have; 0777 if there are none.
  unsigned mode() const noexcept { return mode_; }
  // Appends bytes that may lie in one of the files.
  void append(base::AtomicFile& out, std::span<const std::byte> bytes) const;

 private:
  struct Part {
    ir::Bytes bytes;
    base::Descriptor fd;  // not kept for very many files
  };
  std::vector<Part> parts_;
  unsigned mode_ = 0777;
};

struct DataFileOptions {
  std::string location;              // of the first file; further ones are called name-2.ext
  bool may_rename = false;           // choose another name if the location is taken by other content
  std::uint64_t alignment = 4096;    // a power of two; 0 and 1 are none
  std::uint64_t max_file_bytes = 0;  // begins another file before this is exceeded; 0 is never
  bool checksums = false;
  // Permissions of new files; by default those of files that the process makes. Never more than `at_most` and the files
  // that their bytes come from allow.
  std::optional<unsigned> mode;
  unsigned at_most = 0777;
};

class DataFileWriter {
 public:
  // Throws norn::Error (InvalidArgument) for options that make no sense.
  DataFileWriter(std::string folder, DataFileOptions options, const MappedFiles& sources);
  // Writes the bytes and remembers to point the tensor, which must stay where it is, to them.
  void add(ir::Tensor& tensor, std::span<const std::byte> bytes);
  // Ends the files, decides their names and makes every tensor external. Nothing is visible in the folder yet.
  void finish();
  // Puts the files in their places.
  void commit();

 private:
  struct Entry {
    ir::Tensor* tensor;
    std::uint64_t offset, length;
  };
  struct File {
    std::string location;
    base::AtomicFile file;
    std::vector<Entry> entries;
    bool exists = false;  // the same bytes lie there already
    File(std::string where, WritePlace place)
        : location(std::move(where)), file(std::move(place.folder), std::move(place.name), std::move(place.shown)) {}
    // In the folder of an earlier one.
    File(std::string where, const File& beside, std::string name, std::string shown)
        : location(std::move(where)), file(beside.file, std::move(name), std::move(shown)) {}
  };
  std::string next_location();
  void begin_file();
  void choose_name(File& file);
  void hide(base::AtomicFile& file);

  const std::string folder_;
  const DataFileOptions options_;
  const MappedFiles& sources_;
  unsigned numbered_ = 0;
  std::list<File> files_;
  unsigned mode_ = 0;  // of the files to be
};

// Points a tensor to a stretch of a data file. Unknown keys of external_data stay; contents are removed.
void make_external(ir::Tensor& tensor, const std::string& location, std::uint64_t offset, std::uint64_t length,
                   const std::string& checksum = {});
// The other way: raw_data, and no external data but unknown keys.
void make_internal(ir::Tensor& tensor, ir::Bytes raw);

// Throws norn::Error (InvalidArgument) if `path` is a data file of a model that lies, or will lie, in one of the
// folders or has its data in one of `roots`: what is written there would take the place of the model's tensors.
void refuse_data_file(const ir::Model& model, std::initializer_list<std::string_view> folders,
                      const std::vector<std::string>& roots, const std::string& path);

// Copies a model's data files into another folder, each under its location there and with the permissions of the
// original. `from` is "" for a model that lies nowhere, whose data is in the policy's roots.
void copy_external_files(const ir::Model& model, const std::string& from, const std::string& to,
                         const PathPolicy& policy);

// Appends raw_data to the data file that the tensor's external_data names, made if need be, and points the tensor to
// it. A given offset is kept if it is the file's end or leaves a gap of at most 64 KiB behind it; else the data goes to
// the next multiple of `alignment`. Throws norn::Error, then the file is as it was.
void append_external(ir::Tensor& tensor, const std::string& base_dir, std::uint64_t alignment = 4096);

}  // namespace norn::format
