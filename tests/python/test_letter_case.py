"""StringNormalizer's case conversions beside those of Python's str, which are Unicode's default ones as well."""

import random
import sys
import unicodedata

import numpy as np
import pytest
from onnx import TensorProto, helper

import norn


def convert(action, words):
    node = helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action=action)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.STRING, [None])],
        [helper.make_tensor_value_info("y", TensorProto.STRING, [None])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    session = norn.InferenceSession(model.SerializeToString())
    return session.run(None, {"x": np.array(words, dtype=object)})[0].tolist()


ASSIGNED = [
    chr(c) for c in range(1, sys.maxunicode + 1) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")
]


@pytest.mark.parametrize(("action", "expected"), [("UPPER", str.upper), ("LOWER", str.lower)])
def test_every_character(action, expected):
    differing = [
        (x, got, expected(x)) for x, got in zip(ASSIGNED, convert(action, ASSIGNED), strict=True) if got != expected(x)
    ]
    assert differing == []


@pytest.mark.parametrize(("action", "expected"), [("UPPER", str.upper), ("LOWER", str.lower)])
def test_words_with_sigmas(action, expected):
    draw = random.Random(5)
    letters = "ΣΣΣσςΑaİßﬁ1 .':-\u0301\u00ad\u02b0\u0345"
    words = ["".join(draw.choices(letters, k=draw.randrange(1, 9))) for _ in range(3000)]
    got = convert(action, words)
    assert [(w, g) for w, g in zip(words, got, strict=True) if g != expected(w)] == []
