"""Tiny models of transformers that turn queries and keys, by name, with random weights, and what tests ask of them."""

import torch
from tiny_models import ENCODER_DECODER, LLAMA, TINY, scaled, text  # noqa: F401

MLA = dict(
    TINY,
    num_key_value_heads=4,
    q_lora_rank=None,
    kv_lora_rank=16,
    qk_rope_head_dim=8,
    qk_nope_head_dim=8,
    v_head_dim=16,
    n_routed_experts=4,
    num_experts_per_tok=2,
    moe_intermediate_size=16,
    n_group=1,
    topk_group=1,
    first_k_dense_replace=1,
    head_dim=8,
)
MOE = dict(num_local_experts=2, num_experts_per_tok=1)
LLAMA4 = dict(LLAMA, head_dim=16, intermediate_size_mlp=64, **MOE, layer_types=["chunked_attention"] * 2)
LLAMA4["no_rope_layers"] = [1, 1]
GPTJ = dict(n_embd=64, n_head=4, n_layer=2, vocab_size=50, rotary_dim=8, bos_token_id=1, eos_token_id=2)
SECTIONS = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
SEES = dict(depth=2, hidden_size=64, intermediate_size=64, num_heads=4, out_hidden_size=64, fullatt_block_indexes=[1])
SEES["window_size"] = 28


def _sees():
    import transformers

    config = transformers.Qwen2_5_VLConfig(text_config={**LLAMA, "rope_parameters": SECTIONS}, vision_config=SEES)
    return transformers.Qwen2_5_VLForConditionalGeneration(config)


ROTATING = {
    "llama": text("LlamaForCausalLM", "LlamaConfig", **LLAMA),
    "mistral": text("MistralForCausalLM", "MistralConfig", **LLAMA),
    "qwen2": text("Qwen2ForCausalLM", "Qwen2Config", **LLAMA),
    "qwen3": text("Qwen3ForCausalLM", "Qwen3Config", **LLAMA, head_dim=16),
    "gemma3": text("Gemma3ForCausalLM", "Gemma3TextConfig", **LLAMA, head_dim=16),
    "gpt-oss": text("GptOssForCausalLM", "GptOssConfig", **LLAMA, head_dim=16, **MOE),
    "deepseek-v3": text("DeepseekV3ForCausalLM", "DeepseekV3Config", **MLA),
    "deepseek-v2": text("DeepseekV2ForCausalLM", "DeepseekV2Config", **{**MLA, "topk_method": "greedy"}),
    "llama4": text("Llama4ForCausalLM", "Llama4TextConfig", **LLAMA4),
    "glm4": text("Glm4ForCausalLM", "Glm4Config", **LLAMA, head_dim=16),
    "phi3": text("Phi3ForCausalLM", "Phi3Config", **LLAMA, partial_rotary_factor=0.5),
    "cohere": text("CohereForCausalLM", "CohereConfig", **LLAMA),
    "olmo2": text("Olmo2ForCausalLM", "Olmo2Config", **LLAMA),
    "gpt-neox": text("GPTNeoXForCausalLM", "GPTNeoXConfig", **TINY),
    "gpt-j": text("GPTJForCausalLM", "GPTJConfig", **GPTJ),
    "nanochat": text("NanoChatForCausalLM", "NanoChatConfig", **LLAMA),
    "qwen2.5-vl": _sees,
}
IDS = torch.arange(2 * 24).reshape(2, 24) * 7 % 47 + 3


def made(name, **how):
    return ROTATING[name]().eval().to(**how)


def rotated(patched):
    return [c for c in patched.changes if c.scheme == "rotation"]


def calls(monkeypatch):
    """Counts how often posenc's op turns something."""
    from posenc.torch._rotation_forms import Rotation

    count, own = [0], Rotation.turn

    def turn(self, *given):
        count[0] += 1
        return own(self, *given)

    monkeypatch.setattr(Rotation, "turn", turn)
    return count
