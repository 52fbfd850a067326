"""Where ONNX Runtime and Norn differ, and rightly so: each row has its reason. What no row names is a finding.

A row looks at nodes and at what they read in the feed at hand; it excuses a difference of a model that has such a node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from . import independent, registry

if TYPE_CHECKING:
    from .judge import Said
    from .truth import Cell

# What ONNX Runtime lacks, by its messages and by ours about its Python interface.
LACKS = {
    "a kernel": r"NOT_IMPLEMENTED|Unexpected mode|Dilation not supported|InsertedPrecisionFreeCast"
    r"|Could not find an implementation|not implemented|unsupported data type|is not supported"
    r"|does not support double|operations .* are not supported",
    "the operator set": r"under development|Opset \d+ is not|only guarantees support|No Op registered|No opset import",
    "an attribute": r"Unrecognized attribute: (left|right)_window_size for operator Attention",
    "a numpy type": r"numpy type|Unsupported data type|unable to convert|Numpy_type|NumPy",
    "empty sequences of Python": r"empty sequence",
    "an answer, because it was not asked": r"not asked",
    "an answer, because it crashed": r"crashed",
}


def lack(message: str) -> str:
    return next((what for what, pattern in LACKS.items() if re.search(pattern, message)), "other")


class Read:
    """A node with what it reads: the operands as arrays (or lists of arrays), None for omitted ones; and what it gives."""

    def __init__(self, node: onnx.NodeProto, operands: list[Any], opset: int) -> None:
        self.node, self.operands, self.opset = node, operands, opset
        self.cells: list[Cell | None] | None = None  # what Norn's kernel gives for them; None if it refuses
        self.arrays = [a for v in operands if v is not None for a in (v if isinstance(v, list) else [v])]

    @property
    def results(self) -> list[Any]:
        return [c and c.value for c in self.cells or []]

    def attribute(self, name: str, default: Any = None) -> Any:
        return next((onnx.helper.get_attribute_value(a) for a in self.node.attribute if a.name == name), default)

    def ints(self, name: str, at: int) -> list[int]:
        """An attribute that later versions take as an input."""
        given = self.attribute(name)
        if given is None and at < len(self.operands) and self.operands[at] is not None:
            given = np.asarray(self.operands[at]).reshape(-1).tolist()
        return [int(i) for i in given or []]

    @property
    def empty(self) -> bool:
        return any(a.size == 0 for a in self.arrays)

    @property
    def nan(self) -> bool:
        return any(registry.is_float(a.dtype) and np.isnan(a.astype(np.float64)).any() for a in self.arrays)

    @property
    def infinite(self) -> bool:
        return any(registry.is_float(a.dtype) and not np.isfinite(a.astype(np.float64)).all() for a in self.arrays)

    def is_int(self, at: int = 0) -> bool:
        return registry.is_int(self.operands[at].dtype)


def _wide_window(r: Read) -> bool:
    x = r.arrays[0]
    kernel = r.attribute("kernel_shape") or (r.arrays[1].shape[2:] if len(r.arrays) > 1 else [])
    dilations = r.attribute("dilations") or [1] * len(kernel)
    pads = r.attribute("pads") or [0] * (2 * len(kernel))
    n = len(kernel)
    return any(x.shape[2 + i] + pads[i] + pads[i + n] < (kernel[i] - 1) * dilations[i] + 1 for i in range(n))


def _same_oddly(r: Read) -> bool:
    if not (r.attribute("auto_pad") or b"").startswith(b"SAME"):
        return False
    kernel = r.attribute("kernel_shape") or []
    strides = r.attribute("strides") or [1] * len(kernel)
    return any(d > 1 for d in r.attribute("dilations") or []) or any(
        s > k for s, k in zip(strides, kernel, strict=False)
    )


def _reflected_too_far(r: Read) -> bool:
    return r.attribute("mode") == b"reflect" and any(n > 0 for n in r.ints("pads", 1))


def _pads_beyond(r: Read) -> bool:
    pads = r.ints("pads", 1) or r.ints("paddings", 1)
    return any(p < 0 for p in pads)


REDUCTIONS = (
    "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare"
)
POOLS = "MaxPool AveragePool LpPool Conv"
WINDOWS = "BlackmanWindow HammingWindow HannWindow"


def _negative_axis(r: Read) -> bool:
    return r.empty and any(a < 0 for a in r.ints("axes", 1) or [r.attribute("axis", 0)])


def _open_backwards(r: Read) -> bool:
    return any(s < 0 and e >= 2**31 - 1 for s, e in zip(r.ints("steps", 4), r.ints("ends", 2), strict=False))


def _divided_out(r: Read) -> bool:
    target = r.ints("shape", 1)
    return -1 in target and (r.arrays[0].size == 0 or 0 in target)


def _broadcasts_to(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


def _beyond_64_bits(r: Read) -> bool:
    base, power = (np.abs(np.asarray(a).astype(np.float64)) for a in r.arrays[:2])
    with np.errstate(all="ignore"):
        return bool((np.power(base, power) >= 2.0 ** min(63, 8 * r.arrays[0].dtype.itemsize - 1)).any())


def _large_product(x: np.ndarray) -> bool:
    """Whether it has a 0, and some of the other factors multiply to more than the type holds."""
    factors = np.abs(x[x != 0].astype(np.float64))
    return bool((x == 0).any() and np.log2(factors[factors > 1]).sum() >= np.finfo(x.dtype).maxexp)


def _axis_behind(r: Read) -> bool:
    return r.opset < 13 and r.attribute("axis", 1) == r.arrays[0].ndim


# (operators, which nodes, reason)
Row = tuple[str, Callable[[Read], bool], str]
DIFFERENCES: list[Row] = [
    (
        REDUCTIONS + " ArgMax ArgMin",
        _negative_axis,
        "ONNX Runtime does not count negative axes from the end where a reduced tensor is empty",
    ),
    (
        "DFT",
        lambda r: r.attribute("inverse", 0) == 1 and r.arrays[0].dtype == np.float64,
        "ONNX Runtime multiplies by 1/n in single precision",
    ),
    ("ReduceMean", lambda r: r.empty, "the mean of nothing is NaN here, as in numpy, and 0 in ONNX Runtime"),
    (
        "Resize",
        lambda r: r.attribute("coordinate_transformation_mode") in (b"align_corners", b"tf_crop_and_resize"),
        "ONNX Runtime takes rounded sizes for align_corners, and does not crop an axis that keeps its size",
    ),
    (
        "Resize",
        lambda r: bool(r.attribute("antialias", 0)) and r.attribute("mode", b"nearest") == b"nearest",
        "a filter against aliasing is one of linear and cubic, by the text; ONNX Runtime refuses it beside nearest",
    ),
    (
        "Resize Upsample",
        lambda r: r.is_int() and r.attribute("mode", b"nearest") != b"nearest",
        "integers are rounded to the nearest; ONNX Runtime cuts them off",
    ),
    (
        "GridSample",
        lambda r: r.attribute("mode") in (b"cubic", b"bicubic") and r.attribute("padding_mode") == b"border",
        "beyond the edge ONNX Runtime interpolates, with the edge's element repeated",
    ),
    (
        "GridSample",
        lambda r: r.arrays[0].ndim not in (4, 5),
        "a grid may be of any number of dimensions, by the text; ONNX Runtime samples images and volumes only",
    ),
    (
        "ReduceMax ReduceMin",
        lambda r: r.empty and r.arrays[0].dtype.kind == "b",
        "of nothing the largest is the least value there is; ONNX Runtime refuses that of booleans",
    ),
    ("ArgMax ArgMin", lambda r: r.empty, "of nothing none is the largest; ONNX Runtime answers"),
    (
        "ReduceMax ReduceMin ArgMax ArgMin MaxPool GlobalMaxPool Max Min Clip Relu",
        lambda r: r.nan,
        "which of a number and NaN is larger is not specified",
    ),
    ("ReduceLogSum ReduceLogSumExp", lambda r: r.is_int(), "a logarithm in whole numbers has no value below 1"),
    (
        "MatMul Gemm MatMulInteger QLinearMatMul",
        lambda r: r.empty,
        "ONNX Runtime's products of empty matrices leave out broadcasting and bias, or are not written",
    ),
    ("Max Min Sum Mean", lambda r: r.empty, "ONNX Runtime does not broadcast more than two operands to an empty shape"),
    (
        POOLS,
        _wide_window,
        "a window that is wider than the padded image: ONNX Runtime refuses it or rounds its count towards zero",
    ),
    (
        "MaxPool GlobalMaxPool",
        lambda r: bool(np.isneginf(r.arrays[0].astype(np.float64)).any()) if registry.is_float(r.arrays[0].dtype) else False,
        "the largest of a window that holds nothing but -inf is that; ONNX Runtime gives the lowest finite number",
    ),
    (
        POOLS,
        _same_oddly,
        "ONNX Runtime's padding to the same size leaves out dilations, and is negative for long strides",
    ),
    (
        "LRN Softmax LogSoftmax ReduceSum ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
        "ReduceSumSquare AveragePool",
        lambda r: r.infinite,
        "ONNX Runtime computes some sums from their neighbours, where what is not finite stays",
    ),
    ("GlobalAveragePool GlobalMaxPool GlobalLpPool " + POOLS, lambda r: r.empty, "ONNX Runtime has no windows over empty images"),
    ("LRN", lambda r: r.arrays[0].ndim != 4, "ONNX Runtime's LRN is of images with two dimensions only"),
    (
        "Clip",
        lambda r: r.opset < 11 and r.attribute("min", -np.inf) > r.attribute("max", np.inf),
        "ONNX Runtime refuses bounds in the wrong order as attributes, and takes them as inputs",
    ),
    (
        "Clip",
        lambda r: r.is_int() and any(np.any(np.abs(a.astype(np.float64)) >= 2**31) for a in r.arrays),
        "ONNX Runtime compares whole numbers beyond 32 bits wrongly",
    ),
    (
        "BatchNormalization",
        lambda r: r.infinite,
        "a scale and a bias in one step, or in two: infinities cancel to NaN in one of them",
    ),
    ("Slice", _open_backwards, "ONNX Runtime takes the largest number as the open end of a backward slice, too"),
    (
        "Pad",
        _reflected_too_far,
        "ONNX Runtime refuses to reflect more than there is; numpy, which the text follows, goes on",
    ),
    ("Pad", lambda r: r.arrays[0].ndim == 0, "ONNX Runtime does not pad a number, not even by nothing"),
    (
        "Pad",
        lambda r: len(r.operands) > 3 and r.operands[3] is not None,
        "ONNX Runtime counts constant pads for all axes where the axes are fed",
    ),
    (
        "Clip",
        lambda r: r.infinite,
        "bounds that are left out leave infinities as they are; ONNX Runtime takes the largest finite number",
    ),
    ("Conv", lambda r: r.infinite, "what is not finite among the weights also multiplies padding in ONNX Runtime"),
    (
        "ReduceProd",
        lambda r: r.operands[0].dtype in (np.float16, np.float32, np.float64) and _large_product(r.operands[0]),
        "a part of the product is too large, and which parts there are hangs on the order: infinity by 0 is NaN",
    ),
    ("ReduceProd", lambda r: r.is_int(), "a product of whole numbers that is too large has no value"),
    ("Pad", lambda r: r.empty, "ONNX Runtime refuses to repeat an edge of nothing even where nothing is to be written"),
    (
        "Reshape",
        _divided_out,
        "what -1 stands for is found after copied sizes were divided out, also of an empty tensor",
    ),
    (
        "Softmax LogSoftmax Hardmax",
        _axis_behind,
        "before 13 the input is cut in two at the axis, which may be its end; ONNX Runtime refuses that",
    ),
    ("Hardmax", lambda r: r.nan, "NaN is the greatest, as for numpy; ONNX Runtime passes over it"),
    (
        "OneHot",
        lambda r: r.opset < 11 and bool(np.any(r.arrays[0] < 0)),
        "negative classes count from the end from version 11 on; ONNX Runtime counts them so before, too",
    ),
    ("OneHot", lambda r: bool(np.all(r.arrays[1] < 1)), "ONNX Runtime refuses vectors of no class"),
    ("OneHot", lambda r: not r.is_int(), "the fraction of a class is dropped; ONNX Runtime has no such class"),
    (
        WINDOWS,
        lambda r: r.arrays[0].ndim > 0,
        "the size of a window may be a tensor of one element; ONNX Runtime refuses that only where it is known to be one",
    ),
    (WINDOWS, lambda r: bool(np.all(r.arrays[0] < 1)), "ONNX Runtime refuses windows without elements"),
    (
        WINDOWS,
        lambda r: bool(np.all(r.arrays[0] == 1)) and not r.attribute("periodic", 1),
        "a symmetric window of one element is at the angle 0; ONNX Runtime divides by 0",
    ),
    (
        "TopK",
        lambda r: r.opset < 10 and r.attribute("k") == 0,
        "onnx's check of TopK 1 wants an element at least; later versions do not",
    ),
    (
        "Range",
        lambda r: any(a.ndim for a in r.arrays),
        "start, limit and delta of Range as a tensor of one element: ONNX Runtime refuses that where its shape is known",
    ),
    (
        "Compress",
        lambda r: r.arrays[1].ndim != 1 or r.arrays[0].ndim == 0,
        "the condition has rank 1 and the input an axis, by the text; ONNX Runtime takes others",
    ),
    (
        "Compress",
        lambda r: bool(r.arrays[1][r.arrays[0].shape[r.attribute("axis")] if r.attribute("axis") is not None
                                   else r.arrays[0].size :].any()),
        "a true element beyond the axis chooses what is not there; ONNX Runtime passes over it",
    ),
    (
        "DynamicQuantizeLinear",
        lambda r: not r.arrays[0].any(),
        "a range of 0 has the scale 0, by the formula; ONNX Runtime has 1",
    ),
    (
        "QuantizeLinear",
        lambda r: not r.arrays[1].all(),
        "what is divided by a scale of 0 is infinite, and saturates; ONNX Runtime converts it to an integer first",
    ),
    ("DynamicQuantizeLinear", lambda r: r.nan, "NaN is the least and the greatest; ONNX Runtime passes over it"),
    (
        "DynamicQuantizeLinear",
        lambda r: r.infinite,
        "the zero point of an infinite range is not a number, and as an integer not specified",
    ),
    (
        "QuantizeLinear DequantizeLinear",
        lambda r: r.arrays[0].ndim == 1 and r.attribute("axis") is None,
        "a vector has one axis, whatever the default says; ONNX Runtime refuses the default, 1",
    ),
    (
        "DequantizeLinear",
        lambda r: "float8" in r.arrays[0].dtype.name and len(r.operands) > 2 and bool(r.arrays[2].view(np.uint8).any()),
        "the formula is the same for all types; ONNX Runtime refuses zero points of 8-bit floats other than 0",
    ),
    (
        "Pow",
        lambda r: r.is_int() and (_beyond_64_bits(r) or bool((np.asarray(r.arrays[1]).astype(np.float64) < 0).any())),
        "whole powers are counted modulo 2^64, and of a negative exponent 0 has none; ONNX Runtime converts a double",
    ),
    (
        "RMSNormalization SimplifiedLayerNormalization",
        lambda r: r.operands[0].dtype != r.operands[1].dtype or r.operands[0].dtype == np.float64,
        "sums are of stash_type, and the scale may be of another type than X; ONNX Runtime has one type for all",
    ),
    (
        "MeanVarianceNormalization",
        independent.agrees,
        "what is constant has the variance 0, and 1e-9 is added to its root; ONNX Runtime divides by 0",
    ),
    (
        "MeanVarianceNormalization",
        lambda r: r.operands[0].dtype != np.float32,
        "ONNX Runtime's body of it has constants in single precision, and fits no other type",
    ),
    (
        "PRelu",
        lambda r: not _broadcasts_to(r.arrays[1].shape, r.arrays[0].shape),
        "the slope broadcasts to X, by the text; ONNX Runtime broadcasts both to each other",
    ),
    (
        "DepthToSpace SpaceToDepth",
        lambda r: r.empty,
        "a size that the blocks do not divide, of a tensor without elements; ONNX Runtime refuses it",
    ),
    (
        "RMSNormalization SimplifiedLayerNormalization",
        lambda r: r.empty,
        "lines without elements have nothing to be normalised; ONNX Runtime refuses them",
    ),
    ("ReduceSumSquare", lambda r: r.is_int(), "sums of whole numbers wrap around; ONNX Runtime takes the nearest there is"),
    ("Range", lambda r: not r.is_int(), "start + i * delta is rounded twice at most; ONNX Runtime adds up i times"),
    (
        "RNN GRU LSTM",
        independent.agrees,
        "double precision gives the same; ONNX Runtime's gates have an absolute error, clip NaN, and its LSTM does not clip the last one",
    ),
    (
        " ".join([*independent.ELEMENTS, "Swish"]),
        lambda r: (r.operands[0].dtype in (np.float16, np.float64) or r.node.op_type == "Swish") and independent.agrees(r),
        "double precision gives the same; ONNX Runtime computes in half or single precision",
    ),
    (
        "Sigmoid",
        lambda r: bool((r.arrays[0].astype(np.float64) < -15).any()) and independent.agrees(r),
        "double precision gives the same; ONNX Runtime's function has an absolute error",
    ),
    (
        "LayerNormalization",
        lambda r: r.operands[0].dtype == np.float64 and independent.agrees(r),
        "X is rounded to stash_type, by the text, and what follows is not; ONNX Runtime does it the other way round",
    ),
    (
        "GroupNormalization",
        lambda r: r.operands[0].dtype == np.float64 and independent.normalizes_groups_in_float(r),
        "the first stage is in float, whose roundings are each runtime's own",
    ),
    (
        "GroupNormalization",
        lambda r: r.empty,
        "groups without elements have nothing to be normalised; ONNX Runtime does not know their shape",
    ),
    (
        "LayerNormalization",
        lambda r: r.empty,
        "lines without elements have nothing to be normalised; ONNX Runtime refuses them",
    ),
    (
        "InstanceNormalization",
        lambda r: r.arrays[0].ndim < 3,
        "what has no places is normalised by itself; ONNX Runtime wants a place at least",
    ),
    (
        "SplitToSequence",
        lambda r: len(r.arrays) > 1 and r.arrays[1].ndim > 1,
        "lengths are a number or a list, by the text; ONNX Runtime takes other ranks",
    ),
    (
        "TopK",
        lambda r: r.attribute("sorted", 1) == 0 and independent.picks_the_first(r),
        "what is not to be sorted comes in any order",
    ),
    (
        "Gather",
        lambda r: r.arrays[0].dtype.kind == "O" and r.arrays[0].ndim > 0 and bool(np.prod(r.arrays[0].shape[r.attribute("axis", 0) % r.arrays[0].ndim + 1 :]) != 1),
        "of strings ONNX Runtime gathers the first of each block only",
    ),
    (
        "DFT",
        lambda r: not np.isfinite(r.arrays[0].astype(np.float64)).all(),
        "what is infinite has no part in the other half of a complex number; ONNX Runtime multiplies it by 0",
    ),
    (
        "QuantizeLinear DequantizeLinear",
        lambda r: r.attribute("block_size", 0) != 0
        and r.arrays[1].ndim < 2
        and (r.arrays[1].size == 1 or r.arrays[0].ndim != 1),
        "one scale, or one for each place of an axis, has no blocks, whatever block_size says; ONNX Runtime refuses it",
    ),
    (
        "QuantizeLinear DequantizeLinear",
        lambda r: r.opset < 13 and r.arrays[1].size != 1,
        "before 13 there is one scale; ONNX Runtime takes more",
    ),
    (
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        lambda r: r.arrays[0].shape[:1] + r.arrays[0].shape[2:] != r.arrays[1].shape,
        "each place has a class, by the text; ONNX Runtime does not compare the sizes",
    ),
    (
        "MatMulInteger",
        lambda r: any(v is not None and v.ndim > 1 for v in r.operands[2:]),
        "zero points by rows or columns may have the rank of their matrix, by the text; ONNX Runtime wants a list",
    ),
    ("CenterCropPad", lambda r: r.arrays[0].ndim == 0, "ONNX Runtime does not pad a number, not even by nothing"),
    (
        "Resize Upsample",
        lambda r: r.empty or any(a.size and not a.all() for a in r.arrays[1:]) or 0 in (r.attribute("scales") or [1]),
        "an axis may be resized to nothing; ONNX Runtime refuses a size of 0",
    ),
    (
        "Upsample",
        lambda r: r.opset >= 9 and bool((r.arrays[1] < 1).any()),
        "scales below 1 that are an input are what they are for Resize; ONNX Runtime refuses them",
    ),
    (
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        lambda r: r.empty,
        "of no places there are no losses, and their mean is NaN; ONNX Runtime cannot reshape nothing",
    ),
    ("ReduceL1", lambda r: r.is_int(), "sums of whole numbers wrap around; ONNX Runtime takes the nearest there is"),
    ("Shrink", lambda r: r.arrays[0].dtype == np.float64, "ONNX Runtime computes in single precision"),
    ("BlackmanWindow", independent.agrees, "ONNX Runtime computes windows in single precision: 1.5e-8 at the ends, not 0"),
]


# Of its refusals of models, as a whole or when they run: a pattern, a reason.
REFUSALS = [
    (r"attempting to re-use buffer", "ONNX Runtime plans one buffer for values of different sizes"),
    (
        r"\(StringNormalizer\).*Input shape must have either",
        "ONNX Runtime refuses to normalise strings whose number is not declared",
    ),
    (
        r"Number of elements of input 'sizes' \(0\)",
        "ONNX Runtime takes the sizes of Resize for none where their number is not declared",
    ),
    (
        r"exclude_outside can be set to 1 when",
        "exclude_outside changes nothing where no weights lie outside; ONNX Runtime refuses it in such modes",
    ),
    (r"supply unallocated output OrtValues", "ONNX Runtime gives a branch memory of another shape than it computes"),
    (
        r"\(op_type:Gemm\): \[ShapeInferenceError\] First input does not have rank 2",
        "ONNX Runtime takes the rank of one branch for that of both",
    ),
    (
        r"\(If\) .*Graph attribute inferencing failed|op_type:If",
        "ONNX Runtime refuses a model with a branch that can never run; here the other one does",
    )
]


# Attributes that are on or off.
FLAGS = (
    "allowzero antialias ceil_mode count_include_pad exclude_outside exclusive inverse keepdims largest "
    "linear_before_reset noop_with_empty_axes normalize onesided output_sequence periodic reverse saturate "
    "select_last_index sorted transA transB upper"
).split()


def why(reads: Iterable[Read], message: str) -> str:
    """Why ONNX Runtime may differ from the nodes here; nothing if it may not."""
    for pattern, reason in REFUSALS:
        if re.search(pattern, message):
            return reason
    for read in reads:
        if any(read.attribute(flag, 0) not in (0, 1) for flag in FLAGS):
            return "what is not 0 is on, as for onnx's evaluator; ONNX Runtime refuses it or takes it for off"
        for ops, test, reason in DIFFERENCES:
            if read.node.op_type in ops.split() and _holds(test, read):
                return reason
    return ""


def _holds(test: Callable[[Read], bool], read: Read) -> bool:
    """A row whose operands are not those that its test thinks of excuses nothing."""
    try:
        return test(read)
    except (IndexError, ValueError, TypeError, ZeroDivisionError):
        return False


# (kind of difference between a session and its nodes, test, reason)
_REFUSALS = ("InvalidGraph", "InvalidArgument", "RuntimeException")
EXCUSES: list[tuple[str, Callable[[Said, Said], bool], str]] = [
    (
        "refuses",
        lambda said, other: other.kind == "load" and said.kind in _REFUSALS,
        "both refuse the model as a whole, though its nodes could run one by one",
    ),
    (
        "refuses",
        lambda said, other: other.kind == "run" and said.kind in _REFUSALS,
        "both refuse the feed, though its nodes could run one by one",
    ),
    (
        "refuses",
        lambda said, other: other.kind == "lacks" and said.kind == "InvalidGraph" and "_branch" in said.refused,
        "a branch can never run, so the model is refused; ONNX Runtime, which refuses such models too, lacks "
        "something here",
    ),
]


def excused(kind: str, said: Said, other: Said) -> str:
    return next((reason for of, test, reason in EXCUSES if of == kind and test(said, other)), "")
