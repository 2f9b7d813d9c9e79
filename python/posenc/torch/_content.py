"""Ops of terms that read queries or keys to act on scores."""

from __future__ import annotations

import torch

from . import _fallback, _native
from ._bias import SCORES, how, places_of
from ._plans import plan_of
from ._registry import register

INPUTS = "Tensor scores, Tensor? q, Tensor? k, Tensor? gates"


def _add_term(scores, q, k, gates, scale, scale_sum, *rest):
    arguments = (scores, q, k, gates, scale, scale_sum, *rest)
    if not _native.has_kernel_for(scores):
        return torch.empty_like(scores).copy_(_add_term(*_fallback.on_host(arguments)))
    *places, scheme, weights = rest
    out = torch.empty_like(scores)
    plan = plan_of(scheme, weights, scores.device)
    plan.add_term(*map(_native.read, (scores, q, k, gates)), out, **how(scores, scale, scale_sum, *places))
    return out


def _add_term_fake(scores, *rest):
    return torch.empty_like(scores)


def _sum_like(t, scores):
    """Zeros of the type that gradients are summed in."""
    return t if t is None else torch.zeros(t.shape, dtype=_native.compute_type(scores.dtype), device=t.device)


def _term_gradients(dout, scores, q, k, gates, scale, scale_sum, *rest):
    """Of scores, then of those of q, k and gates that are given, then of the weights."""
    arguments = (dout, scores, q, k, gates, scale, scale_sum, *rest)
    if not _native.has_kernel_for(scores):
        return [g.to(scores.device) for g in _term_gradients(*_fallback.on_host(arguments))]
    *places, scheme, weights = rest
    sums = [_sum_like(t, scores) for t in (q, k, gates, scores)]
    dweights = _native.zeros_for(weights, dout)
    plan = plan_of(scheme, weights, scores.device)
    first = map(_native.read, (scores, dout, q, k, gates))
    plan.backward_term(*first, *sums, dweights, **how(scores, scale, scale_sum, *places))
    inputs = (q, k, gates, scores)
    done = [s.to(t.dtype) for s, t in zip(sums, inputs) if t is not None]
    return [done[-1], *done[:-1], *(s.to(w.dtype) for s, w in zip(dweights, weights))]


def _term_gradients_fake(dout, scores, q, k, gates, *rest):
    given = [t for t in (scores, q, k, gates) if t is not None]
    return [torch.empty(t.shape, dtype=t.dtype, device=t.device) for t in (*given, *rest[-1])]


def _setup(ctx, inputs, output):
    scores, q, k, gates, scale, scale_sum, queries, keys, *ctx.rest, ctx.scheme, weights = inputs
    ctx.scales, ctx.given = (scale, scale_sum), (queries is not None, keys is not None)
    ctx.has = [t is not None for t in (q, k, gates)]
    kept = (queries, keys, scores, q, k, gates)
    ctx.save_for_backward(*(t for t in kept if t is not None), *weights)


def _backward(ctx, dout):
    places, (scores, *saved) = places_of(ctx)
    inputs = [saved.pop(0) if has else None for has in ctx.has]
    done = torch.ops.posenc.term_gradients(dout, scores, *inputs, *ctx.scales, *places, *ctx.rest, ctx.scheme, saved)
    dscores, *done = done
    given = [done.pop(0) if has else None for has in ctx.has]
    return (dscores, *given) + (None,) * 9 + (done,)


register(f"add_term({INPUTS}, {SCORES}) -> Tensor", _add_term, _add_term_fake, _setup, _backward)
register(f"term_gradients(Tensor dout, {INPUTS}, {SCORES}) -> Tensor[]", _term_gradients, _term_gradients_fake)
