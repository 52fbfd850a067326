// Data files: values of a model's inputs and outputs (.pb, .npy, .npz).
#pragma once
#include <nanobind/nanobind.h>

namespace norn::python {

void register_data(nanobind::module_& module);

}  // namespace norn::python
