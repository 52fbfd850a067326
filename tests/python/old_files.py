"""What the tests of old files share: how a file is read, checked, kept by every notation, and run."""

import numpy as np
import onnx
import pytest
import wire
from wire import attribute, graph, model, node, opset, value

import norn

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 7 - 1.5
NOTATIONS = (".onnx", ".json", ".textproto", ".onnxtxt")


def parsed(data):
    message = onnx.ModelProto()
    message.ParseFromString(data)
    return message


def reported(data, **options):
    """Rule to severity; advice (notes) is left out."""
    return {d.rule: d.severity for d in norn.check(data, infer=False, **options) if d.severity != "note"}


def hint_of(data, rule):
    return next(d for d in norn.check(data) if d.rule == rule).hint


def run(data, **feeds):
    return norn.InferenceSession(data).run(None, feeds)


def without_empty_text(message):
    """In ONNX's text syntax a field set to "" looks like one that is not set."""
    for item, held in message.ListFields():
        if item.message_type:
            for part in held if item.is_repeated else [held]:
                without_empty_text(part)
        elif not item.is_repeated and held == "":
            message.ClearField(item.name)
    return message


def expect_kept(data, tmp_path, notations=NOTATIONS):
    """Through a notation and back, nothing is lost or invented; findings stay the same, too."""
    for extension in notations:
        path = tmp_path / f"model{extension}"
        norn.save(norn.load(data), path)
        before, after = parsed(data), parsed(norn.load(path).SerializeToString())
        assert reported(path) == reported(data), extension
        if extension == ".onnxtxt":
            before, after = without_empty_text(before), without_empty_text(after)
        assert after.SerializeToString() == before.SerializeToString(), f"{extension}\n{path.read_bytes()[:2000]}"


def expect_refused_by_texts(data, tmp_path):
    """Notations without a place for unknown fields say so instead of dropping them."""
    for extension in (".json", ".textproto"):
        with pytest.raises(norn.NotImplemented, match="fields that this version does not know"):
            norn.save(norn.load(data), tmp_path / f"model{extension}")


def unary(op_type, *attributes, ir_version=3, version=1, dims=(2, 3, 4), elem_type=wire.FLOAT, out=None, **kwargs):
    """y = Op(x)."""
    imports = [opset(version)] if ir_version >= 3 else []
    return model(ir_version, graph([node(op_type, ["x"], ["y"], *attributes, **kwargs)], [value("x", dims, elem_type)],
                                   [value("y", [None] * len(dims) if out is None else out, elem_type)]), *imports)


def if_model(ir_version, branches):
    """y = If(c) over branches that read x."""
    then, other = (attribute(n, b, kind=5) for n, b in zip(("then_branch", "else_branch"), branches, strict=True))
    return model(ir_version, graph([node("If", ["c"], ["y"], then, other)],
                                   [value("c", [1] if ir_version < 4 else [], wire.BOOL), value("x", [3])],
                                   [value("y", [3])]), opset(1 if ir_version < 4 else 7))
