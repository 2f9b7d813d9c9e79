"""A folder of results that several workers share, on one machine or on many.

    rows/TRIAL.jsonl    what a finished trial found; written beside and then renamed, so that it is whole or not there
    claims/TRIAL        locked by the worker that runs the trial; the system lets go of the lock when that worker dies
    errors/TRIAL.txt    why a trial failed; it is tried again by the next run
    models/TRIAL.pt     trained models that other trials start from
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
from typing import Iterator

try:
    import fcntl
except ImportError:  # Windows: one worker at a time
    fcntl = None  # type: ignore[assignment]

from .trials import Trial


class Results:
    def __init__(self, folder) -> None:
        self.folder = pathlib.Path(folder)

    def make(self) -> None:
        for name in ("rows", "claims", "errors", "models"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def file(self, trial: Trial) -> pathlib.Path:
        return self.folder / "rows" / f"{trial.name}.jsonl"

    def is_done(self, trial: Trial) -> bool:
        return self.file(trial).exists()

    def has_failed(self, trial: Trial) -> bool:
        return self._error(trial).exists()

    def _error(self, trial: Trial) -> pathlib.Path:
        return self.folder / "errors" / f"{trial.name}.txt"

    @contextlib.contextmanager
    def claimed(self, trial: Trial) -> Iterator[bool]:
        """Whether this worker may run the trial now: no living worker has it, and it is not done."""
        with open(self.folder / "claims" / trial.name, "a") as claim:
            if fcntl is not None:
                try:
                    fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                    return
            yield not self.is_done(trial)

    def save(self, trial: Trial, rows: list[dict]) -> None:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        self._write(self.file(trial), text)
        self._error(trial).unlink(missing_ok=True)

    def fail(self, trial: Trial, why: str) -> None:
        self._write(self._error(trial), why)

    def forget_failures(self) -> None:
        for file in (self.folder / "errors").glob("*.txt"):
            file.unlink(missing_ok=True)

    def _write(self, file: pathlib.Path, text: str) -> None:
        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        with open(temporary, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(file)

    def rows(self) -> list[dict]:
        """All rows of all finished trials."""
        return [row for file in sorted((self.folder / "rows").glob("*.jsonl")) for row in read(file)]


def read(file) -> list[dict]:
    return [json.loads(line) for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
