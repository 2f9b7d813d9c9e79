"""Encodings really tell order: one layer of attention learns a task that needs it with each, and cannot without."""

import pytest
import torch

import posenc.torch as pt

DIM, HEADS, TOKENS, WORDS = 32, 2, 8, 6


class OneLayer(torch.nn.Module):
    """For each word, the one before it. Without positions the words are a bag."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.words = torch.nn.Embedding(WORDS, DIM)
        self.qkv, self.out = torch.nn.Linear(DIM, 3 * DIM), torch.nn.Linear(DIM, WORDS)
        self.encoding = {
            "none": lambda: None,
            "sinusoidal": lambda: pt.SinusoidalEncoding(dim=DIM, batch_first=True),
            "learned": lambda: pt.LearnedEncoding(rows=TOKENS, dim=DIM, batch_first=True),
            "rotary": lambda: pt.RotaryEncoding(dim=DIM // HEADS, layout="half", heads_first=True),
            "relative": lambda: pt.RelativeBias("t5", heads=HEADS),
        }[kind]()

    def forward(self, ids):
        x = self.words(ids)
        if isinstance(self.encoding, pt.AbsoluteEncoding):
            x = self.encoding(x)
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        if self.kind == "rotary":
            q, k = self.encoding(q, k)
        bias = pt.attention_bias(self.encoding, q, k) if self.kind == "relative" else None
        seen = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.out(seen.transpose(1, 2).flatten(-2) + x)[:, 1:]


def accuracy(kind, steps=300):
    """Each token but the first names the word before it; its share of right answers on new texts."""
    torch.manual_seed(0)
    model = OneLayer(kind)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        ids = torch.randint(0, WORDS, (64, TOKENS))
        loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids[:, :-1].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ids = torch.randint(0, WORDS, (512, TOKENS))
    return (model(ids).argmax(-1) == ids[:, :-1]).float().mean().item()


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "rotary", "relative"])
def test_order_is_learned(kind):
    assert accuracy(kind) > 0.95


def test_order_is_not_learned_without():
    """Guessing is right once in 6 times; the bag of words helps a little."""
    assert accuracy("none") < 0.5


def test_the_founding_example():
    """我喜欢吃苹果 and 苹果喜欢吃我 are the same bag of words: only positions tell them apart."""
    first, second = "我喜欢吃苹果", "苹果喜欢吃我"
    words = {w: i for i, w in enumerate(["我", "喜欢", "吃", "苹果"])}
    embedding = torch.nn.Embedding(4, DIM)
    attention = torch.nn.MultiheadAttention(DIM, 1, batch_first=True)

    def read(order, encoding):
        x = embedding(torch.tensor([[words[w] for w in order]]))
        x = encoding(x) if encoding else x
        return attention(x, x, x)[0].sum(dim=1)

    a, b = ["我", "喜欢", "吃", "苹果"], ["苹果", "喜欢", "吃", "我"]
    assert "".join(a) == first and "".join(b) == second
    torch.testing.assert_close(read(a, None), read(b, None))
    apart = (read(a, pt.SinusoidalEncoding(dim=DIM, batch_first=True)) - read(b, pt.SinusoidalEncoding(dim=DIM, batch_first=True))).abs().max()
    assert apart > 1e-3
