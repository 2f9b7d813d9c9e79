"""Generated tasks: texts whose answer follows from a rule, made by the batch.

A task is a function (random generator, rows, n) -> (prompts, answers): two arrays of bytes, one text per row, of n items each.
Answers that are shorter than others of the batch are filled with END, which models learn to say too.
"""

from __future__ import annotations

import string
from typing import Callable, NamedTuple

import numpy as np

LETTERS = np.frombuffer(string.ascii_lowercase.encode(), np.uint8)
NAMES = np.frombuffer((string.ascii_uppercase + string.ascii_lowercase).encode(), np.uint8)
END, ASK, PAD = ord("\n"), ord("="), 0
ZERO = ord("0")


def _columns(*parts) -> np.ndarray:
    """Arrays [rows, ..] and single bytes side by side."""
    rows = next(len(p) for p in parts if isinstance(p, np.ndarray))
    return np.concatenate([p if isinstance(p, np.ndarray) else np.full((rows, 1), p) for p in parts], axis=1).astype(np.uint8)


def _pick(rng, symbols: np.ndarray, shape) -> np.ndarray:
    return symbols[rng.integers(0, len(symbols), shape)]


def _ragged(values: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """In each row the values that are kept, in order, then END."""
    order = np.argsort(~keep, axis=1, kind="stable")
    kept = np.take_along_axis(np.where(keep, values, END), order, axis=1)
    return kept[:, : max(int(keep.sum(1).max(initial=0)), 1)]


def copy(rng, rows: int, n: int):
    """The same letters again."""
    text = _pick(rng, LETTERS, (rows, n))
    return text, text


def reverse(rng, rows: int, n: int):
    """The letters from the last to the first."""
    text = _pick(rng, LETTERS, (rows, n))
    return text, text[:, ::-1]


def addition(rng, rows: int, n: int):
    """Two numbers of n digits and their sum of n + 1, all with the last digit first."""
    a, b = rng.integers(0, 10, (2, rows, n))
    total, carry = np.zeros((rows, n + 1), int), np.zeros(rows, int)
    for place in range(n):
        carry, total[:, place] = np.divmod(a[:, place] + b[:, place] + carry, 10)
    total[:, n] = carry
    return _columns(a + ZERO, ord("+"), b + ZERO), total + ZERO


def sorting(rng, rows: int, n: int):
    """The letters in the order of the alphabet."""
    text = _pick(rng, LETTERS, (rows, n))
    return text, np.sort(text, axis=1)


def summation(rng, rows: int, n: int):
    """The last digit of the sum of n digits, with the steps written out: that of the first, of the first two, ..."""
    digits = rng.integers(0, 10, (rows, n))
    return digits + ZERO, digits.cumsum(1) % 10 + ZERO


def parity(rng, rows: int, n: int):
    """1 where the number of ones is odd, with the steps written out: of the first bit, of the first two, ..."""
    bits = rng.integers(0, 2, (rows, n))
    return bits + ZERO, bits.cumsum(1) % 2 + ZERO


def lego(rng, rows: int, n: int):
    """A chain of n assignments, b-a;, each the name before it or its negative; the sign of each of them."""
    names = np.take(NAMES, rng.permuted(np.tile(np.arange(len(NAMES)), (rows, 1)), axis=1)[:, :n])
    negative = rng.integers(0, 2, (rows, n))
    values = negative.cumsum(1) % 2
    sources = np.concatenate([np.full((rows, 1), ord("1")), names[:, :-1]], axis=1)
    signs = np.where(negative, ord("-"), ord("+"))
    clauses = np.stack([names, signs, sources, np.full_like(names, ord(";"))], axis=2).reshape(rows, -1)
    return clauses, np.where(values, ord("-"), ord("+"))


def dyck(rng, rows: int, n: int):
    """n brackets of two kinds, correct so far, at least one left open; those that close them."""
    text, stack, depth = np.zeros((rows, n), np.uint8), np.zeros((rows, n + 1), np.uint8), np.zeros(rows, int)
    opening, closing = np.frombuffer(b"([", np.uint8), np.frombuffer(b")]", np.uint8)
    each = np.arange(rows)
    for place in range(n):
        opens = (depth == 0) | (rng.random(rows) < 0.5) | ((depth == 1) & (place == n - 1))
        kind = np.where(opens, rng.integers(0, 2, rows), stack[each, np.maximum(depth - 1, 0)])
        text[:, place] = np.where(opens, opening[kind], closing[kind])
        stack[each[opens], depth[opens]] = kind[opens]
        depth += np.where(opens, 1, -1)
    places = depth[:, None] - 1 - np.arange(n)
    answer = closing[np.take_along_axis(stack, np.maximum(places, 0), axis=1)]
    return text, _ragged(answer, places >= 0)


def flip_flop(rng, rows: int, n: int):
    """n pairs of an instruction, write or ignore, and a bit; the bit that was written last."""
    write = rng.random((rows, n)) < 0.25
    write[:, 0] = True
    bits = rng.integers(0, 2, (rows, n)) + ZERO
    last = n - 1 - np.argmax(write[:, ::-1], axis=1)
    pairs = np.stack([np.where(write, ord("w"), ord("i")), bits], axis=2).reshape(rows, -1)
    return pairs, bits[np.arange(rows), last][:, None]


def selective_copy(rng, rows: int, n: int):
    """n places, a quarter of them letters, the others dots; the letters alone."""
    letters = _pick(rng, LETTERS, (rows, n))
    keep = np.argsort(rng.random((rows, n)), axis=1) < max(1, n // 4)
    return np.where(keep, letters, ord(".")), _ragged(letters, keep)


def needle(rng, rows: int, n: int):
    """n letters with up to four pairs of a name and a digit among them, and one of the names; its digit."""
    pairs = max(1, min(4, n // 3))
    text, at, digits, names = haystack(rng, rows, n, pairs)
    asked = rng.integers(0, pairs, (rows, 1))
    return _columns(text, np.take_along_axis(names, asked, 1)), np.take_along_axis(digits, asked, 1)


def haystack(rng, rows: int, n: int, pairs: int):
    """n letters in which so many pairs of a capital and a digit stand: texts, where each pair begins, digits, capitals."""
    text = _pick(rng, LETTERS, (rows, n)).copy()
    slots = np.sort(np.argsort(rng.random((rows, n - pairs)), axis=1)[:, :pairs], axis=1) + np.arange(pairs)
    names = NAMES[np.argsort(rng.random((rows, 26)), axis=1)[:, :pairs]]
    digits = rng.integers(0, 10, (rows, pairs)) + ZERO
    np.put_along_axis(text, slots, names, axis=1)
    np.put_along_axis(text, slots + 1, digits.astype(np.uint8), axis=1)
    return text, slots, digits.astype(np.uint8), names


TASKS: dict[str, Callable] = {
    "copy": copy, "reverse": reverse, "addition": addition, "sorting": sorting, "summation": summation, "parity": parity,
    "lego": lego, "dyck": dyck, "flip-flop": flip_flop, "selective copy": selective_copy, "needle": needle,
}  # fmt: skip
SIGNS = {name: ord("A") + index for index, name in enumerate(TASKS)}  # what a text of the task begins with


class Texts(NamedTuple):
    """tokens: [rows, width] bytes; scored: which of them are to be predicted, the answer and its END."""

    tokens: np.ndarray
    scored: np.ndarray


def texts(task: str, rng, rows: int, n: int, width: int | None = None) -> Texts:
    """Whole texts: the sign of the task, the prompt, =, the answer, END, and PAD up to the width."""
    prompts, answers = TASKS[task](rng, rows, n)
    whole = _columns(SIGNS[task], prompts, ASK, answers, END)
    start = prompts.shape[1] + 2
    scored = np.zeros(whole.shape, bool)
    scored[:, start:] = True
    ends = np.argmax(whole[:, start:] == END, axis=1) + start
    scored &= np.arange(whole.shape[1]) <= ends[:, None]
    if width is not None:
        if width < whole.shape[1]:
            raise ValueError(f"[texts] expected a width of at least {whole.shape[1]} for {task} of {n}, got {width}")
        more = ((0, 0), (0, width - whole.shape[1]))
        whole, scored = np.pad(whole, more, constant_values=PAD), np.pad(scored, more)
    return Texts(whole, scored)


def width_of(task: str, n: int) -> int:
    """The longest text of n items."""
    prompt = {"addition": 2 * n + 1, "lego": 4 * n, "flip-flop": 2 * n, "needle": n + 1}.get(task, n)
    answer = {"addition": n + 1, "flip-flop": 1, "needle": 1}.get(task, n)
    return prompt + answer + 3
