// norn/_inference.py handles the keywords of onnx's functions and the kind of model that a call was given.
#include "infer.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/infer.h"
#include "signatures.h"

namespace norn::python {

namespace nb = nanobind;

namespace {

using Messages = std::vector<std::pair<std::string, nb::bytes>>;

std::vector<std::byte> copied(const nb::bytes& bytes) {
  const auto* data = static_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}
nb::bytes to_python(const std::vector<std::byte>& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
std::vector<NamedMessage> copied(const Messages& messages) {
  std::vector<NamedMessage> all;
  for (const auto& [name, bytes] : messages) all.emplace_back(name, copied(bytes));
  return all;
}
std::vector<std::vector<std::byte>> copied(const std::vector<nb::bytes>& messages) {
  std::vector<std::vector<std::byte>> all;
  for (const nb::bytes& bytes : messages) all.push_back(copied(bytes));
  return all;
}

InferOptions options_of(bool strict, bool check_types, bool symbolic, const std::vector<OperatorSet>& operator_sets) {
  InferOptions options;
  options.strict = strict;
  options.check_types = check_types;
  options.symbolic = symbolic;
  options.operator_sets = operator_sets;
  return options;
}

}  // namespace

void register_infer(nb::module_& module) {
  module.def(
      "inferred_model",
      [](ModelArg object, bool strict, bool check_types, bool symbolic, const std::vector<OperatorSet>& operator_sets,
         LimitsArg limits, ExternalDataArg external_data) {
        InferOptions options = options_of(strict, check_types, symbolic, operator_sets);
        LoadOptions loading;
        options.limits = loading.limits = limits_argument(limits);
        HeldModel model = to_model(object, std::move(loading), external_data);
        Model typed = [&] {
          const nb::gil_scoped_release release;
          return infer_shapes(std::move(static_cast<Model&>(model)), options);
        }();
        return HeldModel(std::move(typed), model.reader);
      },
      nb::arg("model"), nb::kw_only(), nb::arg("strict") = false, nb::arg("check_types") = false,
      nb::arg("symbolic") = false, nb::arg("operator_sets") = nb::list(), nb::arg("limits") = nb::none(),
      nb::arg("external_data") = nb::none(), "The model with inferred types and shapes, as a norn.Model.");
  module.def(
      "inferred_file",
      [](PathArg from, PathArg to, bool strict, bool check_types, bool symbolic) {
        const InferOptions options = options_of(strict, check_types, symbolic, {});
        const std::string input = path_of(from, "model_path"), output = path_of(to, "output_path");
        const nb::gil_scoped_release release;
        infer_shapes_path(input, output, options);
      },
      nb::arg("model_path"), nb::arg("output_path"), nb::kw_only(), nb::arg("strict") = false,
      nb::arg("check_types") = false, nb::arg("symbolic") = false,
      "Writes the model with inferred types and shapes to the other file, or in its place if that is empty.");
  module.def(
      "inference_json",
      [](ModelArg object, const std::vector<OperatorSet>& operator_sets, LimitsArg limits,
         ExternalDataArg external_data) {
        InferOptions options = options_of(false, true, false, operator_sets);
        LoadOptions loading;
        options.limits = loading.limits = limits_argument(limits);
        const HeldModel model = to_model(object, std::move(loading), external_data);
        const nb::gil_scoped_release release;
        Inference found;
        infer_shapes(model, options, &found);
        return found.to_json();
      },
      nb::arg("model"), nb::kw_only(), nb::arg("operator_sets") = nb::list(), nb::arg("limits") = nb::none(),
      nb::arg("external_data") = nb::none(), "What inference found and what it did not, as JSON.");
  module.def(
      "node_outputs",
      [](const nb::bytes& node, const Messages& types, const Messages& tensors,
         const std::vector<std::pair<std::string, std::int64_t>>& imports, std::int64_t ir_version) {
        std::vector<std::pair<std::string, nb::bytes>> outputs;
        for (const auto& [name, bytes] :
             infer_node_outputs(copied(node), copied(types), copied(tensors), imports, ir_version))
          outputs.emplace_back(name, to_python(bytes));
        return outputs;
      },
      nb::arg("node"), nb::arg("types"), nb::arg("tensors"), nb::arg("imports"), nb::arg("ir_version"),
      "The serialised types of a node's outputs, by name.");
  module.def(
      "function_outputs",
      [](const nb::bytes& function, const std::vector<nb::bytes>& types, const std::vector<nb::bytes>& attributes,
         std::int64_t ir_version) {
        std::vector<nb::bytes> outputs;
        for (const auto& bytes :
             infer_function_outputs(copied(function), copied(types), copied(attributes), ir_version))
          outputs.push_back(to_python(bytes));
        return outputs;
      },
      nb::arg("function"), nb::arg("types"), nb::arg("attributes"), nb::arg("ir_version"),
      "Serialised types of a function's outputs, in order; empty where not known.");
}

}  // namespace norn::python
