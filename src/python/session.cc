// The per-call path: everything here is beside the model's own time, so arrays are borrowed, names are views into the
// feed's keys, and nothing is looked up by name unless a value needs its declared type.
#include "norn/session.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "errors.h"
#include "loading.h"
#include "model.h"
#include "norn/opset.h"
#include "providers.h"
#include "session.h"
#include "values.h"

namespace norn::python {

namespace {

// norn.InferenceSession: a session with the reader that its external data may come from.
struct HeldSession : Session {
  HeldSession(Session made, HeldReader held) : Session(std::move(made)), reader(std::move(held)) {
    for (const auto* list : {&inputs(), &outputs(), &overridable_initializers()}) {
      for (const ArgInfo& arg : *list) {
        auto text = nb::cast<std::string>(text_of(arg.name));
        if (text != arg.name) names.emplace(std::move(text), arg.name);
      }
    }
  }
  // Of an input or output, by the name that Python code sees.
  std::string_view name_of(std::string_view shown) const {
    if (names.empty()) return shown;
    const auto found = names.find(shown);
    return found == names.end() ? shown : found->second;
  }
  HeldReader reader;
  std::map<std::string, std::string, std::less<>> names;  // those that are not UTF-8, by how they are shown
};

std::string_view utf8_of(nb::handle object, const char* what) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(object.ptr()) ? PyUnicode_AsUTF8AndSize(object.ptr(), &size) : nullptr;
  if (!text) {
    PyErr_Clear();
    string_argument(object, what);  // throws
  }
  return {text, static_cast<std::size_t>(size)};
}

std::string_view declared_type(const HeldSession& session, std::string_view name) {
  for (const auto* list : {&session.inputs(), &session.overridable_initializers()}) {
    for (const ArgInfo& arg : *list) {
      if (arg.name == name) return arg.type;
    }
  }
  return {};
}

// The feeds of one run. Keys and values are held: the dict may change while a value is converted by Python code, and
// while the GIL is released.
class Feeds {
 public:
  Feeds(const HeldSession& session, nb::handle feed) {
    if (feed.is_none()) return;
    if (!PyDict_Check(feed.ptr())) {
      wrong_type(feed, "input_feed", "a dict of input name to value");
    }
    const auto count = static_cast<std::size_t>(PyDict_GET_SIZE(feed.ptr()));
    held_.reserve(2 * count);
    feeds_.reserve(count);
    PyObject *key = nullptr, *object = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(feed.ptr(), &position, &key, &object)) {
      held_.push_back(nb::borrow(key));
      held_.push_back(nb::borrow(object));
    }
    for (std::size_t i = 0; i < held_.size(); i += 2) {
      Feed& entry = feeds_.emplace_back(Feed{session.name_of(utf8_of(held_[i], "an input's name")), {}});
      if (borrow_array(held_[i + 1], entry.value)) continue;
      try {
        entry.value = to_value(held_[i + 1], declared_type(session, entry.name));
      } catch (Error& error) {
        throw error.within("feed \"" + std::string(entry.name) + "\"");
      }
    }
  }
  std::span<const Feed> span() const { return feeds_; }

 private:
  std::vector<nb::object> held_;
  std::vector<Feed> feeds_;
};

std::vector<std::string> names_of(const HeldSession& session, nb::handle names) {
  std::vector<std::string> result;
  if (names.is_none()) return result;
  if (PyUnicode_Check(names.ptr())) {
    invalid_argument("output_names is a list of str, not one str",
                     "write [\"" + string_argument(names, "output_names") + "\"]");
  }
  for (nb::handle name : items_argument(names, "output_names", "a list of str"))
    result.emplace_back(session.name_of(utf8_of(name, "an output's name")));
  return result;
}

// ONNX Runtime's options of one run. Runs log nothing, so what is set about logging has nothing to act on.
struct RunOptions {
  std::string logid;
  int log_severity_level = -1, log_verbosity_level = 0;
  std::map<std::string, std::string> entries;
};

void add_run_config_entry(RunOptions& options, const std::string& key, const std::string& value) {
  const std::string text = "norn knows no run option \"" + key + "\"; it has no effect";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  options.entries[key] = value;
}

std::string get_run_config_entry(const RunOptions& options, const std::string& key) {
  const auto found = options.entries.find(key);
  if (found == options.entries.end()) invalid_argument("no run option \"" + key + "\" was set");
  return found->second;
}

nb::list run(const HeldSession& session, nb::handle output_names, nb::handle feed, nb::handle run_options) {
  if (!run_options.is_none() && !nb::isinstance<RunOptions>(run_options))
    wrong_type(run_options, "run_options", "norn.RunOptions");
  const std::vector<std::string> names = names_of(session, output_names);
  const Feeds feeds(session, feed);
  std::vector<Value> outputs;
  {
    const nb::gil_scoped_release release;
    outputs = session.run(feeds.span(), names);
  }
  nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(outputs.size())));
  if (!result.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    PyList_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), to_python(outputs[i], feeds.span()).release().ptr());
    outputs[i] = {};
  }
  return result;
}

nb::str explain(const HeldSession& session, nb::handle feed, std::int64_t default_dim) {
  const Feeds feeds(session, feed);
  std::string text;
  {
    const nb::gil_scoped_release release;
    text = session.explain(feeds.span(), default_dim);
  }
  return text_of(text);
}

nb::str program_text(const HeldSession& session) {
  std::string text;
  {
    const nb::gil_scoped_release release;
    text = session.program_text();
  }
  return text_of(text);
}

nb::list shape_of(const ArgInfo& arg) {
  nb::list shape;
  for (const DimInfo& dim : arg.shape) {
    if (dim.value >= 0) {
      shape.append(dim.value);
    } else if (!dim.name.empty()) {
      shape.append(text_of(dim.name));
    } else {
      shape.append(nb::none());
    }
  }
  return shape;
}

nb::str repr_of(const ArgInfo& arg) {
  std::string text = "NodeArg(name='" + arg.name + "', type='" + arg.type + "', shape=";
  return text_of(text + (arg.has_shape ? nb::cast<std::string>(nb::repr(shape_of(arg))) : "None") + ")");
}

nb::tuple disabled_passes(const SessionOptions& options) { return nb::tuple(nb::cast(options.disabled_passes)); }
nb::tuple operator_sets(const SessionOptions& options) { return nb::tuple(nb::cast(options.operator_sets)); }

int threads_of(int number) {
  if (number < 0)
    invalid_argument("intra_op_num_threads is " + std::to_string(number), "1 or more, or 0 for every core");
  return number;
}

void register_options(nb::module_& module) {
  nb::class_<SessionOptions>(module, "SessionOptions", "How a session is made; read when it is constructed.")
      .def(
          "__init__",
          [](SessionOptions* self, int threads, std::vector<std::string> disabled, bool reference_only,
             std::vector<OperatorSet> operator_sets, nb::handle limits, std::size_t max_plan_bytes,
             bool verify_passes) {
            new (self) SessionOptions{.intra_op_num_threads = threads_of(threads),
                                      .disabled_passes = std::move(disabled),
                                      .reference_only = reference_only,
                                      .operator_sets = std::move(operator_sets),
                                      .limits = limits_argument(limits),
                                      .max_plan_bytes = max_plan_bytes,
                                      .verify_passes = verify_passes};
          },
          nb::kw_only(), nb::arg("intra_op_num_threads") = 0, nb::arg("disabled_passes") = nb::list(),
          nb::arg("reference_only") = false, nb::arg("operator_sets") = nb::list(), nb::arg("limits") = nb::none(),
          nb::arg("max_plan_bytes") = SessionOptions{}.max_plan_bytes, nb::arg("verify_passes") = false)
      .def_prop_rw(
          "intra_op_num_threads", [](const SessionOptions& self) { return self.intra_op_num_threads; },
          [](SessionOptions& self, int number) { self.intra_op_num_threads = threads_of(number); })
      .def_prop_rw(
          "disabled_passes", disabled_passes,
          [](SessionOptions& self, std::vector<std::string> names) { self.disabled_passes = std::move(names); })
      .def_rw("reference_only", &SessionOptions::reference_only)
      .def_prop_rw("operator_sets", operator_sets,
                   [](SessionOptions& self, std::vector<OperatorSet> sets) { self.operator_sets = std::move(sets); })
      .def_rw("limits", &SessionOptions::limits)
      .def_rw("max_plan_bytes", &SessionOptions::max_plan_bytes)
      .def_rw("verify_passes", &SessionOptions::verify_passes);

  nb::class_<RunOptions>(module, "RunOptions", "ONNX Runtime's options of one run.")
      .def(nb::init<>())
      .def_rw("logid", &RunOptions::logid)
      .def_rw("log_severity_level", &RunOptions::log_severity_level)
      .def_rw("log_verbosity_level", &RunOptions::log_verbosity_level)
      .def("add_run_config_entry", add_run_config_entry, nb::arg("key"), nb::arg("value"))
      .def("get_run_config_entry", get_run_config_entry, nb::arg("key"));
}

void register_metadata(nb::module_& module) {
  nb::class_<ModelMetadata>(module, "ModelMetadata", "What a model says about itself.")
      .def_prop_ro("producer_name", shown_member(&ModelMetadata::producer_name))
      .def_prop_ro("producer_version", shown_member(&ModelMetadata::producer_version))
      .def_prop_ro("graph_name", shown_member(&ModelMetadata::graph_name))
      .def_prop_ro("domain", shown_member(&ModelMetadata::domain))
      .def_prop_ro("description", shown_member(&ModelMetadata::description))
      .def_prop_ro("graph_description", shown_member(&ModelMetadata::graph_description))
      .def_ro("version", &ModelMetadata::version)
      .def_prop_ro("custom_metadata_map", [](const ModelMetadata& self) {
        nb::dict map;
        for (const auto& [key, value] : self.custom_metadata) map[text_of(key)] = text_of(value);
        return map;
      });
}

}  // namespace

void register_session(nb::module_& module) {
  register_options(module);
  register_metadata(module);

  nb::class_<ArgInfo>(module, "NodeArg", "An input or output as the model declares it: name, type, shape.")
      .def_prop_ro("name", shown_member(&ArgInfo::name))
      .def_prop_ro("type", shown_member(&ArgInfo::type))
      .def_prop_ro("shape",
                   [](const ArgInfo& self) -> nb::object {
                     if (!self.has_shape) return nb::none();
                     return shape_of(self);
                   })
      .def("__repr__", repr_of);

  nb::class_<HeldSession>(module, "InferenceSession",
                          "A model, made ready to run. Immutable: any number of threads may call run() at once.",
                          nb::type_slots(ReaderSlots<HeldSession>::slots))
      .def(
          "__init__",
          [](HeldSession* self, nb::handle source, nb::handle sess_options, nb::handle providers,
             nb::handle provider_options, nb::handle external_data) {
            check_providers(providers, provider_options);
            const SessionOptions options =
                sess_options.is_none()
                    ? SessionOptions{}
                    : object_argument<SessionOptions>(sess_options, "sess_options", "norn.SessionOptions");
            LoadOptions loading;
            loading.limits = options.limits;
            const HeldModel model = to_model(source, std::move(loading), external_data);
            std::optional<Session> session;
            {
              const nb::gil_scoped_release release;
              session.emplace(model, options);
            }
            new (self) HeldSession(std::move(*session), model.reader);
          },
          nb::arg("path_or_bytes"), nb::arg("sess_options") = nb::none(), nb::arg("providers") = nb::none(),
          nb::arg("provider_options") = nb::none(), nb::kw_only(), nb::arg("external_data") = nb::none())
      .def("run", run, nb::arg("output_names").none(), nb::arg("input_feed").none(),
           nb::arg("run_options") = nb::none(),
           "Computes the named outputs (all for None or []) for a dict of input name to value. Arrays are used in "
           "place; "
           "the GIL is released. Raises norn.InvalidArgument for a feed that does not fit.")
      .def("get_inputs", &Session::inputs, "Inputs that must be fed, in the model's order.")
      .def("get_outputs", &Session::outputs)
      .def("get_overridable_initializers", &Session::overridable_initializers)
      .def("get_modelmeta", &Session::metadata, "What the model says about itself.")
      .def("get_providers", [](const HeldSession&) { return std::vector<std::string>{kCpuProvider}; })
      .def("explain", explain, nb::arg("input_feed") = nb::none(), nb::arg("default_dim") = 1,
           "What runs each node, why nothing faster does, and which passes nearly changed it, for the shapes of these "
           "feeds.")
      .def("program_text", program_text);

  module.def("pass_names", &pass_names, "Names of the optional passes, in the order they run.");
}

}  // namespace norn::python
