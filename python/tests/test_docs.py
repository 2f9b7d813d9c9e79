"""Every Python example of the documents prints what they say."""

import ast
import doctest
import importlib.util
import inspect
import pathlib
import re

import posenc
import posenc.graph
import posenc.plot
import posenc.positions
import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "README.zh.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
HOW = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
LIBRARIES = ("torch", "transformers", "matplotlib", "jax", "onnx")
MISSING = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
if "torch" not in MISSING and importlib.util.find_spec("torch.nn.attention.flex_attention") is None:  # PyTorch 2.4
    MISSING.append("flex_attention")


def examples(path, missing=MISSING):
    """The blocks with prompts as one session, each line where it stands in the file.

    A section ends before a block that names what is not installed.
    """
    text = path.read_text()
    lines = [""] * (text.count("\n") + 1)
    ended = -1  # the section that has ended
    for block in BLOCK.finditer(text):
        section = text.count("\n## ", 0, block.start())
        if any(re.search(rf"\b{name}\b", block[1]) for name in missing):
            ended = section
        if ">>>" in block[1] and section != ended:
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


@pytest.mark.parametrize("name", ["torch", "matplotlib", "jax", "onnx"])
def test_recipes_of_other_libraries_are_examples(name):
    """Whatever else is missing, each library's own example is run where it is installed."""
    others = [other for other in LIBRARIES if other != name]
    assert any(f"import {name}" in examples(p, others) for p in DOCUMENTS)


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


def test_papers_are_cited_by_years_that_the_bibliography_has():
    """An author and a year lead to a row: by arXiv's year, or the conference's in brackets."""
    rows = re.findall(r"^\| (?:<a id=\"\S+\"></a>)?([^|]+) \|", (ROOT / "docs/bibliography.md").read_text(), re.MULTILINE)
    cited = set()
    for path in DOCUMENTS:
        if path.name != "bibliography.md":
            cited |= set(re.findall(r"([A-Z][\w-]+) (?:et al\.|等) (\d{4})", path.read_text()))
    unknown = [(name, year) for name, year in cited if not any(row.startswith(name + " ") and year in row for row in rows)]
    assert len(cited) > 20 and not unknown


def reference():
    path = ROOT / "docs/site/reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def headings(lines, level="##"):
    return [line.split(" ")[1] for line in lines if line.startswith(level + " ")]


def test_the_python_reference_has_what_modules_export():
    own, schemes, torch = reference().python_modules(ROOT / "python/posenc")
    modules = [posenc, posenc.positions, posenc.plot, posenc.graph]
    made = {f"{m.__name__}.{name}" for m in modules for name in m.__all__ if not inspect.ismodule(getattr(m, name))}
    shown = headings(schemes.entries()) + [name for module in own for name in headings(module.entries())]
    assert sorted(shown) == sorted(made)
    methods = headings((line for module in own for line in module.entries()), "###")
    assert len(set(methods)) == len(methods) > 40
    for name in methods:  # a method is there, and public
        kind, method = name.split(".")
        assert hasattr(getattr(posenc, kind, None) or getattr(posenc.graph, kind), method) and method[0] != "_"
    listed = ast.parse((ROOT / "python/posenc/torch/__init__.py").read_text()).body
    names = next(ast.literal_eval(node.value) for node in listed if isinstance(node, ast.Assign))
    assert headings(torch.entries()) == [f"posenc.torch.{name}" for name in names]


def test_the_cpp_reference_has_every_type():
    page = reference().cpp(ROOT)
    declared = set()
    for path in (ROOT / "include").rglob("*.h"):
        inner = False
        for line in path.read_text().split("\n"):
            inner = line == "namespace detail {" or (inner and line not in ("}", "}  // namespace detail"))
            found = re.match(r"(?:struct|class|enum class) (?:POSENC_\w+ )?\w+(?= :| \{|$)", line)
            if found and not inner and path.name != "posenc_c.h":
                declared.add(found[0])
    assert len(declared) > 100 and "struct Error" in declared
    assert not [line for line in declared if line not in page]
