"""What is no bias, no count and no tensor is told as such."""

import pytest
import torch

import posenc
import posenc.torch as pt

PE = pt.SinusoidalEncoding(dim=8)
ROPE = pt.RotaryEncoding(dim=8, layout="half")
BIAS = pt.RelativeBias("alibi", heads=2)
Q = torch.ones(1, 2, 3, 8)


def test_second_gradients_of_what_is_not_linear():
    term = pt.ContentTerm("shaw", heads=2, dim=8)
    q = torch.ones(2, 3, 2, 8, requires_grad=True)
    slope, = torch.autograd.grad(term(torch.ones(2, 2, 3, 3), q).square().sum(), q, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"\[term_gradients\] expected one gradient, got a second"):
        slope.sum().backward()


@pytest.mark.parametrize(
    "wrong, kind, sentence",
    [
        (lambda: pt.score_mod("alibi", 4), TypeError, "expected a RelativeBias, or a bias of posenc, got str"),
        (lambda: pt.score_mod(ROPE, 4), ValueError, "got rope, which turns queries and keys"),
        (lambda: pt.score_mod(PE, 4), ValueError, "got sinusoidal, which acts on the input"),
        (lambda: pt.score_mod(posenc.Shaw(dim=8), 4), ValueError, "got shaw, which reads queries or keys"),
        (lambda: pt.score_mod(pt.ConvolutionEncoding(dim=8, groups=2), 4), ValueError, "got convolution, which acts"),
        (lambda: pt.score_mod(posenc.T5Bias(heads=2), 4), ValueError, "got t5, which learns some"),
        (lambda: pt.score_mod(BIAS, "x"), TypeError, "expected a number of queries, got str"),
        (lambda: pt.score_mod(BIAS, -1), ValueError, "expected a number of queries, got -1"),
        (lambda: pt.attention_bias(BIAS, Q.repeat(1, 2, 1, 1), Q), ValueError, r"2 heads, tokens, dim\], got \[1, 4, 3, 8\]"),
        (lambda: pt.attention_bias(BIAS, Q[0, 0], Q), ValueError, "2 heads"),
        (lambda: BIAS(3, "x"), TypeError, "expected a number of keys, got str"),
        (lambda: BIAS(-3), ValueError, "expected a number of queries, got -3"),
        (lambda: PE.rows(-1), ValueError, "expected a number of tokens, got -1"),
        (lambda: ROPE.cos_sin("x"), TypeError, "expected a number of tokens, got str"),
        (lambda: ROPE.turn(Q, "z"), ValueError, 'expected the role "q" or "k", got \'z\''),
        (lambda: pt.ContentTerm("shaw", dim=8)(Q, [1]), TypeError, "expected a tensor of PyTorch as q, got list"),
    ],
)  # fmt: skip
def test_what_is_none_of_these(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()


def test_biases_that_learn_nothing_need_no_module():
    scores = torch.zeros(())
    for of in (posenc.Alibi(heads=2), pt.RelativeBias("alibi", heads=2)):
        assert pt.score_mod(of, 4)(scores, 0, 1, torch.tensor(3), torch.tensor(1)) == posenc.Alibi(heads=2).at(1, 3, 1)
    assert torch.equal(pt.attention_bias(posenc.Alibi(heads=2), Q, Q), pt.attention_bias(BIAS, Q, Q))
    assert pt.RelativeBias("swin", heads=2).scheme == "window"
    assert repr(pt.RelativeBias("swin", heads=2)) == "RelativeBias('swin', heads=2)"
