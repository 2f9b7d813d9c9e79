"""Graphormer's biases as a module, beside those on NumPy."""

import numpy as np
import pytest
import torch
import torch._dynamo.testing
import torch.nn.utils.parametrize
from torch._subclasses import FakeTensorMode

import posenc.torch as pt
from cases import captured_step_follows
from posenc.graph import SpatialBias
from posenc.torch import _graph_paths

EDGES = torch.tensor([[0, 1], [1, 2], [1, 3], [3, 4], [4, 0]])
KINDS = torch.tensor([2, 0, 1, 1, 2])
F64 = torch.float64


def case(edge_ids, device="cpu", dtype=F64):
    module = pt.GraphBias(heads=2, distances=6, edge_ids=edge_ids, max_hops=2, device=device, dtype=dtype)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    return module, KINDS.to(device) if edge_ids else None


@pytest.mark.parametrize("edge_ids", [0, 3])
def test_biases_and_their_gradients(edge_ids, device):
    module, kinds = case(edge_ids, device)
    numbers = {name: p.detach().cpu().numpy() for name, p in module.named_parameters()}
    plain = SpatialBias(heads=2, distances=6, edge_ids=edge_ids, max_hops=2)
    want = plain.bias(EDGES, numbers, KINDS if edge_ids else None, dtype="float64", nodes=6)
    got = module(EDGES.to(device), 6, kinds)
    assert got.device.type == device
    exact = 0 if device == "cpu" else 1e-15  # PyTorch adds up in an order of its own
    torch.testing.assert_close(got.detach().cpu(), torch.tensor(want), rtol=0, atol=exact)
    names = [name for name, _ in module.named_parameters()]

    def called(*weights):
        return torch.func.functional_call(module, dict(zip(names, weights)), (EDGES.to(device), 6, kinds))

    assert torch.autograd.gradcheck(called, tuple(module.parameters()))


@pytest.mark.parametrize("edge_ids", [0, 3])
def test_ops_and_compilation(edge_ids, device):
    module, kinds = case(edge_ids, device, torch.float32)
    edges = EDGES.to(device)
    arguments = (edges, kinds, 6, False, "found", module.handle, list(module.parameters()))
    if device == "cpu":
        torch.library.opcheck(torch.ops.posenc.graph_bias, arguments)
    torch.library.opcheck(torch.ops.posenc.shortest_paths, (edges, 6, False, "found"))
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(edges, 6, kinds), module(edges, 6, kinds))
    assert torch.equal(module(edges.T, 6, kinds), module(edges, 6, kinds))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("edge_ids", [0, 3])
def test_what_other_devices_run(edge_ids, directed, device):
    """PyTorch's ops beside the library, on graphs with edges listed again, loops and nodes without a path."""
    module, _ = case(edge_ids)
    for seed, nodes in ((1, 1), (2, 6), (3, 9), (4, 14)):
        random = torch.Generator().manual_seed(seed)
        edges = torch.randint(0, nodes, (nodes + 3, 2), generator=random)
        kinds = torch.randint(0, 3, (len(edges), 2), generator=random) if edge_ids else None
        want = module(edges, nodes, kinds, directed=directed)
        there = [t if t is None else t.to(device) for t in (edges, kinds)]
        weights = [w.detach().to(device).requires_grad_() for w in module.parameters()]
        got = _graph_paths.bias(module.scheme, *there, nodes, directed, "found", weights)
        torch.testing.assert_close(got.cpu(), want, rtol=0, atol=1e-14)
        dout = torch.randn(want.shape, dtype=F64)
        truth = torch.autograd.grad(want, list(module.parameters()), dout)
        found = torch.autograd.grad(got, weights, dout.to(device))
        for a, b in zip(found, truth):
            torch.testing.assert_close(a.cpu(), b, rtol=0, atol=1e-12)


def both_ways(module, edges, nodes, ids):
    yield lambda: module(edges, nodes, ids)
    weights = [getattr(module, name) for name in module.weight_names]
    yield lambda: _graph_paths.bias(module.scheme, edges, ids, nodes, False, "found", weights)


@pytest.mark.parametrize("nodes", [0, 3])
def test_graphs_without_edges(nodes):
    module, _ = case(3)
    first, second = both_ways(module, EDGES[:0], nodes, KINDS[:0])
    assert torch.equal(first(), second())


@pytest.mark.parametrize("ids", [None, KINDS[:4], KINDS.double(), KINDS.to(torch.int8), KINDS[:, None, None]])
def test_ids_that_are_not_those_of_the_edges(ids):
    """Told from their type and shape: beyond the last of them a GPU would stop."""
    module, _ = case(3)
    for call in both_ways(module, EDGES, 6, ids):
        with pytest.raises(ValueError, match="expected .*, got"):
            call()


def test_what_the_host_cannot_see():
    module, kinds = case(3, dtype=torch.float32)
    there = lambda edges, ids: _graph_paths.bias(  # noqa: E731
        module.scheme, edges, ids, 6, False, "found", list(module.parameters())
    )
    outside = torch.cat([EDGES, torch.tensor([[2, 6], [-1, 0]])])
    assert torch.equal(there(outside, torch.cat([kinds, kinds[:2]])), there(EDGES, kinds))
    wrong = kinds.clone()
    wrong[0] = 3
    lost = there(EDGES, wrong).isnan()
    assert lost[:, 1, 2].all() and not lost[:, 1, 1].any() and not there(EDGES, kinds).isnan().any()
    for call, sentence in (
        (lambda: there(EDGES[:2], kinds[:2]), "given as rows or columns"),
        (lambda: there(EDGES.float(), kinds), "expected edges of i32 or i64"),
        (lambda: there(EDGES, None), "expected ids of edges"),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("edge_ids", [0, 3])
def test_the_host_reads_nothing_of_a_device(edge_ids, directed, monkeypatch):
    """What CUDA tensors run, on tensors without values, to read which raises an error: the search, the biases and their
    gradients ask for none."""
    monkeypatch.setattr(_graph_paths._core, "Graph", lambda *given, **named: None)  # which checks the shape of edges alone
    with FakeTensorMode():
        module, _ = case(edge_ids, dtype=torch.float32)
        edges, kinds = torch.empty(5, 2, dtype=torch.int64), torch.empty(5, dtype=torch.int64)
        assert [t.shape for t in _graph_paths._shortest(edges, 6, directed, "found")] == [(6, 6)] * 3
        weights = list(module.parameters())
        out = _graph_paths.bias(module.scheme, edges, kinds if edge_ids else None, 6, directed, "found", weights)
        gradients = torch.autograd.grad(out, weights, torch.empty_like(out))
        assert out.shape == (2, 7, 7) and [g.shape for g in gradients] == [w.shape for w in weights]
        with pytest.raises(torch._subclasses.fake_tensor.DataDependentOutputException):  # as it would be told
            edges.sum().item()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_step_of_training_in_a_cuda_graph():
    module, kinds = case(3, "cuda", torch.float32)
    edges, dout = EDGES.cuda(), torch.randn(2, 7, 7, device="cuda")

    def step():
        return torch.autograd.grad(module(edges, 6, kinds), list(module.parameters()), dout)

    captured_step_follows(module, step)


def test_a_graph_of_two_edges():
    module, kinds = case(3)
    edges, kinds = torch.tensor([[0, 1], [1, 2]]), KINDS[:2]
    with pytest.raises(ValueError, match="given as rows or columns"):
        module(edges, 3, kinds)
    rows = module(edges, 3, kinds, edge_axis="rows")
    assert torch.equal(rows, module(edges.T, 3, kinds, edge_axis="columns"))
    other = torch.tensor([[0, 2], [1, 0]])
    assert not torch.equal(module(other, 3, kinds, edge_axis="rows"), module(other, 3, kinds, edge_axis="columns"))
    numbers = {name: p.detach().numpy() for name, p in module.named_parameters()}
    plain = SpatialBias(heads=2, distances=6, edge_ids=3, max_hops=2)
    want = plain.bias(other, numbers, kinds, dtype="float64", nodes=3, edge_axis="columns")
    assert torch.equal(module(other, 3, kinds, edge_axis="columns").detach(), torch.tensor(want))
    rows.sum().backward()
    assert module.table.grad.any()


def test_parametrized_weights_and_numpy_options():
    class Twice(torch.nn.Module):
        def forward(self, x):
            return 2 * x

    module = pt.GraphBias(heads=np.int64(2), distances=np.int32(6), dtype=F64)
    want = module(EDGES, 6).detach()
    torch.nn.utils.parametrize.register_parametrization(module, "table", Twice())
    token = module.token.detach()
    got = module(EDGES, 6).detach()
    assert token.any()
    torch.testing.assert_close(got[:, 1:, 1:], 2 * want[:, 1:, 1:], rtol=0, atol=1e-15)
    assert torch.equal(got[:, 0], want[:, 0])


def test_discipline():
    module = pt.GraphBias(heads=2, edge_ids=3, device="meta")
    assert list(module.state_dict()) == ["table", "token", "edges", "hops"]
    assert module(EDGES.to("meta"), 6, KINDS.to("meta")).shape == (2, 7, 7)
    assert repr(pt.GraphBias(heads=2)) == "GraphBias(heads=2, distances=512, graph_token=True, edge_ids=0, max_hops=5)"
    module, _ = case(0)
    for wrong, kind, sentence in (
        (lambda: pt.GraphBias(heads=0), ValueError, "heads"),
        (lambda: module([[0, 1]], 3), TypeError, "expected a tensor of PyTorch as edges, got list"),
        (lambda: module(EDGES, "x"), TypeError, "expected a number of nodes, got str"),
        (lambda: module(EDGES, 3), ValueError, "expected ends of edges from 0 to 2"),
        (lambda: module(EDGES.float(), 6), ValueError, "expected edges of i32 or i64"),
        (lambda: case(3)[0](EDGES, 6), ValueError, "expected ids of edges"),
    ):
        with pytest.raises(kind, match=sentence):
            wrong()


def test_compiled_once_for_graphs_of_all_sizes():
    module = pt.GraphBias(heads=2, edge_ids=3)
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend=counter)
    for nodes in (4, 5, 6, 9):
        edges = torch.tensor([[i, i + 1] for i in range(nodes - 1)])
        arguments = (edges, nodes, torch.arange(nodes - 1) % 3)
        torch.testing.assert_close(compiled(*arguments), module(*arguments))
    assert counter.frame_count <= 2
