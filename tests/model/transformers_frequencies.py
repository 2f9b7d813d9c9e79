#!/usr/bin/env python3
"""Writes the rotary frequencies that the installed transformers makes of configurations.

    transformers_frequencies.py CONFIG.json... > transformers-frequencies.json

For every configuration that transformers can instantiate: the buffers of its text model's rotary
module, inv_freq and attention_scaling, and where kinds of layers differ, one of each with the
kind before its name. model/frequencies compares them with what posenc reads from the same files.
"""

import importlib
import json
import sys
import warnings
from pathlib import Path


def text_part(config):
    return config.get_text_config() if hasattr(config, "get_text_config") else config


def rotary_modules(config):
    """The rotary module of the text model, as its own code makes it."""
    package = type(config).__module__.rsplit(".", 1)[0]
    modeling = importlib.import_module(package + ".modeling_" + package.rsplit(".", 1)[1])
    for name in sorted(dir(modeling)):
        if not name.endswith("RotaryEmbedding") or "Vision" in name or "Audio" in name:
            continue
        try:
            yield getattr(modeling, name)(config)
        except Exception:  # of another part of the model: it takes other arguments
            continue


def described(module):
    out = {}
    for name, value in module.named_buffers():
        if name.endswith("inv_freq") and not name.startswith("original") and "_original" not in name:
            out[name] = [float(f"{x:.9g}") for x in value.flatten().tolist()]
    for name in [n.replace("inv_freq", "attention_scaling") for n in out]:
        value = getattr(module, name, 1.0)
        out[name] = float(value)
    return out


def main(paths):
    from transformers import CONFIG_MAPPING

    result = {}
    for path in map(Path, paths):
        keys = json.loads(path.read_text())
        try:
            config = CONFIG_MAPPING[keys.pop("model_type")].from_dict(keys)
            modules = [described(m) for m in rotary_modules(text_part(config))]
        except Exception as error:
            print(f"{path.stem}: left out, {type(error).__name__}: {error}", file=sys.stderr)
            continue
        modules = [m for m in modules if m]
        if modules:
            result[path.stem] = modules[0]
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
