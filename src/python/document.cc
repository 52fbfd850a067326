#include "document.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/check.h"
#include "norn/external.h"
#include "norn/opset.h"
#include "norn/text.h"

namespace norn::python {

namespace nb = nanobind;

namespace {

nb::bytes to_bytes(std::span<const std::byte> bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The serialised message behind bytes or an object with SerializeToString.
SharedBytes message_bytes(nb::handle object, const char* what) {
  if (nb::hasattr(object, "SerializeToString")) return bytes_of(serialized(object), what);
  if (PyObject_CheckBuffer(object.ptr())) return bytes_of(object, what);
  invalid_argument(std::string(what) + " is bytes or a proto, not " + name_of_type(object));
}

PartKind part_kind(const std::string& name) {
  static const std::map<std::string, PartKind> kinds = {
      {"graph", PartKind::Graph},   {"node", PartKind::Node},
      {"attribute", PartKind::Attribute}, {"tensor", PartKind::Tensor},
      {"sparse_tensor", PartKind::SparseTensor}, {"value_info", PartKind::ValueInfo},
      {"function", PartKind::Function}};
  const auto it = kinds.find(name);
  if (it == kinds.end())
    invalid_argument("there is no kind of part \"" + name + "\"",
                     "graph, node, attribute, tensor, sparse_tensor, value_info or function");
  return it->second;
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
  nb::class_<Diagnostic>(module, "Diagnostic", "One finding: the rule it breaks, how grave, where, what, what helps.")
      .def_prop_ro("rule", [](const Diagnostic& d) { return std::string(d.rule); })
      .def_prop_ro("severity", [](const Diagnostic& d) { return std::string(severity_name(d.severity)); })
      .def_ro("where", &Diagnostic::where)
      .def_ro("message", &Diagnostic::message)
      .def_ro("hint", &Diagnostic::hint)
      .def("__repr__", [](const Diagnostic& d) {
        return "<norn.Diagnostic " + std::string(severity_name(d.severity)) + " " + std::string(d.rule) + ": " +
               d.message + ">";
      });
  nb::class_<Report>(module, "Report", "The findings about one model; iterable.")
      .def_prop_ro("ok", &Report::ok)
      .def_ro("path", &Report::path)
      .def_ro("dropped", &Report::dropped)
      .def_ro("diagnostics", &Report::diagnostics)
      .def("to_json", &Report::to_json)
      .def("to_sarif", &Report::to_sarif)
      .def("__str__", &Report::to_string)
      .def("__len__", [](const Report& r) { return r.diagnostics.size(); })
      .def("__iter__", [](nb::handle self) { return nb::iter(self.attr("diagnostics")); });
  module.def(
      "check",
      [](nb::handle object, const std::string& profile, bool checksums, bool check_custom_domain,
         bool skip_opset_compatibility_check, const std::vector<OperatorSet>& operator_sets, std::size_t max_findings,
         nb::handle limits, nb::handle external_data) {
        CheckOptions options = options_of(profile, checksums, check_custom_domain, skip_opset_compatibility_check,
                                          operator_sets, max_findings);
        LoadOptions loading;
        if (!limits.is_none()) options.limits = loading.limits = nb::cast<Limits>(limits);
        const Model model = to_model(object, std::move(loading), external_data);
        const nb::gil_scoped_release release;
        return check(model, options);
      },
      nb::arg("model"), nb::kw_only(), nb::arg("profile") = "spec", nb::arg("checksums") = false,
      nb::arg("check_custom_domain") = false, nb::arg("skip_opset_compatibility_check") = false,
      nb::arg("operator_sets") = nb::list(), nb::arg("max_findings") = CheckOptions{}.max_findings,
      nb::arg("limits") = nb::none(), nb::arg("external_data") = nb::none(),
      "Every finding about a model, in one pass.");
  module.def(
      "check_part",
      [](const std::string& kind, nb::handle part, std::int64_t ir_version,
         const std::vector<std::pair<std::string, std::int64_t>>& imports, const std::string& profile) {
        CheckOptions options;
        options.profile = profile_from_name(profile);
        const SharedBytes message = message_bytes(part, "a part");
        return check_part(part_kind(kind), message.bytes, ir_version, imports, options);
      },
      nb::arg("kind"), nb::arg("part"), nb::arg("ir_version"), nb::arg("opset_imports"), nb::kw_only(),
      nb::arg("profile") = "spec",
      "Every finding about one message: graph, node, attribute, tensor, sparse_tensor, value_info or function.");
  module.def("rules", [] {
    std::vector<nb::dict> rows;
    for (const RuleInfo& rule : rules()) {
      nb::dict row;
      row["id"] = std::string(rule.id);
      row["level"] = std::string(rule.level);
      row["ir_from"] = rule.ir_from;
      row["ir_to"] = rule.ir_to;
      row["lenient"] = rule.lenient;
      row["text"] = std::string(rule.text);
      row["not_checked"] = std::string(rule.not_checked);
      rows.push_back(row);
    }
    return rows;
  });
}

void register_text(nb::module_& module) {
  module.def(
      "parse_text",
      [](const std::string& text, const std::string& kind) { return to_bytes(parse_text(text, part_from_name(kind))); },
      nb::arg("text"), nb::arg("kind") = "model",
      "The serialised proto that a text in ONNX syntax describes; kind is model, graph, function or node.");
  module.def(
      "print_text",
      [](nb::handle part, const std::string& kind) {
        const SharedBytes message = message_bytes(part, "what is printed");
        return print_text(message.bytes, part_from_name(kind));
      },
      nb::arg("part"), nb::arg("kind"), "A serialised proto in ONNX text syntax.");
}

void register_external(nb::module_& module) {
  module.def(
      "load_external_tensor",
      [](nb::handle tensor, nb::handle base_dir, nb::handle policy) {
        const SharedBytes message = message_bytes(tensor, "a tensor");
        const std::string folder = path_of(base_dir);
        LoadOptions options;
        set_external_data(options, policy);
        SharedBytes data;
        {
          const nb::gil_scoped_release release;
          data = load_external_tensor(message.bytes, folder, options);
        }
        return to_bytes(data.bytes);
      },
      nb::arg("tensor"), nb::arg("base_dir"), nb::kw_only(), nb::arg("policy") = nb::none(),
      "The raw bytes of a tensor kept in a data file.");
  module.def(
      "save_external_tensor",
      [](nb::handle tensor, nb::handle base_dir, std::uint64_t alignment) -> nb::object {
        const SharedBytes message = message_bytes(tensor, "a tensor");
        const nb::bytes saved = to_bytes(save_external_tensor(message.bytes, path_of(base_dir), alignment));
        if (PyBytes_Check(tensor.ptr())) return saved;
        return tensor.type().attr("FromString")(saved);
      },
      nb::arg("tensor"), nb::arg("base_dir"), nb::kw_only(), nb::arg("alignment") = 4096,
      "Appends a tensor's raw_data to the data file it names; the serialised tensor that refers to it.");
  module.def(
      "open_external_fd",
      [](nb::handle location, nb::handle base_dir, nb::handle policy) {
        LoadOptions options;
        set_external_data(options, policy);
        if (options.external_reader) invalid_argument("a reader of external data opens no files");
        const ExternalDataFile file = open_external(path_of(location), path_of(base_dir), options);
        return std::make_pair(file.fd, file.path);
      },
      nb::arg("location"), nb::arg("base_dir"), nb::arg("policy") = nb::none());
}

void register_operator_sets(nb::module_& module) {
  nb::class_<OperatorSet>(module, "OperatorSet", "An operator-set document: immutable.")
      .def_prop_ro("domain", &OperatorSet::domain)
      .def_prop_ro("version", &OperatorSet::version)
      .def_prop_ro("operators", &OperatorSet::operators)
      .def("save", [](const OperatorSet& set, nb::handle path) { set.save(path_of(path)); }, nb::arg("path"))
      .def("SerializeToString", [](const OperatorSet& set) { return to_bytes(set.serialize()); })
      .def("__str__", &OperatorSet::to_string);
  module.def(
      "load_operator_set",
      [](nb::handle document) {
        if (is_path(document)) return OperatorSet::load(path_of(document));
        const SharedBytes message = message_bytes(document, "an operator-set document");
        return OperatorSet::parse(message.bytes);
      },
      nb::arg("document"), "Reads an operator-set document from a path, bytes or a proto.");
  module.def(
      "check_operator_set",
      [](nb::handle document) {
        if (nb::isinstance<OperatorSet>(document)) return check_operator_set(nb::cast<const OperatorSet&>(document));
        if (is_path(document)) return check_operator_set(path_of(document));
        const SharedBytes message = message_bytes(document, "an operator-set document");
        return check_operator_set(message.bytes);
      },
      nb::arg("document"), "Every finding about an operator-set document: a path, bytes, a proto or an OperatorSet.");
  module.def(
      "check_operator_sets", [](const std::vector<OperatorSet>& sets) { return check_operator_sets(sets); },
      nb::arg("sets"), "What does not fit between operator sets that are used together.");
  module.def(
      "export_operator_set",
      [](const std::string& domain, std::int64_t version, nb::handle path) {
        OperatorSet::built_in(domain, version).save(path_of(path));
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
