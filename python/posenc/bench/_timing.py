"""How calls are timed, and how tables of times are printed."""

from __future__ import annotations

import statistics
import time
from typing import Callable

import torch


def milliseconds(call: Callable, device: str, repeats: int, queued: int = 1) -> float:
    """The median of so many measurements, after two that are not counted; in each so many calls are queued, then waited for."""
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    times = []
    for _ in range(repeats + 2):
        wait()
        start = time.perf_counter()
        for _ in range(queued):
            call()
        wait()
        times.append(1000 * (time.perf_counter() - start) / queued)
    return statistics.median(times[2:])


def markdown(rows: list[list[str]]) -> str:
    """Lines of a table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def where(device: str) -> str:
    """The device, and PyTorch's version, in words."""
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else f"{torch.get_num_threads()} CPU threads"
    return f"{name}, PyTorch {torch.__version__}"
