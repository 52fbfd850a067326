#include "model.h"

#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string_view>

#include "edit.h"
#include "errors.h"
#include "loading.h"
#include "norn/edit.h"
#include "norn/opset.h"
#include "signatures.h"

namespace norn::python {

namespace {

Model parse(nb::handle buffer, const LoadOptions& options) {
  const SharedBytes held = bytes_of(buffer, "the model's content");
  const nb::gil_scoped_release release;
  return Model::parse(held.bytes, options, held.owner);
}

Format format_from(nb::handle name) {
  if (name.is_none()) return Format::Auto;
  const std::string text = string_argument(name, "format");
  if (text == "protobuf" || text == "onnx") return Format::Binary;
  if (text == "onnxtxt") return Format::OnnxText;
  if (text == "json") return Format::Json;
  if (text == "textproto") return Format::ProtoText;
  invalid_argument("there is no format \"" + text + "\"", "the formats are protobuf, onnxtxt, json and textproto");
}

HeldModel load(ModelArg model, TextArg format, LimitsArg limits, bool mmap, ExternalDataArg external_data,
               PathsArg external_roots) {
  LoadOptions options;
  options.limits = limits_argument(limits);
  options.mmap = mmap;
  options.format = format_from(format);
  options.external_roots = paths_argument(external_roots, "external_roots");
  if (nb::isinstance<HeldModel>(model)) {
    const char* given = !options.external_roots.empty() ? "external_roots"
                        : !format.is_none()             ? "format"
                        : !limits.is_none()             ? "limits"
                        : !mmap                         ? "mmap"
                                                        : nullptr;
    if (given) {
      invalid_argument("a norn.Model is loaded already, so that " + std::string(given) + " comes too late",
                       "give it to the norn.load that reads the model");
    }
  }
  return to_model(model, std::move(options), external_data);
}

void save(ModelArg object, PathArg target, TextArg format,
          Arg<"str | collections.abc.Mapping[str, typing.Any]"> external_data) {
  const HeldModel model = to_model(object);
  const std::string path = path_of(target, "path");
  const Format as = format_from(format);
  if (external_data.is_none()) {
    const nb::gil_scoped_release release;
    return model.save(path, as);
  }
  const UnpackOptions options = unpack_options(external_data);
  if (as != Format::Auto && as != format_of(path)) {
    invalid_argument("a model whose tensors go to a data file is written in the notation of its extension",
                     "leave format out, or choose the extension that fits it");
  }
  const nb::gil_scoped_release release;
  unpack(model, path, options);
}

nb::bytes serialize(const HeldModel& model) {
  std::vector<std::byte> bytes;
  {
    const nb::gil_scoped_release release;
    bytes = model.serialize();
  }
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void register_summary(nb::module_& module) {
  nb::class_<ModelSummary> summary(
      module, "ModelSummary",
      "What people want to know first about a model; ``str()`` of it is a page for a terminal.");
  summary.def_prop_ro("path", shown_member(&ModelSummary::path))
      .def_prop_ro("graph_name", shown_member(&ModelSummary::graph_name))
      .def_prop_ro("producer", shown_member(&ModelSummary::producer))
      .def_prop_ro("doc_string", shown_member(&ModelSummary::doc_string))
      .def_ro("ir_version", &ModelSummary::ir_version)
      .def_ro("model_version", &ModelSummary::model_version)
      .def_prop_ro("operators", shown_member(&ModelSummary::operators),
                   "(operator, how many), most frequent first; subgraphs and functions included.")
      .def_ro("nodes", &ModelSummary::nodes)
      .def_ro("subgraphs", &ModelSummary::subgraphs)
      .def_ro("functions", &ModelSummary::functions)
      .def_ro("initializers", &ModelSummary::initializers)
      .def_ro("parameters", &ModelSummary::parameters, "Elements of all initializers.")
      .def_ro("parameter_bytes", &ModelSummary::parameter_bytes, "As stored, external data included.")
      .def_ro("file_bytes", &ModelSummary::file_bytes, "0 if the model did not come from a file.")
      .def_prop_ro("metadata", shown_member(&ModelSummary::metadata))
      .def_prop_ro(
          "opsets",
          [](const ModelSummary& self) {
            std::vector<std::pair<std::string, std::int64_t>> opsets;
            for (const auto& opset : self.opsets) opsets.emplace_back(opset.domain, opset.version);
            return shown(opsets);
          },
          R"((domain, version); "" is ai.onnx.)")
      .def("to_json", [](const ModelSummary& self) { return text_of(self.to_json()); })
      .def("__str__", [](const ModelSummary& self) { return text_of(self.to_string()); });
  const auto values = [](const std::vector<ModelSummary::Value>& from) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& value : from) pairs.emplace_back(value.name, value.type);
    return shown(pairs);
  };
  summary.def_prop_ro(
      "inputs", [values](const ModelSummary& self) { return values(self.inputs); },
      R"((name, type), without those that an initializer gives; a type reads "float[N,3,224,224]".)");
  summary.def_prop_ro("outputs", [values](const ModelSummary& self) { return values(self.outputs); });
}

}  // namespace

std::string message_of(nb::handle proto) {
  if (nb::isinstance<HeldModel>(proto)) return "ModelProto";
  if (nb::isinstance<OperatorSet>(proto)) return "OperatorSetProto";
  const nb::object name = nb::getattr(nb::getattr(proto, "DESCRIPTOR", nb::none()), "name", nb::none());
  std::string text;
  if (!PyUnicode_Check(name.ptr()) || !nb::try_cast(name, text))
    text = nb::cast<std::string>(proto.type().attr("__name__"));
  return text;
}

bool is_onnx_message(std::string_view name) {
  constexpr std::string_view kNames[] = {"AttributeProto",   "FunctionProto", "GraphProto",       "MapProto",
                                         "ModelProto",       "NodeProto",     "OperatorProto",    "OperatorSetIdProto",
                                         "OperatorSetProto", "OptionalProto", "SequenceProto",    "SparseTensorProto",
                                         "TensorAnnotation", "TensorProto",   "TensorShapeProto", "TrainingInfoProto",
                                         "TypeProto",        "ValueInfoProto"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

nb::object serialized(nb::handle proto, std::string_view message) {
  if (PyType_Check(proto.ptr())) {
    const auto name = nb::cast<std::string>(proto.attr("__qualname__"));
    invalid_argument("the class " + name + " was given, not an object of it");
  }
  const std::string name = message_of(proto);
  if (!message.empty() && name != message && is_onnx_message(name)) {
    invalid_argument("an object of type " + name + " was given, where " + std::string(message) + " belongs");
  }
  return nb::module_::import_("norn._protos").attr("serialized")(proto);
}

bool is_path(nb::handle object) {
  return PyUnicode_Check(object.ptr()) || (!PyType_Check(object.ptr()) && nb::hasattr(object, "__fspath__"));
}

std::string path_of(nb::handle object, const char* name) {
  if (!is_path(object) && !PyBytes_Check(object.ptr())) wrong_type(object, name, "a path, a str or an os.PathLike");
  const nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid()) throw nb::python_error();
  PyObject* encoded = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), static_cast<void*>(&encoded))) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw nb::python_error();
    PyErr_Clear();
    invalid_argument(std::string(name) + " has a character that no path has: " + nb::repr(path).c_str());
  }
  const nb::bytes owned = nb::steal<nb::bytes>(encoded);
  return std::string(owned.c_str(), owned.size());
}

nb::str path_to_python(std::string_view path) {
  nb::object decoded = nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
  if (!decoded.is_valid()) throw nb::python_error();
  return nb::borrow<nb::str>(decoded);
}

namespace {

// A pipe or a device, which has no size. What is only like a file is none.
bool is_stream(nb::handle file) {
  try {
    const nb::module_ os = nb::module_::import_("os");
    const nb::object mode = os.attr("fstat")(file.attr("fileno")()).attr("st_mode");
    return !nb::cast<bool>(nb::module_::import_("stat").attr("S_ISREG")(mode));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    return false;
  }
}

// Part by part, because it may have no end.
nb::object content_of_stream(nb::handle file, const Limits& limits) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const bool stream = limits.max_stream_bytes < limits.max_bytes;
  const std::uint64_t most = stream ? limits.max_stream_bytes : limits.max_bytes;
  nb::list parts;
  for (std::uint64_t size = 0;;) {
    nb::object part = file.attr("read")(kPart);
    if (!part.is_none() && !PyBytes_Check(part.ptr())) return part;
    if (part.is_none() || PyBytes_GET_SIZE(part.ptr()) == 0) return nb::bytes("", 0).attr("join")(parts);
    parts.append(part);
    size += static_cast<std::uint64_t>(PyBytes_GET_SIZE(part.ptr()));
    if (size > most) {
      const char* limit = stream ? "max_stream_bytes" : "max_bytes";
      throw Error(ErrorCode::LimitExceeded,
                  "the file object goes on beyond " + std::to_string(most) + " bytes (limit " + limit + ")");
    }
  }
}

nb::object content_of(nb::handle file, const Limits& limits) {
  try {
    return is_stream(file) ? content_of_stream(file, limits) : file.attr("read")();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_UnicodeDecodeError)) throw;
  }
  invalid_argument("the file was opened for reading text, and its content is not text", "open files with mode \"rb\"");
}

Model read_model(nb::handle object, const LoadOptions& options) {
  if (PyBytes_Check(object.ptr())) return parse(object, options);
  if (is_path(object)) {
    const std::string path = path_of(object, "model");
    const nb::gil_scoped_release release;
    return Model::load(path, options);
  }
  if (nb::hasattr(object, "SerializeToString")) {
    if (options.format != Format::Auto && options.format != Format::Binary)
      invalid_argument("an object with SerializeToString is in no notation", "leave format out");
    return parse(serialized(object, "ModelProto"), options);
  }
  if (nb::hasattr(object, "__array_interface__") && nb::cast<std::size_t>(object.attr("itemsize")) != 1)
    invalid_argument("an array of numbers (" + name_of_type(object) + ") is not a model",
                     "give the model first; arrays are fed to InferenceSession.run");
  if (PyObject_CheckBuffer(object.ptr())) return parse(object, options);
  if (nb::hasattr(object, "read") && !PyType_Check(object.ptr())) {
    const nb::object content = content_of(object, options.limits);
    if (PyBytes_Check(content.ptr())) return parse(content, options);
    invalid_argument("the model's content is " + name_of_type(content) + ", not bytes", "open files with mode \"rb\"");
  }
  invalid_argument("an object of type " + name_of_type(object) + " is not a model",
                   "give a path, bytes, a file object opened with \"rb\", an onnx.ModelProto or a norn.Model");
}

}  // namespace

HeldModel to_model(nb::handle object, LoadOptions options, nb::handle external_data) {
  if (nb::isinstance<HeldModel>(object)) {
    if (!external_data.is_none()) {
      invalid_argument("a norn.Model is loaded already, and its external data comes from where that said",
                       "give external_data to norn.load");
    }
    return nb::cast<HeldModel>(object);
  }
  HeldReader reader = set_external_data(options, external_data);
  return {read_model(object, options), std::move(reader)};
}

void register_model(nb::module_& module) {
  nb::class_<Limits>(module, "Limits",
                     "Bounds on what reading a model may cost; more is refused with :class:`norn.LimitExceeded`.")
      .def(
          "__init__",
          [](Limits* self, std::uint64_t max_bytes, std::uint64_t max_tensor_bytes, std::uint64_t max_nodes,
             int max_depth, std::uint64_t max_expanded_nodes, std::uint64_t max_stream_bytes) {
            new (self) Limits{max_bytes, max_tensor_bytes, max_nodes, max_depth, max_expanded_nodes, max_stream_bytes};
          },
          nb::kw_only(), nb::arg("max_bytes") = Limits{}.max_bytes,
          nb::arg("max_tensor_bytes") = Limits{}.max_tensor_bytes, nb::arg("max_nodes") = Limits{}.max_nodes,
          nb::arg("max_depth") = Limits{}.max_depth, nb::arg("max_expanded_nodes") = Limits{}.max_expanded_nodes,
          nb::arg("max_stream_bytes") = Limits{}.max_stream_bytes)
      .def_rw("max_bytes", &Limits::max_bytes, "Bytes of one file.")
      .def_rw("max_tensor_bytes", &Limits::max_tensor_bytes, "Bytes of one tensor in memory.")
      .def_rw("max_nodes", &Limits::max_nodes, "Nodes over all graphs and functions.")
      .def_rw("max_depth", &Limits::max_depth, "Nested messages: graphs in attributes, types in types.")
      .def_rw("max_expanded_nodes", &Limits::max_expanded_nodes, "Nodes after functions are replaced by their bodies.")
      .def_rw("max_stream_bytes", &Limits::max_stream_bytes,
              "Bytes of what has no size: a pipe, a device. ``max_bytes`` holds, too.")
      .def("__repr__", [](const Limits& self) {
        return "Limits(max_bytes=" + std::to_string(self.max_bytes) +
               ", max_tensor_bytes=" + std::to_string(self.max_tensor_bytes) +
               ", max_nodes=" + std::to_string(self.max_nodes) + ", max_depth=" + std::to_string(self.max_depth) +
               ", max_expanded_nodes=" + std::to_string(self.max_expanded_nodes) +
               ", max_stream_bytes=" + std::to_string(self.max_stream_bytes) + ")";
      });

  register_summary(module);

  nb::class_<HeldModel>(
      module, "Model",
      R"(A model as a document. Immutable, and safe to use from any number of threads. Made by :func:`norn.load`.)",
      nb::type_slots(ReaderSlots<HeldModel>::slots))
      .def("SerializeToString", serialize, "The bytes of the ModelProto.")
      .def(
          "to_text",
          [](const HeldModel& self, std::size_t max_elements) {
            std::string text;
            {
              const nb::gil_scoped_release release;
              text = self.to_text(max_elements);
            }
            return text_of(text);
          },
          nb::arg("max_elements") = 16,
          R"(The model in ONNX text syntax.

Tensors of more than ``max_elements`` elements are shown by their first few, eight at most, and such a text cannot be
read back: :func:`norn.to_text` writes all of them.)")
      .def("summary", &Model::summary, nb::call_guard<nb::gil_scoped_release>(),
           "What people want to know first about the model.")
      .def_prop_ro(
          "path", [](const HeldModel& self) { return path_to_python(self.path()); },
          R"(The file it was loaded from; "" if it was not.)")
      .def("__repr__", [](const HeldModel& self) {
        ModelSummary summary;
        {
          const nb::gil_scoped_release release;
          summary = self.summary();
        }
        return text_of("<norn.Model \"" + (self.path().empty() ? summary.graph_name : self.path()) +
                       "\": " + std::to_string(summary.nodes) + " nodes, " + std::to_string(summary.parameters) +
                       " parameters>");
      });

  module.def("load", load, nb::arg("model"), nb::kw_only(), nb::arg("format") = nb::none(),
             nb::arg("limits") = nb::none(), nb::arg("mmap") = true, nb::arg("external_data") = nb::none(),
             nb::arg("external_roots") = nb::tuple(),
             R"(Reads a model. It may be invalid ONNX: :func:`norn.check` or running it finds out.

The notation follows from a path's extension (.onnx .pb, .onnxtxt .onnxtext, .json .onnxjson, .textproto .pbtxt) unless
``format`` names it: "protobuf", "onnxtxt", "json", "textproto". A binary file is mapped, not read; ``mmap=False`` is
for a file that others may truncate while it is in use. Bytes are used in place.

External data lies beneath the model's folder. ``external_data`` says otherwise: "hf-cache" also follows the links of
the Hugging Face cache, :class:`norn.ExternalDataPolicy` has everything that can be said, and a function of location,
offset and length (or None) gives the bytes itself. ``external_roots`` are further folders. A model from memory has no
folder of its own.

Large binary models are read by several threads, at most four, and the GIL is released; in a child after a fork the
calling thread reads alone.

Raises :class:`norn.NoSuchFile`, :class:`norn.IoError`, :class:`norn.InvalidProtobuf` (``where`` has the byte offset, or
line and column) and :class:`norn.LimitExceeded`.)");
  module.def("save", save, nb::arg("model"), nb::arg("path"), nb::kw_only(), nb::arg("format") = nb::none(),
             nb::arg("external_data") = nb::none(),
             R"(Writes the model in the notation of the extension, or of ``format``, as for :func:`load`.

It goes to a temporary file beside ``path``, renamed over it when complete. Its data files are copied along.

With ``external_data``, the name of a data file beside ``path``, tensors go there: see :func:`unpack_external_data`,
whose ``location``, ``size_threshold``, ``alignment``, ``max_file_bytes`` and ``checksums`` a dict may give.)");
}

}  // namespace norn::python
