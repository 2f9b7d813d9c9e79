"""Encodings that act on the input of a Transformer: x + row(position)."""

from __future__ import annotations

import torch

from . import _absolute  # noqa: F401  the ops
from ._direct import expect_count, expect_tensors, expect_whole
from ._encoding import Encoding
from ._registry import chosen
from ._sharded import Spread, expect_plain, is_spread

ops = torch.ops.posenc


class AbsoluteEncoding(Encoding):
    """Any scheme that adds a row to each token: "sinusoidal", "learned", "nerf", "time2vec", ..."""

    family = "absolute"

    def forward(self, x: torch.Tensor, positions: torch.Tensor | None = None, first: int = 0) -> torch.Tensor:
        """x + the rows of its tokens. x: [.., tokens, dim]. positions: [tokens], [rows, tokens] or
        [axes, rows, tokens], whole numbers or floats; None: first, first + 1, ..."""
        expect_tensors(type(self).__name__, x=x)
        expect_whole(type(self).__name__, first=first)
        if not is_spread(x):
            return self._add(x, positions, first, self.weights)
        parts = Spread([x], axes=2, fixed={-1} if x.dim() < 4 else {-1, *range(x.dim() - 2)})
        at = parts.positions(positions, first, -2)
        return parts.back([self._add(parts.local[0], *at, parts.weights(self.held))])[0]

    def _add(self, x, positions, first, weights):
        return chosen("add", x, positions, *weights)(x, positions, first, self.handle, weights)

    def rows(self, tokens: int, positions=None, *, first: int = 0, device=None, dtype=None) -> torch.Tensor:
        """The rows themselves: [tokens, dim], or [rows, tokens, dim] for positions with rows."""
        expect_count(type(self).__name__, tokens=tokens)
        expect_whole(type(self).__name__, first=first)
        return ops.rows(self._like(device, dtype, positions), tokens, positions, first, self.handle, self.weights)

    def embed(self, ids, embedding: torch.Tensor, positions=None, *, scale: float = 1.0, first: int = 0):
        """scale * embedding[ids] + the rows of their positions, in one pass. ids: [.., tokens]."""
        expect_tensors(type(self).__name__, ids=ids, embedding=embedding)
        expect_plain(type(self).__name__, ids=ids, embedding=embedding)
        expect_whole(type(self).__name__, first=first)
        if not embedding.dim():
            raise ValueError("[embed] expected embedding [vocabulary, dim], got []")
        weights = self.weights
        embed = chosen("embed", ids, embedding, positions, *weights)
        return embed(ids, embedding, float(scale), positions, first, self.handle, weights)


class SinusoidalEncoding(AbsoluteEncoding):
    """Fixed sines and cosines (Vaswani et al., 2017), in every convention: `SinusoidalEncoding(dim=512)`."""

    def __init__(self, **options) -> None:
        super().__init__("sinusoidal", **options)


class LearnedEncoding(AbsoluteEncoding):
    """A trained table, one row for each position: `LearnedEncoding(rows=512, dim=768)`."""

    def __init__(self, **options) -> None:
        super().__init__("learned", **options)
