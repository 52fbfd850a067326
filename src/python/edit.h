// Where a model's tensors lie: in the model, in data files, nowhere.
#pragma once
#include <nanobind/nanobind.h>

#include "norn/edit.h"

namespace norn::python {

// The data file that tensors go to: its name, or a dict of options.
UnpackOptions unpack_options(nanobind::handle given);

void register_edits(nanobind::module_& module);

}  // namespace norn::python
