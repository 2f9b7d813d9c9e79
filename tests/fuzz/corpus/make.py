"""Writes the seeds of the fuzzers; needs NumPy. Run in this folder."""
import json
import struct

import numpy as np

np.save("npy/f4.npy", np.array([[1, 2, 3]], "f4"))
np.save("npy/f8_scalar.npy", np.array(1.5))
np.save("npy/f2.npy", np.array([1, -2], "f2"))
np.save("npy/i8_empty.npy", np.zeros((0, 3), "i8"))
np.save("npy/i4_fortran_big.npy", np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3)))
with open("npy/version2.npy", "wb") as f:
    np.lib.format.write_array(f, np.arange(2, dtype="i8"), version=(2, 0))
with open("npy/python2.npy", "wb") as f:
    header = b'{"descr": "=f4", "shape": (1L,), "fortran_order": True}\n'
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4))

np.save("graph/edges.npy", np.array([[0, 1, 2], [1, 2, 0]], "i8"))
for name, lines in [("edges.txt", "0 1\n1 2\n# a comment\n2 0\n"),
                    ("edges.csv", "from,to,weight\n0,1,2.5\n1;2;1e-3\n"),
                    ("symmetric.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 2\n2 1 0.5\n3 2 1\n"),
                    ("general.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n")]:
    with open(f"graph/{name}", "w") as f:
        f.write(lines)


def safetensors(name, header, size):
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(f"safetensors/{name}.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + bytes(range(size)))


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


safetensors("empty", {}, 0)
safetensors("metadata", {"__metadata__": {"format": "pt"}, "x": tensor("F32", [2], 0, 8)}, 8)
safetensors("scalar", {"x": tensor("I64", [], 0, 8)}, 8)
safetensors("unordered", {"b": tensor("BF16", [1, 2], 8, 12), "a": tensor("F64", [1], 0, 8)}, 12)
safetensors("skipped", {"u": tensor("U8", [3], 0, 3), "x": tensor("F16", [2, 0], 3, 3)}, 3)
safetensors("nibbles", {"n": tensor("F4", [4], 0, 2), "x": tensor("I32", [1], 2, 6)}, 6)


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(name, architecture, keys, tensors=()):
    """Keys: name (without the architecture), type, struct code, value; or a list as value."""
    pairs = [("general.architecture", 8, text(architecture))]
    for key, kind, code, value in keys:
        packed = (struct.pack("<IQ", kind, len(value)) + struct.pack(f"<{len(value)}{code}", *value)
                  if isinstance(value, list) else text(value) if kind == 8
                  else struct.pack("<" + code, value))
        pairs.append((f"{architecture}.{key}", 9 if isinstance(value, list) else kind, packed))
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs))
    start += b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    data = b""
    for tensor, numbers in tensors:
        start += text(tensor) + struct.pack("<IQIQ", 1, len(numbers), 0, len(data))
        data += struct.pack(f"<{len(numbers)}f", *numbers).ljust(-(-4 * len(numbers) // 32) * 32, b"\0")
    with open(f"gguf/{name}.gguf", "wb") as f:
        f.write(start.ljust(-(-len(start) // 32) * 32, b"\0") + data)


sizes = [("block_count", 4, "I", 4), ("context_length", 4, "I", 64),
         ("embedding_length", 4, "I", 32), ("attention.head_count", 4, "I", 2)]
gguf("llama", "llama", sizes + [("rope.freq_base", 6, "f", 5e5)],
     [("rope_freqs.weight", [1, 1, 1, 2, 3, 4, 8, 8])])
gguf("phi3", "phi3", sizes + [("rope.scaling.original_context_length", 4, "I", 32)],
     [("rope_factors_long.weight", [2.0] * 8), ("rope_factors_short.weight", [1.0] * 8)])
gguf("gemma3", "gemma3", sizes + [("attention.sliding_window", 4, "I", 8),
                                  ("attention.sliding_window_pattern", 7, "?", [True, False] * 2)])
gguf("yarn", "deepseek2", sizes + [("rope.scaling.type", 8, "", "yarn"),
                                   ("rope.scaling.factor", 6, "f", 4.0),
                                   ("rope.dimension_count", 4, "I", 8),
                                   ("rope.scaling.yarn_log_multiplier", 6, "f", 0.1)])
gguf("sections", "qwen3vl", sizes + [("rope.dimension_sections", 5, "i", [4, 2, 2, 0])])
gguf("hybrid", "lfm2", sizes + [("attention.head_count_kv", 5, "i", [0, 2, 0, 2])])
gguf("compressed", "deepseek4", sizes + [("attention.compress_ratios", 5, "i", [0, 4, 0, 4])])
gguf("t5", "t5", sizes + [("attention.relative_buckets_count", 4, "I", 32)])
gguf("mpt", "mpt", sizes + [("attention.max_alibi_bias", 6, "f", 8.0)])
gguf("bert", "bert", sizes)

configs = {
    "llama": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
              "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 500000.0,
              "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                               "high_freq_factor": 4.0, "original_max_position_embeddings": 32}},
    "gemma3": {"model_type": "gemma3", "text_config": {
        "model_type": "gemma3_text", "head_dim": 16, "hidden_size": 64, "num_attention_heads": 4,
        "num_hidden_layers": 6, "sliding_window": 8, "rope_theta": 1e6, "rope_local_base_freq": 1e4},
        "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 8, "image_size": 8,
                          "patch_size": 4}},
    "yarn": {"model_type": "deepseek_v3", "qk_rope_head_dim": 8, "qk_nope_head_dim": 16,
             "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 64,
             "max_position_embeddings": 128, "rope_parameters": {
                 "rope_type": "yarn", "rope_theta": 10000, "factor": 4, "mscale": 1,
                 "mscale_all_dim": 1, "original_max_position_embeddings": 32}},
    "bert": {"model_type": "bert", "hidden_size": 16, "max_position_embeddings": 8},
    "t5": {"model_type": "t5", "num_heads": 4, "relative_attention_num_buckets": 32},
    "whisper": {"model_type": "whisper", "d_model": 16, "max_source_positions": 8,
                "max_target_positions": 4},
    "swin": {"model_type": "swin", "window_size": 7, "num_heads": [3, 6], "depths": [2, 2]},
}
for name, config in configs.items():
    with open(f"config/{name}.json", "w") as f:
        json.dump(config, f)
