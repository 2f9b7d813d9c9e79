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
class Environment:
    """Where a trial runs, and what it runs on."""

    profile: Profile
    device: str
    folder: pathlib.Path  # of trained models
    texts: tuple[str, ...] = ()  # files instead of Python's source code


@functools.lru_cache(maxsize=2)
def _corpus(texts: tuple[str, ...], device: str, segments: int, length: int):
    trained, held_out = corpora.load(list(texts) or None)
    return torch.tensor(trained, device=device), torch.from_numpy(corpora.segments(held_out, segments, length))


def corpus(env: Environment):
    """(bytes to train on, segments to score): of these the first half is what stands before the scored one."""
    return _corpus(env.texts, env.device, env.profile.segments, 2 * env.profile.longest + 1)


def part_of(env: Environment, scheme: str, causal: bool, length: int | None = None, longest: int | None = None, more=None):
    size = env.profile.size
    return encodings.build(
        scheme, causal=causal, layers=size.layers, heads=size.heads, width=size.width, more=more,
        length=length or env.profile.context, longest=longest or 2 * env.profile.longest,
    )  # fmt: skip


def model_of(env: Environment, part, tokens: int = 256):
    return Transformer(env.profile.size, part, tokens=tokens).to(env.device)


def random_of(env: Environment, seed: int):
    return torch.Generator(env.device).manual_seed(1000 + seed)
