"""Graphormer's biases on a tree, where there is one path between two nodes, written out."""

import numpy as np
import pytest

from posenc.graph import SpatialBias

random = np.random.default_rng(3)
TREE = [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5)]  # 6 is alone
KINDS = [2, 0, 1, 1, 2]


def path(i, j, seen=()):
    """The numbers of the edges from i to j, or None."""
    if i == j:
        return []
    for number, (a, b) in enumerate(TREE):
        for here, there in ((a, b), (b, a)):
            if here == i and number not in seen:
                rest = path(there, j, (*seen, number))
                if rest is not None:
                    return [number, *rest]
    return None


def written(scheme, weights):
    nodes, first = 7, int(scheme.graph_token)
    out = np.zeros((scheme.heads, nodes + first, nodes + first))
    if first:
        out += weights["token"][:, None, None]
    for i, j in np.ndindex(nodes, nodes):
        way = path(i, j)
        far = scheme.distances - 1 if way is None else min(1 + len(way), scheme.distances - 1)
        bias = weights["table"][far].copy()
        for n, edge in enumerate((way or [])[: scheme.max_hops] if scheme.edge_ids else []):
            bias += weights["edges"][KINDS[edge]] @ weights["hops"][n] / min(len(way), scheme.max_hops)
        out[:, i + first, j + first] = bias
    return out


CASES = {
    "spatial": SpatialBias(heads=2, distances=9),
    "no token": SpatialBias(heads=3, distances=5, graph_token=False),
    "edges": SpatialBias(heads=2, distances=9, edge_ids=3, max_hops=2),
}


def given(scheme):
    weights = {name: random.standard_normal(shape) for name, shape in scheme.weights.items()}
    return weights, {"edge_ids": KINDS if scheme.edge_ids else None, "nodes": 7}


@pytest.mark.parametrize("case", CASES)
def test_biases(case):
    scheme = CASES[case]
    weights, how = given(scheme)
    want = written(scheme, weights)
    np.testing.assert_allclose(scheme.bias(TREE, weights, dtype="float64", **how), want, atol=1e-13)
    assert scheme.bias(TREE, weights, **how).dtype == np.float32
    scores = random.standard_normal((2, *want.shape))
    sums = scores + want
    assert scheme.add_(scores, np.array(TREE).T, list(weights.values()), **how) is scores
    np.testing.assert_allclose(scores, sums, atol=1e-13)


@pytest.mark.parametrize("case", CASES)
def test_gradients_by_differences(case):
    scheme = CASES[case]
    weights, how = given(scheme)
    dout = random.standard_normal(written(scheme, weights).shape)
    told = scheme.backward(dout, TREE, weights, **how)
    assert list(told) == list(scheme.weights)
    for name, value in weights.items():
        way = random.standard_normal(value.shape)
        up, down = (
            (scheme.bias(TREE, {**weights, name: value + sign * way}, dtype="float64", **how) * dout).sum()
            for sign in (0.5, -0.5)
        )
        # Linear in each weight: the difference is the slope, but for rounding.
        assert abs(up - down - (told[name] * way).sum()) < 1e-10, name


def test_values():
    scheme = SpatialBias(heads=2, edge_ids=3)
    assert eval(repr(scheme)) == scheme and hash(scheme) == hash(SpatialBias(heads=2, edge_ids=3))
    assert scheme.weights == {"table": (512, 2), "token": (2,), "edges": (3, 2), "hops": (5, 2, 2)}
    assert {k: v.shape for k, v in scheme.initial_weights().items()} == scheme.weights


SMALL = SpatialBias(heads=2, distances=9)
WEIGHTS = SMALL.initial_weights()


@pytest.mark.parametrize(
    "wrong, kind, sentence",
    [
        (lambda: SpatialBias(heads=0), ValueError, "heads"),
        (lambda: SpatialBias(heads="two"), TypeError, r"\[heads\] expected a whole number, got str"),
        (lambda: SpatialBias(distances=3), ValueError, "expected distances from 4"),
        (lambda: SMALL.bias(TREE, None), ValueError, "weights"),
        (lambda: SMALL.bias(TREE, {"tabel": 1}), ValueError, "expected the weights"),
        (lambda: SMALL.bias(TREE, WEIGHTS, node=3), TypeError, "did you mean 'nodes'"),
        (lambda: SMALL.bias(TREE, WEIGHTS, edge_ids=KINDS), ValueError, "edge"),
        (lambda: SpatialBias(edge_ids=3).bias(TREE, SpatialBias(edge_ids=3).initial_weights()), ValueError, "expected ids of edges"),
        (lambda: SMALL.add_(np.zeros((2, 3, 3), np.float32), TREE, WEIGHTS), ValueError, r"\[..., 2, 7, 7\], got f32 \[2, 3, 3\]"),
        (lambda: SMALL.bias(None, WEIGHTS), TypeError, "expected f32, f64, f16, bf16, i32 or i64, got an array of object"),
        (lambda: SMALL.backward(None, TREE, WEIGHTS), TypeError, "expected an array of NumPy, .* got NoneType"),
        (lambda: SMALL.add_(None, TREE, WEIGHTS), TypeError, "tensor with __dlpack__, got None"),
    ],
)
def test_refused_with_a_sentence(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()


def test_initial_weights_are_drawn_by_the_seed():
    scheme = SpatialBias(heads=2, distances=9)
    first, second = scheme.initial_weights(1), scheme.initial_weights(2)
    for name, weight in scheme.initial_weights(1).items():
        np.testing.assert_array_equal(weight, first[name])
        assert (weight != second[name]).any()
