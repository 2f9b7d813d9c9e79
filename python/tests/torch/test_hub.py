"""The rotation through the package `kernels`, as transformers uses it."""

import sys

import pytest
import torch

import posenc.torch as pt
from posenc.torch import hub


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def turned(q, k, cos, sin, unsqueeze_dim=1):
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def other(q, k, cos, sin, unsqueeze_dim=1):
    return q + cos.unsqueeze(unsqueeze_dim), k + sin.unsqueeze(unsqueeze_dim)


def heads():
    q, k, cos, sin = torch.randn(2, 3, 5, 8), torch.randn(2, 2, 5, 8), torch.randn(2, 5, 4), torch.randn(2, 5, 4)
    return q, k, cos.repeat(1, 1, 2), sin.repeat(1, 1, 2)


@pytest.mark.parametrize("function", [turned, other])
def test_kernelized_functions(function, monkeypatch):
    kernels = pytest.importorskip("kernels")
    monkeypatch.setattr(hub, "_expect_versions", lambda: None)  # this model is none of transformers
    rotate = kernels.use_kernel_forward_from_hub("rotary_pos_emb")(function)

    @kernels.use_kernelized_func(rotate)
    class Attention(torch.nn.Module):
        def forward(self, *given):
            return rotate(*given)

    given = heads()
    want = function(*given)
    with kernels.use_kernel_mapping(pt.kernel_mapping("cpu")):
        model = kernels.kernelize(Attention(), mode=kernels.Mode.TRAINING | kernels.Mode.TORCH_COMPILE, device="cpu")
    torch.testing.assert_close(model(*given), want)
    assert (hub._instead(type(rotate)).__name__ == "rotate") == (function is turned)


def test_without_kernels(monkeypatch):
    monkeypatch.setitem(sys.modules, "kernels", None)
    with pytest.raises(ImportError, match="expected the package kernels, got none: pip install kernels"):
        pt.kernel_mapping()


def test_versions_that_transformers_refuses(monkeypatch):
    found = pytest.importorskip("transformers.utils.import_utils")
    if not hasattr(found, "KERNELS_MIN_VERSION"):
        pytest.skip("of a transformers without bounds")
    monkeypatch.setattr(found, "is_kernels_available", lambda: False)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.1.0")
    with pytest.raises(ImportError, match=f"expected kernels from {found.KERNELS_MIN_VERSION} on.*got 0.1.0"):
        hub._expect_versions()
