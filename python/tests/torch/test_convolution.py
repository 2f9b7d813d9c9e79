"""Convolutions as modules, beside PyTorch's and those of transformers."""

import pytest
import torch
from cases import captured_step_follows
from torch._subclasses import FakeTensorMode

import posenc.torch as pt
from posenc.torch.convolution import by_torch

CASES = {
    "wav2vec2": (dict(dim=6, kernel=4, groups=2), None),
    "data2vec": (dict(preset="data2vec-audio", dim=6, kernel=3, groups=3, layers=2), None),
    "peg": (dict(preset="peg", dim=5, groups=5), (2, 4)),
    "cpvt": (dict(preset="cpvt", dim=6, groups=6, kernel=5), (4, 2)),
    "grid normed": (dict(dim=4, groups=1, kernel=2, coordinates=2), (2, 4)),
}
F64 = torch.float64


def module_of(case, **how):
    options, grid = CASES[case]
    module = pt.ConvolutionEncoding(**options, **how, batch_first=True)
    return module, grid, module.options.get("prefix", 0)


def inputs(module, prefix, **how):
    return torch.randn(2, 8 + prefix, module.options["dim"], **how)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("add_input", [True, False])
def test_beside_pytorch(case, add_input, device):
    module, grid, prefix = module_of(case, dtype=F64, device=device)
    x = inputs(module, prefix, dtype=F64, device=device, requires_grad=True)
    out = module(x, grid, add_input=add_input)
    want = by_torch(x, *(grid or (0, 0)), add_input, module.handle, module.weights)
    torch.testing.assert_close(out, want, rtol=0, atol=1e-12)
    dout, asked = torch.randn_like(out), (x, *module.parameters())
    for told, truth in zip(torch.autograd.grad(out, asked, dout), torch.autograd.grad(want, asked, dout)):
        torch.testing.assert_close(told, truth, rtol=0, atol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_gradients_ops_and_compilation(case, device):
    module, grid, prefix = module_of(case, dtype=F64, device=device)
    x = inputs(module, prefix, dtype=F64, device=device, requires_grad=True)
    names = [name for name, _ in module.named_parameters()]

    def called(x, *weights):
        return torch.func.functional_call(module, dict(zip(names, weights)), (x, grid))

    assert torch.autograd.gradcheck(called, (x, *module.parameters()), fast_mode=True)
    if device == "cpu":
        rest = (*(grid or (0, 0)), True, module.handle, module.weights)
        torch.library.opcheck(torch.ops.posenc.convolve, (x, *rest))
        plain = (torch.randn_like(x), x.detach(), *rest[:-1], [w.detach() for w in rest[-1]])
        torch.library.opcheck(torch.ops.posenc.convolution_gradients, plain)
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x, grid), module(x, grid))


@pytest.mark.parametrize("case", CASES)
def test_what_other_devices_run_compiles(case, device):
    module, grid, prefix = module_of(case, dtype=F64, device=device)
    x = inputs(module, prefix, dtype=F64, device=device)

    def called(x):
        return by_torch(x, *(grid or (0, 0)), True, module.handle, module.weights)

    torch._dynamo.reset()
    compiled = torch.compile(called, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), called(x))


@pytest.mark.parametrize("add_input", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_the_host_reads_nothing_of_a_device(case, add_input):
    """What CUDA tensors run, on tensors without values, to read which raises an error: forward and backward ask for none."""
    with FakeTensorMode():
        module, grid, prefix = module_of(case)
        x = inputs(module, prefix, requires_grad=True)
        out = by_torch(x, *(grid or (0, 0)), add_input, module.handle, module.weights)
        asked = (x, *module.parameters())
        told = torch.autograd.grad(out, asked, torch.empty_like(out))
        assert out.shape == x.shape and [t.shape for t in told] == [t.shape for t in asked]
        with pytest.raises(torch._subclasses.fake_tensor.DataDependentOutputException):  # as it would be told
            x.sum().item()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("case", CASES)
def test_a_step_of_training_in_a_cuda_graph(case):
    module, grid, prefix = module_of(case, device="cuda")
    x = inputs(module, prefix, device="cuda", requires_grad=True)
    dout = torch.randn_like(x)

    def step():
        out = module(x, grid)
        return out.detach(), *torch.autograd.grad(out, (x, *module.parameters()), dout)

    captured_step_follows(module, step)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_types_are_rounded_once(dtype, device):
    module, grid, prefix = module_of("wav2vec2", device=device)
    x = inputs(module, prefix, device=device).to(dtype)
    out = module(x, grid)
    assert out.dtype == dtype
    # Results are below 8, and what is rounded was off by an ulp of f32.
    torch.testing.assert_close(out.float(), module(x.float(), grid), rtol=0, atol=4 * torch.finfo(dtype).eps)


def test_checkpoints_of_transformers():
    transformers = pytest.importorskip("transformers")
    sizes = dict(hidden_size=12, num_conv_pos_embedding_groups=3)
    from transformers.models.data2vec import modeling_data2vec_audio as data2vec
    from transformers.models.wav2vec2 import modeling_wav2vec2 as wav2vec2

    theirs = wav2vec2.Wav2Vec2PositionalConvEmbedding(
        transformers.Wav2Vec2Config(**sizes, num_conv_pos_embeddings=6)
    ).double()
    ours = pt.ConvolutionEncoding(dim=12, groups=3, kernel=6, dtype=F64, batch_first=True)
    state = {name.rsplit(".", 1)[-1]: value for name, value in theirs.state_dict().items()}
    state = {{"original0": "weight_g", "original1": "weight_v"}.get(k, k): v for k, v in state.items()}
    ours.load_state_dict(state)
    x = torch.randn(2, 9, 12, dtype=F64)
    torch.testing.assert_close(ours(x, add_input=False), theirs(x), rtol=0, atol=1e-12)

    config = transformers.Data2VecAudioConfig(**sizes, conv_pos_kernel_size=5, num_conv_pos_embeddings=2)
    theirs = data2vec.Data2VecAudioPositionalConvEmbedding(config).double()
    ours = pt.ConvolutionEncoding("data2vec", dim=12, groups=3, kernel=5, layers=2, dtype=F64, batch_first=True)
    ours.load_state_dict({name.replace(".conv", ""): value for name, value in theirs.state_dict().items()})
    torch.testing.assert_close(ours(x, add_input=False), theirs(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(0, 8, 6), (2, 0, 6)])
def test_nothing_to_do(shape, device):
    module, grid, _ = module_of("wav2vec2", device=device)
    x = torch.ones(shape, device=device)
    assert module(x).shape == by_torch(x, 0, 0, True, module.handle, module.weights).shape == shape


@pytest.mark.parametrize("add_input", [True, False])
def test_no_tokens_beyond_the_prefix(add_input):
    module, _, prefix = module_of("cpvt")
    assert prefix == 1
    x = torch.randn(1, 1, 6)
    want = x if add_input else torch.zeros_like(x)
    assert torch.equal(module(x, add_input=add_input), want)
    assert torch.equal(by_torch(x, 0, 0, add_input, module.handle, module.weights), want)


@pytest.mark.parametrize("on", ["library", "pytorch"])
def test_refusals(on):
    for case, x, grid, sentence in (
        ("wav2vec2", torch.ones(1, 8, 6, dtype=torch.int64), (0, 0), r"expected x as .*\[\.\.\., tokens, 6\], got "),
        ("wav2vec2", torch.ones(1, 8, 5), (0, 0), r"expected x as .*\[\.\.\., tokens, 6\], got "),
        ("wav2vec2", torch.ones(6), (0, 0), r"expected x as .*\[\.\.\., tokens, 6\], got "),
        ("wav2vec2", torch.ones(1, 8, 6), (2, 4), "expected no height and width of .* over time, got 2 and 4"),
        ("peg", torch.ones(1, 8, 5), (3, 3), "expected height x width of 8 patches, got 3 x 3"),
        ("peg", torch.ones(1, 8, 5), (0, 0), "expected height x width of 8 patches, got 0 x 0"),
        ("peg", torch.ones(1, 8, 5), (-2, -4), "expected height x width of 8 patches, got -2 x -4"),
        ("cpvt", torch.ones(1, 0, 6), (0, 0), "expected at least 1 tokens, got 0"),
    ):
        module = module_of(case)[0]
        run = torch.ops.posenc.convolve if on == "library" else by_torch
        with pytest.raises(ValueError, match=rf"\[convolve\] {sentence}"):
            run(x, *grid, True, module.handle, module.weights)


def test_discipline():
    module, grid, _ = module_of("data2vec", device="meta")
    assert list(module.state_dict()) == ["layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias"]
    assert module(torch.empty(2, 9, 6, device="meta")).shape == (2, 9, 6)
    assert "layers=2" in repr(module)
    with pytest.raises(TypeError, match="expected a tensor of PyTorch as x, got list"):
        module([1.0])
    with pytest.raises(ValueError, match="expected convolution scheme, got alibi"):
        pt.ConvolutionEncoding("alibi", batch_first=True)
    with pytest.raises(ValueError, match="height x width of 8 patches, got 3 x 3"):
        module_of("peg")[0](torch.ones(1, 8, 5), (3, 3))
    with pytest.raises(ValueError, match=r"tokens, 6\], got f32 \[1, 8, 5\]"):
        module_of("wav2vec2")[0](torch.ones(1, 8, 5))
