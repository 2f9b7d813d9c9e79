"""What a call costs beside its work: microseconds for tiny arrays, and nanoseconds an element for large ones.

    ./run python python/bench/overhead.py
"""

import time

import numpy as np

import posenc


def seconds(call, least=0.2, rounds=7):
    """The best of some rounds, each long enough to be measured."""
    call()
    n = 1
    while True:
        start = time.perf_counter()
        for _ in range(n):
            call()
        if time.perf_counter() - start > least / rounds:
            break
        n *= 2
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter() - start) / n)
    return best


def tiny():
    """One token each: nearly all of it is the call."""
    row, other = np.zeros((1, 64), np.float32), np.ones((1, 64), np.float32)
    q, k = np.ones((1, 2, 64), np.float32), np.ones((1, 2, 64), np.float32)
    scores = np.zeros((8, 1, 8), np.float32)
    at = np.array([5])
    pages = {name: np.zeros((2, 16, 2, 64), np.float32) for name in ("k_cache", "v_cache")}
    pe, rope, alibi = posenc.Sinusoidal(dim=64), posenc.Rope(dim=64, layout="half"), posenc.Alibi(heads=8)
    rows, turns, biases = pe.plan(keep=64), rope.plan(keep=64), alibi.plan(keep=64)
    return {
        "np.add(x, y, out=x)": lambda: np.add(row, other, out=row),
        "plan.core.add(x)": lambda core=rows.core: core.add(row),
        "plan.add_(x)": lambda: rows.add_(row),
        "plan.add_(x, 5)": lambda: rows.add_(row, 5),
        "plan.add_(x, array)": lambda: rows.add_(row, at),
        "scheme.add_(x)": lambda: pe.add_(row),
        "plan.add(x)": lambda: rows.add(row),
        "plan.core.rotate(q, k)": lambda core=turns.core: core.rotate(q, k),
        "plan.rotate_(q, k)": lambda: turns.rotate_(q, k),
        "plan.rotate_(q, k, array)": lambda: turns.rotate_(q, k, at),
        "plan.rotate_into_(q, k, v)": lambda: turns.rotate_into_(q, k, k, 5, slots=at, **pages),
        "bias plan.add_(scores)": lambda: biases.add_(scores),
    }


def large():
    """f32 arrays that do not fit the caches: (elements, call)."""
    x = np.zeros((8, 4096, 512), np.float32)
    q = np.zeros((8192, 32, 128), np.float32)
    pe, rope = posenc.Sinusoidal(dim=512).plan(), posenc.Rope(dim=128, layout="half").plan(keep=8192)
    table = pe.table(4096)
    cos, sin = (np.concatenate([t, t], 1)[:, None] for t in rope.cos_sin(8192))

    def numpy_rotate():
        half = np.concatenate([-q[..., 64:], q[..., :64]], -1)
        return q * cos + half * sin

    return {
        "np: x += table": (x.size, lambda: np.add(x, table, out=x)),
        "plan.add_(x)": (x.size, lambda: pe.add_(x)),
        "np: rotate_half": (q.size, numpy_rotate),
        "plan.rotate_(q)": (q.size, lambda: rope.rotate_(q)),
        "plan.rotate(q)": (q.size, lambda: rope.rotate(q)),
    }


def main():
    own = None
    print("tiny, one token                us   above np.add")
    for name, call in tiny().items():
        took = seconds(call) * 1e6
        own = took if own is None else own
        print(f"{name:26} {took:8.2f} {took - own:10.2f}")
    print(f"\nlarge, f32, {posenc.threads()} threads  ns an element")
    for name, (elements, call) in large().items():
        print(f"{name:26} {seconds(call, 1.0, 3) * 1e9 / elements:8.3f}")


if __name__ == "__main__":
    main()
