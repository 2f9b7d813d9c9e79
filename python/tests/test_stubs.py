"""The stubs are what make_stubs.py would write."""

import importlib.util
import pathlib

import posenc

ROOT = pathlib.Path(__file__).parents[1]


def script():
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_stubs_are_current():
    for path, text in script().WRITTEN.items():
        assert path.read_text() == text(), "./run update writes it"


def test_the_package_says_that_it_is_typed():
    folder = pathlib.Path(posenc.__file__).parent
    assert all((folder / name).exists() for name in ("py.typed", "_classes.pyi", "_graph_verbs.pyi", "torch/_options.pyi"))
