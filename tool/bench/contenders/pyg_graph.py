#!/usr/bin/env python3
"""Compares posenc.graph with PyTorch Geometric's transforms, values and time, in one run.

    pip install torch torch_geometric scipy, and posenc
    python3 tool/bench/contenders/pyg_graph.py [--large]

Both use all threads and take turns, after a first call that is not counted. --large: a graph of 10^5 nodes and 10^6
edges too, once, which may take PyG minutes.
"""
import sys
import time

import numpy as np
import posenc
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE, AddRandomWalkPE

ROUNDS = 3


def random_edges(nodes, edges, generator):
    """A random tree and random edges, each once."""
    tree = np.stack([(generator.random(nodes - 1) * np.arange(1, nodes)).astype(int), np.arange(1, nodes)])
    more = generator.integers(nodes, size=(2, edges - nodes + 1))
    both = np.concatenate([tree, more[:, more[0] != more[1]]], axis=1)
    return np.unique(np.sort(both, axis=0), axis=1)


def grid_edges(side):
    ids = np.arange(side * side).reshape(side, side)
    across = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()])
    return np.concatenate([across, np.stack([ids[:-1].ravel(), ids[1:].ravel()])], axis=1)


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def difference(a, b, signs):
    """The largest, each column with the sign that fits."""
    sign = np.where((a * b).sum(0) < 0, -1, 1) if signs else 1
    return np.abs(a - sign * b).max()


def compare(name, edges, ours, transform, attribute, signs, rounds=ROUNDS):
    data = Data(edge_index=torch.from_numpy(np.concatenate([edges, edges[::-1]], axis=1)),
                num_nodes=int(edges.max()) + 1)
    if signs:  # without weights it solves in f32
        data.edge_weight = torch.ones(data.num_edges, dtype=torch.float64)
    try:
        if rounds > 1:
            transform(data.clone()), ours(edges)
    except RuntimeError as error:  # PyTorch multiplies sparse matrices only where it has MKL
        taken, _ = seconds(lambda: ours(edges))
        return print(f"{name:34} posenc {taken:9.4f} s   PyG: {str(error)[:60]}", flush=True)
    mine, theirs = [], []
    for _ in range(rounds):
        taken, table = seconds(lambda: ours(edges))
        mine.append(taken)
        taken, other = seconds(lambda: transform(data.clone()))
        theirs.append(taken)
    apart = difference(table, other[attribute].numpy(), signs)
    print(f"{name:34} posenc {min(mine):9.4f} s   PyG {min(theirs):9.4f} s   "
          f"x {min(theirs) / min(mine):6.1f}   apart {apart:.1e}", flush=True)


def laplacian(edges):
    return posenc.graph.laplacian(edges, dim=8, dtype="float64", edge_axis="columns")


def random_walk(edges):
    return posenc.graph.random_walk(edges, steps=16, edge_axis="columns")


def main():
    generator = np.random.default_rng(1)

    def compare_vectors(nodes, edges, rounds=ROUNDS):
        compare(f"laplacian, {nodes} nodes {edges} edges", random_edges(nodes, edges, generator), laplacian,
                AddLaplacianEigenvectorPE(8, is_undirected=True), "laplacian_eigenvector_pe", True, rounds)

    def compare_walks(name, edges):
        compare(f"random walk, {name}", edges, random_walk, AddRandomWalkPE(16), "random_walk_pe", False)

    for nodes, edges in [(80, 200), (1000, 5000), (5000, 25000)]:
        compare_vectors(nodes, edges)
    for nodes, edges in [(200, 600), (1000, 5000), (2000, 8000), (3000, 6000)]:
        compare_walks(f"{nodes} nodes {edges} edges", random_edges(nodes, edges, generator))
    compare_walks("grid of 100 x 100", grid_edges(100))
    if "--large" in sys.argv[1:]:
        compare_vectors(10**5, 10**6, 1)


if __name__ == "__main__":
    main()
