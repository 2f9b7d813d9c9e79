"""What patch() can replace: where it is in a model of transformers, and what stands in for it."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from typing import Callable

import torch

from . import _absolute, _rotary  # noqa: F401  the ops
from ._plans import handle_of, options_of, plan_of

ops = torch.ops.posenc
REACH = 2048  # positions that are compared before anything is replaced


@dataclasses.dataclass
class Found:
    where: str
    scheme: str
    difference: Callable[[], float]  # the largest between what the model has and what is exact
    install: Callable[[], Callable]  # returns what takes it back
    reach: float = 1.0  # up to this times 1e-6 the difference is rounding
    keeps: str = ""  # why it must stay as it is


def set_attribute(module, name, value):
    """As an attribute of this one object, whatever its class has."""
    had, before = name in module.__dict__, module.__dict__.get(name)
    module.__dict__[name] = value
    return lambda: module.__dict__.update({name: before}) if had else module.__dict__.pop(name, None)


def apart(a, b) -> float:
    if a.shape != b.shape:
        return float("inf")
    return (a.double() - b.double()).abs().max().item() if a.numel() else 0.0


# Rotary modules: forward(x, position_ids) gives cosines and sines, of each pair once or twice. Positions are
# [rows, tokens], or [tokens, axes] where the tokens are points of a picture.
ARRANGED = {
    "twice": lambda t: torch.cat((t, t), dim=-1),
    "each": lambda t: t.repeat_interleave(2, dim=-1),
    "once": lambda t: t,
}


def exact_cos_sin(handles, arrangement, points, wide, x, position_ids, layer_type=None):
    """wide: in f32, whatever the type of x."""
    handle, axes = handles[layer_type]
    if points:
        position_ids = position_ids.transpose(0, 1).unsqueeze(1)
    elif axes > 1 and position_ids.dim() == 2:
        position_ids = position_ids.expand(axes, -1, -1)
    like = x.new_empty(0, dtype=torch.float32 if wide else None)
    rows = ops.cos_sin(like, position_ids.shape[-1], position_ids, 0, 0, handle, [])
    cos, sin = (rows[0] if points else rows).chunk(2, dim=-1)
    return ARRANGED[arrangement](cos), ARRANGED[arrangement](sin)


def _with_axes(part):
    return part["handle"], plan_of(part["handle"], [], torch.device("cpu")).axes


def _probe(module, far, axes):
    """Positions up to there; axes: of points, 0 of a row of tokens."""
    device = next((b.device for b in module.buffers()), torch.device("cpu"))
    line = torch.arange(0, far, max(1, far // 64), device=device)
    at = torch.stack([line.roll(axis) for axis in range(axes)], dim=-1) if axes else line[None]
    return torch.empty(1, 1, device=device), at


def _theirs(module, x, at, **extra):
    """Cosines and sines of the model's own; none where it does not take such positions."""
    try:
        return copy.deepcopy(module).forward(x, at, **extra)  # rules that depend on the length leave traces in it
    except Exception:  # whatever the model's code says of them
        return ()


def _cos_sin_difference(module, exact, handles, far) -> float:
    points = exact.args[2]
    x, at = _probe(module, far, handles[next(iter(handles))][1] if points else 0)
    worst = 0.0
    for layer_type in handles:
        extra = {} if layer_type is None else {"layer_type": layer_type}
        theirs, ours = _theirs(module, x, at, **extra), exact(x, at, **extra)
        off = [apart(a, b) for a, b in zip(theirs, ours)] if len(theirs) == 2 else [float("inf")]
        worst = max([worst, *off])
    return worst


def _is_wide(module, handles, points) -> bool:
    """Whether cosines stay in f32 where x is narrower."""
    first = next(iter(handles))
    x, at = _probe(module, 4, handles[first][1] if points else 0)
    theirs = _theirs(module, x.bfloat16(), at, **({} if first is None else {"layer_type": first}))
    return bool(len(theirs)) and theirs[0].dtype == torch.float32


def rotary(name, module, parts):
    if not type(module).__name__.endswith("RotaryEmbedding"):
        return
    if "position_ids" not in inspect.signature(type(module).forward).parameters:
        return
    parts = [p for p in parts if p["handle"].startswith("rope ")]
    kinds = getattr(module, "layer_types", None)
    if not parts:
        return
    handles = {None: _with_axes(parts[0])} if not kinds else {}
    for kind in kinds or ():
        handles[kind] = _with_axes(*([p for p in parts if kind.split("_")[0] in p["where"]] or parts)[:1])
    # The first arrangement that fits near 0, where rounding is small.
    several = max(axes for _, axes in handles.values()) > 1
    ways = [
        functools.partial(exact_cos_sin, handles, a, points, wide)
        for points in ((False, True) if several else (False,))
        for wide in [_is_wide(module, handles, points)]
        for a in ARRANGED
    ]
    exact = next((way for way in ways if _cos_sin_difference(module, way, handles, 4) < 1e-4), ways[0])
    yield Found(
        parts[0]["where"],
        "rope",
        lambda: _cos_sin_difference(module, exact, handles, REACH),
        lambda: set_attribute(module, "forward", exact),
        reach=REACH,
    )


def _copied(tensor, values):
    """The values in the place of the tensor's; returns what takes them back."""
    before = tensor.detach().clone()
    tensor.data.copy_(values)
    return lambda: tensor.data.copy_(before)


def table(name, module, parts):
    """Tables of sines that the model computed when it was made: GPT-J's, Whisper's, Marian's, ..."""
    stored = getattr(module, "embed_positions", None)
    if isinstance(stored, torch.Tensor) and stored.dim() == 2:
        for part in parts:
            if part["handle"].startswith("rope "):
                cos, sin = ops.cos_sin(stored.new_empty(0), len(stored), None, 0, 0, part["handle"], []).chunk(2, -1)
                exact = torch.cat((sin, cos), dim=-1)
                yield Found(
                    part["where"],
                    "rope",
                    lambda: apart(stored, exact),
                    lambda: _copied(stored, exact),
                    reach=len(stored),
                )
    weight = getattr(module, "weight", None)
    if "position" in name.split(".")[-1] and isinstance(weight, torch.Tensor) and weight.dim() == 2:
        for part in parts:
            if part["handle"].startswith("sinusoidal ") and weight.shape[-1] == options_of(part["handle"])["dim"]:
                rows = ops.rows(weight.new_empty(0), len(weight), None, 0, part["handle"], [])
                yield Found(
                    part["where"],
                    "sinusoidal",
                    lambda: apart(weight, rows),
                    lambda: _copied(weight, rows),
                    reach=len(weight),
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
        if not part["handle"].startswith("learned ") or not (f".{stored}").endswith(f".{name.split('.')[-1]}.weight"):
            continue
        handle = handle_of("learned", {"rows": module.num_embeddings, "dim": module.embedding_dim})
        exact = functools.partial(exact_rows, module, handle)
        at = torch.arange(module.num_embeddings, device=module.weight.device)
        yield Found(
            part["where"],
            "learned",
            lambda: apart(module.forward(at), exact(at)),
            lambda: set_attribute(module, "forward", exact),
        )
