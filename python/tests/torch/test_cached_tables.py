"""Accidents of tables that modules make once and keep: cos_cached and sin_cached of older models' own code, each made on purpose,
and embed_positions of GPT-J. They are named, told in radians, and repaired when asked."""

import math

import pytest
import torch
from test_models import same
from tiny_models import LLAMA, MODELS, scaled, text

import posenc.torch as pt

transformers = pytest.importorskip("transformers")
LENGTH, DIM = 2048, 16
IDS = torch.arange(2 * 40).reshape(2, 40) * 7 % 47 + 3


def powers(theta):
    return theta ** (-torch.arange(0, DIM, 2, dtype=torch.float32) / DIM)


class CachedRotary(torch.nn.Module):
    """As models made such tables before 2024: for the longest text so far, in the type that the frequencies have."""

    def __init__(self, rates, length=LENGTH, spread="twice", axes=0, remade=True):
        super().__init__()
        self.spread, self.axes = spread, axes
        self.register_buffer("inv_freq", rates, persistent=False)
        self.make(length)
        if remade:
            self.max_seq_len_cached = length

    def make(self, length, divisor=1.0):
        positions = torch.arange(length, device=self.inv_freq.device, dtype=self.inv_freq.dtype) / divisor
        angles = torch.outer(positions, self.inv_freq)
        if self.spread != "once":
            angles = torch.cat((angles, angles), -1) if self.spread == "twice" else angles.repeat_interleave(2, -1)
        shape = [1] * self.axes + list(angles.shape)
        for name, values in (("cos_cached", angles.cos()), ("sin_cached", angles.sin())):
            self.register_buffer(name, values.reshape(shape), persistent=False)

    def forward(self, x, seq_len):
        if seq_len > getattr(self, "max_seq_len_cached", math.inf):
            self.make(seq_len)
            self.max_seq_len_cached = seq_len
        return self.cos_cached[..., :seq_len, :], self.sin_cached[..., :seq_len, :]


class Table(torch.nn.Module):
    """What today's attention asks for, from such a module."""

    def __init__(self, rotary):
        super().__init__()
        self.rotary = rotary

    def forward(self, x, position_ids):
        rows = self.rotary(x, int(position_ids.max()) + 1)
        return tuple(t.reshape(-1, t.shape[-1])[position_ids].to(x.dtype) for t in rows)


def made(rates=None, config=None, **options):
    """A model with such a module, and the same as it should be."""
    config = {**LLAMA, "max_position_embeddings": LENGTH, **(config or {})}
    torch.manual_seed(0)
    healthy = text("LlamaForCausalLM", "LlamaConfig", **config)().eval()
    torch.manual_seed(0)
    model = text("LlamaForCausalLM", "LlamaConfig", **config)().eval()
    model.model.rotary_emb = Table(CachedRotary(powers(1e4) if rates is None else rates, **options))
    return model, healthy


def rotary_of(model):
    return model.model.rotary_emb.rotary


def check_accident(model, healthy, name, words, radians):
    """check() and patch() tell it and change nothing; patch(repair=True) mends it, and undo() takes that back."""
    module = rotary_of(model)
    before = {n: b.clone() for n, b in module._buffers.items()}
    for told in (pt.check(model), pt.patch(model, rotation=False)):
        (accident,) = told.accidents
        assert accident.name == name and words in str(accident), str(told)
        assert radians is None or accident.radians == pytest.approx(radians, rel=0.05), str(told)
        assert (accident.radians is None) == (radians is None)
        assert "model.rotary_emb.rotary" in str(told) and "wrong" in str(told)
        told.undo()
    patched = pt.patch(model, repair=True, rotation=False)
    assert "repaired" in str(patched), str(patched)
    same(model(IDS).logits, healthy(IDS).logits)
    assert not pt.check(model).accidents
    patched.undo()
    assert all(torch.equal(module._buffers[n], b) for n, b in before.items())
    assert [a.name for a in pt.check(model).accidents] == [name]


@pytest.mark.parametrize("axes", [0, 2])
@pytest.mark.parametrize("spread", ["twice", "each", "once"])
def test_healthy_tables_become_exact(spread, axes):
    model, _ = made(spread=spread, axes=axes)
    module = rotary_of(model)
    before = module.cos_cached.clone()
    assert [c.done for c in pt.check(model).changes] == ["fits"], str(pt.check(model))
    patched = pt.patch(model, rotation=False)
    (change,) = patched.changes
    assert change.replaced and 1e-7 < change.difference < 1e-3, str(patched)
    angles = torch.arange(LENGTH, dtype=torch.float64)[:, None] * (1e4 ** (-torch.arange(0, DIM, 2, dtype=torch.float64) / DIM))
    pairs = {"twice": slice(0, 8), "each": slice(0, 16, 2), "once": slice(0, 8)}[spread]
    assert module.cos_cached.shape == before.shape
    for values, exact in ((module.cos_cached, angles.cos()), (module.sin_cached, angles.sin())):
        assert (values.reshape(LENGTH, -1)[:, pairs].double() - exact).abs().max() < 1e-7
    if spread == "twice":
        assert torch.equal(module.cos_cached[..., :8], module.cos_cached[..., 8:])
    patched.undo()
    assert torch.equal(module.cos_cached, before)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_table_that_was_cast(dtype):
    """What is left is the rounding of cosines and sines, which does not grow with the position."""
    model, healthy = made()
    rotary_of(model).to(dtype)
    unit = torch.finfo(dtype).eps
    told = pt.check(model)
    assert 0.3 * unit < told.accidents[0].radians < unit, str(told)
    check_accident(model, healthy, "cast", f"cosines and sines were cast to {str(dtype)[6:]}", told.accidents[0].radians)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_table_made_in_16_bits(dtype):
    """Angles are off by half a unit in the last place of their size: by radians far out."""
    rates = powers(1e4).to(dtype)
    model, healthy = made(rates)
    at = torch.arange(LENGTH)
    angles = torch.outer(at.to(dtype), rates).double()
    cost = (angles - at[:, None] * powers(1e4).double()).abs().max().item()
    assert cost > (3 if dtype == torch.bfloat16 else 0.3)
    check_accident(model, healthy, "cast", f"its angles were computed in {str(dtype)[6:]}", cost)


def test_a_table_made_of_frequencies_that_were_cast():
    rates = powers(1e4).bfloat16().float()
    model, healthy = made(rates)
    cost = (rates - powers(1e4)).abs().max().item() * (LENGTH - 1)
    check_accident(model, healthy, "cast", "its frequencies were cast to bfloat16", cost)


@pytest.mark.parametrize("axes", [0, 2])
def test_a_table_of_another_theta(axes):
    config = {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    model, healthy = made(config=config, axes=axes)
    cost = (powers(1e4) - powers(5e5)).abs().max().item() * (LENGTH - 1)
    check_accident(model, healthy, "other theta", "of theta 10000, but the configuration says 500000", cost)


def test_a_table_without_the_scaling():
    model, healthy = made(config=scaled("linear", factor=8.0))
    check_accident(model, healthy, "ignored scaling", "but the configuration says linear", (LENGTH - 1) * 7 / 8)


def test_a_table_of_a_longer_text():
    """Of a rule that depends on the length: a long text leaves its table behind, and short ones are served from it."""
    config = scaled("dynamic", factor=2.0)
    model, healthy = made(config=config)
    long = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**LLAMA, "max_position_embeddings": LENGTH, **config}))
    grown = long.model.rotary_emb
    grown(torch.empty(1, 1), torch.tensor([[0, 4 * LENGTH - 1]]))
    rates = grown.inv_freq.clone()
    model.model.rotary_emb = Table(CachedRotary(rates, 4 * LENGTH))
    cost = (rates - powers(1e4)).abs().max().item() * (LENGTH - 1)
    check_accident(model, healthy, "other length", f"a text of {4 * LENGTH} tokens", cost)
    patched = pt.patch(model, repair=True, rotation=False)
    assert len(rotary_of(model).cos_cached) == rotary_of(model).max_seq_len_cached == LENGTH
    patched.undo()
    assert rotary_of(model).max_seq_len_cached == 4 * LENGTH


def test_a_table_that_ends_before_the_text():
    model, healthy = made(length=512, remade=False)
    check_accident(model, healthy, "other length", f"ends at position 511, but the configuration says {LENGTH} positions", None)
    pt.patch(model, repair=True, rotation=False)
    assert len(rotary_of(model).cos_cached) == LENGTH
    model, _ = made(length=512)  # which is made anew for a longer text
    assert [c.done for c in pt.check(model).changes] == ["fits"]


@pytest.mark.parametrize("spread", ["twice", "once"])
def test_a_table_that_was_lost(spread):
    model, _ = made(spread=spread)
    for value in (0.0, math.nan):
        rotary_of(model).cos_cached.fill_(value), rotary_of(model).sin_cached.fill_(value)
        (accident,) = pt.check(model).accidents
        assert accident.name == "lost" and accident.radians is None
        told = str(pt.patch(model, repair=True, rotation=False))
        if spread == "once":
            assert "repaired" in told and not pt.check(model).accidents
        else:
            assert "wrong" in told and "its pair layout cannot be determined" in told


def test_numbers_of_no_known_cause_are_told_as_before():
    model, _ = made(powers(1e4) * torch.linspace(1, 1.3, 8))
    told = pt.patch(model, repair=True, rotation=False)
    assert not told.accidents and "it does not compute what its configuration says" in str(told)


def test_the_table_of_gpt_j():
    """It is a buffer of each attention, which model.to() casts and loading through the meta device loses."""
    torch.manual_seed(0)
    model = MODELS["gpt-j"][0]().eval()
    expected, length = model(IDS).logits, model.config.n_positions
    tables = [m for m in model.modules() if hasattr(m, "embed_positions")]
    right = tables[0].embed_positions.clone()
    wrongs = {
        "cast": right.bfloat16(),
        "lost": right.to("meta"),
        "other length": right[: length // 2],
        "other theta": torch.cat([f(torch.outer(torch.arange(length), 5e5 ** (-torch.arange(4) / 4))) for f in (torch.sin, torch.cos)], -1),
    }
    for name, wrong in wrongs.items():
        for module in tables:
            module.embed_positions = wrong.clone()
        told = pt.check(model)
        assert [a.name for a in told.accidents] == [name] * 2, str(told)
        assert (told.accidents[0].radians is None) == (name in ("lost", "other length"))
        patched = pt.patch(model, repair=True, rotation=False)
        same(model(IDS).logits, expected)
        assert not pt.check(model).accidents and tables[0].embed_positions.shape == right.shape
        patched.undo()
        assert [a.name for a in pt.check(model).accidents] == [name] * 2
