"""The scripts of examples/python run, and what they assert holds."""

import pathlib
import runpy

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_runs(path, capsys):
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_the_page_leads_through_all_of_them():
    page = (SCRIPTS[0].parents[1] / "README.md").read_text()
    for path in [*SCRIPTS, *SCRIPTS[0].parents[1].glob("*.c[cu]")]:
        assert f"/{path.name})" in page or f"({path.name})" in page, path.name
