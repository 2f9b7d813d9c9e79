"""The Triton kernel of _flex_line, in a module of its own: PyTorch installs Triton only where it has CUDA."""

import triton
import triton.language as tl


@triton.jit
def along_diagonals(
    q, k, v, dout, sums, deltas, line, out, rows, starts, edges, shifts, seen, scale, last, queries, width, group,
    q_batch, q_head, q_token, k_batch, k_head, k_token, v_batch, v_head, v_token, dout_batch, dout_head, dout_token,
    HAS_SEEN: tl.constexpr, SIZE: tl.constexpr, DIM: tl.constexpr, V_DIM: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """Sums the gradients of the scores of one piece: tiles of one diagonal. An element has the same distance in all of them, so its
    bias is loaded once, and its sum is added to the gradient of the line once, at the end. Softmax with base 2: sums are base-2
    logarithms of the denominators, and scale includes log2(e). deltas: the sum of out * dout of each query."""
    piece, head, batch = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    m, n, d, e = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE), tl.arange(0, DIM), tl.arange(0, V_DIM)
    shift = tl.load(shifts + piece) * SIZE
    at = head * width + shift + n[None, :] - m + last
    bias = tl.load(line + at) * 1.4426950408889634  # log2(e)
    q += batch * q_batch + head * q_head + m * q_token + d[None, :]
    k += batch * k_batch + head // group * k_head + n[None, :] * k_token + d[:, None]
    v += batch * v_batch + head // group * v_head + n[None, :] * v_token + e[:, None]
    dout += batch * dout_batch + head * dout_head + m * dout_token + e[None, :]
    sums += (batch * tl.num_programs(1) + head) * queries + m
    deltas += (batch * tl.num_programs(1) + head) * queries + m
    added = tl.zeros((SIZE, SIZE), tl.float32)
    for run in range(tl.load(edges + piece), tl.load(edges + piece + 1)):
        row, start, end = tl.load(rows + run).to(tl.int64), tl.load(starts + run), tl.load(starts + run + 1)
        for tile in tl.range(start, end, num_stages=STAGES):
            i = (row + (tile - start)) * SIZE
            j = i + shift
            scores = tl.dot(tl.load(q + i * q_token), tl.load(k + j * k_token)) * scale + bias
            p = tl.math.exp2(scores - tl.load(sums + i))
            if HAS_SEEN:
                p = tl.where(tl.load(seen + tile * (SIZE * SIZE) + m * SIZE + n[None, :]) != 0, p, 0.0)
            products = tl.dot(tl.load(dout + i * dout_token), tl.load(v + j * v_token))
            added += p * (products - tl.load(deltas + i))
    tl.atomic_add(out + at, added, sem="relaxed")
