"""Bodies of If, Loop and Scan as steps of the plan around them: the same answers as one run of the body for each round.

A session of reference kernels runs bodies that way, so it is what others are compared with. All numbers are small
integers in float, so that no kernel rounds.
"""

import random

import numpy as np
import onnx.parser
import pytest

import norn

HEAD = '<ir_version: 9, opset_import: ["": 21]>\n'


def sessions(graph):
    model = onnx.parser.parse_model(HEAD + graph)
    return norn.InferenceSession(model), norn.InferenceSession(model, norn.SessionOptions(reference_only=True))


def assert_same(graph, *feeds):
    nested, plain = sessions(graph)
    for feed in feeds:
        for found, expected in zip(nested.run(None, feed), plain.run(None, feed), strict=True):
            assert found.dtype == expected.dtype and found.shape == expected.shape
            np.testing.assert_array_equal(found, expected)
    return nested


def is_nested(session, feeds):
    """No step is late, and no node waits for one."""
    page = session.explain(feeds)
    return "-> ?" not in page and "wait for sizes" not in page


X = np.array([1, -2, 3], np.float32)
Y = np.array([5, 0, -1], np.float32)


def test_states_that_change_places_and_stay():
    graph = """agraph (int64 m, float[3] x, float[3] y, float[3] z) => (a, b, c, d) {
        a, b, c, d = Loop(m, "", x, y, z, x) <body = body (int64 i, bool go, float[3] p, float[3] q, float[3] r, float[3] s)
            => (bool on, float[3] p2, float[3] q2, float[3] r2, float[3] s2) {
            on = Identity(go) p2 = Identity(q) q2 = Identity(p) r2 = Identity(r) s2 = Add(s, q)
        }>
    }"""
    run = assert_same(graph, *({"m": np.int64(m), "x": X, "y": Y, "z": X + Y} for m in range(6)))
    assert is_nested(run, {"m": np.int64(3), "x": X, "y": Y, "z": Y})


def test_one_result_in_several_places():
    graph = """agraph (int64 m, float[3] x, float[3] y) => (a, b, c, d, e) {
        a, b, c, d, e = Loop(m, "", x, y) <body = body (int64 i, bool go, float[3] p, float[3] q)
            => (bool on, float[3] r, float[3] r1, float[3] r2, float[3] r3, float[3] r4) {
            on = Identity(go) r = Sub(q, p) r1 = Identity(r) r2 = Identity(r) r3 = Identity(x) r4 = Identity(q)
        }>
    }"""
    assert_same(graph, *({"m": np.int64(m), "x": X, "y": Y} for m in range(1, 6)))


def test_constants_as_results():
    graph = """agraph (int64 m, float[3] x) => (a, b) {
        a, b = Loop(m, "", x) <body = body (int64 i, bool go, float[3] p) => (bool on, float[3] r, float[2] k) {
            on = Constant<value = bool {1}>() r = Constant<value = float[3] {4, 5, 6}>()
            k = Constant<value = float[2] {1, 2}>()
        }>
    }"""
    assert_same(graph, *({"m": np.int64(m), "x": X} for m in range(4)))


@pytest.mark.parametrize("last", ["Constant<value = bool {0}>()", "Less(i, five)", "Less(five, i)"])
def test_conditions_that_the_body_computes(last):
    graph = f"""agraph (int64 m, bool begin, float[3] x) => (a, b) {{
        five = Constant<value_int = 5>()
        a, b = Loop(m, begin, x) <body = body (int64 i, bool go, float[3] p) => (bool on, float[3] r, int64 k) {{
            on = {last} r = Add(p, x) k = Mul(i, i)
        }}>
    }}"""
    assert_same(graph, *({"m": np.int64(m), "begin": np.array(g), "x": X} for m in (1, 2, 6, 7, 9) for g in (True, False)))


def test_stacks_of_a_known_length_are_settled():
    graph = """agraph (float[N] x) => (a, total) {
        m = Constant<value_int = 7>()
        a, all = Loop(m, "", x) <body = body (int64 i, bool go, float[N] p) => (bool on, float[N] r, float[N] s) {
            on = Identity(go) r = Add(p, x) s = Neg(r)
        }>
        axes = Constant<value_ints = [0]>()
        total = ReduceSum(all, axes)
    }"""
    run = assert_same(graph, {"x": X}, {"x": X[:1]}, {"x": X[:0]})
    assert is_nested(run, {"x": X})


@pytest.mark.parametrize("wanted", ["a, all, more", 'a, "", more', '"", all, ""', "a"])
def test_outputs_that_nobody_wants(wanted):
    given = [name for name in wanted.replace('""', "").replace(" ", "").split(",") if name]
    graph = f"""agraph (int64 m, float[3] x) => ({", ".join("y" + name for name in given)}) {{
        {wanted} = Loop(m, "", x) <body = body (int64 i, bool go, float[3] p) => (bool on, float[3] r, float[3] s, float[3] t) {{
            on = Identity(go) r = Add(p, x) s = Neg(r) t = Abs(p)
        }}>
        {" ".join(f"y{name} = Identity({name})" for name in given)}
    }}"""
    assert_same(graph, *({"m": np.int64(m), "x": X} for m in (1, 2, 5, 40)))


def test_scans_along_every_axis_and_backwards():
    data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        for out in (0, 1, 2, -1):
            for directions in ("0", "1"):
                rest = ",".join(str(d) for d in np.moveaxis(data, axis, 0).shape[1:])
                graph = f"""agraph (float[{rest}] s, float[2, 3, 4] x) => (t, y, z) {{
                    t, y, z = Scan<num_scan_inputs = 1, scan_input_axes = [{axis}], scan_output_axes = [{out}, 0],
                                   scan_input_directions = [{directions}], scan_output_directions = [{directions}, 0],
                                   body = body (float[{rest}] a, float[{rest}] b) => (float[{rest}] c, float[{rest}] d, float[{rest}] e) {{
                        c = Sub(b, a) d = Add(a, b) e = Identity(b)
                    }}>(s, x)
                }}"""
                feed = {"s": np.ones(np.moveaxis(data, axis, 0).shape[1:], np.float32), "x": data}
                assert is_nested(assert_same(graph, feed), feed)


def test_scan_without_positions():
    graph = """agraph (float[3] s, float[T, 3] x) => (t, y) {
        t, y = Scan<num_scan_inputs = 1, body = body (float[3] a, float[3] b) => (float[3] c, float[3] d) {
            c = Add(a, b) d = Identity(c)
        }>(s, x)
    }"""
    assert_same(graph, *({"s": X, "x": np.ones((n, 3), np.float32)} for n in (0, 1, 2, 5)))


def test_branches():
    graph = """agraph (bool c, float[3] x, float[3] y) => (a, b, d) {
        a, b, d = If(c) <then_branch = t () => (float[3] p, float[3] q, float[3] r) {
                        p = Add(x, y) q = Identity(p) r = Identity(x) },
                      else_branch = e () => (float[3] p, float[3] q, float[3] r) {
                        p = Identity(y) q = Neg(x) r = Constant<value = float[3] {1, 2, 3}>() }>
    }"""
    run = assert_same(graph, *({"c": np.array(c), "x": X, "y": Y} for c in (True, False)))
    assert is_nested(run, {"c": np.array(True), "x": X, "y": Y})


def test_branches_of_different_sizes_are_late():
    graph = """agraph (bool c, float[N] x) => (y) {
        a = If(c) <then_branch = t () => (p) { p = Concat<axis = 0>(x, x) }, else_branch = e () => (q) { q = Neg(x) }>
        y = Abs(a)
    }"""
    run = assert_same(graph, *({"c": np.array(c), "x": X} for c in (True, False)))
    assert not is_nested(run, {"c": np.array(True), "x": X})


def test_large_branches_are_planned_when_they_are_taken():
    many = " ".join(f"p{k + 1} = {'Neg' if k % 2 else 'Abs'}(p{k})" for k in range(300))
    graph = f"""agraph (bool c, float[N] x) => (y) {{
        y = If(c) <then_branch = t () => (p300) {{ p0 = Identity(x) {many} }}, else_branch = e () => (q) {{ q = Neg(x) }}>
    }}"""
    run = assert_same(graph, *({"c": np.array(c), "x": X} for c in (True, False)))
    assert not is_nested(run, {"c": np.array(True), "x": X})


def test_states_that_stay_are_not_copied():
    graph = """agraph (int64 m, float[N] x, float[N] big) => (y, same, twice) {
        a = Neg(big)
        y, same, b = Loop(m, "", x, a, a) <body = body (int64 i, bool go, float[N] p, float[N] q, float[N] r)
            => (bool on, float[N] p2, float[N] q2, float[N] r2) {
            on = Identity(go) p2 = Add(p, q) q2 = Identity(q) r2 = Identity(r)
        }>
        twice = Add(b, b)
    }"""
    run = assert_same(graph, *({"m": np.int64(m), "x": X, "big": Y} for m in range(4)))
    assert is_nested(run, {"m": np.int64(3), "x": X, "big": Y})


def test_a_condition_that_sizes_determine_takes_one_branch():
    """The other does not fit, has other sizes, and is never planned."""
    graph = """agraph (float[N] x) => (y) {
        three = Constant<value_int = 3>() n = Size(x) c = Less(n, three)
        a = If(c) <then_branch = t () => (p) { p = Concat<axis = 0>(x, x) }, else_branch = e () => (q) { q = Neg(x) }>
        y = Abs(a)
    }"""
    run = assert_same(graph, {"x": X}, {"x": X[:2]})
    for x in (X, X[:2]):
        page = run.explain({"x": x})
        assert is_nested(run, {"x": x})
        assert ("then_branch:" in page, "else_branch:" in page) == (len(x) < 3, len(x) >= 3)


def test_what_the_graph_around_knows_is_known_in_the_body():
    """A shape that planning computes settles a Reshape in the body."""
    graph = """agraph (int64 m, float[N] x) => (y) {
        n = Size(x) one = Constant<value_ints = [1]>() k = Reshape(n, one) shape = Concat<axis = 0>(one, k)
        y = Loop(m, "", x) <body = body (int64 i, bool go, float[N] p) => (bool on, float[N] r) {
            on = Identity(go) a = Reshape(p, shape) b = Squeeze(a) r = Add(b, x)
        }>
    }"""
    run = assert_same(graph, *({"m": np.int64(m), "x": x} for m in range(4) for x in (X, X[:1])))
    assert is_nested(run, {"m": np.int64(2), "x": X})


def test_loops_in_loops_in_branches():
    graph = """agraph (bool c, int64 m, float[3] x) => (y, z) {
        y, z = If(c) <
            then_branch = t () => (p, r) {
                p, many = Loop(m, "", x) <body = outer (int64 i, bool go, float[3] v) => (bool on, float[3] w, float[3] f) {
                    on = Identity(go)
                    u, f = Scan<num_scan_inputs = 1, body = inner (float[3] a, float b) => (float[3] e, float g) {
                        e = Add(a, b) g = Mul(b, b)
                    }>(v, x)
                    w = Sub(u, x)
                }>
                axes = Constant<value_ints = [0]>() r = ReduceMax<keepdims = 0>(many, axes)
            },
            else_branch = e () => (q, s) {
                q = Neg(x)
                s = Loop(m, "", q) <body = alone (int64 i, bool go, float[3] v) => (bool on, float[3] w) {
                    on = Identity(go) w = Add(v, x)
                }>
            }>
    }"""
    assert_same(graph, *({"c": np.array(c), "m": np.int64(m), "x": X} for m in (1, 2, 5) for c in (True, False)))


def test_errors_name_the_round_and_the_node():
    graph = """agraph (float[4, 2] x, int64[4] at) => (y) {
        zero = Constant<value_float = 0.0>()
        t, y = Scan<num_scan_inputs = 1, body = body (float a, int64 k) => (float b, float[2] c) {
            b = Identity(a) c = Gather(x, k) }>(zero, at)
    }"""
    for session in sessions(graph):
        with pytest.raises(norn.Error, match="out of range|index") as error:
            session.run(None, {"x": np.ones((4, 2), np.float32), "at": np.array([0, 1, 9, 0])})
        assert "position 2" in str(error.value) and 'graph "body" / node' in str(error.value)


def test_a_chain_is_one_segment():
    body = 'on{0} = Identity(d{0}) a{0} = Add(u{0}, x0) w{0} = Neg(a{0})'
    nodes = "\n".join(
        f"x{k + 1} = Loop(m, \"\", x{k}) <body = b{k} (int64 j{k}, bool d{k}, float[N] u{k}) => (bool on{k}, float[N] w{k})"
        f" {{ {body.format(k)} }}>"
        for k in range(30)
    )
    run = assert_same(f"agraph (int64 m, float[N] x0) => (x30) {{ {nodes} }}", {"m": np.int64(3), "x0": X})
    feed = {"m": np.int64(3), "x0": X}
    assert is_nested(run, feed) and "\n29  Loop  control flow" in run.explain(feed)


@pytest.mark.parametrize("seed", range(60))
def test_random_bodies(seed):
    """Bodies that add, swap, forget and stack their states, alone and within each other."""
    rng = random.Random(seed)

    def loop(depth, names, tag):
        """A loop over states that begin as some of `names`; the text, and what it gives."""
        states = [rng.choice(names) for _ in range(rng.randint(1, 3))]
        formals = [f"f{tag}_{k}" for k in range(len(states))]
        known, text = [*formals, *names], []
        for k in range(rng.randint(0, 4)):
            made = f"n{tag}_{k}"
            if depth < 2 and rng.random() < 0.3:
                inner, outs = loop(depth + 1, known, f"{tag}{k}")
                text.append(inner)
                known += outs
                continue
            op = rng.choice(["Add", "Sub", "Max", "Neg", "Identity"])
            args = [rng.choice(known) for _ in range(1 if op in ("Neg", "Identity") else 2)]
            text.append(f"{made} = {op}({', '.join(args)})")
            known.append(made)
        stacks = rng.randint(0, 2)
        results = []
        for k in range(len(states) + stacks):
            text.append(f"r{tag}_{k} = Identity({rng.choice(known)})")
            results.append(f"float[3] r{tag}_{k}")
        on = rng.choice([f"Identity(c{tag})", f"Less(i{tag}, limit)"])
        text.append(f"o{tag} = {on}")
        outs = [f"s{tag}_{k}" for k in range(len(states))]
        piles = [f"p{tag}_{k}" for k in range(stacks)]
        args = "".join(f", float[3] {f}" for f in formals)
        begin = ", ".join(states)
        trips = rng.choice(["m", "three"])
        head = f'{", ".join(outs + piles)} = Loop({trips}, "", {begin})'
        body = f"body{tag} (int64 i{tag}, bool c{tag}{args}) => (bool o{tag}, {', '.join(results)})"
        after = "".join(f"\nq{tag}_{k} = ReduceMax<keepdims = 0>({p}, zeros)" for k, p in enumerate(piles))
        found = outs + [f"q{tag}_{k}" for k in range(stacks)]
        return f"{head} <body = {body} {{ {chr(10).join(text)} }}>{after}", found

    text, outs = loop(0, ["x", "y"], "t")
    graph = f"""agraph (int64 m, int64 limit, float[3] x, float[3] y) => ({", ".join(f"out{k}" for k in range(len(outs)))}) {{
        three = Constant<value_int = 3>() zeros = Constant<value_ints = [0]>()
        {text}
        {" ".join(f"out{k} = Identity({name})" for k, name in enumerate(outs))}
    }}"""
    feeds = [{"m": np.int64(m), "limit": np.int64(n), "x": X, "y": Y} for m in (1, 2, 4) for n in (0, 1, 3)]
    assert_same(graph, *feeds)
