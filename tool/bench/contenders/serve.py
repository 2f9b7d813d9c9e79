"""The line protocol of peer.h, and the inputs the cases share with jobs.cc."""
import sys
import time

VOCABULARY = 32000
KEY_HEADS = 8


def scattered(i):
    """i may be a number or an array of 64-bit integers."""
    return (i * 2654435761 & 0xFFFFFFFF) >> 12


def wall_seconds(work, calls):
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return time.perf_counter() - start


def serve(name, prepare, seconds=wall_seconds):
    """prepare(verb, dtype, batch or heads, tokens, dim, threads) -> (work, numbers) or None."""
    print(name)
    work = None
    for line in sys.stdin:
        what, *rest = line.split()
        if what == "prepare":
            work = found = None  # frees the memory of the last case
            found = prepare(*(int(word) if word.isdigit() else word for word in rest))
            if found is None:
                print("no")
            else:
                work, numbers = found
                print(*(float(n) for n in numbers))
        else:
            print(seconds(work, int(rest[0])))
