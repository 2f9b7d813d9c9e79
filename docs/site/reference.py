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
    text = re.sub(r"^namespace detail \{.*?^}(  // namespace detail)?$", "", text, flags=re.MULTILINE | re.DOTALL)
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


# Python: what a module lists in __all__, with signatures and docstrings.


def signature(node, made=None):
    """made: the __init__ of a class, its own or that of a base."""
    if isinstance(node, ast.ClassDef):
        arguments = ast.unparse(made.args).removeprefix("self").removeprefix(", ") if made else ""
        return f"{node.name}({arguments})"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){result}"


def exported(path):
    """The names in a module's __all__; what is starred or added there has a file of its own."""
    names = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names += [name.value for name in node.value.elts if isinstance(name, ast.Constant)]
    return names


class Module:
    """The public names of a module and where they are defined: in its files, or in __init__.py where no other does."""

    def __init__(self, name, names, files):
        self.name, self.names, self.known, self.owners = name, names, {}, {}
        for path in sorted(files, key=lambda p: p.name != "__init__.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):  # another name of a class
                    self.known.update({t.id: node.value.id for t in node.targets if isinstance(t, ast.Name)})
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                    self.known[node.name] = node
        for name in names:
            for method in getattr(self.find(name), "body", []):
                self.owners.setdefault(method, name)

    def find(self, name):
        found = self.known.get(name)
        return self.find(found) if isinstance(found, str) else found

    def methods(self, node):
        """Public ones of a class and of its bases in these files, and the __init__ that makes it."""
        own = {}
        for base in reversed(node.bases):
            base = self.find(ast.unparse(base))
            own.update(self.methods(base) if base else {})
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and (method.name == "__init__" or method.name[0] != "_" and ast.get_docstring(method)):
                own[method.name] = method
        return own

    def entry(self, name):
        """Methods that a class shares with one before it are named there."""
        node = self.find(name)
        if node is None:
            return  # a module, which has entries of its own
        methods = self.methods(node) if isinstance(node, ast.ClassDef) else {}
        yield from [f"## {self.name}.{name}", "", *text_block(signature(node, methods.pop("__init__", None)), "python")]
        yield from text_block(ast.get_docstring(node) or "")
        shared = {}
        for method in methods.values():
            owner = self.owners.setdefault(method, name)
            if owner != name:
                shared.setdefault(owner, []).append(f"`{method.name}`")
                continue
            yield from [f"### {name}.{method.name}", "", *text_block(signature(method), "python"), *text_block(ast.get_docstring(method))]
        if shared:
            yield from ["As in " + "; ".join(f"`{owner}`: {', '.join(names)}" for owner, names in shared.items()) + ".", ""]

    def entries(self):
        return [line for name in self.names for line in self.entry(name)]


def python(title, about, modules):
    return "\n".join([f"# {title}", "", about, "", *(line for module in modules for line in module.entries())])


SCHEMES = """Options of each are on [the page of all schemes](../schemes.md); methods are those of
[`Absolute`, `Rotary`, `Bias`, `Content` or `Convolving`](python.md)."""


def python_modules(package):
    """The package without its schemes, and its modules; the schemes; posenc.torch."""
    private = [p for p in package.glob("_*.py") if p.name != "_picture.py"]
    graph = [package / "graph.py", package / "_graph_verbs.pyi"]
    own = [Module("posenc", exported(package / "__init__.py"), private)]
    own += [Module(f"posenc.{name}", exported(package / f"{name}.py"), [package / f"{name}.py"]) for name in ("positions", "plot")]
    own.append(Module("posenc.graph", [name for path in graph for name in exported(path)], graph))
    schemes = package / "_classes.pyi"
    names = [name for name in exported(schemes) if not name.isupper() and name not in own[0].names + ["Scheme"]]
    torch = package / "torch"
    return own, Module("posenc", names, [schemes]), Module("posenc.torch", exported(torch / "__init__.py"), torch.glob("*.py"))


def pages(root, tool):
    own, schemes, torch = python_modules(root / "python" / "posenc")
    return {
        "commands.md": command_line(tool),
        "c.md": c(root),
        "cpp.md": cpp(root),
        "python.md": python("Python", "Made from docstrings; [in Python](../python.md) is the guide.", own),
        "schemes.md": python("Schemes in Python", SCHEMES, [schemes]),
        "torch.md": python("PyTorch", "Made from docstrings; [in PyTorch](../torch.md) is the guide.", [torch]),
    }
