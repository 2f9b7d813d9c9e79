"""What plans tell of their schemes, against what their numbers do."""

import numpy as np
import pytest

import posenc
from posenc import _core

random = np.random.default_rng(5)

# Small ones of each kind of bias that reads one axis.
BIASES = [
    posenc.Alibi(heads=2),
    posenc.Alibi(heads=2, form="keys"),
    posenc.Alibi(heads=2, square_root=True),
    posenc.Alibi(heads=2, rounding="bf16"),
    posenc.Alibi(heads=2, learned_slopes=True),
    posenc.T5Bias(heads=2, buckets=8, max_distance=6),
    posenc.Clipped(heads=2, max_distance=2),
    posenc.WindowBias(heads=2, height=2, width=3),
    posenc.Kerple(heads=2),
    posenc.Proximal(heads=2),
    posenc.DynamicBias(heads=2, hidden=4),
    posenc.Fire(heads=2, hidden=4, length=8),
]


def made(scheme):
    core = _core.Scheme(type(scheme).name, scheme.to_json())
    shapes = [w["shape"] for w in core.weights()]
    return core, [random.uniform(0.5, 1.5, shape) for shape in shapes]


def biases(core, weights, tokens=6):
    out = np.empty((2, tokens, tokens))
    plan = core.prepare(weights=weights)
    plan.fill_bias(out, None, None, 0, False, 1.0, "scores")
    return plan, out


@pytest.mark.parametrize("scheme", BIASES, ids=str)
def test_a_linear_bias_of_a_sum_is_the_sum_of_biases(scheme):
    core, first = made(scheme)
    second = made(scheme)[1]
    plan, a = biases(core, first)
    both = biases(core, [x + y for x, y in zip(first, second)])[1]
    adds_up = np.allclose(both, a + biases(core, second)[1], rtol=0, atol=1e-12)
    assert plan.is_linear == (len(first) == 1 and adds_up)
    assert not plan.is_table or set(a.ravel()) <= set(first[0].ravel())
    assert plan.is_table == (plan.is_linear and set(a.ravel()) <= set(first[0].ravel()))


@pytest.mark.parametrize("scheme", BIASES, ids=str)
def test_a_straight_bias_is_a_slope_times_the_distance_or_the_key(scheme):
    core, weights = made(scheme)
    plan = biases(core, weights)[0]
    if plan.reads not in ("distance", "key"):
        assert not plan.is_straight
        return
    bias, tokens = biases(core, weights, 300)[1], np.arange(300.0)  # bf16 holds no 299
    far = np.abs(tokens[:, None] - tokens) if plan.reads == "distance" else np.broadcast_to(tokens, (300, 300))
    straight = np.allclose(bias, bias[:, :1, 1:2] * far, rtol=0, atol=1e-12)
    assert plan.is_straight == straight


@pytest.mark.parametrize(
    "scheme",
    [
        posenc.Learned(rows=9, dim=4),
        posenc.Learned(rows=9, dim=4, learned_scale=True),
        posenc.Time2Vec(dim=4),
        posenc.Sinusoidal(dim=4, learned_scale=True),
    ],
    ids=str,
)
def test_tables_are_the_weights_that_a_plan_reads_where_they_lie(scheme):
    core, weights = made(scheme)
    plan = core.prepare(weights=weights)
    before, after, seen = np.empty((5, 4)), np.empty((5, 4)), []
    for weight in weights:
        plan.fill(before)
        weight += 1
        plan.fill(after)
        seen.append(not np.array_equal(before, after))
    assert plan.tables == sum(seen) and seen == sorted(seen, reverse=True)
    assert plan.is_linear == (seen == [True])
