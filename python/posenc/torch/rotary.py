"""Encodings that rotate queries and keys by angles of the position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from posenc._rotary import row_heads

from . import _rotary, _rotate_into  # noqa: F401  the ops
from ._direct import expect_count, expect_tensors, expect_whole, is_direct
from ._encoding import Encoding
from ._plans import plan_of, scheme_of
from ._registry import select_impl
from ._sharded import LocalParts, expect_plain, is_dtensor

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from posenc import Scheme

    from ._options import RopeOptions

ops = torch.ops.posenc


class RotaryEncoding(Encoding):
    """Rotary position embedding, every convention and length rule: `RotaryEncoding(dim=64, layout="half",
    heads_first=True)`.

    heads_first: queries and keys are [batch, heads, tokens, dim], as scaled_dot_product_attention takes them; without it
    they are [batch, tokens, heads, dim].
    """

    family = "rotary"

    def __init__(
        self, scheme: str | Scheme = "rope", *, heads_first: bool = None, device: Any = None, dtype: Any = None,  # type: ignore[assignment]
        **options: Unpack[RopeOptions],
    ) -> None:  # fmt: skip
        super().__init__(scheme, device=device, dtype=dtype, **options)
        if not isinstance(heads_first, bool):
            raise TypeError(
                "[RotaryEncoding] expected heads_first=True where queries and keys are [batch, heads, tokens, dim], or False "
                f"where they are [batch, tokens, heads, dim], got {heads_first}: it cannot be guessed"
            )
        self.heads_first = heads_first
        self.row_heads = row_heads(scheme_of(self.handle).weights())

    def forward(self, q, k=None, positions=None, *, first: int = 0, length: int = 0):
        """(q, k) rotated, or only q if k is None. positions: [tokens], [batch, tokens] or [axes, batch, tokens], integers
        or f64; None: first, first + 1, ... length: tokens of the whole text, for length rules that need it; 0: as far as
        the positions go."""
        if q is None:
            raise TypeError('[RotaryEncoding] expected queries, got None: turn(k, "k") turns keys alone')
        if k is None:
            return self.turn(q, "q", positions, first=first, length=length)
        return tuple(self._turn([q, k], "qk", positions, first, length))

    def turn(self, x, role: str = "q", positions=None, *, first: int = 0, length: int = 0) -> torch.Tensor:
        """Rotates only queries ("q") or only keys ("k"), with the axes of forward()."""
        if role not in ("q", "k"):
            raise ValueError(f'[RotaryEncoding] expected the role "q" or "k", got {role!r}')
        return self._turn([x], role, positions, first, length)[0]

    def _turn(self, x, roles, positions, first, length):
        expect_whole(type(self).__name__, first=first, length=length)
        if is_dtensor(x[0]):
            heads = -3 if self.heads_first else -2
            own = self.options.get("rotary_heads") is not None or self.row_heads > 1
            parts = LocalParts(x, axes=3, fixed={-1, heads} if own else {-1})
            at = parts.positions(positions, first, -2 if self.heads_first else -3)
            return parts.back(self._turn_plain(parts.local, roles, *at, length, parts.weights(self.held)))
        return self._turn_plain(x, roles, positions, first, length, self.weights)

    def _turn_plain(self, x, roles, positions, first, length, weights):
        turn = select_impl("turn", positions, *x, *weights)
        return turn(x, False, roles, positions, first, length, self.handle, weights, self.heads_first)

    def rotate_into(
        self, q, k=None, v=None, positions=None, *, k_cache=None, v_cache=None, slots=None, block_table=None,
        sequences=None, cache_positions=None, q_norm=None, k_norm=None, epsilon: float = 1e-6, one_plus: bool = False,
        return_keys: bool = False, first: int = 0, length: int = 0,
    ):  # fmt: skip
        """Normalises and rotates heads and writes keys and values to their cache, in one pass.

        Arguments are those of posenc.Rope.rotate_into(). Returns q, rotated; with return_keys, or without a k_cache, (q,
        k). There is no gradient: call it under torch.no_grad() or torch.inference_mode().
        """
        given = {"q": q, "k": k, "v": v, "k_cache": k_cache, "v_cache": v_cache, "q_norm": q_norm, "k_norm": k_norm}
        tensors = {name: t for name, t in given.items() if t is not None}
        expect_tensors(type(self).__name__, **({"q": q} if q is None and k is None else tensors))
        expect_plain(type(self).__name__, **tensors)
        expect_whole(type(self).__name__, first=first, length=length)
        places = (slots, block_table, sequences, cache_positions)
        known = [t for t in (positions, *places, *tensors.values(), *self.weights) if isinstance(t, torch.Tensor)]
        if torch.is_grad_enabled() and any(t.requires_grad for t in known):
            raise ValueError("[rotate_into] expected tensors that ask for no gradient, or no_grad(), got some that do")
        q_out = None if q is None else torch.empty_like(q)
        k_out = torch.empty_like(k) if k is not None and (return_keys or k_cache is None) else None
        weights = self.weights
        direct = is_direct(positions, *places, *tensors.values(), *weights)
        (_rotate_into.rotate_into if direct else ops.rotate_into)(
            q, k, v, q_out, k_out, k_cache, v_cache, *places, q_norm, k_norm, float(epsilon), one_plus, positions, first,
            length, self.handle, weights, self.heads_first,
        )  # fmt: skip
        for cache in (k_cache, v_cache):
            if cache is not None:
                torch.autograd.graph.increment_version(cache)
        return (q_out, k_out) if q is not None and k_out is not None else k_out if q is None else q_out

    def cos_sin(self, tokens: int, positions=None, *, first: int = 0, length: int = 0, device=None, dtype=None):
        """The cosines and sines of the pairs, [tokens, pairs] each, including the magnitude; [tokens, heads, pairs] if
        heads have their own. For positions with rows, [rows, tokens, ...]."""
        expect_count(type(self).__name__, tokens=tokens)
        expect_whole(type(self).__name__, first=first, length=length)
        like = self._like(device, dtype, positions)
        rows = ops.cos_sin(like, tokens, positions, first, length, self.handle, self.weights)
        return rows.unflatten(-1, (self.row_heads, 2, -1)).unbind(-2) if self.row_heads > 1 else rows.chunk(2, dim=-1)

    @property
    def softmax_factor(self) -> float:
        """The factor to multiply the model's softmax scale by; forward() does not apply it."""
        return plan_of(self.handle, self.weights, torch.device("cpu")).softmax_factor

    def _told(self) -> dict:
        return {**self.given, "heads_first": self.heads_first}
