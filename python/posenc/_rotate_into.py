"""rotate_into: normalises and rotates heads and writes keys and values to a KV cache, in one pass."""

from __future__ import annotations

from typing import Any, Optional

from posenc._arrays import ids_or_none, like


def both(q: Any, k: Any) -> Any:
    """Both, or the one that is given."""
    return (q, k) if q is not None and k is not None else k if q is None else q


def is_heads_first(verb: str, heads_first: Optional[bool], *arrays: Any) -> bool:
    """Which axis of queries and keys holds tokens; where there are batches too, the caller of the verb must say."""
    axes = max((len(getattr(x, "shape", ())) for x in arrays), default=0)
    if heads_first is None and axes > 3:
        raise ValueError(
            f"[{verb}] expected heads_first=False for [batch, tokens, heads, dim] or heads_first=True for "
            f"[batch, heads, tokens, dim], got neither for {axes} axes: it cannot be guessed"
        )
    return False if heads_first is None else heads_first


class RotateIntoVerbs:
    """The serving step of every layer; tensors are as in rotate()."""

    __slots__ = ()
    _ready: Any

    def rotate_into(
        self, q: Any, k: Any = None, v: Any = None, positions: Any = None, *, k_cache: Any = None, v_cache: Any = None,
        slots: Any = None, block_table: Any = None, sequences: Any = None, cache_positions: Any = None,
        q_norm: Any = None, k_norm: Any = None, epsilon: float = 1e-6, one_plus: bool = False,
        return_keys: bool = False, heads_first: Optional[bool] = None, stream: Optional[int] = None,
    ) -> Any:
        """Normalises and rotates heads and writes keys and values to their cache, in one pass.

        q, k, v: [..., tokens, heads, dim], or [..., heads, tokens, dim] with heads_first. Returns q, rotated; with
        return_keys, or without a k_cache, the keys too. k_cache, v_cache: [pages, page_size, heads, dim] with any strides,
        or [sequences, capacity, heads, dim]. slots: page * page_size + index in the page, for each token; or block_table:
        the pages of each sequence. sequences, cache_positions: the sequence of each token and its index in it, if they are
        not its batch row and its position; negative: not stored. q_norm, k_norm: weights [dim] of an RMS norm of each head
        with this epsilon; one_plus: 1 + weight, as in Gemma.
        """
        given = (k_cache, v_cache, slots, block_table, sequences, cache_positions, q_norm, k_norm, epsilon, one_plus)
        q_out = None if q is None else like(q)
        k_out = like(k) if k is not None and (return_keys or k_cache is None) else None
        return self._write(q, k, v, q_out, k_out, positions, given, heads_first, stream)

    def rotate_into_(
        self, q: Any, k: Any = None, v: Any = None, positions: Any = None, *, k_cache: Any = None, v_cache: Any = None,
        slots: Any = None, block_table: Any = None, sequences: Any = None, cache_positions: Any = None,
        q_norm: Any = None, k_norm: Any = None, epsilon: float = 1e-6, one_plus: bool = False,
        return_keys: bool = False, heads_first: Optional[bool] = None, stream: Optional[int] = None,
    ) -> Any:
        """rotate_into() with q rotated in place, and k if it is returned. q, k, v: [..., tokens, heads, dim]."""
        given = (k_cache, v_cache, slots, block_table, sequences, cache_positions, q_norm, k_norm, epsilon, one_plus)
        k_out = k if return_keys or k_cache is None else None
        return self._write(q, k, v, q, k_out, positions, given, heads_first, stream)

    def _write(
        self, q: Any, k: Any, v: Any, q_out: Any, k_out: Any, positions: Any, given: Any, heads_first: Optional[bool], stream: Any
    ) -> Any:
        k_cache, v_cache, slots, block_table, sequences, cache_positions, q_norm, k_norm, epsilon, one_plus = given
        self._ready.rotate_into(
            q, k, v, q_out, k_out, q_norm, k_norm, epsilon, one_plus, k_cache, v_cache, ids_or_none(slots),
            ids_or_none(block_table), ids_or_none(sequences), cache_positions, positions,
            is_heads_first("rotate_into", heads_first, q, k, v), stream,
        )  # fmt: skip
        return both(q_out, k_out)
