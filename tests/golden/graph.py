#!/usr/bin/env python3
"""Records encodings of random graphs by PyTorch Geometric's transforms in graph.safetensors.

    pip install torch torch_geometric scipy safetensors
    python3 tests/golden/graph.py

Graphs are undirected, connected and without symmetry, so that eigenvectors are known but for their
signs. The dense code paths are taken below 100 and 2000 nodes, the sparse ones above.
"""
import pathlib

import numpy as np
import torch
from safetensors.torch import save_file
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE, AddRandomWalkPE


def random_graph(nodes, more, generator):
    """A random tree, and more random edges; both directions of each, no loops, no duplicates."""
    edges = {(int(generator.integers(i)), i) for i in range(1, nodes)}
    while len(edges) < nodes - 1 + more:
        a, b = sorted(map(int, generator.integers(nodes, size=2)))
        if a != b:
            edges.add((a, b))
    ends = torch.tensor(sorted(edges)).t()
    return torch.cat([ends, ends.flip(0)], dim=1)


def record(name, nodes, more, columns, generator, out):
    data = Data(edge_index=random_graph(nodes, more, generator), num_nodes=nodes)
    data.edge_weight = torch.ones(data.num_edges, dtype=torch.float64)  # without it, it solves in f32
    data = AddLaplacianEigenvectorPE(columns, is_undirected=True)(data)
    del data.edge_weight
    data = AddRandomWalkPE(2 * columns)(data)
    out[f"{name}.edges"] = data.edge_index.contiguous()
    out[f"{name}.laplacian"] = data.laplacian_eigenvector_pe.contiguous()
    out[f"{name}.random_walk"] = data.random_walk_pe.contiguous()


if __name__ == "__main__":
    torch.manual_seed(0)
    np.random.seed(0)  # the starting vector of ARPACK
    generator = np.random.default_rng(7)
    out = {}
    record("small", 12, 8, 4, generator, out)
    record("dense", 60, 90, 6, generator, out)
    record("sparse", 150, 450, 5, generator, out)
    record("tree", 130, 0, 4, generator, out)
    save_file(out, pathlib.Path(__file__).with_suffix(".safetensors"))
