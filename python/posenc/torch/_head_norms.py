"""RMS norms of queries and keys (Qwen3, Gemma 3), done with the rotation in one pass: for inference on CUDA.

The norms of an attention module then let their input through, and what stands in for its rotation norms and
rotates. Both ask the same question of the same memory (`fused`), so that either both do so or neither does; a norm
leaves itself for the rotation that follows, so that copies of a model norm by their own weights.
"""

from __future__ import annotations

import dataclasses
import threading
import types

import torch

from posenc import _core

from . import _native
from ._direct import is_plain
from ._replace import set_attribute
from ._rotate_by import places
from ._sharded import is_dtensor


@dataclasses.dataclass
class HeadNorms:
    """What the norms of queries and keys of an attention module have in common."""

    epsilon: float
    one_plus: bool


DEVICES = {"cuda"}


class _Waiting(threading.local):
    """Norms that let heads through, by where these lie."""

    def __init__(self) -> None:
        self.norms = {}


_waiting = _Waiting()


def fused(x) -> bool:
    """Whether heads like these are normed where they are rotated."""
    if torch.compiler.is_compiling() or torch.is_grad_enabled() or x.device.type not in DEVICES:
        return False
    return is_plain(x) and _native.has_kernel_for(x)


def _computes(norm, x, epsilon, one_plus) -> bool:
    """Whether a module is that norm, up to four roundings of numbers up to 8."""
    gain = norm.weight.float() + (1 if one_plus else 0)
    want = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * gain
    try:
        got = norm(x.to(norm.weight.dtype)).float()
    except Exception:  # whatever the model's code says of it
        return False
    return got.shape == want.shape and (got - want).abs().max().item() <= 16 * torch.finfo(norm.weight.dtype).eps


@torch.no_grad()
def norms_of(module) -> HeadNorms | None:
    """The norms of an attention module's queries and keys, where they are norms over a head."""
    q, k = getattr(module, "q_norm", None), getattr(module, "k_norm", None)
    dim = getattr(module, "head_dim", None)
    for norm in (q, k):
        weight = getattr(norm, "weight", None)
        if not isinstance(weight, torch.Tensor) or weight.shape != (dim,) or weight.is_meta or is_dtensor(weight):
            return None
        if norm._forward_hooks or "forward" in norm.__dict__:
            return None
    epsilon = getattr(q, "variance_epsilon", getattr(q, "eps", None))
    if not isinstance(epsilon, float):
        return None
    x = torch.linspace(-1, 1, 3 * dim, device=q.weight.device).reshape(3, dim)
    for one_plus in (False, True):
        if _computes(q, x, epsilon, one_plus) and _computes(k, x, epsilon, one_plus):
            return HeadNorms(epsilon, one_plus)
    return None


def _let_through(self, x):
    if not fused(x):
        return type(self).forward(self, x)
    _waiting.norms[x.data_ptr()] = self
    return x


_let_through.__name__ = "forward"  # by which pickle finds a method: read back, a norm has its own again, as rotations have


def waiting(x) -> list[torch.nn.Module]:
    """The norms that these heads still wait for; none where they do not."""
    if not fused(x[0]):
        return []
    norms = [_waiting.norms.pop(t.data_ptr(), None) for t in x]
    if None in norms:
        raise RuntimeError("[patch] expected heads that a norm let through, got a copy: patch(model, rotation=False)")
    return norms


def normed(norms, x):
    """Heads by the modules' own functions."""
    return [type(n).forward(n, t) for n, t in zip(norms, x)]


def norm_and_turn(how: HeadNorms, norms, form, x, cos, sin, heads_first):
    out = [torch.empty_like(t) for t in x]
    table, sines, at = places(cos, sin)
    gains = [n.weight.detach() for n in norms]
    rest = (how.epsilon, how.one_plus, at, heads_first, _native.stream(x[0]))
    _core.norm_and_rotate_by(table, sines, form.layout, *x, *out, *gains, *rest)
    return out


def install(module) -> list:
    """Norms let heads through where they are normed later; returns what takes that back."""
    return [set_attribute(n, "forward", types.MethodType(_let_through, n)) for n in (module.q_norm, module.k_norm)]


@torch.no_grad()
def attended(module, waits: bool = False):
    """What the attention makes of a few tokens; waits: with norms done where heads are rotated. None where it is
    called otherwise."""
    device, dtype = module.q_norm.weight.device, module.q_norm.weight.dtype
    random = torch.Generator().manual_seed(7)

    def draw(*shape):
        return (torch.rand(shape, generator=random) * 2 - 1).to(device, dtype)

    half = [draw(2, 5, module.head_dim // 2) for _ in range(2)]
    table = tuple(torch.cat((t, t), dim=-1) for t in half)
    added = {device.type} - DEVICES if waits else set()
    try:
        DEVICES.update(added)
        return module(draw(2, 5, module.config.hidden_size), position_embeddings=table, attention_mask=None)[0]
    except Exception:  # whatever the model's code says of it
        return None
    finally:
        DEVICES.difference_update(added)


def agree(own, ours) -> bool:
    """Up to a few roundings of what is normed, rotated and attended."""
    if own is None or ours is None or own.shape != ours.shape:
        return False
    apart = (own.double() - ours.double()).abs().max().item()
    return apart <= 16 * torch.finfo(own.dtype).eps * max(1.0, own.abs().max().item())
