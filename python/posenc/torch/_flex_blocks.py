"""Block sizes of FlexAttention's Triton kernels: the quickest known, made smaller until they fit the GPU at hand."""

from __future__ import annotations

from typing import NamedTuple

import torch


class Blocks(NamedTuple):
    """rows stay in a block of threads, columns pass through it, several steps of them (stages) on their way at a time.
    warps: None where PyTorch chooses. widest: the most bytes of a row of q that they were measured with."""

    rows: int
    columns: int
    stages: int
    warps: int | None = None
    widest: int = 1 << 30


# The quickest of those tried on an H200: for numbers read by distance, for those in f16, and for slopes with a block mask.
LINE = Blocks(128, 32, 3)
HALVES = Blocks(128, 64, 3, 8, 256)
HALVES_MASKED = Blocks(64, 64, 3, 4, 128)
SLOPES_MASKED = Blocks(128, 64, 3, 4, 128)
BACKWARD = Blocks(64, 32, 3, 4)
BACKWARD_HALVES = Blocks(64, 64, 2, 4, 128)

# Bytes of shared memory that a block may ask for, by compute capability, where PyTorch does not say; elsewhere LEAST.
SHARED_MEMORY = {(8, 0): 166912, (8, 7): 166912, (9, 0): 232448, (10, 0): 232448, (10, 3): 232448}
LEAST = 101376


@torch.compiler.assume_constant_result
def shared_memory(device: torch.device | str | None = None) -> int:
    """Of a CUDA device, or of the one at hand; LEAST where there is none."""
    if not torch.cuda.is_available():
        return LEAST
    device = torch.device(device or "cuda")
    properties = torch.cuda.get_device_properties(device if device.type == "cuda" else torch.device("cuda"))
    known = SHARED_MEMORY.get((properties.major, properties.minor), LEAST)
    return getattr(properties, "shared_memory_per_block_optin", 0) or known


def estimate(blocks: Blocks, row: int, number: int, row_tiles: int) -> int:
    """Bytes of shared memory, at most. There are so many tiles of rows; in each stage two tiles of columns and two f32 for each
    column, and in all stages but one a number of the bias for each score. row: bytes of a row; number: bytes of a number."""
    rows, columns, stages = blocks.rows, blocks.columns, blocks.stages
    return row_tiles * rows * row + stages * columns * (2 * row + 8) + max(stages - 1, 1) * rows * columns * number


def _smaller(blocks: Blocks) -> Blocks:
    rows, columns, stages, warps, widest = blocks  # so written, torch.compile follows it
    if stages > 2 or (stages > 1 and rows <= 32):
        return Blocks(rows, columns, stages - 1, warps, widest)
    return Blocks(rows // 2, min(columns, rows // 2) if rows > columns else columns // 2, stages, warps, widest)


def fitted(blocks: Blocks, dim: int, itemsize: int, number: int, row_tiles: int, limit: int, mask_blocks=(128, 128)) -> Blocks:
    """The blocks, or the next smaller ones that fit: the sums of all tiles of rows into registers, blocks into those of a mask, and
    all into the limit of shared memory. row_tiles: 1 forward (queries), 2 backward (keys and values, or queries and dout)."""
    dim = max(16, 1 << (dim - 1).bit_length())  # as Triton rounds it
    rows, columns, stages, warps, widest = blocks
    threads = 32 * (warps or 4)
    while rows > 16 and (row_tiles * rows * dim > 128 * threads or any(size % rows for size in mask_blocks)):
        rows //= 2
    while columns > 16 and any(size % columns for size in (*mask_blocks, max(rows, columns))):
        columns //= 2
    blocks = Blocks(rows, columns, stages, warps, widest)
    while blocks.rows > 16 and estimate(blocks, dim * itemsize, number, row_tiles) > limit:
        blocks = _smaller(blocks)
    return blocks


def forward(blocks: Blocks) -> dict:
    """kernel_options of the forward kernel."""
    options = {"BLOCK_M": blocks.rows, "BLOCK_N": blocks.columns, "fwd_num_stages": blocks.stages}
    return {**options, "fwd_num_warps": blocks.warps} if blocks.warps else options


def backward(blocks: Blocks) -> dict:
    """kernel_options of the backward kernel, whose two halves have keys and queries as rows in turn."""
    sizes = {"bwd_BLOCK_M1": blocks.columns, "bwd_BLOCK_N1": blocks.rows, "bwd_BLOCK_M2": blocks.rows, "bwd_BLOCK_N2": blocks.columns}
    return {**sizes, "bwd_num_stages": blocks.stages, "bwd_num_warps": blocks.warps}
