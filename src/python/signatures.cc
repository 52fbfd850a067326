#include "signatures.h"

namespace norn::python {

namespace {

// To the type of a function, a method or a bound method: nanobind's are closed to setattr, and lack what
// inspect.signature() looks for.
void add_signature(nb::handle function) {
  auto* type = reinterpret_cast<PyTypeObject*>(function.type().ptr());
  const nb::object getter = nb::cpp_function(
      [](nb::handle self) { return nb::module_::import_("norn._signatures").attr("signature_of")(self); });
  const nb::object property = nb::module_::import_("builtins").attr("property")(getter);
  if (PyDict_SetItemString(type->tp_dict, "__signature__", property.ptr()) != 0) throw nb::python_error();
  PyType_Modified(type);
}

}  // namespace

void register_signatures(nb::module_& module) {
  add_signature(module.attr("load"));
  add_signature(module.attr("Limits").attr("__repr__"));
  add_signature(module.attr("Limits")().attr("__repr__"));
}

}  // namespace norn::python
