"""The programs that FlexAttention is compiled to: how many there are for all lengths and batches, and what they compute."""

import pytest
import torch
from flex_written import causal_mask, close, dense, flexible, gradients, made, tensors

import posenc.torch as pt
from posenc.torch import flex


def forget():
    flex._programs.compiled.cache_clear()
    flex._programs._first.clear()


@pytest.fixture
def programs(monkeypatch):
    """What is compiled, as on CUDA, with a compiler that counts: sizes of the queries of each program."""
    made = []

    def backend(graph, inputs):
        given = (node.meta["example_value"] for node in graph.graph.nodes if node.op == "placeholder")
        q = next((t for t in given if torch.is_tensor(t) and t.dim() == 4 and t.is_floating_point()), None)
        if q is None:  # what is left of a call that is refused
            return graph.forward
        sizes = (str(size.node.expr if isinstance(size, torch.SymInt) else size) for size in q.shape)
        made.append(tuple(int(size) if size.isdigit() else size for size in sizes))
        return graph.forward

    monkeypatch.setattr(flex, "_compiles", lambda q: True)
    monkeypatch.setattr(flex._programs, "BACKEND", backend)
    forget()
    yield made
    forget()


@torch.no_grad()
@pytest.mark.parametrize("name, masked", [("t5", True), ("none", False)])
def test_few_programs_for_all_lengths_and_batches(name, masked, programs):
    """One for the first lengths alone, one for those that are multiples of 128, one for others."""
    bias, counts, heads = None if name == "none" else made(name), [], 4
    sizes = [(5, 130), (5, 131), (3, 150), (2, 201), (5, 130), (9, 300), (3, 257), (2, 256), (3, 384), (5, 130), (4, 640)]
    for batch, tokens in sizes:
        q, k, v = (torch.randn(batch, heads, tokens, 16, dtype=torch.float64) for _ in range(3))
        mask = causal_mask(tokens, tokens) if masked else None
        keep = torch.ones(tokens, tokens, dtype=torch.bool).tril() if masked else None
        want = dense(q, k, v, bias or (lambda *n, **how: 0), 0, keep)
        torch.testing.assert_close(pt.flex_attention(q, k, v, bias=bias, block_mask=mask), want)
        counts.append(len(programs))
    assert counts == [1] + [2] * 6 + [3] * 4
    assert programs[0] == (5, heads, 130, 16)
    assert all(p[1] == heads and p[3] == 16 and isinstance(p[0], str) and isinstance(p[2], str) for p in programs[1:])  # symbols


@torch.no_grad()
@pytest.mark.parametrize("name, masked", [("t5", False), ("alibi", True), ("alibi, keys", False), ("fire", True)])
def test_lengths_that_are_grown(name, masked, programs):
    """To multiples of 128: keys beyond the end count nothing, queries beyond it are cut."""
    bias = made(name)
    for queries, keys, first in ((128, 128, 0), (150, 201, 51), (130, 256, 0), (256, 130, 7)):
        q, k, v = (t.detach() for t in tensors(queries, keys, heads=4))
        mask = causal_mask(queries, keys) if masked else None
        keep = torch.ones(queries, keys, dtype=torch.bool).tril() if masked else None
        out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask, first_query=first)
        torch.testing.assert_close(out, dense(q, k, v, bias, first, keep))


@torch.no_grad()
@pytest.mark.parametrize("name, of", [("t5", 130), ("none", 300)])
def test_masks_of_other_lengths_are_not_grown(name, of, programs):
    """Their lists have too few blocks, or others than PyTorch expects."""
    bias = None if name == "none" else made(name)
    for tokens, masked in ((130, 130), (200, of)):
        q, k, v = (t.detach() for t in tensors(tokens, tokens))
        if tokens != masked:
            with pytest.raises(Exception, match="block_mask was created for"):
                pt.flex_attention(q, k, v, bias=bias, block_mask=causal_mask(masked, masked))
        else:
            pt.flex_attention(q, k, v, bias=bias, block_mask=causal_mask(masked, masked))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name, masked", [("t5", True), ("alibi, learned", False)])
def test_other_lengths_on_a_gpu(name, masked):
    """Those of the first program, and of both others."""
    bias = made(name, device="cuda")
    forget()
    for queries, keys in ((256, 256), (384, 512), (300, 450), (333, 520)):
        q, k, v = tensors(queries, keys, device="cuda")
        mask = causal_mask(queries, keys, "cuda") if masked else None
        keep = torch.ones(queries, keys, dtype=torch.bool, device="cuda").tril() if masked else None
        out, want = pt.flex_attention(q, k, v, bias=bias, block_mask=mask), dense(q, k, v, bias, 0, keep)
        close([out], [want])
        close(gradients(out, q, k, v, bias), gradients(want, q, k, v, bias), farthest=keys if "learned" in name else 1)


@torch.no_grad()
def test_decoding_compiles_once_for_each_batch(programs):
    """PyTorch's kernel for short queries divides keys among blocks of threads by the batch."""
    bias = made("kerple")
    for batch in (1, 3):
        for keys in range(20, 27):
            q, k, v = (torch.randn(batch, 4, n, 16, dtype=torch.float64) for n in (1, keys, keys))
            torch.testing.assert_close(pt.flex_attention(q, k, v, bias=bias, first_query=keys - 1), dense(q, k, v, bias, keys - 1))
    assert programs == [(1, 4, 1, 16), (3, 4, 1, 16)]


@torch.no_grad()
def test_inside_a_compiled_function():
    bias = made("kerple")
    compiled = torch.compile(lambda q, k, v: pt.flex_attention(q, k, v, bias=bias), backend="eager", fullgraph=True)
    q, k, v = (t.detach() for t in tensors(12, 12))
    torch.testing.assert_close(compiled(q, k, v), dense(q, k, v, bias, 0))


@torch.no_grad()
@pytest.mark.parametrize("name", ["alibi", "t5"])
@pytest.mark.parametrize("masked", [False, True])
def test_inside_a_compiled_function_with_options(name, masked, monkeypatch):
    """As on CUDA, where they are computed from sizes; no part of it is left to Python, and the host waits for nothing."""
    monkeypatch.setattr(flex, "_takes_options", lambda q: True)
    bias, (q, k, v) = made(name), (t.detach() for t in tensors(160, 160))
    mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, 160, 160, device="cpu") if masked else None
    compiled = torch.compile(lambda q, k, v: pt.flex_attention(q, k, v, bias=bias, block_mask=mask), backend="eager", fullgraph=True)
    keep = torch.ones(160, 160, dtype=torch.bool).tril() if masked else None
    torch.testing.assert_close(compiled(q, k, v), dense(q, k, v, bias, 0, keep))
