"""The package as pip, type checkers and those without its optional parts meet it."""

import ast
import importlib.metadata
import pathlib
import re
import subprocess
import sys

import pytest

import posenc

FOLDER = pathlib.Path(posenc.__file__).parent


def test_metadata_is_short_and_says_what_it_is():
    told = importlib.metadata.metadata("posenc")
    assert told["License"] == "Apache-2.0"
    assert told["Version"] == posenc.__version__
    assert "Typing :: Typed" in told.get_all("Classifier")


@pytest.mark.parametrize(
    "missing,code,sentence",
    [
        ("torch", "import posenc.torch", "[posenc.torch] expected PyTorch 2.4 or newer, got none: pip install torch"),
        (
            "ml_dtypes",
            "import posenc; posenc.Sinusoidal(dim=4).table(3, 'bfloat16')",
            "[dtype] expected ml_dtypes for bfloat16, got none: pip install ml_dtypes",
        ),
        (
            "matplotlib",
            "import posenc; posenc.plot.heatmap(posenc.Sinusoidal(dim=4))",
            "[plot] expected matplotlib, got none: pip install matplotlib",
        ),
    ],
)
def test_what_is_optional_is_told_when_it_is_missing(missing, code, sentence):
    code = f"import sys; sys.modules[{missing!r}] = None; {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip().endswith(f"ImportError: {sentence}")


def test_pytorch_that_is_too_old_is_told():
    code = "import sys, types; t = types.ModuleType('torch'); t.library, t.__version__ = types.ModuleType('l'), '2.3.1'; "
    code += "sys.modules['torch'] = t; import posenc.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip().endswith("ImportError: [posenc.torch] expected PyTorch 2.4 or newer, got 2.3.1")


@pytest.mark.parametrize("name", ["_scheme", "_choice"])
def test_type_checkers_refuse_misspelt_names(name):
    """One that sees __getattr__ takes any name for an option: Sinusoidal(dim=4).tabel(3)."""
    classes = [n for n in ast.parse((FOLDER / f"{name}.py").read_text()).body if isinstance(n, ast.ClassDef)]
    seen = [f.name for c in classes for f in c.body if isinstance(f, ast.FunctionDef)]
    assert "__repr__" in seen and "__getattr__" not in seen


def test_repr_of_a_shift():
    assert repr(posenc.shift(posenc.Sinusoidal(dim=4), 3)) == "<the matrix that moves encodings of 4 features>"


def test_dir_shows_what_is_ours():
    names = dir(posenc)
    assert len(set(posenc.__all__)) == len(posenc.__all__)
    assert set(names) == {*posenc.__all__, "__version__"} and all(hasattr(posenc, name) for name in names)
    for module in (posenc.plot, posenc.positions, posenc.graph):
        assert sorted(dir(module)) == sorted(set(module.__all__))
    assert not {"Any", "Optional", "annotations", "json"} & set(names)


VERBS = {
    posenc.Sinusoidal: ["table", "fill_", "add_", "add", "embed", "backward"],
    posenc.Rope: ["table", "cos_sin", "rotate_", "rotate", "rotate_inverse", "rotate_adjoint", "backward", "move_", "rotate_into", "rotate_into_"],
    posenc.Alibi: ["bias", "add_", "add", "profile", "at", "backward"],
    posenc.Shaw: ["add_", "add", "backward", "add_to_outputs_"],
    posenc.Convolution: ["convolve", "convolve_", "backward"],
    posenc.graph: [*posenc._graph_verbs.__all__, "spectrum"],
    posenc.positions: ["padded", "packed", "grid", "coordinates", "segments", "shard", "shard_tokens"],
    posenc: ["convert_layout", "embed_backward", "resize", "resize_grid", "resize_grid_backward", "rotate_by", "to_polar", "to_polar_backward"],
}


@pytest.mark.parametrize("kind,verb", [(k, v) for k, verbs in VERBS.items() for v in verbs], ids=lambda x: getattr(x, "__name__", x))
def test_help_of_a_verb_says_shapes(kind, verb):
    told = getattr(kind, verb).__doc__
    assert re.search(r"\[[^\]]*(tokens|heads|queries|distances|pages|nodes|edges|dim|rows|patches| n)[^\]]*\]", told), told
