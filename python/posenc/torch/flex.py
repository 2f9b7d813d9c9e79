"""Biases for FlexAttention: computed where that takes little arithmetic, otherwise read from a line of numbers by distance."""

from __future__ import annotations

import functools
from typing import Callable

import torch

from posenc import Scheme

from . import _flex_blocks as _blocks
from . import _flex_line as _line
from . import _flex_masks as _masks
from . import _flex_parts as _parts
from . import _flex_programs as _programs
from . import _native
from ._direct import expect_count, expect_tensors, expect_whole
from ._plans import facts_of
from .attention import bias_of
from .relative import RelativeBias


@functools.lru_cache(maxsize=256)
def _kind(handle: str) -> str:
    facts = facts_of(handle)
    return {"distance": "slope", "key": "key slope"}[facts.reads] if facts.is_straight else facts.reads


@torch.compiler.assume_constant_result
def _reads(handle: str) -> str:
    """What a bias reads. slope: a slope of each head times the distance; key slope: times the key."""
    return _kind(handle)


def score_mod(
    bias: RelativeBias | Scheme, queries: int, keys: int | None = None, *, first_query: int = 0, device=None, dtype=None,
    head_dim: int = 128,
) -> Callable:  # fmt: skip
    """A score_mod for torch.nn.attention.flex_attention, for up to this many queries and keys.

    bias: a RelativeBias, or a posenc bias without learned weights, such as posenc.Alibi(heads=8), which breaks the graph
    under torch.compile. device: that of the queries; the default is the module's, and for a bias that is not a module
    PyTorch's default device. ALiBi is a slope for each head; the memory of other biases that read the distance grows with
    queries + keys. first_query: the position of query 0, which with a cache is its length. Learned biases get their
    gradients through it. Its attribute kernel_options holds the options to pass to FlexAttention with it on CUDA, for heads
    of up to head_dim numbers; posenc.torch.flex_attention does that.
    """
    bias = bias_of("score_mod", bias)
    keys = queries if keys is None else keys
    expect_count("score_mod", queries=queries, keys=keys)
    expect_whole("score_mod", first_query=first_query)
    like = bias._like(device, dtype)
    mod = _checked(_mod(bias, queries, keys, first_query, device, dtype), like.device)
    if not torch.compiler.is_compiling():
        learns = any(parameter.requires_grad for parameter in bias.parameters())
        limit = _blocks.shared_memory(like.device)
        mod.kernel_options = _options(_reads(bias.handle), queries, (head_dim, 4), limit, learns=learns)
    return mod


@torch.compiler.assume_constant_result  # the sentence is not lost in the compiler's own
def _expect_scores(made: torch.device, got: torch.device) -> None:
    if got != made:
        raise ValueError(
            f"[score_mod] expected scores on {made}, where this score_mod has its numbers, got {got}: "
            f'move the module there, or pass device="{got}" to score_mod where it learns nothing'
        )


def _checked(mod, device):
    """The same function, which says in a sentence that the scores are on another device: a compiler's error fills pages."""

    def checked(score, batch, head, query, key):
        _expect_scores(device, score.device)
        return mod(score, batch, head, query, key)

    return checked


def _mod(bias, queries, keys, first_query, device, dtype, halves=False, masked=False):
    """The function. halves: f16 will do; masked: there is a block mask."""
    reads = _reads(bias.handle)
    like = bias._like(device, dtype)
    how = {"device": like.device, "dtype": dtype or _native.compute_type(like.dtype)}
    if reads in ("slope", "key slope"):
        slopes = bias(1, 1, first_key=1, **how)[:, 0, 0]
        return _straight(slopes, reads == "key slope", queries, keys, first_query, masked)
    if reads == "distance":
        line, last = _line_of(bias, queries, keys, first_query, how), _whole(queries - 1, like)
        if halves and _fits_halves(bias.heads, queries, keys):
            return _in_halves(line, last)
        return lambda score, batch, head, query, key: score + line[head, key - query + last]
    if reads == "key":
        line = bias(1, keys, **how)[:, 0]
        return lambda score, batch, head, query, key: score + line[head, key]
    table = bias(queries, keys, first_query=first_query, **how)
    return lambda score, batch, head, query, key: score + table[head, query, key]


def _line_of(bias, queries, keys, first_query, how):
    """Of each head, from the distance of the last query and the first key on."""
    return bias(1, queries + keys - 1, first_key=-(first_query + queries - 1), **how)[:, 0]


def _fits_halves(heads, queries, keys):
    """Eight copies of a line are found by 32 bits."""
    return 8 * heads * (queries + keys + 15) < 1 << 31


def _options(reads, queries, head, limit, learns=False, halves=False, mask_blocks=None):
    """What to give FlexAttention on a GPU with so much shared memory. head: its numbers and their bytes; learns: what the
    bias learns gets a gradient. By default its kernels have no room for numbers read by distance."""
    straight, masked = reads in ("slope", "key slope"), mask_blocks is not None
    row, sizes = head[0] * head[1], mask_blocks or (128, 128)
    wanted = [_blocks.SLOPES_MASKED] if masked else []
    if not straight:
        wanted = [_blocks.HALVES_MASKED if masked else _blocks.HALVES] * halves + [_blocks.LINE]
    number, options = 0 if straight else 2 if halves else 4, {}
    # FlexAttention has a kernel of its own for fewer than 128 queries, which chooses for itself: given BLOCK_M it would write
    # beyond its results.
    wanted = [blocks for blocks in wanted if row <= blocks.widest] if queries >= 128 else []
    if wanted:
        options = _blocks.forward(_blocks.fitted(wanted[0], *head, number, 1, limit, sizes))
    if learns and straight:
        options["WRITE_DQ"] = False  # gradients of slopes are added where those of keys are
    if learns or not straight:
        known = _blocks.BACKWARD_HALVES if halves and row <= _blocks.BACKWARD_HALVES.widest else _blocks.BACKWARD
        options.update(_blocks.backward(_blocks.fitted(known, *head, 4, 2, limit, sizes)))
    return options


def _whole(number, like):
    """A tensor, so that one program serves all lengths; in 64 bits ALiBi would take twice the time."""
    return torch.full((), number, dtype=torch.int32, device=like.device)


def _straight(slopes, of_keys, queries, keys, first_query, masked):
    """A slope of each head times the distance, or the key. A slope that learns is read once for each key: the gradients of all
    scores would be added to one number of a head, one after the other."""
    learns = slopes.requires_grad
    slopes = slopes[:, None].repeat(1, keys) if learns else slopes
    before = _whole(first_query, slopes)

    def slope(head, key):
        return slopes[head, key] if learns else slopes[head]

    if of_keys:
        return lambda score, batch, head, query, key: score + slope(head, key) * key
    # With a block mask it is quicker to make floats of queries and keys than of their differences, where f32 has them.
    if masked and max(first_query + queries, keys) <= 1 << 24:
        return lambda score, batch, head, query, key: score + slope(head, key) * ((query + before).float() - key.float()).abs()
    return lambda score, batch, head, query, key: score + slope(head, key) * (query + before - key).abs()


def _in_halves(line, last):
    """What reads a line by key - query + last, rounded to f16.

    FlexAttention's kernel moves what it reads to where the products of q and k lie, which takes longer than the reading, and with
    16 bits much less long than with 32. There are eight copies of the line, each of which begins one number later: whatever the
    query, eight keys read eight numbers that lie together at a multiple of 16 bytes.
    """
    size = line.shape[1]
    sixteens, line = size // 16 + 1, _line.rounded(line)
    line = torch.nn.functional.pad(line, (0, 16 * sixteens + 8 - size))
    copies, sixteens = line.unfold(-1, 16 * sixteens, 1)[:, :8].reshape(-1), _whole(sixteens, line)

    def add(score, batch, head, query, key):
        start = last - query
        return score + copies[(8 * head + (start & 7)) * sixteens * 16 + (start >> 3) * 8 + key]

    return add


def _compiles(q) -> bool:
    """On the CPU PyTorch compiles for inference alone."""
    return q.is_cuda


def _takes_options(q) -> bool:
    """Only the kernels for GPUs do."""
    return q.is_cuda


def _halves_do(q) -> bool:
    """Where queries have 16 bits, as the masks of attention_bias then have."""
    return q.is_cuda and q.dtype in (torch.float16, torch.bfloat16)


def _first_keys_are_seen(block_mask, q, k) -> bool:
    """With short queries several blocks of threads share the keys of each, and begin with others."""
    if torch.compiler.is_compiling() or q.shape[-2] < _programs.SHORT:
        return False
    return _masks.first_keys_are_seen(block_mask, q.shape[0], q.shape[1], q.shape[2], k.shape[2])


def flex_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, bias: RelativeBias | Scheme | None = None, block_mask=None,
    first_query: int = 0, scale: float | None = None, enable_gqa: bool = False, kernel_options: dict | None = None,
) -> torch.Tensor:  # fmt: skip
    """PyTorch's FlexAttention with a bias: q [batch, heads, queries, dim], k and v [batch, heads, keys, dim].

    On CUDA it is compiled first for the given lengths and batch only, then once for all others; elsewhere, and inside a
    compiled function, it is PyTorch's call. block_mask: from PyTorch's create_block_mask. first_query: the position of
    query 0, which with a cache is its length. bias: as in score_mod; its learned weights get their gradients. With 16-bit
    queries on CUDA, biases that are read by distance are rounded to f16, unless FlexAttention computes their gradient or
    reads them only in a band around the query (T5 and clipped, with many keys). mask_mod must always return the same for
    the same query and key: make a new block_mask if Python numbers that it reads have changed.
    """
    expect_tensors("flex_attention", q=q, k=k, v=v)
    expect_whole("flex_attention", first_query=first_query)
    if q.is_cuda and q.dtype == torch.float64:
        raise TypeError("[flex_attention] expected q of float32, float16 or bfloat16 on CUDA, got float64, which FlexAttention lacks")
    if bias is not None:
        bias = bias_of("flex_attention", bias)
        if q.dim() != 4 or q.shape[-3] != bias.heads:
            wanted = f"q [batch, {bias.heads} heads, tokens, dim]"
            raise ValueError(f"[flex_attention] expected {wanted}, got {list(q.shape)}")
    wants = torch.is_grad_enabled() and any(t.requires_grad for t in (q, k, v, *(bias.parameters() if bias else ())))
    mod_of, options, kind, learns = lambda queries, keys: None, {}, "", False
    if bias is not None:
        kind, learns = _reads(bias.handle), wants and any(p.requires_grad for p in bias.parameters())
        halves = not learns and _halves_do(q)
        dtype, masked, gpu = torch.float64 if q.dtype == torch.float64 else torch.float32, block_mask is not None, None
        mod_of = functools.partial(_mod, bias, first_query=first_query, device=q.device, dtype=dtype, halves=halves, masked=masked)
        if _takes_options(q) and not kernel_options:
            halves = halves and _fits_halves(bias.heads, q.shape[-2] + _programs.BLOCK, k.shape[-2] + _programs.BLOCK)
            sizes = None if block_mask is None else block_mask.BLOCK_SIZE
            head = (max(q.shape[-1], v.shape[-1]), q.element_size())
            gpu = head, _blocks.shared_memory(q.device), learns
            options = _options(kind, q.shape[-2], *gpu, halves, sizes)
            if masked and kind in ("slope", "key slope") and _first_keys_are_seen(block_mask, q, k):
                options["ROWS_GUARANTEED_SAFE"] = True
    options = kernel_options or options or None
    if torch.compiler.is_compiling():
        return _programs.eager(q, k, v, mod_of(q.shape[-2], k.shape[-2]), block_mask, scale, enable_gqa, options)
    _programs.of_pytorch()
    if not _compiles(q):
        return _programs.eager(q, k, v, mod_of(q.shape[-2], k.shape[-2]), block_mask, scale, enable_gqa, options)
    case = _programs.case_of(kind, block_mask is not None, wants, q, k, v, scale, enable_gqa, options)
    long = q.shape[-2] >= _programs.SHORT
    if kind == "distance" and long and not kernel_options and _are_plain(q, k, v):
        parts = _programs.is_first(case, q, k, block_mask) and _in_parts(bias, q, k, block_mask, first_query, dtype, gpu)
        if parts:
            return _parts.program_of(case, parts[0])(q, k, v, scale, enable_gqa, parts[1])
        pieces = learns and _pieces_for(bias, q, k, v, block_mask)
        if pieces:
            return _with_line_gradient(case, bias, q, k, v, block_mask, first_query, gpu, pieces)
    return _compiled(case, mod_of, q, k, v, block_mask, kind != "both" and not kernel_options)


def _are_plain(*tensors) -> bool:
    """Not subclasses, which may hold no numbers (FakeTensor) or a shard of them (DTensor)."""
    return all(type(t) in (torch.Tensor, torch.nn.Parameter) for t in tensors)


def _in_parts(bias, q, k, block_mask, first, dtype, gpu):
    """Parts of the attention, and what is read in each of them; None where parts do not pay."""
    queries, keys = q.shape[-2], k.shape[-2]
    reach = _parts.reach_of(bias.handle, first + queries + keys)
    parts = reach and _parts.parts_of(queries, keys, first, reach, q.device, block_mask)
    if not parts:
        return None
    near = gpu and _options("distance", queries, *gpu, False, parts[0].block_mask.BLOCK_SIZE)
    return parts, _parts.read_by(bias, parts, first, reach, {"device": q.device, "dtype": dtype}, near)


def _pieces_for(bias, q, k, v, block_mask):
    """What posenc's kernel sums the gradient of a line from; None where FlexAttention computes it."""
    fits = _line.suits(q, k, v) and _fits_halves(bias.heads, q.shape[-2], k.shape[-2])
    return _line.pieces_of(q.shape[-2], k.shape[-2], q.device, block_mask) if fits else None


def _with_line_gradient(case, bias, q, k, v, block_mask, first_query, gpu, pieces):
    """FlexAttention with the line in f16 and without a gradient, which posenc's kernel computes afterwards."""
    queries, keys, sizes = q.shape[-2], k.shape[-2], None if block_mask is None else block_mask.BLOCK_SIZE
    line, last = _line_of(bias, queries, keys, first_query, {"device": q.device, "dtype": torch.float32}), _whole(queries - 1, q)
    options = gpu and _options("distance", queries, *gpu, True, sizes)
    case = case._replace(bias="line", options=tuple(sorted((options or {}).items())), sums=True)
    out, aux = _compiled(case, lambda *_: _in_halves(line.detach(), last), q, k, v, block_mask, True)
    q, k, v = (t.to(out.dtype) for t in (q, k, v))  # as FlexAttention does under autocast
    return _line.with_gradient(out, line, aux.lse, q, k, v, queries - 1, case.scale, pieces)


def _compiled(case, mod_of, q, k, v, block_mask, may_grow):
    """By the program of the case's first lengths, or by that of all others, which for lengths that are no multiples of 128 would be
    several times slower: where it may, it gets zeros to make them such."""
    queries, keys = q.shape[-2], k.shape[-2]
    if queries < _programs.SHORT:
        return _programs.compiled(case, True)(q, k, v, mod_of(queries, keys), block_mask)
    if _programs.is_first(case, q, k, block_mask):
        return _programs.compiled(case, False)(q, k, v, mod_of(queries, keys), block_mask)
    if not may_grow or not _programs.can_grow(block_mask, queries, keys):
        return _programs.compiled(case, True)(q, k, v, mod_of(queries, keys), block_mask)
    if not _programs.missing(queries) and not _programs.missing(keys):
        return _programs.compiled(case.divisible(""), True)(q, k, v, mod_of(queries, keys), block_mask)
    q, k, v = (_programs.grown(t) for t in (q, k, v))
    mod = _programs.without_grown(mod_of(q.shape[-2], k.shape[-2]), keys, q.device)
    mask = _programs.grown_mask(block_mask, queries, keys)
    return _programs.compiled(case.divisible(", grown"), True)(q, k, v, mod, mask)[..., :queries, :]
