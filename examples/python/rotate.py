"""RoPE on NumPy arrays: scores depend only on the distance between query and key."""

import numpy as np

import posenc

rope = posenc.Rope(dim=64, layout="half", base=10000.0)
random = np.random.default_rng(0)
q, k = random.normal(size=(2, 1, 1, 64)).astype(np.float32)  # [tokens, heads, dim] each


def score(query_at, key_at):
    rotated_q = rope.rotate(q, positions=query_at)
    rotated_k = rope.rotate(k, positions=key_at)
    return float((rotated_q * rotated_k).sum())


near, far = score(7, 3), score(1_000_007, 1_000_003)
print(f"positions 7 and 3:             {near:.4f}")
print(f"positions 1000007 and 1000003: {far:.4f}")
assert abs(near - far) < 1e-4  # the same distance, 4: equal except for the rounding of 64 products

# Keys in a cache are already rotated. One more rotation moves them, here 256 positions back.
cache = random.normal(size=(100, 1, 64)).astype(np.float32)
moved = rope.rotate(cache, positions=256)
rope.move_(moved, was=256, now=0)
assert np.allclose(moved, rope.rotate(cache, positions=0), atol=1e-5)
print("cached keys moved from positions 256.. to 0..")
