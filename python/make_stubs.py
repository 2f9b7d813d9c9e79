"""Writes posenc/_classes.pyi: what type checkers and editors know of the classes that are made at import.

    ./run python python/make_stubs.py            writes the file beside the sources
    ./run python python/make_stubs.py --check    fails where it would change
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path = [p for p in sys.path if pathlib.Path(p).resolve() != HERE]  # the sources there have no posenc._core

from posenc import _classes  # noqa: E402

KINDS = {
    "integer": "int", "number": "float", "boolean": "bool", "text": "str", "list": "Sequence[float]",
}  # fmt: skip
OUT = HERE / "posenc" / "_classes.pyi"
HEAD = '''"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Mapping, Optional, Sequence, Union

from posenc._absolute import Absolute
from posenc._choice import Choice as Choice
from posenc._convolution import Convolving
from posenc._rotary import Rotary
from posenc._scheme import Scheme as Scheme
from posenc._scores import Bias, Content

ALIASES: dict[str, str]
CLASSES: dict[str, Any]
INFO: dict[str, dict[str, Any]]
'''


def words(choices):
    return f"Literal[{', '.join(repr(c) for c in choices)}]"


def type_of(option, rules=()):
    """Of what is given for an option; rules: the classes that it may hold."""
    plain = words(option["choices"]) if option["choices"] else KINDS[option["kind"]]
    plain = f"Union[{', '.join([plain, *rules, 'Mapping[str, Any]'])}]" if rules else plain
    return f"Optional[{plain}]" if option["value"] is None else plain


def parameters(options):
    return "".join(f"        {name}: {kind} = ...,\n" for name, kind in options.items())


def class_text(name, base, about, options, first=""):
    shown = "".join(f"    {k}: {v}\n" for k, v in options.items())
    keywords = f"        *,\n{parameters(options)}" if options else ""
    return (
        f'\nclass {name}({base}):\n    """{about}"""\n\n{shown}'
        f"    def __init__(\n        self,\n{first}{keywords}    ) -> None: ...\n"
    )


def choice_text(kind, scheme, option):
    options = {o["name"]: type_of(o) for o in _classes.rule_options(scheme, option, kind.type)}
    return class_text(kind.__name__, "Choice", _classes.about_choice(kind.__name__, kind.type), options)


def scheme_text(kind):
    about = _classes.INFO[kind.name]
    options = {}
    for o in about["options"]:
        head, *inside = o["name"].split(".")
        rules = [c.__name__ for c in _classes.CHOICES.get(kind.name, {}).get(head, {}).values()]
        options.setdefault(head, "Union[Scheme, Mapping[str, Any]]" if inside else type_of(o, rules))
    presets = words(p["name"] for p in about["presets"])
    first = f"        preset: Optional[{presets}] = ...,\n"
    return class_text(kind.__name__, kind.__bases__[0].__name__, f"{about['about']}.", options, first)


def stubs():
    places = {
        kind: (scheme, option)
        for scheme, options in _classes.CHOICES.items()
        for option, kinds in options.items()
        for kind in kinds.values()
    }
    out = HEAD + f"__all__ = {_classes.__all__!r}\n"
    out += "".join(choice_text(kind, *places[kind]) for kind in _classes.RULES.values())
    return out + "".join(scheme_text(kind) for kind in _classes.CLASSES.values())


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if OUT.read_text() == stubs() else f"{OUT} is not what make_stubs.py writes: run it")
    OUT.write_text(stubs())
