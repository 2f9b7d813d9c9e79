"""The part of a sequence that one rank of a context-parallel group holds.

positions = shard_positions(tokens, mesh["cp"])   # contiguous, or zigzag (the default)
x = shard(x, mesh["cp"], dim=1)
x = encoding(x, positions)
"""

from __future__ import annotations

import torch
import torch.distributed

from posenc import _core

from ._direct import expect_tensors


def _ranks(mesh) -> tuple[int, int]:
    """How many ranks the mesh or group has, and which one this is."""
    if mesh is None or isinstance(mesh, torch.distributed.ProcessGroup):
        return torch.distributed.get_world_size(mesh), torch.distributed.get_rank(mesh)
    if mesh.ndim != 1:
        raise ValueError(f'[shard] expected a mesh of one dimension, such as mesh["cp"], got {mesh.ndim}')
    return mesh.size(), mesh.get_local_rank()


def shard_positions(tokens: int, mesh=None, *, order: str = "zigzag", device=None) -> torch.Tensor:
    """The tokens of a sequence that this rank holds, [tokens of the rank] in i64, ascending; they are also their positions.

    mesh: a one-dimensional DeviceMesh or a process group; None: all ranks. order: "contiguous", or "zigzag", where rank r
    holds chunks r and 2 ranks - 1 - r, so that all ranks have the same work under a causal mask.
    """
    ranks, rank = _ranks(mesh)
    held = torch.as_tensor(_core.shard_tokens(tokens, ranks=ranks, rank=rank, order=order))
    return held.to(device)


def shard(x: torch.Tensor, mesh=None, *, dim: int, order: str = "zigzag") -> torch.Tensor:
    """The part of x along `dim` that this rank holds."""
    expect_tensors("shard", x=x)
    if not -x.dim() <= dim < x.dim():
        raise ValueError(f"[shard] expected an axis of {list(x.shape)}, got {dim}")
    return x.index_select(dim, shard_positions(x.shape[dim], mesh, order=order, device=x.device))
