"""Length rules, and mistakes that ports make: as data, each a change of a trained model's positions when it is read."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from .encodings import Part


def rule(name: str, factor: float, length: int) -> dict:
    """Options of rope for texts that are so many times longer than the trained length."""
    trained = {"original_max_position_embeddings": length}
    scaling = {
        "none": {"type": "none"},
        "linear": {"type": "linear", "factor": factor},
        "ntk": {"type": "ntk", "factor": factor},
        "vllm-ntk": {"type": "vllm-ntk", "factor": factor},
        "dynamic": {"type": "dynamic", "factor": 1.0, "max_position_embeddings": length},
        "by-parts": {"type": "by-parts", "factor": factor, **trained},
        "llama3": {"type": "llama3", "factor": factor, **trained},
        "yarn": {"type": "yarn", "factor": factor, **trained},
    }
    return {"scaling": scaling[name]}


# Not longrope, whose divisors are searched for each model, nor dynamic-linear, which is linear for texts of one length.
RULES = ("none", "linear", "ntk", "vllm-ntk", "dynamic", "by-parts", "llama3", "yarn")


def twice(name: str, factor: float, length: int) -> dict:
    """The same rule by mistake applied twice: frequencies scaled again; of YaRN the factor on cosines and sines. dynamic, which takes
    its factor from the text, stays as it is."""
    if name == "yarn":
        once = rule(name, factor, length)["scaling"]
        return {"scaling": {**once, "attention_factor": (0.1 * math.log(factor) + 1) ** 2}}
    return rule(name, factor * factor, length)


@dataclasses.dataclass(frozen=True)
class Mistake:
    """What is different when a model is read. padded: a quarter of the window is padding, which positions count."""

    scheme: str
    name: str
    options: tuple = ()
    first: int = 0
    key_first: int = 0
    on_bias: float | None = 1.0  # times the bias; None: the factor of the scores, 1 / sqrt(head)
    padded: bool = False

    def apply(self, part: Part, head: int, padding: int) -> Part:
        part.first, part.key_first = self.first + (padding if self.padded else 0), self.key_first
        part.on_bias = head**-0.5 if self.on_bias is None else self.on_bias
        return part


def _options(**options) -> tuple:
    return tuple(options.items())


MISTAKES = (
    Mistake("rope", "other layout: pairs side by side, not halves", _options(layout="interleaved")),
    Mistake("rope", "sines and cosines swapped, which turns the other way", _options(sign="negative")),
    Mistake("rope", "keys one position too early", key_first=-1),
    Mistake("rope", "base 500000 for 10000", _options(base=500000)),
    Mistake("rope", "cache forgotten: queries counted from 0, keys 1000 ahead", key_first=1000),
    Mistake("rope", "every position one too far", first=1),
    Mistake("rope", "padding counted", padded=True),
    Mistake("sinusoidal", "sines and cosines swapped", _options(first="cosine")),
    Mistake("sinusoidal", "sines then cosines, not side by side", _options(order="halves")),
    Mistake("sinusoidal", "columns counted, not pairs", _options(rule="raw-index")),
    Mistake("sinusoidal", "an exponent for each column", _options(rule="per-column")),
    Mistake("sinusoidal", "degrees for radians", _options(position_scale=math.pi / 180)),
    Mistake("sinusoidal", "base 1000 for 10000", _options(base=1000)),
    Mistake("sinusoidal", "every position one too far", first=1),
    Mistake("sinusoidal", "padding counted", padded=True),
    Mistake("learned", "every position one too far", first=1),
    Mistake("learned", "padding counted", padded=True),
    Mistake("alibi", "bias scaled with the scores", on_bias=None),
    Mistake("alibi", "sign reversed", on_bias=-1.0),
    Mistake("alibi", "slopes for twice the distance", _options(bias_max=7)),
    Mistake("t5", "buckets of an encoder in a decoder", _options(bidirectional=True)),
)


class RoundedAngles(Part):
    """Rope as it is often written: positions, frequencies and angles in a narrow type, from a far position on."""

    def __init__(self, causal: bool, head: int, first: int, dtype: torch.dtype) -> None:
        super().__init__(causal)
        self.head, self.first, self.dtype = head, first, dtype

    def turn(self, q, k):
        device, half = q.device, self.head // 2
        positions = torch.arange(self.first, self.first + q.shape[-2], device=device).to(self.dtype)
        frequencies = (10000.0 ** (-torch.arange(half, device=device, dtype=torch.float32) / half)).to(self.dtype)
        angle = torch.outer(positions, frequencies)
        cos, sin = angle.cos().float(), angle.sin().float()

        def turned(x):
            a, b = x.float().chunk(2, -1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

        return turned(q), turned(k)

    def attend(self, layer, q, k, v, x):
        return scaled_dot_product_attention(q, k, v, is_causal=self.causal)


FAR = (0, 1_000, 100_000, 1_000_000, 10_000_000)  # where a text begins, for the rounding of angles
