// A model file is edited where it lies, without loading it; any other model is edited in memory.
#include "edit.h"

#include <nanobind/stl/string.h>

#include <string>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "signatures.h"

namespace norn::python {

namespace {

std::uint64_t size_from(nb::handle number, const char* what) {
  std::uint64_t value = 0;
  if (!nb::try_cast(number, value)) invalid_argument(std::string(what) + " is a number of bytes, 0 or more");
  return value;
}

// Calls write(path, out, options) for a file and write(model, out) for any other model, without the GIL.
template <class Write>
void edit(ModelArg src, PathArg dst, ExternalDataArg external_data, const Write& write) {
  const std::string out = path_of(dst, "dst");
  if (is_path(src)) {
    const std::string in = path_of(src, "src");
    LoadOptions options;
    const HeldReader reader = set_external_data(options, external_data);
    const nb::gil_scoped_release release;
    return write(in, out, options);
  }
  const HeldModel model = to_model(src, {}, external_data);
  const nb::gil_scoped_release release;
  write(model, out);
}

}  // namespace

UnpackOptions unpack_options(nb::handle given) {
  UnpackOptions options;
  if (PyUnicode_Check(given.ptr())) {
    options.location = path_of(given, "external_data");
    return options;
  }
  if (!PyDict_Check(given.ptr())) {
    invalid_argument("external_data is " + name_of_type(given), "give the name of the data file, or a dict of options");
  }
  for (const auto [key, value] : nb::borrow<nb::dict>(given)) {
    const auto name = std::string(nb::str(key).c_str());
    if (name == "location")
      options.location = path_of(value, "location");
    else if (name == "size_threshold")
      options.threshold = size_from(value, "size_threshold");
    else if (name == "alignment")
      options.alignment = size_from(value, "alignment");
    else if (name == "max_file_bytes")
      options.max_file_bytes = size_from(value, "max_file_bytes");
    else if (name == "checksums")
      options.checksums = bool_argument(value, "checksums");
    else
      invalid_argument("there is no option \"" + name + "\" for external data",
                       "location, size_threshold, alignment, max_file_bytes and checksums");
  }
  return options;
}

void register_edits(nb::module_& module) {
  module.def(
      "pack_external_data",
      [](ModelArg src, PathArg dst, bool allow_over_2gib, ExternalDataArg external_data) {
        const PackOptions packing{.allow_over_2gib = allow_over_2gib};
        edit(src, dst, external_data, [&](const auto& from, const std::string& out, const auto&... options) {
          pack(from, out, packing, options...);
        });
      },
      nb::arg("src"), nb::arg("dst"), nb::kw_only(), nb::arg("allow_over_2gib") = false,
      nb::arg("external_data") = nb::none(),
      R"(Writes the model with all its tensors in the one file; ``dst`` may be ``src``.

A file is never loaded whole. ONNX keeps files below 2 GiB: a larger one, which libraries built on protobuf do not read,
needs ``allow_over_2gib``. All else in the model stays as it is, byte for byte.)");
  module.def(
      "unpack_external_data",
      [](ModelArg src, PathArg dst, TextArg location, std::uint64_t size_threshold, std::uint64_t alignment,
         std::uint64_t max_file_bytes, bool checksums, ExternalDataArg external_data) {
        const UnpackOptions unpacking{location.is_none() ? std::string() : path_of(location, "location"),
                                      size_threshold, alignment, max_file_bytes, checksums};
        edit(src, dst, external_data, [&](const auto& from, const std::string& out, const auto&... options) {
          unpack(from, out, unpacking, options...);
        });
      },
      nb::arg("src"), nb::arg("dst"), nb::arg("location") = nb::none(), nb::kw_only(),
      nb::arg("size_threshold") = UnpackOptions{}.threshold, nb::arg("alignment") = UnpackOptions{}.alignment,
      nb::arg("max_file_bytes") = UnpackOptions{}.max_file_bytes, nb::arg("checksums") = false,
      nb::arg("external_data") = nb::none(),
      R"(Writes the model with its tensors in a data file beside it; ``dst`` may be ``src``.

The file is ``location``, by default named after ``dst``. Tensors of fewer than ``size_threshold`` bytes stay in the
model; each begins at a multiple of ``alignment`` bytes. Beyond ``max_file_bytes`` (0 is no bound, 1 gives each tensor
its own file) another file is begun. ``checksums`` writes the files' SHA-1 into the model. A file is never loaded whole,
and a data file that exists with other content is never written over. It gets the permissions of the model's file.
Strings stay in the model, and so does what few readers look for in data files: parts of sparse tensors, training
information, functions' defaults of attributes and initializers of graphs in functions.)");
  module.def(
      "strip_tensor_data",
      [](ModelArg src, PathArg dst, ExternalDataArg external_data) {
        edit(src, dst, external_data,
             [&](const auto& from, const std::string& out, const auto&... options) { strip(from, out, options...); });
      },
      nb::arg("src"), nb::arg("dst"), nb::kw_only(), nb::arg("external_data") = nb::none(),
      "Writes the model without the contents of its tensors: names, types and shapes stay. It cannot be run.");
}

}  // namespace norn::python
