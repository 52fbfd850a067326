#include "loading.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "errors.h"
#include "model.h"
#include "signatures.h"

namespace norn::python {

namespace {

// Shares what dies on any thread, with or without the GIL.
template <class T, class Drop>
std::shared_ptr<T> shared_with_gil(T* object, Drop drop) {
  return std::shared_ptr<T>(object, [drop](T* p) {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire gil;
    drop(p);
  });
}

ExternalPolicy policy_of(const std::string& name) {
  if (name == "beneath") return ExternalPolicy::Beneath;
  if (name == "hf-cache") return ExternalPolicy::HfCache;
  invalid_argument("there is no external data policy \"" + name + "\"", "the policies are beneath and hf-cache");
}

// A view that must not be written to may be one of memory that others write to.
bool may_change(nb::handle object, const Py_buffer& view) {
  if (!view.readonly) return true;
  if (!PyMemoryView_Check(object.ptr())) return false;
  PyObject* base = PyMemoryView_GET_BASE(object.ptr());
  Py_buffer writable;
  if (!base || PyObject_GetBuffer(base, &writable, PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    return false;
  }
  PyBuffer_Release(&writable);
  return true;
}

}  // namespace

HeldReader::HeldReader(nb::handle function)
    : function_(nb::borrow(function)), life_(std::make_shared<const nb::handle>(function)) {}

ExternalReader HeldReader::external() const {
  return [held = std::weak_ptr(life_)](const std::string& location, std::uint64_t offset,
                                       std::optional<std::uint64_t> length) {
    const nb::gil_scoped_acquire gil;
    nb::object function;
    if (const auto life = held.lock()) function = nb::borrow(*life);
    if (!function.is_valid()) invalid_argument("the reader of external data is gone, with all that held it");
    const nb::object count = length ? nb::object(nb::int_(*length)) : nb::none();
    return bytes_of(function(path_to_python(location), offset, count), "what the reader of external data returned");
  };
}

void HeldReader::clear() {
  life_.reset();
  function_.reset();
}

Limits limits_argument(nb::handle limits) {
  return limits.is_none() ? Limits{} : object_argument<Limits>(limits, "limits", "norn.Limits");
}

namespace {

// The elements of memory with gaps, one behind the other, after an error that said so.
SharedBytes contiguous(nb::handle object, const char* what) {
  const nb::python_error refused;  // takes the error
  try {
    const nb::object copy = nb::steal(PyMemoryView_FromObject(object.ptr()));
    if (copy.is_valid()) return bytes_of(copy.attr("tobytes")(), what);
    PyErr_Clear();
  } catch (const nb::python_error&) {
  }
  invalid_argument(std::string(what) + " is " + name_of_type(object) +
                   " whose memory cannot be read: " + refused.what());
}

}  // namespace

SharedBytes bytes_of(nb::handle object, const char* what) {
  if (!PyObject_CheckBuffer(object.ptr()))
    invalid_argument(std::string(what) + " is " + name_of_type(object) + ", not bytes");
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_SIMPLE) != 0) return contiguous(object, what);
  const auto held = shared_with_gil(view.release(), [](Py_buffer* p) {
    PyBuffer_Release(p);
    delete p;
  });
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(held->buf), static_cast<std::size_t>(held->len));
  if (!may_change(object, *held)) return {bytes, held};
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return {*copy, copy};
}

std::vector<std::string> paths_argument(nb::handle list, const char* name) {
  if (PyUnicode_Check(list.ptr()) || PyBytes_Check(list.ptr()))
    invalid_argument("folders are given as a list, not as one path", "write [folder]");
  std::vector<std::string> paths;
  for (nb::handle path : items_argument(list, name, "a list of folders")) paths.push_back(path_of(path, name));
  return paths;
}

HeldReader set_external_data(LoadOptions& options, nb::handle given, const char* name) {
  HeldReader reader;
  if (given.is_none()) return reader;
  if (PyUnicode_Check(given.ptr())) {
    options.external = policy_of(string_argument(given, name));
  } else if (nb::isinstance<ExternalDataPolicy>(given)) {
    const auto& policy = nb::cast<const ExternalDataPolicy&>(given);
    options.external = policy_of(policy.policy);
    options.external_roots.insert(options.external_roots.end(), policy.roots.begin(), policy.roots.end());
    options.external_hard_links = policy.hard_links;
    options.external_checksums = policy.checksums;
    reader = policy.reader;
  } else if (PyCallable_Check(given.ptr())) {
    reader = HeldReader(given);
  } else {
    invalid_argument(std::string(name) + " is " + name_of_type(given),
                     "give \"beneath\", \"hf-cache\", a norn.ExternalDataPolicy, or a function of location, offset and "
                     "length that returns bytes");
  }
  if (reader.function().is_valid()) options.external_reader = reader.external();
  return reader;
}

void register_loading(nb::module_& module) {
  nb::class_<ExternalDataPolicy>(
      module, "ExternalDataPolicy",
      R"(Where a model's external data may come from. Given as ``external_data`` to what loads a model.

``policy`` is "beneath", the model's folder and below with no links that lead out, or "hf-cache", which also follows the
links of the Hugging Face cache; ``roots`` are further folders; ``hard_links`` allows files with more than one hard
link; ``checksums`` compares files with the SHA-1 that the model gives, when they are first used.

``reader(location, offset, length)`` gives the bytes instead of files: ``length`` bytes, or all that follow where it is
None. It may be called from several threads at once, and what it raises ends the call that needed the bytes.)",
      nb::type_slots(ReaderSlots<ExternalDataPolicy>::slots))
      .def(
          "__init__",
          [](ExternalDataPolicy* self, const std::string& policy, PathsArg roots, bool hard_links, bool checksums,
             Arg<"_Reader"> reader) {
            policy_of(policy);
            if (!reader.is_none() && !PyCallable_Check(reader.ptr()))
              invalid_argument("the reader of external data is " + name_of_type(reader) + ", not a function");
            new (self) ExternalDataPolicy{policy, paths_argument(roots, "roots"), hard_links, checksums,
                                          reader.is_none() ? HeldReader() : HeldReader(reader)};
          },
          nb::arg("policy") = "beneath", nb::kw_only(), nb::arg("roots") = nb::tuple(), nb::arg("hard_links") = false,
          nb::arg("checksums") = false, nb::arg("reader") = nb::none())
      .def_ro("policy", &ExternalDataPolicy::policy)
      .def_prop_ro(
          "roots", [](const ExternalDataPolicy& self) -> Result<"list[str]"> {
            nb::list roots;
            for (const std::string& root : self.roots) roots.append(path_to_python(root));
            return roots;
          })
      .def_ro("hard_links", &ExternalDataPolicy::hard_links)
      .def_ro("checksums", &ExternalDataPolicy::checksums)
      .def_prop_ro(
          "reader", [](const ExternalDataPolicy& self) -> Result<"_Reader | None"> {
            const nb::handle function = self.reader.function();
            return function.is_valid() ? nb::borrow(function) : nb::none();
          })
      .def("__repr__", [](const ExternalDataPolicy& self) {
        return "<norn.ExternalDataPolicy \"" + self.policy + "\"" +
               (self.roots.empty() ? "" : ", " + std::to_string(self.roots.size()) + " roots") +
               (self.reader.function().is_valid() ? ", a reader" : "") + ">";
      });
}

}  // namespace norn::python
