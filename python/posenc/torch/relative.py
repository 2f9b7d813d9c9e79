"""Encodings that act on scores: a bias for each head, query and key, or a term that reads q and k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from posenc import _core

from . import _bias, _content  # noqa: F401  the ops of both
from ._direct import as_number, expect_count, expect_flag, expect_tensors, expect_whole
from ._encoding import Encoding
from ._plans import heads_of
from ._registry import select_impl
from ._sharded import LocalParts, expect_plain, is_dtensor

if TYPE_CHECKING:
    from ._options import BiasInit, ContentInit
else:
    BiasInit = ContentInit = Encoding

ops = torch.ops.posenc


WHERE = ["query_positions", "key_positions", "first_query", "first_key", "first_head", "causal", "scale", "scale_sum"]


def _places(
    query_positions=None, key_positions=None, first_query: int = 0, first_key: int = 0, first_head: int | None = None,
    causal: bool = False, **others,
):  # fmt: skip
    """Where queries, keys and heads stand, as ops take it."""
    for name in others:
        raise TypeError(f"[posenc] {_core.unknown_option(name, WHERE)}")
    expect_whole("posenc", first_query=first_query, first_key=first_key, first_head=first_head or 0)
    expect_flag("posenc", causal=causal)
    return query_positions, key_positions, first_query, first_key, first_head, causal


def _places_of(module, scores, where):
    """The same beside scores: they hold all heads, unless first_head says which one is their first."""
    *places, first_head, causal = _places(**where)
    if first_head is None and module.heads and scores.dim() > 2 and scores.shape[-3] != module.heads:
        raise ValueError(
            f"[{type(module).__name__}] expected scores of all {module.heads} heads, or first_head where they hold some of "
            f"them, got {list(scores.shape)}"
        )
    return *places, first_head or 0, causal


def _part(parts, queries, keys, first_query, first_key, first_head, causal):
    """The same of the scores that this device holds: some of the heads, of the queries or of the batch."""
    queries, first_query = parts.positions(queries, first_query, -2)
    keys, first_key = parts.positions(keys, first_key, -1)
    return queries, keys, first_query, first_key, first_head + parts.offset[-3], causal


class RelativeBias(BiasInit):
    """Any bias by name: `RelativeBias("alibi", heads=8)`, "t5", "clipped", "kerple", "window", ..."""

    family = "relative"

    heads: int

    if not TYPE_CHECKING:  # which is told the options of each scheme

        def __init__(self, scheme, **options) -> None:
            super().__init__(scheme, **options)
            self.heads = self.options["heads"]

    def forward(
        self,
        queries: int,
        keys: int | None = None,
        *,
        query_positions=None,
        key_positions=None,
        first_query: int = 0,
        first_key: int = 0,
        causal: bool = False,
        device=None,
        dtype=None,
    ):
        """The biases, [heads, queries, keys]; with rows of positions, [rows, heads, queries, keys].
        causal: keys after the query get -infinity."""
        keys = queries if keys is None else keys
        expect_count(type(self).__name__, queries=queries, keys=keys)
        given = query_positions if query_positions is not None else key_positions
        like = self._like(device, dtype, given)
        places = _places(query_positions, key_positions, first_query, first_key, 0, causal)
        return ops.bias(like, self.heads, queries, keys, *places, self.handle, self.weights)

    def add(self, scores, *, scale: float = 1.0, scale_sum: bool = False, **where):
        """scale * scores + bias, or with scale_sum scale * (scores + bias). scores: [.., heads, queries, keys]. Keywords:
        query_positions, key_positions, first_query, first_key, first_head (if the scores hold only some of the heads),
        causal."""
        expect_tensors(type(self).__name__, scores=scores)
        how, places = self._how(scale, scale_sum), _places_of(self, scores, where)
        if not is_dtensor(scores):
            return self._add(scores, how, places, self.weights)
        parts = LocalParts([scores], axes=3, fixed={-1})
        return parts.back([self._add(parts.local[0], how, _part(parts, *places), parts.weights(self.held))])[0]

    def _how(self, scale, scale_sum):
        expect_flag(type(self).__name__, scale_sum=scale_sum)
        return as_number(type(self).__name__, "scale", scale), scale_sum

    def _add(self, scores, how, places, weights):
        add = select_impl("add_bias", scores, *places[:2], *weights)
        return add(scores, *how, *places, self.handle, weights)

    def add_(self, scores, *, scale: float = 1.0, scale_sum: bool = False, **where):
        """The same in place. If a gradient is needed, or the numbers are not in memory as they are (`is_neg`), the sum is
        computed first and then copied."""
        expect_tensors(type(self).__name__, scores=scores)
        expect_plain(type(self).__name__, scores=scores)
        places = _places_of(self, scores, where)
        rest = (*self._how(scale, scale_sum), *places, self.handle, self.weights)
        given = (t for t in (scores, *self.weights, *places[:2]) if t is not None)
        negated = not torch.compiler.is_compiling() and scores.is_neg()
        if negated or (torch.is_grad_enabled() and any(t.requires_grad for t in given)):
            return scores.copy_(ops.add_bias(scores, *rest))
        ops.add_bias_(scores, *rest)
        torch.autograd.graph.increment_version(scores)
        return scores


class ContentTerm(ContentInit):
    """A term that reads queries, keys or gates: "shaw", "transformer-xl", "deberta", "cope", "forgetting", ..."""

    family = "content"

    heads: int  # with weights of their own; 0 where any number of them will do

    if not TYPE_CHECKING:

        def __init__(self, scheme, **options) -> None:
            super().__init__(scheme, **options)
            self.heads = heads_of(self.handle)

    def forward(self, scores, q=None, k=None, gates=None, *, scale: float = 1.0, scale_sum: bool = False, **where):
        """scores plus the term. scores: [.., heads, queries, keys], products of q and k before scaling; q: [.., queries,
        heads, dim], k: [.., keys, heads, dim], gates: [.., keys, heads]. Keywords: query_positions, key_positions,
        first_query, first_key, first_head, causal."""
        read = {name: t for name, t in (("q", q), ("k", k), ("gates", gates)) if t is not None}
        expect_tensors(type(self).__name__, scores=scores, **read)
        expect_plain(type(self).__name__, scores=scores, **read)
        inputs, places = (scores, q, k, gates), _places_of(self, scores, where)
        expect_flag(type(self).__name__, scale_sum=scale_sum)
        scale = as_number(type(self).__name__, "scale", scale)
        return ops.add_term(*inputs, scale, scale_sum, *places, self.handle, self.weights)
