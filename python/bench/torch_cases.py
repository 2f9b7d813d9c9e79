"""What torch_bench.py measures: posenc.torch, and the usual code beside it."""

from __future__ import annotations

import dataclasses
from typing import Callable

import torch

import posenc.torch as pt


@dataclasses.dataclass
class Case:
    name: str
    ours: Callable
    theirs: Callable
    gigabytes: float  # read and written, at the least


def sinusoids(tokens, dim, device):
    """The table that most code keeps."""
    angle = torch.arange(tokens)[:, None].double() * 10000.0 ** (-torch.arange(0, dim, 2).double() / dim)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1).float().to(device)


def cos_sin(tokens, dim, device, dtype):
    angle = torch.arange(tokens)[:, None].double() * 10000.0 ** (-torch.arange(0, dim, 2).double() / dim)
    return tuple(torch.cat((t, t), -1)[:, None].to(device, dtype) for t in (angle.cos(), angle.sin()))


def rotate_half(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def gigabytes(*tensors, times=2):
    return times * sum(t.numel() * t.element_size() for t in tensors) / 1e9


def absolute_cases(sizes, device, dtype):
    batch, tokens, dim = sizes["text"]
    x = torch.randn(batch, tokens, dim, device=device, dtype=dtype)
    table = sinusoids(tokens, dim, device)
    encoding = pt.SinusoidalEncoding(dim=dim, batch_first=True)
    yield Case("add", lambda: encoding(x), lambda x=x: (x + table).to(dtype), gigabytes(x))
    words = torch.randn(sizes["words"], dim, device=device, dtype=dtype)
    ids = torch.randint(0, sizes["words"], (batch, tokens), device=device)
    yield Case(
        "embed",
        lambda: encoding.embed(ids, words, scale=dim**0.5),
        lambda: (torch.nn.functional.embedding(ids, words) * dim**0.5 + table).to(dtype),
        gigabytes(x),
    )
    learned = pt.LearnedEncoding(rows=tokens, dim=dim, device=device, batch_first=True)
    theirs = torch.nn.Parameter(learned.table.detach().clone())

    def step(f, weight):
        def run():
            weight.grad = None
            f().backward(x)

        return run

    yield Case(
        "learned, with its gradient",
        step(lambda: learned(x), learned.table),
        step(lambda: (x + theirs).to(dtype), theirs),
        gigabytes(x, times=3),
    )


def rotary_cases(sizes, device, dtype):
    tokens, heads, kv_heads, dim = sizes["heads"]
    q = torch.randn(1, tokens, heads, dim, device=device, dtype=dtype)
    k = torch.randn(1, tokens, kv_heads, dim, device=device, dtype=dtype)
    cos, sin = cos_sin(tokens, dim, device, dtype)
    rope = pt.RotaryEncoding(dim=dim, layout="half", heads_first=False)
    yield Case(
        "rotate", lambda: rope(q, k), lambda: (rotate_half(q, cos, sin), rotate_half(k, cos, sin)), gigabytes(q, k)
    )
    qg, kg = q.clone().requires_grad_(), k.clone().requires_grad_()

    def step(f):
        def run():
            qg.grad = kg.grad = None
            torch.autograd.backward(f(), (q, k))

        return run

    yield Case(
        "rotate, with its gradient",
        step(lambda: rope(qg, kg)),
        step(lambda: (rotate_half(qg, cos, sin), rotate_half(kg, cos, sin))),
        gigabytes(q, k, times=4),
    )


def bias_cases(sizes, device, dtype):
    heads, tokens = sizes["scores"]
    scores = torch.randn(1, heads, tokens, tokens, device=device, dtype=dtype)
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1, device=device) / heads)
    at = torch.arange(tokens, device=device)
    distance = at - at[:, None]
    alibi, t5 = pt.RelativeBias("alibi", heads=heads), pt.RelativeBias("t5", heads=heads, device=device)
    table = t5.table.detach().clone()
    yield Case(
        "alibi",
        lambda: alibi.add(scores),
        lambda: scores - (slopes[:, None, None] * distance.abs()).to(dtype),
        gigabytes(scores),
    )

    def buckets():
        away = distance.abs()
        large = 8 + (torch.log(away.float() / 8) / 2.772588722239781 * 8).long().clamp(max=7)
        return torch.where(away < 8, away, large) + 16 * (distance > 0)

    with torch.no_grad():
        yield Case(
            "t5",
            lambda: t5.add(scores),
            lambda: scores + table[buckets()].permute(2, 0, 1).to(dtype),
            gigabytes(scores),
        )
