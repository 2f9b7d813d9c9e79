"""Ops of encodings that add a bias for each head, query and key to scores."""

from __future__ import annotations

import math

import torch

from . import _fallback, _gather, _native
from ._plans import gradient_plan, is_linear, plan_of
from ._registry import select_impl, register

# queries, keys: their positions, or None: from first_query, first_key on.
PLACES = "Tensor? queries, Tensor? keys, SymInt first_query, SymInt first_key, SymInt first_head, bool causal"
SCORES = f"float scale, bool scale_sum, {PLACES}, str scheme, Tensor[] weights"


def how(x, scale, scale_sum, queries, keys, first_query, first_key, first_head, causal):
    """The keywords of the core's verbs on scores."""
    return {
        "queries": _native.at(queries, first_query, x),
        "keys": _native.at(keys, first_key, x),
        "first_head": first_head,
        "causal": causal,
        "scale": scale,
        "scale_on": "sum" if scale_sum else "scores",
        "stream": _native.stream(x),
    }


def _batch(queries, keys):
    """Rows of positions, where rows of the batch have their own; one row serves all of the other's."""
    rows = [p.shape[-2] for p in (queries, keys) if p is not None and p.dim() > 1]
    return tuple(([r for r in rows if r != 1] or rows)[:1])


def _bias_fake(like, heads, height, width, queries, keys, first_query, first_key, first_head, causal, scheme, weights):
    return like.new_empty((*_batch(queries, keys), heads, height, width))


def _bias(like, heads, height, width, *rest):
    *places, scheme, weights = rest
    if not _native.has_kernel_for(like):
        return _fallback.new_table(torch.ops.posenc.bias, like, (heads, height, width, *rest))
    out = _bias_fake(like, heads, height, width, *rest)
    if not _gather.add(out.zero_() if _gather.applies_to(like, places, scheme) else out, out, 1.0, False, *rest):
        plan_of(scheme, weights, like.device).fill_bias(out, **how(like, 1.0, False, *places))
    return out


def _added(scores, out, scale, scale_sum, *rest):
    *places, scheme, weights = rest
    if not _native.has_kernel_for(scores):
        _fallback.expect_floats("add", "scores", scores, "..., heads, queries, keys")
        if not math.isfinite(scale):
            raise ValueError(f"[add] expected scale to be finite, got {scale}")
        bias = _fallback.table_for(torch.ops.posenc.bias, scores, (*scores.shape[-3:], *rest))
        bias = _fallback.beside("add", bias, scores.shape[:-3], 3)
        wide = scores.to(bias.dtype)
        return out.copy_((wide + bias) * scale if scale_sum else wide * scale + bias)
    if not _gather.add(scores, out, scale, scale_sum, *rest):
        plan = plan_of(scheme, weights, scores.device)
        plan.add_bias(_native.read(scores), out, **how(scores, scale, scale_sum, *places))
    return out


def add_bias(scores, *rest):
    return _added(scores, torch.empty_like(scores), *rest)


def _add_bias_fake(scores, *rest):
    return torch.empty_like(scores)


def add_bias_in_place(scores, *rest):
    _added(scores, _native.read(scores), *rest)


def _bias_gradients(dout, scale, scale_sum, *rest):
    *places, scheme, weights = rest
    if not _native.has_kernel_for(dout):
        arguments = (scale, scale_sum, *rest)
        return _fallback.gradients(torch.ops.posenc.bias_gradients, dout, arguments)
    by_torch = _gather.network_gradients(dout, scale, scale_sum, places, scheme, weights)
    if by_torch is not None:
        return by_torch
    sums = _native.zeros_for(weights, dout)
    plan = gradient_plan(scheme, weights, dout.device)
    plan.backward_bias(_native.read(dout), sums, **how(dout, scale, scale_sum, *places))
    return [s.to(w.dtype) for s, w in zip(sums, weights)]


def _bias_gradients_fake(dout, scale, scale_sum, *rest):
    return [w.new_empty(w.shape) for w in rest[-1]]


def _keep(ctx, scale, scale_sum, queries, keys, *rest):
    *ctx.rest, ctx.scheme, weights = rest
    ctx.scales = (scale, scale_sum)
    ctx.wants = any(w.requires_grad for w in weights)
    ctx.given = (queries is not None, keys is not None)
    ctx.save_for_backward(*(t for t in (queries, keys) if t is not None), *weights)


def places_of(ctx):
    """Positions of queries and of keys, or None, then what else was saved."""
    saved = list(ctx.saved_tensors)
    return [saved.pop(0) if given else None for given in ctx.given], saved


def _gradients(ctx, dout):
    (queries, keys), weights = places_of(ctx)
    if not ctx.wants:
        return [None] * len(weights)
    gradients = select_impl("bias_gradients", dout, queries, keys, *weights)
    return gradients(dout, *ctx.scales, queries, keys, *ctx.rest, ctx.scheme, weights)


def _setup_bias(ctx, inputs, output):
    _keep(ctx, 1.0, False, *inputs[4:])


def _bias_backward(ctx, dout):
    return (None,) * 11 + (_gradients(ctx, dout),)


def _setup_add(ctx, inputs, output):
    _keep(ctx, *inputs[1:])


def _add_backward(ctx, dout):
    return (dout * ctx.scales[0],) + (None,) * 9 + (_gradients(ctx, dout),)


def _setup_gradients(ctx, inputs, output):
    dout, *rest = inputs
    ctx.shape = dout.shape
    _keep(ctx, *rest[:-1], [])


def _gradients_backward(ctx, tangents):
    """The gradient of a gradient: of a linear scheme, the bias of the tangents."""
    if not is_linear(ctx.scheme):
        raise NotImplementedError(f"[{ctx.scheme.split()[0]}] expected one gradient, got a second")
    (queries, keys), _ = places_of(ctx)
    bias = torch.ops.posenc.bias(tangents[0], *ctx.shape[-3:], queries, keys, *ctx.rest, ctx.scheme, tangents)
    if ctx.rest[-1]:  # causal: keys after the query have no part in the first
        bias = bias.masked_fill(bias == -math.inf, 0)
    factor = ctx.scales[0] if ctx.scales[1] else 1.0
    bias = _fallback.beside("bias", bias * factor, ctx.shape[:-3], 3)
    return (bias.expand(ctx.shape),) + (None,) * 9 + ([None] * len(tangents),)


register(
    f"bias(Tensor like, SymInt heads, SymInt height, SymInt width, {PLACES}, str scheme, Tensor[] weights) -> Tensor",
    _bias,
    _bias_fake,
    _setup_bias,
    _bias_backward,
)
register(f"add_bias(Tensor scores, {SCORES}) -> Tensor", add_bias, _add_bias_fake, _setup_add, _add_backward)
register(f"add_bias_(Tensor(a!) scores, {SCORES}) -> ()", add_bias_in_place, lambda scores, *rest: None)
register(
    f"bias_gradients(Tensor dout, {SCORES}) -> Tensor[]",
    _bias_gradients,
    _bias_gradients_fake,
    _setup_gradients,
    _gradients_backward,
)
