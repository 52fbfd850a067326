// Tensor data kept in files beside the model.
//
// A model is untrusted, so a location may only name a file beneath the model's folder: no absolute path, no "..", no
// symbolic link that leads out. Files are mapped once and shared by all tensors in them.
#pragma once
#include <string>
#include <vector>

#include "ir/tensor_data.h"

namespace norn::format {

// For a model in `base_dir` ("" if it did not come from a file: then every external tensor is an error). The reader may
// be copied and used from several threads. With mmap=false, a file is read into memory whole.
ir::ExternalReader external_reader(std::string base_dir, bool mmap = true);

// A file that holds tensors of a model in `base_dir`.
struct ExternalFile {
  std::string location;  // as the model spells it
  std::string path;      // the file itself, checked as above
};
// The data files of a model, each once; locations that name no existing file are passed over, since a document may be
// broken. Throws norn::Error for a link that leads out of the folder.
std::vector<ExternalFile> external_files(const ir::Model& model, const std::string& base_dir);

}  // namespace norn::format
