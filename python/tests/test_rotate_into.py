"""rotate_into() against the same steps apart, in f64."""

import ml_dtypes
import numpy as np
import pytest

import posenc

random = np.random.default_rng(5)
UNIT = {np.float64: 2.0**-49, np.float32: 2.0**-22, np.float16: 2.0**-10, ml_dtypes.bfloat16: 2.0**-7}
ROPE = posenc.Rope(dim=12, layout="half", rotary_dim=8)


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).clip(-4, 4).astype(dtype)


def normed(x, gain, epsilon=1e-6, one_plus=False):
    x, gain = np.asarray(x, np.float64), np.asarray(gain, np.float64) + (1 if one_plus else 0)
    return x * gain / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


def close(got, want, dtype):
    # Below 32: a norm, two products and a sum, each rounded once, then the rounding of the store.
    assert np.abs(got.astype(np.float64) - want).max() <= 64 * UNIT[dtype]


@pytest.mark.parametrize("dtype", UNIT)
@pytest.mark.parametrize("kept", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("heads_first", [False, True])
def test_norm_turn_and_slots(dtype, kept, heads_first):
    q, k, v = (normal(2, 5, n, d, dtype=dtype) for n, d in ((3, 12), (2, 12), (2, 7)))
    gains = normal(12), normal(12)
    k_cache, v_cache = np.zeros((4, 3, 2, 12), kept), np.zeros((4, 3, 2, 7), kept)
    slots = [[3, 4, 5, -1, 0], [9, 10, 11, 2, 1]]
    at = random.integers(0, 900, (2, 5))
    given = [x.swapaxes(1, 2) for x in (q, k, v)] if heads_first else [q, k, v]
    out = ROPE.rotate_into(
        *given, at, k_cache=k_cache, v_cache=v_cache, slots=slots, q_norm=gains[0], k_norm=gains[1], epsilon=1e-3,
        one_plus=True, heads_first=heads_first,
    )  # fmt: skip
    turn = [ROPE.rotate(normed(x, g, 1e-3, True), positions=at, heads_first=False) for x, g in zip((q, k), gains)]
    assert out.dtype == dtype
    close(out.swapaxes(1, 2) if heads_first else out, turn[0], dtype)
    wider = max(UNIT[dtype], UNIT[kept])
    want_k, want_v = np.zeros((12, 2, 12)), np.zeros((12, 2, 7))
    for row, token in np.ndindex(2, 5):
        if slots[row][token] >= 0:
            want_k[slots[row][token]], want_v[slots[row][token]] = turn[1][row, token], v[row, token]
    assert np.abs(k_cache.reshape(12, 2, 12).astype(np.float64) - want_k).max() <= 64 * wider
    assert np.abs(v_cache.reshape(12, 2, 7).astype(np.float64) - want_v).max() <= 4 * wider
    assert not k_cache.reshape(12, 2, 12)[6:9].any()  # slots that nobody named


def test_block_tables_and_contiguous_caches_hold_the_same():
    q, k, v = (normal(2, 3, n, 12) for n in (4, 2, 2))
    at = np.array([[4, 5, 6], [0, 1, 2]])
    flat_k, flat_v = np.zeros((2, 8, 2, 12), np.float32), np.zeros((2, 8, 2, 12), np.float32)
    want = ROPE.rotate_into(q, k, v, at, k_cache=flat_k, v_cache=flat_v, heads_first=False)
    pages = np.zeros((7, 4, 2, 12), np.float32), np.zeros((7, 2, 4, 12), np.float32)
    table = np.array([[5, 0], [3, 6]], np.int32)
    got = ROPE.rotate_into(q, k, v, at, k_cache=pages[0], v_cache=pages[1].swapaxes(1, 2), block_table=table, heads_first=False)
    assert np.array_equal(got, want) and np.array_equal(got, ROPE.rotate(q, positions=at, heads_first=False))
    assert np.array_equal(pages[0][table].reshape(2, 8, 2, 12), flat_k)
    assert np.array_equal(pages[1].swapaxes(1, 2)[table].reshape(2, 8, 2, 12), flat_v) and flat_v.any()
    # Rows of the batch that are other sequences, and places apart from positions.
    moved = np.zeros((2, 8, 2, 12), np.float32)
    ROPE.rotate_into(q, k, positions=at, k_cache=moved, sequences=[[1] * 3, [0] * 3], cache_positions=at - [[4], [-1]], heads_first=False)
    assert np.array_equal(moved[1, :3], flat_k[0, 4:7]) and np.array_equal(moved[0, 1:4], flat_k[1, :3])


def test_what_is_returned():
    q, k, cache = normal(3, 2, 12), normal(3, 1, 12), np.zeros((1, 4, 1, 12), np.float32)
    turned, keys = ROPE.rotate(q, k)
    assert np.array_equal(ROPE.rotate_into(q, k, k_cache=cache), turned)
    assert np.array_equal(cache[0, :3], keys)
    both = ROPE.rotate_into(q, k, k_cache=cache, return_keys=True)
    assert np.array_equal(both[0], turned) and np.array_equal(both[1], keys)
    assert np.array_equal(ROPE.rotate_into(q, k)[1], keys)  # no cache: keys are nowhere else
    assert ROPE.rotate_into(None, k, k_cache=cache) is None
    before = k.copy()
    assert ROPE.rotate_into_(q, k, k_cache=cache) is q and np.array_equal(q, turned) and np.array_equal(k, before)
    assert ROPE.plan().rotate_into_(None, k) is k and np.array_equal(k, keys)


def frozen(x):
    x.flags.writeable = False
    return x


Q, K, PAGES = np.ones((3, 2, 12), np.float32), np.ones((3, 1, 12), np.float32), np.zeros((2, 4, 1, 12), np.float32)


@pytest.mark.parametrize(
    "wrong, kind, sentence",
    [
        (lambda: ROPE.rotate_into(None), ValueError, "expected q, k or both, got neither"),
        (lambda: ROPE.rotate_into([1.0]), TypeError, "got list"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES, slots=[0, 1]), ValueError, "slots"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES, slots=[0, 1, 99]), ValueError, "99"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES, slots=[0.5, 1, 2]), ValueError, "slots"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES, slots=[0, 1, 2], block_table=[[0]]), ValueError, "slots alone"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES, positions=9), ValueError, "places below 4, .* got 9"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=frozen(PAGES.copy())), ValueError, "read"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES[..., :8]), ValueError, "cache"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES[0]), ValueError, "cache"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=PAGES.astype(np.int32)), ValueError, "cache"),
        (lambda: ROPE.rotate_into(Q, K, k_cache=3), TypeError, "got int"),
        (lambda: ROPE.rotate_into(Q, K, v_cache=PAGES), ValueError, "expected v where there is a cache.v, got none"),
        (lambda: ROPE.rotate_into(Q, K, K[:2], v_cache=PAGES), ValueError, "expected v like"),
        (lambda: ROPE.rotate_into(Q, K, q_norm=np.ones(11, np.float32)), ValueError, r"norm.q as .* \[12\]"),
        (lambda: ROPE.rotate_into(Q, q_norm=np.ones(12, np.float32), epsilon=-1.0), ValueError, "epsilon"),
        (lambda: ROPE.rotate_into(Q, epsilon=float("nan")), ValueError, "epsilon"),
        (lambda: ROPE.rotate_into(Q, k_norm=np.ones(12, np.float32)), ValueError, "expected k where there is norm.k"),
        (lambda: ROPE.rotate_into_(Q, Q[:, :1], k_cache=Q[None, :, :1]), ValueError, "apart|share|overlap"),
    ],
)
def test_refused_with_a_sentence(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()
    assert not PAGES.any() and (Q == 1).all()


def test_nothing_to_do():
    empty, pages = np.zeros((0, 2, 12), np.float32), np.zeros((2, 4, 2, 12), np.float32)
    assert ROPE.rotate_into(empty, empty, k_cache=pages, slots=np.zeros(0, np.int64)).shape == (0, 2, 12)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("dtype", UNIT)
def test_polar_features(layout, dtype):
    x = (8 * random.standard_normal((3, 5))).astype(dtype)[:, ::-1]
    out = posenc.to_polar(x, layout)
    lengths = out[..., ::2] if layout == "interleaved" else out[..., :5]
    others = out[..., 1::2] if layout == "interleaved" else out[..., 5:]
    wide = x.astype(np.float64)
    # Lengths are below 64: one rounding, and an ulp of the logarithm.
    assert np.abs(lengths - np.logaddexp(0, wide)).max() <= 64 * UNIT[dtype] and not others.any()
    dout = normal(3, 10, dtype=dtype)
    told = dout[..., ::2] if layout == "interleaved" else dout[..., :5]
    slope = told.astype(np.float64) / (1 + np.exp(-wide))
    assert np.abs(posenc.to_polar_backward(x, dout, layout) - slope).max() <= 8 * UNIT[dtype]


def test_polar_refusals():
    x = np.ones((2, 4), np.float32)
    with pytest.raises(ValueError, match="expected layout half or interleaved"):
        posenc.to_polar(x, "interleaved-in-half-out")
    with pytest.raises(ValueError, match="did you mean 'half'"):
        posenc.to_polar(x, "halve")
    with pytest.raises(ValueError, match="twice as many features"):
        posenc.to_polar(x, out=np.ones((2, 6), np.float32))
    with pytest.raises(ValueError, match="expected x as f32"):
        posenc.to_polar(np.ones((2, 4), np.int32))
    with pytest.raises(TypeError, match="got list"):
        posenc.to_polar([1.0])
    with pytest.raises(TypeError, match="got float"):
        posenc.to_polar(1.0)
