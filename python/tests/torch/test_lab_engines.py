"""The lab under engines that start its workers: one worker is killed, and nothing is lost or done twice."""

import os
import pathlib
import signal
import socket
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
    lab.results.make()
    lab.results.fail(lab.todo[0], "an earlier run")  # is tried again
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


# What the lab asks of Ray, and no more: tasks are processes that are begun again when they die.
RAY = """
import multiprocessing

def init(*, address, ignore_reinit_error):
    assert address == "auto" and ignore_reinit_error

def cluster_resources():
    return {"CPU": 2.0}

class Task:
    def __init__(self, function, count, arguments):
        self.begin = lambda: multiprocessing.get_context("fork").Process(target=function, args=arguments)
        self.left = count
        self.process = self.begin()
        self.process.start()

    def end(self):
        self.process.join()
        while self.process.exitcode:
            assert self.left, "expected a task that ends"
            self.left -= 1
            self.process = self.begin()
            self.process.start()
            self.process.join()

def remote(*, num_gpus, max_retries):
    assert num_gpus == 0
    def made(function):
        class Remote:
            @staticmethod
            def remote(*arguments):
                return Task(function, max_retries, arguments)
        return Remote
    return made

def get(tasks):
    assert len(tasks) == 2
    for task in tasks:
        task.end()
"""


def test_tasks_of_ray_are_begun_again(tmp_path):
    """Calls of a module that takes Ray's place; the next test has Ray itself."""
    lab, place = Lab(tmp_path), tmp_path / "modules"
    place.mkdir()
    (place / "ray.py").write_text(RAY)
    path = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH", "")]))
    environment = {**{k: v for k, v in os.environ.items() if k != "RAY_ADDRESS"}, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen([sys.executable, "-m", "posenc.lab", *lab.how, "--ray", "2"], env=environment) as run:
        before = lab.kill_one(run, lambda: _children(run.pid))
    assert run.returncode == 0
    lab.expect_whole(before)


def _tasks_of_ray(mark: str) -> list[int]:
    """Processes that run a task, of the cluster whose environment has this mark."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"ray::main" in (process / "cmdline").read_bytes() and mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass  # has ended, or is another user's
    return found


def test_ray_begins_a_task_again_whose_worker_was_killed(tmp_path):
    pytest.importorskip("ray")
    lab, cluster = Lab(tmp_path), [sys.executable, "-m", "ray.scripts.scripts"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "POSENC_LAB_TEST": str(tmp_path), "RAY_ADDRESS": f"127.0.0.1:{port}"}
    begin = ["start", "--head", "--port", str(port), "--num-cpus", "2", "--include-dashboard", "false", "--block"]
    unset = {k: v for k, v in environment.items() if k != "RAY_ADDRESS"}
    with subprocess.Popen([*cluster, *begin], env=unset, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as head:
        try:
            _wait_for(port, head)
            with subprocess.Popen([sys.executable, "-m", "posenc.lab", *lab.how, "--ray", "2"], env=environment) as run:
                before = lab.kill_one(run, lambda: _tasks_of_ray(str(tmp_path)))
            assert run.returncode == 0
        finally:
            head.terminate()  # ends what it began
    lab.expect_whole(before)


def _wait_for(port: int, head: subprocess.Popen) -> None:
    until = time.time() + 120
    while time.time() < until and head.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("expected Ray to begin within two minutes")
