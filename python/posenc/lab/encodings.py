"""Every scheme of posenc as the part of a small Transformer that knows positions.

A part has three hooks: `enter` acts on the input, `turn` on queries and keys, `attend` on the scores. `first` shifts every
position, `key_first` those of keys by so many more, `on_bias` is a factor on biases, as mistakes have them.
"""

from __future__ import annotations

import functools
import math

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import posenc
import posenc.torch as pt

# What a name of the lab means beside the scheme of that name: its options. Sizes are filled in by `build`.
VARIANTS: dict[str, tuple[str, dict]] = {
    "sinusoidal unscaled": ("sinusoidal", {}),
    "t5 slow": ("t5", {}),  # at the rate of the weights
    "rope": ("rope", {"layout": "half"}),
    "rope 25%": ("rope", {"layout": "half", "scaling": {"type": "proportional", "partial_rotary_factor": 0.25}}),
    "rope base 500000": ("rope", {"layout": "half", "base": 500000}),
    "xpos": ("rope", {"layout": "interleaved", "decay": {"type": "xpos"}}),
    "fope": ("rope", {"layout": "half", "frequencies": {"type": "fourier"}}),
    "rope learned": ("rope", {"layout": "half", "frequencies": {"type": "learned", "axes": 1}}),
    "rope axial": ("rope", {"layout": "half", "axes": "chunked"}),
    "alibi learned": ("alibi", {"learned_slopes": True}),
    "kerple power": ("kerple", {"form": "power"}),
}
# Schemes that a model of text cannot be trained with, and why.
NOT_OF_TEXT = {
    "grid-sinusoidal": "positions of a grid", "learned-grid": "positions of a grid", "axial": "positions of a grid",
    "nerf": "coordinates", "perceiver": "coordinates", "gaussian": "coordinates", "temporal": "stamps of time",
    "window": "a grid", "continuous": "a grid", "decomposed": "a grid", "layout": "boxes", "box-relation": "boxes",
    "segment-buckets": "segments", "segments": "segments", "laplacian": "graphs", "random-walk": "graphs",
    "shortest-paths": "graphs", "degrees": "graphs",
}  # fmt: skip
# Tables of biases begin near 0: at the rate of the weights beside them they learn next to nothing in a short training.
RATES = {"t5": 10.0, "clipped": 10.0, "window": 10.0}
SEES_AHEAD = {"convolution"}  # their rows read later tokens: for encoders alone


@functools.lru_cache(maxsize=None)
def _facts() -> dict[str, dict]:
    return {s["name"]: s for s in posenc.schemes()}


def schemes_of_text(causal: bool) -> list[str]:
    """The names that `build` takes for a model of text: none, every scheme of posenc that can be one, and the lab's variants."""
    plain = [name for name in _facts() if name not in NOT_OF_TEXT and not (causal and name in SEES_AHEAD)]
    return ["none", *plain, *(name for name in VARIANTS if name not in plain and name != "rope axial")]


class Part(nn.Module):
    """No positions at all; what the other parts change."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.causal, self.first, self.key_first, self.on_bias = causal, 0, 0, 1.0
        self.rate = 1.0  # of what it learns, times that of the model

    def enter(self, x):
        return x

    def turn(self, q, k):
        return q, k

    def begin(self, q, k) -> None:
        """Once for all layers, before the first of them attends."""

    def attend(self, layer, q, k, v, x):
        return scaled_dot_product_attention(q, k, v, is_causal=self.causal)


class OnInput(Part):
    """words: a factor on the input, the square root of the width for sinusoids, as in the paper."""

    def __init__(self, module, causal: bool, words: float = 1.0) -> None:
        super().__init__(causal)
        self.module, self.words = module, words

    def enter(self, x):
        return self.module(x * self.words if self.words != 1 else x, first=self.first)


class Convolved(OnInput):
    def enter(self, x):
        return self.module(x)


class Turned(Part):
    def __init__(self, module, causal: bool) -> None:
        super().__init__(causal)
        self.module = module
        self.factor = module.softmax_factor if not module.weights else 1.0

    def turn(self, q, k):
        length = self.first + q.shape[-2]
        if not self.key_first:
            return self.module(q, k, first=self.first, length=length)
        return self.module.turn(q, "q", first=self.first, length=length), self.module.turn(
            k, "k", first=self.first + self.key_first, length=length
        )

    def attend(self, layer, q, k, v, x):
        return scaled_dot_product_attention(q, k, v, is_causal=self.causal, scale=self.factor / math.sqrt(q.shape[-1]))


class Biased(Part):
    """One bias for all layers, as in T5 and ALiBi; its table is made once for each forward pass."""

    def __init__(self, module, causal: bool) -> None:
        super().__init__(causal)
        self.module, self.mask = module, None

    def begin(self, q, k) -> None:
        where = {"first_query": self.first, "first_key": self.first + self.key_first, "causal": self.causal}
        bias = self.module(q.shape[-2], k.shape[-2], device=q.device, dtype=torch.float32, **where)
        if self.on_bias != 1:
            bias = torch.where(bias.isfinite(), bias * self.on_bias, bias)  # what the causal mask hides stays hidden
        self.mask = bias.to(q.dtype).unsqueeze(0)

    def attend(self, layer, q, k, v, x):
        return scaled_dot_product_attention(q, k, v, attn_mask=self.mask)


class Read(Part):
    """A term of each layer that reads queries, keys or gates: scores are made here."""

    def __init__(self, make, causal: bool, layers: int, heads: int, width: int) -> None:
        super().__init__(causal)
        self.terms = nn.ModuleList(make() for _ in range(layers))
        gated = {"forgetting": heads, "forgetting-rows": 0}.get(self.terms[0].scheme, 0)
        self.gates = nn.ModuleList(nn.Linear(width, gated) for _ in range(layers)) if gated else None
        for gate in self.gates or ():
            nn.init.constant_(gate.bias, 3.0)  # at first little is forgotten

    def attend(self, layer, q, k, v, x):
        with torch.autocast(q.device.type, enabled=False):
            q, k = q.float(), k.float()
            scores, inputs = q @ k.transpose(-1, -2), [q.transpose(1, 2), k.transpose(1, 2)]
            if self.gates is not None:
                logits = self.gates[layer](x.float())
                inputs = [None, None, nn.functional.logsigmoid(logits)]
            where = {"scale": q.shape[-1] ** -0.5, "causal": self.causal}
            scores = self.terms[layer](scores, *inputs, **where)
        return scores.softmax(-1).to(v.dtype) @ v


def _filled(scheme: str, options: dict, known: dict) -> dict:
    """Options with the sizes that the scheme asks for."""
    names = {option["name"] for option in _facts()[scheme]["options"]}
    return {**{name: value for name, value in known.items() if name in names}, **options}


def build(
    name: str, *, causal: bool, layers: int, heads: int, width: int, length: int, longest: int, more: dict | None = None
) -> Part:  # fmt: skip
    """The part of that name. length: tokens trained on; longest: tokens of the longest text that will be read; more: options
    that take the place of its own, as length rules and mistakes do."""
    if name == "none":
        return Part(causal)
    scheme, options = VARIANTS.get(name, (name, {}))
    aliased = posenc._classes.ALIASES.get(scheme, scheme)
    if aliased not in _facts() or aliased in NOT_OF_TEXT:
        why = f"which encodes {NOT_OF_TEXT[aliased]}" if aliased in NOT_OF_TEXT else "which posenc does not have"
        raise ValueError(f"[lab] expected a scheme for texts, got {name}, {why}: {', '.join(schemes_of_text(causal))}")
    if causal and aliased in SEES_AHEAD:
        raise ValueError(f"[lab] expected a scheme for decoders, got {name}, which reads tokens after the query")
    family, head = _facts()[aliased]["family"], width // heads
    known = {"heads": heads, "dim": width if family in ("absolute", "convolution") else head, "rows": longest}
    if aliased == "t5":
        known |= {"bidirectional": not causal, "max_distance": max(32, length // 2)}
    if aliased == "clipped":
        known |= {"max_distance": length // 2}
    known |= {"music-transformer": {"length": longest}, "fire": {"length": length}, "shaw": {"left": 64, "right": 64},
              "tupe": {"dim": head}}.get(aliased, {})  # fmt: skip
    if name == "fope":
        options = {**options, "frequencies": {"type": "fourier", "max_position_embeddings": longest}}
    filled = _filled(aliased, {**options, **(more or {})}, known)
    if family == "absolute":
        return OnInput(pt.AbsoluteEncoding(scheme, batch_first=True, **filled), causal, math.sqrt(width) if name == "sinusoidal" else 1.0)
    if family == "convolution":
        return Convolved(pt.ConvolutionEncoding(scheme, batch_first=True, **filled), causal)
    if family == "rotary":
        return Turned(pt.RotaryEncoding(scheme, heads_first=True, **filled), causal)
    if family == "relative":
        part = Biased(pt.RelativeBias(scheme, **filled), causal)
        part.rate = RATES.get(name, 1.0)
        return part
    return Read(lambda: pt.ContentTerm(scheme, **filled), causal, layers, heads, width)
