#!/usr/bin/env python3
"""Writes grid_sinusoidal.txt: sinusoids of grids as libraries make them.

Lines "grid NAME DIM AXES HEIGHT WIDTH [frames first]" hold a table of patches, tokens row by row;
lines "mask NAME DIM HEIGHT WIDTH" hold a mask of an image and the table of its pixels. MAE's and
CogVideoX's numbers come from diffusers, timm's from timm, DETR's from Transformers; tensor2tensor's,
MoCo v3's and V-JEPA's code cannot be installed and is said again in numpy, without posenc.
Run with a Python that has them (the file was made with diffusers 0.42.1, timm 1.0.30, Transformers
5.22 and PyTorch 2.15): python3 grid_sinusoidal.py
"""
import pathlib

import numpy as np
import torch
from diffusers.models.embeddings import get_2d_sincos_pos_embed, get_3d_sincos_pos_embed
from timm.layers.pos_embed_sincos import build_sincos2d_pos_embed
from transformers.models.deformable_detr.modeling_deformable_detr import (
    DeformableDetrSinePositionEmbedding)
from transformers.models.detr.modeling_detr import DetrSinePositionEmbedding


def line(coordinate, columns):
    """[sin | cos] of one coordinate, frequencies 10000^(-k / pairs)."""
    angle = np.outer(coordinate, 10000.0 ** (-np.arange(columns // 2) / (columns / 2)))
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def moco_v3(dim, height, width):
    """Its mesh counts the first side slowest: on a square the block called w holds the rows."""
    assert height == width
    first, second = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    return np.concatenate([line(first.ravel(), dim // 2), line(second.ravel(), dim // 2)], axis=1)


def tensor2tensor_nd(dim, *sides):
    """n = dim // (2 axes) timescales from 1 to 10000; channels that are left over are 0."""
    n = dim // (2 * len(sides))
    scale = np.exp(-np.arange(n) * np.log(10000.0) / (n - 1))
    out = np.zeros((int(np.prod(sides)), dim))
    for axis, at in enumerate(np.meshgrid(*map(np.arange, sides), indexing="ij")):
        angle = np.outer(at.ravel(), scale)
        out[:, 2 * n * axis:2 * n * axis + n] = np.sin(angle)
        out[:, 2 * n * axis + n:2 * n * (axis + 1)] = np.cos(angle)
    return out


def v_jepa(dim, frames, height, width, uniform=False):
    t, y, x = np.meshgrid(np.arange(frames), np.arange(height), np.arange(width), indexing="ij")
    columns = [int(np.ceil(dim / 6) * 2)] * 3 if uniform else [dim // 2, dim // 4, dim // 4]
    parts = [line(at.ravel(), n) for at, n in zip([t, y, x], columns)]
    return np.concatenate(parts, axis=1)[:, :dim]


def mae(dim, height, width):
    return get_2d_sincos_pos_embed(dim, (height, width), cls_token=True, extra_tokens=1,
                                   base_size=height, output_type="pt")


def cogvideox(dim, frames, height, width):
    return get_3d_sincos_pos_embed(dim, (width, height), frames, output_type="pt").flatten(0, 1)


def timm(dim, height, width, **switches):
    return build_sincos2d_pos_embed([height, width], dim, **switches)


lines = ["# made by grid_sinusoidal.py"]


def put(kind, name, dim, sides, numbers):
    lines.append(" ".join([kind, name, str(dim), *map(str, sides),
                           *(repr(float(v)) for v in np.asarray(numbers).ravel())]))


put("grid", "mae", 16, (2, 5, 5), mae(16, 5, 5))
put("grid", "moco-v3", 16, (2, 4, 4), moco_v3(16, 4, 4))
put("grid", "timm", 16, (2, 3, 5), timm(16, 3, 5))
put("grid", "timm-interleaved", 16, (2, 3, 5), timm(16, 3, 5, interleave_sin_cos=True))
put("grid", "timm-reversed", 16, (2, 4, 4), timm(16, 4, 4, reverse_coord=True))
put("grid", "timm-both", 16, (2, 4, 4), timm(16, 4, 4, reverse_coord=True, interleave_sin_cos=True))
put("grid", "timm-long", 16, (2, 3, 5), timm(16, 3, 5, reverse_coord=True))
put("grid", "tensor2tensor-nd", 15, (2, 3, 4), tensor2tensor_nd(15, 3, 4))
put("grid", "tensor2tensor-nd", 20, (3, 2, 3, 4), tensor2tensor_nd(20, 2, 3, 4))
put("grid", "v-jepa", 16, (3, 2, 3, 4), v_jepa(16, 2, 3, 4))
put("grid", "v-jepa-uniform", 16, (3, 2, 3, 4), v_jepa(16, 2, 3, 4, uniform=True))
put("grid", "cogvideox", 32, (3, 2, 3, 4), cogvideox(32, 2, 3, 4))

mask = torch.zeros(1, 4, 6, dtype=torch.int64)
mask[0, :3, :5] = 1
for name, module in [
        ("plain", DetrSinePositionEmbedding(8, normalize=False)),
        ("detr", DetrSinePositionEmbedding(8, normalize=True)),
        ("deformable-detr", DeformableDetrSinePositionEmbedding(8, normalize=True))]:
    rows = module((1, 1, 4, 6), "cpu", torch.float64, mask)
    if rows.ndim == 4:
        rows = rows[0].permute(1, 2, 0)
    put("mask", name, 16, (4, 6), [*mask.ravel().tolist(), *rows.ravel().tolist()])

pathlib.Path(__file__).with_name("grid_sinusoidal.txt").write_text("\n".join(lines) + "\n")
