"""posenc's kernels on PyTorch's tensors: which ones they take, and how they are handed over."""

from __future__ import annotations

import functools

import torch

from posenc import _core

SMALL_INTEGERS = {torch.int8, torch.int16, torch.uint8}
# The first whole number that a type of floats cannot say.
LOST_FROM = {torch.float32: "2^24 + 1", torch.float16: "2049", torch.bfloat16: "257"}


@functools.lru_cache(maxsize=None)
def has_cuda(index: int) -> bool:
    """Whether posenc was built with CUDA and finds that device."""
    try:
        _core.Scheme("temporal").prepare(cuda_device=index)
    except ValueError:
        return False
    return True


def has_kernel_for(x: torch.Tensor) -> bool:
    """Whether kernels run where x lies; elsewhere PyTorch applies tables that they made on the CPU."""
    return x.is_cpu or (x.is_cuda and torch.version.hip is None and has_cuda(x.device.index))


def stream(x: torch.Tensor):
    return torch.cuda.current_stream(x.device).cuda_stream if x.is_cuda else None


def read(x: torch.Tensor | None):
    """As DLPack hands it over: not one that asks for a gradient."""
    return x.detach() if x is not None and x.requires_grad else x


def at(positions: torch.Tensor | None, first: int, x: torch.Tensor):
    """Where tokens stand, as kernels read it: a number to count from, or i32, i64 or f64 on x's device. Narrower floats
    are refused: which whole numbers they were made from cannot be seen in them any more."""
    if positions is None:
        return first
    if positions.device != x.device:
        raise ValueError(f"[positions] expected a tensor on {x.device}, got one on {positions.device}")
    if positions.dtype in LOST_FROM:
        raise ValueError(
            f"[positions] expected whole numbers or torch.float64, got {positions.dtype}, which has no "
            f"{LOST_FROM[positions.dtype]}: make them with .long() or .double()"
        )
    return positions.long() if positions.dtype in SMALL_INTEGERS else read(positions)


def compute_type(dtype: torch.dtype) -> torch.dtype:
    """What sums are done in, and the type of tables: f64 for f64, otherwise f32."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def zeros_for(weights, dout: torch.Tensor) -> list[torch.Tensor]:
    """What gradients of weights are added to."""
    dtype = compute_type(dout.dtype)
    return [torch.zeros(w.shape, dtype=dtype, device=dout.device) for w in weights]
