#!/usr/bin/env python3
"""Writes positions.txt: positions as transformers and timm make them.

Every line calls the code of those packages; none of them calls posenc. The first line names their
versions. Run: python3 positions.py
"""
import functools
import pathlib
import random
import types

import timm
import torch
import transformers
from timm.layers.pos_embed_sincos import build_fourier_pos_embed, make_coords_dinov3
from transformers.generation.utils import GenerationMixin
from transformers.models.dinov3_vit.modeling_dinov3_vit import get_patches_center_coordinates
from transformers.models.ernie4_5_vl_moe.modeling_ernie4_5_vl_moe import Ernie4_5_VLMoeModel
from transformers.models.glm4v.modeling_glm4v import Glm4vModel
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings
from transformers.vision_utils import get_vision_position_ids

RULES = {
    "qwen2-vl": Qwen2VLModel,
    "qwen2.5-vl": Qwen2_5_VLModel,
    "qwen3-vl": Qwen3VLModel,
    "glm-4v": Glm4vModel,
    "ernie-4.5-vl": Ernie4_5_VLMoeModel,
}
FRAME_BY_FRAME = ("qwen3-vl", "glm-4v")
VISION = types.SimpleNamespace(spatial_merge_size=2, temporal_merge_size=2, tokens_per_second=2)
SHOWN = 60  # of a long sequence, the last tokens


def join(values):
    return " ".join(str(v) for v in values)


def rope_index(rule, segments):
    """Positions [3, tokens] and the delta of segments (medium, sizes..., seconds)."""
    kinds, images, videos, seconds = [], [], [], []
    for medium, *sizes in segments:
        if medium == "text":
            kinds += [0] * sizes[0]
            continue
        t, h, w = sizes[:3] if medium == "video" else (1, *sizes)
        merge = 2 if rule.startswith("ernie") and medium == "video" else 1
        kinds += [1 if medium == "image" else 2] * (t // merge * (h // 2) * (w // 2))
        (images if medium == "image" else videos).append([t, h, w])
        if medium == "video":
            seconds.append(sizes[3])
    model = RULES[rule]
    fake = types.SimpleNamespace(config=types.SimpleNamespace(vision_config=VISION))
    fake.get_vision_position_ids = functools.partial(model.get_vision_position_ids, fake)
    grid = lambda rows: torch.tensor(rows) if rows else None
    more = {"second_per_grid_ts": torch.tensor(seconds)} if rule == "qwen2.5-vl" else {}
    positions, delta = model.get_rope_index(
        fake, torch.zeros(1, len(kinds), dtype=torch.long), torch.tensor([kinds]),
        grid(images), grid(videos), **more)
    return positions[:, 0], delta.item()


def some_segments(rule, rng, text=9):
    """Text around every image and video, as special tokens always are."""
    side = lambda: 2 * rng.randint(1, 4)
    segments = [("text", rng.randint(1, text))]
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.4:
            segments.append(("image", side(), side()))
        else:
            frames = 1 if rule in FRAME_BY_FRAME else 2 * rng.randint(1, 4)
            seconds = rng.choice([0.25, 0.5, 1.0, 1.3, 2.0, 1 / 3]) if rule == "qwen2.5-vl" else 1.0
            segments.append(("video", frames, side(), side(), seconds))
        segments.append(("text", rng.randint(1, text)))
    return segments


def segment_lines():
    for rule in RULES:
        rng = random.Random(rule)
        cases = [some_segments(rule, rng) for _ in range(6)]
        cases.append([("text", 1_000_000), ("image", 6, 10), *some_segments(rule, rng)])
        for segments in cases:
            positions, delta = rope_index(rule, segments)
            shown = positions[:, -SHOWN:]
            yield join(["segments", rule, *(join(s) for s in segments), "end", delta,
                        positions.shape[1], shown.shape[1], join(shown.flatten().tolist())])


def frame_lines():
    """Where the frames of a Qwen2.5-VL video stand: rate, seconds, frames."""
    for rate, seconds in [(2, 0.5), (2, 0.7), (25, 1 / 3), (25, 1 / 6), (4, 1.3)]:
        interval = rate * torch.tensor([seconds])[0]  # as get_rope_index computes it
        ids = Qwen2_5_VLModel.get_vision_position_ids(
            None, 0, torch.tensor([40, 1, 1]), time_interval=interval)
        yield join(["frames", rate, seconds, 40, join(ids[0].tolist())])


def padding_lines():
    rng = random.Random(1)
    masks = [[0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 1, 0, 1, 1, 0]]
    masks += [[rng.randint(0, 1) for _ in range(rng.randint(1, 20))] for _ in range(5)]
    opt = OPTLearnedPositionalEmbedding(64, 1)
    opt.weight.data[:, 0] = torch.arange(66)
    for bits in masks:
        mask = torch.tensor([bits])
        ids = torch.where(mask == 1, 7, 1)  # 1 is the padding token
        rules = {
            "transformers": GenerationMixin._prepare_position_ids_for_generation(
                None, mask, {"attention_mask": mask}),
            "roberta": RobertaEmbeddings.create_position_ids_from_input_ids(ids, 1),
            "opt": opt(mask)[..., 0].long(),
        }
        for rule, positions in rules.items():
            yield join(["padding", rule, len(bits), join(bits), join(positions[0].tolist())])


def grid_lines():
    for t, h, w, merge, time in [(1, 2, 3, 1, 0), (1, 4, 6, 2, 0), (3, 4, 2, 2, 0), (2, 6, 3, 3, 1)]:
        ids = get_vision_position_ids(torch.tensor([[t, h, w]]), merge, bool(time))
        yield join(["grid", t, h, w, merge, time, ids.numel(), join(ids.T.flatten().tolist())])


def coordinate_lines():
    """Rule, height, width, parameter, reference height and width (0: none), [2, h w] numbers."""
    def line(rule, h, w, parameter, reference, yx):
        return join(["coordinates", rule, h, w, parameter, *(reference or (0, 0)), yx.numel(),
                     join(yx.double().flatten().tolist())])

    def fourier(h, w, **more):
        return build_fourier_pos_embed([h, w], num_bands=1, include_grid=True, **more)[0][..., 0] \
            .reshape(-1, 2).T
    for h, w in [(1, 1), (2, 2), (3, 7), (14, 5)]:
        for reference in (None, (16, 12)):
            pixels = fourier(h, w, in_pixels=True, ref_feat_shape=reference)
            yield line("linspace", h, w, 0, reference, pixels)
            index = fourier(h, w, in_pixels=False, ref_feat_shape=reference, grid_offset=0.5)
            yield line("index", h, w, 0.5, reference, index)
        for side in ("separate", "min", "max"):
            yield line(side, h, w, 0.25, None,
                       make_coords_dinov3(h, w, normalize_coords=side, grid_offset=0.25).T)
        yield line("separate", h, w, 0, None, get_patches_center_coordinates(
            h, w, torch.float32, torch.device("cpu")).T)


if __name__ == "__main__":
    header = (f"# made by positions.py with transformers {transformers.__version__}, "
              f"timm {timm.__version__}, torch {torch.__version__}")
    lines = [header, *segment_lines(), *frame_lines(), *padding_lines(), *grid_lines(),
             *coordinate_lines()]
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")
