"""Writes torch_f32.safetensors: frequencies and tables as PyTorch code computes them in f32.

The usual code of tutorials and of fairseq is written out here; diffusers, whisper and timm are called.

Run as  python torch_f32.py  in this folder; the versions used are kept in the file's metadata.
"""
import json
import math
import platform
import struct

import diffusers
import numpy as np
import timm
import torch
import transformers
from diffusers.models.embeddings import get_timestep_embedding
from timm.layers.pos_embed_sincos import pixel_freq_bands
from torch.overrides import TorchFunctionMode
from transformers.models.whisper.modeling_whisper import sinusoids

BASE = 10000.0
DIMS = (64, 96, 512, 1000)
TABLES = (("paper", 96), ("paper", 512), ("timescales", 96))
POSITIONS = [0, 1, 2, 1000, 999_983, 999_999, 1_000_000] + [int(1.9**k) + k for k in range(4, 21)]


def paper(dim):
    return torch.exp(torch.arange(0, dim, 2).float() * (-math.log(BASE) / dim))


def timescales(dim):
    half = dim // 2
    return torch.exp(torch.arange(half, dtype=torch.float) * -(math.log(BASE) / (half - 1)))


RULES = {"paper": paper, "timescales": timescales}


def table(frequencies):
    """The encoding of the tutorials: sine and cosine side by side."""
    position = torch.tensor(POSITIONS).float().unsqueeze(1)
    pe = torch.zeros(len(POSITIONS), 2 * len(frequencies))
    pe[:, 0::2] = torch.sin(position * frequencies)
    pe[:, 1::2] = torch.cos(position * frequencies)
    return pe


class Recorder(TorchFunctionMode):
    """Keeps what the last torch.exp gave: the frequencies of code that makes a table at once."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if function is torch.exp:
            self.frequencies = result
        return result


STEPS = [0.0, 1.0, 17.25, 400.0, 937.0, 999.0]


def libraries():
    arrays = {"diffusers steps": np.array(STEPS)}
    for dim in (8, 128, 320, 322, 1000):
        for shift in (0, 1):
            with Recorder() as recorder:
                table = get_timestep_embedding(torch.tensor(STEPS), dim, True, shift)
            arrays[f"diffusers {dim} {shift}"] = recorder.frequencies.numpy()
            if dim == 320:
                arrays[f"diffusers table {shift}"] = table.numpy()
    for dim in (8, 384, 512, 1280):
        with Recorder() as recorder:
            sinusoids(2, dim)
        arrays[f"whisper {dim}"] = recorder.frequencies.numpy()
    for bands in (1, 2, 7, 16, 17, 48):
        for size in (100, 224, 320):
            arrays[f"timm linear {bands} {size}"] = pixel_freq_bands(bands, float(size), True).numpy()
            arrays[f"timm powers {bands} {size}"] = pixel_freq_bands(bands, float(size), False).numpy()
    return arrays


def write(path, arrays, metadata):
    """The .safetensors format: the size of a JSON header, the header, the bytes."""
    header, data = {"__metadata__": metadata}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "float64": "F64", "int64": "I64"}[str(array.dtype)]
        span = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": span}
        data += np.ascontiguousarray(array).tobytes()
    text = json.dumps(header)
    text += " " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text.encode() + data)


arrays = {"positions": np.array(POSITIONS, dtype=np.int64)}
for rule, frequencies in RULES.items():
    for dim in DIMS:
        arrays[f"frequencies {rule} {dim}"] = frequencies(dim).numpy()
for rule, dim in TABLES:
    arrays[f"table {rule} {dim}"] = table(RULES[rule](dim)).numpy()
# Eight-byte elements first, for alignment.
arrays = dict(sorted((arrays | libraries()).items(), key=lambda item: -item[1].itemsize))
write("torch_f32.safetensors", arrays, {
    "torch": torch.__version__,
    "diffusers": diffusers.__version__,
    "timm": timm.__version__,
    "transformers": transformers.__version__,
    "python": platform.python_version(),
    "machine": platform.machine() + " " + torch.backends.cpu.get_cpu_capability(),
})
