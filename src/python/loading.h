// What loading takes: bytes of any buffer, external data under a policy, a reader of external data that is Python code.
//
// A reader may be called from any thread while the GIL is released; an exception that it raises goes through the
// library unchanged. So whatever may read external data has to release the GIL first.
#pragma once
#include <nanobind/nanobind.h>

#include "norn/model.h"

namespace norn::python {

namespace nb = nanobind;

// The memory of an object with the buffer protocol, kept alive; a buffer that may change is copied. Throws norn::Error
// for another object, told as `what`.
SharedBytes bytes_of(nb::handle object, const char* what);

// Where a model's external data may come from (norn.ExternalDataPolicy).
struct ExternalDataPolicy {
  std::string policy = "beneath";
  std::vector<std::string> roots;
  bool hard_links = false, checksums = false;
  nb::object reader = nb::none();
};

// `external_data` is None ("beneath"), the name of a policy, an ExternalDataPolicy or a reader.
void set_external_data(LoadOptions& options, nb::handle external_data);
std::vector<std::string> paths_of(nb::handle list);

void register_loading(nb::module_& module);

}  // namespace norn::python
