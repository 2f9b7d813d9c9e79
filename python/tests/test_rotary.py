"""Turns against complex numbers in f64."""

import ml_dtypes
import numpy as np
import pytest

import posenc

random = np.random.default_rng(1)
ULP = {np.float64: 2.0**-49, np.float32: 2.0**-23, np.float16: 2.0**-10, ml_dtypes.bfloat16: 2.0**-7}


def turned(x, positions, layout, base=10000.0):
    """x: [..., tokens, heads, dim]"""
    x = np.asarray(x, np.float64)
    dim = x.shape[-1]
    angles = np.asarray(positions)[..., None, None] * base ** (-np.arange(0, dim, 2) / dim)
    a, b = (x[..., : dim // 2], x[..., dim // 2 :]) if layout == "half" else (x[..., ::2], x[..., 1::2])
    z = (a + 1j * b) * np.exp(1j * angles)
    return np.concatenate([z.real, z.imag], -1) if layout == "half" else np.stack([z.real, z.imag], -1).reshape(x.shape)


@pytest.mark.parametrize("dtype", ULP)
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rotate(dtype, layout):
    rope = posenc.Rope(dim=20, layout=layout)
    q = random.standard_normal((2, 7, 3, 20)).clip(-4, 4).astype(dtype)
    k = random.standard_normal((2, 7, 1, 20)).clip(-4, 4).astype(dtype)
    at = np.arange(5, 12)
    q_out, k_out = rope.rotate(q, k, 5, heads_first=False)
    for x, out in ((q, q_out), (k, k_out)):
        # |x| < 8: three roundings of numbers below 8, each half a unit in the last place.
        assert np.abs(out.astype(np.float64) - turned(x, at, layout)).max() <= 8 * ULP[dtype]
    assert np.array_equal(rope.rotate(q, positions=at, heads_first=False), q_out)
    assert np.array_equal(rope.rotate(None, k, at, heads_first=False), k_out)
    same = rope.rotate_(q, k, at, heads_first=False)
    assert same[0] is q and same[1] is k and np.array_equal(q, q_out) and np.array_equal(k, k_out)


def test_heads_first_and_positions_of_rows():
    rope = posenc.Rope(dim=8, layout="half")
    x = random.standard_normal((2, 3, 5, 8)).astype(np.float32)  # [batch, heads, tokens, dim]
    ids = random.integers(0, 4000, (2, 5))
    want = rope.rotate(np.ascontiguousarray(x.swapaxes(1, 2)), positions=ids, heads_first=False).swapaxes(1, 2)
    assert np.array_equal(rope.rotate(x, positions=ids, heads_first=True), want)
    assert np.array_equal(rope.rotate_(x, positions=ids.astype(np.int32), heads_first=True), want)
    with pytest.raises(ValueError, match="heads, tokens, dim"):
        rope.rotate_(x[0, 0], heads_first=True)


def test_the_axis_of_tokens_beside_batches_must_be_told():
    rope, x, cos = posenc.Rope(dim=8, layout="half"), np.ones((2, 3, 5, 8), np.float32), np.ones((5, 4), np.float32)
    learned = posenc.Rope(dim=8, layout="half", frequencies="learned")
    plan, learned = rope.plan(), learned.plan(learned.initial_weights())
    for verb, call in (
        ("rotate", lambda: rope.rotate_(x)), ("rotate", lambda: rope.rotate(x, x)), ("rotate", lambda: plan.rotate(None, x)),
        ("rotate_inverse", lambda: rope.rotate_inverse(x)), ("rotate_adjoint", lambda: rope.rotate_adjoint(x)),
        ("move", lambda: rope.move_(x, 1, 2)), ("rotate_into", lambda: rope.rotate_into(x)),
        ("rotate_into", lambda: rope.rotate_into_(x)), ("rotate_by", lambda: posenc.rotate_by(cos, cos, "half", x)),
        ("backward", lambda: learned.backward(x, None, x, None)),
    ):  # fmt: skip
        told = rf"^\[{verb}\] expected heads_first=False for .* got neither for 4 axes: it cannot be guessed"
        with pytest.raises(ValueError, match=told):
            call()
    assert (x == 1).all()


def test_inverse_and_adjoint():
    rope = posenc.Rope("gpt-oss").plan()  # a length rule with a magnitude
    assert rope.cos_sin_factor > 1
    x, y = (random.standard_normal((4, 2, 64)) for _ in range(2))
    assert np.abs(rope.rotate_inverse(rope.rotate(x, positions=99), positions=99) - x).max() < 2.0**-48
    # <y, R x> = <R' y, x>
    left, right = (y * rope.rotate(x, positions=9)).sum(), (rope.rotate_adjoint(y, positions=9) * x).sum()
    assert abs(left - right) < 512 * 2.0**-49


def test_cos_sin_and_rotate_by():
    rope = posenc.Rope(dim=12, layout="interleaved")
    cos, sin = rope.cos_sin(9, np.float64)
    angles = np.arange(9)[:, None] * 10000.0 ** (-np.arange(0, 12, 2) / 12)
    assert np.abs(cos - np.cos(angles)).max() < 2.0**-48 and np.abs(sin - np.sin(angles)).max() < 2.0**-48
    assert np.allclose(rope.inv_freq, 10000.0 ** (-np.arange(0, 12, 2) / 12), rtol=2.0**-50)
    q = random.standard_normal((9, 2, 12))
    assert np.abs(posenc.rotate_by(cos, sin, "interleaved", q.copy()) - rope.rotate(q)).max() < 2.0**-48


def test_move():
    rope = posenc.Rope(dim=8, layout="half")
    longer = posenc.Rope(dim=8, layout="half", scaling=posenc.Linear(factor=4)).plan()
    k = random.standard_normal((6, 2, 8))
    cached = rope.rotate(k, positions=10)
    assert np.abs(rope.move_(cached.copy(), was=10, now=3) - rope.rotate(k, positions=3)).max() < 2.0**-47
    assert np.abs(rope.move_(cached.copy(), 10, 10, to=longer) - longer.rotate(k, positions=10)).max() < 2.0**-47


def test_length_rules_ask_for_the_length():
    rope = posenc.Rope(dim=8, layout="half", scaling=posenc.DynamicNtk(factor=2, max_position_embeddings=16))
    short, long = rope.plan(length=16), rope.plan(length=64)
    assert not np.array_equal(short.inv_freq, long.inv_freq)
    assert long.max_length >= 64
    with pytest.raises(ValueError, match="length"):
        long.rotate_(np.zeros((1, 1, 8), np.float32), positions=int(long.max_length))


def test_learned_frequencies_gradient_by_differences():
    scheme = posenc.Rope(dim=4, layout="half", frequencies=posenc.LearnedFrequencies(heads=1, axes=2))
    weight = random.standard_normal(scheme.weights["frequency"])
    at = random.integers(0, 4, (2, 1, 3))
    x, dy = (random.standard_normal((3, 2, 4)) for _ in range(2))
    told = scheme.plan([weight]).backward(x, None, dy, None, at)["frequency"]
    step = 2.0**-17
    for i in np.ndindex(*weight.shape):
        change = np.zeros_like(weight)
        change[i] = step
        up, down = (scheme.plan([weight + d]).rotate(x, positions=at) for d in (change, -change))
        # Third derivatives are below 3^3 * 12 * 4: the error is below 1e-7, rounding below 1e-8.
        assert abs(((up - down) * dy).sum() / (2 * step) - told[i]) < 1e-6


LEARNED = {
    "frequency": {"frequencies": {"type": "learned", "heads": 2, "axes": 1}},
    "coefficient": {"frequencies": {"type": "fourier", "heads": 2, "max_position_embeddings": 40}},
    "phase": {"phases": {"type": "learned", "heads": 2}},
}


@pytest.mark.parametrize("name", LEARNED)
def test_rows_and_gradients_of_heads(name):
    scheme = posenc.Rope(dim=8, layout="half", **LEARNED[name])
    plan = scheme.plan([-random.random(scheme.weights[name])])
    k, dy = (random.standard_normal((5, 2, 8)) for _ in range(2))
    cos, sin = plan.cos_sin(5, np.float64)
    assert cos.shape == sin.shape == (5, 2, 4)
    a, b = k[..., :4], k[..., 4:]
    # Two products of numbers below 8 and their sum.
    assert np.abs(plan.rotate(None, k) - np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)).max() < 2.0**-47
    assert plan.backward(None, k, None, dy)[name].shape == tuple(scheme.weights[name])
    with pytest.raises(ValueError, match="phases or coefficients, got none"):
        posenc.Rope(dim=8, layout="half").backward(None, k, None, dy)


def test_convert_layout_keeps_scores():
    heads, dim, inputs = 2, 8, 5
    w_q, w_k = (random.standard_normal((heads * dim, inputs)) for _ in range(2))
    x = random.standard_normal((6, inputs))

    def scores(wq, wk, layout):
        rope = posenc.Rope(dim=dim, layout=layout)
        q, k = rope.rotate(*((x @ w.T).reshape(6, heads, dim) for w in (wq, wk)))
        return np.einsum("qhd,khd->hqk", q, k)

    moved = [posenc.convert_layout(w, "half", "interleaved", heads=heads, dim=dim) for w in (w_q, w_k)]
    assert not np.array_equal(moved[0], w_q)
    assert np.abs(scores(w_q, w_k, "half") - scores(*moved, "interleaved")).max() < 1e-12
