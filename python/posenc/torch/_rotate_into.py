"""The op rotate_into: normalises and rotates heads and writes keys and values to a KV cache."""

from __future__ import annotations

import math

import torch

from . import _native
from ._registry import register
from ._rotary import _tokens, rotary_plan

SCHEMA = (
    "rotate_into(Tensor? q, Tensor? k, Tensor? v, Tensor(a!)? q_out, Tensor(b!)? k_out, Tensor(c!)? k_cache,"
    " Tensor(d!)? v_cache, Tensor? slots, Tensor? block_table, Tensor? sequences, Tensor? cache_positions,"
    " Tensor? q_norm, Tensor? k_norm, float epsilon, bool one_plus, Tensor? positions, SymInt first, SymInt length,"
    " str scheme, Tensor[] weights, bool heads_first) -> ()"
)

WHOLE = (torch.int32, torch.int64)


def rotate_into(
    q, k, v, q_out, k_out, k_cache, v_cache, slots, block_table, sequences, cache_positions, q_norm, k_norm, epsilon,
    one_plus, positions, first, length, scheme, weights, heads_first,
) -> None:  # fmt: skip
    x = k if q is None else q
    facts = (_tokens(x, heads_first), positions, first, length)
    places = (slots, block_table, sequences, cache_positions)
    if not _native.has_kernel_for(x):
        pairs = ((q, q_out, None, q_norm, "q"), (k, k_out, k_cache, k_norm, "k"), (v, None, v_cache, None, ""))
        return _by_torch(pairs, places, (epsilon, one_plus), facts, scheme, weights, heads_first)
    plan = rotary_plan(scheme, weights, x.device, *facts)
    at = None if cache_positions is None else _native.at(cache_positions, 0, x)
    read = _native.read
    plan.rotate_into(
        read(q), read(k), read(v), q_out, k_out, read(q_norm), read(k_norm), epsilon, one_plus, k_cache, v_cache, slots,
        block_table, sequences, at, _native.at(positions, first, x), heads_first, _native.stream(x),
    )  # fmt: skip


def _fake(*arguments) -> None:
    return None


def _by_torch(pairs, places, norm, facts, scheme, weights, heads_first) -> None:
    """Where there is no kernel; nothing is rounded before it is stored."""
    _check(pairs, places, norm[0], facts, heads_first)
    x = next(t for t, *_ in pairs if t is not None)
    caches = [c for _, _, c, _, _ in pairs if c is not None]
    slots = _slots(caches[0], x, places, facts) if caches else None
    for t, out, cache, gain, role in pairs:
        if t is None:
            continue
        wide = t.to(_native.compute_type(t.dtype))
        if gain is not None:
            wide = _normed(wide, gain.to(wide.dtype), *norm)
        if role:
            tokens, positions, first, length = facts
            wide = torch.ops.posenc.turn([wide], False, role, positions, first, length, scheme, weights, heads_first)[0]
        if out is not None:
            out.copy_(wide)
        if cache is not None:
            _store(wide.transpose(-3, -2) if heads_first else wide, cache, slots)


def _normed(x, gain, epsilon, one_plus):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * (gain + 1 if one_plus else gain)


def _described(t) -> str:
    return "none" if t is None else f"{t.dtype} {list(t.shape)}"


def _expect(holds: bool, what: str, *got) -> None:
    if not holds:
        raise ValueError(f"[rotate_into] expected {what}, got {' and '.join(got)}")


def _check(pairs, places, epsilon, facts, heads_first) -> None:
    """What kernels refuse, before anything is written."""
    (q, _, _, q_norm, _), (k, _, k_cache, k_norm, _), (v, _, v_cache, _, _) = pairs
    x = k if q is None else q
    heads, last = -3 if heads_first else -2, x.shape[-1]

    def rows(t):
        shape = list(t.shape)
        shape[heads] = shape[-1] = 0
        return t.dtype, shape

    for name, t in (("q", q), ("k", k), ("v", v)):
        fits = t is None or (t.dim() >= 3 and t.is_floating_point())
        _expect(fits, f"{name} of floats, [.., tokens, heads, dim]", _described(t))
    if q is not None and k is not None:
        same = rows(q) == rows(k) and k.shape[-1] == last
        _expect(same, "q and k of one type that differ in their heads only", _described(q), _described(k))
    for name, gain, t in (("q", q_norm, q), ("k", k_norm, k)):
        if gain is not None:
            _expect(t is not None, f"{name} where there is norm.{name}", "none")
            fits = gain.is_floating_point() and gain.shape == (last,)
            _expect(fits, f"norm.{name} as floats [{last}]", _described(gain))
    if q_norm is not None and k_norm is not None:
        _expect(q_norm.dtype == k_norm.dtype, "norm.q and norm.k of one type", _described(q_norm), _described(k_norm))
    _expect(0 <= epsilon < math.inf, "norm.epsilon of at least 0", str(epsilon))
    if v is not None:
        _expect(rows(v) == rows(x), f"v like {_described(x)}, but for its heads and their features", _described(v))
        _expect(v_cache is not None, "cache.v where there is v", "none")
    for name, cache, t in (("k", k_cache, k), ("v", v_cache, v)):
        if cache is not None:
            _expect(t is not None, f"{name} where there is a cache.{name}", "none")
            fits = cache.dim() == 4 and cache.is_floating_point() and cache.shape[1] > 0
            fits = fits and cache.shape[2:] == (t.shape[heads], t.shape[-1])
            shape = f"[pages, page_size, {t.shape[heads]}, {t.shape[-1]}]"
            _expect(fits, f"cache.{name} as floats {shape} for {name} {_described(t)}", _described(cache))
    if k_cache is not None and v_cache is not None:
        same = k_cache.dtype == v_cache.dtype and k_cache.shape[:2] == v_cache.shape[:2]
        _expect(same, "cache.k and cache.v of one type, with the same pages", _described(k_cache), _described(v_cache))
    _check_places(places, k_cache if v_cache is None else v_cache, facts, x, heads_first)


def _check_places(places, cache, facts, x, heads_first) -> None:
    slots, block_table, sequences, cache_positions = places
    others = any(t is not None for t in places[1:])
    _expect(slots is None or not others, "cache.slots alone", "block_table, sequences or at beside them")
    said = slots is not None or others
    _expect(cache is not None or not said, "cache.k, cache.v or both where it is said what goes there", "neither")
    if cache is None or slots is not None:
        return
    if block_table is not None:
        fits = block_table.dim() == 2 and block_table.dtype in WHOLE
        _expect(fits, "cache.block_table as i32 or i64 [sequences, most pages]", _described(block_table))
    rows = math.prod(x.shape[:-3])
    count = cache.shape[0] if block_table is None else block_table.shape[0]
    fits = sequences is not None or rows <= count
    _expect(fits, f"a cache of at least {rows} sequences, one for each batch row", str(count))
    at = facts[1] if cache_positions is None else cache_positions
    if at is None:
        return
    fits = not at.is_floating_point() and (at.dim() < 3 or at.shape[0] == 1)
    if cache_positions is None:
        _expect(fits, "cache.at or cache.slots where positions are not whole or have several axes", "neither")
    tokens = facts[0]
    fits = fits and at.shape in ((tokens,), (1, tokens), (rows, tokens), (1, 1, tokens), (1, rows, tokens))
    _expect(fits, f"cache.at as whole numbers [1 or {rows}, {tokens}]", _described(at))


def _of_tokens(name, numbers, rows, tokens):
    if numbers.is_floating_point() or numbers.shape not in ((rows, tokens), (tokens,) if rows == 1 else ()):
        got = f"{numbers.dtype} {list(numbers.shape)}"
        raise ValueError(f"[rotate_into] expected {name} as whole numbers [{rows}, {tokens}], got {got}")
    return numbers.expand(rows, tokens)


def _slots(cache, x, places, facts):
    """The slot of every token, [rows, tokens]; negative ones are not stored."""
    slots, block_table, sequences, cache_positions = places
    tokens, positions, first, _ = facts
    rows = math.prod(x.shape[:-3])
    if slots is not None:
        return _of_tokens("slots", slots, rows, tokens)
    at = positions if cache_positions is None else cache_positions
    if at is None:
        at = torch.arange(first, first + tokens, device=x.device)
    at = (at[0] if at.dim() == 3 else at).expand(rows, tokens)
    if sequences is None:
        sequences = torch.arange(rows, device=x.device)[:, None]
    else:
        sequences = _of_tokens("sequences", sequences, rows, tokens)
    sequences, size = sequences.expand(rows, tokens), cache.shape[1]
    count, most = (cache.shape[0], 1) if block_table is None else block_table.shape
    inside = (at >= 0) & (at < most * size) & (sequences >= 0) & (sequences < count)
    pages = sequences
    if block_table is not None and block_table.numel():
        pages = block_table[torch.where(inside, sequences, 0).long(), torch.where(inside, at // size, 0).long()]
        at = at % size
    return torch.where(inside, pages * size + at, -1)


def _store(x, cache, slots) -> None:
    pages, size = cache.shape[:2]
    flat, slots = x.reshape(-1, *x.shape[-2:]).to(cache.dtype), slots.reshape(-1).long()
    keep = (slots >= 0) & (slots < pages * size)
    cache[slots[keep] // size, slots[keep] % size] = flat[keep]


register(SCHEMA, rotate_into, _fake)
