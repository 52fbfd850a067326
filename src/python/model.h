// A model argument: a path, bytes, a file object, anything with SerializeToString, or norn.Model.
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

bool is_path(nb::handle object);
std::string path_of(nb::handle object);  // keeps file names that are not UTF-8
// The bytes of an object with SerializeToString, of any size.
nb::object serialized(nb::handle proto);
Model to_model(nb::handle object, const LoadOptions& options = {});
// As a call takes it: `external_data` may be None, and counts for what is loaded by the call only.
Model to_model(nb::handle object, LoadOptions options, nb::handle external_data);
void register_model(nb::module_& module);

}  // namespace norn::python
