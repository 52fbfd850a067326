#include "document.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/check.h"
#include "norn/external.h"
#include "norn/opset.h"
#include "norn/text.h"
#include "signatures.h"

namespace norn::python {

namespace nb = nanobind;

namespace {

nb::bytes to_bytes(std::span<const std::byte> bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Calls what touches no Python object, while other threads may have the GIL.
template <class F>
auto without_gil(F&& call) {
  const nb::gil_scoped_release release;
  return call();
}

// Rules' names live as long as the program does; those out of a pickle need not be the checker's own.
std::string_view kept(const std::string& rule) {
  static std::set<std::string> names;  // the GIL guards it
  return *names.insert(rule).first;
}

Severity severity_from_name(std::string_view name) {
  for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
    if (severity_name(severity) == name) return severity;
  invalid_argument("there is no severity \"" + std::string(name) + "\"");
}

// The serialised message behind bytes or an object with SerializeToString.
SharedBytes message_bytes(nb::handle object, const char* what, std::string_view message) {
  if (nb::hasattr(object, "SerializeToString")) return bytes_of(serialized(object, message), what);
  if (PyObject_CheckBuffer(object.ptr())) return bytes_of(object, what);
  invalid_argument(std::string(what) + " is bytes or a proto, not " + name_of_type(object));
}

struct PartName {
  std::string_view name, message;
  PartKind kind;
};

const PartName& part_of(std::string_view name) {
  static constexpr PartName kParts[] = {{"graph", "GraphProto", PartKind::Graph},
                                        {"node", "NodeProto", PartKind::Node},
                                        {"attribute", "AttributeProto", PartKind::Attribute},
                                        {"tensor", "TensorProto", PartKind::Tensor},
                                        {"sparse_tensor", "SparseTensorProto", PartKind::SparseTensor},
                                        {"value_info", "ValueInfoProto", PartKind::ValueInfo},
                                        {"function", "FunctionProto", PartKind::Function}};
  for (const PartName& part : kParts)
    if (part.name == name) return part;
  invalid_argument("there is no kind of part \"" + std::string(name) + "\"",
                   "graph, node, attribute, tensor, sparse_tensor, value_info or function");
}

std::string_view message_of_part(Part part) {
  switch (part) {
    case Part::Graph: return "GraphProto";
    case Part::Function: return "FunctionProto";
    case Part::Node: return "NodeProto";
    default: return "ModelProto";
  }
}

Report report_in_python_terms(Report report) {
  for (Diagnostic& d : report.diagnostics) d.hint = python::in_python_terms(std::move(d.hint));
  return report;
}

CheckOptions options_of(const std::string& profile, bool checksums, bool check_custom_domain,
                        bool skip_opset_compatibility_check, const std::vector<OperatorSet>& operator_sets,
                        std::size_t max_findings) {
  CheckOptions options;
  options.max_findings = max_findings;
  options.profile = profile_from_name(profile);
  options.checksums = checksums;
  options.check_custom_domain = check_custom_domain;
  options.skip_opset_compatibility_check = skip_opset_compatibility_check;
  options.operator_sets = operator_sets;
  return options;
}

void register_check(nb::module_& module) {
  nb::class_<Diagnostic>(module, "Diagnostic",
                         "One finding: the rule it breaks, its severity, where it is, what is wrong, what would help.")
      .def_prop_ro("rule", [](const Diagnostic& d) { return std::string(d.rule); })
      .def_prop_ro(
          "severity", [](const Diagnostic& d) { return std::string(severity_name(d.severity)); },
          R"("error", "warning" or "note".)")
      .def_prop_ro("where", [](const Diagnostic& d) { return text_of(d.where); })
      .def_prop_ro("message", [](const Diagnostic& d) { return text_of(d.message); })
      .def_prop_ro("hint", [](const Diagnostic& d) { return text_of(d.hint); })
      .def("__repr__",
           [](const Diagnostic& d) {
             return text_of("<norn.Diagnostic " + std::string(severity_name(d.severity)) + " " + std::string(d.rule) +
                            ": " + d.message + ">");
           })
      .def("__getstate__",
           [](const Diagnostic& d) {
             return std::make_tuple(d.rule, severity_name(d.severity), text_of(d.where), text_of(d.message),
                                    text_of(d.hint));
           })
      .def("__setstate__",
           [](Diagnostic& d, const std::tuple<std::string, std::string, std::string, std::string, std::string>& state) {
             const auto& [rule, severity, where, message, hint] = state;
             new (&d) Diagnostic{kept(rule), severity_from_name(severity), where, message, hint};
           });
  nb::class_<Report>(module, "Report",
                     R"(The findings about one model: graph by graph, what is about a graph as a whole last.

Iterable, and can be pickled. ``str()`` of it is a page for a terminal; it is true where :attr:`ok` is, whatever its
length.)")
      .def_prop_ro("ok", &Report::ok, "No finding is an error.")
      .def_prop_ro("path", [](const Report& r) { return text_of(r.path); })
      .def_ro("dropped", &Report::dropped, "Findings beyond the bound, counted but not kept.")
      .def_ro("diagnostics", &Report::diagnostics)
      .def("to_json", &Report::to_json, nb::call_guard<nb::gil_scoped_release>())
      .def("to_sarif", &Report::to_sarif, nb::call_guard<nb::gil_scoped_release>())
      .def("__str__", [](const Report& r) { return text_of(without_gil([&] { return r.to_string(); })); })
      .def("__getstate__", [](const Report& r) { return std::make_tuple(text_of(r.path), r.diagnostics, r.dropped); })
      .def("__setstate__",
           [](Report& r, const std::tuple<std::string, std::vector<Diagnostic>, std::size_t>& state) {
             new (&r) Report{std::get<0>(state), std::get<1>(state), std::get<2>(state)};
           })
      .def("__bool__", &Report::ok)
      .def("__len__", [](const Report& r) { return r.diagnostics.size(); })
      .def(
          "__iter__", [](Arg<"Report"> self) -> Result<"collections.abc.Iterator[Diagnostic]"> {
            return nb::iter(self.attr("diagnostics"));
          })
      .def("__repr__", [](const Report& r) {
        std::string text = "<norn.Report";
        if (!r.path.empty()) text += " \"" + r.path + "\"";
        text += ":";
        for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
          const std::size_t count = r.count(severity);
          text += (severity == Severity::Error ? " " : ", ") + std::to_string(count) + " " +
                  std::string(severity_name(severity)) + (count == 1 ? "" : "s");
        }
        if (r.dropped != 0) text += ", " + std::to_string(r.dropped) + " more";
        return text_of(text + ">");
      });
  module.def(
      "check",
      [](ModelArg object, const std::string& profile, bool checksums, bool check_custom_domain,
         bool skip_opset_compatibility_check, const std::vector<OperatorSet>& operator_sets, std::size_t max_findings,
         bool infer, LimitsArg limits, ExternalDataArg external_data) {
        CheckOptions options = options_of(profile, checksums, check_custom_domain, skip_opset_compatibility_check,
                                          operator_sets, max_findings);
        options.infer = infer;
        LoadOptions loading;
        options.limits = loading.limits = limits_argument(limits);
        const HeldModel model = to_model(object, std::move(loading), external_data);
        options.checksums = checksums || model.load_options().external_checksums;
        return report_in_python_terms(without_gil([&] { return check(model, options); }));
      },
      nb::arg("model"), nb::kw_only(), nb::arg("profile") = "spec", nb::arg("checksums") = false,
      nb::arg("check_custom_domain") = false, nb::arg("skip_opset_compatibility_check") = false,
      nb::arg("operator_sets") = nb::list(), nb::arg("max_findings") = CheckOptions{}.max_findings,
      nb::arg("infer") = true, nb::arg("limits") = nb::none(), nb::arg("external_data") = nb::none(),
      R"(Every finding about a model, in one pass. ``profile`` is "spec", "strict" or "runtime".

``checksums`` reads external data whole and compares it with its SHA-1, as does an :class:`ExternalDataPolicy` that asks
for it, here or where a :class:`Model` was loaded; ``external_data`` is as for :func:`load`. Operators of domains that
neither Norn nor ``operator_sets`` declare are errors with ``check_custom_domain``.

Types and shapes of the whole model are inferred, and declarations and nodes compared with them, unless
``infer`` is off.

Large graphs are checked by several threads, at most four, and the GIL is released; in a child after a fork the calling
thread checks alone.

Never raises for a fault of a model that can be read, but for limits: functions that would expand beyond them are a
:class:`LimitExceeded`. For a model that cannot be read it raises what :func:`load` raises.)");
  module.def(
      "check_part",
      [](const std::string& kind, MessageArg part, std::int64_t ir_version, const std::optional<OpsetImports>& imports,
         const std::string& profile) {
        CheckOptions options;
        options.profile = profile_from_name(profile);
        const PartName& as = part_of(kind);
        const SharedBytes message = message_bytes(part, "a part", as.message);
        return report_in_python_terms(
            without_gil([&] { return check_part(as.kind, message.bytes, ir_version, imports, options); }));
      },
      nb::arg("kind"), nb::arg("part"), nb::arg("ir_version"), nb::arg("opset_imports").none(), nb::kw_only(),
      nb::arg("profile") = "spec",
      R"(Every finding about one message.

``kind`` is graph, node, attribute, tensor, sparse_tensor, value_info or function. ``opset_imports`` are the (domain,
version) pairs in force: nodes of a domain that they lack are findings. With None they are unknown, and nothing is
said about the operators that nodes name.)");
  module.def(
      "rules", []() -> Result<"list[dict[str, typing.Any]]"> {
        nb::list rows;
        for (const RuleInfo& rule : rules()) {
          nb::dict row;
          row["id"] = std::string(rule.id);
          row["level"] = std::string(rule.level);
          row["ir_from"] = rule.ir_from;
          row["ir_to"] = rule.ir_to;
          row["lenient"] = rule.lenient;
          row["text"] = std::string(rule.text);
          row["not_checked"] = std::string(rule.not_checked);
          rows.append(row);
        }
        return rows;
      },
      "Every rule that binds a file: id, level, ir_from, ir_to, lenient, text, not_checked.");
}

void register_text(nb::module_& module) {
  module.def(
      "parse_text",
      [](const std::string& text, const std::string& kind) {
        return to_bytes(without_gil([&] { return parse_text(text, part_from_name(kind)); }));
      },
      nb::arg("text"), nb::arg("kind") = "model",
      "The serialised proto that a text in ONNX syntax describes; ``kind`` is model, graph, function or node.");
  module.def(
      "print_text",
      [](MessageArg part, const std::string& kind) {
        const Part as = part_from_name(kind);
        const SharedBytes message = message_bytes(part, "what is printed", message_of_part(as));
        return text_of(without_gil([&] { return print_text(message.bytes, as); }));
      },
      nb::arg("part"), nb::arg("kind"),
      R"(A serialised proto in ONNX text syntax, complete; bytes of names that are not UTF-8 are shown as ``\xff``.)");
}

void register_external(nb::module_& module) {
  module.def(
      "load_external_tensor",
      [](MessageArg tensor, PathArg base_dir, Arg<"str | ExternalDataPolicy"> policy) {
        const SharedBytes message = message_bytes(tensor, "a tensor", "TensorProto");
        const std::string folder = path_of(base_dir, "base_dir");
        LoadOptions options;
        const HeldReader reader = set_external_data(options, policy, "policy");
        return to_bytes(without_gil([&] { return load_external_tensor(message.bytes, folder, options); }).bytes);
      },
      nb::arg("tensor"), nb::arg("base_dir"), nb::kw_only(), nb::arg("policy") = nb::none(),
      "The raw bytes of a TensorProto kept in a data file beneath ``base_dir``, if the policy allows it.");
  module.def(
      "save_external_tensor",
      [](MessageArg tensor, PathArg base_dir, std::uint64_t alignment) -> AnyResult {
        const SharedBytes message = message_bytes(tensor, "a tensor", "TensorProto");
        const std::string folder = path_of(base_dir, "base_dir");
        nb::bytes saved = to_bytes(without_gil([&] { return save_external_tensor(message.bytes, folder, alignment); }));
        if (!PyBytes_Check(tensor.ptr())) return tensor.type().attr("FromString")(saved);
        return saved;
      },
      nb::arg("tensor"), nb::arg("base_dir"), nb::kw_only(), nb::arg("alignment") = 4096,
      R"(Appends a tensor's raw_data to the data file that it names, at a multiple of ``alignment``.

Returns the TensorProto that refers to it: bytes for bytes, a proto for a proto.)");
  module.def(
      "open_external_fd",
      [](PathArg location, PathArg base_dir, Arg<"str | ExternalDataPolicy"> policy) -> Result<"tuple[int, str]"> {
        LoadOptions options;
        const HeldReader reader = set_external_data(options, policy, "policy");
        if (options.external_reader) invalid_argument("a reader of external data opens no files");
        const std::string name = path_of(location, "location"), folder = path_of(base_dir, "base_dir");
        const ExternalDataFile file = without_gil([&] { return open_external(name, folder, options); });
        return nb::make_tuple(file.fd, path_to_python(file.path));
      },
      nb::arg("location"), nb::arg("base_dir"), nb::arg("policy") = nb::none(),
      "(descriptor, path) of an external data file; the descriptor is the caller's. See :func:`norn.open_external`.");
}

void register_operator_sets(nb::module_& module) {
  nb::class_<OperatorSet>(module, "OperatorSet", "An operator-set document: immutable.")
      .def_prop_ro("domain", [](const OperatorSet& set) { return text_of(set.domain()); })
      .def_prop_ro("version", &OperatorSet::version)
      .def_prop_ro(
          "operators", [](const OperatorSet& set) -> Result<"list[str]"> {
            nb::list names;
            for (const std::string& name : set.operators()) names.append(text_of(name));
            return names;
          })
      .def(
          "save",
          [](const OperatorSet& set, PathArg target) {
            const std::string path = path_of(target, "path");
            without_gil([&] { set.save(path); });
          },
          nb::arg("path"), "Writes the document: binary, or protobuf text or JSON by the extension.")
      .def(
          "SerializeToString",
          [](const OperatorSet& set) { return to_bytes(without_gil([&] { return set.serialize(); })); },
          "The bytes of the OperatorSetProto.")
      .def("__str__", [](const OperatorSet& set) { return text_of(without_gil([&] { return set.to_string(); })); });
  module.def(
      "load_operator_set",
      [](Arg<"_Path | bytes | _Serializable"> document) {
        if (is_path(document)) {
          const std::string path = path_of(document, "document");
          return without_gil([&] { return OperatorSet::load(path); });
        }
        const SharedBytes message = message_bytes(document, "an operator-set document", "OperatorSetProto");
        return without_gil([&] { return OperatorSet::parse(message.bytes); });
      },
      nb::arg("document"),
      R"(Reads an operator-set document from a path (binary, or protobuf text or JSON by its extension), bytes or
a proto.

Raises :class:`norn.InvalidGraph` for one that breaks a rule: :func:`check_operator_set` finds all of them.)");
  module.def(
      "check_operator_set",
      [](Arg<"_Path | bytes | _Serializable | OperatorSet"> document) {
        if (nb::isinstance<OperatorSet>(document)) {
          const OperatorSet set = nb::cast<OperatorSet>(document);
          return without_gil([&] { return check_operator_set(set); });
        }
        if (is_path(document)) {
          const std::string path = path_of(document, "document");
          return without_gil([&] { return check_operator_set(path); });
        }
        const SharedBytes message = message_bytes(document, "an operator-set document", "OperatorSetProto");
        return without_gil([&] { return check_operator_set(message.bytes); });
      },
      nb::arg("document"),
      "Every finding about an operator-set document; raises :class:`norn.InvalidProtobuf` for other content.");
  module.def(
      "check_operator_sets",
      [](const std::vector<OperatorSet>& sets) { return without_gil([&] { return check_operator_sets(sets); }); },
      nb::arg("sets"),
      R"(What does not fit between operator sets that are used together.

Two of one domain and version, stable operators that changed, built-in domains described otherwise than by ONNX.)");
  module.def(
      "export_operator_set",
      [](const std::string& domain, std::int64_t version, PathArg target) {
        const std::string path = path_of(target, "path");
        without_gil([&] { OperatorSet::built_in(domain, version).save(path); });
      },
      nb::arg("domain"), nb::arg("version"), nb::arg("path"), "Writes a built-in operator set as a document.");
}

}  // namespace

void register_document(nb::module_& module) {
  register_operator_sets(module);
  register_check(module);
  register_text(module);
  register_external(module);
}

}  // namespace norn::python
