"""What each process of test_rotation.py does with a model whose parameters are split among all."""

import pytest
import torch
import torch.distributed as dist

import posenc.torch as pt


def process(rank, ranks, store):
    """The same numbers as of the model without a patch, split in the same way."""
    from rotating_models import IDS, ROTATING, calls, rotated
    from test_models import outputs, same
    from torch.distributed.fsdp import fully_shard

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    try:
        mesh, results = dist.device_mesh.init_device_mesh("cpu", (ranks,)), []
        for patched in (False, True):
            torch.manual_seed(0)
            model = ROTATING["qwen3"]().eval()
            assert not patched or all(c.replaced for c in rotated(pt.patch(model)))
            for layer in (*model.model.layers, model):
                fully_shard(layer, mesh=mesh)
            with pytest.MonkeyPatch.context() as monkeypatch:
                count = calls(monkeypatch)
                logits, gradients = outputs(model, input_ids=IDS)
            assert count[0] == (model.config.num_hidden_layers if patched else 0)
            results.append((logits, {n: g.full_tensor() for n, g in gradients.items()}))
        same(*results)
    finally:
        dist.destroy_process_group()
