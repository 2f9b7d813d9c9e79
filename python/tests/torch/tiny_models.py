"""Tiny models of transformers with random weights, by name, and how many of their modules patch() replaces."""

import pytest

transformers = pytest.importorskip("transformers")
TINY = dict(
    hidden_size=64,
    num_attention_heads=4,
    num_hidden_layers=2,
    intermediate_size=64,
    vocab_size=50,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
)
ENCODER_DECODER = dict(
    d_model=64,
    encoder_layers=1,
    decoder_layers=1,
    encoder_attention_heads=4,
    vocab_size=60,
    decoder_attention_heads=4,
    encoder_ffn_dim=64,
    decoder_ffn_dim=64,
    pad_token_id=1,
    decoder_start_token_id=1,
    bos_token_id=1,
    eos_token_id=2,
)


def scaled(kind, **numbers):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **numbers}}


def text(name, config, **options):
    return lambda: getattr(transformers, name)(getattr(transformers, config)(**options))


LLAMA = dict(TINY, num_key_value_heads=2)
MODELS = {
    "llama": (text("LlamaForCausalLM", "LlamaConfig", **LLAMA), 1),
    "llama3": (
        text(
            "LlamaForCausalLM",
            "LlamaConfig",
            **LLAMA,
            **scaled(
                "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32
            ),
        ),
        1,
    ),
    "yarn": (
        text(
            "LlamaForCausalLM",
            "LlamaConfig",
            **LLAMA,
            **scaled("yarn", factor=4.0, original_max_position_embeddings=32),
        ),
        1,
    ),
    "dynamic": (
        text("LlamaForCausalLM", "LlamaConfig", **LLAMA, max_position_embeddings=32, **scaled("dynamic", factor=2.0)),
        1,
    ),
    "gemma3": (text("Gemma3ForCausalLM", "Gemma3TextConfig", **LLAMA, head_dim=16), 1),
    "gpt-neox": (text("GPTNeoXForCausalLM", "GPTNeoXConfig", **TINY), 1),
    "cohere": (text("CohereForCausalLM", "CohereConfig", **LLAMA), 1),
    "gpt-j": (
        text(
            "GPTJForCausalLM",
            "GPTJConfig",
            n_embd=64,
            n_head=4,
            n_layer=2,
            vocab_size=50,
            rotary_dim=8,
            bos_token_id=1,
            eos_token_id=2,
        ),
        2,
    ),
    "gpt-2": (
        text(
            "GPT2LMHeadModel",
            "GPT2Config",
            n_embd=64,
            n_head=4,
            n_layer=2,
            vocab_size=50,
            n_positions=64,
            bos_token_id=1,
            eos_token_id=2,
        ),
        1,
    ),
    "bert": (text("BertModel", "BertConfig", **TINY), 1),
    "mpt": (text("MptForCausalLM", "MptConfig", d_model=64, n_heads=4, n_layers=2, vocab_size=50), 1),
    "bloom": (text("BloomForCausalLM", "BloomConfig", hidden_size=64, n_head=4, n_layer=2, vocab_size=50), 1),
    "t5": (
        text(
            "T5ForConditionalGeneration",
            "T5Config",
            d_model=64,
            d_kv=16,
            d_ff=64,
            num_heads=4,
            num_layers=2,
            vocab_size=50,
            pad_token_id=0,
            eos_token_id=1,
            decoder_start_token_id=0,
        ),
        2,
    ),
    "marian": (text("MarianModel", "MarianConfig", **ENCODER_DECODER), 2),
}
