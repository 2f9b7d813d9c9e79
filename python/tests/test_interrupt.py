"""Ctrl-C ends a call of the library: a child that is inside one gets SIGINT."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

# The other thread sends the signal once the main thread has worked for half a second: it is inside the call then.
CHILD = """
import os, signal, threading, time
import numpy as np
import posenc

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

def interrupt(clock, start):
    while time.clock_gettime(clock) < start + 0.5:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

{prepare}
clock = time.pthread_getcpuclockid(threading.main_thread().ident)
threading.Thread(target=interrupt, args=(clock, time.clock_gettime(clock)), daemon=True).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""

PIPE = """
import signal, sys
import posenc

signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
posenc.explain(sys.argv[1])
"""

# Each would take many minutes.
CALLS = {
    "random walks": (
        "edges = np.random.default_rng(1).integers(0, 4000, (400000, 2))",
        "posenc.graph.random_walk(edges, steps=2000)",
    ),
    "eigenvectors": (
        "edges = np.random.default_rng(1).integers(0, 100000, (500000, 2))",
        "posenc.graph.laplacian(edges, dim=128)",
    ),
    "all eigenvectors": (
        "edges = np.random.default_rng(1).integers(0, 6000, (60000, 2))",
        "posenc.graph.laplacian(edges, dim=5000)",
    ),
    "claims": ("", "posenc.check(posenc.Sinusoidal(dim=8192), tokens=4096)"),
    "attention": (
        "q = np.ones((1, 60000, 4, 64), np.float32)",
        "posenc.attend(q, q, q)",
    ),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_that_nobody_writes_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    child = subprocess.Popen(
        [sys.executable, "-c", PIPE, tmp_path / "pipe"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout.readline() == "ready\n"
    errors = None
    for _ in range(600):  # the first may come before the child waits
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=0.5)
            break
        except subprocess.TimeoutExpired:
            pass
    assert errors is not None and "KeyboardInterrupt" in errors and child.returncode != 0


@pytest.mark.parametrize("name", CALLS)
def test_a_long_call_ends(name):
    prepare, call = CALLS[name]
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD).format(prepare=prepare, call=call)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (child.stdout, child.returncode) == ("interrupted\n", 0), child.stderr
