"""Rows of operators.py for networks and quantized models, with initializers where engines prepare for them."""

import numpy as np
from operator_cases import array, ints, model


def floats(*dims):
    return array("float", *dims)


def trees(rows, count, depth=4, features=30):
    """Complete binary trees in the form of TreeEnsemble."""
    inner, leaves = 2**depth - 1, 2**depth
    nodes = inner * count
    tree, place = np.divmod(np.arange(nodes), inner)
    is_last = place >= inner // 2
    below = [np.where(is_last, tree * leaves + 2 * place + k - inner, tree * inner + 2 * place + k) for k in (1, 2)]
    lists = {
        "nodes_truenodeids": below[0],
        "nodes_falsenodeids": below[1],
        "nodes_trueleafs": is_last.astype(int),
        "nodes_falseleafs": is_last.astype(int),
        "nodes_featureids": ints(0, features, nodes),
        "leaf_targetids": np.zeros(leaves * count, int),
        "tree_roots": np.arange(count) * inner,
    }
    tensors = {"nodes_splits": ("float", floats(nodes)), "leaf_weights": ("float", floats(leaves * count))}
    tensors["nodes_modes"] = ("uint8", np.zeros(nodes, int))
    attributes = [f"{name} = [{', '.join(map(str, values))}]" for name, values in lists.items()]
    for name, (dtype, values) in tensors.items():
        attributes.append(f"{name} = {dtype}[{len(values)}] {{{', '.join(map(str, values))}}}")
    text = f"agraph (float[N, {features}] a) => (y) {{ y = ai.onnx.ml.TreeEnsemble<n_targets = 1, {', '.join(attributes)}>(a) }}"
    return text, {"a": floats(rows, features)}


def networks():
    return {
        "LayerNormalization": lambda: model(
            {"a": floats(128, 768), "s": floats(768), "b": floats(768)}, "y = LayerNormalization(a, s, b)"
        ),
        "InstanceNormalization": lambda: model(
            {"a": floats(1, 16, 100, 100), "s": floats(16), "b": floats(16)}, "y = InstanceNormalization(a, s, b)"
        ),
        "LSTM": lambda: model(
            {"a": floats(20, 1, 64), "w": floats(1, 256, 64), "r": floats(1, 256, 64)}, "y = LSTM<hidden_size = 64>(a, w, r)"
        ),
        "LSTM both directions": lambda: model(
            {"a": floats(20, 8, 128), "w": floats(2, 1024, 128), "r": floats(2, 1024, 256)},
            'y = LSTM<hidden_size = 256, direction = "bidirectional">(a, w, r)',
        ),
        "GRU": lambda: model(
            {"a": floats(30, 1, 128), "w": floats(1, 384, 128), "r": floats(1, 384, 128)}, "y = GRU<hidden_size = 128>(a, w, r)"
        ),
        "TreeEnsemble": lambda: trees(500, 100),
        "TreeEnsemble of a row": lambda: trees(1, 100),
    }


QUANTIZED = {
    "as": np.array(0.02, np.float32),
    "az": np.array(3, np.uint8),
    "ys": np.array(0.7, np.float32),
    "yz": np.array(128, np.uint8),
}


def quantized():
    def uint8(*dims):
        return ints(0, 255, *dims, dtype=np.uint8)

    def weights(count, *dims):
        scales = {"ws": np.full(count, 0.01, np.float32), "wz": np.zeros(count, np.int8)}
        return {**QUANTIZED, **scales, "w": ints(-99, 99, *dims, dtype=np.int8)}

    one = {"s": np.array(0.1, np.float32), "z": np.array(3, np.uint8)}
    conv = "<pads = [1, 1, 1, 1]>"
    return {
        "MatMulInteger": lambda: model(
            {"a": uint8(64, 256), "b": ints(-9, 9, 256, 256, dtype=np.int8)}, "y = MatMulInteger(a, b)"
        ),
        "MatMulInteger constant": lambda: (
            *model({"a": uint8(64, 256)}, "y = MatMulInteger(a, w)"), {"w": ints(-99, 99, 256, 256, dtype=np.int8)}
        ),
        "QLinearMatMul": lambda: (
            *model({"a": uint8(128, 256)}, "y = QLinearMatMul(a, as, az, w, ws, wz, ys, yz)"), weights(256, 256, 256)
        ),
        "QLinearConv": lambda: (
            *model({"a": uint8(1, 64, 28, 28)}, f"y = QLinearConv{conv}(a, as, az, w, ws, wz, ys, yz)"),
            weights(64, 64, 64, 3, 3),
        ),
        "ConvInteger": lambda: (
            *model({"a": uint8(1, 64, 28, 28)}, f"y = ConvInteger{conv}(a, w, az)"),
            {"az": np.array(3, np.uint8), "w": ints(-99, 99, 64, 64, 3, 3, dtype=np.int8)},
        ),
        "DynamicQuantizeLinear": lambda: model({"a": floats(200_000)}, "y, s, z = DynamicQuantizeLinear(a)", "y, s, z"),
        "QuantizeLinear": lambda: model({"a": floats(200_000), **one}, "y = QuantizeLinear(a, s, z)"),
        "DequantizeLinear": lambda: model({"a": uint8(200_000), **one}, "y = DequantizeLinear(a, s, z)"),
    }


FAMILIES = {"networks": networks, "quantized": quantized}
