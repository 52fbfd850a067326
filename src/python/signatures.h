// What Python shows of a function: signatures follow from the bound C++ function and its nb::arg, docstrings are given
// to def(); nanobind's stubgen writes both into norn/_norn.pyi. Names that begin with _ are declared in stub.pattern.
#pragma once
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace norn::python {

namespace nb = nanobind;

// Text as an argument of a template.
template <std::size_t N>
struct TypeText {
  char chars[N];
  consteval TypeText(const char (&text)[N]) { std::copy(text, text + N, chars); }  // NOLINT: it stands for the text
};

// An argument of any type, which the function converts itself; `Type` is what it takes.
template <TypeText Type>
struct Arg : nb::handle {
  static constexpr auto Name = nb::detail::const_name(Type.chars);
  using nb::handle::handle;
  Arg(const nb::handle& given) : nb::handle(given) {}
  static bool check_(nb::handle) { return true; }
};

// A result whose type does not follow from C++.
template <TypeText Type>
struct Result : nb::object {
  static constexpr auto Name = nb::detail::const_name(Type.chars);
  using nb::object::object;
  Result(nb::object object) : nb::object(std::move(object)) {}
  static bool check_(nb::handle) { return true; }
};

using AnyArg = Arg<"typing.Any">;
using AnyResult = Result<"typing.Any">;
using ExternalDataArg = Arg<"_ExternalData">;
using FeedsArg = Arg<"collections.abc.Mapping[str, typing.Any]">;
using LimitsArg = Arg<"Limits">;
using MessageArg = Arg<"bytes | _Serializable">;
using ModelArg = Arg<"_ModelLike">;
using PathArg = Arg<"_Path">;
using PathsArg = Arg<"collections.abc.Iterable[_Path]">;
using TextArg = Arg<"str">;

// inspect.signature() of the module's functions and methods.
void register_signatures(nb::module_& module);

}  // namespace norn::python
