#!/usr/bin/env python3
"""Writes what the installed transformers' classes fill in where a file is silent.

    tests/model/class_defaults.py > src/model/families/class_defaults.inc

One row for each model type: the class's own keys as JSON, of those that src/model/families names, under each of the names
that they have there. Beside them the rope_parameters that take the place of a rope_theta in the file; others are keys.
"T:text" is the text inside a model T where a row is called so.
"""

import functools
import json
import logging
import math
import pathlib
import re
import sys

from transformers import PretrainedConfig, __version__
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

FAMILIES = pathlib.Path(__file__).parents[2] / "src/model/families"
PARTS = ("text_config", "vision_config", "audio_config")
OTHERS = set(PretrainedConfig().to_dict()) | {"rope_parameters", "rope_scaling", "per_layer_config", *PARTS}


def named_words():
    """The words of all texts in the sources that hold nothing but names."""
    sources = "".join(path.read_text() for path in sorted(FAMILIES.glob("*.*")) if path.suffix in (".cc", ".h") and path.stem != "type")
    texts = re.findall(r'"([A-Za-z0-9_.:-]+(?: [A-Za-z0-9_.:-]+)* ?)"', sources)
    return {word for text in texts for word in text.split() + text.split(".")} - OTHERS


def made(model_class, **keys):
    try:
        return model_class(**keys)
    except Exception:  # it needs parts, or refuses these
        return None


def made_text(model_class, **keys):
    whole = made(model_class, text_config=keys)
    return whole and whole.text_config


def short(value):
    """Numbers as a file has them: 10000, not 10000.0."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_size(value):
    if isinstance(value, (list, tuple)):
        return 0 < len(value) <= 8 and all(map(is_size, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def attributes(config):
    """The keys of a configuration, and the names that it has beside them."""
    keys = config.to_dict()  # attributes that differ between layers raise
    others = {name: keys[key] for name, key in (config.attribute_map or {}).items() if key in keys}
    return {**others, **keys}


def has_own_head(keys, make):
    """False where the size of a head follows from width and heads, as that of a class twice as wide tells."""
    wider = make(hidden_size=2 * keys["hidden_size"]) if "hidden_size" in keys else None
    return not wider or attributes(wider).get("head_dim") == keys["head_dim"]


def cycle(kinds):
    """The kinds of layers that repeat, where all but one are alike."""
    for period in range(2, len(kinds) // 2 + 1):
        first = kinds[:period]
        if all(kind == first[i % period] for i, kind in enumerate(kinds)):
            return first if len(set(first)) == 2 and 1 in map(first.count, first) else None
    return None


def rope(keys, make):
    """Its numbers as keys, and the object where that is read before a rope_theta beside it or has a length rule."""
    entry = short(keys.get("rope_parameters") or {})
    probe = make(rope_theta=12345.0)
    reads_theta = probe is None or "12345" in json.dumps(probe.to_dict().get("rope_parameters"))
    if any(isinstance(value, dict) for value in entry.values()):
        plain = {"rope_type": "default"}.items()
        kinds = {kind: inner and {key: value for key, value in inner.items() if (key, value) not in plain}
                 for kind, inner in entry.items() if isinstance(inner, (dict, type(None)))}
        return ({"rope_parameters": kinds}, None) if reads_theta else ({}, kinds)
    bare = make(rope_parameters={"rope_type": "default"})
    filled = short(bare and bare.to_dict().get("rope_parameters") or entry)
    numbers = {key: filled[key] for key in ("rope_theta", "partial_rotary_factor") if filled.get(key)}
    if entry.get("rope_type", "default") in ("default", "axial") and (reads_theta or "rope_theta" not in entry):
        return {**entry, **numbers, "rope_type": None}, None
    return numbers, {key: value for key, value in entry.items() if key != "rope_theta" or not reads_theta}


def part_keys(keys, words):
    """Of a configuration inside: its type, which has a row of its own, or its keys."""
    if keys.get("model_type") in CONFIG_MAPPING_NAMES:
        return {"model_type": keys["model_type"]}
    inside = {key: part_keys(value, words) for key, value in keys.items() if isinstance(value, dict) and key in words}
    sizes = {key: short(value) for key, value in keys.items() if key in words and is_size(value)}
    return {**sizes, **{key: value for key, value in inside.items() if value}}


def class_keys(config, make, words):
    keys = attributes(config)
    out = {key: short(value) for key, value in keys.items() if key in words and is_size(value)}
    if "head_dim" in out and not has_own_head(keys, make):
        del out["head_dim"]
    if keys.get("use_sliding_window") is False:  # Qwen's classes drop their window unless it is true
        asked = make(use_sliding_window=True) or config
        out.update(use_sliding_window=False, sliding_window=asked.to_dict().get("sliding_window") or 0)
    kinds = cycle(keys.get("layer_types") or [])
    if kinds:
        out["layer_types"] = kinds
    inside = {name: {"return_dict": True} for name in PARTS if getattr(config, name, None)}
    filled = make(**inside) if inside else None
    for name, value in keys.items():
        if isinstance(value, dict) and name in words:
            out[name] = part_keys(value, words)
    for name in inside if filled else {}:  # their types, where they say none
        out[name] = part_keys(filled.to_dict().get(name) or {}, words)
    numbers, entry = rope(keys, make)
    return {key: value for key, value in {**out, **numbers}.items() if value not in (None, {})}, entry


def rows():
    words = named_words()
    for model_type in sorted(CONFIG_MAPPING_NAMES):
        try:
            model_class = CONFIG_MAPPING[model_type]
        except Exception:  # of a package that is not there
            continue
        config = made(model_class)
        if config is None:
            continue
        found = {model_type: (config, functools.partial(made, model_class))}
        if f"{model_type}:text" in words:
            text = functools.partial(made_text, model_class)
            found[f"{model_type}:text"] = (text(), text)
        for name, (part, make) in found.items():
            keys, entry = class_keys(part, make, words)
            if name in words and (keys or entry):
                texts = [json.dumps(part, sort_keys=True) for part in (keys, entry) if part]
                yield f'{{"{name}", ' + ", ".join(f'R"({text})"' for text in texts) + "},"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(f"// Written by tests/model/class_defaults.py from transformers {__version__}.")
    sys.stdout.write("".join(row + "\n" for row in rows()))
