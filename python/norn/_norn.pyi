import os
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, Protocol

class _Serializable(Protocol):
    def SerializeToString(self) -> bytes: ...

_ModelLike = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | _Serializable | Model

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
    def __init__(
        self,
        *,
        max_bytes: int = ...,
        max_tensor_bytes: int = ...,
        max_nodes: int = ...,
        max_depth: int = ...,
        max_expanded_nodes: int = ...,
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
        """The model in ONNX text syntax; larger tensors are shown by their first ``max_elements`` elements."""
    def summary(self) -> ModelSummary: ...

def load(model: _ModelLike, *, limits: Limits | None = None, mmap: bool = True) -> Model:
    """Reads a model. It may be invalid ONNX: running it tells.

    A file is mapped, not read; ``mmap=False`` is for a file that others may truncate while it is in use.

    Raises :class:`norn.NoSuchFile`, :class:`norn.IoError`, :class:`norn.InvalidProtobuf` (``where`` has the byte
    offset) and :class:`norn.LimitExceeded`.
    """

def save(model: _ModelLike, path: str | os.PathLike[str]) -> None:
    """Writes the model in the binary format: a temporary file beside ``path``, renamed over it when complete."""

class SessionOptions:
    """How a session is made. Options are read when the session is constructed."""

    intra_op_num_threads: int
    """Threads that one run may use, the calling one included; 0 is every core this process may use."""
    disabled_passes: list[str]
    """Optional passes to leave out (see :func:`norn.pass_names`), "all" for every one. Unknown names are an error."""
    reference_only: bool
    """Reference kernels only: slow, and obviously right."""
    limits: Limits
    def __init__(
        self,
        *,
        intra_op_num_threads: int = 0,
        disabled_passes: Sequence[str] = ...,
        reference_only: bool = False,
        limits: Limits | None = None,
    ) -> None: ...

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
    ) -> None:
        """Loads, optimises and prepares the model. ``providers``, if given, has to contain "CPUExecutionProvider".

        Raises what :func:`norn.load` raises, :class:`norn.InvalidGraph` with the place in the model, and
        :class:`norn.NotImplemented` for valid ONNX that this build cannot run.
        """
    def run(
        self,
        output_names: Iterable[str] | None,
        input_feed: Mapping[str, Any] | None,
        run_options: None = None,
    ) -> list[Any]:
        """Computes the named outputs, in that order; all of them, in the model's order, for None.

        ``input_feed`` is a dict of input name to value. C-contiguous arrays are used in place: they must not be written
        to until the call returns. Element types and shapes are held against the declared ones, and a dimension variable
        has one value in a run; nothing is converted, except that Python numbers and lists of them take the declared
        type. Outputs are new arrays. The GIL is released while the model runs.

        Raises :class:`norn.InvalidArgument` for a feed that does not fit and :class:`norn.RuntimeException` for a value
        that is not allowed where it is met.
        """
    def get_inputs(self) -> list[NodeArg]:
        """Inputs that must be fed, in the model's order."""
    def get_outputs(self) -> list[NodeArg]: ...
    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs that have a default, an initializer of the same name."""
    def get_providers(self) -> list[str]: ...
    def explain(self, input_feed: Mapping[str, Any] | None = None, default_dim: int = 1) -> str:
        """What runs each node, and why nothing faster does, for the shapes of these feeds.

        Dimension variables that no feed gives count as ``default_dim``.
        """
    def program_text(self) -> str:
        """The lowered program after passes, as ONNX text."""

def pass_names() -> list[str]:
    """Names of the optional passes, in the order they run."""

def schemas_json() -> str:
    """The operators Norn knows as JSON: a list with an object for each version of each operator.

    Keys: domain, name, since, inputs, outputs, attributes, types, least and most numbers of inputs and outputs,
    determinism, deprecated. The domain of ai.onnx is "".
    """
