#!/usr/bin/env python3
"""Writes tests/golden/model: small files as the packages that people use write them.

Made with gguf 0.19.0 and safetensors 0.8.0; other versions are refused. Run: python3 make_files.py
"""
import importlib.metadata
import json
import pathlib

import gguf
import numpy as np
from safetensors.numpy import save_file

VERSIONS = {"gguf": "0.19.0", "safetensors": "0.8.0"}
for package, wanted in VERSIONS.items():
    found = importlib.metadata.version(package)
    if found != wanted:
        raise SystemExit(f"expected {package} {wanted}, got {found}")
OUT = pathlib.Path(__file__).resolve().parent.parent / "golden" / "model"


def writer(name, architecture, layers=2):
    w = gguf.GGUFWriter(OUT / name, architecture)
    w.add_block_count(layers)
    w.add_context_length(4096)
    w.add_embedding_length(256)
    w.add_head_count(4)
    w.add_head_count_kv(2)
    w.add_layer_norm_rms_eps(1e-6)
    return w


def finish(w):
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def vocabulary(w):
    """Lists as every real file has them."""
    w.add_tokenizer_model("gpt2")
    w.add_token_list([f"token {i}" for i in range(2000)])
    w.add_token_types([1] * 2000)
    w.add_token_merges(["a b", "c d"])


w = writer("llama3.gguf", "llama")
w.add_rope_freq_base(500000.0)
w.add_rope_dimension_count(64)
divisors = np.ones(32, np.float32)
divisors[20:26] = np.linspace(2, 7, 6)
divisors[26:] = 8
vocabulary(w)
w.add_tensor("rope_freqs.weight", divisors)
w.add_tensor("token_embd.weight", np.zeros((8, 256), np.float16))
finish(w)

w = writer("phi3.gguf", "phi3")
w.add_rope_dimension_count(64)
w.add_rope_scaling_orig_ctx_len(1024)
w.add_rope_scaling_attn_factors(1.25)
w.add_tensor("rope_factors_long.weight", np.linspace(1, 4, 32, dtype=np.float32))
w.add_tensor("rope_factors_short.weight", np.ones(32, np.float32))
finish(w)

w = writer("gemma3.gguf", "gemma3", 6)
w.add_rope_freq_base(1000000.0)
w.add_sliding_window(512)
w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
w.add_rope_scaling_factor(8.0)
finish(w)

w = writer("qwen2.gguf", "qwen2")
w.add_rope_freq_base(1000000.0)
w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
w.add_rope_scaling_factor(4.0)
w.add_rope_scaling_orig_ctx_len(1024)
w.add_custom_alignment(64)
w.add_tensor("output_norm.weight", np.ones(256, np.float32))
finish(w)

w = writer("gpt2.gguf", "gpt2")
w.add_tensor("position_embd.weight", np.zeros((16, 256), np.float16))
finish(w)

w = writer("qwen2vl.gguf", "qwen2vl")
w.add_rope_dimension_sections([8, 12, 12, 0])
finish(w)

save_file({"transformer.wpe.weight": np.zeros((16, 8), np.float32),
           "transformer.h.0.attn.bias": np.zeros((1, 1, 4, 4), np.uint8)},
          OUT / "gpt2.safetensors", metadata={"format": "pt"})
inv_freq = (10000.0 ** (-np.arange(0, 32, 2) / 32)).astype(np.float32)
save_file({"model.layers.0.self_attn.rotary_emb.inv_freq": inv_freq,
           "model.layers.0.post_attention_layernorm.weight": np.ones(8, np.float16)},
          OUT / "llama.safetensors")
save_file({"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight":
           np.zeros((32, 4), np.float32)}, OUT / "t5-1.safetensors")
save_file({"decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight":
           np.zeros((32, 4), np.float32)}, OUT / "t5-2.safetensors")
(OUT / "t5.safetensors.index.json").write_text(json.dumps(
    {"metadata": {"total_size": 1024},
     "weight_map": {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight":
                    "t5-1.safetensors",
                    "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight":
                    "t5-2.safetensors"}}, indent=1) + "\n")
