"""Writes torch_f32.safetensors: frequencies and tables as the usual PyTorch code computes them in f32.

Run as  python torch_f32.py  in this folder; the versions used are kept in the file's metadata.
"""
import json
import math
import platform
import struct

import numpy as np
import torch

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


def write(path, arrays, metadata):
    """The .safetensors format: the size of a JSON header, the header, the bytes."""
    header, data = {"__metadata__": metadata}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "int64": "I64"}[str(array.dtype)]
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
write("torch_f32.safetensors", arrays, {
    "torch": torch.__version__,
    "python": platform.python_version(),
    "machine": platform.machine() + " " + torch.backends.cpu.get_cpu_capability(),
})
