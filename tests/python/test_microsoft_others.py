"""More operators of com.microsoft: tokens, distances, rows of quantised tables, and what ONNX has by another name."""

import numpy as np
import pytest
from microsoft import expect, norn_run

import norn

F32 = np.float32
ASKED = {"pad_value": "#", "mincharnum": 1, "mark": 0}


def words(*items):
    return np.array(items, object)


@pytest.mark.parametrize(
    ("texts", "attributes", "wanted"),
    [(["abc ab", "a"], {"tokenexp": "a|ab"}, [["ab", "ab"], ["a", "#"]]),
     (["Hello World", "I love cs !"], {"separators": [" "]}, [["Hello", "World", "#", "#"], ["I", "love", "cs", "!"]]),
     (["Hello World", ""], {"separators": [" "], "mark": 1}, [["\x02", "Hello", "World", "\x03"],
                                                              ["\x02", "\x03", "#", "#"]]),
     (["", ""], {"separators": [" "], "mark": 1}, [[], []]),
     (["añb", ""], {"separators": [""]}, [["a", "ñ", "b"], ["#", "#", "#"]]),
     (["axb,cc"], {"separators": ["x", ","], "mincharnum": 2}, [["cc"]]),
     (["a1bb22"], {"tokenexp": "[0-9]*"}, [["1", "22"]]), (["ab cd"], {"tokenexp": "^a|c"}, [["a", "c"]]),
     (["xaxb"], {"separators": ["^x"]}, [["axb"]]), (["aéb éé"], {"tokenexp": "[é]+", "mincharnum": 2}, [["éé"]]),
     (["(a) b"], {"tokenexp": "(a)|(b)"}, [["a", "b"]]), ])
def test_tokens(texts, attributes, wanted):
    shape = (len(texts), len(wanted[0]))
    found = norn_run("Tokenizer", [words(*texts)], **{**ASKED, **attributes})[0]
    assert found.shape == shape
    assert found.tolist() == wanted
    table = norn_run("Tokenizer", [words(*texts)[:, None]], **{**ASKED, **attributes})[0]
    assert table.shape == (shape[0], 1, shape[1])
    assert table[:, 0].tolist() == wanted


def test_tokens_of_nothing():
    assert norn_run("Tokenizer", [np.zeros(0, object)], separators=[" "], **ASKED)[0].shape == (0, 0)


@pytest.mark.parametrize(("message", "attributes"), [("exactly one", {}),
                                                     ("exactly one", {"separators": [" "], "tokenexp": "a"}),
                                                     ("RE2", {"tokenexp": "("}),
                                                     ("mincharnum", {"tokenexp": "a", "mincharnum": 0}),
                                                     ("stands alone", {"separators": ["a", ""]}),
                                                     ("mincharnum is 2", {"separators": [""], "mincharnum": 2})])
def test_tokens_refused(message, attributes):
    with pytest.raises(norn.Error, match=message):
        norn_run("Tokenizer", [words("a")], **{**ASKED, **attributes})


def test_distances():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((5, 3)).astype(F32), rng.standard_normal((4, 3)).astype(F32)
    squares = ((a[:, None].astype(np.float64) - b)**2).sum(-1)
    expect("CDist", [a, b], [squares.astype(F32)], 1e-5)
    expect("CDist", [a, b], [np.sqrt(squares).astype(F32)], 1e-5, metric="euclidean")
    far = (a + 1000, b + 1000)  # where the squares of the numbers hide their differences
    np.testing.assert_allclose(norn_run("CDist", list(far))[0], squares, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("shape", [(), (3, ), (2, 2)])
def test_rows_of_quantised_tables(bits, zeros, shape):
    rng = np.random.default_rng(bits)
    rows, depth, block = 6, 48, 16
    blocks = depth // block

    def packed(integers):
        each = 8 // bits
        filled = np.pad(integers, ((0, 0), (0, -integers.shape[1] % each)))
        return sum(filled[:, k::each] << k * bits for k in range(each)).astype(np.uint8)

    table, at = rng.integers(0, 2**bits, (rows, depth)), rng.integers(0, 2**bits, (rows, blocks))
    scales, picks = rng.standard_normal((rows, blocks)).astype(F32), rng.integers(0, rows, shape)
    zero = at if zeros else np.full_like(at, 2**(bits - 1))
    numbers = (table - zero.repeat(block, 1)) * scales.repeat(block, 1)
    inputs = [packed(table), picks, scales, packed(at) if zeros else None]
    expect("GatherBlockQuantized", inputs, [numbers[picks].astype(F32)], 1e-5, (0, 2, 3), bits=bits, block_size=block,
           gather_axis=0, quantize_axis=1, symbolic=False)


@pytest.mark.parametrize("transposed", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("activation", ["Relu", "Tanh", "Sigmoid", "LeakyRelu"])
def test_fused_gemm(transposed, activation):
    rng = np.random.default_rng(2)
    a, b, c = (rng.standard_normal(s).astype(F32) for s in ((3, 4), (4, 5), (5, )))
    total = 0.5 * (a.astype(np.float64) @ b) + 2 * c
    wanted = {
        "Relu": np.maximum(total, 0), "Tanh": np.tanh(total), "Sigmoid": 1 / (1 + np.exp(-total)),
        "LeakyRelu": np.where(total < 0, total / 4, total)
    }[activation]
    attributes = {"activation_alpha": 0.25} if activation == "LeakyRelu" else {}
    inputs = [a.T.copy() if transposed[0] else a, b.T.copy() if transposed[1] else b, c]
    expect("FusedGemm", inputs, [wanted.astype(F32)], 1e-5, transA=transposed[0], transB=transposed[1], alpha=0.5,
           beta=2.0, activation=activation, **attributes)


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("quantised", [False, True])
def test_qgemm(by_column, quantised):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 255, (3, 4)).astype(np.uint8), rng.integers(-128, 127, (4, 5)).astype(np.int8)
    b_scale = np.array([0.1, 0.2, 0.3, 0.4, 0.5] if by_column else 0.25, F32)
    b_zero = np.array([0, 1, -2, 3, 4] if by_column else 3, np.int8)
    c = rng.integers(-99, 99, 5).astype(np.int32)
    total = (a.astype(np.int64) - 7) @ (b.astype(np.int64) - b_zero) + c
    numbers = total * 0.5 * b_scale.astype(np.float64)
    inputs = [a, np.array(0.5, F32), np.array(7, np.uint8), b, b_scale, b_zero, c]
    if not quantised:
        expect("QGemm", inputs, [numbers.astype(F32)], 1e-5, (1, 2, 3, 4, 5, 6))
        return
    wanted = np.clip(np.round(numbers / 8) + 128, 0, 255).astype(np.uint8)
    expect("QGemm", [*inputs, np.array(8, F32), np.array(128, np.uint8)], [wanted], 0, (1, 2, 3, 4, 5, 6, 7, 8))


def quantise(numbers, scale, zero):
    return np.clip(np.round(numbers / scale) + zero, 0, 255).astype(np.uint8)


def test_more_on_8_bits():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 255, (2, 3, 4)).astype(np.uint8)
    half, zero = np.array(0.5, F32), np.array(100, np.uint8)
    numbers = (x.astype(np.float64) - 100) * 0.5
    expect("QLinearReduceMean", [x, half, zero, half, zero], [quantise(numbers.mean((0, 2), keepdims=True), 0.5, 100)],
           0, (1, 2, 3, 4), axes=[0, 2], keepdims=1, ort=False)
    small = np.array(1 / 256, F32)
    for opset, axis in ((13, 1), (11, 1)):
        axes = (1, 2) if opset < 13 else 1
        powers = np.exp(numbers - numbers.max(axes, keepdims=True))
        wanted = quantise(powers / powers.sum(axes, keepdims=True), 1 / 256, 0)
        found = norn_run("QLinearSoftmax", [x, half, zero, small, np.array(0, np.uint8)], opset=opset, axis=axis)[0]
        assert np.abs(found.astype(int) - wanted).max() <= 1
    y, pick = rng.integers(0, 255, (3, 4)).astype(np.uint8), rng.integers(0, 2, (2, 3, 4)).astype(bool)
    wanted = quantise(np.where(pick, numbers, y * 0.25), 0.5, 3)
    expect("QLinearWhere",
           [pick, x, half, zero, y,
            np.array(0.25, F32),
            np.array(0, np.uint8), half,
            np.array(3, np.uint8)], [wanted], 0, (2, 3, 5, 6, 7, 8), ort=False)
    image = rng.integers(0, 255, (1, 5, 6, 3)).astype(np.uint8)
    wanted = np.stack([[image[:, i:i + 2, j:j + 2].max((1, 2)) for j in range(0, 6, 2)] for i in range(0, 4, 2)])
    expect("NhwcMaxPool", [image], [wanted.transpose(2, 0, 1, 3)], 0, kernel_shape=[2, 2], strides=[2, 2])


def test_earlier_forms():
    x = np.arange(6, dtype=F32).reshape(2, 3)
    expect("ExpandDims", [x, np.array(-1, np.int32)], [x[:, :, None]], 0, (1, ))
    expect("Trilu", [x, np.array(1)], [np.triu(x, 1)], 0)
    expect("Trilu", [x], [np.tril(x)], 0, upper=0)
    expect("Pad", [x, np.array([0, 1, 2, 0]), np.array(7, F32)], [np.pad(x, ((0, 2), (1, 0)), constant_values=7)], 0,
           (1, 2))
    expect("GatherND", [x, np.array([[1, 2], [0, 0]], np.int32)], [np.array([5, 0], F32)], 0, ort=False)
    expect("Range", [np.array(1, F32), np.array(4, F32)], [np.array([1, 2, 3], F32)], 0)
    wanted = [np.array([2, 1, 3, 4], F32), np.array([0, 1, 1, 2, 3, 2]), np.array([1, 2, 2, 1])]
    expect("Unique", [np.array([2, 1, 1, 3, 4, 3], F32)], wanted, 0)
