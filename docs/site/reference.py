"""Reference pages: of the command line from --help, of C and C++ from headers, of Python from docstrings and stubs."""

import ast
import re
import subprocess


def command_line(tool):
    def said(*arguments):
        return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout.rstrip()

    overview = said("--help")
    names = re.findall(r"^  (\w+)  +\S", overview.split("usage:")[1].split("'posenc")[0], re.MULTILINE)
    out = ["# Command line", "", "What `posenc --help` and `posenc COMMAND --help` print.", "", *text_block(overview)]
    for name in names:
        out += [f"## posenc {name}", "", *text_block(said(name, "--help"))]
    return "\n".join(out)


def text_block(text, language="text"):
    return [f"```{language}", text, "```", ""]


# Headers: a declaration and the comment above it are one entry.


def name_of(code):
    """What a declaration declares, or nothing."""
    flat = re.sub(r"template <[^{;]*?>\s", "", code).strip()
    found = re.match(r"(?:typedef )?(?:struct|class|enum class|enum|concept|using)\s+(?:POSENC_\w+\s+)?(\w+)", flat)
    found = found or re.search(r"(\w+|operator[^\s(]+)\(", flat) or re.search(r"(\w+)\s*(?:=|;|\{)", flat)
    return found[1] if found else None


def split_entries(text):
    """Pieces of a header between blank lines outside braces, namespaces not counted."""
    entry, depth = [], 0
    for line in text.split("\n"):
        if re.match(r"\s*(#|namespace |}  // namespace|extern \"C\")", line) or line.strip() == "":
            if entry and depth == 0:
                yield entry
                entry = []
            elif entry and line.strip() == "":
                entry.append("")
            continue
        entry.append(line)
        bare = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", line)
        depth += bare.count("{") + bare.count("(") - bare.count("}") - bare.count(")")
    if entry:
        yield entry


def without_private(entry):
    """A declaration without what is the library's own."""
    code = "\n".join(entry)
    code = re.sub(r"\n private:.*?(?=\n};)", "", code, flags=re.DOTALL)
    return re.sub(r"\n[^\n]*// internal[^\n]*", "", code)


def header(text, title, comment):
    """Of one header: its banner, then every public declaration. comment: what begins a line of one."""
    text = re.sub(r"^namespace detail \{.*?^}  // namespace detail$", "", text, flags=re.MULTILINE | re.DOTALL)
    out, banner = [f"## {title}", ""], True
    for entry in split_entries(text):
        said = []
        while entry and re.match(comment, entry[0].strip()):
            said.append(re.sub(rf"^\s*(?:{comment}) ?|\s*\*/$", "", entry.pop(0)))
        if banner:  # the first comment tells what the header is for
            out += [*text_block("\n".join(said).strip())]
            banner = False
            said = []
        code = without_private(entry).rstrip()
        name = name_of(code) if code else None
        if name is None or "detail::" in code.split("\n")[0]:
            continue
        out += [f"### {name}", "", *([*said, ""] if said else []), *text_block(code, "cpp")]
    return "\n".join(out)


def cpp(root):
    include = root / "include"
    out = ["# C++", "", "Made from the public headers; `#include <posenc/posenc.h>` has all of them but those of `posenc/model/`.", ""]
    for path in sorted(include.rglob("*.h"), key=lambda p: (p.parent != include / "posenc", p.as_posix())):
        if path.name not in ("posenc_c.h", "export.h"):
            out.append(header(path.read_text(), path.relative_to(include).as_posix(), "//"))
    return "\n".join(out)


def c(root):
    text = (root / "include/posenc/posenc_c.h").read_text()
    return "# C\n\nMade from the header.\n\n" + header(text, "posenc_c.h", r"/\*|\*(?!/)")


# Python: public names of a module, with signatures and docstrings.


def signature(node):
    if isinstance(node, ast.ClassDef):
        made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        arguments = ast.unparse(made[0].args).removeprefix("self").removeprefix(", ") if made else ""
        return f"{node.name}({arguments})"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){result}"


def documented(node, prefix="", level="##"):
    text = ast.get_docstring(node)
    if text is None or node.name.startswith("_"):
        return
    yield from [f"{level} {prefix}{node.name}", "", *text_block(prefix + signature(node), "python"), *text_block(text)]
    if isinstance(node, ast.ClassDef):
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                yield from documented(member, f"{node.name}.", "###")


def python(title, about, paths):
    out = [f"# {title}", "", about, ""]
    for path in paths:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                out += documented(node)
    return "\n".join(out)


def pages(root, tool):
    package = root / "python" / "posenc"
    public = [p for p in sorted((package / "torch").glob("*.py")) if not p.name.startswith("_")]
    return {
        "commands.md": command_line(tool),
        "c.md": c(root),
        "cpp.md": cpp(root),
        "python.md": python("Python", "Made from docstrings; [in Python](../python.md) is the guide.", sorted(package.glob("*.py"))),
        "schemes.md": python(
            "Schemes in Python", "Options of each are on [the page of all schemes](../schemes.md).", [package / "_classes.pyi"]
        ),
        "torch.md": python("PyTorch", "Made from docstrings; [in PyTorch](../torch.md) is the guide.", public),
    }
