// norn::Error crosses into Python as norn.Error or the subclass for its code; the classes are Python's
// (norn/_errors.py).
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "norn/error.h"

namespace norn::python {

namespace nb = nanobind;

void register_errors(nb::module_& module);

[[noreturn]] void invalid_argument(std::string message, std::string hint = {});
// A hint of the library, which names options as the C++ API does, in the words of the Python package.
std::string in_python_terms(std::string hint);
// Text that people read: names in it may be of any bytes, and those that are not UTF-8 are shown as \xff.
nb::str text_of(std::string_view text);
inline nb::str shown(const std::string& text) { return text_of(text); }
inline nb::int_ shown(std::int64_t number) { return nb::int_(number); }
inline nb::int_ shown(std::size_t number) { return nb::int_(number); }
template <class T>
auto shown(const std::vector<std::pair<std::string, T>>& pairs) {
  nb::typed<nb::list, std::pair<nb::str, decltype(shown(std::declval<T>()))>> list;
  for (const auto& [name, value] : pairs) list.append(nb::make_tuple(text_of(name), shown(value)));
  return list;
}
// A getter of such text, or of such pairs.
template <class Class, class T>
auto shown_member(T Class::* member) {
  return [member](const Class& self) { return shown(self.*member); };
}

// Qualified name of a value's type, for messages.
std::string name_of_type(nb::handle value);

// Arguments, which the message for a wrong type calls `name`.
[[noreturn]] void wrong_type(nb::handle given, std::string_view name, std::string_view takes);
std::string string_argument(nb::handle given, std::string_view name);
bool bool_argument(nb::handle given, std::string_view name);
// What a list, or anything else but text that can be iterated over, is made of.
nb::object items_argument(nb::handle given, std::string_view name, std::string_view takes);
template <class T>
T object_argument(nb::handle given, std::string_view name, std::string_view takes) {
  if (!nb::isinstance<T>(given)) wrong_type(given, name, takes);
  return nb::cast<T>(given);
}

}  // namespace norn::python
