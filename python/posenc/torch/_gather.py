"""Biases by distance that PyTorch makes on a GPU: rows of a table, and what a wide network says.

Which row a distance reads is asked of the scheme once, by a table that holds the numbers of its rows. A network is
products of matrices, in f64, which PyTorch does several times as fast as a kernel that goes from distance to distance.
"""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F

from posenc import _core

from . import _native
from ._plans import facts_of, handle_of, options_of, scheme_of

NORM_EPSILON = 1e-5


def applies_to(x, places, scheme) -> bool:
    queries, keys = places[:2]
    on_line = queries is None and keys is None
    return x.device.type == "cuda" and on_line and _is_line(scheme)


def _is_line(scheme) -> bool:
    facts = facts_of(scheme)
    return facts.is_network or (facts.is_table and facts.reads == "distance")


@functools.lru_cache(maxsize=64)
def rows_read(scheme: str, first: int, count: int, device: torch.device) -> torch.Tensor:
    """The row of the table for each distance from `first` on."""
    name, options = scheme.split(" ", 1)[0], {**options_of(scheme), "heads": 1}
    if "scale" in options:
        options["scale"] = 1
    one = scheme_of(handle_of(name, options))
    rows = one.weights()[0]["shape"][0]
    line = torch.empty(1, count, device="cpu")  # whatever the default device is
    one.prepare(weights=[torch.arange(rows, dtype=torch.float32, device="cpu")[:, None]]).fill_profile(line, first)
    return line[0].round().long().to(device)


def _layers(scheme, weights):
    """Weight and bias of each layer, and gain and shift of those with a norm."""
    options, rest = options_of(scheme), [w.detach().double() for w in weights]
    each = 4 if options["layer_norm"] else 2
    return [rest[n : n + each] for n in range(0, len(rest), each)]


def _network(scheme, weights, first, count):
    """What the network of DynamicBias makes of distances, [count, heads], in f64; and what each layer read."""
    x = torch.arange(-first, -first - count, -1, dtype=torch.float64, device=weights[0].device)[:, None]
    x = x.sign() * x.abs().log1p() if options_of(scheme)["log_distance"] else x
    *hidden, last = _layers(scheme, weights)
    read = []
    for weight, bias, *norm in hidden:
        sums = F.linear(x, weight, bias)
        moments = torch.native_layer_norm(sums, sums.shape[-1:], *norm, NORM_EPSILON) if norm else [sums]
        read.append((x, sums, moments))
        x = F.silu(moments[0])
    return F.linear(x, *last), [*read, (x,)]


def _network_backward(scheme, weights, read, dline):
    """The gradients of its weights from those of biases, [count, heads]."""
    *hidden, last = _layers(scheme, weights)
    out = [dline.t() @ read[-1][0], dline.sum(0)]
    d, above = dline, last[0]
    for (weight, _, *norm), (x, sums, (y, *moments)) in zip(hidden[::-1], read[-2::-1]):
        d = torch.ops.aten.silu_backward(d @ above, y)
        more = []
        if norm:
            shape, wanted = sums.shape[-1:], [True, True, True]
            d, *more = torch.ops.aten.native_layer_norm_backward(d, sums, shape, *moments, *norm, wanted)
        out, above = [d.t() @ x, d.sum(0), *more, *out], weight
    return out


def network_gradients(dout, scale, scale_sum, places, scheme, weights):
    """Of the weights of such a network, from those of scores; None where the scheme is none, or tokens stand anywhere."""
    if not facts_of(scheme).is_network or not applies_to(dout, places, scheme) or not dout.numel():
        return None
    _, _, first_query, first_key, first_head, causal = places
    heads, height, width = dout.shape[-3:]
    wide = dout.reshape(-1, heads, height, width).sum(0, dtype=torch.float64) * (scale if scale_sum else 1)
    if causal:
        wide = wide.tril(first_query - first_key)
    # Each row begins one later than the one above: the columns of what they then are belong to distances.
    slanted = F.pad(wide.flip(-2), (0, height)).flatten(-2)[..., :-height].unflatten(-1, (height, -1)).sum(-2)
    line, read = _network(scheme, weights, first_key - first_query - height + 1, height + width - 1)
    dline = torch.zeros_like(line)
    dline[:, first_head : first_head + heads] = slanted.t()
    sums = _network_backward(scheme, weights, read, dline)
    return [s.to(w.dtype) for s, w in zip(sums, weights)]


def profile(scheme, weights, first, count, first_head, heads, dtype) -> torch.Tensor:
    """Biases by distance, [heads, count]."""
    if facts_of(scheme).is_network:
        line, _ = _network(scheme, weights, first, count)
        return line[:, first_head : first_head + heads].t().to(dtype).contiguous()
    table = weights[0]
    picked = table.detach()[:, first_head : first_head + heads].to(dtype)
    picked = picked * options_of(scheme).get("scale", 1)
    return picked.t().contiguous()[:, rows_read(scheme, first, count, table.device)]


def add(scores, out, scale, scale_sum, queries, keys, first_query, first_key, first_head, causal, scheme, weights):
    """out = scores with their biases; False: not done, the scheme is none of these."""
    if not applies_to(scores, (queries, keys), scheme) or not scores.numel():
        return False
    heads, height, width = scores.shape[-3:]
    first, count = first_key - first_query - height + 1, height + width - 1
    dtype = _native.compute_type(scores.dtype)
    line = profile(scheme, weights, first, count, first_head, heads, dtype)
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
