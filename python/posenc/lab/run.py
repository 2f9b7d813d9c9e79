"""Workers that share a folder of results: each takes the next trial that nobody has, until there is none or time is up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import traceback
from typing import Callable, Iterator

import torch

from .measures import KINDS
from .environment import Environment
from .results import Results
from .trials import Trial

PAUSE = 0.5  # seconds until a worker looks again whether a trial of another one was finished, or given up


def run_trial(trial: Trial, env: Environment) -> list[dict]:
    """The rows of one trial, each with what it is a row of."""
    torch.manual_seed(trial.seed)
    start = time.perf_counter()
    found = KINDS[trial.kind](trial, env)
    name = torch.cuda.get_device_name() if env.device.startswith("cuda") else f"CPU, {torch.get_num_threads()} threads"
    head = {"kind": trial.kind, "scheme": trial.scheme, "seed": trial.seed}
    about = {"kind": "trial", "trial": trial.name, "profile": env.profile.name, "seconds": round(time.perf_counter() - start, 1),
             "device": name, "torch": torch.__version__}  # fmt: skip
    return [about, *({**head, **row, "value": _short(row["value"])} for row in found)]


def _short(value):
    return value if value is None else float(f"{value:.5g}")


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """TimeoutError after so many seconds; 0, and systems without alarms: no limit."""
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_):
        raise TimeoutError(f"expected an end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _take(results: Results, todo: list[Trial], env: Environment, until: float, limit: float) -> str:
    """Runs the first trial that can be: "ran", "wait" where others have those that are left, "done", or "late"."""
    waits = False
    for trial in todo:
        if time.time() >= until:
            return "late"
        if results.is_done(trial) or results.has_failed(trial):
            continue
        if trial.start is not None and not results.is_done(trial.start):
            waits |= not results.has_failed(trial.start)
            continue
        with results.claimed(trial) as mine:
            if mine:
                _run(results, trial, env, limit)
                return "ran"
            waits |= not results.is_done(trial)
    return "wait" if waits else "done"


def _run(results: Results, trial: Trial, env: Environment, limit: float) -> None:
    try:
        with _within(limit):
            rows = run_trial(trial, env)
        results.save(trial, rows)
    except Exception as why:
        results.fail(trial, traceback.format_exc())
        print(f"lab: {trial.name} failed: {type(why).__name__}: {why}", file=sys.stderr, flush=True)
        if "CUDA" in str(why) and not isinstance(why, torch.cuda.OutOfMemoryError):
            raise SystemExit(3) from why  # a device that failed fails from then on: another process goes on
    if env.device.startswith("cuda"):
        torch.cuda.empty_cache()


def work(
    results: Results, todo: list[Trial], env: Environment, until: float, show: Callable = lambda: None, limit: float = 0
) -> None:
    """Until everything is done, here or elsewhere, or time is up, or whoever started this worker is gone. limit: seconds of a trial."""
    torch.set_float32_matmul_precision("high")
    parent = os.getppid()
    while os.getppid() == parent:
        state = _take(results, todo, env, until, limit)
        show()
        if state in ("done", "late"):
            return
        if state == "wait":
            time.sleep(PAUSE)


class Progress:
    """A bar on standard error, or a line for each finished trial where it is no terminal."""

    def __init__(self, results: Results, todo: list[Trial]) -> None:
        self.results, self.todo, self.start, self.seen = results, todo, time.time(), set()
        self.seen = {t.name for t in todo if results.is_done(t)}
        self.before = len(self.seen)

    def show(self) -> None:
        fresh = [t for t in self.todo if t.name not in self.seen and self.results.is_done(t)]
        self.seen |= {t.name for t in fresh}
        passed, total = time.time() - self.start, len(self.todo)
        left = passed / max(1, len(self.seen) - self.before) * (total - len(self.seen))
        clock = f"{int(passed) // 60}:{int(passed) % 60:02}"
        if sys.stderr.isatty():
            bar = ("#" * (30 * len(self.seen) // max(1, total))).ljust(30, ".")
            sys.stderr.write(f"\rlab: [{bar}] {len(self.seen)}/{total} trials, {clock}, about {left / 60:.0f} min left ")
        else:
            sys.stderr.writelines(f"lab: {clock} {len(self.seen)}/{total} {t.name}\n" for t in fresh)
        sys.stderr.flush()

    def end(self) -> None:
        self.show()
        if sys.stderr.isatty():
            sys.stderr.write("\n")


def start_workers(arguments: list[str], count: int, devices: list[str], progress: Progress) -> None:
    """So many processes of `python -m posenc.lab`, on the devices in turn; one that dies is started again, up to three times."""

    def begin(index: int):
        environment = {**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        device = devices[index % len(devices)]
        return subprocess.Popen([sys.executable, "-m", "posenc.lab", *arguments, "--device", device, "--worker"], env=environment)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # workers are ended too
    running = {index: begin(index) for index in range(count)}
    again = 3 * count
    try:
        while running:
            time.sleep(PAUSE)
            progress.show()
            for index, process in list(running.items()):
                code = process.poll()
                if code is None:
                    continue
                del running[index]
                if code and again:
                    print(f"lab: worker {index} ended with {code}: another one takes its place", file=sys.stderr)
                    again -= 1
                    running[index] = begin(index)
    finally:
        for process in running.values():
            process.terminate()
        progress.end()
