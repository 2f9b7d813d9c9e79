"""FlexAttention with posenc's biases, against attention written out: results, and gradients of all that learns."""

import math

import pytest
import torch

import posenc
import posenc.torch as pt
from posenc.torch import flex

flexible = pytest.importorskip("torch.nn.attention.flex_attention")
BIASES = {
    "alibi": {},
    "alibi, learned": {"learned_slopes": True},
    "alibi, keys": {"form": "keys"},
    "alibi, root": {"square_root": True},
    "alibi, rounded": {"rounding": "bf16-product"},
    "t5": {},
    "kerple": {},
    "clipped": {"max_distance": 4},
    "sandwich": {},
    "dynamic": {},
    "fire": {},
}


def dtype_on(device):
    """FlexAttention has no f64 on CUDA."""
    return torch.float32 if device == "cuda" else torch.float64


def close(got, want, farthest=1):
    """farthest: by how much what is summed was multiplied before, as a slope's gradients are by distances."""
    for a, b in zip(got, want):
        torch.testing.assert_close(a, b, **({"atol": 1e-5 * farthest, "rtol": 1e-5} if a.is_cuda else {}))


def made(name, heads=4, device="cpu"):
    bias = pt.RelativeBias(name.split(",")[0], heads=heads, device=device, dtype=dtype_on(device), **BIASES[name])
    for parameter in bias.parameters():
        torch.nn.init.uniform_(parameter, 0.1, 1.0)
        if name == "dynamic" and parameter.dim() == 2:  # of layers: sums of as many inputs, which stay small
            parameter.data /= parameter.shape[1]
    return bias


def tensors(queries, keys, heads=4, device="cpu"):
    how = {"device": device, "dtype": dtype_on(device), "requires_grad": True}
    return [torch.randn(2, heads, n, 16, **how) for n in (queries, keys, keys)]


def dense(q, k, v, bias, first, mask=None):
    rows = bias(q.shape[-2], k.shape[-2], first_query=first, dtype=q.dtype)
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + rows
    return (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-1) @ v


def attended(q, k, v, bias, **how):
    """By posenc. On the CPU newer versions of PyTorch refuse tensors that want a gradient: those are left out of the comparison."""
    try:
        return pt.flex_attention(q, k, v, bias=bias, **how), True
    except NotImplementedError as why:
        assert "backward on CPU" in str(why) and not q.is_cuda
    return inferred(q, k, v, bias, **how), False


@torch.no_grad()
def inferred(q, k, v, bias, **how):
    """Without gradients, which CUDA does in another way."""
    return pt.flex_attention(*(t.detach() for t in (q, k, v)), bias=bias, **how)


def gradients(out, q, k, v, bias):
    weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
    return torch.autograd.grad((out * weight).sum(), [q, k, v, *bias.parameters()])


@pytest.mark.parametrize("name", BIASES)
@pytest.mark.parametrize("queries, keys, first", [(24, 24, 0), (7, 24, 17)])
def test_attention_written_out(name, queries, keys, first, device):
    bias, (q, k, v) = made(name, device=device), tensors(queries, keys, device=device)
    want, (out, learns) = dense(q, k, v, bias, first), attended(q, k, v, bias, first_query=first)
    close([out], [want])
    if learns:
        close(gradients(out, q, k, v, bias), gradients(want, q, k, v, bias), farthest=keys if "learned" in name else 1)
    close([inferred(q, k, v, bias, first_query=first)], [want])


@pytest.mark.parametrize("tokens", [32, 160])  # on CUDA two kernels
@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_block_masks(name, tokens, device):
    bias, (q, k, v) = made(name, device=device), tensors(tokens, tokens, device=device)
    mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
    causal = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    want, (out, learns) = dense(q, k, v, bias, 0, causal), attended(q, k, v, bias, block_mask=mask)
    close([out], [want])
    if learns:
        close(gradients(out, q, k, v, bias), gradients(want, q, k, v, bias))
    close([inferred(q, k, v, bias, block_mask=mask)], [want])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("dim", [64, 128, 256])
@pytest.mark.parametrize("name", ["t5", "alibi, learned"])
def test_heads_of_any_size_fit_the_gpu(name, dim, dtype, masked):
    """Off by what the type is: probabilities, results and gradients of scores are rounded to it, each once."""
    bias, tokens = made(name, device="cuda"), 300
    q, k, v = (torch.randn(2, 4, tokens, dim, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
    mask = causal = None
    if masked:
        mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device="cuda")
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device="cuda").tril()
    out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
    want = dense(q.double(), k.double(), v.double(), bias, 0, causal)
    got = [out, inferred(q, k, v, bias, block_mask=mask), *gradients(out.double(), q, k, v, bias)]
    for a, b in zip(got, [want, want, *gradients(want, q, k, v, bias)]):
        assert (a.double() - b.double()).norm() <= (2**-6 if dtype == torch.bfloat16 else 1e-5) * b.double().norm()


@torch.no_grad()
def test_shared_keys_scale_and_no_bias(device):
    q, (_, k, v) = tensors(9, 9, device=device)[0].detach(), (t.detach() for t in tensors(9, 9, heads=2, device=device))
    out = pt.flex_attention(q, k, v, bias=posenc.Alibi(heads=4), enable_gqa=True, scale=0.5)
    k, v = (t.repeat_interleave(2, dim=1) for t in (k, v))
    close([out], [dense(2 * q, k, v, made("alibi", device=device), 0)])
    close([pt.flex_attention(q, k, v)], [torch.nn.functional.scaled_dot_product_attention(q, k, v)])


def whole_table(mod, heads, queries, keys):
    """What a score_mod adds to scores of zero."""
    head, query, key = (torch.arange(n, dtype=torch.int32) for n in (heads, queries, keys))
    return mod(torch.zeros(heads, queries, keys), 0, head[:, None, None], query[:, None], key)


def test_lines_in_halves():
    """Rounded once, at the places of the line itself; what f16 does not reach becomes its largest number, infinities stay."""
    line = torch.randn(2, 24 + 30 - 1)
    line[0, 3], line[1, 4] = -math.inf, -1e6
    head, query, key = torch.arange(2)[:, None, None], torch.arange(24)[:, None], torch.arange(30)
    got = whole_table(flex._in_halves(line, torch.tensor(23, dtype=torch.int32)), 2, 24, 30)
    line[1, 4] = -65504
    assert torch.equal(got, line.half().float()[head, key - query + 23])


@pytest.mark.parametrize("tokens", [32, 160])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", ["alibi", "t5"])
def test_halves_beside_queries_of_16_bits(name, masked, tokens, device, monkeypatch):
    """Off by roundings to bf16, of probabilities and of their sums: each 2^-9 of numbers up to 4."""
    monkeypatch.setattr(flex, "_halves_do", lambda q: True)  # on the CPU too
    bias, (q, k, v) = made(name, device=device), (t.detach().bfloat16() for t in tensors(tokens, tokens, device=device))
    mask = causal = None
    if masked:
        mask = flexible.create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device)
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=device).tril()
    with torch.no_grad():
        out = pt.flex_attention(q, k, v, bias=bias, block_mask=mask)
        want = dense(q.double(), k.double(), v.double(), bias.double(), 0, causal)
    torch.testing.assert_close(out.double(), want, atol=2**-6, rtol=0)


def held(function):
    """The tensors of a function, and of those that it calls."""
    for cell in getattr(function, "__closure__", None) or ():
        if torch.is_tensor(cell.cell_contents):
            yield cell.cell_contents
        elif callable(cell.cell_contents):
            yield from held(cell.cell_contents)


@pytest.mark.parametrize("form", ["symmetric", "keys"])
def test_slopes_that_learn_are_read_for_each_key(form):
    """Else the gradients of all scores of a head are added to one number, which takes seconds on a GPU."""
    bias = pt.RelativeBias("alibi", heads=4, form=form, learned_slopes=True)
    mod = pt.score_mod(bias, 6, 8)
    assert any(t.shape == (4, 8) for t in held(mod))
    torch.testing.assert_close(whole_table(mod, 4, 6, 8), bias(6, 8))
    with torch.no_grad():
        torch.testing.assert_close(whole_table(pt.score_mod(bias, 6, 8), 4, 6, 8), bias(6, 8))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("first", [5, (1 << 24) + 1])
def test_distances_that_floats_lack(masked, first):
    """With a block mask queries and keys become floats where f32 has them all, else their differences."""
    bias = pt.RelativeBias("alibi", heads=2)
    mod = flex._straight(bias(1, 1, first_key=1)[:, 0, 0], False, 1, 3, first, masked)
    torch.testing.assert_close(whole_table(mod, 2, 1, 3), bias(1, 3, first_query=first), atol=0, rtol=2**-23)


@pytest.mark.parametrize("name", ["alibi", "sandwich"])
def test_scores_on_another_device_are_told(name):
    """Also where a compiler reads the function: its own error would fill pages."""
    bias, q = pt.RelativeBias(name, heads=2), torch.randn(1, 2, 16, 16)
    with pytest.raises(ValueError, match=r'^\[score_mod\] expected scores on cpu, .*, got meta: .* pass device="meta" to score_mod'):
        pt.score_mod(bias, 16)(torch.zeros((), device="meta"), *[torch.tensor(0, dtype=torch.int32)] * 4)
    with pytest.raises(Exception, match=r'\[score_mod\] expected scores on meta, .*, got cpu: .* pass device="cpu" to score_mod'):
        flexible.flex_attention(q, q, q, score_mod=pt.score_mod(bias, 16, device="meta"))


def test_alibi_needs_no_line(monkeypatch):
    asked, own = [], pt.RelativeBias.forward
    monkeypatch.setattr(pt.RelativeBias, "forward", lambda self, *n, **how: asked.append(n) or own(self, *n, **how))
    pt.score_mod(made("alibi"), 4096)
    pt.score_mod(made("t5"), 4096)
    assert asked == [(1, 1), (1, 8191)]


def forget():
    flex._programs.compiled.cache_clear()
    flex._programs._first.clear()


@pytest.fixture
def programs(monkeypatch):
    """What is compiled, as on CUDA, with a compiler that counts: sizes of the queries of each program."""
    made = []

    def backend(graph, inputs):
        given = (node.meta["example_value"] for node in graph.graph.nodes if node.op == "placeholder")
        q = next(t for t in given if torch.is_tensor(t) and t.dim() == 4 and t.is_floating_point())
        made.append(tuple(int(e) if (e := str(size.node.expr if isinstance(size, torch.SymInt) else size)).isdigit() else e for size in q.shape))
        return graph.forward

    monkeypatch.setattr(flex, "_compiles", lambda q: True)
    monkeypatch.setattr(flex._programs, "BACKEND", backend)
    forget()
    yield made
    forget()


def causal_mask(queries, keys, device="cpu"):
    """Whose function reads a table that ends with the queries and keys, as those of documents do."""
    which = torch.arange(max(queries, keys), device=device)
    return flexible.create_block_mask(lambda b, h, i, j: which[i] >= which[j], None, None, queries, keys, device=device)


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


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda q: pt.flex_attention(q, q, q, bias=posenc.Alibi(heads=3)), r"expected q \[batch, 3 heads, tokens, dim\]"),
        (lambda q: pt.flex_attention(q, q, q, bias=pt.RotaryEncoding(dim=16, layout="half", heads_first=False)), "turns queries and keys"),
        (lambda q: pt.flex_attention(q, None, q), "expected a tensor of PyTorch as k, got NoneType"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(tensors(4, 4)[0])
