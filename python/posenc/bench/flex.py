"""FlexAttention with posenc's biases beside FlexAttention without one.

    python -m posenc.bench.flex                       # on CUDA: 16 heads, 16384 tokens, bfloat16
    python -m posenc.bench.flex --tiny --device cpu   # sizes of a test

Times are milliseconds, then times of no bias: full and causal attention, forward and with all gradients. Calls are queued
one behind the other, as a model queues them.
"""

from __future__ import annotations

import argparse

import torch

import posenc.torch
from posenc.torch._flex_programs import of_pytorch

from ._timing import markdown, milliseconds, where

BIASES = {"none": {}, "alibi": {}, "alibi, learned": {"learned_slopes": True}, "t5": {}, "kerple": {}, "clipped": {"max_distance": 128}, "dynamic": {}}


def _bias(name: str, options: dict, heads: int, device: str):
    return None if name == "none" else posenc.torch.RelativeBias(name.split(",")[0], heads=heads, device=device, **options)


def _calls(bias, q, k, v, mask):
    plain = [t.detach() for t in (q, k, v)]

    def forward():
        with torch.no_grad():
            posenc.torch.flex_attention(*plain, bias=bias, block_mask=mask)

    def backward():
        out = posenc.torch.flex_attention(q, k, v, bias=bias, block_mask=mask)
        torch.autograd.grad(out.sum(), [q, k, v, *(bias.parameters() if bias is not None else ())])

    return forward, backward


def _time(call, options) -> float | None:
    try:
        return milliseconds(call, options.device, options.repeats, queued=16)
    except NotImplementedError:  # gradients on CPUs, in some versions of PyTorch
        return None


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m posenc.bench.flex", description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16", "float32"])
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--biases", nargs="+", choices=BIASES, default=list(BIASES), help="which biases, in addition to none")
    parser.add_argument("--tiny", action="store_true", help="a text of the size used in tests")
    options = parser.parse_args(arguments)
    tokens, heads = (128, 2) if options.tiny else (options.tokens, options.heads)
    shape, how = (1, heads, tokens, 64), {"device": options.device, "dtype": getattr(torch, options.dtype)}
    q, k, v = (torch.randn(shape, **how, requires_grad=True) for _ in range(3))
    causal = of_pytorch().create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=options.device)
    print(f"{where(options.device)}, {heads} heads, {tokens} tokens, {options.dtype}; milliseconds (times of no bias)\n")
    print(markdown([["bias", "full", "full, gradients", "causal", "causal, gradients"], ["---"] * 5]))
    bare = None
    for name in dict.fromkeys(["none", *options.biases]):
        bias = _bias(name, BIASES[name], heads, options.device)
        calls = [call for mask in (None, causal) for call in _calls(bias, q, k, v, mask)]
        times = [_time(call, options) for call in calls]
        bare = bare or times
        print(markdown([[name, *("not in this PyTorch" if t is None else f"{t:.2f} ({t / b:.2f})" for t, b in zip(times, bare))]]), flush=True)


if __name__ == "__main__":
    main()
