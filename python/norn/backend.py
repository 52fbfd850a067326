"""Norn behind the interface of ``onnx.backend.base``: what tools expect that take "an ONNX backend".

    import norn.backend

    outputs = norn.backend.run_model(model, [x, y])
    prepared = norn.backend.prepare(model)            # for many runs
    outputs = prepared.run([x, y])

    from onnx.backend.test import BackendTest
    globals().update(BackendTest(norn.backend, __name__).test_cases)

The module's functions are the methods of :class:`Backend`. It needs the onnx package, which Norn itself does not:
``import norn`` does not import this module; ``norn.backend`` or ``import norn.backend`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import InvalidArgument
from ._norn import InferenceSession, SessionOptions, newest_opset_version, unrunnable_nodes
from ._sparse import SparseTensor

if TYPE_CHECKING:
    from ._norn import _ExternalData, _ModelLike

try:
    from onnx import NodeProto, TensorProto, TypeProto, helper, numpy_helper
    from onnx.backend.base import Backend as _Backend
    from onnx.backend.base import BackendRep as _BackendRep
    from onnx.backend.base import namedtupledict
except ImportError as error:
    raise ImportError("norn.backend needs the onnx package; install it with: pip install onnx") from error

__all__ = ["Backend", "BackendRep", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]

_NEWEST_IR_VERSION = 14


class BackendRep(_BackendRep):
    """A model made ready to run."""

    def __init__(self, session: InferenceSession) -> None:
        self.session = session
        self._required = [given.name for given in session.get_inputs()]
        self._names = self._required + [given.name for given in session.get_overridable_initializers()]
        self._outputs = [output.name for output in session.get_outputs()]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The model's outputs, as a tuple whose items can be had by the outputs' names, too: ``outputs["y"]``.

        ``inputs`` are values in the model's order (inputs that have a default come behind all others and may be left
        out), a dict of name to value, or one value for a model with one input. TensorProtos are taken for what they
        hold. ``run_options`` is a :class:`norn.RunOptions`.
        """
        feed = self._feed(inputs)
        outputs = self.session.run(None, feed, kwargs.pop("run_options", None))
        if kwargs:
            raise InvalidArgument(f"run() has no argument {next(iter(kwargs))!r}", hint="run_options is one")
        result: tuple[Any, ...] = namedtupledict("Outputs", self._outputs)(*outputs)
        return result

    def _feed(self, inputs: Any) -> dict[str, Any]:
        if isinstance(inputs, Mapping):
            return {name: _value(item) for name, item in inputs.items()}
        if not isinstance(inputs, (list, tuple)):
            inputs = [inputs]
        if not len(self._required) <= len(inputs) <= len(self._names):
            raise InvalidArgument(
                f"{len(inputs)} inputs are given, but the model has {len(self._required)}: {', '.join(self._required)}",
                hint="give them in this order, or a dict of name to value",
            )
        return {name: _value(item) for name, item in zip(self._names, inputs, strict=False)}


class Backend(_Backend):
    """Norn as ``onnx.backend.base.Backend``. It runs on the CPU."""

    @classmethod
    def is_compatible(cls, model: _ModelLike, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether this Norn knows how to run every node of the model, on that device."""
        return cls.supports_device(device) and not unrunnable_nodes(model, external_data=kwargs.get("external_data"))

    @classmethod
    def prepare(  # type: ignore[override]
        cls,
        model: _ModelLike,
        device: str = "CPU",
        *,
        sess_options: SessionOptions | None = None,
        external_data: _ExternalData | None = None,
        **kwargs: Any,
    ) -> BackendRep:
        """Loads and prepares a model: anything that :class:`norn.InferenceSession` takes, with its keywords.

        Other keywords have no effect: by this interface they are a backend's own, and callers that do not know the
        backend, such as onnx's test runner, pass theirs to every one.
        """
        del kwargs
        _refuse_other_than_cpu(cls, device)
        return BackendRep(InferenceSession(model, sess_options, external_data=external_data))

    @classmethod
    def run_model(  # type: ignore[override]
        cls, model: _ModelLike, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        """``prepare(model, device, **kwargs).run(inputs)``"""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """The outputs of one node.

        ``inputs`` has a value for each of ``node.input``, with or without those that are left out (""), or is a dict.
        Their types are those of the values: an empty list is a sequence of float tensors, None an empty optional of
        one. Outputs of another element type or shape than ``outputs_info`` says are an error. ``opset_version`` is the
        version of the node's operator set, otherwise the newest.
        """
        given = _node_inputs(node, inputs)
        domain = "" if node.domain == "ai.onnx" else node.domain
        version = kwargs.pop("opset_version", None) or newest_opset_version(domain)
        imports = {"": newest_opset_version("")} | {domain: version}
        outputs = [name for name in node.output if name]
        graph = helper.make_graph(
            [node],
            "node",
            [helper.make_value_info(name, _type_of(value, name)) for name, value in given.items()],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()],
            ir_version=_NEWEST_IR_VERSION,
        )
        results = cls.prepare(model, device, **kwargs).run(given)
        for name, got, info in zip(outputs, results, outputs_info or (), strict=False):
            _compare(name, got, *info)
        return results

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """True for "CPU" and "CPU:0"."""
        kind, _, number = device.partition(":")
        return kind == "CPU" and number in ("", "0")


def _refuse_other_than_cpu(backend: type[Backend], device: str) -> None:
    if not backend.supports_device(device):
        raise InvalidArgument(f"there is no device {device!r}", hint='Norn runs on the "CPU"')


def _value(item: Any) -> Any:
    return numpy_helper.to_array(item) if isinstance(item, TensorProto) else item


def _node_inputs(node: NodeProto, inputs: Any) -> dict[str, Any]:
    if isinstance(inputs, Mapping):
        return {name: _value(item) for name, item in inputs.items()}
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    names = list(node.input)
    if len(inputs) != len(names):
        names = [name for name in names if name]
    if len(inputs) != len(names):
        raise InvalidArgument(
            f"{len(inputs)} inputs are given, but the node has {len(names)}: {', '.join(map(repr, node.input))}",
            hint="give one for each, or a dict of name to value",
        )
    return {name: _value(item) for name, item in zip(names, inputs, strict=True) if name}


def _type_of(value: Any, name: str) -> TypeProto:
    """The type of a value, sizes included."""
    if value is None:
        return helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    if isinstance(value, SparseTensor):
        return helper.make_sparse_tensor_type_proto(_element_type(value.values.dtype, name), list(value.shape))
    if isinstance(value, Mapping):
        key, item = next(iter(value.items()), (0, np.float32(0)))
        return helper.make_map_type_proto(
            TensorProto.STRING if isinstance(key, str) else TensorProto.INT64, _type_of(item, name)
        )
    if isinstance(value, (list, tuple)):
        item_type = _type_of(value[0] if value else np.zeros((), np.float32), name)
        if item_type.HasField("tensor_type"):
            item_type.tensor_type.ClearField("shape")  # items of a sequence may differ in it
        return helper.make_sequence_type_proto(item_type)
    is_array = hasattr(value, "__array__") or not hasattr(value, "__dlpack__")
    array = np.asarray(value) if is_array else np.from_dlpack(value)
    return helper.make_tensor_type_proto(_element_type(array.dtype, name), array.shape)


def _element_type(dtype: Any, name: str) -> int:
    dtype = np.dtype(dtype)
    if dtype.kind in "OUST":
        return TensorProto.STRING
    try:
        return int(helper.np_dtype_to_tensor_dtype(dtype))
    except (KeyError, ValueError):
        raise InvalidArgument(f"the input {name!r} has numpy's type {dtype}, which is not an ONNX element type") from None


def _compare(name: str, got: Any, dtype: Any, shape: Sequence[int]) -> None:
    wanted = f"{np.dtype(dtype)}{list(shape)}"
    found = f"{got.dtype}{list(got.shape)}" if isinstance(got, np.ndarray) else type(got).__name__
    if found != wanted:
        raise InvalidArgument(f"the output {name!r} is {found}, but outputs_info says {wanted}")


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device

