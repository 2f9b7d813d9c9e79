"""How the ops are registered: one kernel for every device, a fake one, and a gradient."""

from __future__ import annotations

import torch

from ._direct import is_plain, refuse_tangents, tensors_in, wants_gradient

library = torch.library.Library("posenc", "DEF")
PLACES = ("positions", "queries", "keys")
_kernels, _steps = {}, {}


def _on_one_device(name, fake):
    """The fake kernel is also that of tensors without memory, which others cannot be mixed with."""

    def shaped(*arguments):
        places = {t.device.type for t in tensors_in(arguments)}
        if "meta" in places and len(places) > 1:
            raise ValueError(f"[{name}] expected tensors on one device, got {' and '.join(sorted(places))}")
        return fake(*arguments)

    return shaped


def _without_tangents(run):
    def checked(*arguments):
        refuse_tangents(arguments)
        return run(*arguments)

    return checked


def _without_gradients_of_places(schema, setup):
    """Positions get no gradient: rather a sentence than zeros in silence."""
    name, rest = schema.split("(", 1)
    arguments = [argument.split()[-1] for argument in rest.split(") ->")[0].split(", ")]
    places = [(arguments.index(p), p) for p in PLACES if p in arguments]

    def checked(ctx, inputs, output):
        for index, place in places:
            if inputs[index] is not None and inputs[index].requires_grad:
                raise ValueError(f"[{name}] expected {place} without requires_grad, got some with it: take detach()")
        setup(ctx, inputs, output)

    return checked


def _no_second(name):
    """An op of gradients without a rule of its own: PyTorch would only warn, and drop what depends on it."""

    def backward(ctx, *tangents):
        raise NotImplementedError(f"[{name}] expected one gradient, got a second")

    return lambda ctx, inputs, output: None, backward


def _step(run, setup, backward):
    """The kernel with its gradient, for plain tensors: what register_autograd() makes of them, at less than half of its cost.
    An argument may be a list of tensors, which autograd does not look into: they are passed one by one."""

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx, counts, *flat):
            rest = iter(flat)
            inputs = tuple(next(rest) if n < 0 else [next(rest) for _ in range(n)] for n in counts)
            output = run(*inputs)
            setup(ctx, inputs, output)
            ctx.makes_list = isinstance(output, list)
            return tuple(output) if ctx.makes_list else output

        @staticmethod
        def backward(ctx, *dout):
            given = backward(ctx, list(dout) if ctx.makes_list else dout[0])
            return None, *(g for one in given for g in (one if isinstance(one, (list, tuple)) else [one]))

    def step(*arguments):
        counts = tuple(len(a) if isinstance(a, (list, tuple)) else -1 for a in arguments)
        flat = (t for a in arguments for t in (a if isinstance(a, (list, tuple)) else [a]))
        out = Step.apply(counts, *flat)
        return list(out) if isinstance(out, tuple) else out

    return step


def select_impl(name, *tensors):
    """What to call for these tensors: the kernel, the kernel with its gradient, or the op that PyTorch can trace."""
    if not is_plain(*tensors):
        return getattr(torch.ops.posenc, name)
    return (_steps if wants_gradient(*tensors) else _kernels)[name]


def register(schema: str, run, fake, setup=None, backward=None) -> None:
    """run: for every device. setup and backward: as torch.library.register_autograd takes them."""
    name = library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    qualified = f"posenc::{name}"
    library.impl(name, _without_tangents(run), "CompositeExplicitAutograd")
    torch.library.register_fake(qualified, _on_one_device(name, fake), lib=library)
    if backward is None and name.endswith(("gradient", "gradients")):
        setup, backward = _no_second(name)
    if backward is not None:
        checked = _without_gradients_of_places(schema, setup)
        torch.library.register_autograd(qualified, backward, setup_context=checked, lib=library)
        _steps[name] = _step(run, checked, backward)
    _kernels[name] = run
