"""What a model's files say about its encodings, and which scheme made an array."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from posenc import _core
from posenc._classes import CLASSES
from posenc._scheme import Scheme


def given(model: Any) -> str:
    """A path, or a configuration in JSON: as the library takes a dict, or a configuration of transformers."""
    if hasattr(model, "to_dict"):
        model = model.to_dict()
    return json.dumps(model, default=str) if isinstance(model, Mapping) else os.fsdecode(model)


def told(text: str) -> dict[str, Any]:
    """What the library tells in JSON, whose version is the package's own."""
    out = json.loads(text)
    del out["version"]
    return out


def explain(
    model: Union[str, os.PathLike[str], Mapping[str, Any], Any], *, length: Optional[int] = None,
    frequencies: bool = False, as_type: Optional[str] = None,
) -> dict[str, Any]:
    """Which positional encoding a model has, part by part, and what to watch for.

    model: a config.json, a model's folder, a .safetensors or GGUF file; or a configuration as a dict, as JSON, or of
    transformers. length: tokens of the text, for length rules that need it. as_type: the model_type, such as "llama", whose
    rule is used for a configuration that no rule covers; every part is then marked as assumed.
    """
    return told(_core.explain(given(model), length, frequencies, as_type or ""))


def lint(model: Any, *, strict: bool = False) -> dict[str, Any]:
    """What is wrong in a model's files, from explain()'s notes, as in `posenc lint --json`.

    "findings": keys or tensors that contradict each other, and keys about positions that the model's code does not read.
    "traps": what engines and people get wrong with such a model, which is no fault of its files; with strict they are
    findings too.
    """
    return told(_core.lint(given(model), strict))


def diff(first: Any, second: Any, *, lengths: Optional[Sequence[int]] = None) -> dict[str, Any]:
    """Where the positional encodings of two models differ, part by part, as in `posenc diff --json`.

    first, second: as in explain(). The second may also be a few keys, {"rope_theta": 1000000}: the first model with these
    keys replaced. lengths: text lengths in tokens at which phases are compared; by default those of the models.
    "worst_phase": the phase difference of the worst pair at the end of the text, in radians.
    """
    if lengths is not None and not isinstance(lengths, Iterable):
        raise TypeError(f"[diff] expected a list of lengths, got {type(lengths).__name__}")
    asked = [] if lengths is None else list(lengths)
    for length in asked:
        if not isinstance(length, (int, np.integer)) or not 1 <= length <= 2**31:
            raise ValueError(f"[diff] expected lengths of whole numbers from 1 to 2^31, got {length!r}")
    return told(_core.diff(given(first), given(second), [int(length) for length in asked]))


def encodings(model: Any, *, as_type: Optional[str] = None) -> dict[str, Optional[Scheme]]:
    """The schemes of a model's parts, by where they are; None for parts that posenc does not compute.

    A second part in the same place has its scheme's name appended: "vision, shaw"; a third one of that name, a number.
    """
    out: dict[str, Optional[Scheme]] = {}
    for part in _core.read_parts(given(model), as_type or ""):
        made = CLASSES[part["options_of"]].from_json(part["options"]) if "options" in part else None
        out[_unlike(out, part["where"], part["scheme"])] = made
    return out


def _unlike(taken: Mapping[str, Any], where: str, scheme: str) -> str:
    """A name of a part that no other has."""
    name, count = where, 1
    while name in taken:
        name = f"{where}, {scheme}" if count == 1 else f"{where}, {scheme} {count}"
        count += 1
    return name


def identify(array: Any) -> dict[str, Any]:
    """Which scheme, or which common mistake, made the numbers in an array on the CPU.

    A table [rows, dim], biases [heads, queries, keys], or a vector of inverse frequencies or slopes.
    """
    return told(_core.identify(array))


def check(scheme: Scheme, weights: Any = None, *, tokens: int = 512, length: int = 0) -> list[dict[str, Any]]:
    """Whether common claims about encodings hold for a scheme, as in `posenc check --json`.

    Each claim is a dict: "name", "claim", "verdict" ("holds", "fails" or "not-applicable"), "evidence", "measured" and
    "bound". weights: the learned weights, by name or as a list; by default the initial ones. tokens: number of positions to
    check. length: tokens of the whole text, for length rules that need it.
    """
    if not isinstance(scheme, Scheme):
        raise TypeError(f"[check] expected a scheme of posenc, got {type(scheme).__name__}")
    if scheme.family not in ("absolute", "rotary", "relative"):
        raise ValueError(f"[check] expected an absolute or rotary scheme or a bias, got {scheme.name}, of the family {scheme.family}")
    given = scheme.initial_weights() if weights is None else weights
    return told(_core.check(scheme._core, scheme._listed(given), tokens, length))["properties"]
