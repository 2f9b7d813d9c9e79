"""Plans in many threads, the GIL in long calls, and calls after fork()."""

import os
import threading

import numpy as np

import posenc


def test_threads_share_a_plan():
    plan, want = posenc.Sinusoidal(dim=64).plan(keep=100), posenc.Sinusoidal(dim=64).table(500)
    wrong = []

    def work():
        for n in range(1, 300):
            x = np.zeros((n, 64), np.float32)
            if not np.array_equal(plan.add_(x), want[:n]):
                wrong.append(n)

    all_threads = [threading.Thread(target=work) for _ in range(8)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    assert not wrong


def test_long_calls_let_other_threads_run():
    """While one thread works in the library, another counts."""
    x = np.zeros((2000, 4096), np.float32)
    plan = posenc.Sinusoidal(dim=4096).plan()
    counted, done = [], threading.Event()

    def count():
        while not done.is_set():
            counted.append(None)

    counter = threading.Thread(target=count)
    counter.start()
    during = 0
    for _ in range(20):  # a busy machine may not let the other thread begin in time
        before = len(counted)
        plan.add_(x)
        during = max(during, len(counted) - before)
    done.set()
    counter.join()
    assert during > 100  # a call that kept the lock would let it count at most once or twice


def test_everything_after_fork():
    x = np.zeros((1000, 1024), np.float32)
    posenc.Sinusoidal(dim=1024).add_(x)
    child = os.fork()
    if child == 0:
        y = np.zeros((1000, 1024), np.float32)
        posenc.Sinusoidal(dim=1024).add_(y)
        os._exit(0 if np.array_equal(x, y) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
