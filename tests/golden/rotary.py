#!/usr/bin/env python3
"""Writes rotary.json and rotary.safetensors: what other libraries do to queries and keys.

Made with transformers 5.22.2, timm 1.0.30, x-transformers 2.31.10, torch 2.15.0 (CPU, f32); other
versions are refused. Each case says which options of the scheme `rope` stand for the peer's model,
and holds the peer's frequencies (f32, one per pair, in the order of our pairs), its factors, and
queries and keys turned by the peer's own functions. Run: python3 rotary.py
"""
import importlib.metadata
import json
import pathlib
import platform
import struct

import numpy as np
import torch

import rotary_factors
import rotary_grids
import rotary_text

VERSIONS = {"transformers": "5.22.2", "timm": "1.0.30", "x-transformers": "2.31.10", "torch": "2.15.0"}


def text(value):
    """An option as the library reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(text(v) for v in value)
    return str(value)


class Golden:
    """All cases so far. Inputs are slices of one random tensor [tokens, heads, size]."""

    long = [0, 1, 4097, 131071, 1000000]  # positions

    def __init__(self):
        generator = torch.Generator().manual_seed(20)
        self.x = torch.randn(5, 6, 512, generator=generator)
        self.cases, self.arrays = [], {"x": self.x.numpy()}

    def inputs(self, dim, heads):
        """q and k as most peers want them: [batch, heads, tokens, size]."""
        q, k = self.x[:, : heads[0], :dim], self.x[:, 3 : 3 + heads[1], :dim]
        return q.transpose(0, 1)[None].contiguous(), k.transpose(0, 1)[None].contiguous()

    def add(self, peer, what, options, frequencies, rotate, *, positions=long, heads=(2, 1), length=0,
            cos_sin_factor=1.0, softmax_factor=1.0, angle_roundings=0, factor_roundings=0, weight=None):
        """rotate: (q, k) -> (q, k). positions: [tokens] or [axes, tokens].

        angle_roundings: f32 roundings by which the peer's angle and f32(position * frequency) may differ;
        0 where the peer's angle is exactly that product.
        factor_roundings: f32 roundings in what the peer multiplies cosine and sine, or q, with.
        """
        q, k = rotate(*self.inputs(options["dim"], heads))
        at = torch.as_tensor(positions)
        at = (at if at.ndim == 2 else at[None])[:, None].numpy()
        name = f"{len(self.cases):02}"
        self.arrays[f"{name} positions"] = at.astype(np.int64 if at.dtype.kind == "i" else np.float64)
        self.arrays[f"{name} frequencies"] = frequencies.detach().float().numpy()
        for key, value in (("q", q), ("k", k)):
            self.arrays[f"{name} {key}"] = value[0].transpose(0, 1).detach().contiguous().numpy()
        if weight is not None:
            self.arrays[f"{name} weight"] = weight.detach().float().contiguous().numpy()
        self.cases.append({
            "name": name, "peer": peer, "what": what,
            "options": [text(t) for pair in options.items() for t in pair],
            "length": length, "numerics": "torch-f32", "cos_sin_factor": cos_sin_factor,
            "softmax_factor": softmax_factor, "angle_roundings": angle_roundings,
            "factor_roundings": factor_roundings,
        })


def write_safetensors(path, arrays, metadata):
    """The size of a JSON header, the header, the bytes; eight-byte elements first, for alignment."""
    kinds = {"float32": "F32", "float64": "F64", "int64": "I64"}
    header, data = {"__metadata__": metadata}, b""
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])):
        span = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kinds[str(array.dtype)], "shape": list(array.shape), "data_offsets": span}
        data += np.ascontiguousarray(array).tobytes()
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text.encode() + data)


def check_versions():
    for package, version in VERSIONS.items():
        found = importlib.metadata.version(package).split("+")[0]
        assert found == version, f"expected {package} {version}, got {found}"


def write(name, golden):
    """name.json and name.safetensors, beside this file."""
    versions = VERSIONS | {"machine": f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}"}
    folder = pathlib.Path(__file__).parent
    write_safetensors(folder / f"{name}.safetensors", golden.arrays, versions)
    lines = ",\n".join(json.dumps(case) for case in golden.cases)
    (folder / f"{name}.json").write_text(f'{{"versions": {json.dumps(versions)}, "cases": [\n{lines}\n]}}\n')


def main():
    check_versions()
    golden = Golden()
    for module in (rotary_text, rotary_factors, rotary_grids):
        module.add_cases(golden)
    write("rotary", golden)


if __name__ == "__main__":
    with torch.no_grad():
        main()
