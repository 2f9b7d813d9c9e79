"""How a model is trained and read: one loop, and bits per byte scored with any stride."""

from __future__ import annotations

import math
from typing import Callable, Iterable

import torch
from torch import nn


def autocast(device: str):
    return torch.autocast("cuda", torch.bfloat16, enabled=device.startswith("cuda"))


def loss_of(model, inputs, targets, scored=None):
    """The mean loss of targets: of all, or of those that are scored."""
    logits = model(inputs)
    each = nn.functional.cross_entropy(logits.flatten(0, -2).float(), targets.flatten(), reduction="none")
    return each.mean() if scored is None else (each * scored.flatten()).sum() / scored.sum().clamp(min=1)


def _groups(model) -> list[dict]:
    """Weights that decay, those that do not, and those of the part that knows positions, which may have a rate of its own."""
    placed = list(model.part.parameters())
    inside = {id(p) for p in placed}
    others = [p for p in model.parameters() if id(p) not in inside]
    matrices, vectors = [p for p in others if p.dim() > 1], [p for p in others if p.dim() <= 1]
    each = ((matrices, 0.1, 1.0), (vectors, 0.0, 1.0), (placed, 0.0, model.part.rate))
    return [{"params": params, "weight_decay": decay, "rate": rate} for params, decay, rate in each if params]


def train(
    model, batch: Callable, steps: int, *, device: str, rate: float = 1e-3, at_step: Callable = lambda step: None
) -> float:
    """AdamW with a linear warm-up and a cosine down to a tenth; the mean loss of the last tenth of the steps.
    batch(): (inputs, targets) or (inputs, targets, scored), on the device. at_step(step) is called before each step."""
    model.train()
    warmup = max(1, min(100, steps // 10))
    groups = _groups(model)
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95), fused=device.startswith("cuda"))
    total, counted = torch.zeros((), device=device), 0
    for step in range(steps):
        at_step(step)
        share = min(1.0, (step + 1) / warmup)
        cosine = 0.55 + 0.45 * math.cos(math.pi * max(0, step - warmup) / max(1, steps - warmup))
        for group in optimizer.param_groups:
            group["lr"] = rate * share * cosine * group["rate"]
        with autocast(device):
            loss = loss_of(model, *batch())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step >= steps - max(1, steps // 10):
            total, counted = total + loss.detach(), counted + 1
    return float(total) / max(1, counted)


def text_batches(corpus: torch.Tensor, rows: int, length: int, generator) -> Callable:
    """Random pieces of a corpus of bytes, and the byte after each of theirs."""
    spread = torch.arange(length + 1, device=corpus.device)

    def batch():
        starts = torch.randint(0, len(corpus) - length - 1, (rows, 1), device=corpus.device, generator=generator)
        pieces = corpus[starts + spread].long()
        return pieces[:, :-1], pieces[:, 1:]

    return batch


MASK = 256  # the token that stands where a byte is hidden


def hidden(pieces: torch.Tensor, generator, share: float = 0.15):
    """(inputs with hidden bytes, the bytes, which were hidden)."""
    chosen = torch.rand(pieces.shape, device=pieces.device, generator=generator) < share
    return torch.where(chosen, MASK, pieces), pieces, chosen


def masked_batches(corpus: torch.Tensor, rows: int, length: int, generator) -> Callable:
    plain = text_batches(corpus, rows, length, generator)
    return lambda: hidden(plain()[0], generator)


def windows(before: int, length: int, window: int, stride: int) -> Iterable[tuple[int, int, int]]:
    """Windows of a text such that every byte from `before` on is scored once: (start, end, first byte that is scored).
    Each has up to `window` bytes, of which at most the last `stride` are scored."""
    for at in range(before, length, stride):
        end = min(at + stride, length)
        yield max(0, end - window), end, at


@torch.no_grad()
def bits_per_byte(
    model, segments: torch.Tensor, *, before: int, window: int, stride: int, device: str, tokens: int = 1 << 17
) -> float:
    """Bits per byte of segments [count, length] from byte `before` on, in windows of so many bytes.

    stride = window: windows do not overlap, so that the first bytes of each have little before them. A small stride:
    every byte has at least window - stride bytes before it.
    """
    model.eval()
    total, counted = torch.zeros((), device=device, dtype=torch.float64), 0
    same: dict[tuple[int, int], list[torch.Tensor]] = {}
    for start, end, at in windows(before, segments.shape[1], window, stride):
        # The byte before the window is what its first byte is predicted from, where there is one.
        first = max(start - 1, 0)
        same.setdefault((end - first, end - max(at, 1)), []).append(segments[:, first:end])
    for (size, scored), pieces in same.items():
        for part in torch.cat(pieces).split(max(1, tokens // size)):
            part = part.to(device).long()
            with autocast(device):
                logits = model(part[:, :-1])[:, -scored:].float()
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), part[:, -scored:].flatten(), reduction="sum")
            total += loss.double()
            counted += part.shape[0] * scored
    return float(total) / counted / math.log(2)


@torch.no_grad()
def masked_bits(model, segments: torch.Tensor, *, length: int, device: str, tokens: int = 1 << 17) -> float:
    """Bits per hidden byte of segments, cut into texts of this length; the same bytes are hidden in each call, at every length that
    divides that of the segments."""
    model.eval()
    pieces = segments[:, : segments.shape[1] // length * length].reshape(-1, length).to(device).long()
    generator = torch.Generator(device).manual_seed(1)
    inputs, targets, chosen = hidden(pieces, generator)
    total = torch.zeros((), device=device, dtype=torch.float64)
    for x, y, which in zip(*(t.split(max(1, tokens // length)) for t in (inputs, targets, chosen))):
        with autocast(device):
            logits = model(x).float()
        each = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none")
        total += (each * which.flatten()).sum().double()
    return float(total / chosen.sum()) / math.log(2)


@torch.no_grad()
def answered(model, tokens: torch.Tensor, scored: torch.Tensor, *, device: str, rows: int = 512) -> torch.Tensor:
    """Which texts have every scored token right: [texts] of booleans. Greedy decoding says the same answer."""
    model.eval()
    right = []
    for text, which in zip(tokens.split(rows), scored.split(rows)):
        text, which = text.to(device).long(), which.to(device)
        with autocast(device):
            said = model(text[:, :-1]).argmax(-1)
        right.append(((said == text[:, 1:]) | ~which[:, 1:]).all(1))
    return torch.cat(right)
