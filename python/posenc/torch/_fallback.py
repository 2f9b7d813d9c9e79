"""Devices for which there is no kernel: tables that posenc made on the CPU, applied by PyTorch.

Tables of tokens that count from a number are cached on their device, up to CACHE_BYTES of them. Explicit
positions, and weights, are read by the host in each call.
"""

from __future__ import annotations

import collections
import math
import threading

import torch

from . import _native
from ._direct import map_tensors
from ._plans import options_of

CACHE_BYTES = 64 << 20


def on_host(arguments):
    """The same with every tensor on the CPU."""
    return map_tensors(lambda t: t.detach().cpu(), arguments)


class _Cache:
    """Tables by what they were made from; those that were not read for longest leave first."""

    def __init__(self) -> None:
        self.tables, self.bytes, self.lock = collections.OrderedDict(), 0, threading.Lock()

    def find(self, key, make):
        with self.lock:
            if key in self.tables:
                self.tables.move_to_end(key)
                return self.tables[key]
        with torch.inference_mode(False):  # others may read it outside of that mode
            table = make()
        size = table.numel() * table.element_size()
        with self.lock:
            if size <= CACHE_BYTES and key not in self.tables:
                self.tables[key] = table
                self.bytes += size
            while self.bytes > CACHE_BYTES:
                _, oldest = self.tables.popitem(last=False)
                self.bytes -= oldest.numel() * oldest.element_size()
        return table


_cache = _Cache()


def table_for(op, like, arguments):
    """What the op makes on the CPU of a tensor like this and the arguments, on the device of `like`. The table may be
    in the cache: it is to be read, never written or handed to callers."""
    dtype = _native.compute_type(like.dtype)
    if like.device.type == "mps":
        dtype = torch.float32
    if all(a is None or isinstance(a, (int, str, bool, float)) or a == [] for a in arguments):
        make = lambda: op(torch.empty(0, dtype=dtype), *arguments).to(like.device)  # noqa: E731
        return _cache.find((op, dtype, like.device, *(() if a == [] else a for a in arguments)), make)
    return op(torch.empty(0, dtype=dtype), *on_host(arguments)).to(like.device)


def new_table(op, like, arguments):
    """The same as a tensor of its own, of the type of `like`: the caller may write into it."""
    return table_for(op, like, arguments).to(like.dtype, copy=True)


def rows(like, tokens, positions, first, scheme, weights):
    return table_for(torch.ops.posenc.rows, like, (tokens, positions, first, scheme, weights))


def expect_floats(verb: str, name: str, t, axes: str, last: int | None = None) -> None:
    """What kernels refuse of a tensor, before PyTorch would make something else of it. axes: in words; last: the size of the last."""
    count = len(axes.split(", ")) - axes.startswith("...")
    if not t.is_floating_point() or t.dim() < count or (last is not None and t.shape[-1] != last):
        raise ValueError(f"[{verb}] expected {name} as floats [{axes}], got {t.dtype} {list(t.shape)}")


def beside(verb: str, table, batch, axes: int):
    """A table of so many axes, or with rows of positions before them, beside a tensor with these axes and a batch before them: one
    row serves all of the batch, else each has its own."""
    if table.dim() == axes:
        return table
    rows, wanted = table.shape[0], math.prod(batch)
    if rows not in (1, wanted):
        raise ValueError(f"[{verb}] expected positions with 1 or {wanted} rows, got {rows}")
    return table[0] if rows == 1 else table.reshape(*batch, *table.shape[1:])


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
    ones, twos = (beside("rotate", t, x.shape[:-3], 3) for t in table_for(_turned_probes, x, arguments))
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
    out, dim = [], options_of(scheme)["dim"]
    order = "heads, tokens" if heads_first else "tokens, heads"
    for t, role in zip(x, roles):
        expect_floats("rotate", role, t, f"..., {order}, {dim}", dim)
    heads = -3 if heads_first else -2
    alike = {(t.dtype, t.dim(), *(n for axis, n in enumerate(t.shape) if axis != t.dim() + heads)) for t in x}
    if len(alike) > 1:
        got = " and ".join(f"{t.dtype} {list(t.shape)}" for t in x)
        raise ValueError(f"[rotate] expected q and k of one type that differ in their heads only, got {got}")
    for t, role in zip(x, roles):
        view = t.transpose(-3, -2) if heads_first else t
        done = _one(view, adjoint, role, facts, scheme, weights)
        out.append(torch.empty_like(t).copy_(done.transpose(-3, -2) if heads_first else done))
    return out


def gradients(op, dout, arguments):
    """Gradients of weights, made on the CPU."""
    return [g.to(dout.device) for g in op(*on_host((dout, *arguments)))]
