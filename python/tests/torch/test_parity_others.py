"""The same numbers as x-transformers, timm and the code that PyTorch's tutorials print."""

import math

import pytest
import torch
from tolerances import f32_angles, f32_sum

import posenc.torch as pt

TOKENS = 300


def close(ours, theirs, tolerance):
    assert ours.shape == theirs.shape
    assert (ours.double() - theirs.double()).abs().max() <= tolerance


class Tutorial(torch.nn.Module):
    """The module that most code copies."""

    def __init__(self, dim, rows):
        super().__init__()
        at = torch.arange(rows).unsqueeze(1)
        speed = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.zeros(1, rows, dim)
        table[0, :, 0::2], table[0, :, 1::2] = torch.sin(at * speed), torch.cos(at * speed)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[:, : x.shape[1]]


def test_tutorials_module(device):
    x = torch.randn(2, TOKENS, 48, device=device)
    close(pt.SinusoidalEncoding(dim=48, batch_first=True)(x), Tutorial(48, 5000).to(device)(x), f32_angles(TOKENS) + f32_sum(5, 1))


def test_multihead_attention_with_a_bias(device):
    """torch.nn.MultiheadAttention takes the bias as attn_mask, [batch * heads, queries, keys]."""
    attention = torch.nn.MultiheadAttention(16, 2, batch_first=True, device=device)
    x, bias = torch.randn(3, 5, 16, device=device), pt.RelativeBias("alibi", heads=2)
    out, _ = attention(x, x, x, attn_mask=bias(5, device=device).repeat(3, 1, 1))
    q, k, v = torch.nn.functional.linear(x, attention.in_proj_weight, attention.in_proj_bias).chunk(3, -1)
    q, k, v = (t.unflatten(-1, (2, 8)).transpose(1, 2) for t in (q, k, v))
    heads = torch.softmax(bias.add(q @ k.transpose(-1, -2), scale=8**-0.5), -1) @ v
    torch.testing.assert_close(attention.out_proj(heads.transpose(1, 2).flatten(-2)), out)


@pytest.fixture
def xt():
    pytest.importorskip("x_transformers")
    from x_transformers import x_transformers

    return x_transformers


def test_x_transformers_tables(xt):
    x = torch.randn(2, TOKENS, 48)
    theirs = xt.ScaledSinusoidalEmbedding(48)
    ours = pt.SinusoidalEncoding(dim=48, preset="marian", norm="rsqrt-dim", batch_first=True)
    close(ours.rows(TOKENS), theirs(x), f32_angles(TOKENS, amplitude=48**-0.5))
    theirs = xt.AbsolutePositionalEmbedding(48, TOKENS)
    ours = pt.LearnedEncoding(dim=48, rows=TOKENS, scale=48**-0.5, batch_first=True)
    ours.load_state_dict({"table": theirs.emb.weight})
    close(ours(x), x + theirs(x), f32_sum(8, 2))


def test_x_transformers_rotary(xt):
    q = torch.randn(2, 3, TOKENS, 32)
    freqs, scale = xt.RotaryEmbedding(16).forward_from_seq_len(TOKENS)
    ours = pt.RotaryEncoding(dim=32, rotary_dim=16, layout="interleaved", heads_first=True)(q)
    close(ours, xt.apply_rotary_pos_emb(q, freqs, scale), f32_angles(TOKENS, amplitude=2 * q.abs().max().item()))


def test_x_transformers_xpos(xt):
    q, k = torch.randn(2, 3, TOKENS, 16), torch.randn(2, 3, TOKENS, 16)
    freqs, scale = xt.RotaryEmbedding(16, use_xpos=True).forward_from_seq_len(TOKENS)
    theirs = xt.apply_rotary_pos_emb(q, freqs, scale), xt.apply_rotary_pos_emb(k, freqs, scale**-1)
    rope = pt.RotaryEncoding(
        dim=16, layout="interleaved", heads_first=True, decay={"type": "xpos", "scale_base": 512, "center": TOKENS // 2}
    )
    for a, b, raw in zip(rope(q, k), theirs, (q, k)):
        # powers of at most 0.3 double or halve numbers, and add a few roundings to those of the angle
        close(a, b, 2 * f32_angles(TOKENS + 8, amplitude=2 * raw.abs().max().item()))


@pytest.mark.parametrize("heads", [8, 6])
def test_x_transformers_alibi(xt, heads):
    close(
        pt.RelativeBias("alibi", heads=heads)(50, TOKENS, first_query=TOKENS - 50),
        xt.AlibiPositionalBias(heads)(50, TOKENS),
        f32_sum(TOKENS, 4),
    )


def test_x_transformers_t5(xt):
    theirs = xt.RelativePositionBias(scale=4.0, causal=True, heads=3)
    ours = pt.RelativeBias("t5", heads=3, bidirectional=False, scale=4)
    ours.load_state_dict({"table": theirs.relative_attention_bias.weight})
    close(ours(50, TOKENS, first_query=TOKENS - 50), theirs(50, TOKENS), 0)


@pytest.mark.parametrize("log_distance", [False, True])
def test_x_transformers_dynamic_bias(xt, log_distance):
    theirs = xt.DynamicPositionBias(16, heads=3, depth=2, log_distance=log_distance)
    ours = pt.RelativeBias("dynamic", heads=3, hidden=16, depth=2, log_distance=log_distance)
    layers = [m for m in theirs.modules() if isinstance(m, torch.nn.Linear)]
    state = {f"weight_{i}": m.weight for i, m in enumerate(layers)}
    ours.load_state_dict({**state, **{f"bias_{i}": m.bias for i, m in enumerate(layers)}})
    expected = theirs(40, 60)
    # a network of 3 layers, 16 wide: sums of 17 products, each as large as the result may be
    close(ours(40, 60, first_query=20), expected, f32_sum(max(60.0, expected.abs().max().item()), 3 * 17))


def test_x_transformers_cope(xt):
    theirs = xt.CoPE(8, 3, 12)
    torch.nn.init.normal_(theirs.pos_emb)
    q, scores = torch.randn(2, 3, 10, 8), torch.randn(2, 3, 10, 10).tril() - 1e9 * torch.ones(10, 10).triu(1)
    ours = pt.ContentTerm("cope", dim=8, positions=12)
    ours.load_state_dict({"table": theirs.pos_emb})
    term = ours(scores, q.transpose(1, 2)) - scores
    seen = torch.ones(10, 10).tril().bool()
    close(term[..., seen], theirs(q, scores)[..., seen], f32_sum(20, 40))


def test_x_transformers_alibi_of_rows(xt):
    theirs = xt.PerRowDataDependentAlibi(12, 3, dim_head=5, post_log_scale=0.5)
    x, scores = torch.randn(2, 10, 12), torch.randn(2, 3, 10, 10)
    q, k = (t.transpose(1, 2) for t in theirs.to_forget_gates(x))
    ours = pt.ContentTerm("forgetting-rows", dim=5, gate_scale=0.5)
    # ten gates of products of 5 numbers, and the score
    close(ours(scores, q, k), scores + theirs(x), f32_sum(20, 40))


@pytest.fixture
def timm():
    return pytest.importorskip("timm.layers")


def test_timms_rotary(timm):
    """EVA's: coordinates of the pixels' bands, y then x, from -1 to 1."""
    from timm.layers.pos_embed_sincos import apply_rot_embed, build_rotary_pos_embed

    sin, cos = build_rotary_pos_embed([4, 5], dim=32, in_pixels=True, max_res=224)
    q = torch.randn(2, 3, 20, 32)
    y, x = torch.meshgrid(torch.linspace(-1, 1, 4), torch.linspace(-1, 1, 5), indexing="ij")
    at = torch.stack([y.flatten(), x.flatten()]).double()[:, None]
    rope = pt.RotaryEncoding(
        preset="eva",
        dim=32,
        axes={"type": "restart", "sections": [8, 8]},
        frequencies={"type": "pixels", "max_res": 224},
        heads_first=True,
    )
    reach = math.pi * 112
    close(rope(q, positions=at), apply_rot_embed(q, sin, cos), f32_angles(reach, amplitude=2 * q.abs().max().item()))


@pytest.mark.parametrize("prefix, table", [(0, "swin"), (1, "beit")])
def test_timms_window(timm, prefix, table):
    theirs = timm.RelPosBias((4, 5), 3, prefix_tokens=prefix)
    torch.nn.init.normal_(theirs.relative_position_bias_table)
    ours = pt.RelativeBias("window", heads=3, height=4, width=5, table=table)
    ours.load_state_dict({"table": theirs.relative_position_bias_table})
    close(ours(20 + prefix, 20 + prefix), theirs.get_bias()[0], 0)


def test_timms_sincos_grid(timm):
    """Two tables of one axis each: y for the first half of the features, x for the second."""
    from timm.layers.pos_embed_sincos import build_sincos2d_pos_embed

    theirs = build_sincos2d_pos_embed([4, 5], dim=32, interleave_sin_cos=True)
    axis = pt.SinusoidalEncoding(dim=16, preset="marian", batch_first=True)
    y, x = axis.rows(4), axis.rows(5)
    ours = torch.cat([y[:, None].expand(4, 5, 16), x[None].expand(4, 5, 16)], -1).reshape(20, 32)
    close(ours, theirs, f32_angles(5))
