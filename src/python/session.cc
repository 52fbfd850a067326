// The per-call path: everything here is beside the model's own time, so arrays are borrowed, names are views into the
// feed's keys, and nothing is looked up by name unless a value needs its declared type.
#include "norn/session.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
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
#include "session_arguments.h"
#include "signatures.h"
#include "values.h"

namespace norn::python {

namespace {

// ONNX Runtime's options of one run. Runs log nothing, so what is set about logging has nothing to act on.
struct PythonRunOptions {
  std::atomic<bool> terminate{false};
  std::optional<double> timeout;  // seconds
  std::string logid;
  int log_severity_level = -1, log_verbosity_level = 0;
  std::map<std::string, std::string> entries;
};

void add_run_config_entry(PythonRunOptions& options, const std::string& key, const std::string& value) {
  const std::string text = "norn knows no run option \"" + key + "\"; it has no effect";
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
  options.entries[key] = value;
}

std::string get_run_config_entry(const PythonRunOptions& options, const std::string& key) {
  const auto found = options.entries.find(key);
  if (found == options.entries.end()) invalid_argument("no run option \"" + key + "\" was set");
  return found->second;
}

RunOptions options_of(const PythonRunOptions& given) {
  RunOptions options;
  options.terminate = &given.terminate;
  if (given.timeout) {
    if (!(*given.timeout >= 0)) invalid_argument("timeout is " + std::to_string(*given.timeout) + "; it is in seconds");
    if (*given.timeout < 1e9)
      options.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                                std::chrono::duration<double>(*given.timeout));
  }
  return options;
}

// f(options) without the GIL, under the options of a run.
template <class F>
auto run_under(nb::handle run_options, F&& f) {
  if (!run_options.is_none() && !nb::isinstance<PythonRunOptions>(run_options))
    wrong_type(run_options, "run_options", "norn.RunOptions");
  RunOptions options =
      run_options.is_none() ? RunOptions{} : options_of(nb::cast<const PythonRunOptions&>(run_options));
  options.interrupted = [] {  // Ctrl-C, whose handler only the main thread runs
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  };
  try {
    const nb::gil_scoped_release release;
    return f(options);
  } catch (const Error&) {
    if (PyErr_Occurred()) throw nb::python_error();
    throw;
  }
}

bool is_star(nb::handle names) {
  return PyUnicode_Check(names.ptr()) && PyUnicode_CompareWithASCIIString(names.ptr(), "*") == 0;
}

nb::object run_all(const HeldSession& session, FeedsArg feed, nb::handle run_options) {
  const Feeds feeds(session, feed);
  auto values =
      run_under(run_options, [&](const RunOptions& options) { return session.run_all(feeds.span(), options); });
  nb::dict result;
  for (auto& [name, value] : values) {
    result[text_of(name)] = to_python(value, feeds.span());
    value = {};
  }
  return result;
}

using NamesArg = Arg<"collections.abc.Iterable[str]">;

// A dict for "*", else a list.
AnyResult run(const HeldSession& session, Arg<"collections.abc.Iterable[str]"> output_names, FeedsArg feed,
              Arg<"RunOptions"> run_options, Arg<"collections.abc.Mapping[str, typing.Any]"> places, NamesArg donate) {
  if (is_star(output_names)) {
    if (!places.is_none()) invalid_argument("outputs cannot be placed where every value is asked for");
    if (!donate.is_none()) invalid_argument("inputs cannot be donated where every value is asked for");
    return run_all(session, feed, run_options);
  }
  const std::vector<std::string> names = names_of(session, output_names);
  const Feeds feeds(session, feed);
  const Places placed(session, places);
  const std::vector<std::string> donated = donated_inputs(session, feeds, donate);
  std::vector<Value> outputs = run_under(run_options, [&](RunOptions& options) {
    options.placements = placed.placements;
    options.donated = donated;
    return session.run(feeds.span(), names, options);
  });
  std::vector<Feed> rest;
  if (!donated.empty()) rest = feeds.kept(donated);
  const std::span<const Feed> kept = donated.empty() ? feeds.span() : std::span<const Feed>(rest);
  nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(outputs.size())));
  if (!result.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    nb::object object;
    if (!placed.placements.empty())
      object = placed.array_of(names.empty() ? std::string_view(session.outputs()[i].name) : names[i], outputs[i]);
    if (!object.is_valid()) {
      try {
        object = to_python(outputs[i], kept);
      } catch (Error& e) {
        throw e.within("output \"" + (names.empty() ? session.outputs()[i].name : std::string(names[i])) + "\"");
      }
    }
    PyList_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), object.release().ptr());
    outputs[i] = {};
  }
  return result;
}

nb::str explain(const HeldSession& session, FeedsArg feed, std::int64_t default_dim, NamesArg donate) {
  const Feeds feeds(session, feed);
  const std::vector<std::string> donated = donated_inputs(session, feeds, donate);
  std::string text;
  {
    const nb::gil_scoped_release release;
    text = session.explain(feeds.span(), default_dim, donated).to_string();
  }
  return text_of(text);
}

using Fields = Result<"dict[str, typing.Any]">;

Fields explanation(const HeldSession& session, FeedsArg feed, std::int64_t default_dim, NamesArg donate) {
  const Feeds feeds(session, feed);
  const std::vector<std::string> donated = donated_inputs(session, feeds, donate);
  std::string json;
  {
    const nb::gil_scoped_release release;
    json = session.explain(feeds.span(), default_dim, donated).to_json();
  }
  return Fields(nb::module_::import_("json").attr("loads")(text_of(json)));
}

// The fields of a profile, beside its page or its trace.
RunProfile profiled(const HeldSession& session, FeedsArg feed, const ProfileOptions& options, nb::handle run_options) {
  const Feeds feeds(session, feed);
  RunProfile found =
      run_under(run_options, [&](const RunOptions& how) { return session.profile(feeds.span(), options, how); });
  found.load.insert(found.load.begin(), LoadPhase{"read", {}, session.read_seconds});
  return found;
}

Fields profile(const HeldSession& session, FeedsArg feed, int runs, int warmups, bool machine, PathArg trace,
               Arg<"RunOptions"> run_options) {
  constexpr std::size_t kMostTraceCalls = 1'000'000;
  const bool traced = !trace.is_none();
  const std::string file = traced ? path_of(trace, "trace") : std::string();
  const ProfileOptions options{runs, warmups, machine, traced ? kMostTraceCalls : 0};
  const RunProfile found = profiled(session, feed, options, run_options);
  if (traced) {
    const nb::object written =
        nb::module_::import_("builtins")
            .attr("open")(nb::bytes(file.data(), file.size()), "w", nb::arg("encoding") = "utf-8");
    written.attr("write")(text_of(found.to_chrome_trace() + "\n"));
    written.attr("close")();
  }
  return Fields(nb::module_::import_("json").attr("loads")(text_of(found.to_json())));
}

nb::str profile_text(const HeldSession& session, FeedsArg feed, int runs, int warmups, std::size_t top,
                     Arg<"RunOptions"> run_options) {
  return text_of(profiled(session, feed, ProfileOptions{.runs = runs, .warmups = warmups}, run_options).to_string(top));
}

Result<"list[dict[str, typing.Any]]"> unrunnable(ModelArg object, const std::vector<OperatorSet>& operator_sets,
                                                 LimitsArg limits, ExternalDataArg external_data) {
  LoadOptions loading;
  loading.limits = limits_argument(limits);
  const Limits bounds = loading.limits;
  const HeldModel model = to_model(object, std::move(loading), external_data);
  std::vector<UnrunnableNode> nodes;
  {
    const nb::gil_scoped_release release;
    nodes = unrunnable_nodes(model, operator_sets, bounds);
  }
  nb::list rows;
  for (const UnrunnableNode& node : nodes) {
    nb::dict row;
    row["where"] = text_of(node.where);
    row["op_type"] = text_of(node.op_type);
    row["domain"] = text_of(node.domain);
    row["version"] = node.version;
    row["reason"] = std::string(node.reason);
    row["message"] = text_of(node.message);
    row["hint"] = text_of(in_python_terms(node.hint));
    rows.append(row);
  }
  return rows;
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

Result<"tuple[str, ...]"> disabled_passes(const SessionOptions& options) {
  return nb::tuple(nb::cast(options.disabled_passes));
}
Result<"tuple[OperatorSet, ...]"> operator_sets(const SessionOptions& options) {
  return nb::tuple(nb::cast(options.operator_sets));
}

nb::str repr_of(const SessionOptions& options) {
  const auto text = [](nb::handle value) { return std::string(nb::repr(value).c_str()); };
  return text_of("SessionOptions(intra_op_num_threads=" + std::to_string(options.intra_op_num_threads) +
                 ", disabled_passes=" + text(disabled_passes(options)) +
                 ", reference_only=" + (options.reference_only ? "True" : "False") +
                 ", flush_subnormals=" + (options.flush_subnormals ? "True" : "False") +
                 ", operator_sets=" + text(operator_sets(options)) + ", limits=" + text(nb::cast(options.limits)) +
                 ", max_plan_bytes=" + std::to_string(options.max_plan_bytes) + ", precision=\"" +
                 std::string(precision_name(options.precision)) +
                 "\", packed_weights_folder=" + text(path_to_python(options.packed_weights_folder)) + ")");
}

int threads_of(int number) {
  if (number < 0)
    invalid_argument("intra_op_num_threads is " + std::to_string(number), "1 or more, or 0 for every core");
  return number;
}

void register_options(nb::module_& module) {
  nb::class_<SessionOptions>(module, "SessionOptions",
                             "How a session is made. Options are read when the session is constructed.")
      .def(
          "__init__",
          [](SessionOptions* self, int threads, std::vector<std::string> disabled, bool reference_only,
             std::vector<OperatorSet> operator_sets, LimitsArg limits, std::size_t max_plan_bytes, bool verify_passes,
             const std::string& precision, PathArg packed_weights_folder, bool flush_subnormals) {
            new (self) SessionOptions{.intra_op_num_threads = threads_of(threads),
                                      .disabled_passes = std::move(disabled),
                                      .reference_only = reference_only,
                                      .operator_sets = std::move(operator_sets),
                                      .limits = limits_argument(limits),
                                      .max_plan_bytes = max_plan_bytes,
                                      .precision = precision_from_name(precision),
                                      .flush_subnormals = flush_subnormals,
                                      .packed_weights_folder = path_of(packed_weights_folder, "packed_weights_folder"),
                                      .verify_passes = verify_passes};
          },
          nb::kw_only(), nb::arg("intra_op_num_threads") = 0, nb::arg("disabled_passes") = nb::list(),
          nb::arg("reference_only") = false, nb::arg("operator_sets") = nb::list(), nb::arg("limits") = nb::none(),
          nb::arg("max_plan_bytes") = SessionOptions{}.max_plan_bytes, nb::arg("verify_passes") = false,
          nb::arg("precision") = "model", nb::arg("packed_weights_folder") = "", nb::arg("flush_subnormals") = true)
      .def_prop_rw(
          "intra_op_num_threads", [](const SessionOptions& self) { return self.intra_op_num_threads; },
          [](SessionOptions& self, int number) { self.intra_op_num_threads = threads_of(number); },
          "Threads that one run may use, the calling one included; 0 is every core this process may use.")
      .def_prop_rw(
          "disabled_passes", disabled_passes,
          [](SessionOptions& self, std::vector<std::string> names) { self.disabled_passes = std::move(names); },
          R"(Optional passes to leave out (see :func:`norn.pass_names`), "all" for every one. Unknown names are
an error.

Any sequence may be assigned; what is read is a tuple, as for ``operator_sets``.)")
      .def_rw("reference_only", &SessionOptions::reference_only,
              "Reference kernels only: slow, and simple enough to be compared with.")
      .def_prop_rw(
          "operator_sets", operator_sets,
          [](SessionOptions& self, std::vector<OperatorSet> sets) { self.operator_sets = std::move(sets); },
          "Operator-set documents whose operators the model may use.")
      .def_rw("limits", &SessionOptions::limits, "Bounds on what reading and preparing the model may cost.")
      .def_rw("max_plan_bytes", &SessionOptions::max_plan_bytes,
              "Bytes that the kept plans for different shapes may take; the least recently used ones go first.")
      .def_prop_rw(
          "precision", [](const SessionOptions& self) { return std::string(precision_name(self.precision)); },
          [](SessionOptions& self, const std::string& name) { self.precision = precision_from_name(name); },
          R"(What factors of products of float may be rounded to: "model", "float32", "bfloat16" or "int8".

"model" does what the model allows: "int8" for MatMulNBits with accuracy_level 4, and nothing for all others.
"float32" rounds nothing. "bfloat16" rounds both factors of products with constant matrices and of convolutions with
constant weights; "int8" what is multiplied by matrices stored in 2 or 4 bits, with a scale for each 32 elements of a
row. Sums are in float in any case. What the CPU does not multiply faster so is computed in float.)")
      .def_rw("flush_subnormals", &SessionOptions::flush_subnormals,
              R"(Whether fast kernels of matrix products, convolutions, attention and recurrent layers whose factors are
floating-point, and what is fused behind them, take elements closer to 0 than the smallest normal number of the type
they compute in (1.2e-38 for float) as 0, and give 0 in their place.

CPUs take up to a hundred times as long over them. If false, they are computed as all others are.)")
      .def_prop_rw(
          "packed_weights_folder",
          [](const SessionOptions& self) { return path_to_python(self.packed_weights_folder); },
          [](SessionOptions& self, PathArg path) {
            self.packed_weights_folder = path_of(path, "packed_weights_folder");
          },
          R"(Where weights are kept as kernels want them, for sessions of other processes with the same weights, which
read the files instead of packing again; "" is nowhere.

The folder is made if there is none, its parent is not. It grows with every model, kind of CPU and build of Norn; any
file in it may be removed at any time. Who may write there decides what models answer. What cannot be written is left
out: :meth:`InferenceSession.profile` reports why.)")
      .def_rw("verify_passes", &SessionOptions::verify_passes,
              R"(Hold the lowered program against its own rules, and again behind each pass; what breaks one is an
internal error.

For tests of Norn and reports of faults: it costs about as much as loading.)")
      .def("__repr__", [](const SessionOptions& self) { return repr_of(self); });

  nb::class_<PythonRunOptions>(module, "RunOptions",
                               R"(ONNX Runtime's options of one run, and ``timeout``.

A run that is ended raises :class:`norn.Cancelled`. Runs log nothing: options about logging have no effect.)")
      .def(nb::init<>())
      .def_prop_rw(
          "terminate", [](const PythonRunOptions& self) { return self.terminate.load(); },
          [](PythonRunOptions& self, bool value) { self.terminate.store(value); },
          R"(Ends the runs that have these options, now and until it is false again.

May be set from another thread while they go on; they end within some milliseconds, between two steps or two pieces of
one.)")
      .def_prop_rw(
          "timeout", [](const PythonRunOptions& self) { return self.timeout; },
          [](PythonRunOptions& self, std::optional<double> value) { self.timeout = value; }, nb::arg().none(),
          "Seconds that a run may take; None sets no bound.")
      .def_rw("logid", &PythonRunOptions::logid)
      .def_rw("log_severity_level", &PythonRunOptions::log_severity_level)
      .def_rw("log_verbosity_level", &PythonRunOptions::log_verbosity_level)
      .def("add_run_config_entry", add_run_config_entry, nb::arg("key"), nb::arg("value"),
           "Keeps the entry, and warns that no key has an effect.")
      .def("get_run_config_entry", get_run_config_entry, nb::arg("key"),
           "What was set; raises :class:`norn.InvalidArgument` for a key that was not.");
}

void register_metadata(nb::module_& module) {
  nb::class_<ModelMetadata>(module, "ModelMetadata", "What a model says about itself.")
      .def_prop_ro("producer_name", shown_member(&ModelMetadata::producer_name))
      .def_prop_ro("producer_version", shown_member(&ModelMetadata::producer_version))
      .def_prop_ro("graph_name", shown_member(&ModelMetadata::graph_name))
      .def_prop_ro("domain", shown_member(&ModelMetadata::domain))
      .def_prop_ro("description", shown_member(&ModelMetadata::description), "The model's doc_string.")
      .def_prop_ro("graph_description", shown_member(&ModelMetadata::graph_description), "The graph's doc_string.")
      .def_ro("version", &ModelMetadata::version, "0 if the model has none.")
      .def_prop_ro(
          "custom_metadata_map", [](const ModelMetadata& self) -> Result<"dict[str, str]"> {
            nb::dict map;
            for (const auto& [key, value] : self.custom_metadata) map[text_of(key)] = text_of(value);
            return map;
          });
}

}  // namespace

void register_session(nb::module_& module) {
  register_options(module);
  register_metadata(module);

  nb::class_<ArgInfo>(module, "NodeArg", "An input or output as the model declares it.")
      .def_prop_ro("name", shown_member(&ArgInfo::name))
      .def_prop_ro("type", shown_member(&ArgInfo::type),
                   R"doc("tensor(float)" or "seq(tensor(int64))", for example.)doc")
      .def_prop_ro(
          "shape", [](const ArgInfo& self) -> Result<"list[int | str | None] | None"> {
            if (!self.has_shape) return nb::none();
            return shape_of(self);
          },
          "A number, a variable's name or None (unknown) for each dimension; None if the rank is unknown.")
      .def("__repr__", [](const ArgInfo& self) { return repr_of(self); });

  nb::class_<HeldSession>(module, "InferenceSession",
                          R"(A model, made ready to run. Immutable: any number of threads may call :meth:`run` at once.

Results are the same bits whatever the number of threads.)",
                          nb::type_slots(ReaderSlots<HeldSession>::slots))
      .def(
          "__init__",
          [](HeldSession* self, ModelArg source, Arg<"SessionOptions"> sess_options,
             Arg<"collections.abc.Sequence[str | tuple[str, collections.abc.Mapping[str, typing.Any]]]"> providers,
             Arg<"collections.abc.Sequence[collections.abc.Mapping[str, typing.Any]]"> provider_options,
             ExternalDataArg external_data) {
            check_providers(providers, provider_options);
            const SessionOptions options =
                sess_options.is_none()
                    ? SessionOptions{}
                    : object_argument<SessionOptions>(sess_options, "sess_options", "norn.SessionOptions");
            LoadOptions loading;
            loading.limits = options.limits;
            const auto start = std::chrono::steady_clock::now();
            const HeldModel model = to_model(source, std::move(loading), external_data);
            const std::chrono::duration<double> read = std::chrono::steady_clock::now() - start;
            std::optional<Session> session;
            {
              const nb::gil_scoped_release release;
              session.emplace(model, options);
            }
            new (self) HeldSession(std::move(*session), model.reader);
            self->read_seconds = read.count();
          },
          nb::arg("path_or_bytes"), nb::arg("sess_options") = nb::none(), nb::arg("providers") = nb::none(),
          nb::arg("provider_options") = nb::none(), nb::kw_only(), nb::arg("external_data") = nb::none(),
          R"(Loads, optimises and prepares the model. ``external_data`` is as for :func:`norn.load`.

The model runs on the CPU. ``providers`` and ``provider_options`` are as ONNX Runtime takes them: one of its other
providers gives a ``UserWarning`` that the CPU is used instead, and so do options, which have no effect; an unknown
provider is :class:`norn.InvalidArgument`.

Raises what :func:`norn.load` raises, :class:`norn.InvalidGraph` with the place in the model, and
:class:`norn.NotImplemented` for valid ONNX that this build cannot run.)")
      .def("run", run, nb::arg("output_names").none(), nb::arg("input_feed").none(),
           nb::arg("run_options") = nb::none(), nb::kw_only(), nb::arg("outputs") = nb::none(),
           nb::arg("donate") = nb::none(),
           R"(A list of the named outputs, in that order; of all, in the model's order, for None or an empty list.

For "*" it is a dict of every value that a node of the model's graph computes, in the order of the nodes. Values that
passes would merge or leave out are computed for this: an output may differ by rounding from what it is otherwise.

``input_feed`` is a dict of input name to value. C-contiguous arrays are used in place: they must not be written to
until the call returns. Element types and shapes are compared with the declared ones, and a dimension variable has one
value in a run; nothing is converted, except that Python numbers and lists of them take the declared type, and that any
byte but 0 in an array of bool is True. A byte of an array of ``ml_dtypes``' 6-, 4- or 2-bit types that is none of the
type's values is refused. Outputs are new arrays, but for those that ``outputs`` names: a dict of output name to a
C-contiguous, writable array of the output's element type and shape, which the output is written to and which stands in
its place in the list. Such arrays must not overlap each other; one that overlaps an input is written when the run is
over. After an error, their contents are undefined.

``donate`` names inputs whose arrays are given up: the run may write to them, and an output may lie in such an array
afterwards, so that neither it nor what shares its memory must be used any more. Memory that another input or one of
``outputs`` overlaps is left alone. A cache that the model appends to comes back with room behind it, as an array with
strides of its own; when that very array is fed and donated to the next call, it is not copied: what is new is written
behind it.

The GIL is released while the model runs.

Raises :class:`norn.InvalidArgument` for a feed that does not fit and :class:`norn.RuntimeException` for a value that an
operator does not allow.)")
      .def("get_inputs", &Session::inputs, "Inputs that must be fed, in the model's order.")
      .def("get_outputs", &Session::outputs, "Outputs, in the model's order.")
      .def("get_overridable_initializers", &Session::overridable_initializers,
           "Inputs that have a default, an initializer of the same name.")
      .def("get_modelmeta", &Session::metadata, "What the model says about itself.")
      .def(
          "get_providers", [](const HeldSession&) { return std::vector<std::string>{kCpuProvider}; },
          "What the session runs on: the CPU.")
      .def("explain", explain, nb::arg("input_feed") = nb::none(), nb::arg("default_dim") = 1, nb::kw_only(),
           nb::arg("donate") = nb::none(),
           R"(What runs each node, why nothing faster does, and which passes nearly changed it, for the shapes of
these feeds.

Dimension variables that no feed gives count as ``default_dim``; ``donate`` is as for :meth:`run`.)")
      .def("explanation", explanation, nb::arg("input_feed") = nb::none(), nb::arg("default_dim") = 1, nb::kw_only(),
           nb::arg("donate") = nb::none(), R"(What :meth:`explain` says, as fields: those of ``norn explain --json``.)")
      .def("profile", profile, nb::arg("input_feed"), nb::kw_only(), nb::arg("runs") = 10, nb::arg("warmups") = 1,
           nb::arg("machine") = true, nb::arg("trace") = nb::none(), nb::arg("run_options") = nb::none(),
           R"doc(Runs the model and says where the time goes: a dict with the fields of ``norn profile --json``.

``load`` has the phases of loading, each pass among them: ``kind``, ``name`` and ``seconds``. ``run_seconds`` has the
times of ``runs`` runs that follow ``warmups`` others. ``steps`` has what ran, a dict for each operation with what is
fused to it: ``path`` of the document's node, ``operations`` ("Conv+Relu", or "copy" for a step that brings a value of
the node into another layout or place), ``kernel``, ``shapes``, ``calls``, ``total_seconds``, ``own_seconds`` (without
steps of its graphs), ``mean_seconds``, ``share`` of the time of all runs, ``flop`` and ``bytes`` of one call, and
``roofline``: the least time that this machine needs for them, as a share of the mean time. FLOP and bytes follow from
definitions and sizes, whatever the kernel does; what is not known is None.

``machine`` measures what the machine does at most, which takes a third of a second. ``trace`` is a file for every step
of every run, for chrome://tracing or Perfetto.)doc")
      .def("profile_text", profile_text, nb::arg("input_feed"), nb::kw_only(), nb::arg("runs") = 10,
           nb::arg("warmups") = 1, nb::arg("top") = 40, nb::arg("run_options") = nb::none(),
           "What :meth:`profile` measures, as a page, as ``norn profile`` prints it: the ``top`` longest steps.")
      .def("program_text", program_text, "The lowered program after passes, as ONNX text.");

  module.def("unrunnable_nodes", unrunnable, nb::arg("model"), nb::kw_only(), nb::arg("operator_sets") = nb::list(),
             nb::arg("limits") = nb::none(), nb::arg("external_data") = nb::none(),
             R"(Every node that this build cannot run and that keeps an :class:`InferenceSession` from being made.

Nodes of all graphs and of the bodies of functions that are called, each body once. A dict for each: ``where``,
``op_type``, ``domain``, ``version`` of the operator set in force (0 if none is imported), ``reason``
(``"unknown_operator"``, ``"no_kernel"``, ``"deprecated"``, ``"not_in_version"`` or ``"not_imported"``), ``message`` and
``hint``.)");
  module.def("pass_names", &pass_names, "Names of the optional passes, in the order they run.");
}

}  // namespace norn::python
