#!/usr/bin/env python3
"""Writes omni.txt: positions of text with sound, videos that have it, sliced and drawn images.

Every line calls get_rope_index of a model of transformers 5.22.2 (torch 2.15.0): Qwen2.5-Omni, Qwen3-Omni,
HunYuan-VL, GLM-Image and MiniCPM-V 4.7. A line is the model, its segments, "end", the delta, and the
positions axis by axis. Run: python3 omni.py
"""
import functools
import pathlib
import random
import types

import torch
from transformers.models.glm_image.modeling_glm_image import GlmImageModel
from transformers.models.hunyuan_vl.modeling_hunyuan_vl import HunYuanVLModel
from transformers.models.minicpmv4_7.modeling_minicpmv4_7 import MiniCPMV4_7Model
from transformers.models.qwen2_5_omni import modeling_qwen2_5_omni as omni25
from transformers.models.qwen3_omni_moe import modeling_qwen3_omni_moe as omni3

TEXT, IMAGE, VIDEO, AUDIO, VISION_START, AUDIO_START, END = range(1, 8)
SLICE_START, SLICE_END, IMAGE_START, IMAGE_END, NEWLINE = range(8, 13)
MERGE = 2


def bound(model, **facts):
    """Something that has the methods of a model, and nothing else of it but these facts."""
    self = types.SimpleNamespace(**facts)
    for name in dir(model):
        if name.startswith(("get_", "_group", "_frame_end")):
            method = getattr(model, name)
            is_static = isinstance(model.__dict__.get(name), staticmethod)
            setattr(self, name, method if is_static else functools.partial(method, self))
    return self


def line(model, parts, delta, positions):
    words = [model, *(word for part in parts for word in part), "end", delta]
    return " ".join(str(w) for w in [*words, *positions.flatten().tolist()])


def sound_length(tokens, module):
    """A length of features that gives so many tokens."""
    if module is omni25:
        return 4 * tokens
    return next(n for n in range(1, 10000) if omni3._get_feat_extract_output_lengths(n, 50) == tokens)


def omni(name, module, model, parts, rate):
    """parts: text between media, each of which has a token before and after it that count as text."""
    ids, images, videos, seconds, sounds = [], [], [], [], []
    for medium, *sizes in parts:
        if medium == "text":
            ids += [TEXT] * sizes[0]
        elif medium == "audio":
            ids[-1] = AUDIO_START
            ids += [AUDIO] * sizes[0]
            sounds.append(sound_length(sizes[0], module))
        elif medium == "image":
            ids[-1] = VISION_START
            ids += [IMAGE] * (sizes[0] * sizes[1] // MERGE**2)
            images.append([1, *sizes])
        else:
            frames, height, width, second, sound = sizes
            tokens = [VIDEO] * (frames * height * width // MERGE**2)
            if sound:
                ids += [VISION_START, AUDIO_START, *tokens, *[AUDIO] * sound, END, END]
                sounds.append(sound_length(sound, module))
            else:
                ids[-1] = VISION_START
                ids += tokens
            videos.append([frames, height, width])
            seconds.append(second)
    config = types.SimpleNamespace(
        image_token_id=IMAGE, video_token_id=VIDEO, audio_token_id=AUDIO, vision_start_token_id=VISION_START,
        audio_start_token_id=AUDIO_START, position_id_per_seconds=rate, seconds_per_chunk=2,
        audio_config=types.SimpleNamespace(n_window=50))
    some = lambda values, dtype=torch.long: torch.tensor(values, dtype=dtype) if values else None
    positions, delta = bound(model, config=config, spatial_merge_size=MERGE).get_rope_index(
        torch.tensor([ids]), some(images), some(videos), torch.ones(1, len(ids), dtype=torch.long),
        any(p[0] == "video" and p[5] for p in parts), some(sounds), some(seconds, torch.float32))
    return line(name, parts, delta.item(), positions)


def some_parts(rng, sound):
    side = lambda: MERGE * rng.randint(1, 4)
    parts = [("text", rng.randint(2, 5))]
    kinds = ["image", "video", *rng.choices(["image", "video", "audio"], k=rng.randint(0, 3))]
    rng.shuffle(kinds)
    for kind in kinds:
        if kind == "image":
            parts.append((kind, side(), side()))
        elif kind == "audio":
            parts.append((kind, rng.randint(1, 60)))
        else:
            second = rng.choice([0.5, 1.0, 1 / 3, 2.0, 0.04, 5.0])
            parts.append((kind, rng.randint(1, 7), side(), side(), second, rng.randint(1, 160) if sound else 0))
        parts.append(("text", rng.randint(2, 5)))
    return parts


def omni_lines(rng):
    cases = (("qwen2.5-omni", omni25, omni25.Qwen2_5OmniPreTrainedModelForConditionalGeneration, 25),
             ("qwen3-omni", omni3, omni3.Qwen3OmniMoePreTrainedModelForConditionalGeneration, 13))
    for name, module, model, rate in cases:
        for i in range(16):
            yield omni(name, module, model, some_parts(rng, i % 2 == 1), rate)


def hunyuan_lines(rng):
    rope = types.SimpleNamespace(rope_parameters={"mrope_section": [16, 16, 16, 16]})
    vision = types.SimpleNamespace(spatial_merge_size=MERGE)
    self = bound(HunYuanVLModel, config=types.SimpleNamespace(text_config=rope, vision_config=vision))
    for _ in range(6):
        parts, types_, grids = [("text", rng.randint(1, 4))], [], []
        types_ += [0] * parts[0][1]
        for _ in range(rng.randint(1, 3)):
            height, width = MERGE * rng.randint(1, 4), MERGE * rng.randint(1, 4)
            text = rng.randint(1, 4)
            parts += [("image", height, width), ("text", text)]
            types_ += [1] * (height // MERGE * (width // MERGE + 1) + 2) + [0] * text
            grids.append([1, height, width])
        positions, delta = self.get_rope_index(torch.ones(1, len(types_), dtype=torch.long), torch.tensor([types_]),
                                               torch.tensor(grids))
        yield line("hunyuan-vl", parts, delta.item(), positions)


def glm_lines(rng):
    config = types.SimpleNamespace(image_start_token_id=IMAGE_START, image_end_token_id=IMAGE_END)
    for _ in range(6):
        self = bound(GlmImageModel, config=config)
        text = rng.randint(1, 4)
        parts, ids, grids = [("text", text + 1)], [TEXT] * text + [IMAGE_START], []
        for _ in range(rng.randint(0, 2)):
            height, width, text = rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 4)
            parts += [("image", height, width), ("text", text + 2)]
            ids += [IMAGE] * (height * width) + [IMAGE_END] + [TEXT] * text + [IMAGE_START]
            grids.append([1, height, width])
        drawn = [("drawn", rng.randint(1, 5), rng.randint(1, 5)) for _ in range(rng.randint(1, 2))]
        grids += [[1, *d[1:]] for d in drawn]
        positions, _ = self.get_rope_index(torch.tensor([ids]), torch.tensor(grids))
        both = torch.cat([positions[:, 0], self._cached_decode_position_ids[0]], dim=1)
        yield line("glm-image", parts + drawn, 0, both)


def slice_lines(rng):
    config = types.SimpleNamespace(slice_start_id=SLICE_START, slice_end_id=SLICE_END, image_start_id=IMAGE_START,
                                   image_end_id=IMAGE_END, newline_id=NEWLINE, downsample_mode="16x")
    self = bound(MiniCPMV4_7Model, config=config)
    for i in range(12):
        ids, kinds, sizes, parts, merge = [], [], [], [], 2 if i % 4 == 3 else 4
        put = lambda token, count, kind=0: (ids.extend([token] * count), kinds.extend([kind] * count))
        for n in range(rng.randint(1, 3)):
            side = lambda: merge * rng.randint(1, 5)
            text, newlines = rng.randint(1 if n else 0, 3), rng.randint(0, 1)
            height, width, rows, columns = side(), side(), rng.randint(0, 3), rng.randint(1, 3)
            slice_, columns = (side(), side()) if rows else (0, 0), columns if rows else 0
            put(TEXT, text), put(IMAGE_START, 1), put(IMAGE, height * width // merge**2, 1), put(IMAGE_END, 1)
            sizes.append([height, width])
            for row in range(rows):
                put(NEWLINE, 1 if row else 0)
                for _ in range(columns):
                    put(SLICE_START, 1), put(IMAGE, slice_[0] * slice_[1] // merge**2, 1), put(SLICE_END, 1)
                    sizes.append(list(slice_))
            put(NEWLINE, newlines)
            parts.append(("image", text, height, width, rows, columns, *slice_, newlines))
        after = rng.randint(1, 3)
        put(TEXT, after)
        positions, delta = self.get_rope_index(torch.tensor([ids]), torch.tensor([kinds]), torch.tensor(sizes),
                                               downsample_mode="4x" if merge == 2 else None)
        yield line("minicpm-v", [("merge", merge), *parts, ("text", after)], delta.item(), positions)


if __name__ == "__main__":
    rng = random.Random(14)
    lines = [*omni_lines(rng), *hunyuan_lines(rng), *glm_lines(rng), *slice_lines(rng)]
    header = "transformers 5.22.2, torch 2.15.0"
    pathlib.Path(__file__).with_name("omni.txt").write_text("\n".join([header, *lines]) + "\n")
