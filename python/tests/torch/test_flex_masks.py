"""Masks beside which FlexAttention's kernel need not ask whether a query has seen a key yet: the answers, and who is told."""

import math

import pytest
import torch

import posenc.torch as pt
from posenc.torch import _flex_masks as masks
from posenc.torch import flex

flexible = pytest.importorskip("torch.nn.attention.flex_attention")
BATCH, HEADS, TOKENS, BLOCK = 2, 4, 384, 128
GIVEN = BATCH, HEADS, TOKENS, TOKENS


def causal(b, h, i, j):
    return i >= j


def window(b, h, i, j):
    return (i >= j) & (i - j < 100)


WHICH = torch.arange(TOKENS)
# A mask of each, whether it has a batch and heads of its own, and the answer.
CASES = {
    "causal": (causal, False, True),
    "full": (flexible.noop_mask, False, True),
    "prefix": (lambda b, h, i, j: (j < 40) | (i >= j), False, True),
    "documents of whole blocks": (lambda b, h, i, j: (i // BLOCK == j // BLOCK) & (i >= j), False, True),
    "documents": (lambda b, h, i, j: (i // 100 == j // 100) & (i >= j), False, False),
    "window": (window, False, False),  # each query sees itself, but not all see a key of the first tile
    "later keys": (lambda b, h, i, j: i <= j, False, False),
    "strictly causal": (lambda b, h, i, j: i > j, False, False),  # the first query sees nothing
    "one query sees nothing": (lambda b, h, i, j: (i >= j) & (i != 200), False, False),
    "nothing": (lambda b, h, i, j: i < 0, False, True),  # no blocks, so no tiles
    "heads": (lambda b, h, i, j: (i >= j) | (h > 1), True, True),
    "a head with a window": (lambda b, h, i, j: (i >= j) & ((h != 2) | (i - j < 100)), True, False),
    "a text with a window": (lambda b, h, i, j: (i >= j) & ((b != 1) | (i - j < 100)), True, False),
    "made for text 0 alone": (lambda b, h, i, j: (i >= j) & ((b == 0) | (j > 9)), False, False),
    "made for head 0 alone": (lambda b, h, i, j: (i >= j) & ((h == 0) | (j > 9)), False, False),
    "causal by a tensor": (lambda b, h, i, j: WHICH[i] >= WHICH[j], False, False),  # which may change
    "causal by a new tensor": (lambda b, h, i, j: i + torch.zeros((), dtype=torch.int32) >= j, False, False),
}


def mask_of(mask_mod, own=False, tokens=TOKENS, **how):
    sizes = (BATCH, HEADS) if own else (None, None)
    return flexible.create_block_mask(mask_mod, *sizes, tokens, tokens, **{"device": "cpu", **how})


@pytest.mark.parametrize("name", CASES)
def test_answers(name):
    mask_mod, own, want = CASES[name]
    assert masks.first_keys_are_seen(mask_of(mask_mod, own), *GIVEN) is want


def lists_of(*rows):
    """Blocks of each row, and how many they are."""
    which = torch.tensor([row + [0] * (3 - len(row)) for row in rows], dtype=torch.int32)
    return torch.tensor([len(row) for row in rows], dtype=torch.int32)[None, None], which[None, None]


NONE = lists_of([], [], [])


@pytest.mark.parametrize(
    "cut, whole, want",
    [
        (lists_of([0], [1], [2]), lists_of([], [0], [0, 1]), True),
        (lists_of([0], [0, 1], [2, 0]), NONE, True),  # any order
        (NONE, lists_of([], [0], [0, 1]), True),  # without the diagonal; the first queries have no blocks
        (lists_of([1], [0, 1], [2]), NONE, False),  # without the diagonal; the first queries have a block that they do not see
        (lists_of([0], [2, 1], [2]), NONE, False),  # the diagonal is not the first
        (lists_of([0], [2], [2]), lists_of([], [0, 1], []), False),  # whole blocks are visited last
    ],
)
def test_lists_of_blocks(cut, whole, want):
    mask = flexible.BlockMask.from_kv_blocks(*cut, *whole, BLOCK_SIZE=BLOCK, mask_mod=causal)
    assert masks.first_keys_are_seen(mask, *GIVEN) is want


def unasked(scores, keep, mask, tile):
    """Attention of values that are 1, 2, 3, ..., tile by tile as the kernel does it where it does not ask."""
    queries, keys, (rows, columns) = *scores.shape[-2:], mask.BLOCK_SIZE
    out, values = torch.zeros(scores.shape[:-1]), torch.arange(1.0, keys + 1)
    for b, h, row in torch.cartesian_prod(*(torch.arange(n) for n in (*scores.shape[:2], -(-queries // rows)))).tolist():
        at = b % mask.kv_num_blocks.shape[0], h % mask.kv_num_blocks.shape[1], row
        lists = ((mask.kv_num_blocks, mask.kv_indices), (mask.full_kv_num_blocks, mask.full_kv_indices))
        starts = [int(block) * columns + step for count, which in lists for block in which[at][: count[at]] for step in range(0, columns, tile)]
        here = slice(row * rows, (row + 1) * rows)
        most = torch.full_like(out[b, h, here], -math.inf)
        total, sum_of = torch.zeros_like(most), torch.zeros_like(most)
        for start in starts:
            these = scores[b, h, here, start : start + tile].masked_fill(~keep[b, h, here, start : start + tile], -math.inf)
            if these.shape[-1] == 0:
                continue
            before, most = most, torch.maximum(most, these.amax(-1))
            weights, fade = (these - most[:, None]).exp(), (before - most).exp()
            total, sum_of = total * fade + weights.sum(-1), sum_of * fade + weights @ values[start : start + tile]
        out[b, h, here] = sum_of / total.where(total != 0, 1)
    return out


@pytest.mark.parametrize("shift", [-3, 0, 16, 45])
@pytest.mark.parametrize("reach", [20, 90, 1000])
def test_the_kernel_as_it_would_compute(shift, reach):
    """With tiles of one key the answer says just when a NaN would come, and with larger ones there is none where it is yes."""

    def mask_mod(b, h, i, j):
        return (i + shift >= j) & (i - j < reach + 900 * (b + h))

    sizes, queries, keys = (2, 2), 100, 120
    mask = flexible.create_block_mask(mask_mod, *sizes, queries, keys, device="cpu", BLOCK_SIZE=(32, 32))
    keep = mask_mod(*torch.meshgrid(*(torch.arange(n) for n in (*sizes, queries, keys)), indexing="ij"))
    scores, answer = torch.randn(*sizes, queries, keys), masks.first_keys_are_seen(mask, *sizes, queries, keys)
    assert unasked(scores, keep, mask, 1).isfinite().all() == answer == (shift >= 0 and reach > 100)
    for tile in (16, 32) if answer else ():
        want = scores.masked_fill(~keep, -math.inf).softmax(-1) @ torch.arange(1.0, keys + 1)
        torch.testing.assert_close(unasked(scores, keep, mask, tile), want)


def test_lengths_of_a_mask():
    assert not masks.first_keys_are_seen(mask_of(causal), BATCH, HEADS, TOKENS, TOKENS - 1)
    assert not masks.first_keys_are_seen(mask_of(causal), BATCH, HEADS, TOKENS - 1, TOKENS)
    assert masks.first_keys_are_seen(mask_of(causal, tokens=300), BATCH, HEADS, 300, 300)


OPTION = "ROWS_GUARANTEED_SAFE"


@pytest.mark.parametrize(
    "name, mask_mod, tokens, own, want",
    [
        ("alibi", causal, 256, None, True),
        ("alibi, keys", causal, 256, None, True),
        ("alibi, learned", causal, 200, None, True),
        ("alibi", window, 256, None, None),
        ("alibi", None, 256, None, None),
        ("alibi", causal, 120, None, None),  # another kernel
        ("alibi", causal, 256, {"BLOCK_M": 64}, None),
        ("alibi", causal, 256, {OPTION: False}, False),
        ("t5", causal, 256, None, None),  # a table, whose numbers may be -infinity
    ],
)
def test_who_is_told(name, mask_mod, tokens, own, want, monkeypatch):
    seen = []
    monkeypatch.setattr(flex, "_takes_options", lambda q: True)
    monkeypatch.setattr(flexible, "flex_attention", lambda *n, kernel_options=None, **how: seen.append(kernel_options or {}) or n[0])
    how = {"alibi, keys": {"form": "keys"}, "alibi, learned": {"learned_slopes": True}}.get(name, {})
    q, mask = torch.randn(1, 4, tokens, 16), None if mask_mod is None else mask_of(mask_mod, tokens=tokens)
    pt.flex_attention(q, q, q, bias=pt.RelativeBias(name.split(",")[0], heads=4, **how), block_mask=mask, kernel_options=own)
    assert seen[0].get(OPTION) is want and "PRESCALE_QK" not in seen[0]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("dim", [16, 64])
@pytest.mark.parametrize("name", [name for name in CASES if "tensor" not in name])
@pytest.mark.parametrize("tokens", [300, 384])
def test_the_same_as_without_the_option(name, tokens, dim):
    """Results and gradients, of the first lengths and others: zeros for queries that see nothing, and no NaN."""
    mask_mod, own, _ = CASES[name]
    bias, mask = pt.RelativeBias("alibi", heads=HEADS, device="cuda"), mask_of(mask_mod, own, tokens, device="cuda")
    q, k, v = (torch.randn(BATCH, HEADS, tokens, dim, device="cuda", requires_grad=True) for _ in range(3))
    out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
    want = pt.flex_attention(q, k, v, bias=bias, block_mask=mask, kernel_options={OPTION: False})
    weight = torch.linspace(-1, 1, out.numel(), device="cuda").reshape(out.shape)
    got, wants = ([t, *torch.autograd.grad((t * weight).sum(), [q, k, v])] for t in (out, want))
    for a, b in zip(got, wants):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
