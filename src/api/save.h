// Saving a model with more than its document holds.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/atomic_file.h"
#include "format/wire.h"
#include "norn/model.h"

namespace norn {

// What is done already when a model is saved.
struct SaveBegun {
  format::Encoded encoded;                 // for a binary file
  std::unique_ptr<base::AtomicFile> file;  // with pieces of it written ahead; null if there is none
};

// As Model::save(). `once_written` may take apart the model and what is encoded: it is called when the file only has to
// get its name, as base::write_file_atomically() does.
void save(const Model& model, const std::string& path, Format format, const SaveBegun& begun,
          const std::function<void()>& once_written = {});

}  // namespace norn
