"""Every Python example of the documents prints what they say."""

import doctest
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
HOW = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MISSING = [name for name in ("torch", "jax", "onnx") if importlib.util.find_spec(name) is None]


def examples(path):
    """The blocks with prompts as one session, each line where it stands in the file.

    It ends before a block that imports what is not installed.
    """
    text = path.read_text()
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        if any(f"import {name}" in block[1] for name in MISSING):
            break
        if ">>>" in block[1]:
            first = text.count("\n", 0, block.start(1))
            lines[first : first + block[1].count("\n")] = block[1].splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", [p for p in DOCUMENTS if ">>>" in examples(p)], ids=lambda p: p.name)
def test_examples(path, tmp_path, monkeypatch):
    text = examples(path)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    said = []
    result = doctest.DocTestRunner(optionflags=HOW).run(test, out=said.append)
    assert result.attempted > 0 and result.failed == 0, "".join(said)


def test_the_documents_have_examples():
    assert sum(examples(p).count(">>>") for p in DOCUMENTS) > 50


def test_every_scheme_is_in_the_bibliography():
    """With its paper, or among those that come from code."""
    schemes = re.findall(r"^## (\S+)$", (ROOT / "docs/schemes.md").read_text(), re.MULTILINE)
    text = (ROOT / "docs/bibliography.md").read_text()
    papers, _, from_code = text.partition('<a id="no-paper">')
    named = set(re.findall(r"`([a-z0-9-]+)[` ]", "".join(re.findall(r"arxiv.org/abs/.*$", papers, re.MULTILINE))))
    without = set(re.findall(r"^\| `([a-z0-9-]+)` ", from_code, re.MULTILINE))
    assert len(schemes) > 30 and set(schemes) <= named | without, set(schemes) - named - without
    assert without <= set(schemes) - named, without & named
    numbers = re.findall(r"\[(\d{4}\.\d{5})\]\(https://arxiv.org/abs/(.*?)\)", text)
    assert len(numbers) == text.count("arxiv.org/abs/") and all(shown == linked for shown, linked in numbers)
    assert len(set(numbers)) == len(numbers)
