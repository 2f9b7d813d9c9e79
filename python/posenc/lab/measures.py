"""What a trial of each kind does: it trains or reads a model, and returns rows, each with a value."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import time
from typing import Callable

import numpy as np
import torch

from . import corpora, encodings, mistakes, shapes, tasks
from .models import Classifier, Transformer, parameters
from .train import MASK, answered, autocast, bits_per_byte, masked_batches, masked_bits, text_batches, train
from .trials import Profile, Trial


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a trial runs, and what it runs on."""

    profile: Profile
    device: str
    folder: pathlib.Path  # of trained models
    texts: tuple[str, ...] = ()  # files instead of Python's source code


@functools.lru_cache(maxsize=2)
def _corpus(texts: tuple[str, ...], device: str, segments: int, length: int):
    trained, held_out = corpora.load(list(texts) or None)
    return torch.tensor(trained, device=device), torch.from_numpy(corpora.segments(held_out, segments, length))


def corpus(place: Place):
    """(bytes to train on, segments to score): of these the first half is what stands before the scored one."""
    return _corpus(place.texts, place.device, place.profile.segments, 2 * place.profile.longest + 1)


def _part(place: Place, scheme: str, causal: bool, length: int | None = None, longest: int | None = None, more=None):
    size = place.profile.size
    return encodings.build(
        scheme, causal=causal, layers=size.layers, heads=size.heads, width=size.width, more=more,
        length=length or place.profile.context, longest=longest or 2 * place.profile.longest,
    )  # fmt: skip


def _model(place: Place, part, tokens: int = 256):
    return Transformer(place.profile.size, part, tokens=tokens).to(place.device)


def _file(place: Place, trial: Trial) -> pathlib.Path:
    return place.folder / f"{trial.name}.pt"


def _generator(place: Place, seed: int):
    return torch.Generator(place.device).manual_seed(1000 + seed)


def _read(place: Place, model, window: int, stride: int) -> float:
    """Bits per byte of the second half of each segment."""
    text, most = corpus(place)[1], 1 << (13 if isinstance(model.part, encodings.Read) else 17)
    if place.device == "cpu":
        most = min(most, 1 << 14)
    before = place.profile.longest + 1
    return bits_per_byte(model, text, before=before, window=window, stride=stride, device=place.device, tokens=most)


def _sliding(window: int) -> int:
    return max(1, window // 16)


def _both(place: Place, model, window: int) -> list[dict]:
    apart, full = _read(place, model, window, window), _read(place, model, window, _sliding(window))
    return [{"length": window, "scoring": "apart", "value": apart}, {"length": window, "scoring": "full", "value": full}]


def decoder(trial: Trial, place: Place) -> list[dict]:
    profile = place.profile
    model = _model(place, _part(place, trial.scheme, True))
    batch = text_batches(corpus(place)[0], profile.rows, profile.context, _generator(place, trial.seed))
    train(model, batch, profile.steps, device=place.device, rate=profile.rate)
    place.folder.mkdir(parents=True, exist_ok=True)
    temporary = _file(place, trial).with_suffix(f".{time.time_ns()}")
    torch.save(model.state_dict(), temporary)
    temporary.replace(_file(place, trial))
    rows = [row for factor in profile.factors for row in _both(place, model, factor * profile.context)]
    return [{**row, "parameters": parameters(model)} for row in rows]


def _started(trial: Trial, place: Place):
    if not _file(place, trial.start).exists():  # rows came from another machine, the model did not
        torch.manual_seed(trial.seed)
        decoder(trial.start, place)
    model = _model(place, _part(place, trial.scheme, True))
    model.load_state_dict(torch.load(_file(place, trial.start), map_location=place.device, weights_only=True))
    return model


def _changed(place: Place, model, trained, scheme: str, more: dict):
    """The model with other options of its scheme; what the scheme learned stays."""
    part = _part(place, scheme, True, more=more).to(place.device)
    part.load_state_dict(trained.state_dict())
    model.part = part
    return part


def rules(trial: Trial, place: Place) -> list[dict]:
    model, rows = _started(trial, place), []
    trained, context = model.part, place.profile.context
    for factor in place.profile.factors[1:]:
        for name in mistakes.RULES:
            _changed(place, model, trained, trial.scheme, mistakes.rule(name, factor, context))
            rows += [{"rule": name, **row} for row in _both(place, model, factor * context)]
    return rows


def tuned(trial: Trial, place: Place) -> list[dict]:
    """A short training on longer texts under a rule, then read there; also as if the rule had been forgotten, or applied twice."""
    model, profile = _started(trial, place), place.profile
    trained, factor = model.part, profile.factors[min(2, len(profile.factors) - 1)]
    longer = factor * profile.context
    right = mistakes.rule(trial.case, factor, profile.context)
    _changed(place, model, trained, trial.scheme, right)
    batch = text_batches(corpus(place)[0], max(1, profile.rows // factor), longer, _generator(place, 100 + trial.seed))
    train(model, batch, profile.tuned_steps, device=place.device, rate=3e-4)
    rows = []
    for many in profile.factors:
        rows += [{"rule": trial.case, "tuned": longer, **row} for row in _both(place, model, many * profile.context)]
    if trial.case != "none":
        wrong = {"scaling forgotten": mistakes.rule("none", 1, 1), "factor applied twice": mistakes.twice(trial.case, factor, profile.context)}
        for name, options in wrong.items():
            _changed(place, model, trained, trial.scheme, options)
            rows.append({"rule": trial.case, "mistake": name, "length": longer, "value": _read(place, model, longer, _sliding(longer))})
    return rows


def wrong(trial: Trial, place: Place) -> list[dict]:
    model, profile = _started(trial, place), place.profile
    trained, context, head = model.part, profile.context, profile.size.width // profile.size.heads
    rows = []

    def add(name, window, **more):
        rows.append({"mistake": name, "length": window, "value": _read(place, model, window, _sliding(window)), **more})

    padding = context // 4
    for window in (context, context - padding):
        add("none", window)
    for mistake in mistakes.MISTAKES:
        if mistake.scheme == trial.scheme:
            part = _changed(place, model, trained, trial.scheme, dict(mistake.options))
            mistake.apply(part, head, padding)
            add(mistake.name, context - padding if mistake.padded else context)
    if trial.scheme == "rope":
        for first in mistakes.FAR:
            exact = _changed(place, model, trained, "rope", {})
            exact.first = first
            add("angles exact", context, first=first)
            for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
                model.part = mistakes.RoundedAngles(True, head, first, dtype)
                add(f"angles in {name}", context, first=first)
    return rows


def encoder(trial: Trial, place: Place) -> list[dict]:
    profile = place.profile
    model = _model(place, _part(place, trial.scheme, False), tokens=MASK + 1)
    data, text = corpus(place)
    batch = masked_batches(data, profile.rows, profile.context, _generator(place, trial.seed))
    train(model, batch, profile.steps, device=place.device, rate=profile.rate)
    value = masked_bits(model, text[:, profile.longest + 1 :], length=profile.context, device=place.device)
    return [{"length": profile.context, "value": value, "parameters": parameters(model)}]


def drop(trial: Trial, place: Place) -> list[dict]:
    """Rope for a share of the steps, no positions after. "anew": the rest is a training of its own, its rate rises and falls again."""
    profile = place.profile
    model = _model(place, _part(place, "rope", True))
    share, _, anew = trial.case.partition(" ")
    bare, at = encodings.Part(True), round(float(share) * profile.steps)

    def at_step(step):
        if step == at:
            model.part = bare

    batch = text_batches(corpus(place)[0], profile.rows, profile.context, _generator(place, trial.seed))
    train(model, batch, at if anew else profile.steps, device=place.device, rate=profile.rate, at_step=at_step)
    model.part = bare
    if anew:
        train(model, batch, profile.steps - at, device=place.device, rate=profile.rate)
    rows = [row for factor in profile.factors for row in _both(place, model, factor * profile.context)]
    return [{"dropped": float(share), "anew": bool(anew), **row} for row in rows]


@functools.lru_cache(maxsize=1)
def _pool(items: int, each: int, device: str):
    """Texts of all tasks with up to so many items, and their scored tokens."""
    width = max(tasks.width_of(task, items) for task in tasks.TASKS)
    rng = np.random.default_rng(0)
    made = [tasks.texts(task, rng, each, n, width) for task in tasks.TASKS for n in range(1, items + 1)]
    return tuple(torch.from_numpy(np.concatenate(part)).to(device) for part in zip(*made))


def _picked(tokens, scored, rows: int, generator) -> Callable:
    def batch():
        which = torch.randint(0, len(tokens), (rows,), device=tokens.device, generator=generator)
        text = tokens[which].long()
        return text[:, :-1], text[:, 1:], scored[which][:, 1:]

    return batch


def order(trial: Trial, place: Place) -> list[dict]:
    """One model for all tasks at once: a text begins with the sign of its task."""
    profile = place.profile
    tokens, scored = _pool(profile.items, profile.pool, place.device)
    longest = max(tasks.width_of(task, 2 * profile.items) for task in tasks.TASKS)
    model = _model(place, _part(place, trial.scheme, True, length=tokens.shape[1], longest=longest))
    train(model, _picked(tokens, scored, profile.task_rows, _generator(place, trial.seed)), profile.task_steps, device=place.device)
    rows, rng = [], np.random.default_rng(1)
    for n in (profile.items, profile.items * 3 // 2, 2 * profile.items):
        for task in tasks.TASKS:
            text, which = map(torch.from_numpy, tasks.texts(task, rng, min(500, 10 * profile.pool), n))
            value = answered(model, text, which, device=place.device).float().mean()
            rows.append({"task": task, "items": n, "value": float(value)})
    return rows


CUE, SCORED = 8, 24  # bytes of a needle: those that recall it, and those that are to be said again


def _needles(text: torch.Tensor, distance: int, rows: int) -> torch.Tensor:
    """Held-out text in which random letters stand, and again `distance` bytes later, at the end."""
    generator = torch.Generator().manual_seed(distance)
    size = CUE + SCORED
    length = distance + 2 * size
    starts = torch.randint(0, text.shape[1] - length + 1, (rows,), generator=generator)
    which = torch.randint(0, len(text), (rows,), generator=generator)
    out = torch.stack([text[w, s : s + length] for w, s in zip(which.tolist(), starts.tolist())])
    needle = torch.randint(ord("a"), ord("z") + 1, (rows, size), generator=generator, dtype=torch.uint8)
    out[:, length - size - distance : length - distance] = needle
    out[:, length - size :] = needle
    return out


@torch.no_grad()
def retrieval(trial: Trial, place: Place) -> list[dict]:
    """A trained decoder reads random letters, then code, then the letters again: the share of those that it says right."""
    model, text = _started(trial, place).eval(), corpus(place)[1]
    size, rows, most = CUE + SCORED, [], place.profile.longest
    for distance in (size * n for n in (2, 3, 4, 6, 8, 14, 30, 62, 126)):
        if distance + 2 * size > most:
            break
        needles, right = _needles(text, distance, 256 if place.device != "cpu" else 32), []
        for part in needles.split(max(1, (1 << (13 if isinstance(model.part, encodings.Read) else 16)) // needles.shape[1])):
            part = part.to(place.device).long()
            with autocast(place.device):
                said = model(part[:, :-1])[:, -SCORED:].argmax(-1)
            right.append((said == part[:, -SCORED:]).float().mean(1))
        rows.append({"distance": distance, "value": float(torch.cat(right).mean())})
    return rows


def pictures(trial: Trial, place: Place) -> list[dict]:
    profile, size = place.profile, place.profile.size
    grid = profile.picture_side // shapes.PATCH
    part = shapes.build(trial.scheme, heads=size.heads, width=size.width, grid=grid)
    model = Classifier(size, part, features=shapes.PATCH**2, outputs=shapes.CLASSES).to(place.device)
    generator = _generator(place, trial.seed)
    batch = lambda: shapes.pictures(2 * profile.rows, profile.picture_side, generator, place.device)  # noqa: E731
    train(model, batch, profile.picture_steps, device=place.device)
    rows = []
    for many in (2, 3, 4, 6, 8):  # quarters of the side
        side = profile.picture_side * many // 4
        model.part = shapes.resized(part, trial.scheme, heads=size.heads, trained=grid, grid=side // shapes.PATCH, device=place.device)
        x, y = shapes.pictures(500, side, torch.Generator(place.device).manual_seed(2), place.device)
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=place.device != "cpu"):
            model.eval()
            value = (model(x).argmax(-1) == y).float().mean()
        rows.append({"side": side, "trained": profile.picture_side, "value": float(value)})
    return rows


def speed(trial: Trial, place: Place) -> list[dict]:
    """Milliseconds of a training step, and bytes of memory at its peak; the device should be idle."""
    profile, cuda = place.profile, place.device.startswith("cuda")
    model = _model(place, _part(place, trial.scheme, True))
    batch = text_batches(corpus(place)[0], profile.rows, profile.context, _generator(place, 0))
    few = 30 if cuda else 3
    train(model, batch, few, device=place.device)
    if cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    train(model, batch, few, device=place.device)  # the loss that it returns waits for the device
    rows = [{"measure": "ms per step", "value": 1000 * (time.perf_counter() - start) / few}]
    if cuda:
        rows.append({"measure": "peak MB", "value": torch.cuda.max_memory_allocated() / 1e6})
    return rows


KINDS: dict[str, Callable[[Trial, Place], list[dict]]] = {
    "decoder": decoder, "rules": rules, "tuned": tuned, "mistakes": wrong, "encoder": encoder, "drop": drop, "order": order,
    "retrieval": retrieval, "pictures": pictures, "speed": speed,
}  # fmt: skip
