"""posenc's rotation through the hook that transformers has for kernels: the package `kernels`, without its hub.

    with kernels.use_kernel_mapping(posenc.torch.kernel_mapping()):
        model = kernels.kernelize(model, mode=kernels.Mode.INFERENCE)
"""

from __future__ import annotations

import functools
import importlib

import torch

from ._rotation_forms import prove, stand_in

NAME = "rotary_pos_emb"  # what transformers calls it


@functools.lru_cache(maxsize=256)
def _instead(kind):
    """What stands in for the function that a module of this class wraps: itself, where its form is not known."""
    own = kind.forward.__get__(kind())
    rotation, why = prove(own)
    return own if why else stand_in(rotation)


class Rotation(torch.nn.Module):
    """Replaces functions through transformers' kernel hook; each is tested first, and kept if it does something else."""

    can_torch_compile = True
    has_backward = True

    def forward(self, q, k, cos, sin, unsqueeze_dim=1):
        return _instead(type(self))(q, k, cos, sin, unsqueeze_dim)


class _Repository:
    """Where `kernels` finds the layer: here."""

    layer_name = NAME

    def load(self):
        return Rotation

    def __eq__(self, other) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return "posenc.torch.hub"


def _expect_versions() -> None:
    """ImportError where transformers takes no notice of the `kernels` that is installed."""
    try:
        found = importlib.import_module("transformers.utils.import_utils")
    except ImportError:
        return
    bounds = [getattr(found, name, None) for name in ("KERNELS_MIN_VERSION", "KERNELS_MAX_VERSION")]
    if hasattr(found, "is_kernels_available") and not found.is_kernels_available():
        wanted = f"from {bounds[0]} on" + (f", below {bounds[1]}" if bounds[1] else "")
        got = importlib.import_module("importlib.metadata").version("kernels")
        version = importlib.import_module("transformers").__version__
        raise ImportError(f"[kernel_mapping] expected kernels {wanted}, which transformers {version} wants, got {got}")


def kernel_mapping() -> dict:
    """For kernels.use_kernel_mapping or kernels.register_kernel_mapping: posenc's rotation for transformers models on CUDA and on
    the CPU. Raises ImportError if `kernels` is missing or is not a version that this transformers works with."""
    try:
        mode = importlib.import_module("kernels").Mode
    except ImportError as why:
        raise ImportError("[kernel_mapping] expected the package kernels, got none: pip install kernels") from why
    _expect_versions()
    modes = (mode.INFERENCE | mode.TORCH_COMPILE, mode.TRAINING | mode.TORCH_COMPILE)
    return {NAME: {device: {m: _Repository() for m in modes} for device in ("cuda", "cpu")}}
