"""What all encodings share: a scheme with its options, and its weights as parameters."""

from __future__ import annotations

import torch
from torch import nn

from posenc import Scheme
from posenc._classes import ALIASES, CLASSES

from ._plans import handle_of, options_of, scheme_of
from ._sharded import full_tensors


def _holder(module: nn.Module, name: str) -> nn.Module:
    """The module that holds a parameter: another one inside for each dot of its name."""
    for part in name.split(".")[:-1]:
        if part not in module._modules:
            module.add_module(part, nn.Module())
        module = module._modules[part]
    return module


def parameter_of(module: nn.Module, name: str) -> nn.Parameter:
    """The parameter of that name, or the one that a parametrization makes it of."""
    holder, last = _holder(module, name), name.split(".")[-1]
    for own in (last, f"{last}_orig"):  # the latter of what torch.nn.utils.prune has pruned
        if own in holder._parameters:
            return holder._parameters[own]
    made = getattr(holder, "parametrizations", {})
    original = getattr(made[last], "original", None) if last in made else None
    if original is None:
        raise ValueError(f"[{type(module).__name__}] expected {name} as a parameter to reset, got one that is made of several")
    return original


def _expect_known(scheme: str, options) -> None:
    """TypeError for what names no option, as of the scheme's own class."""
    kind = CLASSES.get(ALIASES.get(scheme, scheme))
    if kind:
        kind._expect_known(scheme, {name: value for name, value in options.items() if name != "preset"})


class Encoding(nn.Module):
    """A scheme of posenc as a module.

    Options are those of the scheme (`posenc.schemes()` lists them); an option with parts is a dict with its "type", or just
    that name. Learned weights are parameters with the scheme's own initial values; nothing else is in the state dict.
    """

    family = ""

    def __init__(self, scheme, *, device=None, dtype=None, **options) -> None:
        """scheme: its name, or one of posenc's schemes, such as posenc.Rope(dim=64, layout="half")."""
        super().__init__()
        if not isinstance(scheme, (str, Scheme)):
            raise TypeError(f"[{type(self).__name__}] expected a scheme or its name, got {type(scheme).__name__}")
        if not isinstance(scheme, str):
            scheme, options = scheme.name, {**scheme.to_dict(), **options}
        _expect_known(scheme, options)
        self.called = scheme
        self.given = dict(options)
        self.handle = handle_of(scheme, options)
        self.scheme = self.handle.split(" ", 1)[0]  # where it was called by another name
        family = scheme_of(self.handle).info()["family"]
        if family != self.family:
            raise ValueError(f"[{type(self).__name__}] expected {self.family} scheme, got {scheme}, which is {family}")
        self.weight_names = []
        for weight in scheme_of(self.handle).weights():
            self.weight_names.append(weight["name"])
            empty = torch.empty(tuple(weight["shape"]), device=device, dtype=dtype)
            _holder(self, weight["name"]).register_parameter(weight["name"].split(".")[-1], nn.Parameter(empty))
        self.register_buffer("_home", torch.empty(0, device=device), persistent=False)  # where .to() moved the module
        self.reset_parameters()

    @property
    def options(self) -> dict:
        """The options that are read, with their values."""
        return options_of(self.handle)

    @property
    def held(self) -> list[torch.Tensor]:
        """The learned weights, as this device holds them."""
        return [getattr(_holder(self, name), name.split(".")[-1]) for name in self.weight_names]

    @property
    def weights(self) -> list[torch.Tensor]:
        return full_tensors(self.held)

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Sets the scheme's own initial values."""
        for weight in scheme_of(self.handle).weights():
            parameter = parameter_of(self, weight["name"])
            if weight["deviation"]:
                parameter.normal_(weight["mean"], weight["deviation"])
            else:
                parameter.fill_(weight["mean"])

    def _like(self, device, dtype, positions=None) -> torch.Tensor:
        """An empty tensor of the device and type that results should have. Unless said: the type of the weights, and
        the device of positions that are given, else that of the module."""
        weight = self.weights[0] if self.weight_names else None
        beside = weight if weight is not None else self._home if positions is None else positions
        dtype = dtype or (weight.dtype if weight is not None else None)
        return torch.empty(0, device=beside.device if device is None else device, dtype=dtype)

    def _told(self) -> dict:
        """What the module was given beside its scheme."""
        return self.given

    def extra_repr(self) -> str:
        return ", ".join([repr(self.called), *(f"{k}={v!r}" for k, v in self._told().items())])


class InputEncoding(Encoding):
    """An encoding that acts on the input; the token axis is the one before the last.

    batch_first: x is [batch, tokens, dim]; without it x is [tokens, batch, dim]. For [tokens, dim] it makes no difference.
    """

    def __init__(self, scheme, *, batch_first: bool | None = None, **options) -> None:
        super().__init__(scheme, **options)
        if not isinstance(batch_first, bool):
            raise TypeError(
                f"[{type(self).__name__}] expected batch_first=True where x is [batch, tokens, dim], or False where it is "
                f"[tokens, batch, dim], got {batch_first}: it cannot be guessed"
            )
        self.batch_first = batch_first

    def _told(self) -> dict:
        return {**self.given, "batch_first": self.batch_first}

    def _swapped(self, x: torch.Tensor, axes: str) -> torch.Tensor:
        """x with its batch first, and back. axes: those after tokens and batch."""
        count = 2 + len(axes.split())
        if self.batch_first or x.dim() < count:
            return x
        if x.dim() > count:
            told = ", ".join(["tokens", "batch", *axes.split()])
            raise ValueError(f"[{type(self).__name__}] expected [{told}] with batch_first=False, got {list(x.shape)}")
        return x.transpose(0, 1)
