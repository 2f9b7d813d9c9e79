"""The questions of bench/cuda/cases.h in PyTorch: each is answered by call(set) and by what is
compared of its result. Numbers are those of Buffer in bench/cuda/graph.cu."""
import math

import torch
from serve import VOCABULARY
from torch_forms import alibi, distances, ids_of, rms_norm, rotate_every_two, rotate_half, t5_bucket, table

SLOTS = 8192  # of a cache
embedding_backward = torch.ops.aten.embedding_dense_backward


def numbers(dtype, *shape):
    count = math.prod(shape) * dtype.itemsize // 2
    out = torch.empty(count, dtype=torch.int16, device="cuda")
    for part in out.split(1 << 24):
        i = torch.arange(len(part), device="cuda") + part.storage_offset()
        part.copy_(0x3C00 | (i * 2654435761 & 0xFFFFFFFF) >> 7 & 0x83FF)
    return out.view(dtype).view(shape)


def many(sets, dtype, *shape):
    return [numbers(dtype, *shape) for _ in range(sets)]


def row_of(tokens):
    """The row that is compared: near enough for phases in f32."""
    return min(tokens, 4096) - 1


def turned(layout):
    turn = rotate_half if layout == "half" else rotate_every_two
    return lambda q, k, cos, sin: [x * cos + turn(x) * sin for x in (q, k)]


def cos_sin(dtype, layout, tokens, dim):
    rate = 1.0 / 500000.0 ** (torch.arange(0, dim, 2, device="cuda").float() / dim)
    angle = torch.outer(torch.arange(tokens, device="cuda").float(), rate)
    angle = torch.cat((angle, angle), -1) if layout == "half" else angle.repeat_interleave(2, -1)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def heads_of(sets, dtype, heads, tokens, dim):
    """[heads, tokens, dim], as models hold them: a view of [tokens, heads, dim]."""
    return [x.transpose(0, 1) for x in many(sets, dtype, tokens, heads, dim)]


def rotate(form, dtype, layout, tokens, q_heads, k_heads, dim, sets):
    cos, sin = cos_sin(dtype, layout, tokens, dim)
    q, k = (heads_of(sets, dtype, heads, tokens, dim) for heads in (q_heads, k_heads))
    f = form(turned(layout))
    return lambda i: f(q[i], k[i], cos, sin), lambda both: both[1][-1, row_of(tokens), :4]


def rotate_adjoint(form, dtype, layout, tokens, q_heads, k_heads, dim, sets):
    cos, sin = cos_sin(dtype, layout, tokens, dim)
    q, k = (heads_of(sets, dtype, heads, tokens, dim) for heads in (q_heads, k_heads))
    with torch.enable_grad():
        x = [[t.requires_grad_() for t in both] for both in zip(q, k)]
        f = form(turned(layout))
        y = [f(*both, cos, sin) for both in x]
    dy = [[t.detach() for t in both] for both in x]  # any numbers do
    work = lambda i: torch.autograd.grad(y[i], x[i], dy[i], retain_graph=True)
    return work, lambda both: both[1][-1, row_of(tokens), :4]


def step(q, k, v, q_norm, k_norm, cos, sin, k_cache, v_cache, slots):
    q, k = rms_norm(q, q_norm).transpose(0, 1), rms_norm(k, k_norm).transpose(0, 1)
    q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
    k_cache.index_put_((slots,), k.transpose(0, 1))
    v_cache.index_put_((slots,), v)
    return q


def rotate_into(form, dtype, layout, tokens, q_heads, k_heads, dim, sets):
    slots = torch.arange(tokens, device="cuda") * 2654435761 % SLOTS
    cos, sin = (t[slots] for t in cos_sin(dtype, layout, SLOTS, dim))  # once for all layers
    q = many(sets, dtype, tokens, q_heads, dim)
    k, v = (many(sets, dtype, tokens, k_heads, dim) for _ in range(2))
    caches = [many(sets, dtype, SLOTS, k_heads, dim) for _ in range(2)]
    norms = many(2, dtype, dim)
    f = form(step)
    work = lambda i: f(q[i], k[i], v[i], *norms, cos, sin, *(c[i] for c in caches), slots)
    return work, lambda _: caches[0][0][slots[row_of(tokens)], -1, :4]


def fill(form, dtype, batch, tokens, dim, sets):
    f = form(lambda: table(tokens, dim, "cuda").to(dtype))
    return lambda i: f(), lambda pe: pe[row_of(tokens), :4]


def add(form, dtype, batch, tokens, dim, sets):
    pe, x = table(tokens, dim, "cuda").to(dtype), many(sets, dtype, batch, tokens, dim)
    f = form(lambda x, pe: x + pe)
    return lambda i: f(x[i], pe), lambda y: y[-1, row_of(tokens), :4]


def embed(form, dtype, batch, tokens, dim, sets):
    pe, ids = table(tokens, dim, "cuda").to(dtype), ids_of(batch, tokens, "cuda")
    rows = numbers(dtype, VOCABULARY, dim)
    f = form(lambda ids, rows, pe: torch.nn.functional.embedding(ids, rows) * 22 + pe)
    return lambda i: f(ids, rows, pe), lambda y: y[-1, row_of(tokens), :4]


def embed_gradient(form, dtype, batch, tokens, dim, sets):
    dout, ids = many(sets, dtype, batch, tokens, dim), ids_of(batch, tokens, "cuda")
    grad = torch.zeros(VOCABULARY, dim, dtype=dtype, device="cuda")
    f = form(lambda grad, dout, ids: grad.add_(embedding_backward(dout, ids, VOCABULARY, -1, False)))
    return lambda i: f(grad, dout[i], ids), lambda _: grad[0, :4]


def table_gradient(form, dtype, batch, tokens, dim, sets):
    dout, at = many(sets, dtype, batch, tokens, dim), torch.arange(tokens, device="cuda")
    grad = torch.zeros(tokens, dim, dtype=dtype, device="cuda")
    f = form(lambda grad, dout, at: grad.add_(embedding_backward(dout.sum(0), at, tokens, -1, False)))
    return lambda i: f(grad, dout[i], at), lambda _: grad[row_of(tokens), :4]


def t5(form, dtype, heads, queries, keys, sets):
    scores = many(sets, dtype, heads, queries, keys)
    weight = (torch.arange(32 * heads, device="cuda") % 7 * 0.25).to(dtype).reshape(32, heads)

    def f(scores, weight):
        bucket = t5_bucket(distances(queries, keys, "cuda"))
        return scores.add_(torch.nn.functional.embedding(bucket, weight).permute(2, 0, 1))

    f = form(f)
    return lambda i: f(scores[i], weight), lambda y: y[-1, row_of(queries), :4]


def t5_gradient(form, dtype, heads, queries, keys, sets):
    dout = many(sets, dtype, heads, queries, keys)
    bucket = t5_bucket(distances(queries, keys, "cuda"))
    f = form(lambda dout, bucket: embedding_backward(dout.permute(1, 2, 0), bucket, 32, -1, False))
    return lambda i: f(dout[i], bucket), lambda _: []


def alibi_fill(form, dtype, heads, queries, keys, sets):
    f = form(lambda: alibi(heads, queries, keys, "cuda").to(dtype))
    return lambda i: f(), lambda y: y[-1, row_of(queries), :4]


VERBS = {"rotate": rotate, "rotate-adjoint": rotate_adjoint, "rotate-into": rotate_into, "fill": fill,
         "add": add, "embed": embed, "embed-gradient": embed_gradient, "table-gradient": table_gradient,
         "t5": t5, "t5-gradient": t5_gradient, "alibi": alibi_fill}
