"""Writes posenc_rope.h from posenc_rope.in.h and the library's own sources.

    packaging/rope_header.py            rewrites packaging/posenc_rope.h
    packaging/rope_header.py --check    fails where it is not what would be written

In the template, //@ file PATH stands for all of a file but its includes and its namespace, and
//@ take PATH NAME... for definitions of that file.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CUDA = re.compile(r"#ifdef __CUDA_ARCH__\n.*?#else\n(.*?)#endif\n", re.S)
WITHOUT = re.compile(
    r"^(#pragma once|#include .*|namespace (POSENC_PUBLIC )?posenc \{|\}  // namespace posenc"
    r"|  static Fields fields\(\).*)\n", re.M)  # fmt: skip


def cleaned(text: str) -> str:
    text = CUDA.sub(r"\1", text.replace("POSENC_BOTH ", "").replace("namespace posenc::", "namespace "))
    text = text.replace("posenc::", "posenc_rope::")
    return WITHOUT.sub("", text)


def whole(path: str) -> str:
    text = cleaned((ROOT / path).read_text())
    return re.sub(r"\A(//.*\n)+", lambda banner: re.sub(r"^// [\w.]+: ", f"// {path}: ", banner[0]), text).strip()


def definition(path: str, name: str) -> str:
    """From the comment before it to the brace that closes it, at the beginning of a line."""
    lines = cleaned((ROOT / path).read_text()).split("\n")
    begins = re.compile(rf"^(?! |//|\}}|fail|check).*(?<![\w:]){re.escape(name)}(\(.*|\b.*(\{{|;)( *//.*)?)$")
    first = next((n for n, line in enumerate(lines) if begins.match(line)), None)
    if first is None:
        raise SystemExit(f"rope_header.py: expected {name} in {path}, got none")
    last = first
    while not re.search(r"[;}]( *//.*)?$", lines[last]) or lines[last].startswith(" "):
        last += 1
    while lines[first - 1].startswith(("//", "template")):
        first -= 1
    text = "\n".join(lines[first : last + 1])
    is_function = "(" in lines[first].split("{")[0] and not text.startswith(("template", "struct", "class", "inline"))
    return re.sub(r"\A((?://.*\n)*)", r"\1inline ", text) if is_function else text


def generated() -> str:
    def replaced(match: re.Match) -> str:
        kind, path, *names = match[1].split()
        return whole(path) if kind == "file" else "\n\n".join(definition(path, name) for name in names)

    template = (HERE / "posenc_rope.in.h").read_text()
    text = re.sub(r"^//@ (.*)$", replaced, template, flags=re.M)
    terms = re.search(r"constexpr double c\[\] = \{(.*?)\};", (ROOT / "src/cpu/kernels/sine-inl.h").read_text(), re.S)
    version = re.search(r'POSENC_VERSION "(.*)"', (ROOT / "include/posenc/posenc.h").read_text())
    assert terms and version
    return text.replace("@SINE@", " ".join(terms[1].split())).replace("@VERSION@", version[1])


def main() -> None:
    out = HERE / "posenc_rope.h"
    if sys.argv[1:] != ["--check"]:
        out.write_text(generated())
    elif out.read_text() != generated():
        raise SystemExit("posenc_rope.h is not what the library says now: ./run update writes it")


if __name__ == "__main__":
    main()
