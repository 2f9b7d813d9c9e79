"""The rotation through the package `kernels`, as transformers uses it."""

import sys

import pytest
import torch
from rotating_models import ROTATING

import posenc.torch as pt
from posenc.torch import _rotation_forms, hub


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
    with kernels.use_kernel_mapping(pt.kernel_mapping()):
        model = kernels.kernelize(Attention(), mode=kernels.Mode.TRAINING | kernels.Mode.TORCH_COMPILE, device="cpu")
    torch.testing.assert_close(model(*given), want)
    assert (hub._instead(type(rotate)).__name__ == "rotate") == (function is turned)


def kernels_of_transformers():
    """The package, where this transformers takes notice of it."""
    kernels = pytest.importorskip("kernels")
    found = pytest.importorskip("transformers.utils.import_utils")
    if not hasattr(found, "is_kernels_available") or not found.is_kernels_available():
        pytest.skip("transformers wants another version of kernels")
    return kernels


def results(model, grad):
    """Logits and, with grad, gradients of all parameters."""
    ids = torch.arange(22).reshape(2, 11) % 50
    with torch.set_grad_enabled(grad):
        logits = model(input_ids=ids).logits
        loss = (logits * torch.linspace(-1, 1, logits.numel()).reshape(logits.shape)).sum()
        return [logits.detach(), *(torch.autograd.grad(loss, list(model.parameters())) if grad else ())]


def kernelized(kernels, model, mode):
    with kernels.use_kernel_mapping(pt.kernel_mapping()):
        kernels.kernelize(model, mode=mode, device="cpu")


@pytest.mark.parametrize("mode", ["INFERENCE", "TRAINING"])
@pytest.mark.parametrize("name", ["llama", "qwen3", "gpt-oss"])
def test_models(name, mode, monkeypatch):
    kernels, calls, turn = kernels_of_transformers(), [], _rotation_forms.Rotation.turn
    monkeypatch.setattr(_rotation_forms.Rotation, "turn", lambda self, *given: calls.append(1) or turn(self, *given))
    model, training = ROTATING[name]().train(mode == "TRAINING"), mode == "TRAINING"
    want = results(model, training)
    kernelized(kernels, model, getattr(kernels.Mode, mode))
    results(model, training)  # which tries the function once
    calls.clear()
    torch.testing.assert_close(results(model, training), want, rtol=1e-4, atol=1e-5)
    assert len(calls) == model.config.num_hidden_layers


@pytest.mark.parametrize("first", ["patch", "kernels"])
def test_beside_patch(first, monkeypatch):
    """Whichever comes first, patch finds functions that `kernels` wraps, and what it replaced stays replaced."""
    kernels, model = kernels_of_transformers(), ROTATING["llama"]()
    want = results(model, True)
    if first == "kernels":
        kernelized(kernels, model, kernels.Mode.TRAINING)
    patched = pt.patch(model)
    if first == "patch":
        kernelized(kernels, model, kernels.Mode.TRAINING)
    assert "self_attn and 1 more: rotation" in str(patched)
    torch.testing.assert_close(results(model, True), want, rtol=1e-4, atol=1e-5)
    patched.undo()
    torch.testing.assert_close(results(model, True), want, rtol=1e-4, atol=1e-5)


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
