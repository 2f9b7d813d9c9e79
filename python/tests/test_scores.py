"""Biases and terms of scores, and attention, against plain NumPy."""

import ml_dtypes
import numpy as np
import pytest

import posenc

random = np.random.default_rng(2)


def slopes(heads):
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("dtype,ulp", [(np.float64, 2.0**-52), (np.float32, 2.0**-23), (np.float16, 2.0**-10), (ml_dtypes.bfloat16, 2.0**-7)])
def test_alibi(dtype, ulp):
    distance = -np.abs(np.arange(9) - np.arange(5)[:, None])
    want = slopes(8)[:, None, None] * distance
    alibi = posenc.Alibi(heads=8)
    bias = alibi.bias(5, 9, dtype)
    assert bias.shape == (8, 5, 9) and np.abs(bias.astype(np.float64) - want).max() <= 8 * ulp
    scores = random.standard_normal((2, 8, 5, 9)).clip(-4, 4).astype(dtype)
    out = alibi.add(scores, scale=0.5)
    assert np.abs(out.astype(np.float64) - (0.5 * scores.astype(np.float64) + want)).max() <= 16 * ulp
    assert alibi.add_(scores, scale=0.5) is scores and np.array_equal(scores, out)


def test_bias_at_positions_and_causal():
    alibi = posenc.Alibi(heads=4)
    late = alibi.bias(range(6, 8), 8)
    assert np.array_equal(late, alibi.bias(8, 8)[:, 6:])
    masked = alibi.bias(3, 3, causal=True)
    assert np.isneginf(masked[:, 0, 1:]).all() and np.isfinite(masked[:, 2]).all()
    assert alibi.at(0, 5, 3) == alibi.bias(6, 6)[0, 5, 3]
    scores = np.zeros((4, 2, 8), np.float32)
    assert np.array_equal(alibi.add_(scores, queries=6), late)
    assert np.array_equal(alibi.profile(-7, 8)[:, ::-1][:, :3], -slopes(4)[:, None].astype(np.float32) * np.arange(3))


def test_t5_reads_its_table_and_gives_its_gradient():
    scheme = posenc.T5Bias("t5-encoder", heads=3)
    table = random.standard_normal(scheme.weights["table"])
    plan = scheme.plan({"table": table})
    bias = plan.bias(7, 7, np.float64)
    for distance in range(1, 7):  # below 8 every distance has a bucket of its own, keys before: 0 + d
        assert np.array_equal(bias[:, distance, 0], table[distance])
    dout = random.standard_normal((2, 3, 7, 7))
    gradient = plan.backward(dout)["table"]
    wanted = np.stack([np.diagonal(dout.sum(0)[h]).sum() for h in range(3)])
    assert np.allclose(gradient[0], wanted, rtol=0, atol=1e-13)
    assert np.isclose(gradient.sum(), dout.sum(), rtol=0, atol=1e-12)


def test_shaw_against_einsum_with_gradients():
    scheme = posenc.Shaw(dim=4, left=2, right=2)
    table = random.standard_normal((5, 4))
    plan = scheme.plan([table])
    q = random.standard_normal((2, 6, 3, 4))
    scores = random.standard_normal((2, 3, 6, 6))
    index = np.clip(np.arange(6) - np.arange(6)[:, None], -2, 2) + 2
    term = np.einsum("bihd,ijd->bhij", q, table[index])
    assert "q" in plan.reads
    out = plan.add(scores, q, scale=0.5, scale_on="sum")
    assert np.abs(out - 0.5 * (scores + term)).max() < 1e-13
    dout = random.standard_normal(scores.shape)
    told = plan.backward(scores, dout, q, scale=0.5, scale_on="sum")
    wanted = np.zeros((5, 4))
    np.add.at(wanted, index, 0.5 * np.einsum("bhij,bihd->ijd", dout, q))
    assert np.abs(told["table"] - wanted).max() < 1e-12
    assert np.abs(told["q"] - 0.5 * np.einsum("bhij,ijd->bihd", dout, table[index])).max() < 1e-12
    assert np.abs(told["scores"] - 0.5 * dout).max() < 1e-15
    values = np.zeros((2, 6, 3, 4))
    assert np.abs(plan.add_to_outputs_(values, softmax(scores)) - np.einsum("bhij,ijd->bihd", softmax(scores), table[index])).max() < 1e-13
    assert np.array_equal(plan.add_(scores, q, scale=0.5, scale_on="sum"), out)


@pytest.mark.parametrize("encoding", [None, posenc.Rope(dim=8, layout="half"), posenc.Alibi(heads=4)], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_attend(encoding, causal):
    q = random.standard_normal((2, 5, 4, 8))
    k, v = random.standard_normal((2, 5, 2, 8)), random.standard_normal((2, 5, 2, 6))
    turned_q, turned_k = encoding.rotate(q, k, heads_first=False) if isinstance(encoding, posenc.Rotary) else (q, k)
    scores = np.einsum("bihd,bjhd->bhij", turned_q, turned_k.repeat(2, 2)) / np.sqrt(8)
    if isinstance(encoding, posenc.Bias):
        encoding.add_(scores)
    if causal:
        scores[:, :, np.triu(np.ones((5, 5), bool), 1)] = -np.inf
    want = np.einsum("bhij,bjhd->bihd", softmax(scores), v.repeat(2, 2))
    assert np.abs(posenc.attend(q, k, v, encoding, causal=causal) - want).max() < 1e-13


def test_families_keep_to_their_verbs():
    with pytest.raises(AttributeError):
        posenc.Alibi().rotate_
    with pytest.raises(ValueError, match="expected the plan of a rotary scheme, got that of alibi"):
        posenc.Alibi().plan().core.rotate(np.zeros((1, 1, 8), np.float32))
    with pytest.raises(ValueError, match="one of|choices|did you mean"):
        posenc.Alibi(heads=1).add_(np.zeros((1, 2, 2), np.float32), scale_on="summ")


def test_one_row_of_positions_serves_all_of_the_other():
    many, one = np.arange(12).reshape(4, 3), np.array([[5, 2]])
    alibi = posenc.Alibi(heads=2)
    for queries, keys in ((many, one), (one, many)):
        both = alibi.bias(queries, keys)
        assert both.shape == (4, 2, queries.shape[-1], keys.shape[-1])
        for row in range(4):
            alone = alibi.bias(*(p[min(row, len(p) - 1)] for p in (queries, keys)))
            assert np.array_equal(both[row], alone)
