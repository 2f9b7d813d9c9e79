"""How the rotation of a model is found: functions read with other globals, classes of attention, forms that are known."""

import types

import pytest
from rotating_models import LLAMA
from test_rotation import made, rotated

import posenc.torch as pt
from posenc.torch._replace_rotation import _proven, rotations, turning
from posenc.torch._rewire import globals_read, rewired

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
