"""What a trial of each kind does: it trains or reads a model, and returns rows, each with a value. Here those on generated data."""

from __future__ import annotations

import functools
from typing import Callable

import numpy as np
import torch

from . import encodings, mistakes, shapes, tasks, texts
from .models import Classifier
from .environment import Environment, corpus, model_of, part_of, random_of
from .train import answered, autocast, text_batches, train
from .trials import Trial


@functools.lru_cache(maxsize=1)
def _pool(items: int, each: int, device: str):
    """Texts of all tasks with up to so many items, and their scored tokens."""
    width = max(tasks.width_of(task, items) for task in tasks.TASKS)
    rng = np.random.default_rng(0)
    made = [tasks.texts(task, rng, each, n, width) for task in tasks.TASKS for n in range(2, items + 1)]  # room for a needle
    return tuple(torch.from_numpy(np.concatenate(part)).to(device) for part in zip(*made))


def _picked(tokens, scored, rows: int, generator) -> Callable:
    def batch():
        which = torch.randint(0, len(tokens), (rows,), device=tokens.device, generator=generator)
        text = tokens[which].long()
        return text[:, :-1], text[:, 1:], scored[which][:, 1:]

    return batch


def order(trial: Trial, env: Environment) -> list[dict]:
    """One model for all tasks at once: a text begins with the sign of its task."""
    profile = env.profile
    tokens, scored = _pool(profile.items, profile.pool, env.device)
    longest = max(tasks.width_of(task, 2 * profile.items) for task in tasks.TASKS)
    model = model_of(env, part_of(env, trial.scheme, True, length=tokens.shape[1], longest=longest))
    train(model, _picked(tokens, scored, profile.task_rows, random_of(env, trial.seed)), profile.task_steps, device=env.device)
    rows, rng = [], np.random.default_rng(1)
    for n in (profile.items, profile.items * 3 // 2, 2 * profile.items):
        for task in tasks.TASKS:
            text, which = map(torch.from_numpy, tasks.texts(task, rng, min(500, profile.pool), n))
            value = answered(model, text, which, device=env.device).float().mean()
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


def _taught(corpus: torch.Tensor, rows: int, length: int, generator) -> Callable:
    """Pieces of a corpus in which random letters stand anywhere, and again at the end: those but the cue are scored."""
    size, device = CUE + SCORED, corpus.device
    plain, spread = text_batches(corpus, rows, length + 1, generator), torch.arange(size, device=device)
    scored = (torch.arange(length, device=device) >= length - SCORED).expand(rows, length)

    def batch():
        text = plain()[0]
        needle = torch.randint(ord("a"), ord("z") + 1, (rows, size), device=device, generator=generator)
        start = torch.randint(0, length + 2 - 2 * size, (rows, 1), device=device, generator=generator)
        text.scatter_(1, start + spread, needle)
        text[:, -size:] = needle
        return text[:, :-1], text[:, 1:], scored

    return batch


@torch.no_grad()
def _found(model, env: Environment, at_length: Callable = lambda length: None) -> list[dict]:
    """The share of the needle's letters that the model says right, by distance. at_length(bytes of the texts) is called before they
    are read."""
    model.eval()
    size, rows, text = CUE + SCORED, [], corpus(env)[1]
    most = 1 << (13 if isinstance(model.part, encodings.Read) else 16)
    for distance in (size * n for n in (2, 3, 4, 6, 14, 30, 62, 126)):
        if distance + 2 * size > env.profile.longest:
            break
        at_length(distance + 2 * size)
        right = []
        for part in _needles(text, distance, 256 if env.device != "cpu" else 32).split(max(1, most // (distance + 2 * size))):
            part = part.to(env.device).long()
            with autocast(env.device):
                said = model(part[:, :-1])[:, -SCORED:].argmax(-1)
            right.append((said == part[:, -SCORED:]).float().mean(1))
        rows.append({"distance": distance, "value": float(torch.cat(right).mean())})
    return rows


UNDER = ("ntk", "by-parts", "yarn")  # rules that rope reads needles under


def retrieval(trial: Trial, env: Environment) -> list[dict]:
    """A trained decoder reads random letters, then code, then the letters again; and after a short training on such texts. Rope then
    reads them under length rules too."""
    model, profile = texts.started(trial, env), env.profile
    before = _found(model, env)
    length = max(profile.context, 3 * (CUE + SCORED))
    batch = _taught(corpus(env)[0], profile.rows, length, random_of(env, 200 + trial.seed))
    train(model, batch, profile.steps // 8, device=env.device, rate=profile.rate / 2)
    found = [{"taught": taught, **row} for taught, rows in ((False, before), (True, _found(model, env))) for row in rows]
    trained = model.part

    def under(name: str) -> list[dict]:
        def scaled(length: int) -> None:
            rule = mistakes.rule(name, max(1.0, length / profile.context), profile.context)
            texts.changed(env, model, trained, trial.scheme, rule)

        return [{"taught": True, "rule": name, **row} for row in _found(model, env, scaled)]

    return found + [row for name in UNDER if trial.scheme == "rope" for row in under(name)]


def pictures(trial: Trial, env: Environment) -> list[dict]:
    profile, size = env.profile, env.profile.size
    grid = profile.picture_side // shapes.PATCH
    part = shapes.build(trial.scheme, heads=size.heads, width=size.width, grid=grid)
    model = Classifier(size, part, features=shapes.PATCH**2, outputs=shapes.CLASSES).to(env.device)
    generator = random_of(env, trial.seed)
    batch = lambda: shapes.pictures(2 * profile.rows, profile.picture_side, generator, env.device)  # noqa: E731
    train(model, batch, profile.picture_steps, device=env.device)
    rows = []
    for many in (2, 3, 4, 6, 8):  # quarters of the side
        side = profile.picture_side * many // 4
        model.part = shapes.resized(part, trial.scheme, heads=size.heads, trained=grid, grid=side // shapes.PATCH, device=env.device)
        x, y = shapes.pictures(500, side, torch.Generator(env.device).manual_seed(2), env.device)
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=env.device != "cpu"):
            model.eval()
            value = (model(x).argmax(-1) == y).float().mean()
        rows.append({"side": side, "trained": profile.picture_side, "value": float(value)})
    return rows


KINDS: dict[str, Callable[[Trial, Environment], list[dict]]] = {
    "decoder": texts.decoder, "rules": texts.rules, "tuned": texts.tuned, "mistakes": texts.wrong, "encoder": texts.encoder,
    "drop": texts.drop, "speed": texts.speed, "order": order, "retrieval": retrieval, "pictures": pictures,
}  # fmt: skip
