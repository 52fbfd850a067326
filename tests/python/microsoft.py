"""Nodes of com.microsoft, run by Norn in several ways and, where it is installed, by ONNX Runtime."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

import norn

try:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
except ImportError:
    onnxruntime = None


def node_model(op, inputs, outputs, constants=(), symbolic=False, unranked=False, domain="com.microsoft", **attributes):
    """A model of one node; `inputs` are arrays, None where omitted, `constants` those that are initializers."""
    names = ["" if array is None else f"in{i}" for i, array in enumerate(inputs)]
    given = {name: array for name, array in zip(names, inputs, strict=True) if name}
    fixed = [f"in{i}" for i in constants]
    infos = []
    for name, array in given.items():
        if name not in fixed:
            shape = [f"{name}_{d}" for d in range(array.ndim)] if symbolic else None if unranked else array.shape
            infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
    node = helper.make_node(op, names, outputs, name="the_node", domain=domain, **attributes)
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name=name) for name in outputs if name],
                              [numpy_helper.from_array(given[name], name) for name in fixed if name in given])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), {
        name: array for name, array in given.items() if name not in fixed
    }


def norn_run(op, inputs, outputs=("out0",), **kwargs):
    model, feeds = node_model(op, inputs, list(outputs), **kwargs)
    return norn.InferenceSession(model).run(None, feeds)


def compare(got, wanted, tolerance, what):
    for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
        if w is None:
            continue
        assert g.shape == w.shape, f"{what}: output {i}"
        assert g.dtype == w.dtype, f"{what}: output {i}"
        g, w = g.astype(np.float64), w.astype(np.float64)
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance, err_msg=f"{what}: output {i}")


def expect(op, inputs, wanted, tolerance=2e-5, constants=(), ort=True, ort_tolerance=None, symbolic=True, mask=None,
           outputs=None, **kwargs):
    """Norn gives `wanted` (None: whatever) with known sizes and with open ones, and infers its types; so does ORT.

    `mask(i, array)` puts what is not said about output i out of the way.
    """
    outputs = outputs or [f"out{i}" for i in range(len(wanted))]
    shown = [name for name in outputs if name]
    mask = mask or (lambda _, array: array)
    wanted = [None if w is None else mask(i, np.asarray(w)) for i, w in enumerate(wanted)]
    model, feeds = node_model(op, inputs, outputs, constants, **kwargs)
    # A main output has a type, which the model leaves to inference.
    faults = [d for d in norn.check(model) if d.severity == "error" and d.rule != "graph.outputs.typed"]
    assert not faults, faults
    got = norn.InferenceSession(model).run(None, feeds)
    masked = [mask(i, g) for i, g in enumerate(got)]
    compare(masked, wanted, tolerance, "fixed sizes")
    inferred = {v.name: v.type.tensor_type for v in norn.infer_shapes(model).graph.output}
    for name, g in zip(shown, got, strict=True):
        assert inferred[name].elem_type == helper.np_dtype_to_tensor_dtype(g.dtype), name
        dims = [d.dim_value for d in inferred[name].shape.dim]
        assert all(d in (0, size) for d, size in zip(dims, g.shape, strict=True)), (name, dims)
    if symbolic:
        open_model, _ = node_model(op, inputs, outputs, constants, symbolic=True, **kwargs)
        compare([mask(i, g) for i, g in enumerate(norn.InferenceSession(open_model).run(None, feeds))], wanted, tolerance,
                "open sizes")
    if ort and onnxruntime:
        theirs = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        compare(masked, [mask(i, t) for i, t in enumerate(theirs.run(None, feeds))], ort_tolerance or tolerance,
                "ONNX Runtime")
    return got
