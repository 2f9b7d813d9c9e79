"""Devices for which there is no kernel: tables that posenc made on the CPU, applied by PyTorch.

Tables of tokens that count from a number are kept on their device. Explicit positions, and weights, are
read by the host in each call.
"""

from __future__ import annotations

import functools

import torch
from torch.utils import _pytree as pytree

from . import _native
from ._plans import options_of


def on_host(arguments):
    """The same with every tensor on the CPU."""
    return pytree.tree_map_only(torch.Tensor, lambda t: t.detach().cpu(), arguments)


@functools.lru_cache(maxsize=64)
def _kept(op, dtype, device, *arguments):
    return op(torch.empty(0, dtype=dtype), *arguments).to(device)


def made(op, like, arguments):
    """What the op makes on the CPU of a tensor like this and the arguments, on the device of `like`."""
    dtype = _native.compute_type(like.dtype)
    if like.device.type == "mps":
        dtype = torch.float32
    if all(a is None or isinstance(a, (int, str, bool, float)) or a == [] for a in arguments):
        return _kept(op, dtype, like.device, *(() if a == [] else a for a in arguments))
    return op(torch.empty(0, dtype=dtype), *on_host(arguments)).to(like.device)


def rows(like, tokens, positions, first, scheme, weights):
    return made(torch.ops.posenc.rows, like, (tokens, positions, first, scheme, weights))


def partners(options: dict) -> tuple[list[int], list[int], list[int]]:
    """For each feature of the result: the one it keeps and the one it takes from; and which are second."""
    dim, turning = options["dim"], options.get("rotary_dim") or options["dim"]
    if options.get("rotary_dim") == 0:
        turning = 0
    offset, blocks = options.get("rotary_offset", 0), options.get("blocks", 1)
    first, size = offset if offset >= 0 else dim + offset, turning // blocks
    kept, taken, second = list(range(dim)), list(range(dim)), [0] * dim
    for block in range(blocks if size else 0):
        start = first + block * size
        for k in range(size // 2):
            half = (start + k, start + k + size // 2)
            wave = (start + 2 * k, start + 2 * k + 1)
            read = half if options["layout"] == "half" else wave
            write = wave if options["layout"] == "interleaved" else half
            kept[write[0]], kept[write[1]] = read
            taken[write[1]], taken[write[0]] = read
            second[read[1]] = 1
    return kept, taken, second


def _turned_probes(like, tokens, heads, positions, first, length, role, scheme, weights):
    """What becomes of 1 in the first features of all pairs, and of 1 in the second: [2, ...]."""
    second = torch.tensor(partners(options_of(scheme))[2], dtype=like.dtype)
    rows = positions.shape[-2] if positions is not None and positions.dim() > 1 else 1
    shape = (rows, tokens, heads, second.numel())
    return torch.stack(
        [
            torch.ops.posenc.turn([p.expand(shape)], False, role, positions, first, length, scheme, weights, False)[0]
            for p in (1 - second, second)
        ]
    )


def _one(x, adjoint, role, facts, scheme, weights):
    """x: [.., tokens, heads, dim]. A turn is y = a x + b (x of the partner)."""
    tokens, positions, first, length = facts
    options = options_of(scheme)
    alike = options.get("rotary_heads") is None and not weights
    arguments = (tokens, 1 if alike else x.shape[-2], positions, first, length, role, scheme, weights)
    ones, twos = made(_turned_probes, x, arguments)
    kept, taken, second = (torch.tensor(i, device=x.device) for i in partners(options))
    of_first = second[kept] == 0
    a, b = torch.where(of_first, ones, twos), torch.where(of_first, twos, ones)
    b = b * (kept != taken)
    wide = x.to(a.dtype)
    if not adjoint:
        return (a * wide[..., kept] + b * wide[..., taken]).to(x.dtype)
    back = torch.zeros_like(wide).index_add(-1, kept, a * wide)
    return back.index_add(-1, taken, b * wide).to(x.dtype)


def turn(x, adjoint, roles, facts, scheme, weights, heads_first):
    out = []
    for t, role in zip(x, roles):
        view = t.transpose(-3, -2) if heads_first else t
        done = _one(view, adjoint, role, facts, scheme, weights)
        out.append(torch.empty_like(t).copy_(done.transpose(-3, -2) if heads_first else done))
    return out


def gradients(op, dout, arguments):
    """Gradients of weights, made on the CPU."""
    return [g.to(dout.device) for g in op(*on_host((dout, *arguments)))]
