"""Random models of many operator sets, run fast and by reference kernels without any pass, and by the onnx package.

Each seed gives one small convolutional network: sizes, windows, paddings, branches, broadcasts and the operator set's
version are drawn. What single-operator tests cannot see shows here: fusions, layouts, memory that is reused too early.

The onnx package's evaluator is not asked about operators where it departs from the standard's text for some versions
(an epsilon it ignores, windows that lie in the padding); single-operator tests compare those with recorded results.
"""

import random

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import norn


class Network:
    """A graph under construction: `current` is the running value, `values` all values of known shape so far."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.opset = self.pick.choice([7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21])
        self.nodes, self.initializers = [], []
        self.shape = [self.pick.choice([1, 2, 3]), self.pick.choice([1, 3, 4, 8, 16, 17]), self.pick.choice([5, 7, 8]),
                      self.pick.choice([4, 5, 8])]
        self.feed = {"x": self.numbers.standard_normal(self.shape).astype(np.float32)}
        batch = "N" if self.pick.random() < 0.5 else self.shape[0]
        self.input = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, *self.shape[1:]])
        self.current, self.values = "x", [("x", list(self.shape))]

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape, spread=1.0):
        return self.constant((self.numbers.standard_normal(shape) * spread).astype(np.float32))

    def add(self, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def same_shape(self):
        return [name for name, shape in self.values if shape == self.shape]

    def step(self):
        op = self.pick.choice(["conv", "conv", "conv", "norm", "activation", "activation", "pool", "residual", "many",
                               "concat", "pad", "slice", "clip", "lrn", "binary", "transpose", "gate", "mean"])
        getattr(self, op)()
        self.values.append((self.current, list(self.shape)))

    def conv(self):
        n, c, h, w = self.shape
        group = c if self.pick.random() < 0.25 else 1
        m = c * self.pick.choice([1, 2]) if group > 1 else self.pick.choice([5, 8, 16, 24])
        kernel = [self.pick.choice([1, 3]), self.pick.choice([1, 3])]
        stride, dilation = self.pick.choice([1, 1, 2]), self.pick.choice([1, 1, 2])
        pads = [self.pick.randint(0, 2) for _ in range(4)]
        out = [(s + pads[i] + pads[i + 2] - dilation * (k - 1) - 1) // stride + 1 for i, (s, k) in
               enumerate(zip((h, w), kernel, strict=True))]
        if min(out) < 1:
            return
        inputs = [self.current, self.weights(m, c // group, *kernel, spread=(c // group * 3) ** -0.5)]
        if self.pick.random() < 0.5:
            inputs.append(self.weights(m))
        self.current = self.add("Conv", inputs, kernel_shape=kernel, strides=[stride] * 2, dilations=[dilation] * 2,
                                group=group, pads=pads)
        self.shape = [n, m, *out]

    def norm(self):
        inputs = [self.constant(self.numbers.uniform(0.5, 1.5, self.shape[1]).astype(np.float32)) for _ in range(4)]
        self.current = self.add("BatchNormalization", [self.current, *inputs], epsilon=1e-3)

    def activation(self):
        op = self.pick.choice(["Relu", "Sigmoid", "Tanh", "Softsign", "Abs", "Neg", "Exp", "Sqrt"])
        if op == "Exp":
            self.current = self.add("Tanh", [self.current])
        if op == "Sqrt":
            self.current = self.add("Abs", [self.current])
        self.current = self.add(op, [self.current])

    def pool(self):
        n, c, h, w = self.shape
        kernel, stride = [2, self.pick.choice([1, 2])], self.pick.choice([1, 2])
        pads = [self.pick.randint(0, 1), 0, self.pick.randint(0, 1), 0]
        out = [(s + pads[i] + pads[i + 2] - k) // stride + 1 for i, (s, k) in enumerate(zip((h, w), kernel, strict=True))]
        if min(out) < 1:
            return
        maximum = self.pick.random() < 0.6
        extra = {} if maximum else {"count_include_pad": self.pick.choice([0, 1])}
        self.current = self.add("MaxPool" if maximum else "AveragePool", [self.current], kernel_shape=kernel,
                                strides=[stride] * 2, pads=pads, **extra)
        self.shape = [n, c, *out]

    def residual(self):
        pair = [self.current, self.pick.choice(self.same_shape())]
        self.pick.shuffle(pair)
        self.current = self.add(self.pick.choice(["Add", "Mul", "Sub"]), pair)

    def many(self):
        others = [self.pick.choice(self.same_shape()) for _ in range(self.pick.randint(1, 3))]
        self.current = self.add(self.pick.choice(["Sum", "Max", "Min"]), [self.current, *others])

    def concat(self):
        axis = self.pick.choice([1, 1, 2, 3])
        others = [(name, shape) for name, shape in self.values
                  if all(a == b for i, (a, b) in enumerate(zip(shape, self.shape, strict=True)) if i != axis)]
        name, shape = self.pick.choice(others)
        if shape[axis] + self.shape[axis] > 48:
            return
        self.current = self.add("Concat", [self.current, name], axis=axis)
        self.shape[axis] += shape[axis]

    def pad(self):
        pads = [0, 0, self.pick.randint(0, 2), self.pick.randint(0, 2), 0, 0, 1, self.pick.randint(0, 2)]
        mode = self.pick.choice(["constant", "edge"])
        if self.opset < 11:
            self.current = self.add("Pad", [self.current], pads=pads, mode=mode, value=0.5)
        else:
            inputs = [self.current, self.constant(np.int64(pads)), self.constant(np.float32(0.5))]
            self.current = self.add("Pad", inputs, mode=mode)
        self.shape = [s + pads[i] + pads[i + 4] for i, s in enumerate(self.shape)]

    def slice(self):
        axis = self.pick.choice([1, 2, 3])
        size, start, step = self.shape[axis], self.pick.randint(0, 1), 1
        if size < 4:
            return
        end = size - self.pick.randint(0, 1)
        if self.opset < 10:
            self.current = self.add("Slice", [self.current], axes=[axis], starts=[start], ends=[end])
        else:
            step = self.pick.choice([1, 2, -1])
            if step < 0:
                start, end = end - 1, start
            inputs = [self.constant(np.int64([v])) for v in (start, end, axis, step)]
            self.current = self.add("Slice", [self.current, *inputs])
        self.shape[axis] = len(range(size)[start:end:step])

    def clip(self):
        if self.opset < 11:
            self.current = self.add("Clip", [self.current], min=-1.0, max=2.0)
        else:
            self.current = self.add("Clip", [self.current, self.constant(np.float32(-1)), self.constant(np.float32(2))])

    def lrn(self):
        self.current = self.add("LRN", [self.current], size=self.pick.choice([1, 3, 5]), alpha=0.01, bias=1.5)

    def binary(self):
        _, c, h, w = self.shape
        shape = self.pick.choice([(c, 1, 1), (1,), (1, c, 1, 1), (w,), (h, 1), (1, 1, h, w), ()])
        other = self.constant(self.numbers.uniform(0.5, 1.5, shape).astype(np.float32))
        pair = [self.current, other]
        op = self.pick.choice(["Add", "Mul", "Sub", "Div"])
        if op != "Div":
            self.pick.shuffle(pair)
        self.current = self.add(op, pair)

    def transpose(self):
        self.current = self.add("Transpose", [self.current], perm=[0, 1, 3, 2])
        self.shape[2:] = self.shape[:1:-1]

    def gate(self):
        self.current = self.add("Mul", [self.add("Sigmoid", [self.current]), self.current])

    def mean(self):
        axes = self.pick.choice([[2], [3], [1]])
        if self.opset < 18:
            self.current = self.add("ReduceMean", [self.current], axes=axes, keepdims=1)
        else:
            self.current = self.add("ReduceMean", [self.current, self.constant(np.int64(axes))], keepdims=1)
        self.shape = [1 if i in axes else s for i, s in enumerate(self.shape)]

    def classify(self):
        """A head: flattened, by Flatten or by shape arithmetic, then a matrix product and a distribution."""
        features = int(np.prod(self.shape[1:]))
        if self.pick.random() < 0.5:
            flat = self.add("Flatten", [self.current])
        else:
            batch = self.add("Gather", [self.add("Shape", [self.current]), self.constant(np.int64([0]))], axis=0)
            flat = self.add("Reshape", [self.current, self.add("Concat", [batch, self.constant(np.int64([-1]))], axis=0)])
        weights, bias = self.weights(features, 10, spread=features**-0.5), self.weights(10)
        if self.pick.random() < 0.5:
            scores = self.add("Gemm", [flat, weights, bias])
        else:
            scores = self.add("Add", [self.add("MatMul", [flat, weights]), bias])
        scores = self.add(self.pick.choice(["Softmax", "LogSoftmax"]), [scores], axis=1)
        return [scores, self.add("ArgMax", [scores], axis=1, keepdims=self.pick.choice([0, 1]))]

    def model(self):
        for _ in range(self.pick.randint(3, 12)):
            self.step()
        wanted = [self.current, *self.classify()]
        if self.pick.random() < 0.3:
            wanted.append(self.pick.choice(self.values)[0])
        outputs = [helper.make_empty_tensor_value_info(name) for name in dict.fromkeys(wanted) if name != "x"]
        for output, kind in ((o, TensorProto.INT64 if o.name == wanted[2] else TensorProto.FLOAT) for o in outputs):
            output.type.tensor_type.elem_type = kind
        graph = helper.make_graph(self.nodes, "random", [self.input], outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


NOT_ASKED = {"BatchNormalization", "LRN", "MaxPool", "AveragePool"}


def assert_same(model, got, expected, title):
    for output, actual, wanted in zip(model.graph.output, got, expected, strict=True):
        assert actual.dtype == wanted.dtype, output.name
        assert actual.shape == np.shape(wanted), output.name
        np.testing.assert_allclose(actual, wanted, rtol=1e-3, atol=1e-4, err_msg=f"{title} {output.name}")


@pytest.mark.parametrize("seed", range(150))
def test_random_network(seed):
    network = Network(seed)
    model = network.model()
    title = f"opset {network.opset}"
    fast = norn.InferenceSession(model, norn.SessionOptions(intra_op_num_threads=1 + seed % 2, verify_passes=True))
    got = fast.run(None, network.feed)
    plain = norn.SessionOptions(reference_only=True, disabled_passes=["all"])
    assert_same(model, got, norn.InferenceSession(model, plain).run(None, network.feed), title)
    again = fast.run(None, network.feed)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(got, again, strict=True))
    if NOT_ASKED.isdisjoint(node.op_type for node in model.graph.node):
        assert_same(model, got, ReferenceEvaluator(model).run(None, network.feed), title)
