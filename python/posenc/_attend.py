"""Attention with any positional encoding."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from posenc import _core
from posenc._arrays import empty
from posenc._scheme import ready


def attend(
    q: Any, k: Any, v: Any, encoding: Any = None, *, queries: Any = None, keys: Any = None, causal: bool = False,
    scale: Optional[float] = None, scale_on: str = "scores", softmax_factor: bool = False, first_head: Optional[int] = None,
    gates: Any = None, values: Any = None, out: Any = None,
) -> Any:
    """softmax(scale q . k + what the encoding says) v, on the CPU, without a table of all scores.

    q: [..., queries, heads, dim]; k, v: [..., keys, kv_heads, dim]. encoding: a scheme or a plan that
    rotates queries and keys or acts on scores, or None. scale: 1 / sqrt(dim) unless given.
    """
    if out is None:
        out = empty((*np.shape(q)[:-1], *np.shape(v)[-1:]), q)
    where = (queries, keys, causal, scale)
    if encoding is None:
        _core.attend(q, k, v, out, *where)
    else:
        shaw = None if values is None else ready("attend", values)
        ready("attend", encoding).attend(q, k, v, out, *where, scale_on, softmax_factor, first_head, gates, shaw)
    return out
