"""What one takes along: files, links and code."""
import ast
import csv
import io
import pathlib
import re
import shutil
import subprocess
import tempfile

from page import ROOT, PageTest, given, table


class GiveTest(PageTest):
    def test_files(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=8&positions=0:5")
        for name in ("PNG", "SVG", "CSV"):
            self.press(name)
        lines = list(csv.reader(io.StringIO(self.downloaded("posenc.csv").decode())))
        for got, wanted in zip(lines[1:], table("sinusoidal", "--dim", "8", "--positions", "0:5"), strict=True):
            self.assertEqual([float(v) for v in got], wanted)
        self.assertEqual(self.downloaded("posenc.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn(b"<image", self.downloaded("posenc.svg"))

    def test_the_link_is_copied(self):
        """By the browser's clipboard, and by a selection where a page has none, as from plain http or when it is refused."""
        page = self.show("#/encodings?scheme=alibi")
        page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.script("self.read = navigator.clipboard.readText.bind(navigator.clipboard)")
        refused = "Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: () => Promise.reject(Error('no'))}})"
        for before in ("", "Object.defineProperty(navigator, 'clipboard', {configurable: true, value: undefined})", refused):
            page.script(f"{before}; document.querySelector('.give button').textContent = 'Copy link'")
            self.go(f"#/encodings?scheme=alibi&--heads={len(before) + 1}")
            self.press("Copy link")
            self.assertEqual(page.wait("document.querySelector('.give button').textContent !== 'Copy link' && document.querySelector('.give button').textContent"), "copied")
            self.assertEqual(page.script("read()"), page.script("location.href"))

    def test_a_browser_that_copies_nothing_is_told_of(self):
        page = self.show("#/encodings?scheme=alibi")
        page.script("Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false")
        self.press("Copy link")
        self.assertEqual(page.wait("document.querySelector('.give button').textContent !== 'Copy link' && document.querySelector('.give button').textContent"),
                         "The browser does not allow copying")

    def test_command_lines_run(self):
        self.show("#/console")
        for address in ["#/encodings?scheme=rope&kind=wavelengths&preset=llama3.1", "#/encodings?scheme=t5&kind=buckets",
                        "#/encodings?scheme=alibi&kind=square", "#/encodings?scheme=sinusoidal&kind=waves&--dim=64",
                        "#/encodings?scheme=rope&kind=rules&--layout=half&--dim=32", "#/encodings?scheme=grid-sinusoidal&kind=patches",
                        "#/encodings?scheme=laplacian&graph=cycle:9&--dim=4", "#/encodings?scheme=random-walk&kind=nodes"]:
            self.go(address)
            self.assert_runs(self.code()["shell"])

    def test_command_lines_of_the_course_run(self):
        """So every figure and every table can be printed."""
        self.show("#/console")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "config.json").write_text('{"model_type": "llama", "head_dim": 64}')
            for step in range(1, 14):
                self.go(f"#/course?step={step}")
                for code in self.all_code():
                    if "posenc::convolve(" not in code["cpp"]:
                        self.assert_runs(code["shell"], folder)

    def assert_runs(self, lines, folder=None):
        with tempfile.TemporaryDirectory() as other:
            self.assertGreater(len(lines.splitlines()), 0)
            for line in lines.splitlines():
                done = subprocess.run(["bash", "-c", line.replace("posenc", given.tool, 1)], cwd=folder or other, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, line + done.stderr)

    def views(self):
        """Every view that gives code away: addresses."""
        out = [*(f"encodings?scheme={scheme}" for scheme in ("alibi", "t5", "learned", "shaw", "forgetting", "convolution", "laplacian")),
               "encodings?scheme=convolution&preset=cpvt&kind=ends", "encodings?scheme=degrees&preset=graphormer&kind=nodes",
               *(f"encodings?scheme=sinusoidal&kind={kind}&--dim=64" for kind in ("heatmap", "waves", "similarity", "wavelengths")),
               *(f"encodings?scheme=rope&kind={kind}&--layout=half&--dim=64" for kind in ("circles", "heatmap", "wavelengths", "rules", "decay")),
               "encodings?scheme=alibi&kind=square", *(f"positions?kind={kind}" for kind in ("range", "offsets", "cache", "padding", "packed", "shard", "grid", "segments")),
               *(f"course?step={step}" for step in range(1, 14)), "models?sample=Qwen2-VL+7B",
               *(f"mistakes?scheme={scheme}&on={on}" for scheme, on in
                 (("rope", "m_base"), ("rope", "m_bf16"), ("sinusoidal", "m_swapped"), ("learned", "m_first"), ("alibi", "m_slopes")))]
        self.show("#/console")
        for address in out:
            page = self.go("#/" + address)
            if address.startswith("models"):
                page.wait("document.querySelectorAll('.strip').length === 2")
            yield address, self.all_code()

    def test_every_picture_of_every_view_gives_code_that_is_right(self):
        bodies, includes, pythons = "", set(), []
        for address, found in self.views():
            self.assertGreater(len(found), 0, address)
            for code in found:
                if set(code) == {"shell"}:  # what a model costs is measured, not computed
                    self.assertIn("posenc.lab", code["shell"])
                    continue
                unshown = re.search("posenc::(convolve|ContentPlan)", code["cpp"])  # verbs of the library alone
                self.assertEqual(sorted(code), ["cpp", "python"] if unshown else ["cpp", "python", "shell"], address)
                pythons.append((address, code["python"]))
                lines = code["cpp"].splitlines()
                includes |= {line for line in lines if line.startswith("#include")}
                bodies += "{\n" + "\n".join(line for line in lines if not line.startswith("#include")) + "\n}\n"
        self.assert_python(pythons)
        self.assert_compiles(includes, bodies)

    def assert_compiles(self, includes, bodies):
        if not shutil.which("c++"):
            self.skipTest("no compiler")
        names = "posenc::Tensor q, k, x, gates, scores; std::vector<posenc::Tensor> weights;"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "code.cc"
            file.write_text("\n".join(sorted(includes)) + f"\nvoid used() {{ {names}\n{bodies}}}\n")
            done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include"), str(file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def assert_python(self, pythons):
        """Each is Python, and every name of the package that it reads is there."""
        package = ROOT / "python/posenc"
        there = set(re.findall(r"\w+", "".join(f.read_text(encoding="utf-8") for f in [*package.glob("*.py"), *package.glob("*.pyi")])))
        for address, code in pythons:
            names = [node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute) and dotted(node).startswith("posenc.")]
            self.assertGreater(len(names), 0, address)
            self.assertLessEqual(set(names), there, (address, code))


def dotted(node):
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else getattr(node, "id", "")
