// Saving a model with more than its document holds.
#pragma once
#include <string>

#include "format/wire.h"
#include "norn/model.h"

namespace norn {

// As Model::save(). What is added is written into a binary file only.
void save(const Model& model, const std::string& path, Format format, const format::AddedValueInfo& added);

}  // namespace norn
