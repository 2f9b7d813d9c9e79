"""Ops: PyTorch's own checks of registration, gradients and tracing, for every scheme."""

import pytest
import torch
from cases import ABSOLUTE, BIASES, CONTENT, POINTS, ROTARY, absolute, bias, positions_for, rotary

import posenc.torch as pt

F64 = torch.float64


def parameters(module):
    return tuple(module.parameters())


def with_parameters(module, call, tensors):
    """call(module) as a function of tensors and of the module's parameters, for gradcheck."""
    names = [name for name, _ in module.named_parameters()]

    def f(*arguments):
        given = dict(zip(names, arguments[len(tensors) :]))
        return torch.func.functional_call(
            _Called(module, call), {f"module.{n}": g for n, g in given.items()}, arguments[: len(tensors)]
        )

    return f, (*tensors, *parameters(module))


class _Called(torch.nn.Module):
    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module, call

    def forward(self, *tensors):
        return self.call(self.module, *tensors)


def check_gradients(module, call, *tensors, second=False):
    f, arguments = with_parameters(module, call, tensors)
    if not any(a.requires_grad for a in arguments):
        return
    assert torch.autograd.gradcheck(f, arguments, fast_mode=True)
    if second:
        assert torch.autograd.gradgradcheck(f, arguments, fast_mode=True)


def normal(*shape, device="cpu"):
    return torch.randn(*shape, dtype=F64, device=device, requires_grad=True)


@pytest.mark.parametrize("case", ABSOLUTE)
def test_gradients_of_rows(case, device):
    module = absolute(case, device=device, dtype=F64)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    at = positions_for(module, 2, 3, device)
    dim = module.rows(3, at).shape[-1]
    second = case in ("sinusoidal", "learned")
    check_gradients(module, lambda m, x: m(x, at), normal(2, 3, dim, device=device), second=second)
    if "learned" in case or case == "sinusoidal":
        ids = torch.randint(0, 5, (2, 3), device=device)
        check_gradients(module, lambda m, e: m.embed(ids, e, at, scale=2), normal(5, dim, device=device), second=second)


@pytest.mark.parametrize("heads_first", [False, True])
@pytest.mark.parametrize("case", ROTARY)
def test_gradients_of_turns(case, heads_first, device):
    module = rotary(case, device=device, dtype=F64, heads_first=heads_first)
    shapes = [(2, 2, 5, 8), (2, 2, 5, 8)] if heads_first else [(2, 5, 2, 8), (2, 5, 2, 8)]
    q, k = (normal(*s, device=device) for s in shapes)
    at = torch.randint(0, 9, (2, 5), device=device)
    check_gradients(module, lambda m, q, k: m(q, k, at), q, k, second="learned" not in case)
    check_gradients(module, lambda m, k: m.turn(k, "k"), k)


@pytest.mark.parametrize("roles", ["q", "k"])
@pytest.mark.parametrize("case", [c for c in ROTARY if "learned" in c])
def test_frequencies_in_the_gradient_of_turns(case, roles, device):
    """A second derivative, by queries and then by frequencies: the gradient by queries is turned back by these frequencies."""
    module = rotary(case, device=device, dtype=F64)
    x, dy = normal(2, 5, 2, 8, device=device), normal(2, 5, 2, 8, device=device)
    at = torch.randint(0, 9, (2, 5), device=device)

    def slope(m, x, dy):
        return torch.autograd.grad(m.turn(x, roles, at), x, dy, create_graph=True)[0]

    f, arguments = with_parameters(module, slope, (x, dy))
    assert torch.autograd.gradcheck(lambda *given: f(x, *given), arguments[1:])


@pytest.mark.parametrize("case", BIASES)
def test_gradients_of_biases(case, device):
    module = bias(case, device=device, dtype=F64)
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, 0.3, 1.2)
    linear = case.split()[0] in ("t5", "clipped", "window", "alibi", "proximal", "sandwich")
    how = dict(scale=0.5, scale_sum=case != "t5")
    check_gradients(module, lambda m, s: m.add(s, **how), normal(2, 3, 4, 6, device=device), second=linear)
    if parameters(module):
        check_gradients(module, lambda m: m(4, 6), second=linear)
    if case in POINTS:
        where = {f"{of}_positions": positions_for(module, 2, n, device) for of, n in (("query", 4), ("key", 6))}
        check_gradients(module, lambda m, s: m.add(s, **how, **where), normal(2, 3, 4, 6, device=device))


@pytest.mark.parametrize("causal", [False, True])
def test_second_gradients_where_keys_are_masked(causal, device):
    """By the gradient that scores get: none where keys come after the query."""
    module = bias("t5", device=device, dtype=F64)
    rest = (0.5, True, None, None, 1, 0, 0, causal, module.handle, [w.detach() for w in module.weights])
    slope = lambda dout: torch.ops.posenc.bias_gradients(dout, *rest)[0]  # noqa: E731
    assert torch.autograd.gradcheck(slope, normal(2, 3, 4, 6, device=device))


@pytest.mark.parametrize("rows", [1, 6])
def test_second_gradients_beside_batches_of_several_axes(rows, device):
    """Rows of positions are those of the whole batch, flattened."""
    at = torch.arange(rows * 4, device=device).view(rows, 4) % 7
    table, t5 = absolute("learned", device=device, dtype=F64), bias("t5", device=device, dtype=F64)
    places = (at, None, 0, 0, 0, False, t5.handle, [w.detach() for w in t5.weights])
    slopes = {
        (2, 3, 4, 6): lambda dout: torch.ops.posenc.weight_gradients(dout, at, 0, table.handle, [w.detach() for w in table.weights])[0],
        (2, 3, 3, 4, 5): lambda dout: torch.ops.posenc.bias_gradients(dout, 1.0, False, *places)[0],
    }
    for shape, slope in slopes.items():
        assert torch.autograd.gradcheck(slope, normal(*shape, device=device), fast_mode=True)


@pytest.mark.parametrize("case", CONTENT)
def test_gradients_of_terms(case, device):
    module = pt.ContentTerm(case.split()[0], **CONTENT[case], device=device, dtype=F64)
    for parameter in module.parameters():
        if case == "kerple-weight":  # within the bounds at which it is read
            torch.nn.init.uniform_(parameter, 0.1, 1.5)
        else:
            torch.nn.init.normal_(parameter)
    scores, q, k = (
        normal(2, 2, 3, 4, device=device),
        normal(2, 3, 2, 4, device=device),
        normal(2, 4, 2, 4, device=device),
    )
    gates = (torch.randn(2, 4, 2, dtype=F64, device=device) - 3).requires_grad_()
    reads = {
        "shaw": "q",
        "music-transformer": "q",
        "transformer-xl": "qk",
        "deberta": "qk",
        "cope": "q",
        "forgetting": "g",
        "segments": "q",
        "decomposed": "q",
        "gated-t5": "q",
        "forgetting-rows": "qk",
        "kerple-weight": "",
    }
    read = reads[module.scheme]

    def call(m, scores, *rest):
        given = dict(zip(read, rest))
        return m(scores, given.get("q"), given.get("k"), given.get("g"), first_query=1)

    check_gradients(module, call, scores, *({"q": q, "k": k, "g": gates}[r] for r in read))


@pytest.mark.parametrize("case", ["sinusoidal", "learned"])
def test_opcheck_of_absolute_ops(case, device):
    module, ops = absolute(case, device=device), torch.ops.posenc
    x = torch.randn(2, 3, 6, device=device, requires_grad=True)
    at = torch.tensor([[1, 2, 3], [0, 0, 5]], device=device)
    for positions in (None, at):
        rest = (positions, 1, module.handle, module.weights)
        torch.library.opcheck(ops.add, (x, *rest))
        torch.library.opcheck(ops.rows, (x.detach(), 3, *rest))
        ids = torch.randint(0, 5, (2, 3), device=device)
        embedding = torch.randn(5, 6, device=device, requires_grad=True)
        torch.library.opcheck(ops.embed, (ids, embedding, 2.0, *rest))


@pytest.mark.parametrize("case", ["half", "learned", "dynamic"])
def test_opcheck_of_turns(case, device):
    module = rotary(case, device=device)
    q = torch.randn(2, 3, 4, 8, device=device, requires_grad=True)
    k = torch.randn(2, 3, 2, 8, device=device).transpose(0, 1).contiguous().transpose(0, 1)
    q = q[:, :, :2] if "learned" in case else q
    rest = (0, 0, module.handle, module.weights, False)
    torch.library.opcheck(torch.ops.posenc.turn, ([q, k], False, "qk", None, *rest))
    at = torch.tensor([[1, 2, 3], [0, 0, 5]], device=device)
    torch.library.opcheck(torch.ops.posenc.turn, ([k], False, "k", at, *rest))


@pytest.mark.parametrize("arrangement", ["twice", "each"])
def test_opcheck_of_tables(arrangement, device):
    torch.library.opcheck(torch.ops.posenc.repeated_cos_sin, (torch.randn(2, 3, 8, device=device), arrangement))


@pytest.mark.parametrize("case", ["alibi", "t5", "fire"])
def test_opcheck_of_biases(case, device):
    module, ops = bias(case, device=device), torch.ops.posenc
    scores = torch.randn(2, 3, 4, 6, device=device, requires_grad=True)
    rest = (None, None, 2, 0, 0, True, module.handle, module.weights)
    torch.library.opcheck(ops.add_bias, (scores, 0.5, True, *rest))
    torch.library.opcheck(ops.add_bias_, (scores.detach().clone(), 0.5, True, *rest))
    torch.library.opcheck(ops.bias, (scores.detach(), 3, 4, 6, *rest))


def test_opcheck_of_terms(device):
    module = pt.ContentTerm("shaw", **CONTENT["shaw"], device=device)
    scores = torch.randn(2, 2, 3, 5, device=device, requires_grad=True)
    q = torch.randn(2, 3, 2, 4, device=device, requires_grad=True)
    rest = (None, None, 2, 0, 0, False, module.handle, module.weights)
    torch.library.opcheck(torch.ops.posenc.add_term, (scores, q, None, None, 1.0, False, *rest))


def _calls():
    """Ops with arguments of which some want a gradient."""
    rope = pt.RotaryEncoding(dim=8, layout="half", frequencies="learned", heads_first=False)
    learned, t5 = pt.LearnedEncoding(rows=20, dim=6, batch_first=True), pt.RelativeBias("t5", heads=2)
    torch.manual_seed(0)
    q, k, x = torch.randn(2, 5, 4, 8), torch.randn(2, 5, 2, 8), torch.randn(3, 5, 6)
    ids, words, scores = torch.randint(0, 9, (3, 5)), torch.randn(9, 6), torch.randn(3, 2, 4, 7)
    places = (None, None, 3, 0, 0, True)
    yield "turn", ([q, k], False, "qk", None, 3, 0, rope.handle, rope.weights, False)
    yield "add", (x, None, 2, learned.handle, learned.weights)
    yield "embed", (ids, words, 1.5, None, 2, learned.handle, learned.weights)
    yield "add_bias", (scores, 0.5, False, *places, t5.handle, t5.weights)


@pytest.mark.parametrize("name", ["turn", "add", "embed", "add_bias"])
def test_the_short_way_is_that_of_the_op(name):
    from posenc.torch._registry import select_impl

    arguments = dict(_calls())[name]
    leaves = torch.utils._pytree.tree_leaves(arguments)
    floats = [t for t in leaves if isinstance(t, torch.Tensor) and t.is_floating_point()]
    results = []
    for short in (True, False):
        for t in floats:
            t.requires_grad_().grad = None
        call = select_impl(name, *floats) if short else getattr(torch.ops.posenc, name)
        out = call(*arguments)
        made = out if isinstance(out, list) else [out]
        assert all(("Step" in t.grad_fn.name()) == short for t in made)
        sum((t * torch.arange(1.0, t.numel() + 1).reshape(t.shape)).sum() for t in made).backward()
        results.append([*made, *(t.grad for t in floats)])
    for ours, theirs in zip(*results):
        assert torch.equal(ours, theirs)


def test_many_gradients_at_a_time_are_told():
    rope, q = pt.RotaryEncoding(dim=8, layout="half", heads_first=False), torch.randn(1, 3, 1, 8, requires_grad=True)
    with pytest.raises(RuntimeError, match="Batching rule not implemented"):
        torch.autograd.grad(rope(q), q, torch.randn(2, 1, 3, 1, 8), is_grads_batched=True)
