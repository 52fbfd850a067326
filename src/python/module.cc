// norn._norn: the public C++ API for Python. Its stub, norn/_norn.pyi, is generated from what is bound here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "data.h"
#include "document.h"
#include "edit.h"
#include "errors.h"
#include "infer.h"
#include "loading.h"
#include "model.h"
#include "norn/opset.h"
#include "session.h"
#include "signatures.h"
#include "values.h"

namespace nb = nanobind;

NB_MODULE(_norn, module) {
  norn::python::import_numpy();
  norn::python::register_errors(module);
  norn::python::register_loading(module);
  norn::python::register_model(module);
  norn::python::register_edits(module);
  norn::python::register_document(module);
  norn::python::register_infer(module);
  norn::python::register_data(module);
  norn::python::register_session(module);
  module.def("newest_opset_version", &norn::newest_opset_version, nb::arg("domain") = "",
             "The newest version of a built-in operator set; 0 for a domain that is not built in.");
  module.def(
      "storage_bits",
      [](std::int32_t type) {
        const bool known = type > 0 && type < norn::kDataTypeCount;
        return known ? norn::storage_bits(static_cast<norn::DataType>(type)) : 0;
      },
      nb::arg("data_type"),
      "Bits of one element of a ``TensorProto.DataType`` as a file stores it; 0 for strings and unknown types.");
  module.def("schemas_json", &norn::schemas_json,
             R"(The operators Norn knows as JSON: a list with an object for each version of each operator.

Keys: domain, name, since, inputs, outputs, attributes, types, least and most numbers of inputs and outputs,
determinism, deprecated. The domain of ai.onnx is "".)");
  module.attr("__version__") = NORN_VERSION;
  norn::python::register_signatures(module);
}
