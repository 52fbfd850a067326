// What loading takes: bytes of any buffer, external data under a policy, a reader of external data that is Python code.
//
// A reader may be called from any thread while the GIL is released; an exception that it raises goes through the
// library unchanged. So whatever may read external data has to release the GIL first.
//
// A reader is often a method of what holds the model or the session: a cycle that Python's garbage collector breaks
// only if it sees every reference to the reader. It cannot see those in C++ state. So these are weak, and Python's
// objects, which show theirs to the collector, hold the reader.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

// The memory of an object with the buffer protocol, kept alive; a buffer that may change is copied. Throws norn::Error
// for another object, named `what` in the message.
SharedBytes bytes_of(nb::handle object, const char* what);

// A hold on a reader of external data that is a Python function; empty if there is none. Copied, cleared and destroyed
// with the GIL held. Each hold has a reference of its own, as the garbage collector counts them.
class HeldReader {
 public:
  HeldReader() = default;
  explicit HeldReader(nb::handle function);
  // What the library calls: it throws once all holds are destroyed.
  ExternalReader external() const;
  nb::handle function() const { return function_; }
  void clear();

 private:
  nb::object function_;
  std::shared_ptr<const nb::handle> life_;  // after function_: ends before the reference does
};

// The slots of a class with a HeldReader `reader`, which let the garbage collector see it.
template <class T>
struct ReaderSlots {
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<T>(self)->reader.function().ptr());
    return 0;
  }
  static int clear(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<T>(self)->reader.clear();
    return 0;
  }
  static inline PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};
};

// Where a model's external data may come from (norn.ExternalDataPolicy).
struct ExternalDataPolicy {
  std::string policy = "beneath";
  std::vector<std::string> roots;
  bool hard_links = false, checksums = false;
  HeldReader reader;
};

// `external_data` is None ("beneath"), the name of a policy, an ExternalDataPolicy or a reader, which is to be held for
// as long as the options are used.
[[nodiscard]] HeldReader set_external_data(LoadOptions& options, nb::handle external_data,
                                           const char* name = "external_data");
std::vector<std::string> paths_argument(nb::handle list, const char* name);
Limits limits_argument(nb::handle limits);  // None: the defaults

void register_loading(nb::module_& module);

}  // namespace norn::python
