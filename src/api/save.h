// Saving a model with more than its document holds.
#pragma once
#include <functional>
#include <string>

#include "format/wire.h"
#include "norn/model.h"

namespace norn {

// As Model::save(). What is encoded already is for a binary file. `once_written` may take apart the model and what is
// encoded: it is called when the file only has to become durable, as base::write_file_atomically() does.
void save(const Model& model, const std::string& path, Format format, const format::Encoded& encoded,
          const std::function<void()>& once_written = {});

}  // namespace norn
