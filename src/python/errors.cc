#include "errors.h"

#include <nanobind/stl/string.h>

namespace norn::python {

namespace {

void raise(const std::exception_ptr& pending, void*) {
  try {
    std::rethrow_exception(pending);
  } catch (const Error& error) {
    const nb::module_ errors = nb::module_::import_("norn._errors");
    const std::string_view code = error_code_name(error.code());
    const nb::object type = errors.attr("BY_CODE").attr("get")(nb::str(code.data(), code.size()), errors.attr("Error"));
    const nb::object value = type(error.message(), error.where(), error.hint(), nb::str(code.data(), code.size()));
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

}  // namespace

void register_errors(nb::module_&) { nb::register_exception_translator(raise); }

void invalid_argument(std::string message, std::string hint) {
  throw Error(ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint));
}

std::string name_of_type(nb::handle value) {
  const nb::handle type = value.type();
  std::string name = nb::cast<std::string>(type.attr("__qualname__"));
  const auto module = nb::cast<std::string>(type.attr("__module__"));
  return module == "builtins" ? name : module + "." + name;
}

}  // namespace norn::python
