"""Where a trial runs: what it trains on, and models of the sizes of its profile."""

from __future__ import annotations

import dataclasses
import functools
import pathlib

import torch

from . import corpora, encodings
from .models import Transformer
from .trials import Profile


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a trial runs, and what it runs on."""

    profile: Profile
    device: str
    folder: pathlib.Path  # of trained models
    texts: tuple[str, ...] = ()  # files instead of Python's source code


@functools.lru_cache(maxsize=2)
def _corpus(texts: tuple[str, ...], device: str, segments: int, length: int):
    trained, held_out = corpora.load(list(texts) or None)
    return torch.tensor(trained, device=device), torch.from_numpy(corpora.segments(held_out, segments, length))


def corpus(place: Place):
    """(bytes to train on, segments to score): of these the first half is what stands before the scored one."""
    return _corpus(place.texts, place.device, place.profile.segments, 2 * place.profile.longest + 1)


def part_of(place: Place, scheme: str, causal: bool, length: int | None = None, longest: int | None = None, more=None):
    size = place.profile.size
    return encodings.build(
        scheme, causal=causal, layers=size.layers, heads=size.heads, width=size.width, more=more,
        length=length or place.profile.context, longest=longest or 2 * place.profile.longest,
    )  # fmt: skip


def model_of(place: Place, part, tokens: int = 256):
    return Transformer(place.profile.size, part, tokens=tokens).to(place.device)


def random_of(place: Place, seed: int):
    return torch.Generator(place.device).manual_seed(1000 + seed)
