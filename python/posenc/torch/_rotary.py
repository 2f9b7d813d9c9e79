"""Ops of encodings that turn queries and keys."""

from __future__ import annotations

import torch

from . import _fallback, _native
from ._absolute import rows_like
from ._plans import UNBOUNDED, plan_of
from ._registry import select_impl, register

# x: queries and keys, or one of them, as roles says: "qk", "q" or "k". [.., tokens, heads, dim], or with
# heads_first [.., heads, tokens, dim]. length: tokens of the text, for rules that ask for it; 0: as the
# positions say. adjoint: the gradient, which is the transpose of the turn.
ARGUMENTS = "str roles, Tensor? positions, SymInt first, SymInt length, str scheme, Tensor[] weights, bool heads_first"


def _length(tokens, positions, first) -> int:
    if positions is None or not positions.numel():
        return first + tokens
    return int(positions.max()) + 1


def rotary_plan(scheme, weights, device, tokens, positions, first, length):
    """The plan for a text of this length."""
    plan = plan_of(scheme, weights, device)
    if plan.max_length == UNBOUNDED:
        return plan
    length = length or _length(tokens, positions, first)
    return plan if length <= plan.max_length else plan_of(scheme, weights, device, length)


def _tokens(x, heads_first):
    return x.shape[-2 if heads_first else -3] if x.dim() >= 3 else 0


def _pair(tensors, roles):
    """Queries and keys, one of which may be None."""
    tensors = [_native.read(t) for t in tensors]
    return (None, tensors[0]) if roles == "k" else (*tensors, None)[:2]


def turn(x, adjoint, roles, positions, first, length, scheme, weights, heads_first):
    plan_facts = (_tokens(x[0], heads_first), positions, first, length)
    if not _native.has_kernel_for(x[0]):
        return _fallback.turn(x, adjoint, roles, plan_facts, scheme, weights, heads_first)
    out = [torch.empty_like(t) for t in x]
    plan = rotary_plan(scheme, weights, x[0].device, *plan_facts)
    verb = plan.rotate_adjoint if adjoint else plan.rotate
    at, stream = _native.at(positions, first, x[0]), _native.stream(x[0])
    verb(*_pair(x, roles), *_pair(out, roles), at, heads_first, stream)
    return out


def _turn_fake(x, adjoint, roles, positions, first, length, scheme, weights, heads_first):
    return [torch.empty_like(t) for t in x]


def _frequency_gradient(x, dy, roles, positions, first, length, scheme, weights, heads_first):
    if not _native.has_kernel_for(x[0]):
        host = _fallback.on_host((x, dy, roles, positions, first, length, scheme, weights, heads_first))
        return _frequency_gradient(*host).to(weights[0].device)
    sums = _native.zeros_for(weights, x[0])[0]
    plan = rotary_plan(scheme, weights, x[0].device, _tokens(x[0], heads_first), positions, first, length)
    at, stream = _native.at(positions, first, x[0]), _native.stream(x[0])
    plan.rotate_backward(*_pair(x, roles), *_pair(dy, roles), sums, at, heads_first, stream)
    return sums.to(weights[0].dtype)


def _frequency_gradient_fake(x, dy, roles, positions, first, length, scheme, weights, heads_first):
    return weights[0].new_empty(weights[0].shape)


def _cos_sin(like, tokens, positions, first, length, scheme, weights):
    if not _native.has_kernel_for(like):
        arguments = (tokens, positions, first, length, scheme, weights)
        return _fallback.new_table(torch.ops.posenc.cos_sin, like, arguments)
    out = rows_like(like, tokens, positions, first, scheme, weights)
    plan = rotary_plan(scheme, weights, like.device, tokens, positions, first, length)
    plan.fill(out, _native.at(positions, first, like), _native.stream(like))
    return out


def _cos_sin_fake(like, tokens, positions, first, length, scheme, weights):
    return rows_like(like, tokens, positions, first, scheme, weights)


def _cos_sin_setup(ctx, inputs, output):
    ctx.scheme = inputs[-2]


def _cos_sin_backward(ctx, dtable):
    raise NotImplementedError(f"[{ctx.scheme.split()[0]}] expected gradients of rotated queries and keys, got cos_sin's")


def _setup(ctx, inputs, output):
    x, ctx.adjoint, ctx.roles, positions, ctx.first, ctx.length, ctx.scheme, weights, ctx.heads_first = inputs
    ctx.has_positions, ctx.count = positions is not None, len(x)
    ctx.wants = any(w.requires_grad for w in weights)
    kept = list(x) if ctx.wants else []  # the turn is linear in x: only its frequencies need it
    ctx.save_for_backward(*([positions] if ctx.has_positions else []), *kept, *weights)


def _backward(ctx, dy):
    saved = list(ctx.saved_tensors)
    positions = saved.pop(0) if ctx.has_positions else None
    x, weights = (saved[: ctx.count], saved[ctx.count :]) if ctx.wants else ([], saved)
    rest = (ctx.roles, positions, ctx.first, ctx.length, ctx.scheme, weights, ctx.heads_first)
    dx = select_impl("turn", positions, *dy, *weights)(dy, not ctx.adjoint, *rest)
    dweights = [None] * len(weights)
    if ctx.wants:  # an adjoint y = R' x: its frequencies enter y . dy = x . R dy
        pair = (dy, x) if ctx.adjoint else (x, dy)
        dweights = [select_impl("frequency_gradient", positions, *x, *dy, *weights)(*pair, *rest)]
    return dx, None, None, None, None, None, None, dweights, None


register(f"turn(Tensor[] x, bool adjoint, {ARGUMENTS}) -> Tensor[]", turn, _turn_fake, _setup, _backward)
register(
    f"frequency_gradient(Tensor[] x, Tensor[] dy, {ARGUMENTS}) -> Tensor",
    _frequency_gradient,
    _frequency_gradient_fake,
)
register(
    "cos_sin(Tensor like, SymInt tokens, Tensor? positions, SymInt first, SymInt length, str scheme, Tensor[] weights)"
    " -> Tensor",
    _cos_sin,
    _cos_sin_fake,
    _cos_sin_setup,
    _cos_sin_backward,
)

# How modules of models repeat cosines, or sines: those of all pairs twice, or that of each pair twice.
REPEATED = {"twice": lambda t: torch.cat((t, t), dim=-1), "each": lambda t: t.repeat_interleave(2, dim=-1)}


def _repeated_cos_sin(rows, arrangement):
    return [REPEATED[arrangement](t) for t in rows.chunk(2, dim=-1)]


# An op, because Inductor would fuse the repetition into every kernel that reads the table, whose index is then a remainder: on an H200
# the kernel that rotates DeepSeek-V3's queries took 1.8 times as long.
register("repeated_cos_sin(Tensor rows, str arrangement) -> Tensor[]", _repeated_cos_sin, _repeated_cos_sin)
