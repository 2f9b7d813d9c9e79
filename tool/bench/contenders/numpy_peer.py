"""NumPy, written the way it is usually written. It has one thread and no bf16."""
import numpy as np
from serve import VOCABULARY, scattered, serve

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}


def table(dtype, tokens, dim):
    pe = np.zeros((tokens, dim), dtype)
    angle = np.arange(tokens)[:, None] / np.power(10000.0, np.arange(0, dim, 2) / dim)
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return pe


def fill(dtype, batch, tokens, dim):
    if dim % 2 or tokens == 1:
        return None
    work = lambda: table(dtype, tokens, dim)
    return work, work()[-1, :4]


def add(dtype, batch, tokens, dim):
    pe = table(dtype, tokens, dim)
    x = np.full((batch, tokens, dim), 0.5, dtype)
    work = lambda: np.add(x, pe, out=x)
    return work, work()[-1, -1, :4].tolist()


def embed(dtype, batch, tokens, dim):
    pe = table(dtype, tokens, dim)
    rows = np.repeat((np.arange(VOCABULARY) % 7 * 0.25).astype(dtype)[:, None], dim, 1)
    ids = (scattered(np.arange(batch * tokens)) % VOCABULARY).reshape(batch, tokens)
    scale = dtype(np.sqrt(dim))
    work = lambda: rows[ids] * scale + pe
    return work, work()[-1, -1, :4]


def prepare(verb, dtype, batch, tokens, dim, threads):
    if dtype not in DTYPES or verb not in ("fill", "add", "embed") or threads != 1:
        return None
    return globals()[verb](DTYPES[dtype], batch, tokens, dim)


serve("numpy " + np.__version__, prepare)
