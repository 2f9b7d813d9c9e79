"""The same numbers as transformers, up to its rounding in f32."""

import json

import pytest
import torch
from tolerances import f32_angles, f32_sum

import posenc.torch as pt
from posenc import _core

transformers = pytest.importorskip("transformers")
TOKENS = 300


def close(ours, theirs, tolerance):
    assert ours.shape == theirs.shape
    assert (ours.double() - theirs.double()).abs().max() <= tolerance


@pytest.mark.parametrize(
    "model, preset, make",
    [
        ("whisper", "whisper", lambda m: m.modeling_whisper.sinusoids(TOKENS, 48)),
        (
            "marian",
            "marian",
            lambda m: m.modeling_marian.MarianSinusoidalPositionalEmbedding(TOKENS, 48).create_weight(),
        ),
        (
            "m2m_100",
            "fairseq",
            lambda m: m.modeling_m2m_100.M2M100SinusoidalPositionalEmbedding.get_embedding(TOKENS, 48, 1),
        ),
        (
            "speech_to_text",
            "fairseq",
            lambda m: m.modeling_speech_to_text.Speech2TextSinusoidalPositionalEmbedding.get_embedding(TOKENS, 48, 1),
        ),
        (
            "musicgen",
            "musicgen",
            lambda m: m.modeling_musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(TOKENS, 48),
        ),
    ],
)
def test_sinusoids(model, preset, make):
    module = __import__(f"transformers.models.{model}", fromlist=[f"modeling_{model}"])
    __import__(f"transformers.models.{model}.modeling_{model}")
    theirs = make(module)
    if preset == "fairseq":  # position p reads row p + 2; row 1 is the padding
        theirs = theirs[2:]
    ours = pt.SinusoidalEncoding(dim=48, preset=preset, batch_first=True).rows(len(theirs))
    close(ours, theirs, f32_angles(TOKENS))


SCALED = {
    "linear": dict(factor=4.0),
    "dynamic": dict(factor=2.0),
    "yarn": dict(factor=4.0, original_max_position_embeddings=64, beta_fast=16.0),
    "longrope": dict(
        factor=4.0,
        original_max_position_embeddings=64,
        short_factor=[1.0 + 0.1 * i for i in range(16)],
        long_factor=[2.0 + 0.5 * i for i in range(16)],
    ),
    "llama3": dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64),
    "proportional": dict(factor=2.0, partial_rotary_factor=0.5),
}


def test_every_length_rule_is_here():
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    assert set(ROPE_INIT_FUNCTIONS) <= set(SCALED)


@pytest.mark.parametrize("length", [50, 200])
@pytest.mark.parametrize("kind", SCALED)
def test_length_rules(kind, length):
    """Frequencies that explain reads from the configuration are those that transformers makes of it."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    config = transformers.LlamaConfig(
        hidden_size=128,
        num_attention_heads=4,
        max_position_embeddings=64 if kind == "dynamic" else 256,
        rope_parameters={"rope_type": kind, "rope_theta": 10000.0, **SCALED[kind]},
    )
    theirs, factor = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)
    scheme = _core.read_parts(json.dumps(config.to_dict()))[0]["ready"]
    rope = pt.RotaryEncoding(**json.loads(scheme.to_json()), heads_first=False)
    cos, sin = rope.cos_sin(length, length=length)
    angles = torch.arange(length)[:, None].double() * theirs.double()
    # theirs: frequencies in f32, made in up to 8 steps; ours: exact ones, cosines and sines rounded once
    tolerance = (8 * length + 2) * 2.0**-24 * factor
    close(cos, angles.cos() * factor, tolerance)
    close(sin, angles.sin() * factor, tolerance)


def test_llamas_turn():
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    config = transformers.LlamaConfig(hidden_size=128, num_attention_heads=4)
    q, k = torch.randn(2, 4, TOKENS, 32), torch.randn(2, 2, TOKENS, 32)
    at = torch.stack([torch.arange(TOKENS), torch.arange(TOKENS) + 7])
    theirs = apply_rotary_pos_emb(q, k, *LlamaRotaryEmbedding(config)(q, at))
    ours = pt.RotaryEncoding(dim=32, layout="half", heads_first=True)(q, k, at)
    for a, b in zip(ours, theirs):
        close(a, b, f32_angles(TOKENS + 7, amplitude=2 * q.abs().max().item()))


def test_gptjs_turn():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb, create_sinusoidal_positions

    q = torch.randn(2, TOKENS, 4, 32)
    sin, cos = create_sinusoidal_positions(TOKENS, 16).chunk(2, dim=-1)
    turned = apply_rotary_pos_emb(q[..., :16], sin[None], cos[None])
    ours = pt.RotaryEncoding(dim=32, rotary_dim=16, layout="interleaved", heads_first=False)(q)
    close(ours, torch.cat([turned, q[..., 16:]], -1), f32_angles(TOKENS, amplitude=2 * q.abs().max().item()))


def test_qwen2_vls_turn():
    from transformers.models.qwen2_vl import modeling_qwen2_vl as m

    config = transformers.Qwen2VLConfig(
        text_config=dict(
            hidden_size=128,
            num_attention_heads=4,
            num_hidden_layers=1,
            num_key_value_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 6, 6]},
        )
    )
    text = getattr(config, "text_config", config)
    at = torch.randint(0, TOKENS, (3, 2, 50))
    q, k = torch.randn(2, 4, 50, 32), torch.randn(2, 2, 50, 32)
    theirs = m.apply_rotary_pos_emb(q, k, *m.Qwen2VLRotaryEmbedding(text)(q, at))
    rope = pt.RotaryEncoding(
        dim=32, layout="half", base=1e6, heads_first=True, axes={"type": "chunked", "sections": [4, 6, 6]}
    )
    for a, b in zip(rope(q, k, at), theirs):
        close(a, b, f32_angles(TOKENS, amplitude=2 * q.abs().max().item()))


def test_dinov3s_turn():
    from transformers.models.dinov3_vit import modeling_dinov3_vit as m

    config = transformers.DINOv3ViTConfig(hidden_size=128, num_attention_heads=4, patch_size=16, image_size=96)
    embedding = m.DINOv3ViTRopePositionEmbedding(config).eval()
    q, k = torch.randn(2, 4, 1 + 30, 32), torch.randn(2, 4, 1 + 30, 32)
    theirs = m.apply_rotary_pos_emb(q, k, *embedding(torch.empty(1, 3, 80, 96)))
    y, x = torch.meshgrid((torch.arange(5) + 0.5) / 5 * 2 - 1, (torch.arange(6) + 0.5) / 6 * 2 - 1, indexing="ij")
    at = torch.stack([y.flatten(), x.flatten()]).double()[:, None]
    rope = pt.RotaryEncoding(preset="dinov3", dim=32, axes={"type": "restart", "sections": [8, 8]}, heads_first=True)
    for a, b, raw in zip(rope(q[:, :, 1:], k[:, :, 1:], at), theirs, (q, k)):
        close(a, b[:, :, 1:], f32_angles(2 * torch.pi, amplitude=2 * raw.abs().max().item()))


@pytest.mark.parametrize("decoder", [False, True])
@pytest.mark.parametrize("buckets, farthest", [(32, 128), (20, 100), (64, 500)])
def test_t5s_buckets(decoder, buckets, farthest):
    from transformers.models.t5.modeling_t5 import T5Attention

    config = transformers.T5Config(
        num_heads=3,
        relative_attention_num_buckets=buckets,
        is_decoder=decoder,
        relative_attention_max_distance=farthest,
    )
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    bias = pt.RelativeBias("t5", heads=3, buckets=buckets, max_distance=farthest, bidirectional=not decoder)
    bias.load_state_dict({"table": theirs.relative_attention_bias.weight})
    close(bias(200, 700, first_query=300), theirs.compute_bias(200, 700, past_seen_tokens=300)[0], 0)


@pytest.mark.parametrize("heads", [8, 12])
def test_alibi_of_bloom_and_mpt(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

    bloom = build_alibi_tensor(torch.ones(1, TOKENS), heads, torch.float32)
    close(pt.RelativeBias("alibi", preset="bloom", heads=heads)(1, TOKENS), bloom, f32_sum(TOKENS, 4))
    mpt = build_mpt_alibi_tensor(heads, TOKENS)
    ours = pt.RelativeBias("alibi", preset="mpt", heads=heads)
    close(ours(1, TOKENS, first_key=1 - TOKENS), mpt, f32_sum(TOKENS, 4))


def test_swins_window():
    from transformers.models.swin import modeling_swin as m

    if not hasattr(m, "SwinRelativePositionBias"):
        pytest.skip("another version of transformers")
    theirs = m.SwinRelativePositionBias(3, (4, 4))
    torch.nn.init.normal_(theirs.relative_position_bias_table)
    ours = pt.RelativeBias("window", heads=3, height=4, width=4)
    ours.load_state_dict({"table": theirs.relative_position_bias_table})
    close(ours(16, 16), theirs()[0], 0)
