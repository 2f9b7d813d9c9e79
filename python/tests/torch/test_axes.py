"""Which axis holds tokens is said where a module is made; where tokens stand is said without loss."""

import pytest
import torch

import posenc.torch as pt


@pytest.mark.parametrize(
    "make,sentence",
    [
        (lambda how: pt.RotaryEncoding(dim=8, layout="half", **how), r"heads_first=True where .* False where"),
        (lambda how: pt.SinusoidalEncoding(dim=8, **how), r"batch_first=True where .* False where"),
        (lambda how: pt.LearnedEncoding(rows=8, dim=8, **how), r"batch_first=True where .* False where"),
        (lambda how: pt.ConvolutionEncoding(dim=8, groups=2, **how), r"batch_first=True where .* False where"),
    ],
    ids=["rotary", "sinusoidal", "learned", "convolution"],
)
def test_the_order_of_axes_is_never_guessed(make, sentence):
    name = "heads_first" if "heads" in sentence else "batch_first"
    for how in ({}, {name: None}, {name: 1}):
        with pytest.raises(TypeError, match=rf"expected {sentence}.*it cannot be guessed"):
            make(how)
    assert f"{name}=False" in repr(make({name: False})) and getattr(make({name: True}), name) is True


@pytest.mark.parametrize(
    "make",
    [
        lambda first: pt.SinusoidalEncoding(dim=6, batch_first=first),
        lambda first: pt.ConvolutionEncoding(dim=6, groups=2, kernel=4, batch_first=first),
        lambda first: pt.PositionalEncoding(6, batch_first=first),
    ],
    ids=["sinusoidal", "convolution", "tutorial"],
)
def test_tokens_first_is_the_same_turned(make):
    one, other = make(True), make(False)
    other.load_state_dict(one.state_dict())
    x = torch.randn(2, 5, 6)
    swapped = x.transpose(0, 1).contiguous()
    y = other(swapped)
    assert torch.equal(y.transpose(0, 1), one(x)) and y.is_contiguous()
    assert torch.equal(other(x[0]), one(x[0]))  # [tokens, dim] can be nothing else
    with pytest.raises(ValueError, match=r"expected \[tokens, batch, dim\] with batch_first=False, got \[1, 5, 2, 6\]"):
        other(swapped[None])


def test_rows_of_positions_and_words_with_tokens_first():
    one, other = (pt.SinusoidalEncoding(dim=6, batch_first=first) for first in (True, False))
    x, at = torch.randn(2, 5, 6), torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
    assert torch.equal(other(x.transpose(0, 1), at).transpose(0, 1), one(x, at))
    with pytest.raises(ValueError, match="positions"):
        other(x.transpose(0, 1), at.t())
    ids, words = torch.randint(0, 7, (2, 5)), torch.randn(7, 6)
    assert torch.equal(other.embed(ids.t(), words, at).transpose(0, 1), one.embed(ids, words, at))
    assert torch.equal(other.embed(ids[0], words), one.embed(ids[0], words))


def test_gradients_with_tokens_first():
    one, other = (pt.LearnedEncoding(rows=5, dim=6, batch_first=first) for first in (True, False))
    other.load_state_dict(one.state_dict())
    x = torch.randn(2, 5, 6)
    one(x).square().sum().backward()
    other(x.transpose(0, 1)).square().sum().backward()
    torch.testing.assert_close(other.table.grad, one.table.grad)


@pytest.mark.parametrize("dtype,lost", [(torch.float32, r"2\^24 \+ 1"), (torch.float16, "2049"), (torch.bfloat16, "257")])
def test_positions_of_narrow_floats_are_refused(dtype, lost):
    at = torch.arange(300).to(dtype)
    sentence = rf"got {dtype}, which has no {lost}: make them with .long\(\) or .double\(\)"
    rope, pe = pt.RotaryEncoding(dim=8, layout="half", heads_first=True), pt.SinusoidalEncoding(dim=8, batch_first=True)
    for call in (
        lambda: rope(torch.randn(1, 300, 8), None, at),
        lambda: rope.cos_sin(300, at),
        lambda: pe(torch.randn(300, 8), at),
        lambda: pt.RelativeBias("alibi", heads=2)(300, query_positions=at),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()
    exact = pe(torch.zeros(300, 8))
    for at in (torch.arange(300.0).double(), torch.arange(300, dtype=torch.int16)):
        assert torch.equal(pe(torch.zeros(300, 8), at), exact)


def test_a_module_without_parameters_knows_where_it_was_moved():
    bias = torch.nn.Sequential(pt.RelativeBias("alibi", heads=2)).to("meta")[0]
    assert bias(4, 6).is_meta and not bias.state_dict()
    assert pt.SinusoidalEncoding(dim=8, batch_first=True).to("meta").rows(4).is_meta
    assert pt.RotaryEncoding(dim=8, layout="half", heads_first=True, device="meta").cos_sin(4)[0].is_meta
    assert bias(4, 6, device="cpu").device.type == "cpu"
    mod = pt.score_mod(bias, 4)
    at = torch.zeros(3, dtype=torch.long, device="meta")
    assert mod(torch.zeros(3, device="meta"), at, at, at, at).is_meta


@pytest.mark.parametrize(
    "call",
    [
        lambda scores, **how: pt.RelativeBias("alibi", heads=8).add(scores, **how),
        lambda scores, **how: pt.RelativeBias("alibi", heads=8).add_(scores, **how),
        lambda scores, **how: pt.ContentTerm("kerple-weight", heads=8)(scores, **how),
    ],
    ids=["add", "add_", "term"],
)
def test_some_of_the_heads_are_asked_for_by_name(call):
    part = torch.zeros(2, 4, 3, 5)
    for refused in (part, torch.zeros(2, 9, 3, 5)):
        with pytest.raises(ValueError, match=r"expected scores of all 8 heads, or first_head where .*, got \[2, ., 3, 5\]"):
            call(refused)
    whole = call(torch.zeros(2, 8, 3, 5))
    for first in (0, 4):
        assert torch.equal(call(torch.zeros(2, 4, 3, 5), first_head=first), whole[:, first : first + 4])


def test_terms_without_heads_of_their_own_take_any():
    q = torch.randn(3, 5, 4)
    assert pt.ContentTerm("cope", dim=4, positions=5)(torch.zeros(5, 3, 3), q, q).shape == (5, 3, 3)
