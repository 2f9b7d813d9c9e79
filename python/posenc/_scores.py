"""Verbs of schemes that act on scores: biases, and terms that read queries or keys."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from posenc._arrays import counted, dtype_of, like, whole, zeros
from posenc._scheme import Plan, Scheme


def score_options(
    queries: Any, keys: Any, first_head: Optional[int], causal: bool, scale: float, scale_on: str, stream: Optional[int]
) -> dict[str, Any]:
    return {
        "queries": queries, "keys": keys, "first_head": first_head, "causal": causal,
        "scale": scale, "scale_on": scale_on, "stream": stream,
    }  # fmt: skip


def rows_of_both(queries: tuple[int, ...], keys: tuple[int, ...]) -> tuple[int, ...]:
    """Rows of positions, where one row serves all of the other."""
    try:
        return np.broadcast_shapes(queries, keys)
    except ValueError:
        raise ValueError(f"[bias] expected as many rows of keys as of queries, got {keys[0]} and {queries[0]}") from None


class BiasVerbs:
    """scores: [..., heads, queries, keys].

    queries, keys: their positions; None (0, 1, 2, ...), the first one, or an array. scale is that of the softmax: it
    applies to the "scores" before the bias is added, or to their "sum". causal: keys after the query get -infinity.
    """

    __slots__ = ()
    _ready: Any

    def bias(
        self, queries: Any, keys: Any, dtype: Any = np.float32, *, causal: bool = False, scale: float = 1.0,
        scale_on: str = "scores",
    ) -> np.ndarray:
        """The biases as an array [heads, queries, keys]; queries and keys: how many, or positions."""
        query_at, query_shape = counted("bias", queries)
        key_at, key_shape = counted("bias", keys)
        rows = rows_of_both(query_shape[:-1], key_shape[:-1])
        out = np.empty((*rows, self._ready.heads, query_shape[-1], key_shape[-1]), dtype_of(dtype))
        self._ready.fill_bias(out, query_at, key_at, 0, causal, scale, scale_on)
        return out

    def add_(
        self, scores: Any, queries: Any = None, keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False,
        scale: float = 1.0, scale_on: str = "scores", stream: Optional[int] = None,
    ) -> Any:
        """Adds the biases in place. scores: [..., heads, queries, keys]; queries, keys: None (0, 1, 2, ...), the first one,
        or positions [tokens] or [rows, tokens]."""
        self._ready.add_bias(
            scores, None, queries, keys, first_head, causal, scale, scale_on, stream
        )
        return scores

    def add(
        self, scores: Any, queries: Any = None, keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False,
        scale: float = 1.0, scale_on: str = "scores", out: Any = None, stream: Optional[int] = None,
    ) -> Any:
        """Scores plus their biases. scores, out: [..., heads, queries, keys]."""
        out = like(scores) if out is None else out
        how = score_options(queries, keys, first_head, causal, scale, scale_on, stream)
        self._ready.add_bias(scores, out, **how)
        return out

    def profile(self, first: int, count: int, dtype: Any = np.float32) -> np.ndarray:
        """[heads, count]: the biases at distances key - query = first, first + 1, ..."""
        out = np.empty((self._ready.heads, whole("profile", "distances", count)), dtype_of(dtype))
        self._ready.fill_profile(out, first)
        return out

    def at(self, head: int, query: float, key: float) -> float:
        """The bias of one head for a query and a key at these positions: one element of bias(), which is [heads, queries, keys]."""
        return self._ready.bias_at(head, query, key)

    def backward(
        self, dout: Any, queries: Any = None, keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False,
        scale: float = 1.0, scale_on: str = "scores", stream: Optional[int] = None,
    ) -> dict[str, Any]:
        """The gradient of every weight, by name; that of the scores is scale * dout. dout: [..., heads, queries, keys]."""
        out = {w["name"]: zeros(w["shape"], dout) for w in self._ready.scheme.weights()}
        how = score_options(queries, keys, first_head, causal, scale, scale_on, stream)
        self._ready.backward_bias(dout, list(out.values()), **how)
        return out


class ContentVerbs:
    """scores: q . k, [..., heads, queries, keys]; q, k: [..., tokens, heads, dim]; gates: [..., keys, heads].

    Inputs that a scheme does not read may be left out.
    """

    __slots__ = ()
    _ready: Any

    @property
    def reads(self) -> list[str]:
        """Which of q, k and gates the scheme reads."""
        return self._ready.reads

    def add_(
        self, scores: Any, q: Any = None, k: Any = None, gates: Any = None, queries: Any = None,
        keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False, scale: float = 1.0,
        scale_on: str = "scores", stream: Optional[int] = None,
    ) -> Any:
        """Adds the term in place. scores: [..., heads, queries, keys]; q: [..., queries, heads, dim]; k:
        [..., keys, heads, dim]; gates: [..., keys, heads]."""
        how = score_options(queries, keys, first_head, causal, scale, scale_on, stream)
        self._ready.add_term(scores, q, k, gates, None, **how)
        return scores

    def add(
        self, scores: Any, q: Any = None, k: Any = None, gates: Any = None, queries: Any = None,
        keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False, scale: float = 1.0,
        scale_on: str = "scores", out: Any = None, stream: Optional[int] = None,
    ) -> Any:
        """Scores plus the term. scores, out: [..., heads, queries, keys]; q, k, gates: as in add_()."""
        out = like(scores) if out is None else out
        how = score_options(queries, keys, first_head, causal, scale, scale_on, stream)
        self._ready.add_term(scores, q, k, gates, out, **how)
        return out

    def backward(
        self, scores: Any, dout: Any, q: Any = None, k: Any = None, gates: Any = None, queries: Any = None,
        keys: Any = None, *, first_head: Optional[int] = None, causal: bool = False, scale: float = 1.0,
        scale_on: str = "scores", stream: Optional[int] = None,
    ) -> dict[str, Any]:
        """Gradients by name: "scores", those of q, k and gates if given, and those of the weights. scores, dout: [...,
        heads, queries, keys]; q, k, gates: as in add_()."""
        how = score_options(queries, keys, first_head, causal, scale, scale_on, stream)
        read = {n: x for n, x in (("q", q), ("k", k), ("gates", gates)) if x is not None}
        out = {n: zeros(np.shape(x), dout) for n, x in {**read, "scores": dout}.items()}
        weights = {w["name"]: zeros(w["shape"], dout) for w in self._ready.scheme.weights()}
        self._ready.backward_term(
            scores, dout, q, k, gates, out.get("q"), out.get("k"), out.get("gates"), out["scores"],
            list(weights.values()), **how,
        )  # fmt: skip
        return {**out, **weights}

    def add_to_outputs_(
        self, out: Any, probabilities: Any, queries: Any = None, keys: Any = None, *, first_head: Optional[int] = None,
        stream: Optional[int] = None,
    ) -> Any:
        """Shaw's encoding of values: out[i] += sum over j of P[i, j] times the row for i and j. out:
        [..., queries, heads, dim]; probabilities: [..., heads, queries, keys]."""
        self._ready.add_to_outputs(
            probabilities, out, queries, keys, first_head, stream=stream
        )
        return out


class BiasPlan(BiasVerbs, Plan):
    """The plan of a bias."""

    __slots__ = ()


class Bias(BiasVerbs, Scheme):
    """A scheme that adds a bias for each head, query and key."""

    __slots__ = ()
    _plan_class = BiasPlan


class ContentPlan(ContentVerbs, Plan):
    """The plan of a term."""

    __slots__ = ()


class Content(ContentVerbs, Scheme):
    """A scheme that reads queries or keys and acts on scores."""

    __slots__ = ()
    _plan_class = ContentPlan
