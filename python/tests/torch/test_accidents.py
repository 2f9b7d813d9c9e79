"""Accidents of rotary modules, each made on purpose in six families: they are named, told in radians, and repaired when asked."""

import math

import pytest
import torch
from rotating_models import LLAMA, MLA, ROTATING, scaled, text
from test_models import same

import posenc.torch as pt

transformers = pytest.importorskip("transformers")
LENGTH = 8192
IDS = torch.arange(2 * 40).reshape(2, 40) * 7 % 47 + 3
PLAIN = dict(LLAMA, max_position_embeddings=LENGTH)
FAMILIES = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", PLAIN),
    "mistral": ("MistralForCausalLM", "MistralConfig", PLAIN),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", PLAIN),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", dict(PLAIN, head_dim=16)),
    "olmo2": ("Olmo2ForCausalLM", "Olmo2Config", PLAIN),
    "cohere": ("CohereForCausalLM", "CohereConfig", PLAIN),
    "deepseek-v3": ("DeepseekV3ForCausalLM", "DeepseekV3Config", dict(MLA, max_position_embeddings=LENGTH)),
}
LINEAR = scaled("linear", factor=8.0)["rope_parameters"]
DYNAMIC = scaled("dynamic", factor=2.0)["rope_parameters"]


def made(name, **options):
    model, config, usual = FAMILIES[name]
    torch.manual_seed(0)
    return text(model, config, **usual, **options)().eval()


def module_of(model):
    return model.model.rotary_emb


def set_frequencies(model, rates):
    module = module_of(model)
    module.inv_freq = rates.clone()
    module.original_inv_freq = rates.clone()


def powers(theta, count):
    return 1.0 / theta ** (torch.arange(count, dtype=torch.float32) / count)


def cast(model, dtype):
    model.to(dtype).float()  # weights are back in f32, and frequencies are not what they were


def lose(model, value):
    set_frequencies(model, torch.full_like(module_of(model).inv_freq, value))


def to_meta(model):
    set_frequencies(model, module_of(model).inv_freq.to("meta"))


def check_accident(model, name, words, healthy, radians=None):
    """It is told by check() and patch(), which change nothing, and mended where that is asked for."""
    expected = healthy(IDS).logits
    for told in (pt.check(model), pt.patch(model, rotation=False)):
        (accident,) = told.accidents
        assert accident.name == name and words in str(accident), str(told)
        assert f"position {LENGTH - 1}" in str(told) and "wrong" in str(told)
        assert (accident.radians is None) == (radians is None)
        assert radians is None or accident.radians == pytest.approx(radians, rel=0.05)
    patched = pt.patch(model, repair=True)
    assert "repaired" in str(patched), str(patched)
    same(model(IDS).logits, expected)
    assert not pt.check(model).accidents
    patched.undo()
    assert [a.name for a in pt.check(model).accidents] == [name]


@pytest.mark.parametrize("name", FAMILIES)
def test_healthy_models_have_none(name):
    told = pt.check(made(name))
    assert not told.accidents and all(c.done == "fits" for c in told.changes), str(told)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", FAMILIES)
def test_frequencies_cast_with_the_model(name, dtype):
    healthy, model = made(name), made(name)
    rates = module_of(model).inv_freq.double()
    cost = ((rates - rates.to(dtype).double()).abs().max() * (LENGTH - 1)).item()
    cast(model, dtype)
    cast(healthy, dtype)
    set_frequencies(healthy, rates.float())
    check_accident(model, "cast", f"cast to {str(dtype).split('.')[1]}", healthy, cost)


@pytest.mark.parametrize("value", [0.0, math.nan, 1e30])
@pytest.mark.parametrize("name", FAMILIES)
def test_frequencies_lost_when_loading(name, value):
    model = made(name)
    lose(model, value)
    cost = None if math.isnan(value) else (LENGTH - 1) * max(1.0, value)
    check_accident(model, "lost", "were lost when the model was loaded", made(name), cost)


@pytest.mark.parametrize("name", FAMILIES)
def test_frequencies_on_the_meta_device(name):
    model = made(name)
    to_meta(model)
    (accident,) = pt.check(model).accidents
    assert accident.name == "lost" and "meta" in str(accident)
    pt.patch(model, repair=True)
    same(model(IDS).logits, made(name)(IDS).logits)


@pytest.mark.parametrize("name", FAMILIES)
def test_scaling_that_is_ignored(name):
    model = made(name, rope_parameters=dict(LINEAR))
    count = module_of(model).inv_freq.numel()
    set_frequencies(model, powers(1e4, count))
    healthy = made(name, rope_parameters=dict(LINEAR))
    check_accident(model, "ignored scaling", "but the configuration says linear", healthy, (LENGTH - 1) * 7 / 8)


@pytest.mark.parametrize("name", FAMILIES)
def test_frequencies_of_another_length(name):
    model = made(name, rope_parameters=dict(DYNAMIC))
    module = module_of(model)
    at = torch.tensor([[0, 4 * LENGTH - 1]])
    module(torch.empty(1, 1), at)  # a long text makes them anew; what it leaves behind then serves short ones
    set_frequencies(model, module.inv_freq)
    module.max_seq_len_cached = LENGTH
    (accident,) = pt.check(model).accidents
    assert accident.name == "other length" and f"a text of {4 * LENGTH} tokens" in str(accident)
    pt.patch(model, repair=True)
    same(model(IDS).logits, made(name, rope_parameters=dict(DYNAMIC))(IDS).logits)


@pytest.mark.parametrize("name", FAMILIES)
def test_another_theta(name):
    model = made(name, rope_parameters={"rope_type": "default", "rope_theta": 5e5})
    count = module_of(model).inv_freq.numel()
    set_frequencies(model, powers(1e4, count))
    healthy = made(name, rope_parameters={"rope_type": "default", "rope_theta": 5e5})
    cost = ((powers(1e4, count) - powers(5e5, count)).abs().max() * (LENGTH - 1)).item()
    check_accident(model, "other theta", "of theta 10000, but the configuration says 500000", healthy, cost)


@pytest.mark.parametrize("name", FAMILIES)
def test_theta_at_a_place_that_is_not_read(name):
    """As rope_theta set on the configuration of transformers 5, which reads rope_parameters, or another model's word for it."""
    for key in ("rope_theta", "rotary_base"):
        kind, config, usual = FAMILIES[name]
        options = getattr(transformers, config)(**usual, rope_parameters={"rope_type": "default", "rope_theta": 1e4})
        setattr(options, key, 5e5)
        torch.manual_seed(0)
        model = getattr(transformers, kind)(options).eval()
        told = pt.check(model)
        (accident,) = told.accidents
        assert "500000" in str(accident) and key in str(accident), str(told)
        patched = pt.patch(model, repair=True)
        healthy = made(name, rope_parameters={"rope_type": "default", "rope_theta": 5e5})
        same(model(IDS).logits, healthy(IDS).logits)
        patched.undo()


def test_kinds_of_layers_have_their_own():
    """Gemma 3 holds frequencies of local and of global layers."""
    config = transformers.Gemma3TextConfig(**PLAIN, head_dim=16, layer_types=["sliding_attention", "full_attention"])
    model, healthy = (transformers.Gemma3ForCausalLM(config).eval() for _ in range(2))
    healthy.load_state_dict(model.state_dict())
    module = module_of(model)
    module.full_attention_inv_freq = module.full_attention_inv_freq.bfloat16()
    (accident,) = pt.check(model).accidents
    assert accident.name == "cast"
    pt.patch(model, repair=True)
    same(model(IDS).logits, healthy(IDS).logits)


def test_a_model_that_sees_was_cast():
    """Qwen2.5-VL holds frequencies of its text and of its pictures."""
    model, healthy = (ROTATING["qwen2.5-vl"]().eval() for _ in range(2))
    rates = {n: b.clone() for n, b in healthy.named_buffers() if n.endswith("inv_freq")}
    model.to(torch.bfloat16)
    told = pt.check(model)
    wrong = {c.where.split(",")[0]: c.accident.name for c in told.changes if c.accident is not None}
    assert wrong == {"text": "cast", "vision": "cast"}, str(told)
    patched = pt.patch(model, repair=True)
    assert not pt.check(model).accidents and len(patched.accidents) == 2
    now = dict(model.named_buffers())
    assert all(now[n].dtype == torch.float32 and torch.allclose(now[n], r, rtol=1e-6, atol=0) for n, r in rates.items())
    patched.undo()
    assert len(pt.check(model).accidents) == 2


def test_numbers_of_no_known_cause_are_told_as_before():
    model = made("llama")
    set_frequencies(model, module_of(model).inv_freq * torch.linspace(1, 1.3, 8))
    told = pt.patch(model, repair=True, rotation=False)
    assert not told.accidents and "it does not compute what its configuration says" in str(told)
