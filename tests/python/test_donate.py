"""Inputs that are given up to a run: outputs in their memory, caches that are appended to in place."""

import gc
import threading

import numpy as np
import onnx.parser
import pytest
from memory import forget_peak, peak_bytes

import norn

HEAD = '<ir_version: 12, opset_import: ["": 24]>\n'
# Heads of a cache, as exporters write them: what was appended is read again by the products behind it.
DECODE = """agraph (float[1, H, 1, D] x, float[1, H, P, D] past_k, float[1, H, P, D] past_v) => (y, k, v) {
    a = Tanh(x) b = Neg(x) k = Concat<axis = 2>(past_k, a) v = Concat<axis = 2>(past_v, b)
    kt = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(x, kt) p = Softmax(s) y = MatMul(p, v)
}"""
APPEND = "agraph (float[A, P, B] past, float[A, N, B] new) => (cache) { cache = Concat<axis = 1>(past, new) }"
CHAIN = "agraph (float[N] x) => (y) { a = Tanh(x) y = Neg(a) }"
WRITE = """agraph (float[B, P, D] cache, float[B, N, D] new, int64[B] at) => (y, s) {
    y = TensorScatter<axis = 1>(cache, new, at) s = ReduceSum(y)
}"""


def session(text, **options):
    return norn.InferenceSession(onnx.parser.parse_model(HEAD + text), norn.SessionOptions(**options))


def numbers(*dims, seed=0):
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)


def reserve_of(array):
    """The address of an array's first element: equal for tensors in one reserve."""
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_decoding_loop_appends_in_place(heads, threads):
    made, plain = session(DECODE, intra_op_num_threads=threads), session(DECODE, reference_only=True)
    k = v = numbers(1, heads, 0, 8)
    want_k = want_v = numbers(1, heads, 0, 8)
    places = []
    for step in range(120):
        x = numbers(1, heads, 1, 8, seed=step)
        y, k, v = made.run(None, {"x": x, "past_k": k, "past_v": v}, donate=["past_k", "past_v"])
        want_y, want_k, want_v = plain.run(None, {"x": x, "past_k": want_k, "past_v": want_v})
        np.testing.assert_allclose(y, want_y, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(k, want_k, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(v, want_v, rtol=1e-5, atol=1e-6)
        places.append((reserve_of(k), reserve_of(v)))
    moves = sum(a != b for a, b in zip(places, places[1:], strict=False))
    assert moves <= 6  # the room grows by half each time


def test_bits_are_those_of_runs_that_donate_nothing():
    one, two = session(DECODE), session(DECODE)
    k = v = k2 = v2 = numbers(1, 2, 5, 16)
    for step in range(40):
        x = numbers(1, 2, 1, 16, seed=step)
        y, k, v = one.run(None, {"x": x, "past_k": k, "past_v": v}, donate=["past_k", "past_v"])
        y2, k2, v2 = two.run(None, {"x": x, "past_k": k2, "past_v": v2})
        assert y.tobytes() == y2.tobytes() and k.tobytes() == k2.tobytes() and v.tobytes() == v2.tobytes()


ATTENTION = """agraph (float[B, Q, R, D] q, float[B, K, R, D] k, float[B, K, R, D] v, float[B, K, P, D] past_k,
    float[B, K, P, D] past_v) => (y, kk, vv) {
    y, kk, vv = Attention<is_causal = CAUSAL>(q, k, v, "", past_k, past_v)
}"""


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("batch", [1, 2])
def test_attention_appends_to_its_caches(causal, batch):
    text = ATTENTION.replace("CAUSAL", str(causal))
    made, plain = session(text), session(text, reference_only=True)
    k = v = want_k = want_v = numbers(batch, 2, 0, 8)
    places = set()
    for step in range(60):
        rows = 5 if step == 0 else 3 if step == 30 else 1
        feed = {n: numbers(batch, h, rows, 8, seed=step + h) for n, h in (("q", 4), ("k", 2), ("v", 2))}
        y, k, v = made.run(None, feed | {"past_k": k, "past_v": v}, donate=["past_k", "past_v"])
        want_y, want_k, want_v = plain.run(None, feed | {"past_k": want_k, "past_v": want_v})
        np.testing.assert_allclose(y, want_y, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(k, want_k)
        np.testing.assert_array_equal(v, want_v)
        places.add(reserve_of(k))
    assert len(places) < 12
    explained = made.explain(feed | {"past_k": k, "past_v": v}, donate=["past_k", "past_v"])
    assert explained.count("append in place") == 2


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize(("rows", "keys"), [(1, 1), (1, 2), (2, 1), (3, 3), (5, 2)])
def test_attention_counts_places_from_the_caches_on(causal, rows, keys):
    text = ATTENTION.replace("CAUSAL", str(causal)).replace("float[B, K, R, D]", "float[B, K, S, D]")
    made, plain = session(text), session(text, reference_only=True)
    for past in (0, 1, 7, 100):
        k, v = numbers(2, 2, past, 8, seed=5), numbers(2, 2, past, 8, seed=6)
        for step in range(3):
            feed = {n: numbers(2, h, r, 8, seed=step + r) for n, h, r in (("q", 4, rows), ("k", 2, keys), ("v", 2, keys))}
            want = plain.run(None, feed | {"past_k": k.copy(), "past_v": v.copy()})
            y, k, v = made.run(None, feed | {"past_k": k, "past_v": v}, donate=["past_k", "past_v"])
            for got, truth in zip((y, k, v), want, strict=True):
                np.testing.assert_allclose(got, truth, rtol=1e-4, atol=1e-5)


def test_what_was_there_before_stays():
    made = session(APPEND)
    caches = [numbers(2, 3, 4)]
    for step in range(50):
        (cache,) = made.run(None, {"past": caches[-1], "new": numbers(2, 1, 4, seed=step)}, donate=["past"])
        caches.append(cache)
    for shorter, longer in zip(caches, caches[1:], strict=False):
        np.testing.assert_array_equal(shorter, longer[:, : shorter.shape[1]])


def test_a_fork_of_a_cache_does_not_write_over_its_other_end():
    made = session(APPEND)
    (base,) = made.run(None, {"past": numbers(2, 3, 4), "new": numbers(2, 1, 4, seed=1)}, donate=["past"])
    ends = [made.run(None, {"past": base, "new": numbers(2, 2, 4, seed=s)}, donate=["past"])[0] for s in (2, 3, 4)]
    for seed, end in zip((2, 3, 4), ends, strict=True):
        np.testing.assert_array_equal(end[:, :4], base)
        np.testing.assert_array_equal(end[:, 4:], numbers(2, 2, 4, seed=seed))
    (longer,) = made.run(None, {"past": ends[0], "new": numbers(2, 1, 4, seed=9)}, donate=["past"])
    np.testing.assert_array_equal(longer[:, :6], ends[0])


def test_one_cache_fed_twice():
    both = session(
        """agraph (float[A, P, B] p, float[A, P, B] q, float[A, N, B] new) => (c, d) {
            c = Concat<axis = 1>(p, new) n = Neg(new) d = Concat<axis = 1>(q, n)
        }"""
    )
    (cache,) = session(APPEND).run(None, {"past": numbers(2, 3, 4), "new": numbers(2, 1, 4)}, donate=["past"])
    new = numbers(2, 1, 4, seed=5)
    for donate in (["p", "q"], ["q"], ["p"], []):
        c, d = both.run(None, {"p": cache, "q": cache, "new": new}, donate=donate)
        np.testing.assert_array_equal(c, np.concatenate([cache, new], 1))
        np.testing.assert_array_equal(d, np.concatenate([cache, -new], 1))


def test_one_cache_as_keys_and_as_values():
    text = """agraph (float[1, 2, 1, 8] q, float[1, 2, 1, 8] k, float[1, 2, 1, 8] v, float[1, 2, P, 8] past)
        => (y, keys, values) { y, keys, values = Attention(q, k, v, , past, past) }"""
    made, plain = session(text), session(text, reference_only=True)
    past = numbers(1, 2, 3, 8)
    for step in range(4):
        feeds = {name: numbers(1, 2, 1, 8, seed=10 * step + i) for i, name in enumerate("qkv")}
        want = plain.run(None, {**feeds, "past": past.copy()})
        got = made.run(None, {**feeds, "past": past}, donate=["past"])
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        past = got[1 + step % 2]


def test_an_output_is_placed_over_a_cache_with_room():
    made = session("""agraph (float[P, 4] past, float[1, 4] new) => (present, y) {
        present = Concat<axis = 0>(past, new) y = Neg(past) }""")
    past, new = numbers(3, 4), numbers(1, 4, seed=1)
    (past, _) = made.run(None, {"past": past, "new": new}, donate=["past"])  # has room from here on
    want = np.concatenate([past, new])
    present, y = made.run(None, {"past": past, "new": new}, donate=["past"], outputs={"y": past})
    assert (present == want).all()
    assert y is past and (y == -want[:-1]).all()


def test_a_cache_of_bools_is_appended_in_place():
    made = session("agraph (bool[A, P, B] past, bool[A, 1, B] new) => (cache) { cache = Concat<axis = 1>(past, new) }")
    cache = want = numbers(2, 20, 5) > 0
    places = []
    for step in range(8):
        new = numbers(2, 1, 5, seed=step) > 0
        want = np.concatenate([want, new], axis=1)
        (cache,) = made.run(None, {"past": cache, "new": new}, donate=["past"])
        assert (cache == want).all()
        places.append(reserve_of(cache))
    assert len(set(places)) <= 2
    cache.view(np.uint8)[1, 3, 2] = 2  # no bool: read as true
    (cache,) = made.run(None, {"past": cache, "new": new}, donate=["past"])
    want[1, 3, 2] = True
    assert (cache[:, :-1].view(np.uint8) == want).all()


def test_parts_and_copies_of_a_cache_are_feeds_like_others():
    made = session(APPEND)
    (cache,) = made.run(None, {"past": numbers(3, 8, 4), "new": numbers(3, 1, 4)}, donate=["past"])
    new = numbers(3, 1, 4, seed=7)
    kept = cache.copy()
    for past in (cache[:, :5], cache[1:], cache[:, ::2], cache.copy(), np.asfortranarray(cache), cache[::-1]):
        want = np.concatenate([past, new[: past.shape[0]]], 1)
        (got,) = made.run(None, {"past": past, "new": new[: past.shape[0]]}, donate=["past"])
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(cache, kept)


def test_a_changed_cache_is_read_as_it_is():
    made = session(APPEND)
    (cache,) = made.run(None, {"past": numbers(3, 8, 4), "new": numbers(3, 1, 4)}, donate=["past"])
    made.run(None, {"past": cache, "new": numbers(3, 1, 4)})
    cache[1, 2] = 7
    for donate in ([], ["past"]):
        (longer,) = made.run(None, {"past": cache, "new": numbers(3, 1, 4)}, donate=donate)
        np.testing.assert_array_equal(longer[:, :9], cache)


def test_a_cache_goes_to_another_model():
    (cache,) = session(APPEND).run(None, {"past": numbers(3, 8, 4), "new": numbers(3, 1, 4)}, donate=["past"])
    for text in ("y = Relu(x)", "y = Transpose<perm = [2, 0, 1]>(x)", "y = Reshape(x, s)", "y = ReduceSum(x)"):
        other = session(f"agraph (float[A, B, C] x) => (y) <int64[2] s = {{-1, 2}}> {{ {text} }}")
        for donate in ([], ["x"]):
            np.testing.assert_array_equal(
                other.run(None, {"x": cache}, donate=donate)[0], other.run(None, {"x": cache.copy()})[0]
            )


def test_a_cache_that_is_read_behind_a_late_size():
    made = session(
        """agraph (float[A, P, B] past, float[A, N, B] new) => (cache, n, m) {
            cache = Concat<axis = 1>(past, new) z = NonZero(cache) n = Shape(z) d = Gather(cache, i) m = ReduceSum(d)
        }""".replace("=> (cache, n, m)", "=> (cache, n, m) <int64[2] i = {0, 1}>")
    )
    cache = numbers(3, 2, 4)
    for step in range(30):
        past, new = cache.copy(), numbers(3, 1, 4, seed=step)
        cache, n, m = made.run(None, {"past": cache, "new": new}, donate=["past"])
        want = np.concatenate([past, new], 1)
        np.testing.assert_array_equal(cache, want)
        assert n.tolist() == [3, want.size]
        np.testing.assert_allclose(m.ravel()[0], want[:2].sum(), rtol=1e-4)


def test_an_output_lies_in_donated_memory():
    made = session(CHAIN)
    x = numbers(5000)
    want = -np.tanh(x)
    (y,) = made.run(None, {"x": x}, donate=["x"])
    np.testing.assert_allclose(y, want, rtol=1e-5)
    assert np.shares_memory(x, y) and np.array_equal(x, y)
    z = numbers(5000)
    (y,) = made.run(None, {"x": z})
    assert not np.shares_memory(z, y) and np.array_equal(z, numbers(5000))


def test_memory_that_others_read_is_left_alone():
    made = session("agraph (float[N] x, float[M] z) => (y, w) { y = Neg(x) w = Relu(z) }")
    whole = numbers(6000)
    for z in (whole, whole[:10], whole[4990:5010], whole[2000:3000]):
        x, kept = whole[:5000], whole.copy()
        y, w = made.run(None, {"x": x, "z": z}, donate=["x"])
        np.testing.assert_array_equal(whole, kept)
        np.testing.assert_array_equal(y, -kept[:5000])
        np.testing.assert_array_equal(w, np.maximum(z, 0))
    y, w = made.run(None, {"x": whole, "z": whole}, donate=["x", "z"])
    np.testing.assert_array_equal(whole, kept)
    # A place of an output in it.
    place = whole[1000:6000]
    want = -whole[:5000]
    y, _ = made.run(None, {"x": whole[:5000], "z": numbers(3)}, outputs={"y": place}, donate=["x"])
    assert y is place and np.array_equal(y, want)


def test_inputs_that_are_read_again_or_handed_out_are_not_written_to():
    texts = {
        "y = Neg(x) z = Relu(x)": lambda x: (-x, np.maximum(x, 0)),
        "y = Neg(x) z = Identity(x)": lambda x: (-x, x),
        "v = Reshape(x, s) y = Neg(v) z = Relu(v)": lambda x: (-x.reshape(-1, 1), np.maximum(x, 0).reshape(-1, 1)),
        "v = Reshape(x, s) y = Neg(v) z = Identity(v)": lambda x: (-x.reshape(-1, 1), x.reshape(-1, 1)),
        "y = Neg(x) t = Shape(y) z = Expand(x, t)": lambda x: (-x, x),
        "n = NonZero(x) y = Neg(x) z = Cast<to = 1>(n)": lambda x: (-x, np.nonzero(x)[0][None].astype(np.float32)),
    }
    for text, truth in texts.items():
        made = session(f"agraph (float[N] x) => (y, z) <int64[2] s = {{-1, 1}}> {{ {text} }}")
        for _ in range(2):
            x = numbers(3000)
            want = [np.array(w) for w in truth(x.copy())]
            for got, w in zip(made.run(None, {"x": x}, donate=["x"]), want, strict=True):
                np.testing.assert_array_equal(got, w, err_msg=text)


def test_a_branch_reads_what_is_donated():
    made = session(
        """agraph (float[N] x, bool c) => (y, z) {
            y = Neg(x)
            z = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Abs(x) }>
        }"""
    )
    for c in (True, False):
        x = numbers(3000)
        y, z = made.run(None, {"x": x.copy(), "c": np.array(c)}, donate=["x"])
        np.testing.assert_array_equal(y, -x)
        np.testing.assert_array_equal(z, np.maximum(x, 0) if c else np.abs(x))


def test_positions_are_written_into_a_donated_cache():
    made = session(WRITE)
    cache = numbers(2, 500, 16)
    for step in range(10):
        new, at = numbers(2, 3, 16, seed=step), np.array([step, 40 + 2 * step])
        want = cache.copy()
        for b in range(2):
            want[b, at[b] : at[b] + 3] = new[b]
        y, total = made.run(None, {"cache": cache, "new": new, "at": at}, donate=["cache"])
        np.testing.assert_array_equal(y, want)
        np.testing.assert_allclose(total.ravel()[0], want.sum(dtype=np.float64), rtol=1e-3, atol=0.1)
        assert np.shares_memory(y, cache)
        cache = y
    with pytest.raises(norn.RuntimeException):
        made.run(None, {"cache": cache, "new": new, "at": np.array([0, 499])}, donate=["cache"])
    np.testing.assert_array_equal(cache, want)  # refused before anything is written
    # The update is all of the cache, and lies in another's memory.
    new = numbers(2, 500, 16, seed=77)
    y, _ = made.run(None, {"cache": cache, "new": new, "at": np.array([0, 0])}, donate=["cache", "new"])
    np.testing.assert_array_equal(y, new)


def test_runs_that_fail_or_end_leave_room():
    made = session(
        """agraph (float[A, P, B] past, float[A, N, B] new, int64[1] i) => (cache, y) {
            cache = Concat<axis = 1>(past, new) y = Gather(cache, i)
        }"""
    )
    feed = {"past": numbers(2, 3, 4), "new": numbers(2, 1, 4), "i": np.array([0])}
    cache, _ = made.run(None, feed, donate=["past"])
    at = reserve_of(cache)
    for _ in range(3):
        with pytest.raises(norn.RuntimeException):
            made.run(None, feed | {"past": cache, "i": np.array([9])}, donate=["past"])
    longer, _ = made.run(None, feed | {"past": cache}, donate=["past"])
    assert reserve_of(longer) == at
    np.testing.assert_array_equal(longer, np.concatenate([cache, feed["new"]], 1))


def test_threads_that_donate_one_cache():
    made = session(APPEND)
    (cache,) = made.run(None, {"past": numbers(4, 50, 16), "new": numbers(4, 1, 16)}, donate=["past"])
    kept, wrong = cache.copy(), []

    def work(seed):
        new = numbers(4, 3, 16, seed=seed)
        want = np.concatenate([kept, new], 1)
        for _ in range(50):
            (got,) = made.run(None, {"past": cache, "new": new}, donate=["past"])
            if not np.array_equal(got, want):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and np.array_equal(cache, kept)


def test_explain_names_donated_memory():
    made = session(DECODE)
    feed = {"x": numbers(1, 2, 1, 8), "past_k": numbers(1, 2, 5, 8), "past_v": numbers(1, 2, 5, 8)}
    assert "append" not in made.explain(feed)
    explained = made.explanation(feed, donate=["past_k"])
    steps = [s for s in explained["steps"] if "donated" in s]
    assert [s["kernel"] for s in steps] == ["copy to where there is room", "append in place"]
    assert {s["donated"] for s in steps} == {"past_k"}
    _, k, v = made.run(None, feed, donate=["past_k", "past_v"])
    explained = made.explain(feed | {"past_k": k, "past_v": v}, donate=["past_k", "past_v"])
    assert explained.count("append in place") == 2 and "copy to where" not in explained
    assert 'in memory of the input "past_v" where that is donated' in explained
    assert 'in memory of the input "x"' in session(CHAIN).explain({"x": numbers(9)})


class Behind:
    """An object that hands out an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class BehindDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_what_cannot_be_donated():
    made = session(CHAIN)
    x = numbers(9)
    with pytest.raises(norn.InvalidArgument, match='no input "z"'):
        made.run(None, {"x": x}, donate=["z"])
    with pytest.raises(norn.InvalidArgument, match="list of str"):
        made.run(None, {"x": x}, donate="x")
    x.flags.writeable = False
    with pytest.raises(norn.InvalidArgument, match="read-only"):
        made.run(None, {"x": x}, donate=["x"])
    for behind in (Behind(x), BehindDLPack(x)):
        with pytest.raises(norn.InvalidArgument, match="read-only"):
            made.run(None, {"x": behind}, donate=["x"])
    for behind in (Behind(numbers(9)), BehindDLPack(numbers(9)), np.float32(2).reshape(1), [1.0, 2.0]):
        made.run(None, {"x": behind}, donate=["x"])
    with pytest.raises(norn.InvalidArgument, match="every value"):
        made.run("*", {"x": numbers(9)}, donate=["x"])
    weights = session("agraph (float[4] x, float[4] w) => (y) <float[4] w = {1, 2, 3, 4}> { y = Add(x, w) }")
    with pytest.raises(norn.InvalidArgument, match="not fed"):
        weights.run(None, {"x": numbers(4)}, donate=["w"])
    (y,) = weights.run(None, {"x": np.zeros(4, np.float32)}, donate=["x"])
    assert y.tolist() == [1, 2, 3, 4]


def test_memory_grows_by_the_cache_alone():
    made = session(APPEND)
    heads, size = 8, 256
    cache = np.zeros((heads, 1, size), np.float32)
    new = np.ones((heads, 1, size), np.float32)
    for _ in range(400):
        (cache,) = made.run(None, {"past": cache, "new": new}, donate=["past"])
    gc.collect()
    forget_peak()
    before = peak_bytes()
    for _ in range(1200):
        (cache,) = made.run(None, {"past": cache, "new": new}, donate=["past"])
    grown = peak_bytes() - before
    # The new room, and the one before while its elements are moved.
    assert grown < 3 * cache.nbytes


# What is appended is read behind a size that is only known when running, dense: by a kernel, by a late step, and by a
# loop whose length is only known then.
READ_LATER = {
    "kernel": "i = NonZero(m) j = Flatten<axis = 0>(i) y = Gather<axis = 1>(cache, j)",
    "late": "i = NonZero(m) j = Flatten<axis = 0>(i) c = Gather<axis = 1>(cache, j) s = Shape(c) d = NonZero(cache) "
    "e = Cast<to = 1>(d) y = ReduceSum<keepdims = 0>(e)",
    "loop": "i = NonZero(m) n = Size(i) z = ReduceSum<keepdims = 0>(cache) "
    "y = Loop(n, \"\", z) <body = b (int64 k, bool go, float v) => (bool on, float w) "
    "{ on = Identity(go) t = ReduceMax<keepdims = 0>(cache) w = Add(v, t) }>",
}


@pytest.mark.parametrize("reader", READ_LATER)
def test_a_cache_that_is_read_behind_a_late_size_keeps_its_room(reader):
    text = f"""agraph (float[2, P, 3] past, float[2, N, 3] new, float[K] m) => (cache, y) {{
        cache = Concat<axis = 1>(past, new) {READ_LATER[reader]}
    }}"""
    made, plain = session(text), session(text, reference_only=True)
    past = want = numbers(2, 1, 3)
    moves, before = 0, None
    for step in range(60):
        feeds = {"new": numbers(2, 1, 3, seed=step), "m": (np.arange(2) <= step % 2).astype(np.float32)}
        past, y = made.run(None, {"past": past, **feeds}, donate=["past"])
        want, want_y = plain.run(None, {"past": want, **feeds})
        np.testing.assert_array_equal(past, want)
        np.testing.assert_allclose(y, want_y, rtol=1e-5)
        moves, before = moves + (before not in (None, reserve_of(past))), reserve_of(past)
    assert moves <= 5


def test_a_cache_that_kernels_read_which_are_chosen_when_they_run():
    text = """agraph (float[2, P, 64] past, float[2, N, 64] new, int64[1] a, int64[1] b, int64 c, int64 zero)
        => (cache, part, sums, most) {
        cache = Concat<axis = 1>(past, new)
        s = Add(a, zero) e = Add(b, zero) ax = Add(c, zero) one = Constant<value_ints = [1]>() k = Add(one, zero)
        part = Slice(cache, s, e, one)
        sums = CumSum(cache, ax)
        most = ReduceMax<keepdims = 0>(cache, k)
    }"""
    made, plain = session(text), session(text, reference_only=True)
    past = want = numbers(2, 40, 64)
    moves, before = 0, None
    for step in range(60):
        feeds = {"new": numbers(2, 1, 64, seed=step), "a": np.array([step // 3]), "b": np.array([-1])}
        feeds |= {"c": np.array(step // 2 % 3), "zero": np.array(0)}
        past, *got = made.run(None, {"past": past, **feeds}, donate=["past"])
        want, *expected = plain.run(None, {"past": want, **feeds})
        np.testing.assert_array_equal(past, want)
        np.testing.assert_array_equal(got[0], expected[0])
        np.testing.assert_allclose(got[1], expected[1], rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(got[2], expected[2])
        moves, before = moves + (before not in (None, reserve_of(past))), reserve_of(past)
    assert moves <= 5


def test_copies_of_a_cache_leave_it_its_room():
    made = session(APPEND)
    past = numbers(2, 4, 3)
    past = made.run(None, {"past": past, "new": numbers(2, 1, 3)}, donate=["past"])[0]
    where = reserve_of(past)
    same = made.run(["cache", "cache"], {"past": past, "new": numbers(2, 1, 3)}, donate=["past"])
    np.testing.assert_array_equal(same[0], same[1])
    assert where in (reserve_of(same[0]), reserve_of(same[1]))
    kept = same[0] if reserve_of(same[0]) == where else same[1]
    assert reserve_of(made.run(None, {"past": kept, "new": numbers(2, 1, 3)}, donate=["past"])[0]) == where


# A loop that turns out to make no round gives what it began with.
NO_ROUND = """i = NonZero(m) n = Size(i) y = Loop(n, "", BEGIN) <body = b (int64 k, bool go, float[Q, R, S] v)
    => (bool on, float[Q, W, S] w) { on = Identity(go) w = Concat<axis = 1>(v, v) }>"""
BEGINS = {
    "cache": NO_ROUND.replace("BEGIN", "cache"),
    "past": NO_ROUND.replace("BEGIN", "past"),
    "reshaped": "s = Constant<value_ints = [1, -1, 3]>() r = Reshape(cache, s) " + NO_ROUND.replace("BEGIN", "r"),
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("begin", BEGINS)
def test_what_a_loop_hands_on_has_memory_of_its_own(begin, axis):
    made = session(f"""agraph (float[A, P, 3] past, float[B, N, 3] new, float[K] m) => (cache, y) {{
        cache = Concat<axis = {axis}>(past, new) {BEGINS[begin]}
    }}""")
    past = numbers(2, 200, 3)
    for step in range(6):
        new = numbers(*((1, 200, 3) if axis == 0 else (2, 1, 3)), seed=step)
        before, want = past.copy(), np.concatenate([past, new], axis)
        given_up = step % 3 < 2
        feeds = {"past": past, "new": new, "m": np.zeros(2, np.float32)}
        cache, y = made.run(None, feeds, donate=["past"] if given_up else [])
        np.testing.assert_array_equal(y.ravel(), (before if begin == "past" else want).ravel())
        y[...] = -1
        np.testing.assert_array_equal(cache, want)
        if not given_up:
            np.testing.assert_array_equal(past, before)
        past = cache


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize(
    "late",
    [
        """m0 = Mod(times, four) m = Add(m0, one)
        y = Loop(m, , k) <body = b (int64 i, bool c, float[] s) => (bool c2, float[] s2) {
            c2 = Identity(c) s2 = Concat<axis = 1>(s, v, w)
        }>""",
        """r = Mod(times, four) c = Less(r, one) y = If(c) <
            then_branch = t () => (float[] a) { a = Concat<axis = 0>(k, v, w) },
            else_branch = e () => (float[] b) { b = Concat<axis = 1>(k2, v2, w) }>""",
    ],
)
def test_caches_with_room_last_until_a_late_step_has_read_them(late, again):
    """What is copied for a late step, several caches here, must not lie where another of its operands does."""
    s = session(
        f"""agraph (float[3, P, 1] k, float[3, P, 1] v, float[3, P, 1] w, float[3, N, 1] n, int64 times)
            => (k2, v2, w2, y) {{
        k2 = Concat<axis = 1>(k, n) v2 = Concat<axis = 1>(v, n) w2 = Concat<axis = 1>(w, n)
        four = Constant<value = int64 {{4}}>() one = Constant<value = int64 {{1}}>()
        {late}
    }}"""
    )
    for past in (1, 3, 20):
        feeds = {name: numbers(3, past, 1, seed=i) for i, name in enumerate("kvw")}
        rest = {"n": numbers(3, 1, 1, seed=9), "times": np.array(2)}
        caches = s.run(["k2", "v2", "w2"], {**feeds, **rest}, donate=list("kvw"))
        dense = {name: np.ascontiguousarray(cache).copy() for name, cache in zip("kvw", caches, strict=True)}
        (wanted,) = s.run(["y"], {**dense, **rest})
        (got,) = s.run(
            ["y"], {**dict(zip("kvw", caches, strict=True)), **rest}, donate=list("kvw") if again else []
        )
        np.testing.assert_array_equal(got, wanted)
