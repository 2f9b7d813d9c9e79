"""Rows against the paper's formula, written again in f64."""

import ml_dtypes
import numpy as np
import pytest

import posenc

random = np.random.default_rng(0)
# Values up to 1 in a type with p bits after the point: one unit in the last place below 1. Sums with x, up to 8, get 8 times that.
ULP = {np.float64: 2.0**-50, np.float32: 2.0**-24, np.float16: 2.0**-11, ml_dtypes.bfloat16: 2.0**-8}


def rows(positions, dim, base=10000.0):
    angles = np.asarray(positions, np.float64)[..., None] * base ** (-np.arange(0, dim, 2) / dim)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(*angles.shape[:-1], -1)[..., :dim]


@pytest.mark.parametrize("dtype", ULP)
@pytest.mark.parametrize("dim", [2, 6, 64, 130])
def test_table(dtype, dim):
    table = posenc.Sinusoidal(dim=dim).table(301, dtype)
    assert table.dtype == dtype and table.shape == (301, dim)
    # f64 phases of the reference are off by up to 300 * 2^-53.
    assert np.abs(table.astype(np.float64) - rows(np.arange(301), dim)).max() <= ULP[dtype] + 300 * 2.0**-53


def test_table_of_positions():
    pe = posenc.Sinusoidal(dim=10)
    ids = random.integers(-1000, 1000, (3, 7))
    assert np.abs(pe.table(ids) - rows(ids, 10)).max() <= ULP[np.float32]
    assert pe.table(ids.reshape(1, 3, 7)).shape == (3, 7, 10)
    assert pe.table([4, 2]).shape == (2, 10) and pe.table(range(3)).shape == (3, 10)
    assert np.array_equal(pe.table(np.array([2, 4], np.uint8)), pe.table([2, 4]))
    assert pe.table(0).shape == (0, 10)
    with pytest.raises(ValueError, match="expected a number of positions"):
        pe.table(-1)


@pytest.mark.parametrize("dtype", ULP)
def test_add(dtype):
    pe = posenc.Sinusoidal(dim=18)
    x = random.standard_normal((2, 5, 18)).clip(-6, 6).astype(dtype)
    want = x.astype(np.float64) + rows(7 + np.arange(5), 18)
    before = x.copy()
    out = pe.add(x, 7)
    assert np.array_equal(x, before) and np.abs(out.astype(np.float64) - want).max() <= 8 * ULP[dtype]
    assert pe.add_(x, positions=7) is x and np.array_equal(x, out)
    assert np.array_equal(pe.add(before, np.arange(7, 12)), out)
    assert np.array_equal(pe.plan(keep=64).add(before, 7), out)


def test_strided_views_are_not_copied():
    pe = posenc.Sinusoidal(dim=6)
    whole = np.zeros((4, 9, 3, 6), np.float32)
    view = whole[1::2, ::-2, 1]  # every second, backwards, of the middle
    pe.add_(view)
    assert np.abs(view - rows(np.arange(5), 6)).max() <= ULP[np.float32]
    whole[1::2, ::-2, 1] = 0
    assert not whole.any()


def test_fortran_order_and_reversed_features():
    pe = posenc.Sinusoidal(dim=6)
    x = np.asfortranarray(np.zeros((5, 6), np.float32))
    backwards = np.zeros((5, 6), np.float32)
    assert np.array_equal(pe.add_(x), pe.table(5))
    assert np.array_equal(pe.add_(backwards[:, ::-1]), pe.table(5))
    assert np.array_equal(backwards, pe.table(5)[:, ::-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_embed_and_its_gradients(dtype):
    pe = posenc.Sinusoidal(dim=8)
    embedding = random.standard_normal((11, 8)).astype(dtype)
    ids = random.integers(0, 11, (2, 5))
    out = pe.embed(ids, embedding, 3, scale=2.0)
    want = 2.0 * embedding[ids].astype(np.float64) + rows(3 + np.arange(5), 8)
    assert out.dtype == dtype and np.abs(out - want).max() <= 16 * ULP[dtype]
    for same in (ids.tolist(), ids.astype(np.uint8)):
        assert np.array_equal(pe.embed(same, embedding, 3, scale=2.0), out)
    dout = random.standard_normal((2, 5, 8)).astype(dtype)
    wanted = np.zeros((11, 8))
    np.add.at(wanted, ids, 2.0 * dout)
    assert np.abs(posenc.embed_backward(ids, dout, 11, scale=2.0) - wanted).max() <= 64 * ULP[dtype]


def test_learned_table_is_read_where_it_lies():
    scheme = posenc.Learned(rows=9, dim=4)
    table = random.standard_normal((9, 4)).astype(np.float32)
    plan = scheme.plan({"table": table})
    assert np.array_equal(plan.table(9), table)
    table[3] = 7  # the plan reads the table itself
    assert (plan.table(9)[3] == 7).all()
    kept = scheme.plan([np.full((9, 4), 2, np.float32)])  # and keeps it alive
    assert (kept.table(9) == 2).all()
    dout = random.standard_normal((3, 5, 4))
    gradient = plan.backward(dout, 2)["table"]
    assert gradient.dtype == np.float64 and np.allclose(gradient[2:7], dout.sum(0), rtol=0, atol=2.0**-48)
    assert not gradient[:2].any() and not gradient[7:].any()


def test_time2vec_gradient_by_differences():
    scheme = posenc.Time2Vec(dim=6)
    weights = {k: v.astype(np.float64) for k, v in scheme.initial_weights(seed=3).items()}
    dout = random.standard_normal((4, 6))
    told = scheme.plan(weights).backward(dout)

    def value(w):
        return (scheme.plan(w).table(4, np.float64) * dout).sum()

    step = 2.0**-17  # the difference is off by step^2 * 3^3 and by 2^-50 / step: both below 1e-8
    for name in weights:
        for i in range(6):
            up, down = (dict(weights, **{name: weights[name] + d * np.eye(6)[i]}) for d in (step, -step))
            assert abs((value(up) - value(down)) / (2 * step) - told[name][i]) < 1e-7


def test_resize():
    table = random.standard_normal((4, 3)).astype(np.float32)
    out = posenc.resize(table, 8)
    want = 0.25 * table[0] + 0.75 * table[1]  # of row 2: centre (2 + 1/2) / 2 - 1/2 = 3/4
    assert out.shape == (8, 3) and np.abs(out[2] - want).max() <= 8 * ULP[np.float32]
    assert np.array_equal(posenc.resize(table, 2, "copy"), table[:2])


def test_resize_grid():
    table = random.standard_normal((1 + 4 * 6, 3))
    out = posenc.resize_grid(table, (4, 6), (8, 5), "linear", keep=1)
    down = posenc.resize(table[1:].reshape(4, 18), 8).reshape(8, 6, 3)
    for y in range(8):
        assert np.abs(out[1:].reshape(8, 5, 3)[y] - posenc.resize(np.ascontiguousarray(down[y]), 5)).max() < 1e-14
    assert np.array_equal(out[0], table[0])
    dout = random.standard_normal(out.shape)
    told = posenc.resize_grid_backward(dout, (4, 6), (8, 5), "linear", keep=1)
    assert abs((told * table).sum() - (dout * out).sum()) < 1e-12  # the adjoint
    with pytest.raises(ValueError, match="expected"):
        posenc.resize_grid(table, (4, 4), (8, 5), keep=1)
    with pytest.raises(TypeError, match="expected a grid of whole numbers"):
        posenc.resize_grid(table, (4, 6), "8x5")
