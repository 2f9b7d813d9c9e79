"""What each process of test_distributed.py does with weights that are spread, and with what takes plain tensors."""

import itertools

import pytest
import torch
import torch.distributed as dist

import posenc.torch as pt

TOKENS, DIM = 16, 8


def check_spread_weights(rank, ranks):
    """Weights that are spread too: the gradient is the sum of what each part of the input gave."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    calls = (
        (lambda: pt.LearnedEncoding(rows=TOKENS, dim=DIM, batch_first=True), (4, TOKENS, DIM), lambda m, x: m(x)),
        (lambda: pt.RotaryEncoding(dim=DIM, layout="half", frequencies="learned", heads_first=False), (4, 8, 4, DIM), lambda m, x: m(x)),
        (lambda: pt.RelativeBias("t5", heads=4), (4, 4, 8, 8), lambda m, x: m.add(x)),
        (lambda: pt.ConvolutionEncoding(dim=DIM, groups=2, kernel=4, batch_first=True), (4, TOKENS, DIM), lambda m, x: m(x)),
        (lambda: pt.ConvolutionEncoding("peg", dim=DIM, groups=DIM, batch_first=True), (4, TOKENS, DIM), lambda m, x: m(x, (4, 4))),
    )
    ways = (Replicate(), Shard(0), Shard(1), Shard(2))
    for (make, shape, call), of_weights, of_x in itertools.product(calls, (None, *ways[:2]), ways):
        torch.manual_seed(0)
        alone, module = make(), make()
        module.load_state_dict(alone.state_dict())
        for name, weight in list(module.named_parameters()) if of_weights else ():
            setattr(module, name, torch.nn.Parameter(distribute_tensor(weight.data, mesh, [of_weights])))
        x, sign = torch.randn(shape, requires_grad=True), torch.randn(shape)
        spread = distribute_tensor(x.detach(), mesh, [of_x]).requires_grad_()
        expected, out = call(alone, x), call(module, spread)
        torch.testing.assert_close(out.full_tensor(), expected)
        (expected * sign).sum().backward()
        (out * distribute_tensor(sign, mesh, out.placements)).sum().backward()
        torch.testing.assert_close(spread.grad.full_tensor(), x.grad)
        for ours, theirs in zip(module.parameters() if of_weights else (), alone.parameters()):
            torch.testing.assert_close(ours.grad.full_tensor(), theirs.grad, rtol=1e-4, atol=1e-5)


def check_queries_and_keys_placed_apart(rank, ranks):
    """Each device would have a part of one gradient and all of the other."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    rope = pt.RotaryEncoding(dim=DIM, layout="half", frequencies="learned", heads_first=False)
    q, k = torch.randn(2, 8, 4, DIM), torch.randn(2, 8, 4, DIM)
    placed = [distribute_tensor(q, mesh, [Shard(2)]), distribute_tensor(k, mesh, [Replicate()])]
    for ours, theirs in zip(rope(*placed), rope(q, k)):
        torch.testing.assert_close(ours.full_tensor(), theirs)
    for name, weight in list(rope.named_parameters()):
        setattr(rope, name, torch.nn.Parameter(distribute_tensor(weight.data, mesh, [Shard(0)])))
    rope(placed[0], distribute_tensor(k, mesh, [Shard(2)]))
    with pytest.raises(ValueError, match="expected tensors that are placed alike beside weights that are spread"):
        rope(*placed)


def check_spread_graph(rank, ranks):
    """Biases of a graph are made whole by each process."""
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    torch.manual_seed(0)
    edges, alone, module = torch.tensor([[0, 1], [1, 2], [2, 3], [0, 3]]), pt.GraphBias(heads=4), pt.GraphBias(heads=4)
    for name, weight in alone.named_parameters():
        setattr(module, name, torch.nn.Parameter(distribute_tensor(weight.data, mesh, [Shard(0)])))
    expected, out = alone(edges, 4), module(distribute_tensor(edges, mesh, [Shard(0)]), 4)
    torch.testing.assert_close(out, expected)
    expected.square().sum().backward()
    out.square().sum().backward()
    for ours, theirs in zip(module.parameters(), alone.parameters()):
        torch.testing.assert_close(ours.grad.full_tensor(), theirs.grad)


def check_refused(rank, ranks):
    """What takes plain tensors says so."""
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh, other = (dist.device_mesh.init_device_mesh("cpu", shape) for shape in ((ranks,), (1, ranks)))
    x, rope, bias = torch.randn(4, 4, DIM, DIM), pt.RotaryEncoding(dim=DIM, layout="half", heads_first=False), pt.RelativeBias("t5", heads=4)
    spread, line, rows = (distribute_tensor(t, mesh, [Shard(0)]) for t in (x, x[0, 0, 0], x[0, 0]))
    table = pt.LearnedEncoding(rows=TOKENS, dim=DIM, batch_first=True)
    refused = {
        "ContentTerm": lambda: pt.ContentTerm("shaw", dim=DIM)(spread, spread, spread),
        "RelativeBias": lambda: bias.add_(spread),
        "RotaryEncoding": lambda: rope.rotate_into(spread),
        "LearnedEncoding": lambda: table.embed(torch.zeros(3, dtype=torch.long), rows),
        "to_polar": lambda: pt.to_polar(spread),
        "resize_grid": lambda: pt.resize_grid(rows, (4, 2), (4, 4)),
    }
    for call in (table, pt.ConvolutionEncoding(dim=DIM, groups=2, batch_first=True), rope, bias.add):
        with pytest.raises(ValueError, match=r"\[DTensor\] expected at least [23] axes, got \[8\]"):
            call(line)
    table.table = torch.nn.Parameter(distribute_tensor(table.table.data, other, [Shard(0), Shard(0)]))
    with pytest.raises(ValueError, match=r"\[DTensor\] expected weights that are spread over the mesh of the tensors"):
        table(rows)
    for name, call in refused.items():
        with pytest.raises(ValueError, match=rf"\[{name}\] expected .* as a plain tensor, got one that is spread"):
            call()
