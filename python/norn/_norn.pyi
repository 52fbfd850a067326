import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Protocol, TypeAlias

class _Serializable(Protocol):
    def SerializeToString(self) -> bytes: ...

_Path: TypeAlias = str | os.PathLike[str]
_ModelLike: TypeAlias = _Path | bytes | bytearray | memoryview | IO[bytes] | _Serializable | Model
_Reader: TypeAlias = Callable[[str, int, int | None], bytes | bytearray | memoryview]
_ExternalData: TypeAlias = str | ExternalDataPolicy | _Reader | None

__version__: str

class Limits:
    """Bounds on what reading a model may cost; more is refused with :class:`norn.LimitExceeded`."""

    max_bytes: int
    """Bytes of one file."""
    max_tensor_bytes: int
    """Bytes of one tensor in memory."""
    max_nodes: int
    """Nodes over all graphs and functions."""
    max_depth: int
    """Nested messages: graphs in attributes, types in types."""
    max_expanded_nodes: int
    """Nodes after functions are replaced by their bodies."""
    max_stream_bytes: int
    """Bytes of what has no size: a pipe, a device. ``max_bytes`` holds, too."""
    def __init__(
        self,
        *,
        max_bytes: int = ...,
        max_tensor_bytes: int = ...,
        max_nodes: int = ...,
        max_depth: int = ...,
        max_expanded_nodes: int = ...,
        max_stream_bytes: int = ...,
    ) -> None: ...

class ExternalDataPolicy:
    """Where a model's external data may come from. Given as ``external_data`` to what loads a model.

    ``policy`` is "beneath", the model's folder and below with no links that lead out, or "hf-cache", which also follows
    the links of the Hugging Face cache; ``roots`` are further folders; ``hard_links`` allows files of several names;
    ``checksums`` holds files against the SHA-1 that the model gives, when they are first used.

    ``reader(location, offset, length)`` gives the bytes instead of files: ``length`` bytes, or all that follow where it
    is None. It may be called from several threads at once, and what it raises ends the call that needed the bytes.
    """

    @property
    def policy(self) -> str: ...
    @property
    def roots(self) -> list[str]: ...
    @property
    def hard_links(self) -> bool: ...
    @property
    def checksums(self) -> bool: ...
    @property
    def reader(self) -> _Reader | None: ...
    def __init__(
        self,
        policy: str = "beneath",
        *,
        roots: Iterable[_Path] = (),
        hard_links: bool = False,
        checksums: bool = False,
        reader: _Reader | None = None,
    ) -> None: ...

class ModelSummary:
    """What people want to know first about a model; ``str()`` of it is a page for a terminal."""

    @property
    def path(self) -> str: ...
    @property
    def graph_name(self) -> str: ...
    @property
    def producer(self) -> str: ...
    @property
    def doc_string(self) -> str: ...
    @property
    def ir_version(self) -> int: ...
    @property
    def model_version(self) -> int: ...
    @property
    def opsets(self) -> list[tuple[str, int]]:
        """(domain, version); "" is ai.onnx."""
    @property
    def inputs(self) -> list[tuple[str, str]]:
        """(name, type), without those that an initializer gives; a type reads "float[N,3,224,224]"."""
    @property
    def outputs(self) -> list[tuple[str, str]]: ...
    @property
    def operators(self) -> list[tuple[str, int]]:
        """(operator, how many), most frequent first; subgraphs and functions included."""
    @property
    def nodes(self) -> int: ...
    @property
    def subgraphs(self) -> int: ...
    @property
    def functions(self) -> int: ...
    @property
    def initializers(self) -> int: ...
    @property
    def parameters(self) -> int:
        """Elements of all initializers."""
    @property
    def parameter_bytes(self) -> int:
        """As stored, external data included."""
    @property
    def file_bytes(self) -> int:
        """0 if the model did not come from a file."""
    @property
    def metadata(self) -> list[tuple[str, str]]: ...
    def to_json(self) -> str: ...

class Model:
    """A model as a document. Immutable, and safe to use from any number of threads. Made by :func:`norn.load`."""

    @property
    def path(self) -> str:
        """The file it was loaded from; "" if it was not."""
    def SerializeToString(self) -> bytes:
        """The bytes of the ModelProto."""
    def to_text(self, max_elements: int = 16) -> str:
        """The model in ONNX text syntax; tensors of more than ``max_elements`` elements are shown by their first few,
        eight at most, and such a text cannot be read back: :func:`norn.to_text` writes all of them."""
    def summary(self) -> ModelSummary: ...

def load(
    model: _ModelLike,
    *,
    format: str | None = None,
    limits: Limits | None = None,
    mmap: bool = True,
    external_data: _ExternalData = None,
    external_roots: Iterable[_Path] = (),
) -> Model:
    """Reads a model. It may be invalid ONNX: :func:`norn.check` or running it tells.

    The notation follows from a path's extension (.onnx .pb, .onnxtxt .onnxtext, .json .onnxjson, .textproto .pbtxt)
    unless ``format`` names it: "protobuf", "onnxtxt", "json", "textproto". A binary file is mapped, not read;
    ``mmap=False`` is for a file that others may truncate while it is in use. Bytes are used in place.

    External data lies beneath the model's folder. ``external_data`` says otherwise: "hf-cache" also follows the links
    of the Hugging Face cache, :class:`norn.ExternalDataPolicy` has everything that can be said, and a function of
    location, offset and length (or None) gives the bytes itself. ``external_roots`` are further folders. A model from
    memory has no folder of its own.

    Large binary models are read by several threads, at most four, and the GIL is released; in a child after a fork the
    calling thread reads alone.

    Raises :class:`norn.NoSuchFile`, :class:`norn.IoError`, :class:`norn.InvalidProtobuf` (``where`` has the byte
    offset, or line and column) and :class:`norn.LimitExceeded`.
    """

def save(
    model: _ModelLike,
    path: _Path,
    *,
    format: str | None = None,
    external_data: str | Mapping[str, Any] | None = None,
) -> None:
    """Writes the model in the notation of the extension (or ``format``, as for :func:`load`): a temporary file beside
    ``path``, renamed over it when complete. Its data files are copied along.

    With ``external_data``, the name of a data file beside ``path``, tensors go there: see :func:`unpack_external_data`,
    whose ``location``, ``size_threshold``, ``alignment``, ``max_file_bytes`` and ``checksums`` a dict may give.
    """

def pack_external_data(
    src: _ModelLike, dst: _Path, *, allow_over_2gib: bool = False, external_data: _ExternalData = None
) -> None:
    """Writes the model with all its tensors in the one file; ``dst`` may be ``src``.

    A file is never loaded whole. ONNX keeps files below 2 GiB: a larger one, which libraries built on protobuf do not
    read, needs ``allow_over_2gib``. All else in the model stays as it is, byte for byte.
    """

def unpack_external_data(
    src: _ModelLike,
    dst: _Path,
    location: str | None = None,
    *,
    size_threshold: int = 1024,
    alignment: int = 4096,
    max_file_bytes: int = 0,
    checksums: bool = False,
    external_data: _ExternalData = None,
) -> None:
    """Writes the model with its tensors in a data file beside it; ``dst`` may be ``src``.

    The file is ``location``, by default named after ``dst``. Tensors of fewer than ``size_threshold`` bytes stay in the
    model; each begins at a multiple of ``alignment`` bytes. Beyond ``max_file_bytes`` (0 is no bound, 1 gives each
    tensor its own file) another file is begun. ``checksums`` writes the files' SHA-1 into the model. A file is never
    loaded whole, and a data file that exists with other content is never written over. Those may read it who may read
    the model. Strings stay in the model, and what few readers look for outside: parts of sparse tensors, training
    information, functions' defaults of attributes and initializers of graphs in functions.
    """

def strip_tensor_data(src: _ModelLike, dst: _Path, *, external_data: _ExternalData = None) -> None:
    """Writes the model without the contents of its tensors: names, types and shapes stay. It cannot be run."""

def load_value(path: _Path, kind: str | None = None, *, limits: Limits | None = None) -> Any:
    """The value in a data file: .npy, .npz of one array, or a message of ONNX's test data (.pb).

    ``kind`` is "tensor", "sparse_tensor", "sequence", "map" or "optional"; without it the bytes tell where they can be
    one kind only (a sequence of one value and an optional of it are the same bytes). Values are those of a session.
    A file, array or message beyond ``limits`` raises :class:`norn.LimitExceeded`.
    """

def save_value(path: _Path, value: Any, *, name: str = "") -> None:
    """Writes a value to a data file: .npy and .npz by the extension, else the message that fits the value, under
    ``name``."""

def load_values(path: _Path, *, kind: str | None = None, limits: Limits | None = None) -> dict[str, Any]:
    """The values in a data file by name: an .npz archive, or the one value of another file. Never unpickles.

    Types that NumPy has no name for (bfloat16, float8, int4, ...) come back as they were if Norn wrote the archive.
    ``kind`` and ``limits`` are as for :func:`load_value`; an archive's arrays have ``max_bytes`` together.
    """

def save_values(path: _Path, values: Mapping[str, Any], *, compress: bool = False) -> None:
    """Writes tensors by name to an .npz archive, which ``numpy.load`` reads; a .npy or .pb file takes one value."""

def check_data(
    data: _Path | bytes | _Serializable,
    kind: str | None = None,
    *,
    profile: str = "spec",
    limits: Limits | None = None,
) -> Report:
    """Every finding about a data file's message: a path, bytes or a proto; ``kind`` is as for :func:`load_value`.

    No rule binds .npy and .npz files: those that can be read have no findings. Raises :class:`norn.InvalidProtobuf` for
    bytes that are no such message.
    """

class OperatorSet:
    """An operator-set document: immutable."""

    @property
    def domain(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def operators(self) -> list[str]: ...
    def save(self, path: _Path) -> None: ...
    def SerializeToString(self) -> bytes: ...

def load_operator_set(document: _Path | bytes | _Serializable) -> OperatorSet:
    """Reads an operator-set document from a path (binary, or protobuf text or JSON by its extension), bytes or a proto.

    Raises :class:`norn.InvalidGraph` for one that breaks a rule: :func:`check_operator_set` tells all of them.
    """

def export_operator_set(domain: str, version: int, path: _Path) -> None:
    """Writes a built-in operator set as a document."""

def check_operator_set(document: _Path | bytes | _Serializable | OperatorSet) -> Report:
    """Every finding about an operator-set document; raises :class:`norn.InvalidProtobuf` for what is none."""

def check_operator_sets(sets: Sequence[OperatorSet]) -> Report:
    """What does not fit between operator sets that are used together: two of one domain and version, stable operators
    that changed, built-in domains told otherwise than ONNX does."""

class Diagnostic:
    """One finding: the rule it breaks, how grave, where, what is wrong, what would help."""

    @property
    def rule(self) -> str: ...
    @property
    def severity(self) -> str:
        """ "error", "warning" or "note"."""
    @property
    def where(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def hint(self) -> str: ...

class Report:
    """The findings about one model: graph by graph, what is about a graph as a whole last. Iterable, and can be
    pickled. ``str()`` of it is a page for a terminal; it is true where :attr:`ok` is, whatever its length."""

    @property
    def ok(self) -> bool:
        """No finding is an error."""
    @property
    def path(self) -> str: ...
    @property
    def dropped(self) -> int:
        """Findings beyond the bound, counted but not kept."""
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    def to_json(self) -> str: ...
    def to_sarif(self) -> str: ...
    def __iter__(self) -> Iterator[Diagnostic]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

def check(
    model: _ModelLike,
    *,
    profile: str = "spec",
    checksums: bool = False,
    check_custom_domain: bool = False,
    skip_opset_compatibility_check: bool = False,
    operator_sets: Sequence[OperatorSet] = ...,
    max_findings: int = 10000,
    limits: Limits | None = None,
    external_data: _ExternalData = None,
) -> Report:
    """Every finding about a model, in one pass. ``profile`` is "spec", "strict" or "runtime".

    ``checksums`` reads external data whole and holds it against its SHA-1, as does an :class:`ExternalDataPolicy` that
    asks for it, here or where a :class:`Model` was loaded; ``external_data`` is as for :func:`load`.
    Operators of domains that neither Norn nor ``operator_sets`` declare are errors with ``check_custom_domain``.

    Large graphs are checked by several threads, at most four, and the GIL is released; in a child after a fork the
    calling thread checks alone.

    Never raises for a fault of a model that can be read, but for limits: functions that would expand beyond them are a
    :class:`LimitExceeded`. For a model that cannot be read it raises what :func:`load` raises.
    """

def check_part(
    kind: str,
    part: bytes | _Serializable,
    ir_version: int,
    opset_imports: Sequence[tuple[str, int]] | None,
    *,
    profile: str = "spec",
) -> Report:
    """Every finding about one message: ``kind`` is graph, node, attribute, tensor, sparse_tensor, value_info or
    function; ``opset_imports`` are the (domain, version) pairs in force (a domain that an empty list, say, lacks is a
    finding for its nodes); None if they are not known, so that nothing is said about the operators that nodes name."""

def rules() -> list[dict[str, Any]]:
    """Every rule that binds a file: id, level, ir_from, ir_to, lenient, text, not_checked."""

def parse_text(text: str, kind: str = "model") -> bytes:
    """The serialised proto that a text in ONNX syntax describes; ``kind`` is model, graph, function or node."""

def print_text(part: bytes | _Serializable, kind: str) -> str:
    """A serialised proto in ONNX text syntax, complete; bytes of names that are not UTF-8 are shown as ``\\xff``."""

def load_external_tensor(
    tensor: bytes | _Serializable, base_dir: _Path, *, policy: str | ExternalDataPolicy | None = None
) -> bytes:
    """The raw bytes of a TensorProto kept in a data file beneath ``base_dir``, if the policy allows it."""

def save_external_tensor(tensor: bytes | _Serializable, base_dir: _Path, *, alignment: int = 4096) -> Any:
    """Appends a tensor's raw_data to the data file that it names, at a multiple of ``alignment``.

    Returns the TensorProto that refers to it: bytes for bytes, a proto for a proto.
    """

def open_external_fd(
    location: _Path, base_dir: _Path, policy: str | ExternalDataPolicy | None = None
) -> tuple[int, str]:
    """(descriptor, path) of an external data file; the descriptor is the caller's. See :func:`norn.open_external`."""

class SessionOptions:
    """How a session is made. Options are read when the session is constructed."""

    intra_op_num_threads: int
    """Threads that one run may use, the calling one included; 0 is every core this process may use."""
    @property
    def disabled_passes(self) -> tuple[str, ...]:
        """Optional passes to leave out (see :func:`norn.pass_names`), "all" for every one. Unknown names are an error.

        Any sequence may be assigned; what is read is a tuple, as for ``operator_sets``.
        """
    @disabled_passes.setter
    def disabled_passes(self, names: Sequence[str]) -> None: ...
    reference_only: bool
    """Reference kernels only: slow, and obviously right."""
    @property
    def operator_sets(self) -> tuple[OperatorSet, ...]:
        """Operator-set documents whose operators the model may use."""
    @operator_sets.setter
    def operator_sets(self, sets: Sequence[OperatorSet]) -> None: ...
    limits: Limits
    max_plan_bytes: int
    """Bytes that plans for shapes that came by may take; the least recently used ones go first."""
    verify_passes: bool
    """Hold the lowered program against its own rules, and again behind each pass; what breaks one is an internal error.

    For tests of Norn and reports of faults: it costs about as much as loading.
    """
    def __init__(
        self,
        *,
        intra_op_num_threads: int = 0,
        disabled_passes: Sequence[str] = ...,
        reference_only: bool = False,
        operator_sets: Sequence[OperatorSet] = ...,
        limits: Limits | None = None,
        max_plan_bytes: int = ...,
        verify_passes: bool = False,
    ) -> None: ...

class RunOptions:
    """ONNX Runtime's options of one run. Runs log nothing, so those about logging have nothing to act on."""

    logid: str
    log_severity_level: int
    log_verbosity_level: int
    def __init__(self) -> None: ...
    def add_run_config_entry(self, key: str, value: str) -> None:
        """Warns: no key has an effect."""
    def get_run_config_entry(self, key: str) -> str:
        """What was set; raises :class:`norn.InvalidArgument` for a key that was not."""

class ModelMetadata:
    """What a model says about itself."""

    @property
    def producer_name(self) -> str: ...
    @property
    def producer_version(self) -> str: ...
    @property
    def graph_name(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def description(self) -> str:
        """The model's doc_string."""
    @property
    def graph_description(self) -> str:
        """The graph's doc_string."""
    @property
    def version(self) -> int:
        """0 if the model has none."""
    @property
    def custom_metadata_map(self) -> dict[str, str]: ...

class NodeArg:
    """An input or output as the model declares it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str:
        """ "tensor(float)", "seq(tensor(int64))"."""
    @property
    def shape(self) -> list[int | str | None] | None:
        """A number, a variable's name or None (unknown) for each dimension; None if the rank is unknown."""

class InferenceSession:
    """A model, made ready to run. Immutable: any number of threads may call :meth:`run` at once.

    Results are the same bits whatever the number of threads.
    """

    def __init__(
        self,
        path_or_bytes: _ModelLike,
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        *,
        external_data: _ExternalData = None,
    ) -> None:
        """Loads, optimises and prepares the model. ``external_data`` is as for :func:`norn.load`.

        The model runs on the CPU. ``providers`` and ``provider_options`` are as ONNX Runtime takes them: one of its
        other providers gives a ``UserWarning`` that the CPU is used instead, and so do options, which have no effect;
        what is no provider is :class:`norn.InvalidArgument`.

        Raises what :func:`norn.load` raises, :class:`norn.InvalidGraph` with the place in the model, and
        :class:`norn.NotImplemented` for valid ONNX that this build cannot run.
        """
    def run(
        self,
        output_names: Iterable[str] | None,
        input_feed: Mapping[str, Any] | None,
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Computes the named outputs, in that order; all of them, in the model's order, for None or an empty list.

        ``input_feed`` is a dict of input name to value. C-contiguous arrays are used in place: they must not be written
        to until the call returns. Element types and shapes are held against the declared ones, and a dimension variable
        has one value in a run; nothing is converted, except that Python numbers and lists of them take the declared
        type, and that any byte but 0 in an array of bool is True. A byte of an array of ``ml_dtypes``' 6-, 4- or 2-bit
        types that is none of the type's values is refused. Outputs are new arrays. The GIL is released while the model
        runs.

        Raises :class:`norn.InvalidArgument` for a feed that does not fit and :class:`norn.RuntimeException` for a value
        that is not allowed where it is met.
        """
    def get_inputs(self) -> list[NodeArg]:
        """Inputs that must be fed, in the model's order."""
    def get_outputs(self) -> list[NodeArg]: ...
    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs that have a default, an initializer of the same name."""
    def get_modelmeta(self) -> ModelMetadata: ...
    def get_providers(self) -> list[str]: ...
    def explain(self, input_feed: Mapping[str, Any] | None = None, default_dim: int = 1) -> str:
        """What runs each node, why nothing faster does, and which passes nearly changed it, for the shapes of these feeds.

        Dimension variables that no feed gives count as ``default_dim``.
        """
    def program_text(self) -> str:
        """The lowered program after passes, as ONNX text."""

def pass_names() -> list[str]:
    """Names of the optional passes, in the order they run."""

def newest_opset_version(domain: str = "") -> int:
    """The newest version of a built-in operator set; 0 for a domain that is not built in."""

def storage_bits(data_type: int) -> int:
    """Bits of one element of a ``TensorProto.DataType`` as a file stores it; 0 for strings and unknown types."""

def schemas_json() -> str:
    """The operators Norn knows as JSON: a list with an object for each version of each operator.

    Keys: domain, name, since, inputs, outputs, attributes, types, least and most numbers of inputs and outputs,
    determinism, deprecated. The domain of ai.onnx is "".
    """
