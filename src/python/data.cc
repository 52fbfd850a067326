// Values out of a file share its mapping, which cannot be written to; arrays that Python code gets are its own to
// change, as numpy.load's are, so they are copied out.
#include "norn/data.h"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data.h"
#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/check.h"
#include "signatures.h"
#include "values.h"

namespace norn::python {

namespace nb = nanobind;

namespace {

Value owned(const Value& value) {
  if (value.is_tensor()) return value.tensor().dtype() == DataType::String ? value : value.tensor().clone();
  if (value.is_sequence()) {
    Sequence sequence;
    for (const Value& item : value.sequence().items) sequence.items.push_back(owned(item));
    return sequence;
  }
  if (value.is_map()) {
    Map map{value.map().keys, {}};
    for (const Value& item : value.map().values) map.values.push_back(owned(item));
    return map;
  }
  if (value.is_sparse()) {
    const SparseTensor& sparse = value.sparse();
    return SparseTensor{sparse.values.clone(), sparse.indices.clone(), sparse.dims};
  }
  return value;
}

std::optional<DataKind> kind_from(nb::handle name) {
  if (name.is_none()) return {};
  return data_kind_from_name(string_argument(name, "kind"));
}

AnyResult load_one(PathArg file, TextArg kind, LimitsArg limits) {
  const std::string path = path_of(file, "path");
  const auto as = kind_from(kind);
  const Limits bounds = limits_argument(limits);
  Value value;
  {
    const nb::gil_scoped_release release;
    value = owned(load_value(path, as, bounds));
  }
  return to_python(value);
}

Result<"dict[str, typing.Any]"> load_all(PathArg file, TextArg kind, LimitsArg limits) {
  const std::string path = path_of(file, "path");
  const auto as = kind_from(kind);
  const Limits bounds = limits_argument(limits);
  std::vector<std::pair<std::string, Value>> values;
  {
    const nb::gil_scoped_release release;
    values = load_values(path, bounds, as);
    for (auto& [name, value] : values) value = owned(value);
  }
  nb::dict result;
  for (auto& [name, value] : values) {
    result[path_to_python(name)] = to_python(value);
  }
  return result;
}

void save_one(PathArg file, AnyArg value, const std::string& name) {
  const std::string path = path_of(file, "path");
  const Value converted = to_value(value, {});
  const nb::gil_scoped_release release;
  save_value(converted, path, name);
}

void save_all(PathArg file, FeedsArg values, bool compress) {
  const std::string path = path_of(file, "path");
  if (!PyDict_Check(values.ptr())) {
    invalid_argument("the values to save are " + name_of_type(values) + ", not a dict of name to value",
                     "norn.save_value saves one value");
  }
  std::vector<std::pair<std::string, Value>> converted;
  for (const auto [name, value] : nb::borrow<nb::dict>(values)) {
    if (!PyUnicode_Check(name.ptr())) invalid_argument("a value's name is a str, not " + name_of_type(name));
    converted.emplace_back(path_of(name, "a value's name"), to_value(value, {}));
  }
  const nb::gil_scoped_release release;
  save_values(converted, path, compress);
}

struct KindOfMessage {
  std::string_view message;
  DataKind kind;
};
constexpr KindOfMessage kMessages[] = {{"TensorProto", DataKind::Tensor},
                                       {"SparseTensorProto", DataKind::SparseTensor},
                                       {"SequenceProto", DataKind::Sequence},
                                       {"MapProto", DataKind::Map},
                                       {"OptionalProto", DataKind::Optional}};

// A proto has its kind; that of a file or of bytes may be open.
std::optional<DataKind> kind_of_proto(nb::handle object) {
  const std::string name = message_of(object);
  for (const auto& [message, kind] : kMessages)
    if (name == message) return kind;
  if (is_onnx_message(name)) {
    invalid_argument("an object of type " + name + " was given, which is not data",
                     "data is a TensorProto, SparseTensorProto, SequenceProto, MapProto or OptionalProto");
  }
  return {};
}

std::string_view message_of_kind(std::optional<DataKind> kind) {
  for (const auto& row : kMessages)
    if (kind == row.kind) return row.message;
  return {};
}

Report check_one(Arg<"_Path | bytes | _Serializable"> data, TextArg kind, const std::string& profile,
                 LimitsArg limits) {
  CheckOptions options;
  options.profile = profile_from_name(profile);
  options.limits = limits_argument(limits);
  auto as = kind_from(kind);
  if (is_path(data)) {
    const std::string path = path_of(data, "data");
    const nb::gil_scoped_release release;
    return check_data(path, as, options);
  }
  const bool proto = nb::hasattr(data, "SerializeToString");
  if (proto && !PyType_Check(data.ptr()) && !as) as = kind_of_proto(data);
  const SharedBytes message = bytes_of(proto ? serialized(data, message_of_kind(as)) : nb::borrow(data), "the data");
  const nb::gil_scoped_release release;
  return check_data(message.bytes, as, options);
}

}  // namespace

void register_data(nb::module_& module) {
  module.def("load_value", load_one, nb::arg("path"), nb::arg("kind") = nb::none(), nb::kw_only(),
             nb::arg("limits") = nb::none(),
             R"(The value in a data file: .npy, .npz of one array, or a message of ONNX's test data (.pb).

``kind`` is "tensor", "sparse_tensor", "sequence", "map" or "optional"; without it the bytes decide where they can be
one kind only (a sequence of one value and an optional of it are the same bytes). Values are those of a session. A file,
array or message beyond ``limits`` raises :class:`norn.LimitExceeded`.)");
  module.def(
      "save_value", save_one, nb::arg("path"), nb::arg("value").none(), nb::kw_only(), nb::arg("name") = "",
      R"(Writes a value to a data file: .npy and .npz by the extension, else the message that fits the value, under
``name``.)");
  module.def("load_values", load_all, nb::arg("path"), nb::kw_only(), nb::arg("kind") = nb::none(),
             nb::arg("limits") = nb::none(),
             R"(The values in a data file by name: an .npz archive, or the one value of another file. Never unpickles.

Types that NumPy has no name for (bfloat16, float8, int4, ...) come back as they were if Norn wrote the archive.
``kind`` and ``limits`` are as for :func:`load_value`; an archive's arrays have ``max_bytes`` together.)");
  module.def(
      "save_values", save_all, nb::arg("path"), nb::arg("values"), nb::kw_only(), nb::arg("compress") = false,
      "Writes tensors by name to an .npz archive, which ``numpy.load`` reads; a .npy or .pb file takes one value.");
  module.def(
      "check_data", check_one, nb::arg("data"), nb::arg("kind") = nb::none(), nb::kw_only(),
      nb::arg("profile") = "spec", nb::arg("limits") = nb::none(),
      R"(Every finding about a data file's message: a path, bytes or a proto; ``kind`` is as for :func:`load_value`.

No rule binds .npy and .npz files: those that can be read have no findings. Raises :class:`norn.InvalidProtobuf` for
bytes that are no such message.)");
}

}  // namespace norn::python
