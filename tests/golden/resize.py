#!/usr/bin/env python3
"""Writes resize.txt: tables resized by torch.nn.functional.interpolate, in float64.

A line of the file: mode, rows, new rows, then the table (two columns) and the result, row by row.
Run with a Python that has PyTorch (the file was made with 2.15): python3 resize.py
"""
import pathlib

import torch

SIZES = [(4, 6), (4, 2), (1, 3), (5, 5), (7, 3), (3, 8), (16, 9), (2, 1)]


def resized(table, rows, mode):
    """table: [rows, 2]; the rows are a signal along one axis, the columns its channels."""
    signal = table.T[None]  # [1, 2, rows]
    if mode == "linear":
        out = torch.nn.functional.interpolate(signal, size=rows, mode="linear", align_corners=False)
    else:  # along the height of an image that is one pixel wide
        out = torch.nn.functional.interpolate(signal[..., None], size=(rows, 1), mode="bicubic",
                                              align_corners=False)[..., 0]
    return out[0].T


torch.manual_seed(0)
lines = ["# made by resize.py: mode rows new_rows table... result..."]
for mode in ["linear", "cubic"]:
    for rows, new_rows in SIZES:
        table = torch.randn(rows, 2, dtype=torch.float64)
        numbers = [*table.flatten().tolist(), *resized(table, new_rows, mode).flatten().tolist()]
        lines.append(" ".join([mode, str(rows), str(new_rows), *map(repr, numbers)]))
pathlib.Path(__file__).with_name("resize.txt").write_text("\n".join(lines) + "\n")
