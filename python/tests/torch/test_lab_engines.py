"""The lab under engines that start its workers: one worker is killed, and nothing is lost or done twice."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from posenc.lab.results import Results
from posenc.lab.trials import PROFILES, trials

pytestmark = pytest.mark.skipif(not pathlib.Path("/proc/self/task").exists(), reason="finds workers in /proc")
SEEDS = 20


class Lab:
    """A run of the lab on a text of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        (folder / "text").write_bytes(bytes(range(32, 127)) * 40)
        self.results = Results(folder / "tiny")
        self.todo = trials(PROFILES["tiny"], ["length"], SEEDS, ["none", "rope", "alibi"])
        self.how = ["--tiny", "--question", "length", "--schemes", "none,rope,alibi", "--seeds", str(SEEDS), "--out", str(folder)]
        self.how += ["--text", str(folder / "text"), "--device", "cpu"]

    def done(self) -> dict[str, int]:
        """When each finished trial was written."""
        files = (self.results.file(t) for t in self.todo)
        return {file.name: file.stat().st_mtime_ns for file in files if file.exists()}

    def kill_one(self, run: subprocess.Popen, workers) -> dict[str, int]:
        """Kills a worker once some trials are done; those, which must stay as they are."""
        while len(self.done()) < 3:
            assert run.poll() is None, "expected a run that goes on"
            time.sleep(0.01)
        os.kill(workers()[0], signal.SIGKILL)
        before = self.done()
        assert len(before) < len(self.todo), "expected to kill a worker before the end"
        return before

    def expect_whole(self, before: dict[str, int]) -> None:
        after = self.done()
        assert len(after) == len(self.todo) and {name: after[name] for name in before} == before
        rows = self.results.rows()
        told = [(r["scheme"], r["seed"], r["length"], r["scoring"]) for r in rows if r["kind"] == "decoder"]
        assert len(told) == len(set(told)) == 4 * len(self.todo)  # two lengths, scored both ways
        assert sum(r["kind"] == "trial" for r in rows) == len(self.todo)
        assert not list((self.results.folder / "errors").iterdir())


def _children(pid: int) -> list[int]:
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_torchrun_begins_again_where_a_worker_was_killed(tmp_path):
    lab = Lab(tmp_path)
    engine = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "3", "-m", "posenc.lab"]
    with subprocess.Popen([sys.executable, *engine, *lab.how], stderr=subprocess.DEVNULL) as run:
        before = lab.kill_one(run, lambda: _children(run.pid))
    assert run.returncode == 0
    lab.expect_whole(before)


def test_workers_of_the_lab_itself_are_replaced(tmp_path):
    lab = Lab(tmp_path)
    with subprocess.Popen([sys.executable, "-m", "posenc.lab", *lab.how, "--workers", "2"], stderr=subprocess.PIPE, text=True) as run:
        before = lab.kill_one(run, lambda: _children(run.pid))
        said = run.stderr.read()
    assert run.returncode == 0 and "ended with -9: another one takes its place" in said
    lab.expect_whole(before)
