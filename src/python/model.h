// A model argument: a path, bytes, a file object, anything with SerializeToString, or norn.Model.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

std::string path_of(nb::handle object);  // keeps file names that are not UTF-8
Model to_model(nb::handle object, const LoadOptions& options = {});
void register_model(nb::module_& module);

}  // namespace norn::python
