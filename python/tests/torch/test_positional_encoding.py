"""PositionalEncoding takes the place of the classes of that name that people paste."""

import math

import pytest
import torch

import posenc.torch as pt


class Textbook(torch.nn.Module):
    """The class as textbooks print it: x is [batch, tokens, embed_size]."""

    def __init__(self, embed_size, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, embed_size)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, embed_size, 2).float() * -(math.log(10000.0) / embed_size))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class Tutorial(torch.nn.Module):
    """The class as PyTorch's tutorial prints it: x is [tokens, batch, d_model]."""

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = torch.nn.Dropout(p=dropout)
        self.register_buffer("pe", Textbook(d_model, max_len).pe.transpose(0, 1))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


def test_the_class_of_textbooks():
    theirs, ours = Textbook(512, max_len=5000), pt.PositionalEncoding(512, max_len=5000)
    assert ours.training and ours.batch_first and ours.max_len == 5000 and pt.PositionalEncoding(512, 7).max_len == 7
    x = torch.randn(32, 10, 512)
    # Angles of f32 at positions up to 9 and sums of numbers up to 6 are off by units of 2^-22 and less.
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=2**-20)
    assert torch.equal(ours(x[0]), ours(x)[0])
    odd = torch.arange(10).double()[:, None] / 10000 ** (torch.arange(0, 512, 2).double() / 512)
    rows = torch.stack([odd.sin(), odd.cos()], -1).reshape(10, 512)
    torch.testing.assert_close(ours(x.double()), x.double() + rows, rtol=0, atol=1e-14)


def test_attributes_of_the_class_of_textbooks():
    for theirs, ours in (
        (Textbook(16, 40), pt.PositionalEncoding(16, 40)),
        (Tutorial(16, max_len=40), pt.PositionalEncoding(16, 40, batch_first=False)),
    ):
        assert ours.embed_size == 16 and ours.pe.shape == theirs.pe.shape and ours.pe.dtype == theirs.pe.dtype
        torch.testing.assert_close(ours.pe, theirs.pe, rtol=0, atol=2**-18)  # f32 angles below 40
        assert "pe" not in ours.state_dict() and not ours.pe.requires_grad
        assert ours.to(torch.float64).pe.dtype == theirs.to(torch.float64).pe.dtype == torch.float64


def test_more_tokens_than_max_len_are_refused():
    ours = pt.PositionalEncoding(16, max_len=5)
    assert ours(torch.zeros(7, 5, 16)).shape == (7, 5, 16)
    for x in (torch.zeros(2, 6, 16), torch.zeros(6, 16)):
        with pytest.raises(ValueError, match=r"\[PositionalEncoding\] expected at most max_len 5 tokens, got 6"):
            ours(x)
    with pytest.raises(ValueError, match="expected at most max_len 5 tokens, got 6"):
        pt.PositionalEncoding(16, max_len=5, batch_first=False)(torch.zeros(6, 2, 16))


def test_checkpoints_and_moves():
    theirs = torch.nn.Sequential(torch.nn.Linear(16, 16), Textbook(16))
    ours = torch.nn.Sequential(torch.nn.Linear(16, 16), pt.PositionalEncoding(16))
    ours.load_state_dict(theirs.state_dict())
    assert set(ours.state_dict()) == {"0.weight", "0.bias"}
    x = torch.randn(2, 7, 16)
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=2**-20)
    assert ours.to(torch.bfloat16)(x.bfloat16()).dtype == torch.bfloat16
    assert ours.to("meta")(x.to("meta")).is_meta
    pt.PositionalEncoding(16).load_state_dict({"pe": theirs[1].pe.to("meta")})  # as checkpoints are read before their numbers
    for table in (theirs[1].pe.roll(1, dims=1), theirs[1].pe.long(), torch.tensor(1.0)):
        with pytest.raises(RuntimeError, match="expected the paper's sines and cosines as pe, got another table"):
            pt.PositionalEncoding(16).load_state_dict({"pe": table})


def test_the_class_of_the_tutorial():
    theirs, ours = Tutorial(16), pt.PositionalEncoding(16, dropout=0.1, batch_first=False)
    x = torch.randn(7, 2, 16)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), rtol=0, atol=2**-20)
    torch.manual_seed(3)
    a = ours.train()(x)
    torch.manual_seed(3)
    assert torch.equal(a == 0, theirs.train()(x) == 0) and (a == 0).any()
    ours.load_state_dict(theirs.state_dict())


@pytest.mark.parametrize(
    "arguments,kind,sentence",
    [
        ({"max_len": 0.1}, TypeError, r"expected max_len as a whole number, got 0.1: say dropout=0.1"),
        ({"max_len": "5000"}, TypeError, r"expected max_len as a whole number, got str"),
        ({"max_len": 0}, ValueError, r"expected max_len of at least 1, got 0"),
        ({"dropout": 5000}, ValueError, r"expected dropout from 0 to 1, got 5000"),
        ({"batch_first": None}, TypeError, r"expected batch_first=True where .*, got None"),
    ],
)
def test_refusals(arguments, kind, sentence):
    with pytest.raises(kind, match=rf"\[PositionalEncoding\] {sentence}"):
        pt.PositionalEncoding(16, **arguments)
