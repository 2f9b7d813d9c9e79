"""Modules as PyTorch users treat them: state dicts, copies, types, devices, attention, hostile input."""

import copy
import io
import pickle

import pytest
import torch
from cases import ABSOLUTE, BIASES, POINTS, ROTARY, absolute, bias, positions_for, rotary
from torch.nn.utils import parametrizations, parametrize, prune

import posenc.torch as pt

ALL = [(absolute, c) for c in ABSOLUTE] + [(rotary, c) for c in ROTARY] + [(bias, c) for c in BIASES]


def result(module, device="cpu", dtype=torch.float32):
    torch.manual_seed(1)
    if isinstance(module, pt.RelativeBias):
        return module.add(torch.randn(3, 4, 6, device=device).to(dtype))
    if isinstance(module, pt.RotaryEncoding):
        return module(torch.randn(5, 2, 8, device=device).to(dtype))
    at = positions_for(module, 1, 5, device)
    dim = module.rows(5, at).shape[-1]
    return module(torch.randn(5, dim, device=device).to(dtype), at)


@pytest.mark.parametrize("make, case", ALL)
def test_copies_and_checkpoints(make, case):
    module = make(case)
    assert set(module.state_dict()) == set(module.weight_names)  # nothing that is not learned
    stored = io.BytesIO()
    torch.save(module, stored)
    stored.seek(0)
    twins = [copy.deepcopy(module), pickle.loads(pickle.dumps(module)), torch.load(stored, weights_only=False)]
    other = make(case)
    other.load_state_dict(module.state_dict())
    for twin in (*twins, other):
        assert torch.equal(result(twin), result(module))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("make, case", ALL)
def test_types_and_devices(make, case, dtype, device):
    module = make(case).to(device, dtype)
    out = result(module, device, dtype)
    assert out.dtype == dtype and out.device.type == device and out.isfinite().all()


class Twice(torch.nn.Module):
    def forward(self, x):
        return 2 * x


def test_initial_values_under_a_parametrization():
    """By name: a parametrization puts its parameter behind the others."""
    module, twin = (pt.AbsoluteEncoding("learned", rows=9, dim=6, learned_scale=True, batch_first=True) for _ in range(2))
    parametrize.register_parametrization(module, "table", Twice())
    for each in (module, twin):
        torch.manual_seed(3)
        each.reset_parameters()
    assert torch.equal(module.table, 2 * twin.table) and torch.equal(module.alpha, twin.alpha) and twin.alpha == 1
    graph = pt.GraphBias(heads=2, edge_ids=3)
    parametrize.register_parametrization(graph, "table", Twice())
    graph.reset_parameters()
    assert graph.table.shape == graph.parametrizations.table.original.shape
    prune.l1_unstructured(twin, "table", amount=0.5)
    torch.manual_seed(3)
    twin.reset_parameters()
    assert torch.equal(twin.table_orig, module.parametrizations.table.original)
    parametrizations.weight_norm(module, "alpha")
    with pytest.raises(ValueError, match="expected alpha as a parameter to reset, got one that is made of several"):
        module.reset_parameters()


def test_types_are_rounded_once(device):
    """bf16 is the f32 result of the same input, rounded. On a GPU another kernel may fuse the f32 sum differently, and
    a number between two bf16 then go to the other one."""
    rope = pt.RotaryEncoding(dim=8, layout="half", heads_first=False)
    q = torch.randn(2, 500, 3, 8, device=device).bfloat16()
    torch.testing.assert_close(rope(q), rope(q.float()).bfloat16(), rtol=0 if device == "cpu" else 2**-7, atol=0)


def test_positions_of_every_kind(device):
    encoding = pt.SinusoidalEncoding(dim=6, batch_first=True)
    x = torch.randn(2, 3, 6, device=device)
    at = torch.tensor([4, 5, 6], device=device)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.float64):
        torch.testing.assert_close(encoding(x, at.to(dtype)), encoding(x, first=4))
    torch.testing.assert_close(encoding(x, at.expand(2, 3)), encoding(x, first=4))
    far = torch.tensor([2**40 + 1], device=device)
    torch.testing.assert_close(encoding.rows(1, far, device=device), encoding.rows(1, first=2**40 + 1, device=device))


def test_strides_and_layouts(device):
    rope = pt.RotaryEncoding(dim=8, layout="half", heads_first=False)
    first = pt.RotaryEncoding(dim=8, layout="half", heads_first=True)
    q = torch.randn(2, 3, 5, 8, device=device)
    torch.testing.assert_close(first(q), rope(q.transpose(1, 2)).transpose(1, 2), rtol=0, atol=0)
    wide = torch.randn(2, 5, 3, 16, device=device)[..., ::2]
    torch.testing.assert_close(rope(wide), rope(wide.contiguous()), rtol=0, atol=0)
    row = torch.randn(1, 1, 1, 8, device=device).expand(2, 5, 3, 8)
    torch.testing.assert_close(rope(row), rope(row.contiguous()), rtol=0, atol=0)


def test_zero_sizes(device):
    assert pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.empty(0, 3, 6, device=device)).shape == (0, 3, 6)
    assert pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.empty(2, 0, 6, device=device)).shape == (2, 0, 6)
    q, k = torch.empty(2, 0, 3, 8, device=device), torch.empty(2, 0, 1, 8, device=device)
    assert pt.RotaryEncoding(dim=8, layout="half", heads_first=False)(q, k)[1].shape == (2, 0, 1, 8)
    assert pt.RelativeBias("t5", heads=3, device=device)(0, 4).shape == (3, 0, 4)


@pytest.mark.parametrize(
    "kind, call",
    [
        (ValueError, lambda: pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.randn(2, 3, 7))),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.randn(6))),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.zeros(2, 3, 6, dtype=torch.int64))),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.zeros(2, 3, 6, dtype=torch.complex64))),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=6, batch_first=True)(torch.randn(2, 3, 6), torch.arange(4))),
        (ValueError, lambda: pt.LearnedEncoding(rows=2, dim=6, batch_first=True)(torch.randn(2, 3, 6))),
        (ValueError, lambda: pt.LearnedEncoding(rows=4, dim=6, batch_first=True)(torch.randn(3, 6), torch.tensor([0, -1, 2]))),
        (ValueError, lambda: pt.RotaryEncoding(dim=8, layout="half", heads_first=False)(torch.randn(5, 8))),
        (ValueError, lambda: pt.RotaryEncoding(dim=8, layout="half", heads_first=False)(torch.randn(5, 1, 8), torch.randn(4, 1, 8))),
        (ValueError, lambda: pt.RotaryEncoding(dim=8, heads_first=False)),
        (ValueError, lambda: pt.RotaryEncoding(dim=8, layout="halves", heads_first=False)),
        (TypeError, lambda: pt.RotaryEncoding(dim=8, layout="half", speed=3, heads_first=False)),
        (ValueError, lambda: pt.RelativeBias("alibis", heads=3)),
        (ValueError, lambda: pt.RelativeBias("rope", dim=8, layout="half")),
        (ValueError, lambda: pt.RelativeBias("alibi", heads=3).add(torch.randn(4, 5, 5))),
        (ValueError, lambda: pt.RelativeBias("window", height=2, width=2)(5, 5)),
        (ValueError, lambda: pt.RelativeBias("alibi", heads=3)(-1, 5)),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=-4, batch_first=True)),
        (ValueError, lambda: pt.SinusoidalEncoding(dim=2**62, batch_first=True)),
    ],
)
def test_hostile_input(kind, call):
    with pytest.raises((kind, RuntimeError)) as error:
        call()
    assert len(str(error.value)) > 10


def test_bias_in_place(device):
    module = pt.RelativeBias("t5", heads=3, device=device)
    scores = torch.randn(2, 3, 4, 6, device=device)
    with torch.no_grad():
        expected, address = module.add(scores, causal=True), scores.data_ptr()
        assert module.add_(scores, causal=True).data_ptr() == address
        torch.testing.assert_close(scores, expected)
    scores = torch.randn(2, 3, 4, 6, device=device)
    module.add_(scores).sum().backward()
    torch.testing.assert_close(module.table.grad.sum(), torch.tensor(2.0 * 3 * 4 * 6, device=device))


@pytest.mark.parametrize("case", [case for case in BIASES if case not in POINTS])
def test_attention_of_pytorch(case, device):
    flex_attention = pytest.importorskip("torch.nn.attention.flex_attention").flex_attention
    module = bias(case, device=device)
    q, k, v = (
        torch.randn(2, 3, 4, 8, device=device),
        torch.randn(2, 3, 6, 8, device=device),
        torch.randn(2, 3, 6, 8, device=device),
    )
    first = 0 if case in ("window", "continuous") else 2
    scores = module.add(q @ k.transpose(-1, -2), scale=8**-0.5, first_query=first)
    expected = torch.softmax(scores, -1) @ v
    mask = pt.attention_bias(module, q, k, first_query=first)
    ours = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(ours, expected)
    mod = pt.score_mod(module, 4, 6, first_query=first, device=device)
    torch.testing.assert_close(flex_attention(q, k, v, score_mod=mod), expected)


@pytest.mark.parametrize("case", POINTS)
def test_attention_of_pytorch_with_several_axes(case, device):
    module, q = bias(case, device=device), torch.randn(1, 3, 4, 8, device=device)
    for call in (lambda: pt.attention_bias(module, q, q), lambda: pt.score_mod(module, 4)):
        with pytest.raises(ValueError, match=f"got {case}, whose positions have several axes"):
            call()
    at = positions_for(module, 1, 4, device)
    mask = module(4, query_positions=at, key_positions=at)  # [rows, heads, queries, keys]
    ours = torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    scores = module.add(q @ q.transpose(-1, -2), scale=8**-0.5, query_positions=at, key_positions=at)
    torch.testing.assert_close(ours, torch.softmax(scores, -1) @ q)


def test_causal_mask_of_sdpa(device):
    module = pt.RelativeBias("alibi", heads=3)
    q = torch.randn(1, 3, 5, 8, device=device)
    ours = torch.nn.functional.scaled_dot_product_attention(
        q, q, q, attn_mask=pt.attention_bias(module, q, q, causal=True)
    )
    scores = module.add(q @ q.transpose(-1, -2), scale=8**-0.5)
    scores = scores.masked_fill(torch.ones(5, 5, device=device).triu(1).bool(), float("-inf"))
    torch.testing.assert_close(ours, torch.softmax(scores, -1) @ q)


@pytest.mark.parametrize(
    "learned",
    [
        {"frequencies": {"type": "learned", "heads": 2, "axes": 1}},
        {"frequencies": {"type": "fourier", "heads": 2, "max_position_embeddings": 40}},
        {"phases": {"type": "learned", "heads": 2}},
    ],
)
def test_rows_of_heads(learned, device):
    rope = pt.RotaryEncoding(dim=8, layout="half", device=device, **learned, heads_first=False)
    k = torch.randn(5, 2, 8, device=device)
    (cos, sin), (a, b) = rope.cos_sin(5), k.chunk(2, -1)
    torch.testing.assert_close(rope.turn(k, "k"), torch.cat([a * cos - b * sin, a * sin + b * cos], -1))
    assert rope.softmax_factor == 1


def test_learned_frequencies_of_what_shares_memory():
    """Queries and keys of one tensor, heads that are one row, and gradients that are one number."""
    rope = pt.RotaryEncoding(dim=8, layout="half", frequencies="learned", heads_first=False)
    x = torch.randn(2, 5, 1, 8, requires_grad=True)

    def gradients(spread):
        heads = spread(x)
        q, k = rope(heads, heads)
        first = torch.autograd.grad((q * k.cumsum(1)).sum() + q.sum(), [x, *rope.parameters()], create_graph=True)
        return *first, torch.autograd.grad(first[0].sum(), x)[0]

    shared = gradients(lambda t: t.expand(-1, -1, 3, -1))
    for ours, theirs in zip(shared, gradients(lambda t: t.repeat(1, 1, 3, 1))):
        torch.testing.assert_close(ours, theirs)
