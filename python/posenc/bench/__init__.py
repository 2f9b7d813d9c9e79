"""Measurements of posenc inside PyTorch: `python -m posenc.bench.flex`."""
