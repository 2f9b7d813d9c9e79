"""Texts to train on that need no download: the source code that was installed with Python, or files that you name."""

from __future__ import annotations

import pathlib
import random
import sysconfig

import numpy as np


def files(paths: list[str]) -> list[pathlib.Path]:
    """Every file of these paths, which are files or folders."""
    found = []
    for path in map(pathlib.Path, paths):
        if not path.exists():
            raise ValueError(f"[corpus] expected a file or a folder, got {path}, which is not there")
        found += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return found


def python_files() -> list[pathlib.Path]:
    """The modules of the standard library, without what others installed beside them."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    inside = (p for p in sorted(root.rglob("*.py")) if p.is_file())
    return [p for p in inside if not {"site-packages", "dist-packages", "lib2to3", "__pycache__"} & set(p.parts)]


def load(paths: list[str] | None = None, *, held_out: float = 0.1) -> tuple[np.ndarray, list[np.ndarray]]:
    """(bytes to train on, files held out): whole files, dealt by a fixed shuffle, END-less and with a zero byte between."""
    blobs = [np.frombuffer(p.read_bytes(), np.uint8) for p in (files(paths) if paths else python_files())]
    blobs = [b for b in blobs if len(b)]
    if not blobs:
        raise ValueError(f"[corpus] expected files that hold text, got none in {paths or 'the standard library of Python'}")
    random.Random(0).shuffle(blobs)
    kept = max(1, round(len(blobs) * held_out))
    if len(blobs) == 1:  # one long file: its end is held out
        cut = round(len(blobs[0]) * (1 - held_out))
        return blobs[0][:cut], [blobs[0][cut:]]
    zero = np.zeros(1, np.uint8)
    return np.concatenate([part for b in blobs[kept:] for part in (b, zero)]), blobs[:kept]


def segments(held_out: list[np.ndarray], count: int, length: int) -> np.ndarray:
    """[count, length] bytes of held-out text, each from a file of its own where there are enough; the longest files first
    are joined where no file is long enough."""
    pieces = [b[:length] for b in held_out if len(b) >= length][:count]
    if len(pieces) < count:
        joined = np.concatenate([b for b in held_out if len(b) < length] or [np.zeros(0, np.uint8)])
        pieces += [joined[i * length : (i + 1) * length] for i in range(len(joined) // length)][: count - len(pieces)]
    if not pieces:
        total = sum(map(len, held_out))
        raise ValueError(f"[corpus] expected held-out text of at least {length} bytes, got {total}: name more files")
    return np.stack(pieces)
