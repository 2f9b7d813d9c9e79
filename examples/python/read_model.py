"""Reads the positional encoding from a model's config.json and applies it."""

import numpy as np

import posenc

config = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
(part,) = posenc.explain(config)["components"]  # also takes a path, a folder or a GGUF file
print(f"{part['scheme']}, layout {part['layout']}, base {part['base']:g}, {part['scaling']['type']} scaling")

rope = posenc.encodings(config)["text"]  # ready to use
print(f"inv_freq: {rope.inv_freq[0]:g} .. {rope.inv_freq[-1]:.3g} radians per position")

q = np.ones((4, 32, 128), np.float32)  # [tokens, heads, head_dim]
rope.rotate_(q, positions=1000)
print(f"first features of the query at position 1000: {q[0, 0, :3]}")
