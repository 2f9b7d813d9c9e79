"""What mypy says of code that uses the package: a misspelt option is found before anything runs."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

RIGHT = """
import posenc
import posenc.torch as pt

posenc.Rope(dim=64, layout="half", rope_theta=5e5, rope_parameters={"rope_type": "default"}).rotate_
pt.RotaryEncoding(dim=64, layout="half", heads_first=True, scaling={"rope_type": "linear", "factor": 4.0}, device="cpu")
pt.RotaryEncoding(posenc.Rope("llama3.1"), heads_first=True)
pt.SinusoidalEncoding(dim=64, preset="marian", batch_first=True)
pt.LearnedEncoding(rows=9, dim=64, batch_first=False)
pt.AbsoluteEncoding("nerf", coordinates=2, bands=2, batch_first=True)
pt.AbsoluteEncoding("mae", dim=64, batch_first=True)
pt.PositionalEncoding(512, max_len=500)
pt.RelativeBias("alibi", heads=8).add
pt.RelativeBias(posenc.Alibi(heads=8))
pt.ContentTerm("shaw", dim=64)
pt.ConvolutionEncoding(dim=64, batch_first=True)
posenc.graph.laplacian([[0, 1]], dim=2, sign="both", nodes=3).shape
posenc.graph.spectrum([[0, 1]], dim=2).values
"""
WRONG = [
    'posenc.Rope(dim=64, layuot="half")',
    'pt.RotaryEncoding(dim=64, layuot="half", heads_first=True)',
    'pt.RotaryEncoding(dim="64", layout="half", heads_first=True)',
    'pt.RotaryEncoding(dim=64, layout="halves", heads_first=True)',
    "pt.SinusoidalEncoding(dimm=64, batch_first=True)",
    "pt.SinusoidalEncoding(dim=64)",
    'pt.AbsoluteEncoding("nerf", coordinates=2, band=2, batch_first=True)',
    'pt.AbsoluteEncoding("alibi", heads=2, batch_first=True)',
    'pt.RelativeBias("alibi", head=8)',
    'pt.ContentTerm("shaw", dims=64)',
    "pt.ConvolutionEncoding(dim=64, group=2, batch_first=True)",
    "posenc.graph.laplacian([[0, 1]], dims=2)",
    "posenc.graph.laplacians([[0, 1]])",
]


def mypy(tmp_path, code):
    (tmp_path / "user.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("user.py") and ": error:" in line], done.stdout


def test_right_code_passes_and_every_wrong_line_is_found(tmp_path):
    code = RIGHT + "\n".join(WRONG) + "\n"
    errors, out = mypy(tmp_path, code)
    first = RIGHT.count("\n") + 1
    assert {int(e.split(":")[1]) for e in errors} == set(range(first, first + len(WRONG))), out
