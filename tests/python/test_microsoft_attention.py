"""The attention operators of com.microsoft beside a formula in numpy and ONNX Runtime."""

import numpy as np
import pytest
from microsoft import expect, node_model, norn_run

import norn

F32, F16, F64 = np.float32, np.float16, np.float64
B, S, N, H = 2, 3, 2, 4  # batch, length, heads, size of a head


def random(rng, *shape, dtype=F32):
    return rng.standard_normal(shape).astype(dtype)


def attention(q, k, v, bias, seen, scale=None, cap=0.0, sink=None):
    """[batch, heads, length, size]; `bias` and `seen` broadcast to the scores. The result, scores and shares."""
    q, k, v = (x.astype(F64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.einsum("bhsd,bhtd->bhst", q, k) * (scale or 1 / np.sqrt(q.shape[-1]))
    if cap:
        scores = cap * np.tanh(scores / cap)
    scores = np.where(seen, scores + bias, -np.inf)
    column = np.full((*scores.shape[:-1], 1), -np.inf) if sink is None else np.broadcast_to(
        np.asarray(sink, F64).reshape(-1, 1, 1), (*scores.shape[:-1], 1))
    beside = np.concatenate([scores, column], -1)
    shares = np.exp(beside - beside.max(-1, keepdims=True))
    shares = (shares / shares.sum(-1, keepdims=True))[..., :-1]
    y = np.einsum("bhst,bhtd->bhsd", shares, v)
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1), scores, shares


def heads_of(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def masks(rng, past):
    """name: the mask as the operator takes it, and which keys it shows of [batch, 1, length, total]."""
    total = S + past
    at = np.arange(total)
    ends, starts = rng.integers(total // 2 + 1, total + 1, B), rng.integers(0, 2, B)
    by_key, by_pair = rng.integers(0, 2, (B, total)), rng.integers(0, 2, (B, S, total))
    by_key[:, 0] = by_pair[..., 0] = 1
    square = rng.integers(0, 2, (B, 1, total + 2, total + 2))
    square[..., 0] = 1
    shown = {
        "none": (None, np.ones((1, 1, 1, total))),
        "ends": (ends, (at < ends[:, None])[:, None, None]),
        "ends and starts": (np.concatenate([ends, starts]),
                            ((at < ends[:, None]) & (at >= starts[:, None]))[:, None, None]),
        "lengths and offsets": (np.concatenate([ends, np.zeros(2 * B + 2)]), (at < ends[:, None])[:, None, None]),
        "keys": (by_key, by_key[:, None, None]),
        "pairs": (by_pair, by_pair[:, None]),
        "square": (square, square[:, :, past:total, :total]),
    }
    return {name: (None if m is None else m.astype(np.int32), s.astype(bool)) for name, (m, s) in shown.items()}


MASKS = list(masks(np.random.default_rng(0), 0))


def causal(length, total, before):
    return np.arange(total) <= np.arange(length)[:, None] + before


@pytest.mark.parametrize("past", [0, 2])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("one_way", [0, 1])
def test_masks(past, mask, one_way):
    rng = np.random.default_rng(1)
    total, hidden, depth = S + past, N * H, 6
    given, shown = masks(rng, past)[mask]
    seen = causal(S, total, past) if one_way else np.ones((S, total), bool)
    x, w, bias = random(rng, B, S, depth), random(rng, depth, 3 * hidden), random(rng, 3 * hidden)
    cache = random(rng, 2, B, N, past, H) if past else None
    attributes = {"num_heads": N, "unidirectional": one_way}

    def attended(projected, added, filtered=-10000.0):
        q, k, v = (heads_of(part, N) for part in np.split(projected, 3, -1))
        if past:
            k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
        y = attention(q, k, v, np.where(shown, 0, filtered) + added, seen)[0]
        return [y.astype(F32), np.stack([k, v]).astype(F32)]

    projected = x.astype(F64) @ w + bias
    for added in (None, random(rng, B, N, S, total), random(rng, 1, 1, S, total)):
        ort = mask != "square" and (not past or added is None)
        expect("Attention", [x, w, bias, given, cache, added], attended(projected, 0 if added is None else added), 2e-4,
               ort=ort, **attributes)
    expect("Attention", [x, w, bias, given, cache], attended(projected, 0, -5.0), 2e-4, ort=mask != "square",
           mask_filter_value=-5.0, **attributes)

    integers, weights = rng.integers(0, 255, x.shape).astype(np.uint8), rng.integers(-64, 64, w.shape).astype(np.int8)
    scales, zeros = (np.array(0.01, F32), np.array(0.02, F32)), (np.array(128, np.uint8), np.array(1, np.int8))
    wide = (integers.astype(F64) - 128) @ (weights.astype(F64) - 1) * 0.01 * 0.02 + bias
    expect("QAttention", [integers, weights, bias, *scales, given, *zeros, cache], attended(wide, 0), 2e-4,
           ort=mask != "square", **attributes)

    parts = [random(rng, B, S, hidden) for _ in range(3)]
    added = random(rng, 1, N, S, total)
    y, present = attended(np.concatenate(parts, -1).astype(F64) + bias, added)
    pasts = [None, None] if cache is None else list(cache)
    expect("MultiHeadAttention", [*parts, bias, given, added, *pasts], [y, present[0], present[1]], 2e-4,
           ort=mask not in ("square", "ends and starts"), **attributes)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_quantised_projection(kind):
    rng, hidden, depth = np.random.default_rng(2), N * H, 6
    x, w = rng.integers(0, 120, (B, S, depth)).astype(kind), rng.integers(0, 120, (depth, 3 * hidden)).astype(np.uint8)
    bias, scales = random(rng, 3 * hidden), np.abs(random(rng, 3 * hidden)) * 0.01
    zeros = rng.integers(50, 70, 3 * hidden).astype(np.uint8)
    seen = np.ones((S, S), bool)
    for zero, weight_zeros in ((60, zeros), (0, None)):
        wide = (x.astype(F64) - zero) @ (w.astype(F64) - (0 if weight_zeros is None else zeros)) * 0.01 * scales + bias
        y = attention(*(heads_of(part, N) for part in np.split(wide, 3, -1)), 0, seen, scale=0.7)[0].astype(F32)
        given = [x, w, bias, np.array(0.01, F32), scales, None, np.array(zero, kind) if zero else None, weight_zeros]
        expect("QAttention", given, [y], 5e-4, ort=kind == np.uint8 and zero > 0, num_heads=N, scale=0.7)


def test_hidden_sizes_and_buffers():
    rng, hidden, depth = np.random.default_rng(3), N * H, 6
    x, w, bias = random(rng, B, S, depth), random(rng, depth, 2 * hidden + 6), random(rng, 2 * hidden + 6)
    projected = x.astype(F64) @ w + bias
    q, k, v = (heads_of(p, N) for p in np.split(projected, [hidden, 2 * hidden], -1))
    y = attention(q, k, v, 0, np.ones((S, S), bool))[0].astype(F32)
    expect("Attention", [x, w, bias], [y], 1e-4, num_heads=N, qkv_hidden_sizes=[hidden, hidden, 6])

    w, bias, buffer = random(rng, depth, 3 * hidden), random(rng, 3 * hidden), random(rng, 2, B, N, 8, H)
    q, k, v = (heads_of(p, N) for p in np.split(x.astype(F64) @ w + bias, 3, -1))
    filled = buffer.copy()
    filled[:, :, :, 2 : 2 + S] = np.stack([k, v])
    y = attention(q, filled[0, :, :, : 2 + S], filled[1, :, :, : 2 + S], 0, causal(S, 2 + S, 2))[0].astype(F32)
    expect("Attention", [x, w, bias, None, buffer, None, np.array([2], np.int32)], [y, filled], 1e-4, ort=False,
           num_heads=N, unidirectional=1, past_present_share_buffer=1)

    parts = [random(rng, B, 1, hidden) for _ in range(3)]
    q, k, v = (heads_of(p, N) for p in parts)
    filled = buffer.copy()
    filled[:, :, :, 3:4] = np.stack([k, v])
    y = attention(q, filled[0, :, :, :4], filled[1, :, :, :4], 0, np.ones((1, 4), bool))[0].astype(F32)
    expect("MultiHeadAttention", [*parts, None, None, None, *buffer, np.array([3], np.int32)],
           [y, filled[0], filled[1]], 1e-4, num_heads=N)


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("dtype", [F32, F16])
def test_layouts_of_queries_keys_and_values(biased, dtype):
    rng, hidden, length = np.random.default_rng(4), N * H, 5
    bias = random(rng, 3 * hidden, dtype=dtype) if biased else None
    tolerance = 1e-4 if dtype == F32 else 1e-2

    def attended(q, k, v, add=(1, 1, 1)):
        parts = []
        for i, part in enumerate((q, k, v)):
            b = bias[i * hidden : (i + 1) * hidden] if biased and add[i] else 0
            parts.append(heads_of(part.reshape(*part.shape[:2], -1).astype(F64) + b, N))
        seen = np.ones((q.shape[1], k.shape[1]), bool)
        return [attention(*parts, 0, seen)[0].astype(dtype)]

    q, k, v = (random(rng, B, n, hidden, dtype=dtype) for n in (S, length, length))
    expect("MultiHeadAttention", [q, k, v, bias], attended(q, k, v), tolerance, num_heads=N)
    packed = random(rng, B, S, N, 3, H, dtype=dtype)
    wanted = attended(*(np.ascontiguousarray(packed[:, :, :, i]) for i in range(3)))
    expect("MultiHeadAttention", [packed, None, None, bias], wanted, tolerance, ort=False, num_heads=N)
    packed = random(rng, B, length, N, 2, H, dtype=dtype)
    wanted = attended(q, *(np.ascontiguousarray(packed[:, :, :, i]) for i in range(2)))
    expect("MultiHeadAttention", [q, packed, None, bias], wanted, tolerance, ort=False, num_heads=N)
    # Keys and values by heads are projected already.
    wanted = attended(q, k, v, (1, 0, 0))
    by_heads = [np.ascontiguousarray(heads_of(x, N)) for x in (k, v)]
    expect("MultiHeadAttention", [q, *by_heads, bias], wanted, tolerance, num_heads=N)
    values = random(rng, B, length, 6, dtype=dtype)
    if not biased:
        y = attention(heads_of(q, N), heads_of(k, N), heads_of(values, N), 0, np.ones((S, length), bool), scale=0.3)
        expect("MultiHeadAttention", [q, k, values], [y[0].astype(dtype)], tolerance, num_heads=N, scale=0.3)


def test_scores_and_a_mask_of_new_keys():
    rng, hidden, past = np.random.default_rng(5), N * H, 2
    parts = [random(rng, B, S, hidden) for _ in range(3)]
    cache = [random(rng, B, N, past, H) for _ in range(2)]
    q, k, v = (heads_of(p, N) for p in parts)
    k, v = np.concatenate([cache[0], k], 2), np.concatenate([cache[1], v], 2)
    mask = np.array([[1, 0, 1], [0, 1, 1]], np.int32)
    bias = np.where(np.pad(mask, ((0, 0), (past, 0)), constant_values=1), 0, -10000.0)[:, None, None]
    y, scores, _ = attention(q, k, v, bias, np.ones((S, S + past), bool))
    expect("MultiHeadAttention", [*parts, None, mask, None, *cache],
           [y.astype(F32), k.astype(F32), v.astype(F32), scores.astype(F32)], 1e-4, ort=False, num_heads=N)
    # Where queries see what is before them only, so does the last; ONNX Runtime shows it all keys of another sequence.
    longer = [parts[0], *(random(rng, B, 5, hidden) for _ in range(2))]
    y = attention(*(heads_of(p, N) for p in longer), 0, causal(S, 5, 0))[0].astype(F32)
    expect("MultiHeadAttention", longer, [y], 1e-4, ort=False, num_heads=N, unidirectional=1)


def turned(x, cos, sin, positions, interleaved):
    """x [batch, heads, length, size] by the angles at positions [batch, length]."""
    c, s = (t.astype(F64)[positions][:, None] for t in (cos, sin))
    half, y = cos.shape[1], x.copy()
    first = slice(0, 2 * half, 2) if interleaved else slice(0, half)
    second = slice(1, 2 * half, 2) if interleaved else slice(half, 2 * half)
    y[..., first] = x[..., first] * c - x[..., second] * s
    y[..., second] = x[..., second] * c + x[..., first] * s
    return y


# batch, new tokens, tokens of each sequence with them, length of the cache (None: there is none)
STEPS = {
    "prompt": (2, 5, [5, 3], None),
    "prompt into a buffer": (2, 5, [5, 3], 9),
    "prompt with an empty cache": (2, 5, [5, 4], 0),
    "token": (2, 1, [6, 4], 5),
    "token into a buffer": (2, 1, [6, 4], 10),
    "tokens": (1, 3, [7], 4),
    "tokens into a buffer": (1, 3, [7], 12),
}
HEADS, KV, SIZE = 4, 2, 16


def group_query(step, rng, dtype=F32, packed=False, rotary=None, interleaved=0, positions=None, sink=None, bias=None,
                norms=None, heads=(HEADS, KV), ort=True, stage=0, **attributes):
    batch, length, counts, capacity = STEPS[step]
    counts, total, (many, few) = np.array(counts), max(counts), heads
    q, k, v = (random(rng, batch, length, n * SIZE, dtype=dtype) for n in (many, few, few))
    cache = [None, None] if capacity is None else [random(rng, batch, few, capacity, SIZE, dtype=dtype) for _ in range(2)]
    before = np.maximum(counts - length, 0)
    wide = [heads_of(x.astype(F64), n) for x, n in ((q, many), (k, few), (v, few))]
    if norms:
        for i, w in enumerate(norms):
            root = np.sqrt((wide[i] ** 2).mean(-1, keepdims=True) + 1e-6)
            wide[i] = wide[i] / root * w
    cos = sin = None
    if rotary:
        angles = rng.uniform(-3, 3, (64, rotary // 2))
        cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
        at = before[:, None] + np.arange(length)
        if positions is not None:
            at = positions[0, 0] + np.arange(length)[None] + 0 * at if length == total else positions
        wide[:2] = [turned(x, cos, sin, at, interleaved) for x in wide[:2]]
    present = np.zeros((2, batch, few, max(capacity or 0, total), SIZE))
    for i in range(2):
        if capacity:
            present[i, :, :, :capacity] = cache[i]
        for b in range(batch):
            present[i, b, :, before[b] : before[b] + length] = wide[1 + i][b]
    keys = np.arange(total)
    own = before[:, None, None, None] + np.arange(length)[:, None]
    window = attributes.get("local_window_size", -1)
    seen = keys <= own if attributes.get("causal", 1) else keys < counts[:, None, None, None] + 0 * own
    if window > 0:
        seen = seen & (keys > own - window)
    if attributes.get("smooth_softmax") == 1:
        sink_value = np.zeros(many)
    else:
        sink_value = sink
    y, scores, shares = attention(wide[0], present[0][:, :, :total], present[1][:, :, :total], 0 if bias is None else bias,
                                  seen, attributes.get("scale"), attributes.get("softcap", 0), sink_value)
    inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
    inputs += [*cache, (counts - 1).astype(np.int32), np.array(total, np.int32), cos, sin, positions, bias, sink]
    if norms:
        inputs += [None, None, *norms]
    attributes.update(num_heads=many, kv_num_heads=few)
    if rotary:
        attributes.update(do_rotary=1, rotary_interleaved=interleaved)

    def mask(i, x):
        """Tokens that are not there, and what nothing sees."""
        x = np.where(np.isfinite(x) & (np.abs(x.astype(F64)) < 1e4), x, 0).astype(x.dtype)
        for b in range(batch):
            if i in (1, 2):
                x[b, :, counts[b] :] = 0
            elif length == total:
                x[(b, slice(None), slice(counts[b], None)) if i == 3 else (b, slice(counts[b], None))] = 0
        return np.where(np.broadcast_to(seen, x.shape), x, 0).astype(x.dtype) if i == 3 else x

    wanted = [y.astype(dtype), *present.astype(dtype)]
    if stage:
        wanted.append((scores if stage == 1 else shares).astype(dtype))
        attributes["qk_output"] = stage
    constants = (7, 8) if rotary else ()
    expect("GroupQueryAttention", inputs, wanted, constants=constants, tolerance=1e-4 if dtype == F32 else 2e-2, mask=mask, ort=ort, **attributes)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize(("packed", "rotary"), [(False, None), (True, 0), (False, 1), (True, 1)])
def test_group_query_attention(step, dtype, packed, rotary):
    rng = np.random.default_rng(6)
    turn = {} if rotary is None else {"rotary": SIZE, "interleaved": rotary}
    for attributes in ({}, {"local_window_size": 2}, {"softcap": 1.5}, {"scale": 0.3}, {"smooth_softmax": 1},
                       {"sink": random(rng, HEADS, dtype=dtype)}):
        group_query(step, rng, dtype, packed, **turn, **attributes)


@pytest.mark.parametrize("step", STEPS)
def test_group_query_attention_in_detail(step):
    rng = np.random.default_rng(7)
    batch, length, counts, _ = STEPS[step]
    total = max(counts)
    for shape in ((batch, HEADS, length, total), (1, 1, length, total)):
        group_query(step, rng, bias=random(rng, *shape), softcap=2.0, local_window_size=3)
    for heads in ((3, 3), (4, 1), (6, 2)):
        group_query(step, rng, heads=heads)
    group_query(step, rng, rotary=8, ort=False)  # half of each head
    positions = rng.integers(0, 50, (batch, length))
    group_query(step, rng, rotary=SIZE, positions=positions)
    norms = [random(rng, SIZE), random(rng, SIZE)]
    group_query(step, rng, norms=norms, rotary=SIZE, ort=False)
    for stage in (1, 2):
        group_query(step, rng, stage=stage)
        group_query(step, rng, stage=stage, smooth_softmax=1, softcap=1.5)
    group_query(step, rng, causal=0)


def test_refusals():
    rng, hidden = np.random.default_rng(8), N * H
    x = random(rng, B, S, hidden)

    def refused(match, op, inputs, kind=norn.NotImplemented, **attributes):
        with pytest.raises(kind, match=match):
            norn_run(op, inputs, **attributes)

    w, bias = random(rng, hidden, 3 * hidden), random(rng, 3 * hidden)
    refused("do_rotary", "Attention", [x, w, bias], num_heads=N, do_rotary=1)
    refused("past_present_share_buffer", "Attention", [x, w, bias], num_heads=N, past_present_share_buffer=1)
    refused("num_heads is 0", "Attention", [x, w, bias], norn.Error, num_heads=0)
    refused("qkv_hidden_sizes", "Attention", [x, w, bias], norn.Error, num_heads=N, qkv_hidden_sizes=[1])
    mha = [x, x, x]
    refused("cache_indirection", "MultiHeadAttention", [*mha, *[None] * 6, np.zeros((2, 1, 1), np.int32)], num_heads=N)
    refused("value", "MultiHeadAttention", [x, x], norn.Error, num_heads=N)
    refused("key", "MultiHeadAttention", [x], norn.Error, num_heads=N)
    refused("come together", "MultiHeadAttention", [*mha, None, None, None, random(rng, B, N, 2, H)], norn.Error,
            num_heads=N)
    for mask in (np.ones((B, S - 1)), np.ones((B, S + 1)), np.ones((B, S, S - 1)), np.ones(B + 1), np.ones((1, 1, 1, 1, 1))):
        with pytest.raises(norn.Error):
            norn_run("MultiHeadAttention", [*mha, None, mask.astype(np.int32)], num_heads=N)
    with pytest.raises(norn.Error):
        norn_run("MultiHeadAttention", [*mha, None, None, random(rng, 1, 1, S, S - 1)], num_heads=N)
    ends, total = np.array([2, 2], np.int32), np.array(3, np.int32)

    def group(match, kind=norn.NotImplemented, cache=None, **attributes):
        refused(match, "GroupQueryAttention", [*mha, cache, cache, ends, total], kind,
                **{"num_heads": N, "kv_num_heads": N, **attributes})

    group("k_quant_type", k_quant_type="PER_TENSOR")
    group("quantised caches", cache=np.zeros((B, N, 2, H), np.int8))
    group("sliding_window_cache", sliding_window_cache=1, local_window_size=2)
    group("local_window_size is 0", local_window_size=0)
    group("causal", norn.Error, local_window_size=2, causal=0)
    group("cos_cache", norn.Error, do_rotary=1)
    group("kv_num_heads", norn.Error, kv_num_heads=-1)
    group("kv_num_heads", norn.Error, num_heads=3)
    group("qk_output", norn.Error, qk_output=3)
    # A total that would hide tokens: of those given, and of a cache of four.
    for last, tokens, kept in ((2, 2, None), (5, 3, None), (6, 6, 4), (6, 0, 4), (6, -4, 4)):
        cache = None if kept is None else random(rng, B, N, kept, H)
        with pytest.raises(norn.Error):
            norn_run("GroupQueryAttention",
                     [*mha, cache, cache, np.full(B, last, np.int32), np.array(tokens, np.int32)],
                     num_heads=N, kv_num_heads=N)
    # Columns that are only known to be no three parts when they come.
    for columns in (3 * hidden + 1, 3 * hidden + 2):
        open_model, feeds = node_model("Attention", [x, random(rng, hidden, columns)], ["y"], num_heads=N, symbolic=True)
        with pytest.raises(norn.Error, match="Attention asks for columns of weights for three parts"):
            norn.InferenceSession(open_model).run(None, feeds)
    model, _ = node_model("GroupQueryAttention", [*mha, None, None, ends, total], ["y"], num_heads=N, kv_num_heads=N,
                          symbolic=True)
    (y,) = norn.infer_shapes(model).graph.output
    assert len(y.type.tensor_type.shape.dim) == 3
