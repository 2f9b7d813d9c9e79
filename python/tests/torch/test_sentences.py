"""What is no bias, no count and no tensor is told as such."""

import pytest
import torch

import posenc
import posenc.torch as pt

PE = pt.SinusoidalEncoding(dim=8, batch_first=True)
ROPE = pt.RotaryEncoding(dim=8, layout="half", heads_first=False)
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
        (lambda: PE([[0.0] * 8]), TypeError, r"\[SinusoidalEncoding\] expected a tensor of PyTorch as x, got list"),
        (lambda: PE(None), TypeError, r"\[SinusoidalEncoding\] expected a tensor of PyTorch as x, got NoneType"),
        (lambda: PE(Q, [0, 1, 2]), TypeError, "expected tensors of PyTorch, got list"),
        (lambda: PE.rows(None), TypeError, r"\[SinusoidalEncoding\] expected a number of tokens, got NoneType"),
        (lambda: PE.embed(None, torch.ones(4, 8)), TypeError, "expected a tensor of PyTorch as ids, got NoneType"),
        (lambda: pt.AbsoluteEncoding(None, batch_first=True), TypeError, "expected a scheme or its name, got NoneType"),
        (lambda: ROPE(Q, None, 5), TypeError, "expected tensors of PyTorch, got int"),
        (lambda: ROPE(None, Q), TypeError, r'turn\(k, "k"\)'),
        (lambda: BIAS(None), TypeError, r"\[RelativeBias\] expected a number of queries, got NoneType"),
        (lambda: BIAS.add(None), TypeError, "expected a tensor of PyTorch as scores, got NoneType"),
        (lambda: BIAS.add_([1.0]), TypeError, "expected a tensor of PyTorch as scores, got list"),
        (lambda: BIAS.add(torch.ones(2, 3, 3), first=1), TypeError, "unknown option 'first'"),
        (lambda: pt.ContentTerm("shaw", dim=4)(None), TypeError, "expected a tensor of PyTorch as scores, got NoneType"),
        (lambda: pt.resize_grid(None, (2, 2), (3, 3)), TypeError, "expected a tensor of PyTorch as table, got NoneType"),
        (lambda: pt.attention_bias(BIAS, None, None), TypeError, "expected a tensor of PyTorch as q, got NoneType"),
        (lambda: pt.patch(torch.nn.Linear(2, 2)), TypeError, "expected a model of transformers, with its config, got Linear"),
        (lambda: pt.score_mod(3, 4), TypeError, r"\[score_mod\] expected a RelativeBias, or a bias of posenc, got int"),
        (lambda: BIAS.add(Q[..., :3], scale="x"), TypeError, r"\[RelativeBias\] expected scale as a number, got str"),
        (lambda: BIAS.add_(Q[..., :3], scale=None), TypeError, r"\[RelativeBias\] expected scale as a number, got NoneType"),
        (lambda: BIAS.add(Q[..., :3], scale=torch.ones((), requires_grad=True)), ValueError, "expected scale without requires_grad"),
        (lambda: BIAS.add(Q[..., :3], scale_sum=1), TypeError, r"\[RelativeBias\] expected scale_sum as True or False, got int"),
        (lambda: BIAS(3, causal=None), TypeError, "expected causal as True or False, got NoneType"),
        (lambda: PE.embed(torch.zeros(3, dtype=torch.long), Q[0, 0], scale=[2]), TypeError, "expected scale as a number, got list"),
        (lambda: ROPE(Q, first=True), TypeError, r"\[RotaryEncoding\] expected first as a whole number, got bool"),
        (lambda: pt.score_mod("alibi", 4), TypeError, "expected a RelativeBias, or a bias of posenc, got str"),
        (lambda: pt.score_mod(ROPE, 4), ValueError, "got rope, which turns queries and keys"),
        (lambda: pt.score_mod(PE, 4), ValueError, "got sinusoidal, which acts on the input"),
        (lambda: pt.score_mod(posenc.Shaw(dim=8), 4), ValueError, "got shaw, which reads queries or keys"),
        (lambda: pt.score_mod(pt.ConvolutionEncoding(dim=8, groups=2, batch_first=True), 4), ValueError, "got convolution, which acts"),
        (lambda: pt.score_mod(posenc.T5Bias(heads=2), 4), ValueError, "got t5, which learns some"),
        (lambda: pt.score_mod(BIAS, "x"), TypeError, "expected a number of queries, got str"),
        (lambda: pt.score_mod(BIAS, -1), ValueError, "expected a number of queries, got -1"),
        (lambda: pt.score_mod(BIAS, 4, first_query=1.5), TypeError, r"\[score_mod\] expected first_query as a whole number, got float"),
        (lambda: pt.attention_bias(BIAS, Q.repeat(1, 2, 1, 1), Q), ValueError, r"2 heads, tokens, dim\], got \[1, 4, 3, 8\]"),
        (lambda: pt.attention_bias(BIAS, Q[0, 0], Q), ValueError, "2 heads"),
        (lambda: pt.attention_bias(BIAS, Q, Q[0, 0, 0]), ValueError, r"expected k \[batch, heads, tokens, dim\], got \[8\]"),
        (lambda: BIAS(3, "x"), TypeError, "expected a number of keys, got str"),
        (lambda: BIAS(-3), ValueError, "expected a number of queries, got -3"),
        (lambda: PE.rows(-1), ValueError, "expected a number of tokens, got -1"),
        (lambda: ROPE.cos_sin("x"), TypeError, "expected a number of tokens, got str"),
        (lambda: ROPE.turn(Q, "z"), ValueError, 'expected the role "q" or "k", got \'z\''),
        (lambda: PE.embed(torch.zeros(3, dtype=torch.long), torch.tensor(1.0)), ValueError, r"\[vocabulary, dim\], got \[\]"),
        (lambda: pt.resize_grid(torch.tensor(1.0), (2, 2), (3, 3)), ValueError, r"expected a table \[rows, dim\], got \[\]"),
        (lambda: pt.shard(Q, dim=4), ValueError, r"\[shard\] expected an axis of \[1, 2, 3, 8\], got 4"),
        (lambda: pt.shard([1], dim=0), TypeError, "expected a tensor of PyTorch as x, got list"),
        (lambda: PE(Q, first=1.5), TypeError, r"\[SinusoidalEncoding\] expected first as a whole number, got float"),
        (lambda: PE(Q, first=torch.tensor(3)), TypeError, "expected first as a whole number, got Tensor"),
        (lambda: pt.LearnedEncoding(rows=9, dim=8, batch_first=True)(Q, first="x"), TypeError, "expected first as a whole number, got str"),
        (lambda: PE.rows(3, first="x"), TypeError, "expected first as a whole number, got str"),
        (lambda: PE.embed(torch.zeros(3, dtype=torch.long), Q[0, 0], first=0.5), TypeError, "first as a whole number, got float"),
        (lambda: ROPE(Q, length="x"), TypeError, r"\[RotaryEncoding\] expected length as a whole number, got str"),
        (lambda: ROPE.cos_sin(3, first=None), TypeError, "expected first as a whole number, got NoneType"),
        (lambda: BIAS.add(Q[..., :3], first_head="x"), TypeError, "expected first_head as a whole number, got str"),
        (lambda: BIAS(3, first_query=0.5), TypeError, "expected first_query as a whole number, got float"),
        (lambda: BIAS.add(Q[..., :3], casual=True), TypeError, "unknown option 'casual'; did you mean 'causal'"),
        (lambda: pt.RelativeBias("alibi", head=2), TypeError, r"\[alibi\] unknown option 'head'; did you mean 'heads'"),
        (lambda: pt.RelativeBias("swin", head=2), TypeError, r"\[swin\] unknown option 'head'; did you mean 'heads'"),
        (lambda: pt.SinusoidalEncoding(dimm=8, batch_first=True), TypeError, r"\[sinusoidal\] unknown option 'dimm'; did you mean 'dim'"),
        (lambda: pt.ContentTerm("shaw", dim=8)(Q, [1]), TypeError, "expected a tensor of PyTorch as q, got list"),
    ],
)  # fmt: skip
def test_what_is_none_of_these(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()


ROWS = posenc.Sinusoidal(dim=8)


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.ones(3, 8, device="meta"),
        lambda: torch.ones(3, 8).to_sparse(),
        lambda: torch.ones(3, 8).to(torch.float8_e4m3fn),
        lambda: torch.quantize_per_tensor(torch.ones(3, 8), 1.0, 0, torch.qint8),
    ],
)
def test_tensors_that_lie_nowhere_are_told(made):
    with pytest.raises(ValueError, match=r"\[tensor\] expected .*, got"):
        ROWS.add_(made())


def test_tensors_without_their_memory_are_told():
    x = torch.ones(3, 8)
    x.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="expected .*(DLPack can show|with data), got"):
        ROWS.add_(x)


def test_numbers_that_pytorch_negates_when_it_reads_them():
    """What is in memory is not what the tensor says: z.conj().imag."""
    z = torch.randn(2, 3, 8, dtype=torch.complex64)
    x = z.conj().imag
    assert x.is_neg()
    for wrong in (lambda: ROWS.add_(x), lambda: ROWS.add(x), lambda: posenc.Learned(rows=3, dim=8).plan([x[0]])):
        with pytest.raises(ValueError, match=r"PyTorch negates when it reads it: take resolve_neg\(\)"):
            wrong()
    torch.testing.assert_close(PE(x), PE(-z.imag))
    expected = BIAS.add(-z.imag[:, :, :3])
    torch.testing.assert_close(BIAS.add_(x[:, :, :3]), expected)


def test_subclasses_are_asked_by_their_own_method():
    class Own(torch.Tensor):
        asked = 0

        def __dlpack__(self, *positional, **how):
            Own.asked += 1
            return torch.utils.dlpack.to_dlpack(self.as_subclass(torch.Tensor))

    assert ROWS.add(torch.zeros(3, 8)).tolist() == ROWS.table(3).tolist()
    assert not Own.asked
    assert ROWS.add_(torch.zeros(3, 8).as_subclass(Own)).tolist() == ROWS.table(3).tolist()
    assert Own.asked or hasattr(torch.Tensor, "__dlpack_c_exchange_api__")


def test_biases_that_learn_nothing_need_no_module():
    scores = torch.zeros(())
    for of in (posenc.Alibi(heads=2), pt.RelativeBias("alibi", heads=2)):
        assert pt.score_mod(of, 4)(scores, 0, 1, torch.tensor(3), torch.tensor(1)) == posenc.Alibi(heads=2).at(1, 3, 1)
    assert torch.equal(pt.attention_bias(posenc.Alibi(heads=2), Q, Q), pt.attention_bias(BIAS, Q, Q))
    assert pt.RelativeBias("swin", heads=2).scheme == "window"
    assert repr(pt.RelativeBias("swin", heads=2)) == "RelativeBias('swin', heads=2)"
