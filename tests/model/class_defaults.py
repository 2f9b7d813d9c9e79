#!/usr/bin/env python3
"""Writes what the installed transformers' classes fill in where a file is silent.

    tests/model/class_defaults.py > src/model/families/class_defaults.inc

One row for each model type: width, heads, layers and length of its text, the size of a head where it does not follow
from them; the window, the layers before it that see everything, and whether it counts only where use_sliding_window
is true; the base of the rope, where all layers have one. 0 is nothing. Then the sides of a picture and of a patch of it;
of a model of several, the types of its text, vision and audio where their configurations say none.
"""

import logging
import sys

from transformers import __version__
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES


def whole(config, name):
    keys = config.to_dict()  # attributes that differ between layers raise
    value = keys.get(name, keys.get((config.attribute_map or {}).get(name)))
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def base(config):
    value = (config.to_dict().get("rope_parameters") or {}).get("rope_theta") or 0
    assert value == int(value), value
    return int(value)


def made(model_class, **keys):
    try:
        return model_class(**keys)
    except Exception:  # it needs parts, or refuses these
        return None


def own_head(config, model_class):
    """The size of a head; 0 where it follows from width and heads, as that of a class twice as wide tells."""
    head = whole(config, "head_dim")
    wider = made(model_class, hidden_size=2 * whole(config, "hidden_size")) if head else None
    return 0 if wider and whole(wider, "head_dim") != head else head


def window(config, model_class):
    """Qwen's classes drop theirs unless use_sliding_window is true."""
    asks = config.to_dict().get("use_sliding_window") is False
    if asks and not whole(config, "sliding_window"):
        config = made(model_class, use_sliding_window=True) or config
    return whole(config, "sliding_window") or whole(config, "attention_window_size"), asks


def picture(config):
    """The sides of a picture, and the side of its patches; nothing where the class has neither."""
    sides, patch = (getattr(config, name, None) or 0 for name in ("image_size", "patch_size"))
    sides = sides if isinstance(sides, (list, tuple)) else [sides, sides]
    patch = patch if isinstance(patch, (list, tuple)) else [patch]
    if len(sides) != 2 or len(set(patch)) != 1 or not any([*sides, *patch]):
        return ""
    return f", {{{sides[0]}, {sides[1]}}}, {patch[0]}"


def parts(config, model_class):
    """The types that the class gives to configurations inside that are there and say none."""
    names = ("text_config", "vision_config", "audio_config")
    inside = {name: {"return_dict": True} for name in names if getattr(config, name, None)}
    filled = made(model_class, **inside) if inside else None
    keys = filled.to_dict() if filled else {}
    return [(keys.get(name) or {}).get("model_type") or "" for name in names]


def rows():
    for model_type in sorted(CONFIG_MAPPING_NAMES):
        try:
            model_class = CONFIG_MAPPING[model_type]
        except Exception:  # of a package that is not there
            continue
        config = made(model_class)
        if config is None:
            continue
        names = ("hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        sizes = [whole(config, name) for name in names] + [own_head(config, model_class)]
        width, asks = window(config, model_class)
        late = whole(config, "max_window_layers")
        inside = parts(config, model_class)
        if all(sizes[:2]) or width or late or asks or any(inside):
            listed = ", ".join(map(str, sizes))
            types = ", ".join(f'"{part}"' for part in inside)
            seen = picture(config)
            more = f"{seen or ', {}, 0'}, {types}" if any(inside) else seen
            yield f'{{"{model_type}", {{{listed}}}, {width}, {late}, {str(asks).lower()}, {base(config)}{more}}},'


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(f"// Written by tests/model/class_defaults.py from transformers {__version__}.")
    sys.stdout.write("".join(row + "\n" for row in rows()))
