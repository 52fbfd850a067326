// norn::Error crosses into Python as norn.Error or the subclass for its code; the classes are Python's
// (norn/_errors.py).
#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "norn/error.h"

namespace norn::python {

namespace nb = nanobind;

void register_errors(nb::module_& module);

[[noreturn]] void invalid_argument(std::string message, std::string hint = {});
// Qualified name of a value's type, for messages.
std::string name_of_type(nb::handle value);

}  // namespace norn::python
