"""The op that rotates queries and keys by tables that others made."""

import pytest
import torch

import posenc.torch  # noqa: F401  the op


@pytest.mark.parametrize("layout", ["half", "interleaved", "interleaved-in-half-out"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("heads_first", [False, True])
def test_the_op(layout, last, heads_first, device):
    """Against the formula, for each row of the batch its own table; PyTorch's checks of an op."""
    cos, sin = torch.randn(2, 2, 5, 3, dtype=torch.float64, device=device)
    x = [torch.randn(2, 5, h, 10, dtype=torch.float64, device=device, requires_grad=True) for h in (3, 2)]
    given = [t.transpose(1, 2) if heads_first else t for t in x]
    out = torch.ops.posenc.rotate_by(given, cos, sin, False, layout, last, heads_first)
    for t, y in zip(x, out):
        y = y.transpose(1, 2) if heads_first else y
        part, turned = (t[..., 4:], y[..., 4:]) if last else (t[..., :6], y[..., :6])
        a, b = (part[..., :3], part[..., 3:]) if layout == "half" else (part[..., ::2], part[..., 1::2])
        c, s = cos[:, :, None], sin[:, :, None]
        want = torch.stack((a * c - b * s, b * c + a * s), dim=-1 if layout == "interleaved" else -2).flatten(-2)
        torch.testing.assert_close(turned, want)
        rest = (t[..., :4], y[..., :4]) if last else (t[..., 6:], y[..., 6:])
        assert torch.equal(*rest)
    assert torch.autograd.gradcheck(
        lambda *t: torch.ops.posenc.rotate_by(list(t), cos, sin, False, layout, last, heads_first), given
    )
    torch.library.opcheck(torch.ops.posenc.rotate_by.default, (given, cos, sin, False, layout, last, heads_first))


def test_the_op_without_kernels(monkeypatch, device):
    from posenc.torch import _native

    cos, sin = torch.randn(2, 2, 5, 3, device=device)
    x = [torch.randn(2, h, 5, 10, device=device) for h in (3, 2)]
    ways = [(a, layout, last) for a in (False, True) for layout in ("half", "interleaved-in-half-out") for last in (False, True)]
    ours = [torch.ops.posenc.rotate_by(x, cos, sin, *way, True) for way in ways]
    monkeypatch.setattr(_native, "has_kernel_for", lambda t: False)
    for way, want in zip(ways, ours):
        torch.testing.assert_close(torch.ops.posenc.rotate_by(x, cos, sin, *way, True), want)
