"""The path of devices without kernels: PyTorch applies posenc's tables. It must give what kernels give."""

import pytest
import torch
import posenc.torch
from cases import ABSOLUTE, BIASES, POINTS, ROTARY, absolute, bias, positions_for, rotary

from posenc.torch import _fallback, _gather, _native


@pytest.fixture
def without_kernels(monkeypatch):
    """Calls f as on a device without kernels; the CPU, where it asks for tables, still has them."""
    depth = [0]

    def on_cpu(made):
        def run(*arguments):
            depth[0] += 1
            try:
                return made(*arguments)
            finally:
                depth[0] -= 1

        return run

    def call(f):
        with monkeypatch.context() as m:
            m.setattr(_native, "has_kernel_for", lambda x: depth[0] > 0)
            m.setattr(_fallback, "table_for", on_cpu(_fallback.table_for))
            m.setattr(_fallback, "gradients", on_cpu(_fallback.gradients))
            return f()

    return call


@pytest.mark.parametrize(
    "make",
    [
        lambda: posenc.torch.RelativeBias("alibi", heads=2)(4, 6),
        lambda: posenc.torch.SinusoidalEncoding(dim=8, batch_first=True).rows(5),
        lambda: posenc.torch.RotaryEncoding(dim=8, layout="half", heads_first=True).cos_sin(5)[0],
    ],
    ids=["bias", "rows", "cos_sin"],
)
def test_what_a_caller_writes_into_a_result_changes_no_later_one(make, without_kernels):
    with torch.inference_mode():
        first = without_kernels(make)
        expected = first.clone()
        first.fill_(float("-inf"))
    again = without_kernels(make)
    assert torch.equal(again, expected) and not again.is_inference()


def test_the_cache_has_a_limit_in_bytes(without_kernels, monkeypatch):
    cache = _fallback._Cache()
    monkeypatch.setattr(_fallback, "_cache", cache)
    monkeypatch.setattr(_fallback, "CACHE_BYTES", 3 * 5 * 8 * 4)
    encoding = posenc.torch.SinusoidalEncoding(dim=8, batch_first=True)
    for first in (0, 1, 2, 0, 3):
        without_kernels(lambda: encoding.rows(5, first=first))
    assert len(cache.tables) == 3 and cache.bytes == 3 * 5 * 8 * 4
    assert [key[-3] for key in cache.tables] == [2, 0, 3]  # what was read last stays
    without_kernels(lambda: encoding.rows(50))  # too large to be kept: leaves the others alone
    assert len(cache.tables) == 3


# Both round once from f32 to the type: one unit in the last place where they round apart. In f32 a sum of
# two products may be fused in a kernel: 2 units of numbers below 4.
TOLERANCE = {torch.float64: 4e-15, torch.float32: 1e-6, torch.bfloat16: 3.2e-2, torch.float16: 4e-3}


def close(a, b):
    for x, y in zip(torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b)):
        assert x.dtype == y.dtype and x.stride() == y.stride()
        torch.testing.assert_close(x, y, rtol=TOLERANCE[x.dtype], atol=TOLERANCE[x.dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", ROTARY)
def test_turns(case, dtype, without_kernels):
    module = rotary(case)
    heads = 2 if "per head" in case else 3
    q, k = torch.randn(2, 5, heads, 8).to(dtype), torch.randn(2, 5, 2, 8).to(dtype)
    for at in (None, torch.arange(5), torch.randint(0, 9, (2, 5))):
        close(without_kernels(lambda: module(q, k, at)), module(q, k, at))
    ops, x = torch.ops.posenc, q.transpose(1, 2)
    rest = ("q", None, 2, 0, module.handle, [w.detach() for w in module.weights], True)
    close(without_kernels(lambda: ops.turn([x], True, *rest)), ops.turn([x], True, *rest))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", ABSOLUTE)
def test_rows(case, dtype, without_kernels):
    module = absolute(case)
    at = positions_for(module, 2, 5, "cpu")
    x = torch.randn(2, 5, module.rows(5, at).shape[-1]).to(dtype)
    close(without_kernels(lambda: module(x, at)), module(x, at))
    if at.dim() == 2:
        close(without_kernels(lambda: module(x, first=1)), module(x, first=1))


UNKNOWN = {"-1": torch.tensor([[1, -1]]), "5": torch.tensor([[1, 5]]), "uint8": torch.ones(1, 5, dtype=torch.uint8)}


@pytest.mark.parametrize("ids", UNKNOWN.values(), ids=UNKNOWN)
def test_ids_that_are_none_of_the_vocabulary(ids, without_kernels):
    """Negative ones do not count from the end, and small numbers are no mask."""
    module, words = absolute("learned"), torch.randn(5, 6)
    for call in (without_kernels, lambda f: f()):
        with pytest.raises((IndexError, RuntimeError, ValueError)):
            call(lambda: module.embed(ids, words))


@pytest.mark.parametrize("case", BIASES)
def test_biases(case, without_kernels):
    module = bias(case)
    scores = torch.randn(2, 3, 4, 6)
    how = dict(scale=0.5, scale_sum=True, first_query=0, causal=case == "t5")
    close(without_kernels(lambda: module.add(scores, **how)), module.add(scores, **how))
    close(without_kernels(lambda: module(4, 6)), module(4, 6))
    if case in POINTS:
        how = {f"{of}_positions": positions_for(module, 2, n, "cpu") for of, n in (("query", 4), ("key", 6))}
        close(without_kernels(lambda: module.add(scores, **how)), module.add(scores, **how))
    if module.weights:

        def gradients():
            return torch.autograd.grad(module.add(scores, **how).relu().sum(), module.weights)

        close(without_kernels(gradients), gradients())


ROWS, TURN, BIAS = absolute("sinusoidal"), rotary("half"), bias("t5")
WORDS = torch.randn(4, 6)
# Batches, and rows of positions beside them: one row, as many as the batch has, or none.
BATCHES = [((), 1), ((1,), 1), ((3,), 1), ((3,), 3), ((2, 3), 1), ((2, 3), 6), ((0,), 1), ((2, 0), 1)]
MISFITS = [((), 2), ((1,), 2), ((3,), 2), ((2, 3), 2), ((2, 3), 3), ((3, 2), 3)]


def calls_beside(batch, rows):
    at = torch.arange(rows * 5).view(rows, 5)
    yield lambda: ROWS(torch.ones(*batch, 5, 6), at)
    yield lambda: ROWS.embed(torch.ones(*batch, 5, dtype=torch.int64), WORDS, at)
    yield lambda: TURN(torch.ones(*batch, 5, 2, 8), torch.ones(*batch, 5, 1, 8), at)
    yield lambda: BIAS.add(torch.ones(*batch, 3, 5, 4), query_positions=at)


@pytest.mark.parametrize("batch, rows", BATCHES)
def test_rows_of_positions_beside_batches(batch, rows, without_kernels):
    for call in calls_beside(batch, rows):
        close(without_kernels(call), call())


@pytest.mark.parametrize("batch, rows", MISFITS)
def test_rows_of_positions_that_are_too_many_or_too_few(batch, rows, without_kernels):
    """PyTorch would make another batch of them, or give each row to another axis."""
    for call in calls_beside(batch, rows):
        for run in (without_kernels, lambda f: f()):
            with pytest.raises(ValueError, match="expected positions"):
                run(call)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ROWS(torch.ones(5, 6, dtype=torch.int32)),
        lambda: ROWS(torch.ones(6)),
        lambda: ROWS(torch.ones(5, 7)),
        lambda: ROWS.embed(torch.ones(5, dtype=torch.int64), torch.ones(4, 7)),
        lambda: ROWS.embed(torch.ones(5, dtype=torch.int64), WORDS.long()),
        lambda: TURN(torch.ones(5, 2, 8, dtype=torch.int32)),
        lambda: TURN(torch.ones(5, 8)),
        lambda: TURN(torch.ones(5, 2, 7)),
        lambda: TURN(torch.ones(5, 2, 8), torch.ones(5, 2, 8, dtype=torch.float64)),
        lambda: TURN(torch.ones(2, 5, 2, 8), torch.ones(1, 5, 2, 8)),
        lambda: BIAS.add(torch.ones(3, 5, 5, dtype=torch.int32)),
        lambda: BIAS.add(torch.ones(5, 5)),
        lambda: BIAS.add(torch.ones(3, 5, 5), scale=float("nan")),
    ],
)
def test_what_kernels_refuse(wrong, without_kernels):
    for run in (without_kernels, lambda f: f()):
        with pytest.raises(ValueError, match="expected .*, got"):
            run(wrong)


@pytest.mark.parametrize("case", ["t5", "t5 causal", "clipped", "dynamic", "dynamic norm", "dynamic log"])
def test_lines_that_a_gpu_makes_itself(case, monkeypatch):
    """The way of tables and networks on a GPU, here on the CPU: biases by distance, then a profile that is added."""
    module = bias(case)
    for weight in module.weights:
        torch.nn.init.normal_(weight)
    scores = torch.randn(2, 2, 4, 6)
    places = (None, None, 3, 1, 1, True)
    expected = torch.ops.posenc.add_bias(scores, 0.5, True, *places, module.handle, module.weights)
    monkeypatch.setattr(_gather, "applies_to", lambda *arguments: True)
    out = torch.ops.posenc.add_bias(scores, 0.5, True, *places, module.handle, module.weights)
    close(out, expected)
    like = torch.empty(0)
    alone = torch.ops.posenc.bias(like, 2, 4, 6, *places, module.handle, module.weights)
    monkeypatch.undo()
    close(alone, torch.ops.posenc.bias(like, 2, 4, 6, *places, module.handle, module.weights))


def test_lines_under_another_default_device():
    scheme = bias("t5").handle
    _gather.rows_read.cache_clear()
    with torch.device("meta"):
        rows = _gather.rows_read(scheme, -5, 11, torch.device("cpu"))
    _gather.rows_read.cache_clear()
    assert torch.equal(rows, _gather.rows_read(scheme, -5, 11, torch.device("cpu")))


@pytest.mark.parametrize("scale_sum", [False, True])
@pytest.mark.parametrize("case", ["dynamic", "dynamic norm", "dynamic log"])
def test_gradients_of_networks_that_a_gpu_makes_itself(case, scale_sum, monkeypatch):
    module = bias(case, dtype=torch.float64)
    for weight in module.weights:
        torch.nn.init.normal_(weight)
    for shape, places in (((2, 2, 4, 6), (None, None, 3, 1, 1, True)), ((3, 1, 9), (None, None, 8, 0, 0, False))):
        dout = torch.randn(shape, dtype=torch.float64)
        rest = (0.5, scale_sum, *places, module.handle, [w.detach() for w in module.weights])
        expected = torch.ops.posenc.bias_gradients(dout, *rest)
        with monkeypatch.context() as m:
            m.setattr(_gather, "applies_to", lambda *arguments: True)
            found = torch.ops.posenc.bias_gradients(dout, *rest)
        for told, truth in zip(found, expected):
            torch.testing.assert_close(told, truth, rtol=1e-12, atol=1e-12)
