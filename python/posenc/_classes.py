"""One class for each scheme, and one for each rule with options, made from the library's fields."""

from __future__ import annotations

import inspect
import json
from typing import Any

from posenc import _core
from posenc._absolute import Absolute
from posenc._choice import Choice
from posenc._convolution import Convolving
from posenc._rotary import Rotary
from posenc._scheme import Scheme
from posenc._scores import Bias, Content

FAMILIES: dict[str, Any] = {
    "absolute": Absolute, "rotary": Rotary, "relative": Bias, "content": Content, "convolution": Convolving,
}  # fmt: skip
NAMES: dict[str, dict[str, str]] = _core.class_names()
ALIASES: dict[str, str] = _core.aliases()  # other name -> scheme
INFO: dict[str, dict[str, Any]] = {about["name"]: about for about in _core.schemes()}


def told(options: list[dict[str, Any]]) -> str:
    """A line for each option; those inside others are told where they belong."""
    lines = []
    for o in options:
        words = f"; {', '.join(o['choices'])}" if o["choices"] else ""
        option, choice = o["only_with"]
        only = f", with {option} {choice}" if option else ""
        lines.append(f"    {o['name']}: {o['help']}{words} (default {o['value']!r}{only})")
    return "\n".join(lines)


def kinds_of(options: list[dict[str, Any]]) -> dict[str, str]:
    return {o["name"]: o["kind"] for o in options}


def signature(usual: dict[str, Any], first: list[inspect.Parameter]) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature([*first, *(inspect.Parameter(k, kind, default=v) for k, v in usual.items())])


def rule_options(scheme: str, option: str, choice: str) -> list[dict[str, Any]]:
    """The options of a choice, by their names inside it."""
    return [
        {**o, "name": o["name"][len(option) + 1 :], "only_with": ("", "")}
        for o in INFO[scheme]["options"]
        if o["only_with"] == (option, choice)
    ]


def about_choice(name: str, choice: str) -> str:
    """Where a class of that name is taken: two schemes may know the same rule."""
    paths = [path.split(".") for path, names in NAMES.items() if path and names.get(choice) == name]
    return f"{choice}, for the option {' and '.join(f'{option} of {scheme}' for scheme, option in paths)}."


def make_choice(scheme: str, option: str, choice: str) -> type:
    options, name = rule_options(scheme, option, choice), NAMES[f"{scheme}.{option}"][choice]
    usual = {o["name"]: o["value"] for o in options}
    doc = f"{about_choice(name, choice)}\n\n{told(options)}\n"
    made = type(
        name, (Choice,),
        {"type": choice, "_usual": usual, "_kinds": kinds_of(options), "__slots__": (), "__doc__": doc, "__module__": "posenc"},
    )  # fmt: skip
    made.__signature__ = signature(usual, [])  # type: ignore[attr-defined]
    return made


RULES: dict[str, type] = {}  # name -> class, one for all schemes that know the rule
CHOICES: dict[str, dict[str, dict[str, type]]] = {}  # scheme -> option -> choice -> class
for _path, _names in NAMES.items():
    if _path:
        _scheme, _option = _path.split(".")
        _known = CHOICES.setdefault(_scheme, {}).setdefault(_option, {})
        for _choice, _name in _names.items():
            if rule_options(_scheme, _option, _choice):
                _known[_choice] = RULES.setdefault(_name, make_choice(_scheme, _option, _choice))


def usual_of(name: str) -> dict[str, Any]:
    """The options with their default values, those inside another as a dict."""
    out: dict[str, Any] = {}
    for o in INFO[name]["options"]:
        head, *inside = o["name"].split(".")
        if head not in out:
            out[head] = json.loads(FAMILIES[INFO[name]["family"]]._core_class(name).to_json())[head] if inside else o["value"]
    return out


def make_scheme(name: str) -> type:
    about = INFO[name]
    usual = usual_of(name)
    presets = "\n".join(f"    {p['name']}: {p['help']}" for p in about["presets"])
    doc = f"{about['about']}.\nUsed by {about['used_by']}.\n\nOptions:\n{told(about['options'])}\n\nPresets:\n{presets}\n"
    made = type(
        NAMES[""][name], (FAMILIES[about["family"]],),
        {
            "name": name, "family": about["family"], "_usual": usual, "_choices": CHOICES.get(name, {}),
            "_kinds": kinds_of(about["options"]), "__slots__": (), "__doc__": doc, "__module__": "posenc",
        },
    )  # fmt: skip
    preset = inspect.Parameter("preset", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    made.__signature__ = signature(usual, [preset])  # type: ignore[attr-defined]
    return made


CLASSES: dict[str, Any] = {name: make_scheme(name) for name in INFO}
__all__ = ["ALIASES", "CLASSES", "INFO", "Choice", "Scheme"]
for _made in [*CLASSES.values(), *RULES.values()]:
    globals()[_made.__name__] = _made
    __all__.append(_made.__name__)
