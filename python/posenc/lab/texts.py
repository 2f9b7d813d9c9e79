"""Trials on texts: decoders and masked encoders, length rules, mistakes, rope that is dropped, and what a step costs."""

from __future__ import annotations

import pathlib
import time

import torch

from . import encodings, mistakes
from .models import parameters
from .environment import Environment, corpus, model_of, part_of, random_of
from .train import MASK, bits_per_byte, masked_batches, masked_bits, text_batches, train
from .trials import Trial


def _file(env: Environment, trial: Trial) -> pathlib.Path:
    return env.folder / f"{trial.name}.pt"


def _tokens(env: Environment, model) -> int:
    """Tokens of a batch when a model is read: few where scores are made in memory."""
    most = 1 << (13 if isinstance(model.part, encodings.Read) else 17)
    return min(most, 1 << 14) if env.device == "cpu" else most


def _read(env: Environment, model, window: int, stride: int) -> float:
    """Bits per byte of the second half of each segment."""
    text, before = corpus(env)[1], env.profile.longest + 1
    return bits_per_byte(model, text, before=before, window=window, stride=stride, device=env.device, tokens=_tokens(env, model))


def _sliding(window: int) -> int:
    return max(1, window // 16)


def _both(env: Environment, model, window: int) -> list[dict]:
    apart, full = _read(env, model, window, window), _read(env, model, window, _sliding(window))
    return [{"length": window, "scoring": "apart", "value": apart}, {"length": window, "scoring": "full", "value": full}]


def _trained(trial: Trial, env: Environment):
    """A decoder, which is kept for the trials that start from it."""
    profile = env.profile
    model = model_of(env, part_of(env, trial.scheme, True))
    batch = text_batches(corpus(env)[0], profile.rows, profile.context, random_of(env, trial.seed))
    train(model, batch, profile.steps, device=env.device, rate=profile.rate)
    env.folder.mkdir(parents=True, exist_ok=True)
    temporary = _file(env, trial).with_suffix(f".{time.time_ns()}")
    torch.save(model.state_dict(), temporary)
    temporary.replace(_file(env, trial))
    return model


def decoder(trial: Trial, env: Environment) -> list[dict]:
    model, profile = _trained(trial, env), env.profile
    rows = [row for factor in profile.factors for row in _both(env, model, factor * profile.context)]
    return [{**row, "parameters": parameters(model)} for row in rows]


def started(trial: Trial, env: Environment):
    if not _file(env, trial.start).exists():  # rows came from another machine, the model did not
        torch.manual_seed(trial.seed)
        _trained(trial.start, env)
    model = model_of(env, part_of(env, trial.scheme, True))
    model.load_state_dict(torch.load(_file(env, trial.start), map_location=env.device, weights_only=True))
    return model


def changed(env: Environment, model, trained, scheme: str, more: dict):
    """The model with other options of its scheme; what the scheme learned stays."""
    part = part_of(env, scheme, True, more=more).to(env.device)
    part.load_state_dict(trained.state_dict())
    model.part = part
    return part


def rules(trial: Trial, env: Environment) -> list[dict]:
    model, rows = started(trial, env), []
    trained, context = model.part, env.profile.context
    for factor in env.profile.factors[1:]:
        for name in mistakes.RULES:
            changed(env, model, trained, trial.scheme, mistakes.rule(name, factor, context))
            rows += [{"rule": name, **row} for row in _both(env, model, factor * context)]
    return rows


def tuned(trial: Trial, env: Environment) -> list[dict]:
    """A short training on longer texts under a rule, then read there; also as if the rule had been forgotten, or applied twice."""
    model, profile = started(trial, env), env.profile
    trained, factor = model.part, profile.factors[min(2, len(profile.factors) - 1)]
    longer = factor * profile.context
    right = mistakes.rule(trial.case, factor, profile.context)
    changed(env, model, trained, trial.scheme, right)
    batch = text_batches(corpus(env)[0], max(1, profile.rows // factor), longer, random_of(env, 100 + trial.seed))
    train(model, batch, profile.tuned_steps, device=env.device, rate=3e-4)
    rows = []
    for many in profile.factors:
        rows += [{"rule": trial.case, "tuned": longer, **row} for row in _both(env, model, many * profile.context)]
    if trial.case != "none":
        wrong = {"scaling forgotten": mistakes.rule("none", 1, 1), "factor applied twice": mistakes.twice(trial.case, factor, profile.context)}
        for name, options in wrong.items():
            if options == right:
                continue
            changed(env, model, trained, trial.scheme, options)
            rows.append({"rule": trial.case, "mistake": name, "length": longer, "value": _read(env, model, longer, _sliding(longer))})
    return rows


def wrong(trial: Trial, env: Environment) -> list[dict]:
    model, profile = started(trial, env), env.profile
    trained, context, head = model.part, profile.context, profile.size.width // profile.size.heads
    rows = []

    def add(name, window, **more):
        rows.append({"mistake": name, "length": window, "value": _read(env, model, window, _sliding(window)), **more})

    padding = context // 4
    for window in (context, context - padding):
        add("none", window)
    for mistake in mistakes.MISTAKES:
        if mistake.scheme == trial.scheme:
            part = changed(env, model, trained, trial.scheme, dict(mistake.options))
            mistake.apply(part, head, padding)
            add(mistake.name, context - padding if mistake.padded else context)
    if trial.scheme == "rope":
        for first in mistakes.FAR:
            exact = changed(env, model, trained, "rope", {})
            exact.first = first
            add("angles exact", context, first=first)
            for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
                model.part = mistakes.RoundedAngles(True, head, first, dtype)
                add(f"angles in {name}", context, first=first)
    return rows


def encoder(trial: Trial, env: Environment) -> list[dict]:
    """A masked encoder, read in windows that do not overlap; the same bytes are hidden at every length."""
    profile = env.profile
    model = model_of(env, part_of(env, trial.scheme, False), tokens=MASK + 1)
    data, text = corpus(env)
    batch = masked_batches(data, profile.rows, profile.context, random_of(env, trial.seed))
    train(model, batch, profile.steps, device=env.device, rate=profile.rate)
    lengths, scored = [factor * profile.context for factor in profile.factors], text[:, profile.longest + 1 :]
    found = [masked_bits(model, scored, length=length, device=env.device, tokens=_tokens(env, model)) for length in lengths]
    return [{"length": length, "value": value, "parameters": parameters(model)} for length, value in zip(lengths, found)]


def drop(trial: Trial, env: Environment) -> list[dict]:
    """Rope for a share of the steps, then no positions for the rest, a training of its own whose rate rises and falls again. Of rope
    to the end half as many steps follow."""
    profile, share = env.profile, float(trial.case)
    at = round(share * profile.steps)
    model = model_of(env, part_of(env, "rope", True))
    batch = text_batches(corpus(env)[0], profile.rows, profile.context, random_of(env, trial.seed))
    train(model, batch, at, device=env.device, rate=profile.rate)
    model.part = encodings.Part(True)
    train(model, batch, profile.steps - at or profile.steps // 2, device=env.device, rate=profile.rate)
    rows = [row for factor in profile.factors for row in _both(env, model, factor * profile.context)]
    return [{"dropped": share, **row} for row in rows]


def speed(trial: Trial, env: Environment) -> list[dict]:
    """Milliseconds of a training step, and bytes of memory at its peak; the device should be idle."""
    profile, cuda = env.profile, env.device.startswith("cuda")
    model = model_of(env, part_of(env, trial.scheme, True))
    batch = text_batches(corpus(env)[0], profile.rows, profile.context, random_of(env, 0))
    few = 30 if cuda else 3
    train(model, batch, few, device=env.device)
    if cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    train(model, batch, few, device=env.device)  # the loss that it returns waits for the device
    rows = [{"measure": "ms per step", "value": 1000 * (time.perf_counter() - start) / few}]
    if cuda:
        rows.append({"measure": "peak MB", "value": torch.cuda.max_memory_allocated() / 1e6})
    return rows
