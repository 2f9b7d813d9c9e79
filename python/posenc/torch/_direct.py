"""Calls that need no dispatcher: plain tensors, nothing that traces or transforms.

An op written in Python costs tens of microseconds on its way through PyTorch's dispatcher, hundreds with its
gradient; a kernel on a few tokens takes less than two. Where all that the dispatcher would find is the kernel,
modules call it themselves (_registry.chosen).
"""

from __future__ import annotations

import numbers

import torch
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_modes = torch._C._len_torch_dispatch_stack
_tracing = torch._C._get_tracing_state
_transforms = torch._C._functorch.peek_interpreter_stack
_is_batched = torch._C._functorch.is_legacy_batchedtensor  # of gradients that are asked for many at a time


def refuse_tangents(arguments) -> None:
    """Forward mode has no rule here: PyTorch would drop the tangents in silence."""
    if forward_ad._current_level < 0:
        return
    tensors = [t for t in pytree.tree_leaves(arguments) if isinstance(t, torch.Tensor)]
    if any(forward_ad.unpack_dual(t).tangent is not None for t in tensors):
        raise NotImplementedError("[posenc] expected tensors without tangents, got some of forward-mode gradients")


def expect_tensors(where: str, **given) -> None:
    """TypeError, with the name of what is none, where one of them is no tensor."""
    for name, tensor in given.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"[{where}] expected a tensor of PyTorch as {name}, got {type(tensor).__name__}")


def expect_whole(where: str, **given) -> None:
    """TypeError where one of them is no whole number: the first position, or the length of a text."""
    for name, number in given.items():
        if type(number) is not int and not isinstance(number, (numbers.Integral, torch.SymInt)):
            raise TypeError(f"[{where}] expected {name} as a whole number, got {type(number).__name__}")


def expect_count(where: str, **given) -> None:
    """TypeError where one of them is no whole number, ValueError where it is negative; those of a graph that is
    traced are what they are."""
    for name, count in given.items():
        if not isinstance(count, (numbers.Integral, torch.SymInt)):
            raise TypeError(f"[{where}] expected a number of {name}, got {type(count).__name__}")
        if isinstance(count, int) and count < 0:
            raise ValueError(f"[{where}] expected a number of {name}, got {count}")


def is_plain(*tensors) -> bool:
    """Nothing watches the call but gradients, which may be wanted."""
    if torch.compiler.is_compiling() or _modes() or _tracing() is not None:
        return False
    refuse_tangents(tensors)
    if _transforms() is not None:
        return False
    for t in tensors:
        if t is None:
            continue
        if not isinstance(t, torch.Tensor):
            raise TypeError(f"[posenc] expected tensors of PyTorch, got {type(t).__name__}")
        if type(t) not in _PLAIN or t.is_meta or t.is_neg() or _is_batched(t):
            return False
    return True


def wants_gradient(*tensors) -> bool:
    return torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors)


def is_direct(*tensors) -> bool:
    return is_plain(*tensors) and not wants_gradient(*tensors)
