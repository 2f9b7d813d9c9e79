"""Measurements of posenc inside PyTorch: `python -m posenc.bench.models`, `python -m posenc.bench.flex`."""
