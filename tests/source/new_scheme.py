#!/usr/bin/env python3
"""new_scheme.py ROOT BUILD COMPILER [--whole]: adds a scheme of each family as CONTRIBUTING says, and sees it work.

The files of the toys lie in toys/ as they would in the tree, but that their tests are one program, toys_test; their names in
the lists, and what a length rule adds to the files of its kind, are written here. Without --whole the compiler reads what holds the lists, with the toys before the tree on
its path. With it the tree is built with the toys in it: an overlay keeps what is there as it is, so that only what includes
a list is compiled again. Then the tests of the toys pass, the test of the docs names the command that writes them, and the
tool and Python know the toys by name. Where the system allows no overlay the answer is 77: skipped."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# The list's file and name, the struct, and what declares it.
NAMES = [
    ("include/posenc/absolute.h", "Absolute", "Toy", "posenc/absolute/toy.h"),
    ("include/posenc/relative.h", "Bias", "ToyBias", "posenc/relative/toy_bias.h"),
    ("include/posenc/content.h", "Content", "ToyTerm", "posenc/content/toy_term.h"),
    ("include/posenc/graph.h", "Scheme", "ToyNodes", "posenc/graph/toy_nodes.h"),
    ("include/posenc/rotary/scaling.h", "Scaling", "ToyRule", ""),
]
# A rule is a struct beside the others and a formula beside theirs: what comes before which line of which file.
PARTS = [
    (
        "include/posenc/rotary/scaling.h",
        "using Scaling =",
        """struct ToyRule {
  static constexpr std::string_view name = "toy-rule";
  double factor = 1;
  static Fields fields();
  void check() const;
};

""",
    ),
    (
        "src/rotary/scaling.h",
        "\n}  // namespace posenc\n",
        """template <class Math>
auto scaled(const ToyRule& rule, const RuleInput<Math>&) {
  using Real = typename Math::Real;
  return [s = Real(rule.factor)](int64_t, const Real& period) { return Real(1 / period / (s * s)); };
}
""",
    ),
]
# Where the docs say who uses a scheme.
PAGES = {"toy": "docs/absolute.md", "toy-bias": "docs/relative.md", "toy-term": "docs/relative.md", "toy-nodes": "docs/graph.md"}
# A test that takes every term.
OF_ALL = "tests/content/verbs_test.cc"
# What the tool answers, by a part of it.
ASKED = {
    "list": ["toy ", "toy-bias ", "toy-term "],
    "list toy-nodes": ["the number of a node", "--dim N"],
    "list rope": ["toy-rule"],
    "table toy --preset tiny --positions 0": ["1.000000   1.000000"],
    "table toy-bias --heads 1 --queries 2 --keys 0:3": ["-2.000000  -1.000000"],
    "frequencies rope --dim 2 --scaling toy-rule --scaling.factor 2": ["0.25"],
    "graph path:2 --scheme toy-nodes": ["2.000000   4.000000"],
    "show toy-bias": ["toy-bias"],
    "check toy": ["unique-rows"],
}
PYTHON = """
import numpy, posenc, posenc.graph
assert abs(posenc.Toy(dim=3).table(2) - numpy.cos([[0], [1]] * 0.5 ** numpy.arange(3))).max() < 1e-6
assert posenc.ToyBias(heads=1).bias(1, 3).tolist() == [[[0, -1, -2]]]
assert posenc.ToyTerm(dim=2).name == "toy-term"
assert posenc.Rope(dim=2, layout="half", scaling=posenc.ToyRule(factor=2)).inv_freq.tolist() == [0.25]
assert posenc.graph.toy_nodes([[0, 1]], dtype="int64").tolist() == [[1, 2], [2, 4]]
"""


def add_toys(root, tree):
    """Writes the toys into tree, with the files that name them as root has them otherwise."""
    shutil.copytree(HERE / "toys", tree, dirs_exist_ok=True)
    texts = {name: (root / name).read_text() for name in [*(n[0] for n in NAMES), *(p[0] for p in PARTS)]}
    for name, line, part in PARTS:
        before, found, after = texts[name].partition(line)
        texts[name] = before + part + found + after
        assert found, f"expected {line!r} in {name}"
    for name, variant, struct, header in NAMES:
        text, lists = re.subn(rf"(using {variant} =\s+std::variant<[^>]*)>;", rf"\1, {struct}>;", texts[name])
        assert lists == 1, f"expected one list {variant} in {name}, got {lists}"
        include = f'#include "{header}"\n' if header else ""
        texts[name] = text.replace('#include "posenc/', f'{include}#include "posenc/', 1)
    for name, text in texts.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)


def output(*command, **how):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    if done.returncode:
        sys.exit(f"expected success from {' '.join(map(str, command))}, got:\n{done.stdout[-6000:]}")
    return done.stdout


def check_lists(root, compiler):
    """What holds the lists, and the toys with their tests, are correct C++."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        add_toys(root, tree)
        holders = ["src/scheme.cc", "src/content/plan.cc", "src/graph/fill.cc", "src/rotary/frequencies.cc"]
        sources = [*tree.rglob("toy*.cc"), *(root / name for name in [*holders, OF_ALL])]
        (tree / "toys.cc").write_text("".join(f'#include "{source}"\n' for source in sources))
        paths = [f"-I{base / part}" for base in (tree, root) for part in ("include", "src", "")]
        output(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *paths, tree / "toys.cc")
    print(f"{len(NAMES)} schemes added: the lists and {len(sources)} files are correct C++")


def check_docs(root, tests):
    """Its test says that ./run update writes the page of schemes, and is content then."""
    for scheme, page in PAGES.items():
        with (root / page).open("a") as text:
            text.write(f"\n| `{scheme}` | a toy | nobody |\n")
    failed = subprocess.run([tests / "docs_test", "schemes"], stdout=subprocess.PIPE, text=True)
    if not failed.returncode or "./run update" not in failed.stdout:
        sys.exit(f"expected a failure that names ./run update, got:\n{failed.stdout[-3000:]}")
    output(root / "run", "update", cwd=root)
    output(tests / "docs_test", "schemes")
    output(sys.executable, root / "packaging/rope_header.py", "--check")


def check_whole(root, build):
    add_toys(root, root)
    tests = sorted((HERE / "toys/tests/toys").glob("*_test.cc"))
    steps = output("cmake", "--build", build, "--target", "posenc_cli", "docs_test", "toys_test").splitlines()
    compiled = [line for line in steps if re.search(r"Building CXX object CMakeFiles/posenc(_model)?[.]dir/", line)]
    print(f"{len(NAMES)} schemes at once: {len(compiled)} objects of the library were compiled again")
    for test in tests:
        passed = output(build / "tests/toys_test", test.name[: -len("_test.cc")])
        assert "[  PASSED  ] 1 test" in passed, passed
    for words, answers in ASKED.items():
        printed = output(build / "tool/cli/posenc", *words.split())
        for answer in answers:
            if answer not in printed:
                sys.exit(f"expected {answer!r} from posenc {words}, got:\n{printed}")
    check_docs(root, build / "tests")
    output(root / "run", "python", "-c", PYTHON, cwd=root)
    stubs = (root / "python/posenc/_classes.pyi").read_text() + (root / "python/posenc/_graph_verbs.pyi").read_text()
    for word in ("class Toy(Absolute)", "class ToyBias(Bias)", "class ToyTerm(Content)", "class ToyRule(Choice)", "def toy_nodes("):
        assert word in stubs, f"expected {word} in the stubs"
    print("their tests pass; the tool, the docs and Python know them")


def in_overlay(root, build):
    """Runs this script again where root may be changed without a trace."""
    if not build.is_relative_to(root):
        print(f"skipped: expected a build folder within {root}, got {build}")
        return SKIPPED
    alone = ["unshare", "--map-root-user", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"]).returncode:
        print("skipped: expected a system whose users may have mounts of their own")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        upper, work = pathlib.Path(folder, "upper"), pathlib.Path(folder, "work")
        upper.mkdir(), work.mkdir()
        mount = ["mount", "-t", "overlay", "overlay", "-o", f"userxattr,lowerdir={root},upperdir={upper},workdir={work}", root]
        script = 'mount=("${@:1:7}"); "${mount[@]}" || exit 77; cd "$7" && exec "${@:8}"'
        again = [sys.executable, __file__, root, build, "-", "--inside"]
        done = subprocess.run([*alone, "bash", "-c", script, "-", *mount, *again])
    if done.returncode == SKIPPED:
        print("skipped: expected a system that lets its users mount an overlay")
    return done.returncode


def main():
    root, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if "--inside" in sys.argv:
        check_whole(root, build)
    elif "--whole" in sys.argv:
        sys.exit(in_overlay(root, build))
    else:
        check_lists(root, sys.argv[3])


if __name__ == "__main__":
    main()
