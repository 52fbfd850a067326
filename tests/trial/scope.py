"""A graph under construction, with the value of everything in it for every feed.

Nodes are evaluated as they are added (truth.py), so a generator sees shapes and contents, and a node that is wrong for
its operands is left out again. A branch of If is a scope of its own: it lives for the feeds that take it. One that no
feed takes lives for a ghost, whose values have other sizes than any feed's: nothing about it may be learnt by others.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

from . import registry
from .registry import NUMPY
from .truth import Cell, Evaluator, Items, Refused, Unsteady, Value, type_of

Shape = tuple[int, ...]
F32, I64, BOOL = NUMPY["float"], NUMPY["int64"], NUMPY["bool"]


@dataclasses.dataclass(eq=False)
class Val:
    name: str
    dtype: np.dtype
    cells: dict[int, Cell]
    sequence: bool = False
    constant: bool = False  # the same in every feed, known when the session is made
    known: bool = False  # follows from shapes
    late: bool = False  # its size follows from contents
    reads: int = 0


class World:
    """What all scopes of one model share."""

    def __init__(self, seed: int, mode: str, opset: int, feeds: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.mode, self.opset = mode, opset
        self.feeds: list[dict[str, Value]] = [{} for _ in range(feeds)]
        self.inputs: list[onnx.ValueInfoProto] = []
        self.evaluator = Evaluator()
        self.sizes: dict[str, dict[int, int]] = {}
        self.small = [0, 1, 1, 2, 2, 3, 3, 4, 5]
        self.largest = 6000
        self.odd = False  # NaN, infinities, halves
        self.ways = dict.fromkeys(
            ("known", "late", "view", "sequence"), True
        )  # where operands may come from, beside inputs
        self.plain = False  # operands are inputs and initializers only
        self.count = 0
        self.types: list[np.dtype] = [F32] * 8 + [I64] * 3 + [NUMPY[n] for n in ("int32", "bool", "double", "float16")]

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def size(self, variable: str, feed: int) -> int:
        of = self.sizes.setdefault(variable, {})
        if feed not in of:
            of[feed] = self.rng.choice(self.small)
        return of[feed]

    def variable(self) -> str:
        if self.sizes and self.chance(0.5):
            return self.rng.choice(list(self.sizes))
        return "NMKLPQRSTUVW"[len(self.sizes) % 12] + (str(len(self.sizes) // 12) if len(self.sizes) >= 12 else "")

    def content(self, dtype: np.dtype, shape: Shape) -> np.ndarray:
        n = self.numbers
        if math.prod(shape) > 4 * self.largest:
            raise Refused("too large to be drawn")
        if dtype == BOOL:
            return n.integers(0, 2, shape).astype(np.bool_)
        if dtype.kind == "O":
            return np.array([f"s{i}" for i in n.integers(0, 5, int(np.prod(shape)))], object).reshape(shape)
        low = 0 if dtype.kind == "u" or registry.NAME[dtype] == "uint4" else -4
        whole = n.integers(low, 5, shape)
        if not registry.is_float(dtype) or not self.chance(0.3):
            return np.asarray(np.asarray(whole).astype(dtype))
        real = np.asarray(n.standard_normal(shape), np.float64)
        if self.odd and self.chance(0.5):
            flat = real.reshape(-1)
            for special in (np.nan, np.inf, -np.inf, -0.0, 0.0):
                if flat.size:
                    flat[n.integers(flat.size)] = special
            real = flat.reshape(shape)
        with np.errstate(all="ignore"):
            return np.asarray(real.astype(dtype))


class Scope:
    def __init__(self, world: World, live: Sequence[int], parent: Scope | None = None) -> None:
        self.world, self.live, self.parent = world, list(live), parent
        self.rng = world.rng
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.values: list[Val] = []
        self._ghosts: dict[int, Cell] = {}

    @property
    def root(self) -> Scope:
        return self.parent.root if self.parent else self

    # --- values ---
    def cell(self, val: Val, feed: int) -> Cell | None:
        if feed in val.cells or feed >= 0:
            return val.cells.get(feed)
        if not val.cells:
            return None
        some = val.cells.get(-1) or next(iter(val.cells.values()))
        if val.constant or val.sequence:
            val.cells[feed] = some
        else:
            shape = tuple(self.rng.choice(self.world.small) if self.rng.random() < 0.4 else d for d in some.value.shape)
            array = some.value if shape == some.value.shape else self.world.content(val.dtype, shape)
            val.cells[feed] = Cell(array, array)
        return val.cells[feed]

    def arrays(self, val: Val) -> list[Any]:
        found = [self.cell(val, k) for k in self.live]
        return [c.value for c in found if c is not None]

    def shapes(self, val: Val) -> list[Shape]:
        return [a.shape for a in self.arrays(val)]

    def rank(self, val: Val) -> int | None:
        """The rank, if it is one in all feeds."""
        if val.sequence:
            return None
        ranks = {len(s) for s in self.shapes(val)}
        return ranks.pop() if len(ranks) == 1 else None

    def visible(self) -> list[Val]:
        here = self.values
        return here if self.parent is None else [*self.parent.visible(), *here]

    def usable(self) -> list[Val]:
        return [v for v in self.visible() if all(self.cell(v, k) is not None for k in self.live)]

    # --- nodes ---
    def add(self, op: str, inputs: Sequence[Val | None], outputs: int = 1, **attributes: Any) -> list[Val] | None:
        """Adds a node if it works, for all feeds as a rule, for some of them now and then; None if it does not."""
        world = self.world
        if registry.schema_in(op, world.opset) is None:
            return None
        names = [v.name if v else "" for v in inputs]
        while names and not names[-1]:
            names.pop()
        made = [world.name("v") for _ in range(outputs)]
        node = helper.make_node(op, names, made)
        for key, a in attributes.items():
            if a is not None:
                kind = onnx.AttributeProto.INTS if isinstance(a, list) and not a else None
                node.attribute.append(helper.make_attribute(key, a, attr_type=kind))
        results: dict[int, list[Cell | None]] = {}
        used = {v.name: v for v in inputs if v}
        for k in self.live:
            given = {n: self.cell(v, k) for n, v in used.items()}
            if any(c is None for c in given.values()):
                continue
            try:
                results[k] = world.evaluator.run(node, world.opset, {n: c for n, c in given.items() if c})
            except Refused:
                continue
            except Unsteady:
                return None
        lost = len(self.live) - len(results)
        if lost == len(self.live) or (lost and not world.chance(0.06)):
            return None
        if any(_elements(c.value) > world.largest for cells in results.values() for c in cells if c):
            return None
        first = next(iter(results.values()))
        if any(c is None for c in first):
            return None
        if world.mode != "one" and any(_wild(c.value) for cells in results.values() for c in cells if c):
            return None  # NaN, infinities and what leads there are for single nodes
        for v in used.values():
            v.reads += 1
        self.nodes.append(node)
        known = op in ("Shape", "Size") or (
            any(v.known for v in used.values()) and all(v.known or v.constant for v in used.values())
        )
        late = op in ("NonZero", "Compress", "Unique") or any(v.late for v in used.values())
        constant = all(v.constant for v in used.values()) and not any(
            a.type == onnx.AttributeProto.GRAPH for a in node.attribute
        )
        vals = []
        for i, name in enumerate(made):
            cells = {k: c for k, cells_ in results.items() if (c := cells_[i]) is not None}
            value = first[i].value  # type: ignore[union-attr]
            vals.append(self._keep(name, cells, value, constant=constant and not known, known=known, late=late))
        self.live = [k for k in self.live if k in results]
        return vals

    def one(self, op: str, inputs: Sequence[Val | None], **attributes: Any) -> Val | None:
        vals = self.add(op, inputs, **attributes)
        return vals[0] if vals else None

    def _keep(self, name: str, cells: dict[int, Cell], like: Value, **flags: bool) -> Val:
        val = Val(name, like.dtype, cells, isinstance(like, Items), **flags)
        self.values.append(val)
        return val

    # --- where values come from ---
    def initializer(self, array: np.ndarray, root: bool = False) -> Val:
        scope = self.root if root or self.rng.random() < 0.3 else self
        name = self.world.name("c")
        scope.initializers.append(numpy_helper.from_array(array, name))
        return scope._keep(name, self._everywhere(array), array, constant=True)

    def _everywhere(self, array: np.ndarray) -> dict[int, Cell]:
        cell = Cell(array, array)
        return {k: cell for k in [*range(len(self.world.feeds)), *(k for k in self.live if k < 0)]}

    def input(
        self, values: Sequence[Value], declared: Sequence[int | str | None] | None = None, default: bool = False
    ) -> Val:
        """A graph input with these values for the live feeds; other feeds get some of them."""
        world, root = self.world, self.root
        name = world.name("x")
        cells = dict.fromkeys(range(len(world.feeds)), Cell(values[0], values[0]))
        cells |= {k: Cell(v, v) for k, v in zip(self.live, values, strict=True)}
        if isinstance(values[0], Items):
            kind = type_of(values[0])
        else:
            kind = helper.make_tensor_type_proto(registry.CODE[values[0].dtype], declared)
        world.inputs.append(onnx.ValueInfoProto(name=name, type=kind))
        if default:
            root.initializers.append(numpy_helper.from_array(values[0], name))
        for k, feed in enumerate(world.feeds):
            if not (default and cells[k].value is values[0] and world.chance(0.6)):
                feed[name] = cells[k].value
        return root._keep(name, cells, values[0])

    def tensor_input(
        self, arrays: Sequence[np.ndarray], dims: Sequence[int | str] | None = None, default: bool = False
    ) -> Val:
        """Declares as much of the shapes as is true, or less."""
        shapes = {a.shape for a in arrays}
        every = len({len(s) for s in shapes}) == 1
        declared: list[int | str | None] | None = None
        if every and not self.world.chance(0.2):
            declared = []
            for i in range(len(arrays[0].shape)):
                fixed = len({s[i] for s in shapes}) == 1
                if dims is not None and isinstance(dims[i], str):
                    declared.append(dims[i] if self.world.chance(0.7) else None)
                elif fixed and not any(k < 0 for k in self.live) and self.world.chance(0.7):
                    declared.append(int(arrays[0].shape[i]))
                else:
                    declared.append(self.world.name("D") if self.world.chance(0.5) else None)
        return self.input(arrays, declared, default)

    def fresh(
        self, dtype: np.dtype | None = None, rank: int | None = None, dims: Sequence[int | str] | None = None
    ) -> Val:
        """A new value of any content: sizes that are variables differ from feed to feed."""
        world, rng = self.world, self.rng
        dtype = dtype or rng.choice(world.types)
        if dims is None:
            if rank is None and world.chance(0.12) and len(self.live) > 1:
                return self.ragged(dtype)
            count = rank if rank is not None else rng.choice([0, 1, 1, 2, 2, 3, 4])
            dims = [world.variable() if world.chance(0.45) else rng.choice(world.small) for _ in range(count)]
        for d in dims:
            if isinstance(d, str):
                for k in range(len(world.feeds)):
                    world.size(d, k)
        feeds = {*range(len(world.feeds)), *self.live}
        while (
            max(math.prod(world.size(d, k) if isinstance(d, str) else d for d in dims) for k in feeds)
            > world.largest // 2
        ):
            dims = dims[1:] if rank is None else [*dims[:-1], 1] if dims[-1] != 1 else [1] * len(dims)
        shapes = [tuple(world.size(d, k) if isinstance(d, str) else d for d in dims) for k in self.live]
        if any(isinstance(d, str) for d in dims):
            # Feeds that this scope does not live for have sizes of the same variables.
            every = {
                k: world.content(dtype, tuple(world.size(d, k) if isinstance(d, str) else d for d in dims))
                for k in range(len(world.feeds))
            }
            every |= {k: world.content(dtype, s) for k, s in zip(self.live, shapes, strict=True) if k < 0}
            val = self.tensor_input([every[k] for k in self.live], dims)
            for k, array in every.items():
                val.cells[k] = Cell(array, array)
                if k >= 0:
                    world.feeds[k][val.name] = array
            return val
        return self.make(dtype, shapes)

    def ragged(self, dtype: np.dtype) -> Val:
        """An input that has another rank in each feed."""
        rng = self.rng
        shapes = [tuple(rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))) for _ in self.live]
        return self.input([self.world.content(dtype, s) for s in shapes])

    def pick(
        self,
        dtypes: Iterable[np.dtype] | None = None,
        fits: Callable[[list[Shape]], bool] | None = None,
        fresh: float = 0.25,
        **how: Any,
    ) -> Val | None:
        """A value of the scope that fits, or a new one."""
        wanted = set(dtypes) if dtypes is not None else None
        if wanted is not None and not wanted:
            return None
        if not self.world.plain and not self.world.chance(fresh):
            found = [v for v in self.usable() if not v.sequence and (wanted is None or v.dtype in wanted)]
            found = [v for v in found if fits is None or fits(self.shapes(v))]
            if found:
                weights = [
                    (6 if v.reads == 0 else 2) * (0.3 if v.constant else 1) * (2 if v.known or v.late else 1)
                    for v in found
                ]
                return self.rng.choices(found, weights)[0]
        for _ in range(6):
            types = [t for t in self.world.types if wanted is None or t in wanted] or sorted(wanted or (), key=str)
            val = self.fresh(self.rng.choice(types), **how)
            if fits is None or fits(self.shapes(val)):
                return val
        return None

    def make(self, dtype: np.dtype, shapes: Sequence[Shape]) -> Val:
        """A value of these shapes, of any content and from anywhere."""
        from . import sources

        return sources.make(self, dtype, shapes)

    def exactly(self, arrays: Sequence[np.ndarray]) -> Val:
        """A value that is these arrays, from anywhere."""
        from . import sources

        return sources.exactly(self, arrays)

    def ints(self, values: Sequence[int] | Sequence[Sequence[int]], dtype: np.dtype = I64) -> Val:
        """One list for all feeds, or one for each."""
        lists = values if values and not isinstance(values[0], int | np.integer) else [values] * len(self.live)
        return self.exactly([np.array(v, dtype) for v in lists])


def _wild(value: Value) -> bool:
    for a in value if isinstance(value, list) else [value]:
        if registry.is_float(a.dtype):
            limit = float(ml_dtypes.finfo(a.dtype).max) ** 0.75  # type: ignore[no-untyped-call]
            if not (np.abs(a.astype(np.float64)) < limit).all():
                return True
        elif a.dtype.kind in "iu" and (np.abs(a.astype(np.float64)) >= min(2.0**31, np.iinfo(a.dtype).max)).any():
            return True
    return False


def _elements(value: Value) -> int:
    return sum(a.size for a in value) if isinstance(value, list) else int(value.size)
