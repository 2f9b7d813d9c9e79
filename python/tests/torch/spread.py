"""What each process of test_distributed.py does."""

import itertools

import torch
import torch.distributed as dist
from spread_weights import (
    check_queries_and_keys_placed_apart,
    check_refused,
    check_spread_graph,
    check_spread_weights,
)

import posenc.torch as pt

TOKENS, DIM = 16, 8
OWN = {"type": "learned", "heads": 4}


def modules():
    torch.manual_seed(0)
    return (
        pt.SinusoidalEncoding(dim=DIM, batch_first=True),
        pt.LearnedEncoding(rows=TOKENS, dim=DIM, batch_first=True),
        pt.RotaryEncoding(dim=DIM, layout="half", heads_first=False),
        pt.RelativeBias("t5", heads=2),
    )


def prepared(x, positions, encodings):
    """Queries, keys and values with every kind of encoding that acts before scores."""
    rows, table, rope, _ = encodings
    x = table(rows(x, positions), positions)
    return (*rope(x.unsqueeze(2).expand(-1, -1, 2, -1), x.unsqueeze(2), positions), x)


def attended(q, k, v, bias, **places):
    scores = bias.add(torch.einsum("bqhd,bkgd->bhqk", q, k), causal=True, **places)
    return torch.softmax(scores, -1) @ v.unsqueeze(1)


class Gather(torch.autograd.Function):
    """All parts along an axis; every rank's loss sends its gradient back to each part."""

    @staticmethod
    def forward(ctx, part, axis):
        ctx.axis, ctx.size = axis, part.shape[axis]
        parts = [torch.empty_like(part) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, part.contiguous())
        return torch.cat(parts, axis)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient.narrow(ctx.axis, ctx.size * dist.get_rank(), ctx.size), None


def check_sequence(rank, ranks, order):
    torch.manual_seed(1)
    x, weight = torch.randn(2, TOKENS, DIM, requires_grad=True), torch.randn(2, 2, TOKENS, DIM)
    alone = modules()
    expected = attended(*prepared(x, None, alone), alone[3])
    (expected * weight).sum().backward()

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,), mesh_dim_names=("cp",))
    at = pt.shard_positions(TOKENS, mesh["cp"], order=order)
    part = pt.shard(x.detach(), mesh, dim=1, order=order).requires_grad_()
    mine = modules()
    q, k, v = prepared(part, at, mine)
    places = {"query_positions": at, "key_positions": Gather.apply(at, 0)}
    out = attended(q, Gather.apply(k, 1), Gather.apply(v, 1), mine[3], **places)
    torch.testing.assert_close(out, expected[:, :, at])
    (out * weight[:, :, at]).sum().backward()
    torch.testing.assert_close(part.grad, x.grad[:, at], rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(mine, alone):
        for a, b in zip(ours.parameters(), theirs.parameters()):
            dist.all_reduce(a.grad)
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)


def check_dtensor(rank, ranks):
    """A model whose batch, tokens or heads are split."""
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    torch.manual_seed(1)
    x, at = torch.randn(4, TOKENS, DIM), torch.randint(0, TOKENS, (4, TOKENS))
    q, k = torch.randn(4, TOKENS, 4, DIM), torch.randn(4, TOKENS, 4, DIM)
    rows, table, rope, _ = modules()
    for placement in (Shard(0), Shard(1), Shard(2), Replicate()):
        for positions in (None, at, at[:1]):
            spread = distribute_tensor(x, mesh, [placement]).requires_grad_()
            out = table(rows(spread, positions), positions)
            torch.testing.assert_close(out.full_tensor(), table(rows(x, positions), positions))
            out.full_tensor().square().sum().backward()
            plain = x.clone().requires_grad_()
            table(rows(plain, positions), positions).square().sum().backward()
            torch.testing.assert_close(spread.grad.full_tensor(), plain.grad)
            turned = rope(*(distribute_tensor(t, mesh, [placement]) for t in (q, k)), positions)
            for ours, theirs in zip(turned, rope(q, k, positions)):
                torch.testing.assert_close(ours.full_tensor(), theirs)


def check_dtensor_of_own_heads(rank, ranks):
    """Heads that turn each in its own way are not split; rows of positions go with the axes they are of."""
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    torch.manual_seed(1)
    for own, heads_first in itertools.product(({"rotary_heads": 2}, {"phases": OWN}), (False, True)):
        rope = pt.RotaryEncoding(dim=DIM, layout="half", heads_first=heads_first, **own)
        q = torch.randn(4, TOKENS, 4, DIM).transpose(1, 2 if heads_first else 1).contiguous()
        for axis in range(4):
            turned = rope.turn(distribute_tensor(q, mesh, [Shard(axis)]), "k")
            torch.testing.assert_close(turned.full_tensor(), rope.turn(q, "k"))
    x, rows = torch.randn(4, 4, TOKENS, DIM), pt.SinusoidalEncoding(dim=DIM, batch_first=True)
    for at in (None, torch.randint(0, TOKENS, (1, TOKENS)), torch.randint(0, TOKENS, (16, TOKENS))):
        for axis in range(4):
            out = rows(distribute_tensor(x, mesh, [Shard(axis)]), at)
            torch.testing.assert_close(out.full_tensor(), rows(x, at))


def check_spread_scores(rank, ranks):
    """Scores whose batch, heads or queries are split."""
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    torch.manual_seed(1)
    scores, bias = torch.randn(4, 4, 8, 6), pt.RelativeBias("alibi", heads=4)
    for axis in range(4):
        spread = distribute_tensor(scores, mesh, [Shard(axis)])
        out = bias.add(spread, first_query=2, causal=True, scale=0.5)
        torch.testing.assert_close(out.full_tensor(), bias.add(scores, first_query=2, causal=True, scale=0.5))


def check_fsdp(rank, ranks):
    """Parameters that are split by fully_shard, where PyTorch has it."""
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError:
        return
    mesh = dist.device_mesh.init_device_mesh("cpu", (ranks,))
    torch.manual_seed(0)
    model = torch.nn.Sequential(pt.LearnedEncoding(rows=TOKENS, dim=DIM, batch_first=True), torch.nn.Linear(DIM, DIM))
    x = torch.randn(2, TOKENS, DIM)
    expected = model(x)
    expected.sum().backward()
    plain = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    fully_shard(model, mesh=mesh)
    out = model(x)
    torch.testing.assert_close(out, expected)
    out.sum().backward()
    spread = [p.grad.full_tensor() for p in model.parameters()]
    # Some versions add the gradients of gloo's ranks up, others average: ours as those of PyTorch's own layer.
    times = (spread[1].norm() / plain[1].norm()).round()
    torch.testing.assert_close(spread[0], times * plain[0])


def process(rank, ranks, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    try:
        for order in ("contiguous", "zigzag"):
            check_sequence(rank, ranks, order)
        check_dtensor(rank, ranks)
        check_dtensor_of_own_heads(rank, ranks)
        check_spread_scores(rank, ranks)
        check_spread_weights(rank, ranks)
        check_queries_and_keys_placed_apart(rank, ranks)
        check_spread_graph(rank, ranks)
        check_refused(rank, ranks)
        check_fsdp(rank, ranks)
    finally:
        dist.destroy_process_group()
