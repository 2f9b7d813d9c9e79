"""A small Transformer: causal decoder, masked encoder, or the same over the patches of a picture."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch import nn

from .encodings import Part


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int = 6
    width: int = 256
    heads: int = 8


class Block(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(2))
        self.qkv = nn.Linear(size.width, 3 * size.width, bias=False)
        self.out = nn.Linear(size.width, size.width, bias=False)
        self.up, self.down = nn.Linear(size.width, 4 * size.width), nn.Linear(4 * size.width, size.width)

    def forward(self, x, part: Part, layer: int):
        normed = self.norms[0](x)
        q, k, v = (t.transpose(1, 2) for t in self.qkv(normed).unflatten(-1, (3, self.heads, -1)).unbind(2))
        q, k = part.turn(q, k)
        if layer == 0:
            part.begin(q, k)
        x = x + self.out(part.attend(layer, q, k, v, normed).transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.norms[1](x))))


class Transformer(nn.Module):
    """Logits of every token: [batch, tokens, outputs]. inputs: tokens, or [batch, patches, features]."""

    def __init__(self, size: Size, part: Part, *, tokens: int = 0, features: int = 0, outputs: int = 256) -> None:
        super().__init__()
        self.size, self.part = size, part
        self.enter = nn.Embedding(tokens, size.width) if tokens else nn.Linear(features, size.width)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.norm, self.head = nn.LayerNorm(size.width), nn.Linear(size.width, outputs, bias=False)
        for block in self.blocks:
            for matrix, share in ((block.qkv, 1), (block.up, 1), (block.out, 2 * size.layers), (block.down, 2 * size.layers)):
                nn.init.normal_(matrix.weight, std=0.02 / math.sqrt(share))
        if tokens:
            nn.init.normal_(self.enter.weight, std=0.02)
        nn.init.normal_(self.head.weight, std=0.02)

    def states(self, inputs):
        x = self.part.enter(self.enter(inputs))
        for layer, block in enumerate(self.blocks):
            x = block(x, self.part, layer)
        return self.norm(x)

    def forward(self, inputs):
        return self.head(self.states(inputs))


class Classifier(Transformer):
    """Logits of the whole picture: those of the mean of its patches."""

    def forward(self, inputs):
        return self.head(self.states(inputs).mean(1))


def parameters(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())
