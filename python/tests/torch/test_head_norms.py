"""Norms of queries and keys that are done with the rotation: as on CUDA, for inference alone."""

import copy
import inspect
import textwrap

import pytest
import torch
from rotating_models import IDS, made, rotated
from test_models import outputs, same

import posenc.torch as pt
from posenc.torch import _head_norms, _rotation_forms


@pytest.mark.parametrize("name", ["qwen3", "gemma3"])
def test_norms_of_heads_are_done_with_the_rotation(name, monkeypatch):
    """As on CUDA, for inference alone; copies norm by their own weights."""
    model = made(name)
    for parameter_name, parameter in model.named_parameters():
        if "_norm" in parameter_name:
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
    before = outputs(model, input_ids=IDS)
    pt.patch(model)
    done, own = [], _head_norms.norm_and_turn
    monkeypatch.setattr(_rotation_forms, "norm_and_turn", lambda *given: done.append(1) or own(*given))
    monkeypatch.setattr(_head_norms, "DEVICES", {"cpu"})
    same(outputs(model, input_ids=IDS), before)
    assert not done
    with torch.no_grad():
        same(model(IDS).logits, before[0])
        assert len(done) == 2
        twin = copy.deepcopy(model)
        for parameter in twin.parameters():
            parameter.mul_(1.25)
        fused = twin(IDS).logits
        monkeypatch.setattr(_head_norms, "DEVICES", set())
        same(fused, twin(IDS).logits)
    assert len(done) == 4 and not _head_norms._waiting.norms


def test_norms_that_others_hook_into_are_left_alone(monkeypatch):
    model = made("qwen3")
    for layer in model.model.layers:
        layer.self_attn.q_norm.register_forward_hook(lambda module, given, out: out.clamp(-0.5, 0.5))
    before = model(IDS).logits
    pt.patch(model)
    monkeypatch.setattr(_head_norms, "DEVICES", {"cpu"})
    with torch.no_grad():
        same(model(IDS).logits, before)


def test_norms_that_are_followed_by_something_else_stay(monkeypatch):
    """Queries that grow between their norm and their rotation: a norm that waited would take that back."""
    from transformers.models.qwen3 import modeling_qwen3

    source = textwrap.dedent(inspect.getsource(modeling_qwen3.Qwen3Attention.forward))
    line = "cos, sin = position_embeddings"
    assert line in source
    made_of = {}
    exec(source.replace(line, "query_states = 3 * query_states; " + line), modeling_qwen3.__dict__, made_of)
    monkeypatch.setattr(modeling_qwen3.Qwen3Attention, "forward", made_of["forward"])
    model = made("qwen3")
    with torch.no_grad():
        before = model(IDS).logits
        assert all(c.replaced for c in rotated(pt.patch(model)))
        monkeypatch.setattr(_head_norms, "DEVICES", {"cpu"})
        same(model(IDS).logits, before)
    assert "forward" not in model.model.layers[0].self_attn.q_norm.__dict__


@pytest.mark.parametrize("name", ["qwen3", "gemma3"])
def test_norms_wait_in_bfloat16_too(name):
    model = made(name).bfloat16()
    pt.patch(model)
    assert all("forward" in layer.self_attn.q_norm.__dict__ for layer in model.model.layers)
