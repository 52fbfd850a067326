// Checks, text syntax, external data, edits and operator sets, for Python.
#pragma once
#include <nanobind/nanobind.h>

namespace norn::python {

void register_document(nanobind::module_& module);

}  // namespace norn::python
