// Saving a model with more than its document holds.
#pragma once
#include <functional>
#include <string>

#include "format/wire.h"
#include "norn/model.h"

namespace norn {

// As Model::save(). What is encoded already is for a binary file. `meanwhile` is called on another thread, if one
// is free, while the file is written, and not called at all if that fails early.
void save(const Model& model, const std::string& path, Format format, const format::Encoded& encoded,
          const std::function<void()>& meanwhile = {});

}  // namespace norn
