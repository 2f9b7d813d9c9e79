"""The rotation of a model: its attention modules call posenc's op in the place of their own function.

An attention module's `forward` is bound, for this one object, to a copy of its function in which the name of the
rotation (`apply_rotary_pos_emb` and the like) leads to the op. Other models of the same class keep theirs.
"""

from __future__ import annotations

import copy
import functools
import re
import types

import torch

from ._head_norms import agree, attended, install, norms_of
from ._replace import set_attribute
from ._rewire import globals_read, rewired
from ._rotation_forms import prove, stand_in, turns

NAMED = re.compile("rotary|rope")


def _rotations_of(function) -> dict[str, object]:
    """Functions that rotate queries and keys, as their names say, among the globals that this one reads."""
    read = globals_read(function)
    return {n: f for n, f in read.items() if NAMED.search(n) and callable(f) and turns(f)}


_proven = functools.lru_cache(maxsize=256)(prove)


def _method(module, name):
    """The function behind a method of this one object, and the attribute to bind another one to; (None, "") where it is
    no plain method. Hooks of accelerate keep the method they call as `_old_forward`."""
    slot = "_old_forward" if name == "forward" and "_old_forward" in module.__dict__ else name
    method = getattr(module, slot, None)
    own = isinstance(method, types.MethodType) and method.__self__ is module
    return (method.__func__, slot) if own and isinstance(method.__func__, types.FunctionType) else (None, "")


def _methods(kind) -> list[str]:
    """Methods of a class of the model; not those of torch.nn."""
    kinds = [k for k in kind.__mro__ if not k.__module__.startswith("torch.") and k is not object]
    return list(dict.fromkeys(n for k in kinds for n, f in vars(k).items() if isinstance(f, types.FunctionType)))


def turning(model):
    """Modules that rotate queries and keys: (name, module, [(function of a method, attribute, rotations in it)])."""
    for name, module in model.named_modules():
        found = []
        for method in _methods(type(module)):
            function, slot = _method(module, method)
            named = {} if function is None else _rotations_of(function)
            if any(not hasattr(f, "posenc_rotation") for f in named.values()):
                found.append((function, slot, named))
        if found:
            yield name, module, found


def is_bound(model) -> bool:
    """Whether some of its modules call posenc's op already."""
    methods = (m.__dict__.get(slot) for m in model.modules() for slot in ("forward", "_old_forward"))
    bound = (m.__func__ for m in methods if isinstance(m, types.MethodType) and isinstance(m.__func__, types.FunctionType))
    return any(hasattr(f, "posenc_rotation") for function in bound for f in globals_read(function).values())


def _tables(module) -> list:
    """What a rotary module makes of a few tokens, for each kind of layer; none where it takes no such positions."""
    device = next((b.device for b in module.buffers()), torch.device("cpu"))
    line, x = torch.arange(7, device=device), torch.empty(1, 1, device=device)
    points = (line[None], line.expand(3, 1, -1), torch.stack((line, line.roll(3)), dim=-1))
    for kind in getattr(module, "layer_types", None) or [None]:
        for at in points:
            try:
                made = copy.deepcopy(module).forward(x, at, **({} if kind is None else {"layer_type": kind}))
            except Exception:  # whatever the model's code says of them
                continue
            yield made[0] if isinstance(made, (tuple, list)) else made
            break


def _arrangement(table) -> str:
    """How the numbers of a row stand."""
    if table.is_meta:
        return "meta"
    if table.is_complex():
        return "complex"
    half = table.shape[-1] // 2
    if table.shape[-1] % 2 == 0 and torch.equal(table[..., :half], table[..., half:]):
        return "twice"
    return "each" if table.shape[-1] % 2 == 0 and torch.equal(table[..., ::2], table[..., 1::2]) else "once"


@torch.no_grad()
def arrangements(model) -> dict[str, set[str]]:
    """Of the tables that rotary modules make, by the Python module of their classes."""
    found: dict[str, set[str]] = {}
    for module in model.modules():
        if type(module).__name__.endswith(("RotaryEmbedding", "RopePositionEmbedding")):
            found.setdefault(type(module).__module__, set()).update(map(_arrangement, _tables(module)))
    return found


def why_kept(rotation, module, made) -> str:
    """Why a proven function must stay nevertheless: its tables are arranged otherwise, or nobody knows how."""
    wants = rotation.form.arrangement
    if wants in ("once", "complex"):  # a row has nothing but its pairs
        return ""
    here = made.get(type(module).__module__, set())
    if "meta" in here:
        return "its table is on the meta device, without numbers"
    if here == {wants}:
        return ""
    told = f"it wants a table with cosines {wants}, got one of {' and '.join(sorted(here))}"
    return told if here else "no module was found that makes its table"


def _bound(module, methods, rotations, norms):
    """Methods that call posenc's op, bound to the module; returns what takes them back."""
    takers = [] if norms is None else install(module)
    for function, slot, named in methods:
        instead = {name: stand_in(rotations[f], norms) for name, f in named.items() if f in rotations}
        takers.append(set_attribute(module, slot, types.MethodType(rewired(function, instead), module)))
    return lambda: [taker() for taker in reversed(takers)]


def bind(module, methods, rotations):
    """Binds the methods to copies that call posenc's op, with norms of heads where trying shows the same results."""
    norms = norms_of(module) if _norms_can_wait(rotations) else None
    if norms is not None:
        own = attended(module)
        take_back = _bound(module, methods, rotations, norms)
        if agree(own, attended(module, waits=True)):
            return take_back
        take_back()
    return _bound(module, methods, rotations, None)


def _norms_can_wait(rotations) -> bool:
    """The pass that norms and turns does so forwards, from the first feature on, for queries and keys."""
    forms = [(r.form.back, r.form.last, len(r.heads)) for r in rotations.values()]
    return forms == [(False, False, 2)]


def rotations(model):
    """Each class of attention: (first name, its modules with their methods, proven functions, why others are not)."""
    groups, made = {}, arrangements(model)
    for name, module, methods in turning(model):
        groups.setdefault(type(module), []).append((name, module, methods))
    for members in groups.values():
        name, module, methods = members[0]
        functions = {f for _, _, named in methods for f in named.values() if not hasattr(f, "posenc_rotation")}
        proven, reasons = {}, []
        for function in sorted(functions, key=lambda f: getattr(f, "__name__", "")):
            rotation, why = _proven(function)
            why = why or why_kept(rotation, module, made)
            if why:
                reasons.append(f"{getattr(function, '__name__', type(function).__name__)}: {why}")
            else:
                proven[function] = rotation
        yield name, members, proven, "; ".join(reasons)
