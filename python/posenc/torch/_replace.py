"""What patch() can replace: where it is in a model of transformers, and what stands in for it."""

from __future__ import annotations

import dataclasses
import functools
from typing import Callable

import torch

from . import _absolute, _rotary  # noqa: F401  the ops
from ._plans import computes_rows, facts_of, family_of, handle_of, row_dim, scheme_of

ops = torch.ops.posenc
NO_NUMBERS = "it is on the meta device, without numbers"


@dataclasses.dataclass
class Found:
    where: str
    scheme: str
    difference: Callable[[], float]  # the largest between what the model has and what is exact
    install: Callable[[], Callable]  # returns what takes it back
    reach: float = 1.0  # up to this times 1e-6 the difference is rounding
    keeps: str = ""  # why it must stay as it is
    accident: Callable[[], object] = lambda: None  # what went wrong with it, where that is known


def without_numbers(tensor) -> str:
    """Why what holds the tensor must stay as it is: there is nothing to compare."""
    return NO_NUMBERS if tensor.is_meta else ""


def set_attribute(module, name, value):
    """As an attribute of this one object, whatever its class has."""
    had, before = name in module.__dict__, module.__dict__.get(name)
    module.__dict__[name] = value
    return lambda: module.__dict__.update({name: before}) if had else module.__dict__.pop(name, None)


def apart(a, b) -> float:
    if a.shape != b.shape:
        return float("inf")
    off = (a.double() - b.double()).abs().max().item() if a.numel() else 0.0
    return off if off == off else float("inf")  # NaN


def _copied(tensor, values):
    """The values in the place of the tensor's; returns what takes them back."""
    before = tensor.detach().clone()
    tensor.data.copy_(values)
    return lambda: tensor.data.copy_(before)


def table(name, module, parts):
    """Tables of sines that are a weight which the model computed when it was made: Whisper's, Marian's, ..."""
    weight = getattr(module, "weight", None)
    if "position" in name.split(".")[-1] and isinstance(weight, torch.Tensor) and weight.dim() == 2:
        for part in parts:
            if computes_rows(part["handle"]) and weight.shape[-1] == row_dim(part["handle"]):
                rows = ops.rows(weight.new_empty(0), len(weight), None, 0, part["handle"], [])
                yield Found(
                    part["where"],
                    scheme_of(part["handle"]).name,
                    lambda: apart(weight, rows),
                    lambda: _copied(weight, rows),
                    reach=len(weight),
                    keeps=without_numbers(weight),
                )


def exact_rows(module, handle, position_ids):
    flat = position_ids.reshape(-1, position_ids.shape[-1]) if position_ids.dim() > 2 else position_ids
    rows = ops.rows(module.weight.new_empty(0), position_ids.shape[-1], flat, 0, handle, [module.weight])
    return rows.reshape(*position_ids.shape, -1)


def learned(name, module, parts):
    """Trained tables that are an nn.Embedding of positions: GPT-2, BERT, ..."""
    if type(module) is not torch.nn.Embedding or module.padding_idx is not None:
        return
    for part in parts:
        stored = str(part["facts"].get("weight", ""))
        facts = facts_of(part["handle"])
        is_one_table = facts.is_linear and facts.tables == 1
        if not is_one_table or not (f".{stored}").endswith(f".{name.split('.')[-1]}.weight"):
            continue
        handle = handle_of("learned", {"rows": module.num_embeddings, "dim": module.embedding_dim})
        exact = functools.partial(exact_rows, module, handle)
        at = torch.arange(module.num_embeddings, device=module.weight.device)
        yield Found(
            part["where"],
            "learned",
            lambda: apart(module.forward(at), exact(at)),
            lambda: set_attribute(module, "forward", exact),
            keeps=without_numbers(module.weight),
        )
