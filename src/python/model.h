// A model argument: a path, bytes, a file object, anything with SerializeToString, or norn.Model.
#pragma once
#include <nanobind/nanobind.h>

#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

Model to_model(nb::handle object, const LoadOptions& options = {});
void register_model(nb::module_& module);

}  // namespace norn::python
