"""Graphs against plain NumPy."""

import numpy as np
import pytest

import posenc
from posenc import graph


def random_edges(seed, nodes=12, count=30):
    random = np.random.default_rng(seed)
    edges = random.integers(0, nodes, (count, 2))
    pairs = sorted({(min(a, b), max(a, b)) for a, b in edges if a != b} | {(i, i + 1) for i in range(nodes - 1)})
    return np.array(pairs), random.uniform(0.5, 2, len(pairs))


def matrix(edges, weights, nodes=12):
    a = np.zeros((nodes, nodes))
    a[edges[:, 0], edges[:, 1]] = weights
    return np.maximum(a, a.T)


@pytest.mark.parametrize("normalization", ["symmetric", "unnormalised", "random-walk"])
def test_eigenvectors(normalization):
    edges, weights = random_edges(1)
    a = matrix(edges, weights)
    d = a.sum(1)
    laplacian = {
        "symmetric": np.eye(12) - a / np.sqrt(np.outer(d, d)),
        "unnormalised": np.diag(d) - a,
        "random-walk": np.eye(12) - a / d[:, None],
    }[normalization]
    vectors, values, component = graph.spectrum(
        edges, weights, dim=3, normalization=normalization, dtype="float64"
    )
    assert values.shape == (1, 3) and (component == 0).all()
    np.testing.assert_allclose(laplacian @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(values[0], np.sort(np.linalg.eigvals(laplacian).real)[1:4], atol=1e-12)
    np.testing.assert_array_equal(
        graph.laplacian(edges, weights, dim=3, normalization=normalization, dtype="float64"), vectors
    )


def test_random_walks():
    edges, weights = random_edges(2)
    a = matrix(edges, weights)
    p = a / a.sum(1, keepdims=True)
    want = np.stack([np.diag(np.linalg.matrix_power(p, t + 1)) for t in range(5)], 1)
    np.testing.assert_allclose(graph.random_walk(edges.T, weights, steps=5, dtype="float64"), want, atol=1e-14)


def test_paths_and_degrees():
    edges, weights = random_edges(3)
    a = matrix(edges, 1) > 0
    steps = np.where(a, 1, 99)
    np.fill_diagonal(steps, 0)
    for k in range(12):
        steps = np.minimum(steps, steps[:, [k]] + steps[[k]])
    got = graph.shortest_paths(edges, dtype="int64")
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, steps)
    np.testing.assert_array_equal(graph.degrees(edges)[:, 0], a.sum(1))
    sums = graph.degrees(edges, list(weights), weighted=True)[:, 0]
    np.testing.assert_allclose(sums, matrix(edges, weights).sum(1), rtol=1e-6)


def test_signs_of_both_kinds():
    edges, _ = random_edges(4)
    both = graph.spectrum(edges, preset="signnet", dim=2)
    np.testing.assert_array_equal(both.vectors[:, 2:], -both.vectors[:, :2])
    assert both.values.shape == (1, 2)


def test_random_signs_are_drawn_by_the_seed():
    edges, _ = random_edges(5)
    drawn = [graph.laplacian(edges, dim=8, sign="random", seed=seed) for seed in range(8)]
    np.testing.assert_array_equal(graph.laplacian(edges, dim=8, sign="random", seed=3), drawn[3])
    assert len({table.tobytes() for table in drawn}) > 1
    for table in drawn:
        np.testing.assert_array_equal(np.abs(table), np.abs(drawn[0]))


@pytest.mark.parametrize(
    "call, kind, sentence",
    [
        (lambda: graph.laplacian([[0, 1]], dims=3), TypeError, "unknown option 'dims'.*'dim'"),
        (lambda: graph.laplacian(None), TypeError, "expected"),
        (lambda: graph.laplacian([[0.5, 1]]), ValueError, "expected edges of i32 or i64"),
        (lambda: graph.laplacian([[0, 1], [1, 2]]), ValueError, "rows or columns"),
        (lambda: graph.laplacian([[0, 1, 2]]), ValueError, r"expected edges \[edges, 2\]"),
        (lambda: graph.laplacian([[0, 1]], directed=True), ValueError, "expected an undirected graph"),
        (lambda: graph.degrees([[0, 1]], 2.0), ValueError, "expected 1 to 8 axes, got 0"),
        (lambda: graph.degrees([[0, 1]], [[2.0]]), ValueError, r"expected weights \[edges\] of floats"),
        (lambda: graph.degrees([[0, 5]], nodes=2), ValueError, "expected ends of edges from 0 to 1"),
        (lambda: graph.degrees([[0, 1]], duplicates="twice"), ValueError, "got 'twice'"),
        (lambda: graph.random_walk([[0, 1]], dtype="int64"), ValueError, "expected a table of f32"),
    ],
)
def test_what_is_refused(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()


def test_edges_may_be_told_apart():
    square = [[0, 1], [2, 3]]
    assert graph.degrees(square, edge_axis="rows").tolist() == [[1], [1], [1], [1]]
    ways = graph.degrees(np.array(square, np.int32), edge_axis="columns", directed=True)
    assert ways.tolist() == [[1], [1], [0], [0]]
    assert posenc.graph is graph
