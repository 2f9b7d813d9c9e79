"""Ops of encodings that act on the input: x + row(position)."""

from __future__ import annotations

import torch

from posenc import _core

from . import _fallback, _native
from ._plans import gradient_plan, is_linear, plan_of, row_dim
from ._registry import select_impl, register

AT = "Tensor? positions, SymInt first, str scheme, Tensor[] weights"


def rows_like(like, tokens, positions, first, scheme, weights):
    batch = positions.shape[-2:-1] if positions is not None and positions.dim() > 1 else ()
    return like.new_empty((*batch, tokens, row_dim(scheme)))


def _rows(like, tokens, positions, first, scheme, weights):
    if not _native.has_kernel_for(like):
        return _fallback.new_table(torch.ops.posenc.rows, like, (tokens, positions, first, scheme, weights))
    out = rows_like(like, tokens, positions, first, scheme, weights)
    plan_of(scheme, weights, like.device).fill(out, _native.at(positions, first, like), _native.stream(like))
    return out


def add(x, positions, first, scheme, weights):
    if not _native.has_kernel_for(x):
        _fallback.expect_floats("add", "x", x, f"..., tokens, {row_dim(scheme)}", row_dim(scheme))
        rows = _fallback.rows(x, x.shape[-2], positions, first, scheme, weights)
        rows = _fallback.beside("add", rows, x.shape[:-2], 2)
        return (x.to(rows.dtype) + rows).to(x.dtype)
    out = torch.empty_like(x)
    plan = plan_of(scheme, weights, x.device)
    plan.add(_native.read(x), out, _native.at(positions, first, x), _native.stream(x))
    return out


def _add_fake(x, positions, first, scheme, weights):
    return torch.empty_like(x)


def embed(ids, embedding, scale, positions, first, scheme, weights):
    if not _native.has_kernel_for(embedding):
        _fallback.expect_floats("embed", "embedding", embedding, f"vocabulary, {row_dim(scheme)}", row_dim(scheme))
        rows = _fallback.rows(embedding, ids.shape[-1], positions, first, scheme, weights)
        rows = _fallback.beside("embed", rows, ids.shape[:-1], 2)
        return (torch.nn.functional.embedding(ids, embedding).to(rows.dtype) * scale + rows).to(embedding.dtype)
    out = _embed_fake(ids, embedding, scale, positions, first, scheme, weights)
    at, stream = _native.at(positions, first, embedding), _native.stream(embedding)
    plan_of(scheme, weights, embedding.device).embed(ids, _native.read(embedding), out, scale, at, stream)
    return out


def _embed_fake(ids, embedding, scale, positions, first, scheme, weights):
    return embedding.new_empty((*ids.shape, embedding.shape[-1]))


def _embedding_gradient(ids, dout, scale, vocabulary):
    if not _native.has_kernel_for(dout):
        flat = dout.reshape(-1, dout.shape[-1]).to(_native.compute_type(dout.dtype)) * scale
        zeros = flat.new_zeros((vocabulary, dout.shape[-1]))
        return zeros.index_add(0, ids.reshape(-1), flat).to(dout.dtype)
    sums = dout.new_zeros((vocabulary, dout.shape[-1]), dtype=_native.compute_type(dout.dtype))
    _core.embed_backward(ids, _native.read(dout), sums, scale, _native.stream(dout))
    return sums.to(dout.dtype)


def _embedding_gradient_fake(ids, dout, scale, vocabulary):
    return dout.new_empty((vocabulary, dout.shape[-1]))


def _weight_gradients(dout, positions, first, scheme, weights):
    if not _native.has_kernel_for(dout):
        arguments = (positions, first, scheme, weights)
        return _fallback.gradients(torch.ops.posenc.weight_gradients, dout, arguments)
    sums = _native.zeros_for(weights, dout)
    plan = gradient_plan(scheme, weights, dout.device)
    plan.backward(_native.read(dout), sums, _native.at(positions, first, dout), _native.stream(dout))
    return [s.to(w.dtype) for s, w in zip(sums, weights)]


def _weight_gradients_fake(dout, positions, first, scheme, weights):
    return [w.new_empty(w.shape) for w in weights]


def _gradients(ctx, dout, saved):
    """Of the weights that are saved after positions; none where none is wanted."""
    positions, *weights = saved if ctx.has_positions else (None, *saved)
    if not any(ctx.wants):
        return [None] * len(weights)
    gradients = select_impl("weight_gradients", dout, positions, *weights)
    return gradients(dout, positions, ctx.first, ctx.scheme, weights)


def _keep(ctx, positions, first, scheme, weights, *before):
    ctx.has_positions = positions is not None
    ctx.first, ctx.scheme = first, scheme
    ctx.wants = [w.requires_grad for w in weights]
    ctx.save_for_backward(*before, *([positions] if ctx.has_positions else []), *weights)


def _setup_rows(ctx, inputs, output):
    _keep(ctx, *inputs[2:])


def _rows_backward(ctx, dout):
    return None, None, None, None, None, _gradients(ctx, dout, ctx.saved_tensors)


def _setup_add(ctx, inputs, output):
    _keep(ctx, *inputs[1:])


def _add_backward(ctx, dout):
    return dout, None, None, None, _gradients(ctx, dout, ctx.saved_tensors)


def _setup_embed(ctx, inputs, output):
    ids, embedding, ctx.scale = inputs[:3]
    ctx.vocabulary, ctx.wants_embedding = embedding.shape[0], embedding.requires_grad
    _keep(ctx, *inputs[3:], ids)


def _embed_backward(ctx, dout):
    (ids, *saved), table = ctx.saved_tensors, None
    if ctx.wants_embedding:
        table = select_impl("embedding_gradient", ids, dout)(ids, dout, ctx.scale, ctx.vocabulary)
    return None, table, None, None, None, None, _gradients(ctx, dout, saved)


def _setup_embedding_gradient(ctx, inputs, output):
    ids, _, ctx.scale, _ = inputs
    ctx.save_for_backward(ids)


def _embedding_gradient_backward(ctx, dtable):
    (ids,) = ctx.saved_tensors
    return None, dtable[ids] * ctx.scale, None, None


def _setup_weight_gradients(ctx, inputs, output):
    dout, positions, ctx.first, ctx.scheme, _ = inputs
    ctx.tokens, ctx.shape = dout.shape[-2], dout.shape
    ctx.save_for_backward(*([] if positions is None else [positions]))


def _weight_gradients_backward(ctx, tangents):
    """The gradient of a gradient: of a linear scheme, the rows of the tangents."""
    if not is_linear(ctx.scheme):
        raise NotImplementedError(f"[{ctx.scheme.split()[0]}] expected one gradient, got a second")
    (positions,) = ctx.saved_tensors or (None,)
    rows = torch.ops.posenc.rows(tangents[0], ctx.tokens, positions, ctx.first, ctx.scheme, tangents)
    return _fallback.beside("rows", rows, ctx.shape[:-2], 2).expand(ctx.shape), None, None, None, [None] * len(tangents)


register(f"rows(Tensor like, SymInt tokens, {AT}) -> Tensor", _rows, rows_like, _setup_rows, _rows_backward)
register(f"add(Tensor x, {AT}) -> Tensor", add, _add_fake, _setup_add, _add_backward)
register(
    f"embed(Tensor ids, Tensor embedding, float scale, {AT}) -> Tensor",
    embed,
    _embed_fake,
    _setup_embed,
    _embed_backward,
)
register(
    f"weight_gradients(Tensor dout, {AT}) -> Tensor[]",
    _weight_gradients,
    _weight_gradients_fake,
    _setup_weight_gradients,
    _weight_gradients_backward,
)
register(
    "embedding_gradient(Tensor ids, Tensor dout, float scale, SymInt vocabulary) -> Tensor",
    _embedding_gradient,
    _embedding_gradient_fake,
    _setup_embedding_gradient,
    _embedding_gradient_backward,
)
