"""Loop, Scan and SequenceMap against closed forms: bounds, conditions, axes, directions, batches, what changes its shape."""

import re

import numpy as np
import onnx
import onnx.parser
import pytest

import norn


def session(graph, opset=21):
    text = f'<ir_version: 9, opset_import: ["": {opset}]>\n{graph}'
    return norn.InferenceSession(onnx.parser.parse_model(text), norn.SessionOptions(verify_passes=True))


POWERS = """agraph (int64 m, bool go, float[N] x) => (float[N] last, float[K, N] all) {
    two = Constant<value_float = 2.0>()
    last, all = Loop(m, go, x) <body = body (int64 i, bool c, float[N] v) => (bool c_out, float[N] next, float[N] seen) {
        c_out = Identity(c)
        next = Mul(v, two)
        seen = Identity(v)
    }>
}"""


@pytest.mark.parametrize("rounds", [0, 1, 5, 33])
def test_loop_stacks_what_each_round_gives(rounds):
    x = np.array([1, -3, 0.5], np.float32)
    last, stacked = session(POWERS).run(None, {"m": np.int64(rounds), "go": np.array(True), "x": x})
    np.testing.assert_array_equal(last, x * 2.0**rounds)
    assert stacked.shape == (rounds, 3 if rounds else stacked.shape[1])
    np.testing.assert_array_equal(stacked[:, :], [x * 2.0**k for k in range(rounds)] or np.zeros(stacked.shape))


def test_loop_does_not_start_without_its_condition():
    last, stacked = session(POWERS).run(
        None, {"m": np.int64(7), "go": np.array(False), "x": np.ones(2, np.float32)}
    )
    np.testing.assert_array_equal(last, np.ones(2))
    assert len(stacked) == 0


@pytest.mark.parametrize("rounds", [0, 2])
def test_stacks_of_no_rounds_have_the_sizes_that_are_known(rounds):
    """Also where what the body does later depends on contents."""
    run = session("""agraph (int64 m, float[K] x, int64[1] to) => (float[R, A] all, float[R, B, C] late) {
        last, all, late = Loop(m, "", x) <body = body (int64 i, bool c, float[K] v) => (c_out, next, seen, later) {
            c_out = Identity(c)
            seen = Mul(v, v)
            picked = NonZero(v)
            some = Gather<axis = 1>(picked, to)
            size = Squeeze(some)
            next = Identity(v)
            one = Constant<value_ints = [1]>()
            size_1 = Reshape(size, one)
            wide = Shape(v)
            both = Concat<axis = 0>(size_1, wide)
            later = Expand(v, both)
        }>
    }""")
    x = np.array([0, 0, 3], np.float32)
    stacked, late = run.run(None, {"m": np.int64(rounds), "x": x, "to": np.array([0])})
    assert stacked.shape == (rounds, 3)
    assert late.shape == (rounds, 2 if rounds else 0, 3)


@pytest.mark.parametrize("rows", [2, 9])
def test_stacks_of_no_rounds_take_no_sizes_of_others(rows):
    """What a plan does not know and what inputs do not declare are variables of their own."""
    run = session("""agraph (int64 m, float[?, 4] x) => (int64[R, ?, ?] a) {
        last, a = Loop(m, "", x) <body = body (int64 i, bool c, float[?, 4] v) => (bool c_out, float[?, 4] next, int64[?, ?] q) {
            c_out = Identity(c)
            next = Identity(v)
            q = NonZero(v)
        }>
    }""")
    (stacked,) = run.run(None, {"m": np.int64(0), "x": np.ones((rows, 4), np.float32)})
    assert stacked.shape == (0, 2, 0)


def test_the_condition_that_a_body_gives_is_a_bool():
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["": 21]>
    agraph (int64 m, float[N] x) => (float[N] y) {
        y = Loop(m, "", x) <body = body (int64 i, bool c, float[N] v) => (int64 c_out, float[N] next) {
            c_out = Identity(i)
            next = Identity(v)
        }>
    }""")
    message = "the body's first output says whether to go on and has to be tensor(bool), but it is tensor(int64)"
    assert any(message in d.message for d in norn.check(model).diagnostics)
    with pytest.raises(norn.Error, match=re.escape(message)):
        norn.InferenceSession(model)


def test_loop_ends_by_its_own_condition_and_captures():
    run = session("""agraph (float[] start, float[] limit) => (float[] y, int64[K] rounds) {
        none = Constant<value_int = 3>()
        y, rounds = Loop("", "", start) <body = body (int64 i, bool c, float[] v) => (bool again, float[] next, int64[] at) {
            next = Add(v, v)
            again = Less(next, limit)
            at = Mul(i, none)
        }>
    }""")
    for limit in (1.0, 5.0, 1000.0):
        y, rounds = run.run(None, {"start": np.float32(1), "limit": np.float32(limit)})
        count = max(1, int(np.ceil(np.log2(limit))))
        assert y == 2.0**count
        np.testing.assert_array_equal(rounds, 3 * np.arange(count))


def test_loop_carries_a_value_that_grows():
    run = session("""agraph (int64 m, float[N] x) => (float[M] y) {
        y = Loop(m, "", x) <body = body (int64 i, bool c, float[A] v) => (bool c_out, float[B] next) {
            c_out = Identity(c)
            next = Concat<axis = 0>(v, v)
        }>
    }""")
    for rounds in (0, 1, 6):
        y = run.run(None, {"m": np.int64(rounds), "x": np.array([1, 2], np.float32)})[0]
        np.testing.assert_array_equal(y, np.tile(np.array([1, 2], np.float32), 2**rounds))


@pytest.mark.parametrize("declared", ["float[2, 6]", "float[N, 6]"])
def test_loop_carries_what_grows_from_a_known_shape(declared):
    run = session(f"""agraph (int64 m, {declared} x) => (y, s) {{
        y, s = Loop(m, "", x) <body = body (int64 i, bool c, v) => (co, next, sizes) {{
            co = Identity(c)
            next = Concat<axis = 0>(v, x)
            at = Shape(v)
            first = Shape(x)
            sizes = Sub(at, first)
        }}>
    }}""")
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    for rounds in (0, 1, 4):
        y, sizes = run.run(None, {"m": np.int64(rounds), "x": x})
        np.testing.assert_array_equal(y, np.tile(x, (rounds + 1, 1)))
        if rounds:
            np.testing.assert_array_equal(sizes, [[2 * k, 0] for k in range(rounds)])


def test_loops_nest_and_strings_stack():
    run = session("""agraph (int64 m, string[2] words) => (int64[] sum, string[A, B, 2] all) {
        zero = Constant<value_int = 0>()
        sum, all = Loop(m, "", zero) <body = outer (int64 i, bool c, int64[] s) => (bool c_out, int64[] t, string[B, 2] row) {
            c_out = Identity(c)
            t, row = Loop(m, c, s) <body = inner (int64 j, bool d, int64[] u) => (bool d_out, int64[] v, string[2] w) {
                d_out = Identity(d)
                product = Mul(i, j)
                v = Add(u, product)
                w = Identity(words)
            }>
        }>
    }""")
    total, words = run.run(None, {"m": np.int64(4), "words": np.array(["a", "long enough to be elsewhere"], object)})
    assert total == sum(i * j for i in range(4) for j in range(4))
    assert words.shape == (4, 4, 2)
    assert set(words[..., 1].ravel()) == {"long enough to be elsewhere"}


def test_loop_refuses_stacks_of_changing_shape():
    run = session("""agraph (int64 m, float[N] x) => (y, all) {
        y, all = Loop(m, "", x) <body = body (int64 i, bool c, float[A] v) => (bool c_out, next, seen) {
            c_out = Identity(c)
            next = Concat<axis = 0>(v, v)
            seen = Identity(next)
        }>
    }""")
    with pytest.raises(norn.Error, match=r"float\[4\].*but was float\[2\](.|\n)*iteration 1"):
        run.run(None, {"m": np.int64(3), "x": np.ones(1, np.float32)})


def test_errors_in_a_body_name_the_iteration():
    run = session("""agraph (int64 m, float[N] x) => (all) {
        all = Loop(m, "") <body = body (int64 i, bool c) => (bool c_out, seen) {
            c_out = Identity(c)
            seen = Gather(x, i)
        }>
    }""")
    np.testing.assert_array_equal(run.run(None, {"m": np.int64(2), "x": np.arange(2, dtype=np.float32)})[0], [0, 1])
    with pytest.raises(norn.Error, match="iteration 2"):
        run.run(None, {"m": np.int64(5), "x": np.arange(2, dtype=np.float32)})


def scan(attributes, opset=21, state="float[A]"):
    return session(
        f"""agraph (float[A] s, float[B, C] x) => (t, y) {{
        t, y = Scan<num_scan_inputs = 1, {attributes}
            body = body ({state} a, float[D] b) => ({state} c, float[D] d) {{
                total = ReduceSum<keepdims = 0>(b)
                c = Add(a, total)
                d = Mul(b, c)
            }}>(s, x)
    }}""",
        opset,
    )


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("backwards", [0, 1])
@pytest.mark.parametrize("out_axis", [0, 1, -1])
@pytest.mark.parametrize("out_backwards", [0, 1])
def test_scan_axes_and_directions(axis, backwards, out_axis, out_backwards):
    run = scan(
        f"scan_input_axes = [{axis}], scan_input_directions = [{backwards}], scan_output_axes = [{out_axis}],"
        f"scan_output_directions = [{out_backwards}],"
    )
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    state, rows = np.ones(1, np.float32), []
    lines = [np.take(x, k, axis) for k in range(x.shape[axis])]
    for line in reversed(lines) if backwards else lines:
        state = state + line.sum()
        rows.append(line * state)
    wanted = np.stack(rows[::-1] if out_backwards else rows, out_axis)
    t, y = run.run(None, {"s": np.ones(1, np.float32), "x": x})
    np.testing.assert_array_equal(t, state)
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_scan_of_nothing(shape):
    t, y = scan("").run(None, {"s": np.ones(1, np.float32), "x": np.zeros(shape, np.float32)})
    np.testing.assert_array_equal(t, [1])
    assert y.shape[0] == shape[0] and y.size == 0


# Their other sizes multiply to more than 63 bits can count, or take for ever to count through.
@pytest.mark.parametrize(
    "shape, axis",
    [((2**61, 3, 0), 1), ((2**40, 2**40, 3, 0), 2), ((3, 0, 2**61), 0), ((3, 2**61, 0), 0), ((2**61, 0, 3), 2)],
)
def test_scan_of_tensors_without_elements(shape, axis):
    run = session(f"""agraph (int64[R] shape) => (sizes) {{
        x = ConstantOfShape(shape)
        y = Scan<num_scan_inputs = 1, scan_input_axes = [{axis}], scan_output_axes = [{axis}],
            body = body (e) => (f) {{ f = Relu(e) }}>(x)
        sizes = Shape(y)
    }}""")
    np.testing.assert_array_equal(run.run(None, {"shape": np.array(shape)})[0], shape)


def old_scan(types):
    return session(
        f"""agraph (int64[B] lengths, {types[0]} s, {types[1]} x) => (t, y) {{
        t, y = Scan<num_scan_inputs = 1, directions = [0],
            body = body (a, b) => (c, d) {{
                c = Add(a, b)
                d = Identity(c)
            }}>(lengths, s, x)
    }}""",
        8,
    )


TYPES_OF_OLD_SCAN = [("float[2, 2]", "float[2, 3, 2]"), ("float[B, S]", "float[B, T, S]"), ("float[]", "float[]")]


@pytest.mark.parametrize("types", TYPES_OF_OLD_SCAN, ids=str)
@pytest.mark.parametrize("lengths", [(3, 1), (0, 3), (3, 0)], ids=str)
def test_scan_in_an_old_version_goes_through_a_batch(types, lengths):
    run = old_scan(types)
    x = np.arange(2 * 3 * 2, dtype=np.float32).reshape(2, 3, 2)
    s = np.ones((2, 2), np.float32)
    lengths = np.array(lengths, np.int64)
    t, y = run.run(None, {"lengths": lengths, "s": s, "x": x})
    sums = s[:, None] + np.cumsum(x, 1)
    np.testing.assert_array_equal(t, [sums[b, n - 1] if n else s[b] for b, n in enumerate(lengths)])
    for b, n in enumerate(lengths):
        np.testing.assert_array_equal(y[b, :n], sums[b, :n])
        np.testing.assert_array_equal(y[b, n:], 0)
    with pytest.raises(norn.Error, match="sequence_lens has 4"):
        run.run(None, {"lengths": np.array([4, 1], np.int64), "s": s, "x": x})


def test_scan_in_an_old_version_needs_its_batch():
    run = session(
        """agraph (int64[B] lengths, float[P] p, int64[R] ps, float[Q] q, int64[U] qs) => (t) {
            s = Reshape(p, ps)
            x = Reshape(q, qs)
            t = Scan<num_scan_inputs = 1, body = body (a, b) => (c) { c = Add(a, b) }>(lengths, s, x)
        }""",
        8,
    )

    def shapes(s, x):
        given = {"lengths": np.ones(2, np.int64), "ps": np.array(s, np.int64), "qs": np.array(x, np.int64)}
        given |= {"p": np.ones(np.prod(s, dtype=int), np.float32), "q": np.ones(np.prod(x, dtype=int), np.float32)}
        return run.run(None, given)[0]

    np.testing.assert_array_equal(shapes([2, 1], [2, 3, 1]), [[2], [2]])
    for s, x in (([2, 1], [2]), ([2, 1], []), ([], [2, 3]), ([3, 1], [2, 3, 1])):
        with pytest.raises(norn.Error, match="batch"):
            shapes(s, x)


@pytest.mark.parametrize(
    "node",
    [
        'y = Scan<num_scan_inputs = 1, body = b (e, f) => (f) { }>("", x)',
        'y = Scan<num_scan_inputs = 2, body = b (e, f) => (f) { }>(x, "")',
        'y = Loop(m, "", x, "") <body = b (i, c, v, u) => (c, v, u) { }>',
        'y = SequenceMap(s, "") <body = b (e, f) => (e) { }>',
    ],
)
def test_inputs_of_which_there_are_any_number_cannot_be_omitted(node):
    with pytest.raises(norn.InvalidGraph, match="is missing"):
        session(f"agraph (int64 m, float[N] x) => (y) {{ s = SequenceConstruct(x)\n {node} }}")


@pytest.mark.parametrize("formals", ["", "int64 i", "int64 i, bool c"])
def test_a_body_takes_all_that_the_loop_gives(formals):
    with pytest.raises(norn.InvalidGraph, match="with its 3 inputs feeds it 3"):
        session(f"""agraph (int64 m, float[N] x, bool go) => (y) {{
            y = Loop(m, go, x) <body = body ({formals}) => (bool on, float[N] next) {{
                on = Identity(go)
                next = Neg(x)
            }}>
        }}""")


# What a file of IR 3 lists as an input is a constant only where it is not given.
@pytest.mark.parametrize("ir_version", [3, 4, 10])
def test_defaults_of_a_body(ir_version):
    model = onnx.parser.parse_model(f"""<ir_version: {ir_version}, opset_import: ["": 11]>
    agraph (int64 m, float[2] x) => (float[2] y) {{
        y = Loop(m, "", x) <body = body (int64 i, bool c, float[2] v, float[2] w) => (bool on, float[2] next)
            <float[2] v = {{7, 7}}, float[2] w = {{1, 2}}> {{
            on = Identity(c)
            next = Add(v, w)
        }}>
    }}""")
    assert len(model.graph.node[0].attribute[0].g.initializer) == 2
    run = norn.InferenceSession(model, norn.SessionOptions(verify_passes=True))
    y = run.run(None, {"m": np.array(3), "x": np.array([10, 20], np.float32)})[0]
    np.testing.assert_array_equal(y, [13, 26])


def test_scanned_inputs_have_one_length():
    scan = "Scan<num_scan_inputs = 2, body = body (float[C] a, float[C] b) => (float[C] c) { c = Add(a, b) }>(x, z)"
    run = session(f"agraph (float[A, C] x, float[B, C] z) => (y) {{ y = {scan} }}")
    x, z = np.ones((4, 2), np.float32), np.full((4, 2), 2, np.float32)
    np.testing.assert_array_equal(run.run(None, {"x": x, "z": z})[0], x + z)
    with pytest.raises(norn.Error, match="dimension 0 is 4"):
        run.run(None, {"x": x, "z": z[:3]})
    run = session(f"""agraph (float[A] p, int64[R] ps, float[B] q, int64[S] qs) => (y) {{
        x = Reshape(p, ps)
        z = Reshape(q, qs)
        y = {scan}
    }}""")
    feeds = {"p": x.ravel(), "ps": np.array([4, 2]), "q": z[:3].ravel(), "qs": np.array([3, 2])}
    with pytest.raises(norn.Error, match="(3|4)(.|\n)*(4|3)"):
        run.run(None, feeds)


def test_sequence_map():
    run = session("""agraph (seq(float[N]) xs, seq(float[N]) zs, float[N] w) => (ys, shapes) {
        ys, shapes = SequenceMap(xs, zs, w) <body = body (float[N] x, float[N] z, float[N] v) => (float[N] y, int64[1] n) {
            sum = Add(x, z)
            y = Mul(sum, v)
            n = Shape(x)
        }>
    }""")
    xs = [np.arange(3, dtype=np.float32), np.ones(3, np.float32)]
    zs = [np.ones(3, np.float32), np.zeros(3, np.float32)]
    w = np.array([1, 2, 3], np.float32)
    ys, shapes = run.run(None, {"xs": xs, "zs": zs, "w": w})
    for y, x, z in zip(ys, xs, zs, strict=True):
        np.testing.assert_array_equal(y, (x + z) * w)
    assert [list(s) for s in shapes] == [[3], [3]]
    assert run.run(None, {"xs": [], "zs": [], "w": w}) == [[], []]
    with pytest.raises(norn.Error, match="1 items, but input 0 has 2"):
        run.run(None, {"xs": xs, "zs": zs[:1], "w": w})


@pytest.mark.parametrize("reshape", ["", "rr = Reshape(a, minus)"])
def test_elements_of_a_sequence_that_is_mapped_twice_have_sizes_of_their_own(reshape):
    s = session(
        f"""g (int64[A] a, int64[B] b) => (seq(int64[]) y) {{
        q = SequenceConstruct(a, b)
        minus = Constant<value = int64[1] {{-1}}>()
        {reshape}
        y = SequenceMap(q) <body = outer (int64[] u) => (int64[] r) {{
            s = SequenceMap(q) <body = inner (int64[] w) => (int64[] t) {{
                su = Shape(u) sw = Shape(w) d = Sub(su, sw) e = Equal(su, sw) f = Cast<to = 7>(e)
                t = Concat<axis = 0>(d, f)
            }}>
            r = ConcatFromSequence<axis = 0>(s)
        }}>
    }}"""
    )
    for a, b in ((2, 0), (0, 1), (3, 5), (4, 4)):
        (got,) = s.run(None, {"a": np.zeros(a, np.int64), "b": np.zeros(b, np.int64)})
        wanted = [[v for w in (a, b) for v in (u - w, int(u == w))] for u in (a, b)]
        assert [item.tolist() for item in got] == wanted


@pytest.mark.parametrize("number, of_number", [("int64", ()), ("int64[1]", (1,)), ("int64[N]", (1,))])
@pytest.mark.parametrize("condition, of_condition", [("bool", ()), ("bool[1]", (1,))])
@pytest.mark.parametrize("given", ["", "c"])
def test_a_body_declares_the_rank_of_the_iteration_number_and_the_condition(
    number, of_number, condition, of_condition, given
):
    s = session(
        f"""g (int64 m, float[A] x) => (y, ii, cc, rr) {{
        c = Constant<value = bool {{1}}>()
        y, ii, cc, rr = Loop(m, {given}, x) <body = b ({number} i, {condition} ci, float[] q)
            => ({condition} co, float[] q2, int64[] io, bool[] cq, int64[] r) {{
            co = Identity(ci) cq = Identity(ci) io = Identity(i) r = Shape(i) q2 = Add(q, q)
        }}>
    }}"""
    )
    y, ii, cc, rr = s.run(None, {"m": np.array(3), "x": np.ones(2, np.float32)})
    assert y.tolist() == [8, 8]
    assert ii.shape == (3, *of_number) and ii.ravel().tolist() == [0, 1, 2]
    assert cc.shape == (3, *of_condition) and cc.all()
    assert rr.tolist() == [list(of_number)] * 3


def test_an_iteration_number_is_appended_to_a_list():
    s = session(
        """g (int64 m, int64[A] x) => (y) {
        y = Loop(m, , x) <body = b (int64[1] i, bool c, int64[N] q) => (bool co, int64[K] q2) {
            co = Identity(c) q2 = Concat<axis = 0>(q, i)
        }>
    }"""
    )
    (y,) = s.run(None, {"m": np.array(3), "x": np.array([7, 8])})
    assert y.tolist() == [7, 8, 0, 1, 2]
