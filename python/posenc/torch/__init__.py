"""posenc for PyTorch: encodings as modules, over ops that autograd, torch.compile and torch.export know.

    encoding = posenc.torch.SinusoidalEncoding(dim=512, batch_first=True)
    x = encoding(x)                                   # [batch, tokens, 512]
    rope = posenc.torch.RotaryEncoding(dim=64, layout="half", heads_first=True)
    q, k = rope(q, k)                                 # [batch, heads, tokens, 64]
    scores = posenc.torch.RelativeBias("alibi", heads=8).add(scores)

Tensors of the CPU, and of CUDA where posenc was built with it, are encoded by posenc's kernels on PyTorch's
current stream; other devices get its exact tables, applied by PyTorch.
"""

try:
    import torch as _torch
except ImportError as why:
    raise ImportError("[posenc.torch] expected PyTorch 2.4 or newer, got none: pip install torch") from why
if not hasattr(_torch.library, "register_autograd"):
    raise ImportError(f"[posenc.torch] expected PyTorch 2.4 or newer, got {_torch.__version__}")

from .absolute import AbsoluteEncoding, LearnedEncoding, PositionalEncoding, SinusoidalEncoding
from .attention import attention_bias
from .convolution import ConvolutionEncoding
from .distributed import shard, shard_positions
from .flex import flex_attention, score_mod
from .graphs import GraphBias
from .grids import resize_grid
from .hub import kernel_mapping
from .polar import to_polar
from .relative import ContentTerm, RelativeBias
from .rotary import RotaryEncoding

__all__ = [
    "AbsoluteEncoding",
    "ContentTerm",
    "ConvolutionEncoding",
    "GraphBias",
    "LearnedEncoding",
    "PositionalEncoding",
    "RelativeBias",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "attention_bias",
    "check",
    "flex_attention",
    "kernel_mapping",
    "patch",
    "resize_grid",
    "score_mod",
    "shard",
    "shard_positions",
    "to_polar",
]


def patch(model, *, repair=False, rotation=True):
    """Replaces the encodings of a transformers model with exact ones and a faster rotation; see posenc.torch.patching."""
    from .patching import patch as patch_model

    return patch_model(model, repair=repair, rotation=rotation)


def check(model):
    """Reports what is wrong with the encodings of a transformers model; see posenc.torch.patching."""
    from .patching import check as check_model

    return check_model(model)
