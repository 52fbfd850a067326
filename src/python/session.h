// norn.InferenceSession and what belongs to it.
#pragma once
#include <nanobind/nanobind.h>

namespace norn::python {

void register_session(nanobind::module_& module);

}  // namespace norn::python
