"""Calls that need no dispatcher: plain tensors, nothing that traces or transforms.

An op written in Python costs tens of microseconds on its way through PyTorch's dispatcher, hundreds with its
gradient; a kernel on a few tokens takes less than two. Where all that the dispatcher would find is the kernel,
modules call it themselves (_registry.select_impl).
"""

from __future__ import annotations

import numbers

import numpy as np
import torch
from torch.autograd import forward_ad

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _private(path: str):
    """A function that PyTorch has and does not promise; None in a release without it."""
    found = getattr(torch, "_C", None)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found if callable(found) else None


# Who else watches a call. Without one of these every call goes through the dispatcher, which knows.
_modes = _private("_len_torch_dispatch_stack")
_tracing = _private("_get_tracing_state")
_transforms = _private("_functorch.peek_interpreter_stack")
_is_batched = _private("_functorch.is_legacy_batchedtensor")  # of gradients that are asked for many at a time
CAN_TELL = None not in (_modes, _tracing, _transforms, _is_batched)


def tensors_in(arguments) -> list[torch.Tensor]:
    """The tensors among the arguments of an op, and in their lists."""
    flat = (t for a in arguments for t in (a if isinstance(a, (list, tuple)) else (a,)))
    return [t for t in flat if isinstance(t, torch.Tensor)]


def map_tensors(f, arguments):
    """The arguments with f(t) in the place of each tensor t."""
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(map_tensors(f, a) for a in arguments)
    return f(arguments) if isinstance(arguments, torch.Tensor) else arguments


def refuse_tangents(arguments) -> None:
    """Forward mode has no rule here: PyTorch would drop the tangents in silence."""
    if getattr(forward_ad, "_current_level", 0) < 0:  # a short cut: unpack_dual() asks for the level itself
        return
    if any(forward_ad.unpack_dual(t).tangent is not None for t in tensors_in(arguments)):
        raise NotImplementedError("[posenc] expected tensors without tangents, got some of forward-mode gradients")


def expect_tensors(where: str, **given) -> None:
    """TypeError, with the name of what is none, where one of them is no tensor."""
    for name, tensor in given.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"[{where}] expected a tensor of PyTorch as {name}, got {type(tensor).__name__}")


def expect_whole(where: str, **given) -> None:
    """TypeError where one of them is no whole number: the first position, or the length of a text."""
    for name, number in given.items():
        if type(number) is not int and (isinstance(number, bool) or not isinstance(number, (numbers.Integral, torch.SymInt))):
            raise TypeError(f"[{where}] expected {name} as a whole number, got {type(number).__name__}")


def expect_flag(where: str, **given) -> None:
    """TypeError where one of them is not True or False."""
    for name, flag in given.items():
        if not isinstance(flag, (bool, np.bool_, torch.SymBool)):
            raise TypeError(f"[{where}] expected {name} as True or False, got {type(flag).__name__}")


def as_number(where: str, name: str, number) -> float:
    """A number that no gradient is asked of; TypeError, or ValueError where it is none."""
    if isinstance(number, torch.Tensor) and number.requires_grad and torch.is_grad_enabled():
        raise ValueError(f"[{where}] expected {name} without requires_grad, which gets no gradient, got one with it: take detach()")
    try:
        return float(number)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"[{where}] expected {name} as a number, got {type(number).__name__}") from None


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
    if not CAN_TELL or torch.compiler.is_compiling() or _modes() or _tracing() is not None:
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
