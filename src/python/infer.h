// Inference of types and shapes, for Python.
#pragma once
#include <nanobind/nanobind.h>

namespace norn::python {

void register_infer(nanobind::module_& module);

}  // namespace norn::python
