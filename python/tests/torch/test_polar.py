"""Features as lengths of pairs, beside PyTorch's softplus."""

import pytest
import torch

import posenc.torch as pt
from posenc.torch import _native


def polar(x, layout):
    lengths = torch.nn.functional.softplus(x, threshold=1e9)
    pairs = torch.stack([lengths, torch.zeros_like(x)], dim=-1)
    return pairs.flatten(-2) if layout == "interleaved" else pairs.transpose(-1, -2).flatten(-2)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_polar_features(layout, elsewhere, device, monkeypatch):
    if elsewhere:
        monkeypatch.setattr(_native, "has_kernel_for", lambda x: False)
    x = (4 * torch.randn(2, 3, 5, dtype=torch.float64, device=device)).requires_grad_()
    torch.testing.assert_close(pt.to_polar(x, layout), polar(x, layout), rtol=0, atol=1e-14)
    assert torch.autograd.gradcheck(lambda t: pt.to_polar(t, layout), x)
    assert torch.autograd.gradgradcheck(lambda t: pt.to_polar(t, layout), x)


def test_polar_ops(device):
    x = torch.randn(2, 5, device=device, requires_grad=True)
    torch.library.opcheck(torch.ops.posenc.to_polar, (x, "half"))
    torch.library.opcheck(torch.ops.posenc.to_polar_gradient, (x, torch.randn(2, 10, device=device), "interleaved"))
    run = torch.compile(lambda t: pt.to_polar(t) * 2, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(run(x), 2 * pt.to_polar(x))
    assert pt.to_polar(x.to("meta")).shape == (2, 10)
    with pytest.raises(ValueError, match="expected layout half or interleaved, got 'halves'"):
        pt.to_polar(x, "halves")
    with pytest.raises(TypeError, match="got list"):
        pt.to_polar([1.0])
    with pytest.raises(ValueError, match="expected floats"):
        pt.to_polar(torch.ones(3, dtype=torch.int64))
