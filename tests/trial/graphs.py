"""Whole models: what is drawn in each mode, branches, functions, outputs, and the order in which feeds are run."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import onnx
from onnx import AttributeProto, helper

from . import families, families_fused, families_shape, registry
from .scope import BOOL, F32, I64, Scope, Val, World
from .truth import Refused, Value, reads_of

# Function bodies whose inputs have to fit each other in ways that a schema does not express; tests/python/
# test_function_bodies.py runs them.
NEED_SIZES_THAT_FIT = (
    "AffineGrid",
    "Attention",
    "CausalConvWithState",
    "LinearAttention",
    "RotaryEmbedding",
    "SoftmaxCrossEntropyLoss",
)
SUBGRAPHS = ("If", "Loop", "Scan", "SequenceMap")  # drawn by branch_on, or not yet
MODES = ("one", "mix", "turn", "branch", "sequence", "fused", "large")


@dataclasses.dataclass
class Case:
    """A model and its feeds; `order` is the turn in which one session runs them."""

    model: onnx.ModelProto
    feeds: list[dict[str, Value]]
    order: list[int]
    mode: str = ""
    seed: int = 0


# What a model is about differs from model to model: each of these groups is drawn with a weight of its own.
GROUPS = {
    "shapes": "Shape Size Cast Cast Gather Slice Concat ConstantOfShape Range",
    "views": "Unsqueeze Unsqueeze Squeeze Reshape Reshape Flatten Transpose Identity",
    "elements": "Add Sub Mul Div Neg Abs Relu Exp Sigmoid Tanh Sqrt Erf Softsign Clip Max Min Sum Where Pow",
    "late": "NonZero NonZero Gather Compress Unique",
    "products": "MatMul MatMul Gemm Conv",
    "reductions": "ReduceSum ReduceMean ReduceMax ReduceProd ArgMax Softmax ReduceL1",
    "sequences": "SequenceConstruct SequenceAt SequenceAt SequenceInsert SequenceErase SequenceEmpty SequenceLength",
    "branches": "If",
}
DEMANDING = [("MatMul", 4.0), ("Gemm", 2.0), ("Add", 1.0), ("Mul", 1.0), ("Concat", 1.0), ("Conv", 0.3)]
OPSETS = [7, 8, 9, 10, 11, 11, 12, 13, 13, 14, 15, 16, 17, 18, 18, 19, 20, 21, 21, 22, 23, 24, 25]


def opsets() -> list[int]:
    return [*OPSETS, *range(26, registry.NEWEST + 1)]


def draw_case(seed: int, mode: str) -> Case | None:
    case = one_node(seed) if mode == "one" else mixed(seed, mode)
    if case is not None:
        case.mode, case.seed = mode, seed
    return case


def one_node(seed: int) -> Case | None:
    """Every operator and version in turn, by the seed."""
    every = [(op, v) for op in registry.runnable() for v in registry.versions(op) if op not in SUBGRAPHS]
    op, schema = every[seed % len(every)]
    rng = random.Random(seed)
    since = schema.since_version
    opset = since if rng.random() < 0.5 else registry.last_opset_of(op, since)
    world = World(seed, "one", opset, rng.choice([1, 1, 2, 3]))
    world.plain = True
    world.odd = rng.random() < 0.4
    known = [t for t in registry.NUMPY.values() if t.kind != "O"]
    world.types = [F32, F32, F32, I64, *known] if rng.random() < 0.7 else [F32]
    if rng.random() < 0.6:
        world.small = [1, 2, 3, 4, 5]
    scope = Scope(world, range(len(world.feeds)))
    for _ in range(12):
        outputs = families.draw(scope, op)
        if outputs:
            return finish(scope, outputs)
    return None


def mixed(seed: int, mode: str) -> Case | None:
    rng = random.Random(seed)
    feeds = {
        "mix": 3,
        "turn": rng.choice([6, 10, 40, 40]),
        "branch": rng.choice([2, 2, 3, 4]),
        "sequence": rng.choice([4, 30]),
        "fused": rng.choice([1, 2, 4]),
        "large": 1,
    }[mode]
    world = World(seed, mode, rng.choice([o for o in opsets() if o >= 11 or mode in ("mix", "turn")]), feeds)
    groups = {g: rng.choice([0.0, 0.0, 0.4, 1.0, 1.0, 3.0]) for g in GROUPS}
    groups["elements"] = max(groups["elements"], 0.2)
    world.ways = {
        way: world.chance(0.5) and (groups[group] > 0 or world.chance(0.2))
        for way, group in (("known", "shapes"), ("late", "late"), ("view", "views"), ("sequence", "elements"))
    }
    groups["branches"] = {"branch": 4.0, "mix": rng.choice([0, 0, 0.3])}.get(mode, 0)
    groups["sequences"] = {"sequence": 3.0, "mix": rng.choice([0, 0.3])}.get(mode, 0)
    demanding = mode == "branch" and world.chance(0.5)
    if demanding:  # little but operands of one branch that the other's do not fit
        world.ways = dict.fromkeys(world.ways, False)
        world.types = [F32, F32, F32, I64]
    if mode == "turn":
        world.ways["known"] = world.chance(0.7)
        groups["products"] = max(groups["products"], rng.choice([0.4, 3.0]))
        world.small = rng.choice([[0, 1, 2, 3, 4], list(range(1, 60)), list(range(1, 60)), [0, 0, 1, 2]])
        world.largest = 3000
    if mode == "fused":
        world.opset = rng.choice([o for o in opsets() if o >= 13])
        world.largest = 40_000
        world.small = [1, 2, 3, 4, 5, 7]
        world.ways = dict.fromkeys(world.ways, world.chance(0.3))
        world.types = rng.choice([[F32], [F32], [F32, F32, I64], [F32, families_fused.F16], [families_fused.F16]])
        groups = dict.fromkeys(groups, 0.0) | {"elements": 0.3, "views": rng.choice([0, 0.3])}
    if mode == "large":
        # A kernel's work is split from some 75 microseconds on.
        world.small, world.largest = [1, 2, 130, 257, 600, 1100], 900_000
        groups |= {"late": 0.0, "shapes": 0.2, "products": 3.0, "elements": 3.0}
    menu: list[tuple[str, float]] = []
    for group, ops in GROUPS.items():
        menu += [
            (op, groups[group])
            for op in ops.split()
            if groups[group] and (op == "If" or registry.schema_in(op, world.opset))
        ]
    menu += [(op, 0.12) for op in registry.runnable() if registry.schema_in(op, world.opset) and op not in SUBGRAPHS]
    if mode == "fused":
        menu = [(op, 0.02 * w) for op, w in menu] + [(name, 1.0) for name in families_fused.PATTERNS]
    scope = Scope(world, range(feeds))
    bare = mode == "sequence" and world.chance(0.6)
    for _ in range(0 if bare else rng.choice([1, 1, 2, 3])):
        scope.fresh(rank=2 if mode == "large" else rng.choice([None, 1, 1, 2, 2, 3]))
    if mode == "sequence":  # what a plan is known by: kinds, ranks and sizes of inputs that leave all of them open
        scope.ragged(scope.rng.choice(world.types))
        families_shape.sequence_of(scope)
    if demanding:
        branch_on(scope, DEMANDING, 1)
    few = bare or demanding or mode in ("large", "fused")
    build(scope, menu, rng.choice([1, 2, 3] if few else [2, 3, 4, 5, 6, 8, 12]), 0)
    if not scope.live or not scope.nodes:
        return None
    unread = [v for v in scope.values if not v.reads and v.name.startswith("v")]
    made = [v for v in scope.values if v.name.startswith("v") and v not in unread]
    outputs = [*unread, *(v for v in made if rng.random() < 0.2)]
    rng.shuffle(outputs)
    return finish(scope, outputs) if outputs else None


def build(scope: Scope, menu: list[tuple[str, float]], nodes: int, depth: int) -> None:
    ops, weights = [op for op, _ in menu], [w for _, w in menu]
    tries, wanted = 0, len(scope.nodes) + nodes
    while len(scope.nodes) < wanted and tries < 4 * nodes and scope.live:
        tries += 1
        op = scope.rng.choices(ops, weights)[0]
        if op == "If":
            if depth < 2:
                branch_on(scope, menu, depth)
        elif op in families_fused.PATTERNS:
            fused(scope, op)
        else:
            families.draw(scope, op)


def fused(scope: Scope, name: str) -> None:
    try:
        families_fused.PATTERNS[name](scope)
    except Refused:
        pass  # of a size that is not drawn


def branch_on(scope: Scope, menu: list[tuple[str, float]], depth: int) -> None:
    """If: each branch is drawn for the feeds that take it, so that both may want what the other could not have."""
    world = scope.world
    condition = _condition(scope)
    if condition is None or world.opset < 11:  # before, both branches had to have one shape
        return
    taken = {k: bool(scope.cell(condition, k).value.reshape(-1)[0]) for k in scope.live}  # type: ignore[union-attr]
    branches: list[Scope] = []
    results: list[list[Val]] = []
    count = scope.rng.choice([1, 1, 2])
    allowed = registry.tensor_types(schema, "V") if (schema := registry.schema_in("If", world.opset)) else []
    for side in (True, False):
        live = [k for k in scope.live if taken[k] is side] or [-1]
        branch = Scope(world, live, scope)
        build(branch, menu, scope.rng.choice([1, 1, 2, 3]), depth + 1)
        if not branch.live:
            return
        made = [v for v in branch.values if v.name.startswith("v")]
        found: list[Val] = []
        for i in range(count):
            dtype = results[0][i].dtype if results else None
            fitting = [v for v in made if v.dtype in allowed and not v.sequence and (dtype is None or v.dtype == dtype)]
            val = fitting[-1] if fitting and not i else scope.rng.choice(fitting) if fitting else None
            if val is None:
                of = branch.pick([dtype] if dtype else allowed)
                val = branch.one("Identity", [of]) if of else None
            if val is None or not branch.live:
                return
            found.append(val)
        branches.append(branch)
        results.append(found)
    graphs = [_branch_graph(b, r, world.name("g")) for b, r in zip(branches, results, strict=True)]
    names = [world.name("v") for _ in range(count)]
    scope.nodes.append(helper.make_node("If", [condition.name], names, then_branch=graphs[0], else_branch=graphs[1]))
    condition.reads += 1
    alive = [k for k in scope.live if k in branches[0 if taken[k] else 1].live]
    for i, name in enumerate(names):
        cells = {k: c for k in alive if (c := branches[0 if taken[k] else 1].cell(results[0 if taken[k] else 1][i], k))}
        if cells:
            scope._keep(name, cells, next(iter(cells.values())).value, late=True)
    scope.live = alive


def _condition(scope: Scope) -> Val | None:
    world = scope.world
    if world.chance(0.7):
        shape = () if world.chance(0.7) else (1,)
        return scope.tensor_input([np.full(shape, world.chance(0.5)) for _ in scope.live])
    single = [
        v
        for v in scope.usable()
        if not v.sequence and v.dtype in (F32, I64, BOOL) and all(a.size == 1 for a in scope.arrays(v))
    ]
    if not single:
        return None
    val = scope.rng.choice(single)
    return val if val.dtype == BOOL else scope.one("Cast", [val], to=registry.CODE[BOOL])


def _branch_graph(branch: Scope, results: list[Val], name: str) -> onnx.GraphProto:
    """The branch without what its results do not need: a runtime may run that or not."""
    for i, val in enumerate(results):
        if any(val is other for other in results[:i]) or not any(val is own for own in branch.values):
            copy = branch.one("Identity", [val])
            assert copy is not None
            results[i] = copy
    needed, nodes = {val.name for val in results}, []
    for node in reversed(branch.nodes):
        if needed.intersection(node.output):
            needed.update(reads_of(node))
            nodes.append(node)
    outputs = [
        onnx.ValueInfoProto(name=v.name, type=helper.make_tensor_type_proto(registry.CODE[v.dtype], None))
        for v in results
    ]
    return helper.make_graph(nodes[::-1], name, [], outputs, [t for t in branch.initializers if t.name in needed])


def finish(scope: Scope, outputs: list[Val]) -> Case:
    world, rng = scope.world, scope.rng
    declared = []
    for val in outputs:
        if val.sequence:
            element = helper.make_tensor_type_proto(registry.CODE[val.dtype], None)
            declared.append(onnx.ValueInfoProto(name=val.name, type=helper.make_sequence_type_proto(element)))
        else:
            declared.append(
                onnx.ValueInfoProto(name=val.name, type=helper.make_tensor_type_proto(registry.CODE[val.dtype], None))
            )
    rng.shuffle(world.inputs)
    graph = helper.make_graph(scope.nodes, "trial", world.inputs, declared, scope.initializers)
    imports = [helper.make_opsetid("", world.opset)]
    functions: list[onnx.FunctionProto] = []
    if world.mode in ("mix", "turn", "branch", "sequence") and world.chance(0.25):
        for _ in range(rng.choice([1, 1, 2])):
            outline(graph, functions, world)
        if functions:
            imports.append(helper.make_opsetid("own", 1))
    model = helper.make_model(graph, opset_imports=imports, ir_version=10, functions=functions)
    count = len(world.feeds)
    order = list(range(count))
    if world.mode != "one":
        order += rng.sample(range(count), count)
        order += [rng.randrange(count) for _ in range(count)]
    return Case(model, world.feeds, order)


def outline(graph: onnx.GraphProto, functions: list[onnx.FunctionProto], world: World) -> None:
    """Puts a run of nodes into a function, with attributes and omitted inputs that its caller gives or does not."""
    rng = world.rng
    if not graph.node:
        return
    low = rng.randrange(len(graph.node))
    high = rng.randint(low + 1, min(low + 5, len(graph.node)))
    inside = [onnx.NodeProto.FromString(n.SerializeToString()) for n in graph.node[low:high]]
    made = {o for n in inside for o in n.output if o}
    reads = list(dict.fromkeys(name for n in inside for name in reads_of(n) if name not in made))
    read_later = {name for n in graph.node[high:] for name in reads_of(n)} | {o.name for o in graph.output}
    gives = [o for n in inside for o in n.output if o in read_later]
    if not gives:
        return
    call = helper.make_node(world.name("F"), [], gives, domain="own")
    formals, actuals, parameters = list(reads), list(reads), []
    for node in inside:
        for i, name in enumerate(node.input):
            if not name and world.chance(0.7):
                node.input[i] = world.name("o")
                formals.append(node.input[i])
                actuals.append("")
        for a in node.attribute:
            if a.type in (AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT) and world.chance(0.4):
                value = AttributeProto()
                value.CopyFrom(a)
                value.name = world.name("a")
                call.attribute.append(value)
                parameters.append(value.name)
                kind, name = a.type, a.name
                a.Clear()
                a.name, a.type, a.ref_attr_name = name, kind, value.name
    pairs = list(zip(formals, actuals, strict=True))
    rng.shuffle(pairs)
    formals, actuals = [f for f, _ in pairs], [a for _, a in pairs]
    while actuals and not actuals[-1] and world.chance(0.5):
        actuals.pop()
    call.input.extend(actuals)
    imports = [helper.make_opsetid("", world.opset), helper.make_opsetid("own", 1)]
    functions.append(helper.make_function("own", call.op_type, formals, gives, inside, imports, parameters))
    nodes = [*graph.node[:low], call, *graph.node[high:]]
    del graph.node[:]
    graph.node.extend(nodes)
