"""Rotary modules that patch() can replace: forward(x, position_ids) gives cosines and sines, of each pair once or
twice, or complex numbers. Positions are [rows, tokens], or [tokens, axes] where the tokens are points of a picture."""

from __future__ import annotations

import copy
import functools
import inspect

import torch

from ._accidents import accident_of, sound
from ._plans import family_of, handle_of, options_of, plan_of
from ._replace import Found, apart, set_attribute
from ._rotary import REPEATED

ops = torch.ops.posenc
REACH = 2048  # positions that are compared before anything is replaced
ARRANGED = {
    **{name: lambda cos, sin, repeat=repeat: (repeat(cos), repeat(sin)) for name, repeat in REPEATED.items()},
    "once": lambda cos, sin: (cos, sin),
    "complex": torch.complex,
}


def exact_cos_sin(handles, arrangement, points, wide, x, position_ids, layer_type=None):
    """wide: in f32, whatever the type of x."""
    handle, axes = handles[layer_type]
    if points:
        position_ids = position_ids.transpose(0, 1).unsqueeze(1)
    elif axes > 1 and position_ids.dim() == 2:
        position_ids = position_ids.expand(axes, -1, -1)
    like = x.new_empty(0, dtype=torch.float32 if wide else None)
    if position_ids.is_floating_point():  # the numbers that the model made, whatever it lost in making them
        position_ids = position_ids.double()
    rows = ops.cos_sin(like, position_ids.shape[-1], position_ids, 0, 0, handle, [])
    rows = rows[0] if points else rows
    if torch.compiler.is_compiling() and arrangement in REPEATED:
        return tuple(ops.repeated_cos_sin(rows, arrangement))
    return ARRANGED[arrangement](*rows.chunk(2, dim=-1))


def with_axes(part):
    """Modules make the same table for both directions; which way it turns is a matter of the attention."""
    handle = part["handle"]
    if options_of(handle).get("sign") == "negative":
        handle = handle_of("rope", {**options_of(handle), "sign": "positive"})
    return handle, plan_of(handle, [], torch.device("cpu")).axes


def _probes(module, far, axes, points):
    """Positions up to there, of tokens or of points of a picture, and an x: of tokens with several axes as one row, then, for
    modules that take no such row, as a row for each axis."""
    device = next((b.device for b in module.buffers()), torch.device("cpu"))
    x, line = torch.empty(1, 1, device=device), torch.arange(0, far, max(1, far // 64), device=device)
    apart = [line.roll(axis) for axis in range(axes)]
    if points:
        return x, [torch.stack(apart, dim=-1)]
    return x, [line[None]] + ([torch.stack(apart)[:, None]] if axes > 1 else [])


def _parts(table):
    """Cosines and sines, and whether they are one complex tensor."""
    is_complex = isinstance(table, torch.Tensor) and table.is_complex()
    return (table.real, table.imag, True) if is_complex else (*table, False)


def _theirs(module, x, probes, **extra):
    """Cosines and sines of the model's own, and for which of the positions; none where it takes no such positions."""
    for at in probes:
        try:
            return _parts(copy.deepcopy(module).forward(x, at, **extra)), at  # rules that read the length leave traces in it
        except Exception:  # whatever the model's code says of them
            continue
    return (), None


def _cos_sin_difference(module, exact, handles, far) -> float:
    if any(b.is_meta for b in module.buffers()):
        return float("inf")
    worst = 0.0
    for layer_type, (_, axes) in handles.items():
        x, probes = _probes(module, far, axes, exact.args[2])
        extra = {} if layer_type is None else {"layer_type": layer_type}
        theirs, at = _theirs(module, x, probes, **extra)
        ours = _parts(exact(x, at, **extra)) if len(theirs) == 3 else ()
        alike = len(theirs) == 3 and theirs[2] == ours[2]
        worst = max([worst, *(apart(a, b) for a, b in zip(theirs[:2], ours[:2]))]) if alike else float("inf")
    return worst


def _is_wide(module, handles, points) -> bool:
    """Whether cosines stay in f32 where x is narrower."""
    first = next(iter(handles))
    x, probes = _probes(module, 4, handles[first][1], points)
    theirs, _ = _theirs(module, x.bfloat16(), probes, **({} if first is None else {"layer_type": first}))
    return bool(len(theirs)) and theirs[0].dtype == torch.float32


def _ways(module, handles):
    """How the module may make its table."""
    several = max(axes for _, axes in handles.values()) > 1
    return [
        functools.partial(exact_cos_sin, handles, a, points, wide or a == "complex")
        for points in ((False, True) if several else (False,))
        for wide in [_is_wide(module, handles, points)]
        for a in ARRANGED
    ]


def handles_of(module, parts):
    """The scheme, and the axes of its positions, by kind of layer."""
    kinds = getattr(module, "layer_types", None)
    if not kinds:
        return {None: with_axes(parts[0])}
    return {k: with_axes(([p for p in parts if k.split("_")[0] in p["where"]] or parts)[0]) for k in kinds}


def takes_positions(module) -> bool:
    named = type(module).__name__.endswith("RotaryEmbedding")
    return named and "position_ids" in inspect.signature(type(module).forward).parameters


def rotary(name, module, parts):
    parts = [p for p in parts if family_of(p["handle"]) == "rotary"]
    if not parts or not takes_positions(module):
        return
    handles = handles_of(module, parts)
    # The first arrangement that fits near 0, where rounding is small, the frequencies being right.
    mended = sound(module, handles)
    ways = _ways(mended, handles)
    exact = next((way for way in ways if _cos_sin_difference(mended, way, handles, 4) < 1e-4), ways[0])
    found = Found(
        parts[0]["where"],
        "rope",
        lambda: _cos_sin_difference(module, exact, handles, REACH),
        lambda: set_attribute(module, "forward", exact),
        reach=REACH,
    )
    if _cos_sin_difference(mended, exact, handles, REACH) <= 1e-6 * REACH:
        install = functools.partial(set_attribute, module, "forward")
        found.accident = lambda: accident_of(module, handles, exact, parts, install)
    yield found
