"""Rotates by an installed posenc, which must lie in the folder that is given, and is refused what makes no sense."""

import sys

import numpy as np
import posenc

assert posenc.__file__.startswith(sys.argv[1] + "/"), posenc.__file__
x = np.random.default_rng(0).standard_normal((2, 5, 3, 8))
angle = np.arange(5)[:, None] * 10000.0 ** -(np.arange(4) / 4)
c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
a, b = x[..., :4], x[..., 4:]
expected = np.concatenate([a * c - b * s, b * c + a * s], -1)
posenc.Rope(dim=8, layout="half").rotate_(x, heads_first=False)
print("rotated within", np.abs(x - expected).max() < 1e-14)
try:
    posenc.Rope(dim=7)
except ValueError as error:  # exceptions pass from the library to Python
    print("refused:", error)
