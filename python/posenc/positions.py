"""Positions of tokens: batches, caches, packed sequences, padding, grids, images in text, shards.

Functions return an array [axes, rows, tokens] that can be passed as positions, unless they say otherwise.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

import numpy as np

from posenc import _core
from posenc._arrays import ids as _ids

__all__ = [
    "after_cache", "audio", "coordinates", "grid", "image", "packed", "padded", "per_row", "segments", "shard", "shard_tokens", "text",
    "video",
]  # fmt: skip

Whole = (int, np.integer)


def per_row(first: Any, tokens: int) -> np.ndarray:
    """Row r holds first[r], first[r] + 1, ..."""
    return _core.per_row(_ids(first), tokens)


def after_cache(past: Any, tokens: int) -> np.ndarray:
    """New tokens after a cache that holds past[r] tokens of row r."""
    return _core.after_cache(_ids(past), tokens)


def packed(cu_seqlens: Any, first: Any = None) -> np.ndarray:
    """[1, 1, tokens]: sequences one after the other in a single row, each counted from 0, or from first[s]."""
    return _core.packed(_ids(cu_seqlens), None if first is None else _ids(first))


def padded(
    mask: Any, rule: str = "transformers", *, first: Optional[int] = None, padded: Optional[int] = None,
    past: int = 0,
) -> np.ndarray:
    """[1, rows, tokens] from a mask [rows, tokens] (1: a token, 0: padding), padded on the left or right.

    rule: transformers, transformers-4, roberta, fairseq, opt, or one of their -rows. The n-th token is at first + n, a
    padded slot at `padded`. The first `past` slots are already in the cache.
    """
    return _core.padded(_ids(mask), rule, first, padded, past)


def grid(
    height: int, width: int, frames: int = 1, *, order: str = "yx", time: bool = False, merge: int = 1,
    first: int = 0, before: int = 0, after: int = 0, extra_at: int = 0,
) -> np.ndarray:
    """[axes, 1, tokens]: integer positions of the patches of an image or a video, row by row; merge: block by block.

    before, after: class tokens around the patches, which are at extra_at.
    """
    return _core.grid(frames, height, width, order, time, merge, first, before, after, extra_at)


def coordinates(
    height: int, width: int, rule: str = "centers", *, order: str = "yx", f32: bool = False, **options: Any
) -> np.ndarray:
    """[axes, 1, tokens]: real positions of patches by linspace, index or centers, with the options of that rule."""
    listed = [(name, _word(value)) for name, value in options.items()]
    return _core.coordinates(height, width, rule, listed, order, f32)


Segment = tuple[str, int, int, int, int, float, int]


def text(tokens: int) -> Segment:
    """A run of text tokens, for segments()."""
    return ("text", tokens, 1, 0, 0, 1.0, 0)


def audio(tokens: int) -> Segment:
    """A run of audio tokens, for segments()."""
    return ("audio", tokens, 1, 0, 0, 1.0, 0)


def image(height: int, width: int) -> Segment:
    """An image of height x width patches, for segments()."""
    return ("image", 0, 1, height, width, 1.0, 0)


def video(frames: int, height: int, width: int, seconds: float = 1.0, sound: int = 0) -> Segment:
    """A video with this many seconds from one frame of the grid to the next, for segments().

    sound: audio tokens inside it (Qwen-Omni); the two tokens before and after then belong to the video. Seconds may be a
    Python or NumPy number, or a tensor with one element: rules in f32 round it first, so that all give the same positions.
    (Given a list of Python numbers, transformers rounds their product with the rate instead, which may move a frame by one
    position.)
    """
    return ("video", 0, frames, height, width, float(seconds), sound)


def segments(parts: Iterable[Any], model: str = "tokens", **options: Any) -> tuple[np.ndarray, float]:
    """Positions (t, h, w), [3, 1, tokens], of text mixed with images, videos and audio, and rope_delta.

    model: qwen2-vl, qwen2.5-vl, qwen3-vl, glm-4v, ernie-4.5-vl, glm-image, qwen2.5-omni or qwen3-omni; options refine its
    rule. While decoding, token i is at i + rope_delta on all axes. The positions of qwen3-omni are real numbers.
    """
    listed = [(name, _word(value)) for name, value in options.items()]
    if not isinstance(parts, Iterable):
        raise TypeError(f"[segments] expected a list of text(), image(), video() or audio(), got {type(parts).__name__}")
    return _core.segments(list(parts), model, listed)


def shard_tokens(tokens: Union[int, Any], ranks: int, rank: int, order: str = "zigzag") -> np.ndarray:
    """[tokens of the rank]: the tokens that a rank of a context-parallel group holds; for packed sequences pass cu_seqlens."""
    return _core.shard_tokens(int(tokens) if isinstance(tokens, Whole) else _ids(tokens), ranks, rank, order)


def shard(
    positions: Any, ranks: int, rank: int, order: str = "zigzag", *, cu_seqlens: Any = None
) -> np.ndarray:
    """The positions, [..., tokens of the rank], of the tokens that shard_tokens() returns. positions: [..., tokens], or a number
    of tokens at 0, 1, 2, ..., for which the result is [1, 1, tokens of the rank]."""
    if isinstance(positions, Whole):
        if positions < 0:
            raise ValueError(f"[shard] expected a number of tokens, got {positions}")
        positions = np.arange(positions).reshape(1, 1, -1)
    positions = np.asarray(positions)
    if not positions.ndim:
        raise TypeError("[shard] expected positions, or a number of tokens, got neither")
    tokens = positions.shape[-1]
    held = shard_tokens(tokens if cu_seqlens is None else cu_seqlens, ranks, rank, order)
    if cu_seqlens is not None and tokens != (packed_tokens := int(np.asarray(cu_seqlens)[-1])):
        raise ValueError(f"[shard] expected positions of the {packed_tokens} tokens of cu_seqlens, got {tokens}")
    return np.ascontiguousarray(positions[..., held])


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def __dir__() -> list[str]:
    """What is ours: not what this file imports."""
    return list(__all__)
