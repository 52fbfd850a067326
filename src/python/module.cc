// norn._norn: the public C++ API for Python. What each name does is told in norn/_norn.pyi.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "document.h"
#include "errors.h"
#include "model.h"
#include "norn/opset.h"
#include "session.h"
#include "values.h"

NB_MODULE(_norn, module) {
  norn::python::import_numpy();
  norn::python::register_errors(module);
  norn::python::register_model(module);
  norn::python::register_document(module);
  norn::python::register_session(module);
  module.def("schemas_json", &norn::schemas_json,
             "The operators Norn knows, as JSON: an object for each version of each operator.");
  module.attr("__version__") = NORN_VERSION;
}
