"""How the rotation of a model is found: functions read with other globals, classes of attention, forms that are known; and what
stays the model's own."""

import types

import pytest
import torch
from rotating_models import LLAMA, calls, made, rotated
from test_models import same

import posenc.torch as pt
from posenc.torch._replace_rotation import _proven, rotations, turning
from posenc.torch._rewire import globals_read, rewired
from posenc.torch._rotation_forms import prove, stand_in

transformers = pytest.importorskip("transformers")


def scale(x):
    return 2 * x


def wraps(function):
    def wrapper(x):
        return function(x) + 1

    return wrapper


@wraps
def scaled_once(x):
    return scale(x)


def test_rewired_functions():
    assert globals_read(scaled_once)["scale"] is scale
    twin = rewired(scaled_once, {"scale": lambda x: 10 * x})
    assert (twin(1), scaled_once(1)) == (11, 3)
    assert isinstance(twin, types.FunctionType) and twin.__name__ == scaled_once.__name__


def test_every_class_of_attention_is_found():
    model = made("llama")
    assert [name for name, *_ in turning(model)] == [f"model.layers.{i}.self_attn" for i in range(2)]
    ((name, members, proven, why),) = rotations(model)
    assert len(members) == 2 and not why and len(proven) == 1


def test_forms_are_found_once():
    from transformers.models.llama import modeling_llama

    assert _proven(modeling_llama.apply_rotary_pos_emb) is _proven(modeling_llama.apply_rotary_pos_emb)
    rotation, why = _proven(modeling_llama.apply_rotary_pos_emb)
    assert not why and (rotation.form.layout, rotation.form.arrangement) == ("half", "twice")
    assert rotation.cases[4, 1] is True and rotation.cases[4, 2] is False


def test_a_rotation_that_is_none_of_queries_and_keys_is_said():
    """MusicFlamingo turns what its encoder makes, by times, before the language model reads it."""
    sizes = dict(d_model=32, encoder_layers=1, encoder_attention_heads=2, encoder_ffn_dim=32, num_mel_bins=8)
    audio = {"model_type": "audioflamingo3_encoder", **sizes}
    llama = {"model_type": "qwen2", **LLAMA}
    config = transformers.MusicFlamingoConfig(audio_config=audio, text_config=llama, audio_token_id=5)
    model = transformers.MusicFlamingoForConditionalGeneration(config)
    changes = rotated(pt.patch(model))
    kept = [c for c in changes if not c.replaced]
    assert any(c.replaced for c in changes) and kept
    told = "apply_rotary_time_emb: it is called with hidden_states, cos, sin, which this patch does not know"
    assert [c.note for c in kept] == [told]


def test_a_model_whose_rotation_is_not_found(monkeypatch):
    from posenc.torch import patching

    monkeypatch.setattr(patching, "rotations", lambda model: ())
    (change,) = rotated(pt.patch(made("llama")))
    assert not change.replaced and "no function was found that rotates queries and keys" in str(change)


def test_a_function_of_no_known_form_is_kept(monkeypatch):
    from transformers.models.llama import modeling_llama

    def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
        return q * cos.unsqueeze(1), k * sin.unsqueeze(1)

    monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", apply_rotary_pos_emb)
    (change,) = rotated(pt.patch(made("llama")))
    assert not change.replaced and "none of the forms that are known" in str(change)


def test_a_table_that_is_arranged_otherwise_is_kept(monkeypatch):
    from transformers.models.llama import modeling_llama

    kind = modeling_llama.LlamaRotaryEmbedding
    own = kind.forward

    def each(self, x, position_ids):
        return tuple(t[..., : t.shape[-1] // 2].repeat_interleave(2, dim=-1) for t in own(self, x, position_ids))

    monkeypatch.setattr(kind, "forward", each)
    (change,) = rotated(pt.patch(made("llama")))
    assert not change.replaced and "it wants a table with cosines twice, got one of each" in str(change)


def test_what_was_not_tried_gets_the_model_itself(monkeypatch):
    """Tables that are learned, or of another type than the heads, as under autocast."""
    model = made("llama")
    pt.patch(model)
    rotate = model.model.layers[0].self_attn.forward.__func__.__globals__["apply_rotary_pos_emb"]
    count = calls(monkeypatch)
    q, k, cos, sin = (torch.randn(2, h, 5, 16) for h in (4, 2, 1, 1))
    cos, sin = (t[:, 0, :, :8].repeat(1, 1, 2) for t in (cos, sin))
    own = rotate.posenc_rotation.function
    same(rotate(q, k, cos, sin), own(q, k, cos, sin))
    assert count[0] == 1
    learned = cos.clone().requires_grad_()
    rotate(q, k, learned, sin)[0].sum().backward()
    assert learned.grad is not None
    assert rotate(q.bfloat16(), k.bfloat16(), cos, sin)[0].dtype == torch.float32
    assert torch.equal(torch.func.vmap(rotate)(*(t[None] for t in (q, k, cos, sin)))[0][0], own(q, k, cos, sin)[0])
    assert count[0] == 1


def test_a_table_that_learns(monkeypatch):
    """Without gradients it is like any other; with them the model's own function gets it, though it was read before."""

    def halves(q, k, cos, sin, unsqueeze_dim=1):
        def turned(x):
            a, b = x.chunk(2, dim=-1)
            return x * cos.unsqueeze(unsqueeze_dim) + torch.cat((-b, a), dim=-1) * sin.unsqueeze(unsqueeze_dim)

        return turned(q), turned(k)

    rotate, count = stand_in(prove(halves)[0]), calls(monkeypatch)
    q, k = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 8)
    cos, sin = (torch.randn(2, 5, 4).repeat(1, 1, 2).requires_grad_() for _ in range(2))
    with torch.no_grad():
        same(rotate(q, k, cos, sin), halves(q, k, cos, sin))
    assert count[0] == 1
    rotate(q, k, cos, sin)[0].sum().backward()
    assert count[0] == 1 and cos.grad is not None and sin.grad is not None


def test_keys_of_other_tokens_than_queries_get_the_model_itself(monkeypatch):
    """As of an assistant that drafts, whose queries are the last of the tokens."""

    def last_queries(q, k, cos, sin, unsqueeze_dim=1):
        cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)

        def turned(x):
            a, b = x.chunk(2, dim=-1)
            n = x.shape[-2]
            return x * cos[..., -n:, :] + torch.cat((-b, a), dim=-1) * sin[..., -n:, :]

        return turned(q), turned(k)

    rotate, count = stand_in(prove(last_queries)[0]), calls(monkeypatch)
    q, k, cos, sin = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 8)
    for given in ((q, k, cos, sin), (k, q, cos, sin)):
        assert torch.equal(rotate(*given)[0], last_queries(*given)[0])
    assert count[0] == 0
