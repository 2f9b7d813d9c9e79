"""Biases of transformers models that patch() can replace."""

from __future__ import annotations

import functools
import inspect

import torch

from . import _bias  # noqa: F401  the ops
from ._plans import handle_of, options_of
from ._replace import Found, apart, set_attribute, without_numbers

ops = torch.ops.posenc


def exact_t5_bias(module, handle, query_length, key_length, device=None, past_seen_tokens=0):
    table = module.relative_attention_bias.weight
    heads, past = table.shape[-1], int(past_seen_tokens)
    bias = ops.bias(table.new_empty(0), heads, query_length, key_length, None, None, past, 0, 0, False, handle, [table])
    return bias.unsqueeze(0)


def _unknown_parameters(call, exact) -> str:
    """Why the exact one cannot stand in: other versions of transformers ask for more than it knows."""
    asked = set(inspect.signature(call).parameters) - set(inspect.signature(exact).parameters)
    return f"it is called with {', '.join(sorted(asked))}, which this patch does not know" if asked else ""


def exact_window_bias(module, handle):
    table, area = module.relative_position_bias_table, module.window_area
    bias = ops.bias(table.new_empty(0), table.shape[-1], area, area, None, None, 0, 0, 0, False, handle, [table])
    return bias.unsqueeze(0)


def exact_mpt_alibi(handle, num_heads, sequence_length, alibi_bias_max=8, device=None):
    like = torch.empty(0, device=device)
    return ops.bias(like, num_heads, 1, sequence_length, None, None, 0, 1 - sequence_length, 0, False, handle, [])


def exact_bloom_alibi(handle, attention_mask, num_heads, dtype):
    """Of texts with padding: tokens that the mask shows are counted."""
    at = (attention_mask.long().cumsum(dim=-1) - 1) * attention_mask.long()
    like = torch.empty(0, dtype=dtype, device=attention_mask.device)
    bias = ops.bias(like, num_heads, 1, at.shape[-1], None, at, 0, 0, 0, False, handle, [])
    return bias.reshape(-1, 1, at.shape[-1])


def biases(name, module, parts):
    for part in parts:
        scheme = part["handle"].split(" ", 1)[0]
        if scheme == "t5" and hasattr(module, "compute_bias") and hasattr(module, "relative_attention_bias"):
            exact = functools.partial(exact_t5_bias, module, part["handle"])
            yield Found(
                part["where"],
                "t5",
                lambda: apart(module.compute_bias(99, 300), exact(99, 300)),
                lambda: set_attribute(module, "compute_bias", exact),
                keeps=without_numbers(module.relative_attention_bias.weight) or _unknown_parameters(module.compute_bias, exact),
            )
        if scheme == "window" and hasattr(module, "relative_position_bias_table") and hasattr(module, "window_area"):
            heads = module.relative_position_bias_table.shape[-1]
            exact = functools.partial(
                exact_window_bias, module, handle_of("window", {**options_of(part["handle"]), "heads": heads})
            )
            yield Found(
                part["where"],
                "window",
                lambda: apart(module.forward(), exact()),
                lambda: set_attribute(module, "forward", exact),
                keeps=without_numbers(module.relative_position_bias_table),
            )
        if scheme == "alibi" and hasattr(module, "build_mpt_alibi_tensor"):
            exact = functools.partial(exact_mpt_alibi, part["handle"])
            heads = options_of(part["handle"])["heads"]
            yield Found(
                part["where"],
                "alibi",
                lambda: apart(module.build_mpt_alibi_tensor(heads, 300), exact(heads, 300)),
                lambda: set_attribute(module, "build_mpt_alibi_tensor", exact),
                reach=300,
            )
        if scheme == "alibi" and hasattr(module, "build_alibi_tensor"):
            exact = functools.partial(exact_bloom_alibi, part["handle"])
            probe = (torch.ones(2, 300).long(), options_of(part["handle"])["heads"], torch.float32)
            yield Found(
                part["where"],
                "alibi",
                lambda: apart(module.build_alibi_tensor(*probe), exact(*probe)),
                lambda: set_attribute(module, "build_alibi_tensor", exact),
                reach=300,
            )
