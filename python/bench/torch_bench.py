"""posenc.torch beside PyTorch, eager and compiled: one run, the three taking turns, medians.

python python/bench/torch_bench.py [--device cuda] [--quick] [--rounds 30]
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from torch_cases import absolute_cases, bias_cases, cos_sin, rotary_cases, rotate_half, sinusoids

import posenc.torch as pt


SIZES = {
    "cpu": {"text": (8, 1024, 512), "words": 8000, "heads": (2048, 16, 4, 64), "scores": (8, 1024)},
    "quick": {"text": (2, 128, 64), "words": 100, "heads": (64, 4, 2, 32), "scores": (2, 64)},
    "cuda": {"text": (32, 4096, 1024), "words": 32000, "heads": (65536, 32, 8, 128), "scores": (32, 4096)},
}


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(f, device, calls) -> float:
    wait(device)
    start = time.perf_counter()
    for _ in range(calls):
        f()
    wait(device)
    return (time.perf_counter() - start) / calls


def measure(runs, device, rounds, calls=1):
    """Medians of runs that take turns."""
    for f in runs:
        f(), f()
    seconds = [[timed(f, device, calls) for f in runs] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*seconds)]


def compiled(f):
    return torch.compile(f, dynamic=False)


def small_calls(device):
    """Of one token: what a call costs beside its work."""
    x, q = torch.randn(1, 1, 64, device=device), torch.randn(1, 1, 1, 64, device=device)
    table, (cos, sin) = sinusoids(1, 64, device), cos_sin(1, 64, device, torch.float32)
    encoding, rope = pt.SinusoidalEncoding(dim=64, batch_first=True), pt.RotaryEncoding(dim=64, layout="half", heads_first=False)
    yield "add", lambda: encoding(x), lambda: x + table
    yield "rotate", lambda: rope(q), lambda: rotate_half(q, cos, sin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    given = parser.parse_args()
    sizes = SIZES["quick" if given.quick else given.device]
    print(
        f"PyTorch {torch.__version__}, {given.device}, {torch.get_num_threads()} threads; medians of {given.rounds}\n"
    )
    print("| case | ours, us | GB/s | eager, us | compiled, us | eager / ours | compiled / ours |")
    print("|---|---|---|---|---|---|---|")
    for dtype in (torch.float32, torch.bfloat16):
        for make in (absolute_cases, rotary_cases, bias_cases):
            for case in make(sizes, given.device, dtype):
                backward = "gradient" in case.name
                extra = [] if given.no_compile or backward else [compiled(case.theirs)]
                with torch.set_grad_enabled(backward):
                    ours, eager, *rest = measure([case.ours, case.theirs, *extra], given.device, given.rounds)
                fused = (
                    f"{rest[0] * 1e6:.1f} | {eager / ours:.2f} | {rest[0] / ours:.2f}"
                    if rest
                    else f"- | {eager / ours:.2f} | -"
                )
                name = f"{case.name} {str(dtype).removeprefix('torch.')}"
                print(
                    f"| {name} | {ours * 1e6:.1f} | {case.gigabytes / ours:.1f} | {eager * 1e6:.1f} | {fused} |",
                    flush=True,
                )
    print("\nOne token: microseconds of a call\n\n| call | ours | eager |\n|---|---|---|")
    with torch.no_grad():
        for name, ours, eager in small_calls(given.device):
            a, b = measure([ours, eager], given.device, given.rounds, calls=200)
            print(f"| {name} | {a * 1e6:.1f} | {b * 1e6:.1f} |")


if __name__ == "__main__":
    main()
