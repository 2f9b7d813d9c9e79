"""Encodings that act on the input of a Transformer: x + row(position)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import _absolute  # noqa: F401  the ops
from ._direct import as_number, expect_count, expect_tensors, expect_whole
from ._encoding import InputEncoding
from ._registry import select_impl
from ._sharded import LocalParts, expect_plain, is_dtensor

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AbsoluteInit, LearnedOptions, SinusoidalOptions
else:
    AbsoluteInit = InputEncoding

ops = torch.ops.posenc


class AbsoluteEncoding(AbsoluteInit):
    """Any scheme that adds a row to each token: `AbsoluteEncoding("nerf", ..., batch_first=True)`."""

    family = "absolute"

    def forward(self, x: torch.Tensor, positions: torch.Tensor | None = None, first: int = 0) -> torch.Tensor:
        """x + the rows of its tokens. x: [batch, tokens, dim], or [tokens, batch, dim] without batch_first. positions:
        [tokens], [batch, tokens] or [axes, batch, tokens], integers or f64; None: first, first + 1, ..."""
        expect_tensors(type(self).__name__, x=x)
        expect_whole(type(self).__name__, first=first)
        x = self._swapped(x, "dim")
        if not is_dtensor(x):
            return self._swapped(self._add(x, positions, first, self.weights), "dim")
        parts = LocalParts([x], axes=2, fixed={-1} if x.dim() < 4 else {-1, *range(x.dim() - 2)})
        at = parts.positions(positions, first, -2)
        return self._swapped(parts.back([self._add(parts.local[0], *at, parts.weights(self.held))])[0], "dim")

    def _add(self, x, positions, first, weights):
        return select_impl("add", x, positions, *weights)(x, positions, first, self.handle, weights)

    def rows(self, tokens: int, positions=None, *, first: int = 0, device=None, dtype=None) -> torch.Tensor:
        """The rows themselves: [tokens, dim], or [rows, tokens, dim] for positions with rows."""
        expect_count(type(self).__name__, tokens=tokens)
        expect_whole(type(self).__name__, first=first)
        return ops.rows(self._like(device, dtype, positions), tokens, positions, first, self.handle, self.weights)

    def embed(self, ids, embedding: torch.Tensor, positions=None, *, scale: float = 1.0, first: int = 0):
        """scale * embedding[ids] + the rows of their positions, in one pass. ids: [batch, tokens], or [tokens, batch]
        without batch_first; embedding: [vocabulary, dim]."""
        expect_tensors(type(self).__name__, ids=ids, embedding=embedding)
        expect_plain(type(self).__name__, ids=ids, embedding=embedding)
        expect_whole(type(self).__name__, first=first)
        if not embedding.dim():
            raise ValueError("[embed] expected embedding [vocabulary, dim], got []")
        weights = self.weights
        scale = as_number(type(self).__name__, "scale", scale)
        embed = select_impl("embed", ids, embedding, positions, *weights)
        ids = self._swapped(ids, "")
        return self._swapped(embed(ids, embedding, scale, positions, first, self.handle, weights), "dim")


class SinusoidalEncoding(AbsoluteEncoding):
    """Fixed sines and cosines (Vaswani et al., 2017), in every convention:
    `SinusoidalEncoding(dim=512, batch_first=True)`."""

    if TYPE_CHECKING:

        def __init__(
            self, *, batch_first: bool, device: Any = None, dtype: Any = None, **options: Unpack[SinusoidalOptions]
        ) -> None: ...

    else:

        def __init__(self, **options) -> None:
            super().__init__("sinusoidal", **options)


class LearnedEncoding(AbsoluteEncoding):
    """A trained table, one row for each position: `LearnedEncoding(rows=512, dim=768, batch_first=True)`."""

    if TYPE_CHECKING:

        def __init__(
            self, *, batch_first: bool, device: Any = None, dtype: Any = None, **options: Unpack[LearnedOptions]
        ) -> None: ...

    else:

        def __init__(self, **options) -> None:
            super().__init__("learned", **options)


class PositionalEncoding(SinusoidalEncoding):
    """The class found in textbooks, without its table: `PositionalEncoding(512, max_len=5000)` adds sines and cosines.

    x is [batch, tokens, embed_size], or [tokens, embed_size] without a batch. The class of the same name in PyTorch's
    tutorial puts tokens first and applies dropout: replace it with `PositionalEncoding(512, dropout=0.1,
    batch_first=False)`, with x [tokens, batch, embed_size]. The table that such classes store as `pe` in a checkpoint is
    compared with the exact one and then dropped.
    """

    def __init__(self, embed_size: int, max_len: int = 5000, *, dropout: float = 0.0, batch_first: bool = True) -> None:
        where = type(self).__name__
        if isinstance(max_len, float):  # the tutorial's second argument
            raise TypeError(f"[{where}] expected max_len as a whole number, got {max_len}: say dropout={max_len}")
        expect_whole(where, max_len=max_len)
        if max_len < 1:
            raise ValueError(f"[{where}] expected max_len of at least 1, got {max_len}")
        if not 0 <= dropout <= 1:
            raise ValueError(f"[{where}] expected dropout from 0 to 1, got {dropout}")
        super().__init__(dim=embed_size, batch_first=batch_first)
        self.dropout, self.max_len, self.embed_size = torch.nn.Dropout(dropout), max_len, embed_size

    @property
    def pe(self) -> torch.Tensor:
        """The table that such classes store, computed when it is read: [1, max_len, embed_size], or [max_len, 1, embed_size]."""
        return self.rows(self.max_len, dtype=self._home.dtype).unsqueeze(0 if self.batch_first else 1)

    def forward(self, x: torch.Tensor, positions: torch.Tensor | None = None, first: int = 0) -> torch.Tensor:
        """x with the rows of its tokens, after dropout; x: at most max_len tokens."""
        expect_tensors(type(self).__name__, x=x)
        expect_whole(type(self).__name__, first=first)
        tokens = x.shape[0 if x.dim() == 3 and not self.batch_first else -2] if x.dim() > 1 else 0
        if first + tokens > self.max_len:
            raise ValueError(f"[{type(self).__name__}] expected at most max_len {self.max_len} tokens, got {first + tokens}")
        return self.dropout(super().forward(x, positions, first))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors):
        table = state_dict.pop(f"{prefix}pe", None)
        if table is not None and not self._is_mine(table):
            errors.append(f"[{type(self).__name__}] expected the paper's sines and cosines as {prefix}pe, got another table")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing, unexpected, errors)

    def _is_mine(self, table: torch.Tensor) -> bool:
        dim = self.options["dim"]
        if not table.dim() or table.shape[-1] != dim or not table.is_floating_point():
            return False
        if table.is_meta:  # as checkpoints are read before their numbers
            return True
        rows = table.detach().to("cpu", torch.float64).reshape(-1, dim)
        exact = self.rows(len(rows), device="cpu", dtype=torch.float64)
        # In f32 the angle of the last row is off by a unit or two of its last place; narrower tables are rounded besides.
        rounding = 2 * len(rows) * torch.finfo(torch.float32).eps + 2 * torch.finfo(table.dtype).eps
        return bool((rows - exact).abs().max() <= rounding) if rows.numel() else True
