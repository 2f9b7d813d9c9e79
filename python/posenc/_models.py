"""What models' files say of their encodings, and which scheme made an array."""

from __future__ import annotations

import json
import math
import os
from typing import Any, Mapping, Optional, Union

from posenc import _core
from posenc._classes import CLASSES
from posenc._scheme import Scheme


def _config_text(model: Any) -> Optional[str]:
    """A configuration in JSON, where it is none of a file."""
    if hasattr(model, "to_dict"):
        model = model.to_dict()
    if isinstance(model, Mapping):
        return json.dumps(model, default=str)
    path = os.fspath(model)
    return path if isinstance(path, str) and path.lstrip().startswith("{") else None


def config_of(model: Any) -> Optional[dict[str, Any]]:
    """A configuration as a dict, where it is none of a file."""
    text = _config_text(model)
    return None if text is None else json.loads(text)


def read(model: Any, as_type: Optional[str] = None) -> dict[str, Any]:
    """A path, a configuration as a dict or in JSON, or a configuration of transformers. "path" is None of the latter."""
    text, as_type = _config_text(model), as_type or ""
    if text is None:
        return _core.read_model(os.fsdecode(model), as_type)
    return {**_core.read_config(text, as_type), "path": None}


def _whole(part: Mapping[str, Any], fact: str) -> Optional[int]:
    value = dict(part["facts"]).get(fact)
    if isinstance(value, float) and value == math.floor(value) and abs(value) < 9e15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def lengths(part: Mapping[str, Any]) -> tuple[Optional[int], Optional[int]]:
    """Tokens it was trained on, and those its file says it may read."""
    trained, usable = _whole(part, "scaling.original_max_position_embeddings"), _whole(part, "max_position")
    trained = _whole(part, "trained_length") if trained is None else trained
    usable = _whole(part, "usable") if usable is None else usable
    rows = _whole(part, "rows")
    by_token = part["scheme"].startswith(("learned", "sinusoidal"))  # others' are distances, or sides of pictures
    if usable is None and rows is not None and by_token:
        usable = rows - (_whole(part, "position_offset") or 0)
    return usable if trained is None else trained, usable


def _facts(part: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with dots in their names are dicts inside."""
    out: dict[str, Any] = {}
    for name, value in part["facts"]:
        *outer, last = name.split(".")
        at = out
        for word in outer:
            at = at.setdefault(word, {})
        at[last] = value
    return out


def rotation(part: Mapping[str, Any], usable: Optional[int], length: Optional[int], frequencies: bool) -> dict[str, Any]:
    """What a rotary component comes to for a text of some length."""
    ready = part["ready"]
    if ready is None or ready.name != "rope" or ready.weights():
        return {}
    asks = _core.asks_for_length(ready)
    tokens = (length or usable or 1) if asks else 0
    plan = ready.prepare(length=tokens)
    rates = plan.frequencies()
    rotating = [abs(f) for f in rates if f != 0]
    out: dict[str, Any] = {"length": tokens} if tokens else {}
    out["cos_sin_factor"], out["softmax_factor"] = plan.cos_sin_factor, plan.softmax_factor
    out["pairs"], out["rotating_pairs"] = len(rates), len(rotating)
    out["longest_wavelength"] = 2 * math.pi / min(rotating) if rotating else None
    return {**out, "frequencies": rates} if frequencies else out


def _component(part: Mapping[str, Any], length: Optional[int], frequencies: bool) -> dict[str, Any]:
    trained, usable = lengths(part)
    out = {"where": part["where"], "scheme": part["scheme"], "runnable": "options" in part, **_facts(part)}
    for name in ("layers", "positions"):
        if part[name]:
            out[name] = part[name]
    if trained is not None:
        out["trained_length"] = trained
    if usable is not None:
        out["usable_length"] = usable
    out.update(rotation(part, usable, length, frequencies))
    if "options" in part:
        out["options_of"], out["options"] = part["options_of"], json.loads(part["options"])
    out["keys"] = part["keys"]
    return out


def explain(
    model: Union[str, os.PathLike[str], Mapping[str, Any], Any], *, length: Optional[int] = None,
    frequencies: bool = False, as_type: Optional[str] = None,
) -> dict[str, Any]:
    """Which positional encoding a model has, part by part, and what to watch for.

    model: a config.json, the folder of a model, a .safetensors or GGUF file; a configuration as a dict,
    in JSON, or of transformers. length: tokens of the text, for length rules that ask. as_type: the
    model_type whose rule reads a configuration that no rule covers, "llama"; every part then says that it is assumed.
    """
    if length is not None and length < 1:
        raise ValueError(f"[explain] expected a length of at least 1, got {length}")
    told = read(model, as_type)
    parts = [_component(part, length, frequencies) for part in told["components"]]
    return {**{k: told[k] for k in ("path", "format", "family")}, "components": parts, "notes": told["notes"]}


def lint(model: Any, *, strict: bool = False) -> dict[str, Any]:
    """What is wrong in a model's files, of explain()'s notes, as `posenc lint --json` tells it.

    "findings": keys or tensors that contradict each other, and keys about positions that the model's code does not read.
    "traps": what engines and people get wrong with such a model, which is no fault of its files; with strict they are
    findings too.
    """
    told = read(model)
    kinds = ("conflict", "ignored", "trap") if strict else ("conflict", "ignored")
    findings = [note for note in told["notes"] if note["kind"] in kinds]
    traps = [note for note in told["notes"] if note["kind"] == "trap" and not strict]
    return {"path": told["path"], "findings": findings, "traps": traps}


def encodings(model: Any, *, as_type: Optional[str] = None) -> dict[str, Optional[Scheme]]:
    """The schemes of a model's parts, by where they are; None where this package has none to run.

    A second part in the same place has its scheme's name after it: "vision, shaw"; a third one of that name, a number.
    """
    out: dict[str, Optional[Scheme]] = {}
    for part in read(model, as_type)["components"]:
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
    """Which scheme, or which classic mistake, made the numbers in an array on the CPU.

    A table [rows, dim], biases [heads, queries, keys], or a vector of inverse frequencies or slopes.
    """
    out = _core.identify(array)
    return {**out, "options": json.loads(out["options"]) if out["options"] else None}


def check(scheme: Scheme, weights: Any = None, *, tokens: int = 512, length: int = 0) -> list[dict[str, Any]]:
    """Whether what is claimed of encodings is true of a scheme, as `posenc check --json` tells it.

    Each claim is a dict: "name", "claim", "verdict" ("holds", "fails" or "not-applicable"), "evidence", "measured" and
    "bound". weights: what the scheme learns, by name or as a list; its initial ones unless given. tokens: how many positions
    to look at. length: tokens of the whole text, for length rules that ask.
    """
    if not isinstance(scheme, Scheme):
        raise TypeError(f"[check] expected a scheme of posenc, got {type(scheme).__name__}")
    if scheme.family not in ("absolute", "rotary", "relative"):
        raise ValueError(f"[check] expected an absolute or rotary scheme or a bias, got {scheme.name}, of the family {scheme.family}")
    given = scheme.initial_weights() if weights is None else weights
    return _core.check(scheme._core, scheme._listed(given), tokens, length or (tokens if _core.asks_for_length(scheme._core) else 0))
