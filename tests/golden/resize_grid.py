#!/usr/bin/env python3
"""Writes resize_grid.txt: tables of grids resampled by PyTorch, timm and Transformers.

A line "WHO HOW KEEP FROM_H FROM_W TO_H TO_W" goes on with the table (two columns) and the result,
row by row; who is torch (in float64), or timm, vit and dinov2 (in float32). A line "ragged WHO SIDE
IMAGES" goes on with frames, height and width of each image, the table of SIDE x SIDE rows and the
rows of all patches, in float32 or with float32 weights. Run with a Python that has them (the file
was made with PyTorch 2.15, timm 1.0.30 and Transformers 5.22): python3 resize_grid.py
"""
import pathlib

import torch
from timm.layers import resample_abs_pos_embed
from transformers import Dinov2Config, ViTConfig
from transformers.models.dinov2.modeling_dinov2 import Dinov2Embeddings
from transformers.models.vit.modeling_vit import ViTEmbeddings
from transformers.vision_utils import get_vision_interpolation_indices_and_weights

SIZES = [((4, 4), (6, 6)), ((4, 4), (7, 3)), ((5, 3), (2, 8)), ((7, 6), (3, 2)), ((1, 4), (3, 4)),
         ((9, 9), (4, 5)), ((3, 3), (3, 3))]
WAYS = {
    "linear": dict(mode="bilinear", align_corners=False),
    "cubic": dict(mode="bicubic", align_corners=False),
    "linear-antialias": dict(mode="bilinear", align_corners=False, antialias=True),
    "cubic-antialias": dict(mode="bicubic", align_corners=False, antialias=True),
    "linear-corners": dict(mode="bilinear", align_corners=True),
    "cubic-corners": dict(mode="bicubic", align_corners=True),
}
lines = ["# made by resize_grid.py"]


def put(*words, numbers):
    lines.append(" ".join([*map(str, words), *(repr(v) for v in numbers)]))


def flat(*tensors):
    return [v for t in tensors for v in t.double().flatten().tolist()]


def embeddings(kind, config, table, size):
    """The position embeddings of a model whose patches are one pixel large."""
    module = kind(config)
    module.position_embeddings.data = table[None]
    patches = torch.zeros(1, size[0] * size[1] + 1, table.shape[1])
    return module.interpolate_pos_encoding(patches, *size)[0]


torch.manual_seed(0)
for how, options in WAYS.items():
    for old, new in SIZES:
        table = torch.randn(old[0] * old[1], 2, dtype=torch.float64)
        image = table.T.reshape(1, 2, *old)
        out = torch.nn.functional.interpolate(image, size=new, **options)
        put("torch", how, 0, *old, *new, numbers=flat(table, out[0].flatten(1).T))

with torch.no_grad():
    for old, new in SIZES[:-1]:
        table = torch.randn(1, 1 + old[0] * old[1], 2)
        out = resample_abs_pos_embed(table, new_size=list(new), old_size=list(old))
        put("timm", "cubic-antialias", 1, *old, *new, numbers=flat(table, out))
    for who, kind, config in [("vit", ViTEmbeddings, ViTConfig), ("dinov2", Dinov2Embeddings, Dinov2Config)]:
        for side, new in [(4, (6, 6)), (4, (7, 3)), (5, (3, 8))]:
            table = torch.randn(1 + side * side, 2)
            out = embeddings(kind, config(hidden_size=2, image_size=side, patch_size=1), table, new)
            put(who, "cubic", 1, side, side, *new, numbers=flat(table, out))

for who, side, merge, options in [
        ("qwen3-vl", 6, 2, dict(mode="bilinear", align_corners=True)),
        ("kimi", 5, 1, dict(mode="bicubic", align_corners=False))]:
    images = torch.tensor([[1, 4, 6], [2, 2, 4], [1, 8, 2]])
    table = torch.randn(side * side, 2)
    at, weights = get_vision_interpolation_indices_and_weights(
        images, side, spatial_merge_size=merge, **options)
    out = (table[at] * weights[..., None]).sum(1)
    put("ragged", who, side, merge, len(images), *images.flatten().tolist(), numbers=flat(table, out))

pathlib.Path(__file__).with_name("resize_grid.txt").write_text("\n".join(lines) + "\n")
