"""Biases for PyTorch's own attention, scaled_dot_product_attention; flex.py has those for FlexAttention."""

from __future__ import annotations

import torch

from posenc import Scheme

from ._direct import expect_tensors
from ._encoding import Encoding
from ._plans import axes_of
from .relative import RelativeBias

# Why what is no bias cannot be given to PyTorch's attention as one, and where it belongs.
ELSEWHERE = {
    "absolute": "which acts on the input: add it there",
    "convolution": "which acts on the input: add it there",
    "rotary": "which turns queries and keys: turn them before the attention",
    "content": "which reads queries or keys, where PyTorch shows scores alone: add it to scores that you make",
}


def bias_of(where: str, bias) -> RelativeBias:
    """The bias as a module; a posenc scheme without learned weights is wrapped in one."""
    family = getattr(bias, "family", None)
    if not isinstance(bias, (Encoding, Scheme)):
        raise TypeError(f"[{where}] expected a RelativeBias, or a bias of posenc, got {type(bias).__name__}")
    if family != "relative":
        name = bias.scheme if isinstance(bias, Encoding) else bias.name
        raise ValueError(f"[{where}] expected a bias, got {name}, {ELSEWHERE[family]}")
    if isinstance(bias, Scheme):
        if bias.weights:
            raise ValueError(f"[{where}] expected a RelativeBias with its weights, got {bias.name}, which learns some")
        bias = RelativeBias(bias)
    if axes_of(bias.handle) > 1:
        raise ValueError(
            f"[{where}] expected a bias of tokens in a row, got {bias.scheme}, whose positions have several axes: "
            "give them to the bias itself, and what it returns to PyTorch"
        )
    return bias


def attention_bias(
    bias: RelativeBias | Scheme, q: torch.Tensor, k: torch.Tensor, *, first_query: int = 0, causal: bool = False
) -> torch.Tensor:
    """attn_mask for torch.nn.functional.scaled_dot_product_attention: [1, heads, queries, keys].

    bias: as in score_mod. q and k: [batch, heads, tokens, dim]. first_query: the position of query 0. PyTorch scales q . k
    before it adds the mask. With causal=True the mask is causal too: pass is_causal=False.
    """
    bias = bias_of("attention_bias", bias)
    expect_tensors("attention_bias", q=q, k=k)
    if q.dim() < 3 or q.shape[-3] != bias.heads:
        raise ValueError(f"[attention_bias] expected q [batch, {bias.heads} heads, tokens, dim], got {list(q.shape)}")
    if k.dim() < 2:
        raise ValueError(f"[attention_bias] expected k [batch, heads, tokens, dim], got {list(k.shape)}")
    out = bias(q.shape[-2], k.shape[-2], first_query=first_query, causal=causal, device=q.device, dtype=q.dtype)
    return out.unsqueeze(0)
