#!/usr/bin/env python3
"""Writes relative.json and relative.safetensors: what other libraries add to attention scores.

Made with the versions rotary.py names (CPU); others are refused. A case says which options of which
scheme stand for the peer's module, and holds what the module learns, what it reads, and what it adds.
Modules that learn are run in f64, so that their results are exact for a test; what a model was trained
with in f32 or bf16 (slopes, buckets) is left as it is. Run: python3 relative.py
"""
import contextlib

import numpy as np
import torch

import relative_content
import relative_grids
import relative_lines
from rotary import check_versions, text, write


FLOAT32 = torch.float32


@contextlib.contextmanager
def f64():
    """Where a peer says float, it gets double."""
    method = torch.Tensor.float
    torch.Tensor.float, torch.float32, torch.float = torch.Tensor.double, torch.float64, torch.float64
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.Tensor.float, torch.float32, torch.float = method, FLOAT32, FLOAT32
        torch.set_default_dtype(FLOAT32)


def runs(numbers, first):
    """[[first number of a run, its value], ...] of a list that begins at `first`."""
    begins = [0] + (torch.nonzero(numbers[1:] != numbers[:-1]).flatten() + 1).tolist()
    return [[first + b, int(numbers[b])] for b in begins]


def checked(value, type):
    """As f32 where that holds it; results in f64 must be small for their error to be."""
    assert value.isfinite().all() and (type != "f64" or value.abs().max() < 32)
    short = value.to(FLOAT32)
    return short if torch.equal(short.to(value.dtype), value) else value


class Golden:
    """All cases so far."""

    farthest = 1000000  # distance at which buckets are compared

    def __init__(self):
        self.generator = torch.Generator().manual_seed(21)
        self.cases, self.arrays = [], {}

    def random(self, *shape):
        """Numbers that f32 holds, in the default type."""
        numbers = torch.randn(*shape, generator=self.generator, dtype=FLOAT32)
        return numbers.to(torch.get_default_dtype())

    def randomize(self, module):
        """Gives the weights of a module random values, and returns the module."""
        module.to(torch.get_default_dtype()).eval()
        for weight in module.parameters():
            weight.copy_((self.random(*weight.shape) / weight.shape[-1] ** 0.5).to(FLOAT32))
        return module

    def bucket_runs(self, bucket):
        """bucket: a function of distances key - query, all of them up to `farthest` to both sides."""
        return runs(bucket(torch.arange(-self.farthest, self.farthest + 1)), -self.farthest)

    def add(self, peer, what, scheme, options, *, weights=(), family="bias", type="f64", roundings=0, buckets=(),
            scale=1.0, scale_on="sum", causal=False, resize=(), **arrays):
        """type: of the peer's numbers. roundings: of f32, before the one that gives the peer's result.

        scale: on q . k ("scores") or also on what the scheme adds ("sum"). Numbers that f32 holds are kept so.
        """
        name = f"{len(self.cases):02}"
        arrays |= {f"weight {i}": w for i, w in enumerate(weights)}
        for key, value in arrays.items():
            value = torch.as_tensor(value).detach().contiguous()
            if value.is_floating_point() and key not in ("queries", "keys"):
                value = checked(value, type)
            self.arrays[f"{name} {key}"] = value.numpy()
        self.cases.append({
            "name": name, "peer": peer, "what": what, "family": family, "scheme": scheme,
            "options": [text(t) for pair in options.items() for t in pair], "type": type, "roundings": roundings,
            "scale": scale, "scale_on": scale_on, "causal": causal, "buckets": buckets, "resize": resize,
        })


def main():
    check_versions()
    golden = Golden()
    relative_lines.add_trained_cases(golden)
    relative_content.deberta_buckets(golden)
    with f64():
        for module in (relative_lines, relative_grids, relative_content):
            module.add_cases(golden)
    write("relative", golden)


if __name__ == "__main__":
    with torch.no_grad():
        main()
