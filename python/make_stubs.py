"""Writes posenc/_classes.pyi, posenc/_graph_verbs.pyi and posenc/torch/_options.pyi: what type checkers and editors know of
the classes and functions that are made at import, and of the options that modules of PyTorch take.

    ./run python python/make_stubs.py            writes the files beside the sources
    ./run python python/make_stubs.py --check    fails where one would change
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path = [p for p in sys.path if pathlib.Path(p).resolve() != HERE]  # the sources there have no posenc._core

from posenc import _classes, _core, _graph_verbs  # noqa: E402

KINDS = {
    "integer": "int", "number": "float", "boolean": "bool", "text": "str", "list": "Sequence[float]",
}  # fmt: skip
# Options in the words of Hugging Face's configurations.
OTHER_OPTIONS = {
    "rope_theta": "float", "rope_scaling": "Optional[Mapping[str, Any]]", "rope_parameters": "Mapping[str, Any]",
    "partial_rotary_factor": "float", "mrope_section": "Sequence[int]", "mrope_interleaved": "bool",
}  # fmt: skip
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


def class_text(name, base, about, options, first="", others={}):
    shown = "".join(f"    {k}: {v}\n" for k, v in options.items())
    keywords = f"        *,\n{parameters({**options, **others})}" if options else ""
    return (
        f'\nclass {name}({base}):\n    """{about}"""\n\n{shown}'
        f"    def __init__(\n        self,\n{first}{keywords}    ) -> None: ...\n"
    )


def choice_text(kind, scheme, option):
    options = {o["name"]: type_of(o) for o in _classes.rule_options(scheme, option, kind.type)}
    return class_text(kind.__name__, "Choice", _classes.about_choice(kind.__name__, kind.type), options)


def options_of(kind):
    """The options of a scheme, with their types."""
    about, options = _classes.INFO[kind.name], {}
    for o in about["options"]:
        head, *inside = o["name"].split(".")
        rules = [c.__name__ for c in _classes.CHOICES.get(kind.name, {}).get(head, {}).values()]
        options.setdefault(head, "Union[Scheme, Mapping[str, Any]]" if inside else type_of(o, rules))
    return options


def preset_of(kind):
    return f"Optional[{words(p['name'] for p in _classes.INFO[kind.name]['presets'])}]"


def other_options(kind):
    return {name: OTHER_OPTIONS[name] for name in _core.other_options(kind.name)}


def scheme_text(kind):
    first, about = f"        preset: {preset_of(kind)} = ...,\n", f"{_classes.INFO[kind.name]['about']}."
    return class_text(kind.__name__, kind.__bases__[0].__name__, about, options_of(kind), first, other_options(kind))


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


# Modules whose scheme is chosen by its name: the class, its base, and what else its constructor takes.
MODULES = {
    "absolute": ("AbsoluteInit", "InputEncoding", "batch_first: bool, "),
    "relative": ("BiasInit", "Encoding", ""),
    "content": ("ContentInit", "Encoding", ""),
}
TORCH_HEAD = '''"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Mapping, Optional, Sequence, TypedDict, Union, overload

from typing_extensions import Unpack

from posenc._classes import *
from posenc._scheme import Scheme

from ._encoding import Encoding, InputEncoding
'''


def options_text(kind):
    """The options of a scheme as a TypedDict, none of which must be given."""
    shown = {"preset": preset_of(kind), **options_of(kind), **other_options(kind)}
    lines = "".join(f"    {k}: {v}\n" for k, v in shown.items())
    return f"\nclass {kind.__name__}Options(TypedDict, total=False):\n{lines}"


def module_text(family, name, base, more):
    places = f"{more}device: Any = ..., dtype: Any = ..., "
    out = f"\nclass {name}({base}):\n"
    for kind in _classes.CLASSES.values():
        if kind.family == family:
            called = [kind.name, *(a for a, of in _classes.ALIASES.items() if of == kind.name)]
            options = f"**options: Unpack[{kind.__name__}Options]"
            out += f"    @overload\n    def __init__(self, scheme: {words(called)}, *, {places}{options}) -> None: ...\n"
    return out + f"    @overload\n    def __init__(self, scheme: Scheme, *, {places}**options: Any) -> None: ...\n"


def torch_stubs():
    out = TORCH_HEAD + "".join(options_text(kind) for kind in _classes.CLASSES.values())
    return out + "".join(module_text(family, *how) for family, how in MODULES.items())


# How edges are read, in the order of _graph_verbs.READING, and the types of it.
GRAPH_HEAD = '''"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Optional, Sequence

import numpy as np

INFO: dict[str, dict[str, Any]]
READING: dict[str, Any]

def empty_table(name: str, edges: Any, given: dict[str, Any]) -> tuple[Any, str, np.ndarray]: ...
'''
READING = {
    "nodes": "Optional[int]", "directed": "bool", "duplicates": words(["once", "sum"]), "first_id": "int",
    "edge_axis": words(["found", "rows", "columns"]), "dtype": "Any",
}  # fmt: skip


def verb_text(name, verb):
    about = _graph_verbs.INFO[name]
    options = {o["name"]: type_of(o) for o in about["options"]}
    preset = f"Optional[{words(p['name'] for p in about['presets'])}]"
    lines = "".join(f"    {k}: {v} = ...,\n" for k, v in {"preset": preset, **READING, **options}.items())
    first = "    edges: Any,\n    weights: Any = ...,\n    *,\n"
    return f'\ndef {verb.__name__}(\n{first}{lines}) -> np.ndarray:\n    """{about["about"]}."""\n'


def graph_stubs():
    out = GRAPH_HEAD + f"__all__ = {_graph_verbs.__all__!r}\n"
    return out + "".join(verb_text(*item) for item in _graph_verbs.VERBS.items())


WRITTEN = {
    HERE / "posenc" / "_classes.pyi": stubs, HERE / "posenc" / "_graph_verbs.pyi": graph_stubs,
    HERE / "posenc" / "torch" / "_options.pyi": torch_stubs,
}  # fmt: skip

if __name__ == "__main__":
    for path, text in WRITTEN.items():
        if "--check" not in sys.argv:
            path.write_text(text())
        elif path.read_text() != text():
            sys.exit(f"{path} is not what make_stubs.py writes: run it")
