"""The trials of the lab as work: what fails, is killed or takes too long is told, tried again, and done once."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

from posenc.lab import measures
from posenc.lab.__main__ import main
from posenc.lab.measures import KINDS
from posenc.lab.environment import Environment
from posenc.lab.results import Results
from posenc.lab.run import work
from posenc.lab.trials import PROFILES, QUESTIONS, Trial, trials


def test_names_of_trials_are_their_own():
    for profile in PROFILES.values():
        every = trials(profile)
        assert len({t.name for t in every}) == len(every)
        assert {t.kind for t in every} == set(KINDS)
        names = [t.name for t in every]
        assert all(names.index(t.start.name) < names.index(t.name) for t in every if t.start)
    with pytest.raises(ValueError, match="expected a question, one of length, .*, got lenght"):
        trials(PROFILES["tiny"], ["lenght"])


def _todo():
    return trials(PROFILES["tiny"], ["length"], schemes=["none", "rope", "alibi"])


def _folder(tmp_path):
    text = tmp_path / "text"
    text.write_bytes(bytes(range(32, 127)) * 40)
    results = Results(tmp_path / "out")
    results.make()
    return results, Environment(PROFILES["tiny"], "cpu", results.folder / "models", (str(text),))


def _how(tmp_path, *more):
    return ["--tiny", "--out", str(tmp_path), "--text", str(tmp_path / "text"), "--device", "cpu", *more]


def test_retrieval_trains_the_model_that_another_machine_has(tmp_path):
    _, env = _folder(tmp_path)
    rows = KINDS["retrieval"](Trial("retrieval", "rope", 0), env)
    assert [(row["taught"], row.get("rule"), row["distance"]) for row in rows] == [
        (False, None, 64), (True, None, 64), *((True, rule, 64) for rule in measures.UNDER)
    ]


def test_a_trial_that_fails_is_told_and_tried_again(tmp_path, monkeypatch, capsys):
    results, env = _folder(tmp_path)
    whole = KINDS["decoder"]
    monkeypatch.setitem(KINDS, "decoder", lambda trial, env: 1 / 0 if trial.scheme == "rope" else whole(trial, env))
    work(results, _todo(), env, float("inf"))
    assert "decoder-rope-s0 failed: ZeroDivisionError" in capsys.readouterr().err
    assert {t.scheme for t in _todo() if results.is_done(t)} == {"none", "alibi"}
    monkeypatch.setitem(KINDS, "decoder", whole)
    results.forget_failures()
    work(results, _todo(), env, float("inf"))
    assert all(results.is_done(t) for t in _todo())


def test_a_trial_that_takes_too_long_is_given_up(tmp_path, monkeypatch, capsys):
    (results, env), before = _folder(tmp_path), signal.getsignal(signal.SIGALRM)

    def endless(trial, env):
        while True:
            pass

    monkeypatch.setitem(KINDS, "decoder", endless)
    work(results, _todo(), env, float("inf"), limit=0.05)
    assert "decoder-rope-s0 failed: TimeoutError: expected an end within 0.05 s" in capsys.readouterr().err
    assert all(results.has_failed(t) and not results.is_done(t) for t in _todo())
    assert signal.getsignal(signal.SIGALRM) == before


KILLED = """
import os, pathlib, signal, sys
sys.path.insert(0, sys.argv[2])
import test_lab_work
from posenc.lab.measures import KINDS
whole = KINDS["decoder"]

def killed(trial, env):
    with open(pathlib.Path(sys.argv[1]) / "begun", "a") as begun:
        begun.write(trial.name + "\\n")
    rows = whole(trial, env)
    if trial.scheme == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows

KINDS["decoder"] = killed
results, env = test_lab_work._folder(pathlib.Path(sys.argv[1]))
test_lab_work.work(results, test_lab_work._todo(), env, float("inf"))
"""


def _worker(tmp_path, dies_at):
    here = str(pathlib.Path(__file__).parent)
    return subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), here, dies_at], check=False).returncode


def test_a_killed_worker_loses_nothing_and_nothing_is_done_twice(tmp_path):
    order = [t.scheme for t in _todo()]
    assert _worker(tmp_path, order[1]) == -signal.SIGKILL
    results, _ = _folder(tmp_path)
    assert [results.is_done(t) for t in _todo()] == [True, False, False]
    kept = results.file(_todo()[0]).stat().st_mtime_ns
    assert _worker(tmp_path, "nobody") == 0
    assert results.file(_todo()[0]).stat().st_mtime_ns == kept
    begun = (tmp_path / "begun").read_text().split()
    assert begun == [f"decoder-{s}-s0" for s in (order[0], order[1], order[1], order[2])]
    rows = results.rows()
    assert len({json.dumps({**r, "value": 0}) for r in rows}) == len(rows)
    assert sum(r["kind"] == "trial" for r in rows) == 3


def test_a_trial_of_a_living_worker_is_left_alone(tmp_path):
    results, env = _folder(tmp_path)
    first = _todo()[0]
    child = os.fork()
    if not child:  # holds the claim until it is killed
        with results.claimed(first) as mine:
            (tmp_path / "has").write_text(str(mine))
            signal.pause()
    try:
        while not (tmp_path / "has").exists():
            pass
        with results.claimed(first) as mine:
            assert not mine
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with results.claimed(first) as mine:
        assert mine


def test_time_that_is_up_begins_nothing(tmp_path):
    results, env = _folder(tmp_path)
    work(results, _todo(), env, 0)
    assert not any(results.is_done(t) for t in _todo())


def test_an_ended_run_says_that_it_goes_on(tmp_path):
    _folder(tmp_path)
    how = _how(tmp_path, "--question", "length", "--seeds", "1000")
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731  which a shell ignores for what it puts in the background
    with subprocess.Popen([sys.executable, "-m", "posenc.lab", *how], stderr=subprocess.PIPE, text=True, preexec_fn=heard) as run:
        next(line for line in run.stderr if "decoder-" in line)  # one trial is done
        run.send_signal(signal.SIGINT)
        said = run.stderr.read()
    assert run.returncode == 130 and "the same command goes on" in said and "Traceback" not in said


@pytest.mark.parametrize("wrong, said", [
    (("--question", "lenght"), "expected a question, one of length, .*, got lenght"),
    (("--schemes", "rope,ropee"), "expected schemes that the questions can be asked of, .*, got ropee"),
    (("--question", "rules", "--schemes", "alibi"), "expected schemes that the questions can be asked of, rope, got alibi"),
    (("--question", "length", "--schemes", "convolution"), "got convolution"),  # reads what comes later
    (("--text", "nosuch"), "expected a file or a folder, got nosuch"),
])  # fmt: skip
def test_wrong_words_are_told_before_anything_is_made(tmp_path, capsys, wrong, said):
    _folder(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(_how(tmp_path, *wrong))
    assert ended.value.code == 2 and not (tmp_path / "tiny").exists()
    assert re.search(said, capsys.readouterr().err)


def test_schemes_are_those_that_a_question_can_be_asked_of():
    names = [t.name for t in trials(PROFILES["tiny"], ["pictures", "mistakes", "encoder"], schemes=["alibi", "window", "convolution"])]
    assert sorted(names) == ["decoder-alibi-s0", "encoder-alibi-s0", "encoder-convolution-s0", "mistakes-alibi-s0", "pictures-window-s0"]


def test_failed_trials_end_with_1_and_are_named(tmp_path, capsys):
    (tmp_path / "text").write_bytes(b"too short" * 9)
    assert main(_how(tmp_path, "--question", "length", "--schemes", "rope")) == 1
    said = capsys.readouterr().err
    assert "1 of 1 trials failed, decoder-rope-s0" in said and "expected results of finished trials" in said
    assert main(_how(tmp_path, "--report")) == 1


@pytest.mark.parametrize("restarts, again", [("0", True), ("1", False)])
def test_torchrun_tries_again_what_failed_before_it(tmp_path, monkeypatch, restarts, again):
    results, _ = _folder(tmp_path)
    results = Results(tmp_path / "tiny")
    results.make()
    (trial,) = trials(PROFILES["tiny"], ["length"], schemes=["rope"])
    results.fail(trial, "an earlier run")
    for name, value in (("LOCAL_RANK", "1"), ("TORCHELASTIC_RESTART_COUNT", restarts)):
        monkeypatch.setenv(name, value)
    assert main(_how(tmp_path, "--question", "length", "--schemes", "rope")) == (0 if again else 1)
    assert results.is_done(trial) == again and results.has_failed(trial) != again


@pytest.mark.parametrize("module, more, said", [
    ("torch", ["--list"], "lab: expected PyTorch, which the models are made with, got none: pip install torch"),
    ("ray", ["--ray", "2"], "lab: expected Ray for --ray, got none: pip install ray"),
])  # fmt: skip
def test_a_module_that_is_not_there_is_named(tmp_path, module, more, said):
    _folder(tmp_path)
    code = f"import runpy, sys; sys.modules[{module!r}] = None; runpy.run_module('posenc.lab', run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", code, *_how(tmp_path, *more)], check=False, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 1 and run.stderr.strip() == said


def test_encoders_are_read_at_every_length(tmp_path):
    _, env = _folder(tmp_path)
    rows = KINDS["encoder"](Trial("encoder", "rope", 0), env)
    assert [row["length"] for row in rows] == [32, 128] and len({row["value"] for row in rows}) == 2


def test_the_whole_of_it(tmp_path, capsys):
    _folder(tmp_path)
    how = _how(tmp_path)
    for question in QUESTIONS:
        assert main([*how, "--question", question, "--schemes", "none" if question == "pictures" else "rope"]) == 0
    out = capsys.readouterr().out
    assert "## What classic mistakes cost" in out and "## Pictures at another resolution" in out
    assert not list((tmp_path / "tiny" / "errors").iterdir())
    main([*how, "--list"])
    assert "done 1 decoder-rope-s0" in capsys.readouterr().out
