"""The command line of the lab."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import time

try:
    import torch
except ModuleNotFoundError as why:
    if why.name != "torch":
        raise
    sys.exit("lab: expected PyTorch, which the models are made with, got none: pip install torch")

from . import __doc__ as about
from . import corpora
from .environment import Environment
from .results import Results
from .run import Progress, start_workers, work
from .trials import PROFILES, QUESTIONS, trials


def _asked(arguments):
    """(options, the trials that they ask for)."""
    parser = argparse.ArgumentParser(prog="python -m posenc.lab", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", dest="profile", action="store_const", const="quick", help="small models, for minutes on a CPU")
    how.add_argument("--full", dest="profile", action="store_const", const="full", help="models of 5M parameters with three seeds, for a GPU")
    how.add_argument("--tiny", dest="profile", action="store_const", const="tiny", help="sizes for tests")
    parser.add_argument("--question", action="append", metavar="NAME", help=f"only this question; may be repeated: {', '.join(QUESTIONS)}")
    parser.add_argument("--schemes", metavar="NAME,...", help="these schemes instead of the question's own")
    parser.add_argument("--seeds", type=int, help="number of seeds for each")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no trial after this many minutes; run again to continue")
    parser.add_argument("--trial-minutes", type=float, default=0, help="abandon a trial that takes longer")
    parser.add_argument("--out", default="out/lab", help="folder of results (default out/lab)")
    parser.add_argument("--text", action="append", default=[], metavar="PATH", help="train on these files instead of Python's source")
    parser.add_argument("--workers", type=int, default=0, help="processes on this machine; under torchrun, the ranks are the workers")
    parser.add_argument("--ray", type=int, default=0, metavar="N", help="N workers as tasks of a Ray cluster")
    parser.add_argument("--device", help="cpu, cuda, cuda:1")
    parser.add_argument("--list", action="store_true", help="list the trials and which of them are done")
    parser.add_argument("--report", action="store_true", help="only write the tables and plots of existing results")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.profile = options.profile or "quick"
    # Times are those of an idle device: asked for beside other workers, they have to be named.
    alone = options.workers < 2 and not options.ray and not options.worker and "LOCAL_RANK" not in os.environ
    options.question = options.question or [q for q in QUESTIONS if alone or q != "speed"]
    schemes = options.schemes.split(",") if options.schemes else None
    try:
        corpora.files(options.text)
        return options, trials(PROFILES[options.profile], options.question, options.seeds, schemes)
    except ValueError as why:
        parser.error(str(why))


def _device(asked: str | None) -> str:
    if asked:
        return asked
    if not torch.cuda.is_available():
        return "cpu"
    return f"cuda:{int(os.environ.get('LOCAL_RANK', 0)) % torch.cuda.device_count()}"


def _passed_on(options) -> list[str]:
    """What a worker is told."""
    out = [f"--{options.profile}", "--out", options.out, "--minutes", str(options.minutes), "--trial-minutes", str(options.trial_minutes)]
    for name in ("question", "text"):
        out += [word for value in getattr(options, name) or () for word in (f"--{name}", value)]
    out += ["--schemes", options.schemes] if options.schemes else []
    return out + (["--seeds", str(options.seeds)] if options.seeds else [])


def _on_ray(count: int, arguments: list[str]) -> None:
    """One worker per task; Ray starts a task again whose machine was lost."""
    try:
        import ray
    except ModuleNotFoundError:
        sys.exit("lab: expected Ray for --ray, got none: pip install ray")
    try:
        ray.init(address=os.environ.get("RAY_ADDRESS", "auto"), ignore_reinit_error=True)
    except ConnectionError as why:
        sys.exit(f"lab: expected a Ray cluster, which `ray start --head` begins, got none: {why}")
    share = min(1.0, ray.cluster_resources().get("GPU", 0) / count)
    begin = ray.remote(num_gpus=share, max_retries=3)(main)
    ray.get([begin.remote([*arguments, "--worker"]) for _ in range(count)])


def _code(results: Results, todo, ranked: bool) -> int:
    """1 where trials have failed, and says which. A rank of torchrun says so once no other one can be at work: its end ends theirs."""
    failed = {t.name for t in todo if results.has_failed(t)}
    left = [t for t in todo if t.name not in failed and not results.is_done(t) and (t.start is None or t.start.name not in failed)]
    if not failed or ranked and left:
        return 0
    why = f"{results.folder / 'errors'} says why; the same command tries again"
    print(f"lab: {len(failed)} of {len(todo)} trials failed, {', '.join(sorted(failed))}: {why}", file=sys.stderr)
    return 1


def _run(options, todo, results: Results) -> int:
    """The exit code: 1 where trials have failed."""
    start, ranked = time.time(), "LOCAL_RANK" in os.environ
    results.make()
    if not options.worker and os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0":
        results.forget_failures()
    device = _device(options.device)
    env = Environment(PROFILES[options.profile], device, results.folder / "models", tuple(options.text))
    progress = Progress(results, todo)
    if options.ray:
        _on_ray(options.ray, _passed_on(options))
    elif options.workers > 1:
        devices = [f"cuda:{i}" for i in range(torch.cuda.device_count())] if device.startswith("cuda") else [device]
        start_workers(_passed_on(options), options.workers, devices, progress)
    else:
        quiet = options.worker or int(os.environ.get("LOCAL_RANK", 0))
        show = (lambda: None) if quiet else progress.show
        work(results, todo, env, start + 60 * options.minutes, show, 60 * options.trial_minutes)
    return 0 if options.worker else _code(results, todo, ranked)


def main(arguments=None) -> int:
    options, todo = _asked(arguments)
    folder = pathlib.Path(options.out) / options.profile
    results = Results(folder)
    if options.list:
        print("\n".join(f"{'done' if results.is_done(t) else '    '} {t.tier} {t.name}" for t in todo))
        return 0
    code = 0 if options.report else _run(options, todo, results)
    if options.worker or "LOCAL_RANK" in os.environ and not options.report:
        return code
    from .report import write

    rows = results.rows()
    if not rows:
        print(f"lab: expected results of finished trials in {folder}, got none", file=sys.stderr)
        return 1
    for line in write(rows, folder):
        print(line)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        if "--worker" not in sys.argv:
            print("\nlab: ended; the same command goes on with what is left", file=sys.stderr)
        sys.exit(130)
