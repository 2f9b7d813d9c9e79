"""What models are made of, in PyTorch, written the way it is usually written."""
import math

import torch
from serve import VOCABULARY, scattered


def table(tokens, dim, device="cpu"):
    pe = torch.zeros(tokens, dim, device=device)
    position = torch.arange(0, tokens, dtype=torch.float, device=device).unsqueeze(1)
    rate = torch.exp(torch.arange(0, dim, 2, device=device).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(position * rate)
    pe[:, 1::2] = torch.cos(position * rate)
    return pe


def ids_of(batch, tokens, device="cpu"):
    ids = scattered(torch.arange(batch * tokens, device=device)) % VOCABULARY
    return ids.reshape(batch, tokens)


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_every_two(x):
    return torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)


def rms_norm(x, weight):
    h = x.float()
    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)
    return weight * h.to(x.dtype)


def distances(queries, keys, device="cpu"):
    return torch.arange(keys, device=device)[None, :] - torch.arange(queries, device=device)[:, None]


def alibi(heads, queries, keys, device="cpu"):
    slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1, device=device) / heads)
    return slopes[:, None, None] * -distances(queries, keys, device).abs()


def t5_bucket(distance, buckets=32, max_distance=128):
    half = buckets // 2
    exact = half // 2
    n = distance.abs()
    far = exact + (torch.log(n.float() / exact) / math.log(max_distance / exact) * (half - exact)).long()
    return (distance > 0).long() * half + torch.where(n < exact, n, far.clamp(max=half - 1))
