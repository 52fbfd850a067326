#include "loading.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "errors.h"
#include "model.h"

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

ExternalReader reader_from(nb::handle callable) {
  const auto held = shared_with_gil(new nb::object(nb::borrow(callable)), [](nb::object* p) { delete p; });
  return [held](const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length) {
    const nb::gil_scoped_acquire gil;
    const nb::object name = nb::steal(
        PyUnicode_DecodeFSDefaultAndSize(location.data(), static_cast<Py_ssize_t>(location.size())));
    if (!name.is_valid()) throw nb::python_error();
    const nb::object count = length ? nb::object(nb::int_(*length)) : nb::none();
    return bytes_of((*held)(name, offset, count), "what the reader of external data returned");
  };
}

ExternalPolicy policy_of(const std::string& name) {
  if (name == "beneath") return ExternalPolicy::Beneath;
  if (name == "hf-cache") return ExternalPolicy::HfCache;
  invalid_argument("there is no external data policy \"" + name + "\"", "the policies are beneath and hf-cache");
}

}  // namespace

SharedBytes bytes_of(nb::handle object, const char* what) {
  if (!PyObject_CheckBuffer(object.ptr()))
    invalid_argument(std::string(what) + " is " + name_of_type(object) + ", not bytes");
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_SIMPLE) != 0) throw nb::python_error();
  const auto held = shared_with_gil(view.release(), [](Py_buffer* p) {
    PyBuffer_Release(p);
    delete p;
  });
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(held->buf), static_cast<std::size_t>(held->len));
  if (held->readonly) return {bytes, held};
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return {*copy, copy};
}

std::vector<std::string> paths_of(nb::handle list) {
  if (PyUnicode_Check(list.ptr()) || PyBytes_Check(list.ptr()))
    invalid_argument("folders are given as a list, not as one path", "write [folder]");
  std::vector<std::string> paths;
  for (nb::handle path : list) paths.push_back(path_of(path));
  return paths;
}

void set_external_data(LoadOptions& options, nb::handle given) {
  if (given.is_none()) return;
  if (PyUnicode_Check(given.ptr())) {
    options.external = policy_of(nb::cast<std::string>(given));
  } else if (nb::isinstance<ExternalDataPolicy>(given)) {
    const auto& policy = nb::cast<const ExternalDataPolicy&>(given);
    options.external = policy_of(policy.policy);
    options.external_roots.insert(options.external_roots.end(), policy.roots.begin(), policy.roots.end());
    options.external_hard_links = policy.hard_links;
    options.external_checksums = policy.checksums;
    if (!policy.reader.is_none()) options.external_reader = reader_from(policy.reader);
  } else if (PyCallable_Check(given.ptr())) {
    options.external_reader = reader_from(given);
  } else {
    invalid_argument("external_data is " + name_of_type(given),
                     "give \"beneath\", \"hf-cache\", a norn.ExternalDataPolicy, or a function of location, offset and "
                     "length that returns bytes");
  }
}

void register_loading(nb::module_& module) {
  nb::class_<ExternalDataPolicy>(module, "ExternalDataPolicy", "Where a model's external data may come from.")
      .def(
          "__init__",
          [](ExternalDataPolicy* self, const std::string& policy, nb::handle roots, bool hard_links, bool checksums,
             nb::object reader) {
            policy_of(policy);
            if (!reader.is_none() && !PyCallable_Check(reader.ptr()))
              invalid_argument("the reader of external data is " + name_of_type(reader) + ", not a function");
            new (self) ExternalDataPolicy{policy, paths_of(roots), hard_links, checksums, std::move(reader)};
          },
          nb::arg("policy") = "beneath", nb::kw_only(), nb::arg("roots") = nb::tuple(), nb::arg("hard_links") = false,
          nb::arg("checksums") = false, nb::arg("reader") = nb::none())
      .def_ro("policy", &ExternalDataPolicy::policy)
      .def_ro("roots", &ExternalDataPolicy::roots)
      .def_ro("hard_links", &ExternalDataPolicy::hard_links)
      .def_ro("checksums", &ExternalDataPolicy::checksums)
      .def_ro("reader", &ExternalDataPolicy::reader)
      .def("__repr__", [](const ExternalDataPolicy& self) {
        return "<norn.ExternalDataPolicy \"" + self.policy + "\"" +
               (self.roots.empty() ? "" : ", " + std::to_string(self.roots.size()) + " roots") +
               (self.reader.is_none() ? "" : ", a reader") + ">";
      });
}

}  // namespace norn::python
