"""The rotation of models, done by posenc's op: logits and gradients differ by rounding alone, whatever is done with the model.

Tolerance: as of test_models.py, whose angles these are; the rotation itself adds roundings of single numbers.
"""

import copy
import os
import sys

import pytest
import spread_models
import torch
from rotating_models import IDS, ROTATING, calls, made, rotated
from test_models import outputs, same

import posenc.torch as pt

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("name", ROTATING)
def test_logits_and_gradients(name, monkeypatch):
    model = made(name)
    before = outputs(model, input_ids=IDS)
    patched = pt.patch(model)
    changes = rotated(patched)
    assert changes and all(c.replaced for c in changes), str(patched)
    assert all(c.replaced for c in patched.changes if c.scheme == "rope"), str(patched)
    count = calls(monkeypatch)
    same(outputs(model, input_ids=IDS), before)
    assert count[0] >= model.config.get_text_config().num_hidden_layers
    twin = copy.deepcopy(model)
    same(outputs(twin, input_ids=IDS), before)
    patched.undo()
    assert torch.equal(outputs(model, input_ids=IDS)[0], before[0])
    assert not any("forward" in m.__dict__ for m in model.modules())


def test_positions_that_must_have_all_axes(monkeypatch):
    """As in transformers up to 5.17."""
    kind = transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.Qwen2_5_VLRotaryEmbedding
    own = kind.forward

    def forward(self, x, position_ids):
        if position_ids.dim() != 3:
            raise IndexError("too many indices for tensor of dimension 2")
        return own(self, x, position_ids)

    monkeypatch.setattr(kind, "forward", forward)
    model = made("qwen2.5-vl")
    before, patched = outputs(model, input_ids=IDS), pt.patch(model)
    assert all(c.replaced for c in patched.changes), str(patched)
    same(outputs(model, input_ids=IDS), before)


@pytest.mark.parametrize("name", ["llama", "gemma3", "cohere", "deepseek-v3", "llama4", "gpt-oss"])
def test_bfloat16(name):
    """Not further from the model in f32 than the model itself: roundings of bf16 are of either sign."""
    model = made(name)
    exact = model(IDS).logits.detach()
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16()
    own = (model(IDS).logits - exact).abs().mean()
    assert all(c.replaced for c in rotated(pt.patch(model)))
    logits = model(IDS).logits
    assert logits.dtype == torch.bfloat16 and (logits - exact).abs().mean() <= 1.5 * own


@pytest.mark.parametrize("name", ["llama", "gemma3", "deepseek-v3", "glm4", "gpt-j"])
def test_texts_that_grow(name, monkeypatch):
    model = made(name)
    how = dict(max_new_tokens=8, min_new_tokens=8, do_sample=False, pad_token_id=0)
    before = model.generate(IDS, **how)
    assert all(c.replaced for c in rotated(pt.patch(model)))
    count = calls(monkeypatch)
    assert torch.equal(model.generate(IDS, **how), before)
    assert count[0] >= 8 * model.config.get_text_config().num_hidden_layers


@pytest.mark.parametrize("name", ["llama", "gemma3"])
def test_a_cache_of_fixed_size(name, monkeypatch):
    """As text that grows, and as compiled steps: of several tokens, then of one after them."""
    model = made(name)
    how = dict(max_new_tokens=8, min_new_tokens=8, do_sample=False, pad_token_id=0, cache_implementation="static")

    def stepped(run):
        cache, given = transformers.StaticCache(model.config, max_cache_len=40), dict(use_cache=True)
        with torch.no_grad():
            return [run(ids, past_key_values=cache, **given).logits for ids in (IDS[:, :20], IDS[:, 20:21], IDS[:, 21:22])]

    try:
        before, steps = model.generate(IDS, **how), stepped(model)
    except TypeError:
        pytest.skip("of a transformers whose StaticCache is made otherwise")
    assert all(c.replaced for c in rotated(pt.patch(model)))
    count = calls(monkeypatch)
    assert torch.equal(model.generate(IDS, **how), before)
    assert count[0] >= 8 * model.config.num_hidden_layers
    same(stepped(model), steps)
    torch._dynamo.reset()
    same(stepped(torch.compile(model, backend="aot_eager")), steps)


@pytest.mark.parametrize("name", ["llama", "gpt-neox"])
def test_padding_and_packed_batches(name, monkeypatch):
    model = made(name)
    mask = torch.ones_like(IDS)
    mask[0, :5] = 0
    places = (mask.cumsum(-1) - 1).clamp(min=0)
    packed = torch.cat((torch.arange(10), torch.arange(14)))[None]
    asked = [dict(attention_mask=mask, position_ids=places), dict(position_ids=packed.expand(2, -1))]
    before = [model(IDS, **how).logits for how in asked]
    pt.patch(model)
    count = calls(monkeypatch)
    same([model(IDS, **how).logits for how in asked], before)
    assert count[0] == 4


@pytest.mark.parametrize("ranks", [1, 2])
def test_parameters_that_are_split(ranks, tmp_path, monkeypatch):
    """By fully_shard, in groups of one process and of two."""
    fsdp = pytest.importorskip("torch.distributed.fsdp")
    if not hasattr(fsdp, "fully_shard"):
        pytest.skip("of a PyTorch without fully_shard")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    torch.multiprocessing.start_processes(spread_models.process, (ranks, tmp_path / "store"), nprocs=ranks)


def test_gradient_checkpointing(monkeypatch):
    model = made("llama").train()
    before = outputs(model, input_ids=IDS)
    model.gradient_checkpointing_enable()
    pt.patch(model)
    count = calls(monkeypatch)
    same(outputs(model, input_ids=IDS, use_cache=False), before)
    assert count[0] == 2 * model.config.num_hidden_layers  # forward, and again on the way back


@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize("name", ["llama", "cohere", "llama4", "phi3"])
def test_compiles(name, learns):
    """With posenc's op where there are gradients; without any, the compiler fuses the model's own function."""
    model = made(name)
    before = model(IDS, use_cache=False).logits.detach()
    pt.patch(model)
    torch._dynamo.reset()
    seen = []

    def backend(graph, inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes)
        return graph.forward

    compiled = torch.compile(model, backend=backend, fullgraph=name != "llama4")
    with torch.set_grad_enabled(learns):
        same(compiled(IDS, use_cache=False).logits.detach(), before)
    assert sum("rotate_by" in target for target in seen) == (2 if learns else 0)


def test_compiles_with_gradients():
    model = made("llama")
    before = outputs(model, input_ids=IDS, use_cache=False)
    pt.patch(model)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="aot_eager")
    model.zero_grad()
    logits = compiled(input_ids=IDS, use_cache=False).logits
    (logits * torch.linspace(-1, 1, logits.numel()).reshape(logits.shape)).mean().backward()
    same((logits.detach(), {n: p.grad for n, p in model.named_parameters() if p.grad is not None}), before)


def test_pictures():
    model = made("qwen2.5-vl")
    tower, grid = model.model.visual, torch.tensor([[1, 4, 8], [1, 8, 4]])
    pixels = torch.randn(int(grid.prod(dim=1).sum()), 3 * 2 * 14 * 14)
    before = tower(pixels, grid)
    changes = {c.where for c in rotated(pt.patch(model)) if c.replaced}
    assert changes == {"text", "vision"}
    after = tower(pixels, grid)
    same([t for t in after.values() if torch.is_tensor(t)], [t for t in before.values() if torch.is_tensor(t)])
