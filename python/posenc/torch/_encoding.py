"""What all encodings share: a scheme with its options, and its weights as parameters."""

from __future__ import annotations

import torch
from torch import nn

from posenc import Scheme, _core
from posenc._classes import ALIASES, CLASSES

from ._plans import handle_of, options_of, scheme_of
from ._sharded import whole


def _holder(module: nn.Module, name: str) -> nn.Module:
    """The module that holds a parameter: another one inside for each dot of its name."""
    for part in name.split(".")[:-1]:
        if part not in module._modules:
            module.add_module(part, nn.Module())
        module = module._modules[part]
    return module


def _expect_known(scheme: str, options) -> None:
    """TypeError for what names no option, as of the scheme's own class."""
    kind = CLASSES.get(ALIASES.get(scheme, scheme))
    for name in options if kind else ():
        if name != "preset" and name not in kind._usual:
            raise TypeError(f"[{scheme}] {_core.unknown_option(name, list(kind._usual))}")


class Encoding(nn.Module):
    """A scheme of posenc as a module.

    Options are those of the scheme (`posenc.schemes()` lists them); one with parts is a dict with its
    "type", or that name alone. What a scheme learns are parameters with its own initial values; nothing
    else enters a state dict.
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
        self.reset_parameters()

    @property
    def options(self) -> dict:
        """The options that are read, with their values."""
        return options_of(self.handle)

    @property
    def held(self) -> list[torch.Tensor]:
        """What is learned, as this device holds it."""
        return [getattr(_holder(self, name), name.split(".")[-1]) for name in self.weight_names]

    @property
    def weights(self) -> list[torch.Tensor]:
        return whole(self.held)

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """The scheme's own initial values."""
        for weight, parameter in zip(scheme_of(self.handle).weights(), self.parameters()):
            if weight["deviation"]:
                parameter.normal_(weight["mean"], weight["deviation"])
            else:
                parameter.fill_(weight["mean"])

    def _like(self, device, dtype, positions=None) -> torch.Tensor:
        """An empty tensor of the device and type that results should have, by default those of weights or positions."""
        weight = self.weights[0] if self.weight_names else None
        beside = positions if weight is None else weight
        if device is None and beside is not None:
            device = beside.device
        dtype = dtype or (weight.dtype if weight is not None else None)
        return torch.empty(0, device=device, dtype=dtype)

    def extra_repr(self) -> str:
        return ", ".join([repr(self.called), *(f"{k}={v!r}" for k, v in self.given.items())])
