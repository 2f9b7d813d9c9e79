"""Block sizes for FlexAttention's kernels on GPUs that are not at hand: their shared memory is enough."""

import itertools
import sys
import types

import pytest
import torch

import posenc.torch as pt
from posenc.torch import _flex_blocks as blocks
from posenc.torch import flex

# Bytes of shared memory that a block of threads may have.
GPUS = {"H200": ((9, 0), 232448), "A100": ((8, 0), 166912), "RTX 4090": ((8, 9), 101376), "L4": ((8, 9), 101376)}
# What Triton 3.6 took for FlexAttention's kernels: capability, head size, bytes of q's numbers and of the bias's, blocks, tiles of rows.
SEEN = [
    (90, 64, 2, 4, (128, 32, 3), 1, 73728),
    (90, 64, 2, 4, (128, 128, 3), 1, 245760),  # PyTorch's own blocks, which ask for more than an H200 has
    (90, 64, 2, 0, (128, 128, 3), 1, 114688),
    (90, 64, 2, 4, (64, 32, 3), 2, 57856),
    (90, 128, 2, 4, (128, 32, 3), 1, 114688),
    (90, 128, 2, 2, (128, 64, 3), 1, 163840),
    (90, 128, 2, 4, (64, 32, 3), 2, 98816),
    (90, 128, 4, 4, (128, 32, 3), 1, 180736),
    (80, 128, 2, 4, (128, 32, 3), 1, 98304),
    (80, 128, 2, 4, (64, 32, 2), 1, 45056),
    (80, 128, 2, 2, (128, 64, 3), 1, 131072),
    (80, 128, 2, 0, (128, 64, 3), 1, 98304),
    (80, 128, 2, 4, (64, 32, 3), 2, 76288),
    (80, 128, 2, 4, (32, 32, 1), 2, 32768),
    (80, 128, 4, 4, (128, 32, 3), 1, 180736),
    (80, 128, 4, 4, (128, 32, 2), 1, 131584),
    (80, 128, 4, 4, (64, 32, 3), 2, 156160),
    (80, 128, 4, 4, (32, 32, 1), 2, 69632),
    (80, 128, 4, 4, (16, 16, 1), 2, 33792),
]


@pytest.mark.parametrize("of", SEEN)
def test_the_estimate_is_what_triton_takes_or_a_little_more(of):
    _, dim, itemsize, number, sizes, row_tiles, taken = of
    assert taken <= blocks.estimate(blocks.Blocks(*sizes), dim * itemsize, number, row_tiles) <= 1.4 * taken


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("says", [True, False])
def test_the_memory_of_a_gpu(gpu, says, monkeypatch):
    """As newer versions of PyTorch say it, and by its capability in older ones."""
    (major, minor), memory = GPUS[gpu]
    properties = types.SimpleNamespace(major=major, minor=minor, **({"shared_memory_per_block_optin": memory} if says else {}))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    assert blocks.shared_memory("cuda:0") == blocks.shared_memory() == memory


def split(options):
    forward = {"BLOCK_M": None, "BLOCK_N": None, "fwd_num_stages": None, **options}
    backward = [options.get(f"bwd_{name}") for name in ("BLOCK_M1", "BLOCK_N1", "BLOCK_M2", "BLOCK_N2", "num_stages")]
    return [forward[name] for name in ("BLOCK_M", "BLOCK_N", "fwd_num_stages")], backward


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("dim, itemsize", list(itertools.product([16, 64, 80, 128, 192, 256], [2, 4])))
@pytest.mark.parametrize("mask", [None, (128, 128), (64, 32)])
def test_options_fit(gpu, dim, itemsize, mask):
    memory, rounded = GPUS[gpu][1], 1 << (dim - 1).bit_length()
    for reads, halves in (("distance", False), ("distance", True), ("key", False), ("slope", False)):
        if halves and itemsize == 4:
            continue
        options = flex._options(reads, 4096, (dim, itemsize), memory, learns=not halves, halves=halves, mask_blocks=mask)
        forward, (inner, outer, *same, stages) = split(options)
        assert same == [outer, inner] and outer % inner == 0 and inner >= 16
        assert blocks.estimate(blocks.Blocks(outer, inner, stages), rounded * itemsize, 4, 2) <= memory
        assert 2 * outer * rounded <= 1 << 14 or outer == 16  # two sums of rows in registers, 128 threads
        if forward[0] is not None:
            number = 0 if reads == "slope" else 2 if halves else 4
            assert blocks.estimate(blocks.Blocks(*forward), rounded * itemsize, number, 1) <= memory and min(forward[:2]) >= 16
        else:
            assert reads == "slope"  # which PyTorch's own blocks have room for
        for rows, columns in ((forward[:2],) if forward[0] else ()) + ((outer, inner), (inner, outer)):
            assert mask is None or (mask[0] % rows == 0 and mask[1] % columns == 0)


def test_those_that_were_measured_stay_where_they_fit():
    options = {"learns": True, "limit": GPUS["H200"][1], "head": (64, 2)}
    assert split(flex._options("distance", 128, **options)) == ([128, 32, 3], [32, 64, 64, 32, 3])
    assert split(flex._options("distance", 128, **{**options, "halves": True}))[0] == [128, 64, 3]
    assert split(flex._options("distance", 128, **{**options, "limit": GPUS["L4"][1], "head": (128, 4)}))[0] == [32, 32, 2]


def test_which_options_go_with_a_bias(monkeypatch):
    """None with ALiBi, which is arithmetic; those that compile with what reads a line; none for PyTorch's kernel of short queries."""
    monkeypatch.setattr(blocks, "shared_memory", lambda device: GPUS["H200"][1])
    mod = lambda name, tokens, **how: pt.score_mod(pt.RelativeBias(name, heads=4, **how), tokens).kernel_options  # noqa: E731
    assert mod("alibi", 128) == mod("alibi", 128, form="keys") == {}
    assert "BLOCK_M" not in mod("alibi", 128, learned_slopes=True) and mod("alibi", 128, learned_slopes=True)["bwd_BLOCK_M1"] == 32
    assert mod("alibi", 128, learned_slopes=True)["WRITE_DQ"] is False and "WRITE_DQ" not in mod("t5", 128)
    for name, how in (("t5", {}), ("kerple", {}), ("alibi", {"square_root": True}), ("alibi", {"rounding": "bf16-product"}), ("fire", {})):
        options = mod(name, 128, **how)
        assert (options["BLOCK_M"], options["BLOCK_N"], options["bwd_BLOCK_M1"]) == (128, 32, 32)
        assert "BLOCK_M" not in mod(name, 127, **how)


def test_a_pytorch_without_flex_attention(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.nn.attention.flex_attention", None)
    q = torch.zeros(1, 4, 8, 16)
    with pytest.raises(ImportError, match=rf"expected PyTorch 2.5 or newer, which has FlexAttention, got {torch.__version__[:3]}"):
        pt.flex_attention(q, q, q, bias=pt.RelativeBias("alibi", heads=4))
