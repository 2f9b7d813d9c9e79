"""PyTorch, written the way it is usually written."""
import math

import torch
from serve import KEY_HEADS, VOCABULARY, serve
from torch_forms import alibi, distances, ids_of, rotate_half, t5_bucket, table

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}


def fill(dtype, batch, tokens, dim):
    if dim % 2 or tokens == 1:
        return None
    work = (lambda: table(tokens, dim)) if dtype == torch.float32 else (
        lambda: table(tokens, dim).to(dtype))
    return work, work()[-1, :4]


def add(dtype, batch, tokens, dim):
    pe = table(tokens, dim).to(dtype).unsqueeze(0)
    x = torch.full((batch, tokens, dim), 0.5, dtype=dtype)
    work = lambda: x.add_(pe)
    return work, work()[-1, -1, :4].tolist()


def embed(dtype, batch, tokens, dim):
    pe = table(tokens, dim).to(dtype).unsqueeze(0)
    rows = (torch.arange(VOCABULARY) % 7 * 0.25).to(dtype).unsqueeze(1).repeat(1, dim)
    emb = torch.nn.Embedding(VOCABULARY, dim, _weight=rows)
    ids = ids_of(batch, tokens)
    work = lambda: emb(ids) * math.sqrt(dim) + pe
    return work, work()[-1, -1, :4]


def scatter(dtype, batch, tokens, dim):
    dout = torch.full((batch * tokens, dim), 0.5, dtype=dtype)
    total = torch.zeros(VOCABULARY, dim, dtype=dtype)
    ids = ids_of(batch, tokens).flatten()
    work = lambda: total.index_add_(0, ids, dout)
    return work, work()[ids[-1], :4].tolist()


def rotate(dtype, heads, tokens, dim):
    rate = 1.0 / 10000.0 ** (torch.arange(0, dim, 2).float() / dim)
    angle = torch.outer(torch.arange(tokens).float(), rate)
    cos, sin = (torch.cat((f(angle), f(angle)), dim=-1).to(dtype) for f in (torch.cos, torch.sin))
    q, k = (heads_of(dtype, n, tokens, dim) for n in (heads - KEY_HEADS, KEY_HEADS))
    work = lambda: [x * cos + rotate_half(x) * sin for x in (q, k)]
    return work, work()[1][-1, -1, :4].tolist()


def heads_of(dtype, heads, tokens, dim):
    """[heads, tokens, dim], as models hold them: a view of [tokens, heads, dim]."""
    x = ((torch.arange(tokens * heads * dim) % 7 + 1) * 0.25).to(dtype)
    return x.reshape(tokens, heads, dim).transpose(0, 1)


def bias_alibi(dtype, heads, queries, keys):
    work = lambda: alibi(heads, queries, keys).to(dtype)
    return work, work()[-1, -1, :4].tolist()


def bias_t5(dtype, heads, queries, keys):
    table = (torch.arange(32 * heads) % 7 * 0.25).to(dtype).reshape(32, heads)
    work = lambda: torch.nn.functional.embedding(
        t5_bucket(distances(queries, keys)), table).permute(2, 0, 1).contiguous()
    return work, work()[-1, -1, :4].tolist()


def prepare(verb, dtype, batch, tokens, dim, threads):
    torch.set_num_threads(threads)
    if verb not in globals():
        return None
    return globals()[verb](DTYPES[dtype], batch, tokens, dim)


torch.set_grad_enabled(False)
serve("torch " + torch.__version__.split("+")[0], prepare)
