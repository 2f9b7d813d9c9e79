"""Schemes as text, and the plans made of them.

An op carries its scheme as one string, the name and the options as canonical JSON: compiled and exported
graphs keep it as a constant. Plans of schemes without weights are kept. One with weights is made in each
call, since weights change in ways that nothing tells (an optimizer that writes to `.data`); on CUDA kernels read
most of them where they lie.
"""

from __future__ import annotations

import functools
import json

import torch

from posenc import _core
from posenc._scheme import dump

UNBOUNDED = 2**63 - 1
MAX_AXES = 8

# Schemes whose encoding is a linear function of their weight, where they have one only: these have second gradients.
LINEAR = {"learned", "t5", "clipped", "window", "alibi"}

# Schemes whose first weights are tables, which kernels read where they lie: how many of them.
TABLES = {"learned": 1, "learned-grid": 1, "axial": MAX_AXES}


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


@functools.lru_cache(maxsize=1024)
def is_linear(handle: str) -> bool:
    return handle.split(" ", 1)[0] in LINEAR and len(scheme_of(handle).weights()) == 1


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
    stays = TABLES.get(handle.split(" ", 1)[0], 0)
    read = [w.detach() for w in weights[:stays]] + [w.detach().cpu() for w in weights[stays:]]
    return scheme_of(handle).prepare(weights=read, length=length)


def _blank(handle: str, index: int):
    zeros = [torch.zeros(w["shape"]) for w in scheme_of(handle).weights()]
    return scheme_of(handle).prepare(weights=zeros, length=1, cuda_device=index)


_blank_kept = functools.lru_cache(maxsize=256)(_blank)


def gradient_plan(handle: str, weights, device: torch.device):
    """A plan for the gradient of weights; that of a linear scheme does not read them, so the host need not wait."""
    reads_nothing = is_linear(handle) and not handle.startswith("learned ")
    return _blank_kept(handle, _index(device)) if reads_nothing else plan_of(handle, weights, device)


@functools.lru_cache(maxsize=1024)
def _bias_facts(handle: str) -> tuple[str, int]:
    plan = _blank(handle, -1)
    return plan.reads, plan.axes


@torch.compiler.assume_constant_result
def reads_of(handle: str) -> str:
    """What a bias reads of a query and a key: their "distance", the "key" alone, or "both"."""
    return _bias_facts(handle)[0]


def heads_of(handle: str) -> int:
    """Heads with weights of their own, or 0."""
    return _blank(handle, -1).heads


@torch.compiler.assume_constant_result
def axes_of(handle: str) -> int:
    """Coordinates of a token, for a bias."""
    return _bias_facts(handle)[1]


@functools.lru_cache(maxsize=1024)
def row_dim(handle: str) -> int:
    """Numbers in a row of the scheme's table."""
    return _blank(handle, -1).row_dim
