#!/usr/bin/env python3
"""Writes presets.txt: rows of every sinusoidal preset, in float64.

Each function says in a few lines of numpy what the named code base computes; none of them calls
posenc. A line of the file: preset, dim, position, then the row. Run: python3 presets.py
"""
import pathlib

import numpy as np

POSITIONS = [0, 1, 3, 1000]
BASE = 10000.0


def halves(first, second, dim):
    """Two blocks side by side, then a zero column when dim is odd."""
    row = np.concatenate([first, second])
    return np.append(row, 0.0) if dim % 2 else row


def timescales(position, dim):
    """Angles from 1 down to 1/BASE in geometric steps: the last exponent is n - 1."""
    n = dim // 2
    return position * np.exp(-np.arange(n) * np.log(BASE) / max(n - 1, 1))


def paper(position, dim):
    """Columns 2k and 2k+1 share BASE^(-2k/dim); XLM keeps the last sine of an odd dim."""
    columns = np.arange(dim)
    angle = position / np.power(BASE, 2 * (columns // 2) / dim)
    return np.where(columns % 2 == 0, np.sin(angle), np.cos(angle))


def tensor2tensor(position, dim):
    angle = timescales(position, dim)
    return halves(np.sin(angle), np.cos(angle), dim)


def fairseq(position, dim):
    """The first token reads the row after padding_idx = 1."""
    return tensor2tensor(position + 2, dim)


def marian(position, dim):
    """The paper's angles, even columns first; an odd dim has one sine more."""
    angle = position / np.power(BASE, 2 * (np.arange(dim) // 2) / dim)
    return np.concatenate([np.sin(angle[0::2]), np.cos(angle[1::2])])


def whisper(position, dim):
    assert dim % 2 == 0
    return tensor2tensor(position, dim)


def musicgen(position, dim):
    angle = timescales(position, dim)
    return halves(np.cos(angle), np.sin(angle), dim)


def ddpm(position, dim):
    return tensor2tensor(position, dim)


def diffusers(position, dim):
    """flip_sin_to_cos, downscale_freq_shift = 0: the exponent is k over the number of pairs."""
    n = dim // 2
    angle = position * np.exp(-np.log(BASE) * np.arange(n) / n)
    return halves(np.cos(angle), np.sin(angle), dim)


def mlx(position, dim):
    """From max_freq = 1 to min_freq = 1e-4, times sqrt(2 / dim)."""
    assert dim % 2 == 0
    n = dim // 2
    angle = position * np.exp(np.log(1e-4) * np.arange(n) / (n - 1))
    return np.sqrt(2 / dim) * np.concatenate([np.sin(angle), np.cos(angle)])


def pyg(position, dim):
    assert dim % 2 == 0
    angle = position * np.logspace(0, 1, dim // 2, base=1e-4)
    return np.concatenate([np.sin(angle), np.cos(angle)])


def per_column(position, dim):
    """sin(p / BASE^(2i/d)) in column 2i, cos(p / BASE^((2i+1)/d)) in column 2i + 1."""
    row = np.zeros(dim)
    for c in range(dim):
        wave = np.sin if c % 2 == 0 else np.cos
        row[c] = wave(position / BASE ** (c / dim))
    return row


def raw_index(position, dim):
    """Sine in even columns, cosine in odd ones, of p / BASE^(2i/d) with i the column."""
    row = np.zeros(dim)
    for i in range(dim):
        wave = np.sin if i % 2 == 0 else np.cos
        row[i] = wave(position / BASE ** (2 * i / dim))
    return row


def degrees(position, dim):
    """The printed table: cosine, then sine, of as many degrees as the position."""
    assert dim == 2
    return np.array([np.cos(np.radians(position)), np.sin(np.radians(position))])


ANY = [8, 9, 6]
EVEN = [8, 6]
PRESETS = [(paper, ANY), (tensor2tensor, ANY), (fairseq, ANY), (marian, ANY), (whisper, EVEN),
           (musicgen, ANY), (ddpm, ANY), (diffusers, ANY), (mlx, EVEN), (pyg, EVEN),
           (per_column, ANY), (raw_index, ANY), (degrees, [2])]

lines = ["# made by presets.py: preset dim position row..."]
for preset, dims in PRESETS:
    for dim in dims:
        for position in POSITIONS:
            row = preset(position, dim)
            assert row.shape == (dim,)
            name = preset.__name__.replace("_", "-")
            lines.append(" ".join([name, str(dim), str(position), *(repr(float(v)) for v in row)]))
pathlib.Path(__file__).with_name("presets.txt").write_text("\n".join(lines) + "\n")
