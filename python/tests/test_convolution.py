"""Convolutions against sums over neighbours, written out."""

import math
import pickle

import ml_dtypes
import numpy as np
import pytest

import posenc

random = np.random.default_rng(7)
UNIT = {np.float64: 2.0**-46, np.float32: 2.0**-18, np.float16: 2.0**-9, ml_dtypes.bfloat16: 2.0**-6}
CASES = {
    "wav2vec2": (posenc.Convolution(dim=6, kernel=4, groups=2), None),
    "data2vec": (posenc.Convolution("data2vec-audio", dim=6, kernel=3, groups=3, layers=2), None),
    "peg": (posenc.Convolution("peg", dim=5, groups=5), (2, 4)),
    "cpvt": (posenc.Convolution("cpvt", dim=6, groups=6, kernel=5), (4, 2)),
    "grid normed": (posenc.Convolution(dim=4, groups=1, kernel=2, coordinates=2), (2, 4)),
}


def gelu(x):
    return np.vectorize(lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))(x)


def kernels(scheme, weights):
    """The kernel [out, in of the group, rows, columns] and the bias of each layer."""
    values = [np.asarray(w, np.float64) for w in weights.values()]
    while values:
        if scheme.weight_norm:
            g, v = values.pop(0), values.pop(0)
            kernel = g * v / np.sqrt((v * v).sum((0, 1), keepdims=True))
        else:
            kernel = values.pop(0)
        yield kernel if scheme.coordinates == 2 else kernel[:, :, None], values.pop(0)


def convolved(x, kernel, bias, groups):
    """x: [batch, height, width, dim]"""
    out = np.zeros_like(x) + bias
    each, (tall, wide) = x.shape[-1] // groups, kernel.shape[2:]
    for y, z, dy, dz in np.ndindex(*x.shape[1:3], tall, wide):
        a, b = y + dy - tall // 2, z + dz - wide // 2
        if 0 <= a < x.shape[1] and 0 <= b < x.shape[2]:
            for c in range(x.shape[-1]):
                first = c // each * each
                out[:, y, z, c] += x[:, a, b, first : first + each] @ kernel[c, :, dy, dz]
    return out


def wanted(scheme, weights, x, grid, add_input=True):
    x = np.asarray(x, np.float64)
    prefix, patches = x[:, : scheme.prefix], x[:, scheme.prefix :]
    y = patches.reshape(len(x), *(grid or (1, patches.shape[1])), -1)
    for kernel, bias in kernels(scheme, weights):
        y = convolved(y, kernel, bias, scheme.groups)
        if scheme.layer_norm:
            mean = y.mean(-1, keepdims=True)
            y = (y - mean) / np.sqrt(((y - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
        y = gelu(y) if scheme.activation == "gelu" else y
    y = y.reshape(patches.shape)
    return np.concatenate([prefix if add_input else 0 * prefix, y + patches if add_input else y], 1)


def weights_of(scheme, dtype=np.float64):
    return {name: random.standard_normal(shape).astype(dtype) for name, shape in scheme.weights.items()}


def inputs(scheme, dtype=np.float64):
    return random.standard_normal((2, 8 + scheme.prefix, scheme.dim)).clip(-3, 3).astype(dtype)


@pytest.mark.parametrize("dtype", UNIT)
@pytest.mark.parametrize("case", CASES)
def test_convolve(case, dtype):
    scheme, grid = CASES[case]
    weights, x = weights_of(scheme, np.float32), inputs(scheme, dtype)[:, ::-1]
    plan = scheme.plan(weights)
    for add_input in (True, False):
        want = wanted(scheme, weights, x, grid, add_input)
        out = plan.convolve(x, grid=grid, add_input=add_input)
        # Sums of up to 25 products below 12, then layers that shrink what is off; one rounding at the end.
        assert out.dtype == dtype and np.abs(out.astype(np.float64) - want).max() <= 16 * UNIT[dtype]
    assert plan.convolve_(x, grid=grid, add_input=False) is x
    np.testing.assert_array_equal(x, out)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("add_input", [True, False])
def test_gradients_by_differences(case, add_input):
    scheme, grid = CASES[case]
    weights, x = weights_of(scheme), inputs(scheme)
    dout = random.standard_normal(x.shape)
    told = scheme.plan(weights).backward(x, dout, grid=grid, add_input=add_input)
    assert list(told) == ["x", *scheme.weights]

    def loss(changed):
        given = {**weights, **{k: v for k, v in changed.items() if k != "x"}}
        made = scheme.plan(given).convolve(changed.get("x", x), grid=grid, add_input=add_input)
        return (made * dout).sum()

    step = 2.0**-14
    for name, value in {"x": x, **weights}.items():
        way = random.standard_normal(value.shape)
        slope = (loss({name: value + step * way}) - loss({name: value - step * way})) / (2 * step)
        # Third derivatives are below 1e4, times a square of 4e-9 over 6; rounding is below 1e-9.
        assert abs(slope - (told[name] * way).sum()) < 1e-4 * max(1, abs(slope)), name


def test_it_is_a_scheme_like_others():
    scheme = posenc.Convolution("cpvt", kernel=5)
    assert repr(scheme) == repr(eval(repr(scheme), vars(posenc).copy()))
    assert pickle.loads(pickle.dumps(scheme)) == scheme == posenc.scheme("convolution", "cpvt", kernel=5)
    assert "convolution" in [about["name"] for about in posenc.schemes()]
    assert scheme.family == "convolution" and scheme.prefix == 1
    assert "tokens that the kernel covers" in posenc.Convolution.__doc__


LINE, GRID = (CASES[case][0].plan(CASES[case][0].initial_weights()) for case in ("wav2vec2", "cpvt"))
ONES = np.ones((1, 9, 6), np.float32)


def frozen():
    x = ONES.copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "wrong, kind, sentence",
    [
        (lambda: posenc.Convolution(dims=3), TypeError, "did you mean 'dim'"),
        (lambda: posenc.Convolution("wav2vec"), ValueError, "did you mean 'wav2vec2'"),
        (lambda: posenc.Convolution(dim=6, groups=4), ValueError, "groups that divide dim 6, got 4"),
        (lambda: posenc.Convolution(dim=6, groups=2).convolve(ONES), ValueError, "weights"),
        (lambda: posenc.Convolution(dim=6, groups=2).plan({"weight": 1}), ValueError, "expected the weights"),
        (lambda: posenc.Convolution(dim=6, groups=2).plan(3), TypeError, "expected a list of tensors, got int"),
        (lambda: LINE.convolve(ONES, grid=(3, 3)), ValueError, "no height and width"),
        (lambda: GRID.convolve(ONES), ValueError, "height x width of 8 patches"),
        (lambda: GRID.convolve(ONES, grid=(3, 3)), ValueError, "height x width of 8 patches, got 3 x 3"),
        (lambda: GRID.convolve(ONES, grid=(8,)), ValueError, r"grid \(height, width\)"),
        (lambda: GRID.convolve(ONES, grid="8x1"), TypeError, "grid of whole numbers"),
        (lambda: GRID.convolve(ONES[:, :0], grid=(1, 1)), ValueError, "at least 1 tokens"),
        (lambda: LINE.convolve(ONES[..., :5]), ValueError, r"\[..., tokens, 6\]"),
        (lambda: LINE.convolve(ONES, out=ONES[:, :8]), ValueError, "expected out"),
        (lambda: LINE.convolve(ONES.astype(np.int32)), ValueError, "f32"),
        (lambda: LINE.convolve(ONES.tolist()), TypeError, "got list"),
        (lambda: LINE.convolve_(frozen()), ValueError, "read"),
        (lambda: LINE.convolve_(np.broadcast_to(ONES[:, :1], ONES.shape)), ValueError, "read|twice|overlap"),
        (lambda: LINE.backward(ONES, ONES[:, :8]), ValueError, "dout"),
        (lambda: LINE.backward(ONES, None), TypeError, "tensor with __dlpack__, got None"),
        (lambda: LINE.convolve_(None), TypeError, "tensor with __dlpack__, got None"),
        (lambda: posenc.attend(ONES, ONES, ONES, LINE), ValueError, "that reads positions, got convolution"),
        (lambda: posenc.attend(ONES, ONES, ONES, LINE.scheme), ValueError, "that reads positions, got convolution"),
        (lambda: posenc.Rope(layout="half").move_(ONES, 0, 1, to=LINE), ValueError, "got convolution"),
        (lambda: posenc.plot.heatmap(LINE), TypeError, "got ConvolvingPlan"),
    ],
)
def test_refused_with_a_sentence(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()
    assert (ONES == 1).all()


def test_nothing_to_do():
    assert LINE.convolve(ONES[:0]).shape == (0, 9, 6) and LINE.convolve(ONES[:, :0]).shape == (1, 0, 6)
