#!/usr/bin/env python3
"""Writes what the installed transformers' classes say of windows where a file is silent.

    tests/model/class_windows.py > src/model/families/class_windows.inc

One row for each model type whose class has a window: its width, the layers before it that see everything, and
whether it counts only where use_sliding_window is true.
"""

import logging
import sys

from transformers import __version__
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES


def whole(config, name):
    value = config.to_dict().get(name)  # as an attribute, one that differs between layers raises
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def default_window(config, model_class):
    """The width; Qwen's classes drop theirs unless use_sliding_window is true."""
    asks = getattr(config, "use_sliding_window", None) is False
    if asks and not whole(config, "sliding_window"):
        try:
            config = model_class(use_sliding_window=True)
        except Exception:  # a class that refuses it has no window
            return 0, asks
    return whole(config, "sliding_window") or whole(config, "attention_window_size"), asks


def rows():
    for model_type in sorted(CONFIG_MAPPING_NAMES):
        try:
            model_class = CONFIG_MAPPING[model_type]
            config = model_class()
        except Exception:  # made of parts that must be written
            continue
        window, asks = default_window(config, model_class)
        late = whole(config, "max_window_layers")
        if window or asks or late:
            yield f'{{"{model_type}", {window}, {late}, {str(asks).lower()}}},'


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(f"// Written by tests/model/class_windows.py from transformers {__version__}.")
    sys.stdout.write("".join(row + "\n" for row in rows()))
