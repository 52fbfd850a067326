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
    const nb::object value =
        type(text_of(error.message()), text_of(error.where()), text_of(in_python_terms(error.hint())), text_of(code));
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

}  // namespace

void register_errors(nb::module_&) { nb::register_exception_translator(raise); }

void invalid_argument(std::string message, std::string hint) {
  throw Error(ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint));
}

std::string in_python_terms(std::string hint) {
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"ExternalPolicy::HfCache", "external_data=\"hf-cache\""},
      {"LoadOptions::external_hard_links", "norn.ExternalDataPolicy(hard_links=True)"},
      {"LoadOptions::external_roots", "norn.ExternalDataPolicy(roots=[...])"},
      {"LoadOptions::format", "format=\"onnxtxt\", \"json\" or \"textproto\""},
      {"PackOptions::allow_over_2gib", "allow_over_2gib=True"},
      {"SessionOptions::operator_sets", "norn.SessionOptions(operator_sets=[...])"},
      {"(DataKind)", "(kind=)"},
      {"norn::unpack into a data file, or norn::pack",
       "norn.save(..., external_data=NAME), or norn.pack_external_data"},
      {"norn::load_value", "norn.load_value"},
      {"norn::check_data", "norn.check_data"},
      {"norn::unrunnable_nodes", "norn.unrunnable_nodes"},
  };
  for (const auto& [option, spelling] : kSpellings) {
    if (const std::size_t at = hint.find(option); at != hint.npos) hint.replace(at, option.size(), spelling);
  }
  return hint;
}

nb::str text_of(std::string_view text) {
  nb::object decoded =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  if (!decoded.is_valid()) throw nb::python_error();
  return nb::borrow<nb::str>(decoded);
}

std::string name_of_type(nb::handle value) {
  const nb::handle type = value.type();
  std::string name = nb::cast<std::string>(type.attr("__qualname__"));
  const auto module = nb::cast<std::string>(type.attr("__module__"));
  return module == "builtins" ? name : module + "." + name;
}

void wrong_type(nb::handle given, std::string_view name, std::string_view takes) {
  invalid_argument(std::string(name) + " is " + name_of_type(given) + ", not " + std::string(takes),
                   "give " + std::string(takes));
}

std::string string_argument(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) wrong_type(given, name, "a str");
  std::string text;
  if (!nb::try_cast(given, text)) invalid_argument(std::string(name) + " is a str that UTF-8 cannot write");
  return text;
}

bool bool_argument(nb::handle given, std::string_view name) {
  if (!PyBool_Check(given.ptr())) wrong_type(given, name, "a bool");
  return given.ptr() == Py_True;
}

nb::object items_argument(nb::handle given, std::string_view name, std::string_view takes) {
  const bool text = PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr());
  const bool iterable = Py_TYPE(given.ptr())->tp_iter || PySequence_Check(given.ptr());
  if (text || !iterable) wrong_type(given, name, takes);
  return nb::iter(given);
}

}  // namespace norn::python
