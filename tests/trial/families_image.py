"""Operators of images: windows that slide, normalisation by channel."""

from __future__ import annotations

from typing import Any

import norn
import numpy as np

from .families import draws, one_rank, types
from .scope import Scope, Shape, Val
from .sources import weights


def image(s: Scope, schema: norn.OpSchema, least: int = 3) -> Val | None:
    w = s.world

    def fits(shapes: list[Shape]) -> bool:
        return one_rank(shapes) and least <= len(shapes[0]) <= 5

    rank = s.rng.choice([3, 4, 4, 4, 5])
    dims: list[int | str] = [w.variable() if w.chance(0.4) else s.rng.choice([1, 2]), s.rng.choice([1, 2, 3, 4, 8])]
    dims += [w.variable() if w.chance(0.2) else s.rng.choice([2, 3, 4, 5, 6]) for _ in range(rank - 2)]
    return s.pick(types(schema), fits, fresh=0.5, dims=dims)


def window(s: Scope, rank: int, dilations: bool, ceil: bool = False) -> dict[str, Any]:
    n, pick = rank - 2, s.rng.choice
    kernel = [pick([1, 2, 3]) for _ in range(n)]
    attributes: dict[str, Any] = {"kernel_shape": kernel}
    if s.world.chance(0.5):
        attributes["strides"] = [pick([1, 2, 3]) for _ in range(n)]
    if dilations and s.world.chance(0.3):
        attributes["dilations"] = [pick([1, 2]) for _ in range(n)]
    if s.world.chance(0.2):
        attributes["auto_pad"] = pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif s.world.chance(0.5):
        # A window that lies in the padding alone means different things to different people.
        attributes["pads"] = [s.rng.randint(0, k - 1) for k in kernel * 2]
    if ceil and s.world.chance(0.2) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = 1
    return attributes


@draws("Conv")
def conv(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    x = image(s, schema)
    if x is None:
        return None
    channels = {sh[1] for sh in s.shapes(x)}
    if len(channels) != 1 or not (c := channels.pop()):
        return None
    group = c if s.world.chance(0.25) else 1
    m = group * s.rng.choice([1, 2, 3, 8])
    attributes = window(s, len(s.shapes(x)[0]), True)
    w = weights(s, x.dtype, [(m, c // group, *attributes["kernel_shape"])] * len(s.live))
    if s.world.chance(0.3):
        del attributes["kernel_shape"]
    bias = s.make(x.dtype, [(m,)] * len(s.live)) if s.world.chance(0.5) else None
    return s.add("Conv", [x, w, bias], group=group, **attributes)


@draws("MaxPool", "AveragePool", "LpPool")
def pool(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    x = image(s, schema)
    if x is None:
        return None
    attributes = window(s, len(s.shapes(x)[0]), "dilations" in schema.attributes, "ceil_mode" in schema.attributes)
    if "count_include_pad" in schema.attributes and s.world.chance(0.5):
        attributes["count_include_pad"] = 1
    two = schema.max_output > 1 and s.world.chance(0.3)
    return s.add(schema.name, [x], outputs=2 if two else 1, **attributes)


@draws("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "LRN")
def whole_image(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    x = image(s, schema)
    if x is None:
        return None
    attributes: dict[str, Any] = (
        {"size": s.rng.choice([1, 3, 5]), "alpha": 0.01, "bias": 1.5} if schema.name == "LRN" else {}
    )
    return s.add(schema.name, [x], **attributes)


@draws("BatchNormalization")
def batch_normalization(s: Scope, schema: norn.OpSchema) -> list[Val] | None:
    x = image(s, schema, 2)
    if x is None:
        return None
    counts = [sh[1] for sh in s.shapes(x)]
    others: list[Val | None] = [s.make(x.dtype, [(c,) for c in counts]) for c in range(3)]
    if len(set(counts)) != 1:
        return None
    others.append(s.exactly([np.full(counts[0], s.rng.choice([1, 2, 3])).astype(x.dtype)] * len(counts)))
    attributes: dict[str, Any] = {k: v for k, v in (("is_test", 1), ("epsilon", 1e-3)) if k in schema.attributes}
    if "consumed_inputs" in schema.attributes:
        attributes["consumed_inputs"] = [0] * 5
    return s.add("BatchNormalization", [x, *others], **attributes)
