"""Schemes as text, and the plans made of them.

An op carries its scheme as one string, the name and the options as canonical JSON: compiled and exported
graphs keep it as a constant. Plans of schemes without weights are kept. One with weights is made in each
call, since weights change in ways that nothing tells (an optimizer that writes to `.data`); on CUDA kernels read
most of them where they lie.
"""

from __future__ import annotations

import functools
import json
from typing import Any, NamedTuple

import torch

from posenc import _core
from posenc._scheme import dump

UNBOUNDED = 2**63 - 1


def _made(name: str, text: str):
    return (_core.Convolution if _core.is_convolution(name) else _core.Scheme)(name, text)


@functools.lru_cache(maxsize=1024)
def scheme_of(handle: str):
    return _made(*handle.split(" ", 1))


def handle_of(name: str, options: dict) -> str:
    made = _made(name, dump(options))
    return f"{made.name} {made.to_json()}"


@torch.compiler.assume_constant_result
def options_of(handle: str) -> dict:
    return json.loads(handle.split(" ", 1)[1])


def _index(device: torch.device) -> int:
    return -1 if device.index is None else device.index


@functools.lru_cache(maxsize=256)
def _kept(handle: str, length: int, index: int):
    return scheme_of(handle).prepare(length=length, cuda_device=index)


@functools.lru_cache(maxsize=256)
def _following(handle: str, index: int):
    """A plan for weights that stay on a CUDA device; None where the scheme's are read otherwise."""
    return _core.prepare_for_weights(scheme_of(handle), index)


def plan_of(handle: str, weights, device: torch.device, length: int = 1):
    """The plan for tensors of that device. Learned tables, and what kernels of CUDA read themselves, stay where they are;
    other weights are read by the host."""
    if not weights:
        return _kept(handle, length, _index(device))
    if device.type == "cuda" and all(w.device == device for w in weights):
        blank = _following(handle, _index(device))
        if blank is not None:
            return blank.with_weights([w.detach() for w in weights])
    stays = facts_of(handle).tables if family_of(handle) == "absolute" else 0
    read = [w.detach() for w in weights[:stays]] + [w.detach().cpu() for w in weights[stays:]]
    return scheme_of(handle).prepare(weights=read, length=length)


def _blank(handle: str, index: int):
    zeros = [torch.zeros((), device="cpu").expand(w["shape"]) for w in scheme_of(handle).weights()]  # which takes no memory
    return scheme_of(handle).prepare(weights=zeros, length=1, cuda_device=index)


_blank_kept = functools.lru_cache(maxsize=256)(_blank)


def gradient_plan(handle: str, weights, device: torch.device):
    """A plan for the gradient of weights; that of a linear scheme does not read them, so the host need not wait."""
    facts = facts_of(handle)
    reads_nothing = facts.is_linear and not facts.tables
    return _blank_kept(handle, _index(device)) if reads_nothing else plan_of(handle, weights, device)


class Facts(NamedTuple):
    """What a scheme is, whatever its weights."""

    reads: Any  # of a bias "distance", "key" or "both"; of a content term the tensors
    axes: int
    tables: int  # how many of the first weights kernels read where they lie
    is_linear: bool  # in its only weight: such schemes have second gradients
    is_table: bool  # a bias is an entry of the weight
    is_straight: bool  # a slope times the distance or the key
    is_network: bool  # a deep network of the distance


@functools.lru_cache(maxsize=1024)
def facts_of(handle: str) -> Facts:
    plan = _blank(handle, -1)
    return Facts(*(getattr(plan, name) for name in Facts._fields))


def is_linear(handle: str) -> bool:
    return facts_of(handle).is_linear


@functools.lru_cache(maxsize=1024)
def family_of(handle: str) -> str:
    return scheme_of(handle).info()["family"]


def heads_of(handle: str) -> int:
    """Heads with weights of their own, or 0."""
    return _blank(handle, -1).heads


@torch.compiler.assume_constant_result
def axes_of(handle: str) -> int:
    """Coordinates of a token, for a bias."""
    return facts_of(handle).axes


def computes_rows(handle: str) -> bool:
    """Whether the scheme adds a row to a position that has one number, without anything learned."""
    return family_of(handle) == "absolute" and not scheme_of(handle).weights() and facts_of(handle).axes == 1


@functools.lru_cache(maxsize=1024)
def row_dim(handle: str) -> int:
    """Numbers in a row of the scheme's table."""
    return _blank(handle, -1).row_dim
