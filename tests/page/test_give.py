"""What one takes along: files, links and code."""
import csv
import io
import pathlib
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

    def test_command_lines_run(self):
        for address in ["#/encodings?scheme=rope&kind=wavelengths&preset=llama3.1", "#/encodings?scheme=t5&kind=buckets",
                        "#/encodings?scheme=alibi&kind=square", "#/encodings?scheme=sinusoidal&kind=waves&--dim=64",
                        "#/encodings?scheme=grid-sinusoidal&kind=patches"]:
            page = self.show(address)
            page.click(".code summary")
            with tempfile.TemporaryDirectory() as folder:
                lines = page.text("[data-code=shell]").splitlines()
                self.assertGreater(len(lines), 0)
                for line in lines:
                    done = subprocess.run(["bash", "-c", line.replace("posenc", given.tool, 1)], cwd=folder, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, line + done.stderr)

    def test_cpp_compiles(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler")
        body = ""
        self.show("#/console")
        for address in ["encodings?scheme=rope", "encodings?scheme=alibi", "encodings?scheme=sinusoidal", "encodings?scheme=t5",
                        *(f"positions?kind={kind}" for kind in ("range", "cache", "padding", "packed", "shard", "grid", "segments"))]:
            code = self.go("#/" + address).text("[data-code=cpp]")
            self.assertIn("#include <posenc/posenc.h>", code)
            body += "{" + code.replace("#include <posenc/posenc.h>", "") + "}\n"
        names = "posenc::Tensor q, k, x, scores; std::vector<posenc::Tensor> weights;"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "code.cc"
            file.write_text(f"#include <posenc/posenc.h>\n#include <vector>\nvoid used() {{ {names}\n{body}}}\n")
            done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include"), str(file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
