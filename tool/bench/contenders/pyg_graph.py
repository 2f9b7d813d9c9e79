#!/usr/bin/env python3
"""Compares posenc graph with PyTorch Geometric's transforms, values and time, in one run.

    pip install torch torch_geometric scipy
    python3 tool/bench/contenders/pyg_graph.py build/release/tool/cli/posenc [--large]

--large: eigenvectors of 10^5 nodes and 10^6 edges too, once, which take PyG minutes.

posenc's time is that of the whole command, with reading the edges and writing the table; PyG's that of the
transform alone, after a first call that is not counted. Both use all threads, and take turns.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
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


def ours(tool, edges, folder, arguments):
    np.save(folder / "edges.npy", edges.astype(np.int64))
    command = [tool, "graph", folder / "edges.npy", *arguments, "--out", folder / "table.npy"]
    subprocess.run(command, check=True)
    return np.load(folder / "table.npy")


def difference(a, b, signs):
    """The largest, each column with the sign that fits."""
    sign = np.where((a * b).sum(0) < 0, -1, 1) if signs else 1
    return np.abs(a - sign * b).max()


def compare(name, tool, edges, arguments, transform, attribute, signs, folder, rounds=ROUNDS):
    data = Data(edge_index=torch.from_numpy(np.concatenate([edges, edges[::-1]], axis=1)),
                num_nodes=int(edges.max()) + 1)
    if signs:  # without weights it solves in f32
        data.edge_weight = torch.ones(data.num_edges, dtype=torch.float64)
    try:
        if rounds > 1:
            transform(data.clone())
    except RuntimeError as error:  # PyTorch multiplies sparse matrices only where it has MKL
        taken, _ = seconds(lambda: ours(tool, edges, folder, arguments))
        return print(f"{name:34} posenc {taken:8.3f} s   PyG: {str(error)[:60]}", flush=True)
    mine, theirs = [], []
    for _ in range(rounds):
        taken, table = seconds(lambda: ours(tool, edges, folder, arguments))
        mine.append(taken)
        taken, other = seconds(lambda: transform(data.clone()))
        theirs.append(taken)
    apart = difference(table, other[attribute].numpy(), signs)
    print(f"{name:34} posenc {min(mine):8.3f} s   PyG {min(theirs):8.3f} s   "
          f"x {min(theirs) / min(mine):6.1f}   apart {apart:.1e}", flush=True)


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    generator = np.random.default_rng(1)
    laplacian = ["--dtype", "f64", "--dim", "8"]
    walk = ["--scheme", "random-walk", "--steps", "16"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for nodes, edges in [(80, 200), (1000, 5000), (5000, 25000)]:
            compare(f"laplacian, {nodes} nodes {edges} edges", tool, random_edges(nodes, edges, generator),
                    laplacian, AddLaplacianEigenvectorPE(8, is_undirected=True), "laplacian_eigenvector_pe", True, folder)
        if "--large" in sys.argv[2:]:
            compare("laplacian, 10^5 nodes 10^6 edges", tool, random_edges(10**5, 10**6, generator), laplacian,
                    AddLaplacianEigenvectorPE(8, is_undirected=True), "laplacian_eigenvector_pe", True, folder, 1)
        for nodes, edges in [(200, 600), (1000, 5000), (2000, 8000), (3000, 6000)]:
            compare(f"random walk, {nodes} nodes {edges} edges", tool, random_edges(nodes, edges, generator),
                    walk, AddRandomWalkPE(16), "random_walk_pe", False, folder)
        compare("random walk, grid of 100 x 100", tool, grid_edges(100), walk, AddRandomWalkPE(16), "random_walk_pe",
                False, folder)


if __name__ == "__main__":
    main()
