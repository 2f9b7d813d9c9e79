"""Biases for FlexAttention: as arithmetic where they are little of it, as a line of numbers by distance otherwise."""

from __future__ import annotations

import functools
import types
from typing import Callable

import torch

from posenc import Scheme

from . import _native
from ._direct import expect_count, expect_tensors, expect_whole
from ._plans import facts_of
from .attention import bias_of
from .relative import RelativeBias

# Blocks of the Triton kernels that leave room for numbers read by distance; by default they ask for more than a GPU has.
# The quickest of those tried on an H200. FlexAttention has a kernel of its own for fewer than 128 queries, which chooses for itself;
# given fwd_BLOCK_M it would write beyond its results.
FORWARD = {"BLOCK_M": 128, "BLOCK_N": 32, "fwd_num_stages": 3}
BACKWARD = {"bwd_BLOCK_M1": 32, "bwd_BLOCK_N1": 64, "bwd_BLOCK_M2": 64, "bwd_BLOCK_N2": 32, "bwd_num_stages": 3, "bwd_num_warps": 4}
LENGTHS = 6  # that are compiled for one by one, before one program for all of them
BACKEND = "inductor"


@functools.lru_cache(maxsize=256)
def _kind(handle: str) -> str:
    facts = facts_of(handle)
    return {"distance": "slope", "key": "key slope"}[facts.reads] if facts.is_straight else facts.reads


@torch.compiler.assume_constant_result
def _reads(handle: str) -> str:
    """What a bias reads. slope: a slope of each head times the distance; key slope: times the key."""
    return _kind(handle)


def score_mod(
    bias: RelativeBias | Scheme, queries: int, keys: int | None = None, *, first_query: int = 0, device=None, dtype=None
) -> Callable:
    """A score_mod for torch.nn.attention.flex_attention, for up to so many queries and keys.

    bias: a RelativeBias, or a bias of posenc that learns nothing, such as posenc.Alibi(heads=8). ALiBi is a slope for each head;
    memory of others that read the distance grows with queries + keys. first_query: the position of query 0, with a cache
    its length. Learned biases get their gradients through it. Its attribute kernel_options is what FlexAttention should be
    given with it on CUDA; posenc.torch.flex_attention does that.
    """
    bias = bias_of("score_mod", bias)
    keys = queries if keys is None else keys
    expect_count("score_mod", queries=queries, keys=keys)
    mod, options = _mod(bias, queries, keys, first_query, device, dtype)
    if not torch.compiler.is_compiling():
        mod.kernel_options = options
    return mod


def _mod(bias, queries, keys, first_query, device, dtype):
    reads = _reads(bias.handle)
    like = bias._like(device, dtype)
    how = {"device": like.device, "dtype": dtype or _native.compute_type(like.dtype)}

    def whole(number):  # a tensor, so that one program serves all lengths; in 64 bits ALiBi would take twice the time
        return torch.full((), number, dtype=torch.int32, device=like.device)

    if reads in ("slope", "key slope"):
        slopes = bias(1, 1, first_key=1, **how)[:, 0, 0]
        if reads == "key slope":
            return lambda score, batch, head, query, key: score + slopes[head] * key, {}
        before = whole(first_query)
        return lambda score, batch, head, query, key: score + slopes[head] * (query + before - key).abs(), {}
    options = {**(FORWARD if queries >= 128 else {}), **BACKWARD}
    if reads == "distance":
        last = first_query + queries - 1
        line, last = bias(1, last + keys, first_key=-last, **how)[:, 0], whole(queries - 1)
        return lambda score, batch, head, query, key: score + line[head, key - query + last], options
    if reads == "key":
        line = bias(1, keys, **how)[:, 0]
        return lambda score, batch, head, query, key: score + line[head, key], options
    table = bias(queries, keys, first_query=first_query, **how)
    return lambda score, batch, head, query, key: score + table[head, query, key], options


def _attend(q, k, v, score_mod, block_mask, scale, enable_gqa, kernel_options):
    from torch.nn.attention.flex_attention import flex_attention  # of PyTorch 2.5 or newer

    return flex_attention(q, k, v, score_mod, block_mask, scale, enable_gqa, kernel_options=kernel_options)


@functools.lru_cache(maxsize=256)
def _compiled(case, dynamic: bool):
    """A program of its own for each case: PyTorch counts the programs of one function, and gives up after a few."""
    twin = types.FunctionType(_attend.__code__.replace(), _attend.__globals__, "attend")
    return torch.compile(twin, dynamic=dynamic, backend=BACKEND)


_lengths: dict[tuple, set] = {}


def _chosen(case, lengths):
    """What attends in this case: compiled for these lengths, or for all of them where there were many."""
    seen = _lengths.setdefault(case, set())
    if lengths not in seen and len(seen) < LENGTHS:
        seen.add(lengths)
    return _compiled(case, lengths not in seen)


def _compiles(q) -> bool:
    """On the CPU PyTorch compiles for inference alone."""
    return q.is_cuda


def flex_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, bias: RelativeBias | Scheme | None = None, block_mask=None,
    first_query: int = 0, scale: float | None = None, enable_gqa: bool = False, kernel_options: dict | None = None,
) -> torch.Tensor:  # fmt: skip
    """PyTorch's FlexAttention with a bias: q [batch, heads, queries, dim], k and v [batch, heads, keys, dim].

    On CUDA it is compiled, for each length up to six of them, then once for all; elsewhere, and inside a compiled function,
    it is PyTorch's call. block_mask: of PyTorch's create_block_mask. first_query: the position of query 0, with a cache its length.
    bias: as score_mod takes it; what it learns gets its gradient.
    """
    expect_tensors("flex_attention", q=q, k=k, v=v)
    expect_whole("flex_attention", first_query=first_query)
    if q.is_cuda and q.dtype == torch.float64:
        raise TypeError("[flex_attention] expected q of float32, float16 or bfloat16 on CUDA, got float64, which FlexAttention lacks")
    mod, options, kind = None, {}, ""
    if bias is not None:
        bias = bias_of("flex_attention", bias)
        if q.dim() != 4 or q.shape[-3] != bias.heads:
            wanted = f"q [batch, {bias.heads} heads, tokens, dim]"
            raise ValueError(f"[flex_attention] expected {wanted}, got {list(q.shape)}")
        dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
        mod, options = _mod(bias, q.shape[-2], k.shape[-2], first_query, q.device, dtype)
        kind = _reads(bias.handle)
    options = (kernel_options or options or None) if q.is_cuda else kernel_options
    given = (q, k, v, mod, block_mask, scale, enable_gqa, options)
    if torch.compiler.is_compiling() or not _compiles(q):
        return _attend(*given)
    wants = torch.is_grad_enabled() and any(t.requires_grad for t in (q, k, v, *(bias.parameters() if bias else ())))
    fixed = (q.shape[0], q.shape[1], k.shape[1], q.shape[-1], v.shape[-1])
    case = (kind, q.dtype, q.device, fixed, scale, enable_gqa, block_mask is not None, wants)
    return _chosen(case, (q.shape[-2], k.shape[-2]))(*given)
