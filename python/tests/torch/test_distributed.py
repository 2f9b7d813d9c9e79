"""Sequences, batches and heads spread over processes (gloo): what one process computes, forward and backward."""

import os
import sys

import pytest
import spread
import torch
import torch.distributed

if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
    pytest.skip("needs torch.distributed with gloo", allow_module_level=True)
pytest.importorskip("torch.distributed.tensor.placement_types")  # PyTorch 2.5 or newer


@pytest.mark.parametrize("ranks", [2, 4])
def test_spread_over_processes(ranks, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    torch.multiprocessing.start_processes(spread.process, (ranks, tmp_path / "store"), nprocs=ranks)
