"""The tiles of attention from which the gradient of a line is summed: each score once, and which masks have such lists."""

import pytest
import torch
from flex_written import CASES, causal, flexible, hidden, of_case, tiles_of

from posenc.torch import _flex_cache, _flex_line


@pytest.mark.parametrize("case", CASES)
def test_pieces_have_each_score_once(case):
    mask, keep = of_case(case)
    seen = torch.zeros_like(keep, dtype=torch.int)
    pieces = _flex_line.pieces_of(*keep.shape, torch.device("cpu"), mask)
    for each in pieces:
        starts, edges = each.starts.tolist(), each.edges.tolist()
        assert starts[0] == edges[0] == 0 and edges[-1] == len(each.rows) == len(starts) - 1
        assert all(0 < starts[b] - starts[a] <= _flex_line.LONGEST for a, b in zip(edges, edges[1:]))
        for n, (row, column) in enumerate(tiles_of(each)):
            part = 1 if each.seen is None else each.seen[n].int()
            seen[row * _flex_line.SIZE : (row + 1) * _flex_line.SIZE, column * _flex_line.SIZE : (column + 1) * _flex_line.SIZE] += part
    assert torch.equal(seen, keep.int())
    assert [each.seen is None for each in pieces] == ([True] if mask is None else [False, True])
    assert any(len(each.rows) > len(each.shifts) for each in pieces) == (case in ("chunks", "hidden"))  # several runs in a piece
    assert _flex_line.pieces_of(*keep.shape, torch.device("cpu"), mask) is pieces  # kept


def test_masks_that_are_left_to_flex_attention(monkeypatch):
    device, which = torch.device("cpu"), torch.arange(256)
    of = lambda mod, heads=None, **how: _flex_line.pieces_of(  # noqa: E731
        256, 256, device, flexible.create_block_mask(mod, None, heads, 256, 256, device="cpu", **how)
    )
    assert of(causal) and of(causal, BLOCK_SIZE=64) and of(causal, BLOCK_SIZE=(64, 128))
    assert of(lambda b, h, i, j: which[i] >= which[j]) is None  # what it reads may change
    assert of(lambda b, h, i, j: i >= j + h) is None and of(lambda b, h, i, j: i >= j + h, heads=4) is None
    assert of(causal, BLOCK_SIZE=32) is None and of(causal, BLOCK_SIZE=192) is None  # whose last block is cut by the end
    of_both, of_some = flexible.and_masks(causal, hidden), flexible.or_masks(causal, hidden)
    assert of(of_both) and of(of_some) and of(flexible.noop_mask) and of(flexible.and_masks(causal, lambda b, h, i, j: i >= j + h)) is None
    with torch.inference_mode():
        assert of(causal) is None  # may change unseen
    assert not of(lambda b, h, i, j: i < 0)  # no score at all
    monkeypatch.setattr(_flex_line, "MOST_CUT", 4)
    assert of(causal) is None


def test_lists_of_more_queries_than_there_are():
    mask = flexible.create_block_mask(causal, None, None, 512, 512, device="cpu")
    lists = mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices
    short = flexible.BlockMask.from_kv_blocks(*lists, mask_mod=causal, seq_lengths=(256, 512))
    assert _flex_line.pieces_of(512, 512, torch.device("cpu"), mask) and _flex_line.pieces_of(256, 512, torch.device("cpu"), short) is None


def test_pieces_listed_in_inference_serve_training():
    _flex_cache._without_mask.clear()
    with torch.inference_mode():
        (pieces,) = _flex_line.pieces_of(256, 256, torch.device("cpu"))
    assert not any(t.is_inference() for t in pieces[:4])


def test_lists_that_would_be_long():
    assert _flex_line.pieces_of(1 << 17, (1 << 17) + 128, torch.device("cpu")) is None
