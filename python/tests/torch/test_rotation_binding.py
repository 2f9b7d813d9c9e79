"""Which modules call posenc's op: those of the patched model alone, once, and until the patch is undone."""

import pickle

import pytest
from rotating_models import IDS, calls, made, rotated
from test_models import same

import posenc.torch as pt

pytest.importorskip("transformers")


def test_other_models_of_the_class_keep_theirs(monkeypatch):
    from transformers.models.llama import modeling_llama

    own = modeling_llama.apply_rotary_pos_emb
    one, other = made("llama"), made("llama")
    pt.patch(one)
    count = calls(monkeypatch)
    other(IDS)
    assert modeling_llama.apply_rotary_pos_emb is own and count[0] == 0
    assert "forward" not in other.model.layers[0].self_attn.__dict__


def test_patched_twice():
    model = made("llama")
    first, second = pt.patch(model), pt.patch(model)
    assert rotated(first) and not rotated(second)
    second.undo()
    assert "forward" in model.model.layers[0].self_attn.__dict__
    first.undo()
    assert "forward" not in model.model.layers[0].self_attn.__dict__


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma3"])
def test_a_pickled_model_turns_by_its_own_function(name):
    """It can be read, and patched again."""
    model = made(name)
    before = model(IDS).logits
    pt.patch(model)
    again = pickle.loads(pickle.dumps(model))
    same(again(IDS).logits, before)
    assert rotated(pt.patch(again))
    same(again(IDS).logits, before)


def test_rotation_can_be_left_alone():
    model = made("llama")
    assert not rotated(pt.patch(model, rotation=False))
    assert "forward" not in model.model.layers[0].self_attn.__dict__


def test_hooks_of_accelerate_stay():
    model = made("llama")
    attention = model.model.layers[0].self_attn
    attention._old_forward = attention.forward
    attention.forward = lambda *given, **named: attention._old_forward(*given, **named)
    hook = attention.forward
    before = model(IDS).logits
    patched = pt.patch(model)
    same(model(IDS).logits, before)
    assert attention.forward is hook and attention._old_forward.__func__ is not type(attention).forward
    patched.undo()
    assert attention._old_forward.__func__ is type(attention).forward
