"""Biases whose weight is a table, on a GPU: rows are picked there, so that the host never waits for weights.

Which row a distance reads is asked of the scheme once, by a table that holds the numbers of its rows.
"""

from __future__ import annotations

import functools

import torch

from posenc import _core

from . import _native
from ._plans import handle_of, options_of, scheme_of

TABLES = {"t5", "clipped"}


def takes(x, places, scheme) -> bool:
    queries, keys = places[:2]
    on_line = queries is None and keys is None
    return x.device.type == "cuda" and on_line and scheme.split(" ", 1)[0] in TABLES


@functools.lru_cache(maxsize=64)
def rows_read(scheme: str, first: int, count: int, device: torch.device) -> torch.Tensor:
    """The row of the table for each distance from `first` on."""
    name, options = scheme.split(" ", 1)[0], {**options_of(scheme), "heads": 1}
    if "scale" in options:
        options["scale"] = 1
    one = scheme_of(handle_of(name, options))
    rows = one.weights()[0]["shape"][0]
    line = torch.empty(1, count)
    one.prepare(weights=[torch.arange(rows, dtype=torch.float32)[:, None]]).fill_profile(line, first)
    return line[0].round().long().to(device)


def profile(scheme, table, first, count, first_head, heads, dtype) -> torch.Tensor:
    """Biases by distance, [heads, count]."""
    picked = table.detach()[:, first_head : first_head + heads].to(dtype)
    picked = picked * options_of(scheme).get("scale", 1)
    return picked.t().contiguous()[:, rows_read(scheme, first, count, table.device)]


def add(scores, out, scale, scale_sum, queries, keys, first_query, first_key, first_head, causal, scheme, weights):
    """out = scores with their biases; False: not done, the scheme is none of these."""
    if not takes(scores, (queries, keys), scheme) or not scores.numel():
        return False
    heads, height, width = scores.shape[-3:]
    first, count = first_key - first_query - height + 1, height + width - 1
    dtype = _native.compute_type(scores.dtype)
    line = profile(scheme, weights[0], first, count, first_head, heads, dtype)
    _core.add_profile(
        line,
        first,
        scores.detach(),
        out,
        queries=first_query,
        keys=first_key,
        causal=causal,
        scale=scale,
        scale_on="sum" if scale_sum else "scores",
        stream=_native.stream(scores),
    )
    return True
