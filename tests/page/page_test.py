"""Opens the page in Chromium, clicks, types and drags, and compares what it tells with the numbers of the tool.

    page_test.py SITE TOOL SCREENSHOTS [unittest arguments]

SITE: the folder that web/build.sh wrote, or an address; TOOL: posenc, as built for this machine; SCREENSHOTS: a folder for
pictures of every view in both themes and three widths.
"""
import csv
import gzip
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

SITE, TOOL, SHOTS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
ADDRESS = SITE if SITE.startswith("http") else (pathlib.Path(SITE).resolve() / "index.html").as_uri()
ROOT = pathlib.Path(__file__).resolve().parents[2]
READY = "document.querySelector('#main > :not(#loading)') !== null"
VIEWS = ["encodings", "positions", "models", "course", "mistakes", "console"]


def tool(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, cwd=tempfile.gettempdir())
    if done.returncode != 0:
        raise RuntimeError(f"posenc {' '.join(words)}: {done.stderr}")
    return done.stdout


def table(*words):
    """The rows of posenc table, as lists of numbers; the first is the position."""
    lines = list(csv.reader(io.StringIO(tool("table", *words, "--format", "csv"))))
    return [[float(v) for v in line] for line in lines[1:]]


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.problems.clear()

    def tearDown(self):
        self.assertEqual(self.browser.problems, [], "the console must be silent")

    def show(self, address, ready=READY):
        self.browser.open("about:blank")
        self.browser.open(ADDRESS + address)
        self.browser.wait(ready)
        return self.browser

    # ---- the folder ----
    def test_size(self):
        if SITE.startswith("http"):
            self.skipTest("an address has no folder")
        sizes = {p.name: len(gzip.compress(p.read_bytes(), 9)) for p in pathlib.Path(SITE).iterdir()}
        self.assertLess(sum(sizes.values()), 1.5e6, sizes)

    def test_first_paint_does_not_wait_for_the_library(self):
        page = self.show("#/encodings")
        painted = page.wait("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        ready = page.wait("performance.getEntriesByName('ready')[0]?.startTime")
        print(f"first paint after {painted:.0f} ms, ready after {ready:.0f} ms")
        self.assertLess(painted, ready)

    def test_languages_have_the_same_texts(self):
        text = (ROOT / "web/i18n.js").read_text(encoding="utf-8")
        english, chinese = re.search(r"  en: \{(.*?)\n  \},\n  zh: \{(.*?)\n  \},", text, re.S).groups()

        def names(part):
            bare = re.sub(r'"(?:[^"\\]|\\.)*"|`[^`]*`|//.*', '""', part)
            return re.findall(r"(?:^|,|\n)\s*(\w+):", bare)
        self.assertEqual(names(english), names(chinese))
        self.assertGreater(len(names(english)), 100)

    # ---- encodings ----
    def cell(self, row, column, rows, columns):
        x, y, w, h = self.browser.box(".picture canvas")
        self.browser.hover(x + (column + 0.5) * w / columns, y + (row + 0.5) * h / rows)
        return self.browser.wait("document.querySelector('.picture .readout').textContent")

    def test_heat_map_tells_the_numbers_of_the_tool(self):
        self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=64&positions=0:64")
        rows = table("sinusoidal", "--dim", "64", "--positions", "0:64")
        for row, column in [(3, 0), (40, 17), (63, 63)]:
            told = self.cell(row, column, 64, 64)
            self.assertIn(f"position {row}, column {column}:", told)
            self.assertAlmostEqual(number(told.split(": ")[1]), rows[row][1 + column], delta=1e-5)

    def test_heat_map_has_the_colour_of_its_numbers(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=64&positions=0:64")
        rows = table("sinusoidal", "--dim", "64", "--positions", "0:64")
        pixels = page.script("""(() => { const c = document.querySelector('.picture canvas');
          return [...c.getContext('2d').getImageData(0, 0, 64, 64).data]; })()""")
        styles = page.script("['--low', '--middle', '--high'].map((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim())")
        low, middle, high = ([int(s[i:i + 2], 16) for i in (1, 3, 5)] for s in styles)
        for row in range(0, 64, 7):
            for column in range(0, 64, 5):
                value = rows[row][1 + column]
                end, share = (high, value) if value >= 0 else (low, -value)
                wanted = [m + (e - m) * share for m, e in zip(middle, end)]
                got = pixels[4 * (64 * row + column):][:3]
                self.assertLess(max(abs(a - b) for a, b in zip(wanted, got)), 2.5, (row, column))

    def test_arrow_keys_walk_over_the_picture(self):
        page = self.show("#/encodings?scheme=alibi&kind=square&--heads=4&tokens=0:16&head=1")
        page.script("document.querySelector('.picture .stage').focus()")
        for key in ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"]:
            page.key(key)
        told = page.text(".picture .readout")
        self.assertIn("query 1, key 2:", told)
        head_1 = [row for row in table("alibi", "--heads", "4", "--queries", "0:16", "--keys", "0:16") if row[0] == 1]
        self.assertAlmostEqual(number(told.split("bias ")[1]), head_1[1][2 + 2], delta=1e-6)

    def test_every_scheme_and_every_picture_of_it(self):
        for scheme in json.loads(tool("list", "--json")):
            with self.subTest(scheme=scheme["name"]):
                page = self.show(f"#/encodings?scheme={scheme['name']}")
                self.assertIn(scheme["about"], page.text(".about"))
                kinds = page.script("document.querySelectorAll('.kinds button').length")
                self.assertEqual(kinds > 0, scheme["family"] in ("absolute", "rotary", "relative"))
                for i in range(kinds):
                    page.click(f".kinds button:nth-child({i + 1})")
                    self.assertEqual(page.text("[role=alert]"), "", page.script("location.hash"))
                    self.assertGreater(page.script("document.querySelectorAll('.picture svg, .picture canvas').length"), 0)

    def test_every_option_has_a_control(self):
        page = self.show("#/encodings?scheme=rope&--layout=half")
        labels = page.script("[...document.querySelectorAll('.controls label')].map((l) => l.textContent)")
        for field in json.loads(tool("list", "rope", "--layout", "half", "--json"))[0]["fields"]:
            need = field.get("only_with")
            values = {f["name"]: f["default"] for f in json.loads(tool("list", "rope", "--layout", "half", "--json"))[0]["fields"]}
            if not need or values.get(need["option"]) == need["choice"]:
                self.assertIn(field["name"], labels)

    def option(self, name):
        """A selector of the control of that name."""
        return "#" + self.browser.script(
            f"[...document.querySelectorAll('.controls label')].find((l) => l.textContent === {json.dumps(name)}).htmlFor")

    def test_an_address_restores_what_was_typed_and_chosen(self):
        page = self.show("#/encodings?scheme=rope")
        page.click(".kinds button:nth-child(2)")
        page.type(self.option("dim"), "32")
        page.type(self.option("Positions"), "0:50")
        page.click(self.option("scaling"))
        page.key("Escape")
        page.script(f"""(s => {{ s.value = 'linear'; s.dispatchEvent(new Event('change')); }})(document.querySelector('{self.option("scaling")}'))""")
        page.type(self.option("scaling.factor"), "4")
        address = page.wait("location.hash.includes('scaling.factor') && location.hash")
        title = page.script("document.querySelector('.picture svg').getAttribute('aria-label')")
        for part in ["dim", "32", "linear", "positions=0%3A50", "kind=heatmap"]:
            self.assertIn(part, address)
        again = self.show(address)
        self.assertEqual(again.script("document.querySelector('.picture svg').getAttribute('aria-label')"), title)
        self.assertEqual(again.script("location.hash"), address)
        rows = table("rope", "--layout", "half", "--dim", "32", "--scaling", "linear", "--scaling.factor", "4", "--positions", "0:50")
        self.assertAlmostEqual(number(self.cell(20, 3, 50, 32).split(": ")[1]), rows[20][1 + 3], delta=1e-5)

    def test_a_wrong_option_is_told_in_the_words_of_the_tool(self):
        page = self.show("#/encodings?scheme=sinusoidal&--dim=0")
        refused = subprocess.run([TOOL, "table", "sinusoidal", "--dim", "0"], capture_output=True, text=True).stderr
        self.assertIn(page.text(".picture .error").strip(), refused)
        self.assertNotEqual(page.text(".picture .error"), "")

    def test_circles_turn_as_the_table_says(self):
        page = self.show("#/encodings?scheme=rope&kind=circles&--layout=half&--dim=16&q=9&k=2")
        rows = table("rope", "--layout", "half", "--dim", "16", "--positions", "9,2")
        score = sum(a * b for a, b in zip(rows[0][1:], rows[1][1:])) / 8
        self.assertAlmostEqual(number(page.text(".told").split("score ")[1]), score, delta=1e-5)
        hands = page.script("[...document.querySelectorAll('.hand.q')].map((h) => h.getAttribute('d'))")
        for pair in (0, 3, 7):
            x0, y0, x1, y1 = map(float, re.findall(r"[-\d.]+", hands[pair]))
            self.assertAlmostEqual((x1 - x0) / 36.8, rows[0][1 + pair], delta=2e-3)
            self.assertAlmostEqual((y0 - y1) / 36.8, rows[0][9 + pair], delta=2e-3)

    def test_length_rules_and_wavelengths(self):
        page = self.show("#/encodings?scheme=rope&kind=rules&--layout=half&--dim=64&compare=yarn+factor%3D4")
        told = json.loads(tool("frequencies", "rope", "--layout", "half", "--dim", "64", "--scaling", "yarn", "--scaling.factor", "4", "--json"))
        page.script("document.querySelector('.picture .stage').focus()")
        for _ in range(16):
            page.key("ArrowRight")
        self.assertAlmostEqual(number(page.text(".readout").split()[-1]), told["frequencies"][15]["effect"], delta=1e-5)
        page = self.show("#/encodings?scheme=rope&kind=wavelengths&--layout=half&--dim=64&length=4096")
        late = sum(f["wavelength"] > 4096 for f in json.loads(tool("frequencies", "rope", "--layout", "half", "--dim", "64", "--json"))["frequencies"])
        self.assertIn(f"{late} pairs never complete a turn in 4096 tokens", page.text(".told"))

    def test_buckets(self):
        page = self.show("#/encodings?scheme=t5&kind=buckets&positions=0:10")
        page.script("document.querySelector('.picture .stage').focus()")
        told = []
        for _ in range(10):
            page.key("ArrowRight")
            told.append(number(page.text(".readout").split()[-1]))
        self.assertEqual(told, [0, 17, 18, 19, 20, 21, 22, 23, 24, 24])  # keys behind the query have the upper half

    # ---- what one takes along ----
    def downloaded(self, name):
        path = pathlib.Path(self.browser.downloads) / name
        self.browser.wait_for(lambda: path.exists() and path.stat().st_size > 0, f"the file {name}")
        return path.read_bytes()

    def test_files(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=8&positions=0:5")
        for name in ("PNG", "SVG", "CSV"):
            page.script(f"[...document.querySelectorAll('.give button')].find((b) => b.textContent === '{name}').id = 'give-{name}'")
            page.click(f"#give-{name}")
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
                for line in page.text("[data-code=shell]").splitlines():
                    done = subprocess.run(["bash", "-c", line.replace("posenc", TOOL, 1)], cwd=folder, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, line + done.stderr)

    # ---- models ----
    def drop(self, page, *files):
        node = page.call("DOM.querySelector", nodeId=page.call("DOM.getDocument")["root"]["nodeId"], selector="#files")
        page.call("DOM.setFileInputFiles", files=[str(f) for f in files], nodeId=node["nodeId"])

    def test_a_config_is_explained(self):
        config = {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000,
                  "max_position_embeddings": 32768, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            page = self.show("#/models")
            self.drop(page, file)
            page.wait("document.querySelectorAll('.note').length > 0")
            told = json.loads(tool("explain", str(file), "--json"))
            text = page.text("main")
            for note in told["notes"]:
                self.assertIn(note["text"], text)
            self.assertIn("rope_delta", page.wait("document.querySelector('.strip') && document.querySelector('main').textContent"))
            self.assertLess(float(page.script("document.querySelector('[data-error]').dataset.error")), 1e-5)

    def test_two_configs_are_compared(self):
        llama = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, "max_position_embeddings": 8192}
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file, base in zip(files, (500000, 10000)):
                file.write_text(json.dumps({**llama, "rope_theta": base}))
            page = self.show("#/models")
            self.drop(page, *files)
            self.assertIn("base: 500000 and 10000", page.wait("document.querySelector('#main pre:last-of-type')?.textContent"))

    def test_a_table_is_identified(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "pe.npy"
            tool("table", "sinusoidal", "--base", "1000", "--dim", "64", "--positions", "0:128", "--out", str(file))
            page = self.show("#/models")
            self.drop(page, file)
            told = json.loads(tool("identify", str(file), "--json"))
            self.assertIn(told["sentence"], page.wait("document.querySelector('h3 + p')?.textContent"))

    def test_of_a_large_file_the_header_is_read(self):
        header = json.dumps({"transformer.wpe.weight": {"dtype": "F32", "shape": [1024, 768], "data_offsets": [0, 3145728]},
                             "transformer.h.0.attn.c_attn.weight": {"dtype": "F32", "shape": [768, 2304], "data_offsets": [3145728, 3145728 + 7077888]},
                             "transformer.wte.weight": {"dtype": "F32", "shape": [50257, 768], "data_offsets": [10223616, 10223616 + 154389504]}}).encode()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.safetensors"
            with open(file, "wb") as out:
                out.write(struct.pack("<Q", len(header)) + header)
                out.truncate(8 + len(header) + 10223616 + 154389504)
            wanted = subprocess.run([TOOL, "explain", str(file)], capture_output=True, text=True)
            page = self.show("#/models")
            self.drop(page, file)
            told = page.wait("document.querySelector('#main h2 ~ *')?.textContent && document.querySelector('main').textContent")
            if wanted.returncode == 0:
                self.assertIn("learned", told)
            else:
                self.assertIn(wanted.stderr.split(": ", 2)[-1].strip(), told)

    # ---- the course ----
    def test_every_step_of_the_course_is_drawn(self):
        seen = set()
        for step in range(1, 14):
            page = self.show(f"#/course?step={step}")
            for name, size in page.script("[...document.querySelectorAll('[data-drawn]')].map((b) => [b.dataset.drawn, b.querySelectorAll('svg, canvas, td').length])"):
                self.assertGreater(size, 0, name)
                seen.add(name)
        self.assertLessEqual({f"f{i}" for i in range(1, 11)} | {f"t{i}" for i in range(1, 13)}, seen)

    def rows(self, name):
        return self.browser.script(f"[...document.querySelectorAll('#{name} tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")

    def test_numbers_of_the_course(self):
        self.show("#/course?step=1")
        for row in self.rows("t2"):  # without positions the order of words is lost
            self.assertLess(number(row[1]), 1e-15)
            self.assertGreater(number(row[2]), 0.01)
        self.show("#/course?step=2")
        for row, wanted in zip(self.rows("t3"), table("sinusoidal", "--dim", "4", "--positions", "0:4"), strict=True):
            for got, value in zip(row, wanted, strict=True):
                self.assertAlmostEqual(number(got), value, delta=1e-5)
        waves = {f["frequency"]: f["wavelength"] for f in json.loads(tool("frequencies", "sinusoidal", "--dim", "64", "--json"))["frequencies"]}
        for row in self.rows("t4"):
            self.assertTrue(any(abs(number(row[1]) / f - 1) < 1e-5 and abs(number(row[2]) / w - 1) < 1e-5 for f, w in waves.items()), row)
        self.show("#/course?step=4")
        matrix = json.loads(tool("shift", "sinusoidal", "--dim", "4", "--k", "3", "--json"))["matrix"]
        for row, wanted in zip(self.rows("t6"), matrix, strict=True):
            for got, value in zip(row[1:], wanted, strict=True):
                self.assertAlmostEqual(number(got), value, delta=1e-4)
        self.show("#/course?step=3")
        claims = {p["claim"]: p["evidence"] for p in json.loads(tool("check", "sinusoidal", "--dim", "64", "--json"))["properties"]}
        for row in self.rows("t1") + self.rows("t7"):
            self.assertEqual(claims[row[0]], row[2])

    def test_the_course_goes_on(self):
        page = self.show("#/course")
        page.click(".steps a:last-child")
        page.wait("location.hash.includes('step=2') && document.querySelector('#f3 svg') !== null")

    # ---- the others ----
    def test_mistakes_change_what_is_drawn(self):
        names = self.show("#/mistakes").script("[...document.querySelectorAll('select option')].map((o) => o.value)")
        for name in names:
            page = self.show(f"#/mistakes?mistake={name}")
            drawn = page.script("""['right', 'wrong'].map((side) => { const box = document.querySelector(`[data-side=${side}]`);
              return (box.querySelector('canvas')?.toDataURL() ?? '') + [...box.querySelectorAll('.curve')].map((c) => c.getAttribute('d')); })""")
            self.assertNotEqual(drawn[0], drawn[1], name)
        page = self.show("#/mistakes?mistake=m_base")
        self.assertIn("is 1000, not 10000", page.text("[data-identified]"))

    def test_positions(self):
        page = self.show("#/positions?kind=packed&words=--lengths+3,2,4")
        cells = page.script("[...document.querySelectorAll('.strip tr:last-child td')].map((c) => Number(c.textContent))")
        self.assertEqual(cells, json.loads(tool("positions", "packed", "--lengths", "3,2,4", "--json"))["positions"][0][0])

    def test_the_command_line(self):
        page = self.show("#/console")
        page.type("#command", "posenc table rope --layout half --dim 8 --positions 0:3")
        self.assertEqual(page.text(".terminal").strip(), tool("table", "rope", "--layout", "half", "--dim", "8", "--positions", "0:3").strip())
        page.type("#command", "posenc table sinusoidl")
        self.assertIn("did you mean 'sinusoidal'?", page.text(".terminal .error"))

    def test_chinese(self):
        page = self.show("#/encodings")
        page.click("#language")
        self.assertEqual(page.script("document.documentElement.lang"), "zh-Hans")
        self.assertIn("编码", page.text("nav"))
        self.assertIn("热图", page.text(".kinds"))
        page.click("#language")
        self.assertIn("Heat map", page.text(".kinds"))

    def test_every_control_has_a_name_and_the_keyboard_reaches_it(self):
        for view in VIEWS:
            page = self.show(f"#/{view}")
            nameless = page.script("""[...document.querySelectorAll('#main input, #main select, #main textarea, #main button')].filter((c) =>
              !c.labels?.length && !c.ariaLabel && !c.textContent.trim()).map((c) => c.outerHTML)""")
            self.assertEqual(nameless, [], view)
        page = self.show("#/encodings")
        page.key("Tab")
        self.assertEqual(page.script("document.activeElement.id"), "skip")
        reached = set()
        for _ in range(60):
            page.key("Tab")
            reached.add(page.script("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
        self.assertLessEqual({"language", "scheme", "stage"}, reached)

    def test_looks(self):
        SHOTS.mkdir(parents=True, exist_ok=True)
        views = {"encodings": "#/encodings", "rope": "#/encodings?scheme=rope", "rules": "#/encodings?scheme=rope&kind=rules",
                 "positions": "#/positions", "models": "#/models?sample=Llama+3.1+8B", "course": "#/course?step=4",
                 "mistakes": "#/mistakes", "console": "#/console"}
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            for width in (390, 768, 1280):
                self.browser.size(width, 900)
                for name, address in views.items():
                    page = self.show(address, "document.querySelectorAll('#main svg').length > 2" if name == "models" else READY)
                    page.screenshot(SHOTS / f"{name}-{width}-{theme}.png")
                    self.assertLessEqual(page.script("document.scrollingElement.scrollWidth"), width, f"{name} at {width}")
        self.browser.theme("light")

    def test_dragging(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=512&positions=0:512")
        page.script("""[...document.querySelectorAll('.controls label')].find((l) => l.textContent === 'base').parentElement
          .querySelector('[type=range]').id = 'drag'""")
        before = page.script("document.querySelector('.picture canvas').toDataURL()")
        x, y, w, h = page.box("#drag")
        page.mouse("mousePressed", x + w / 2, y + h / 2)
        times = []
        for i in range(1, 21):
            start = page.script("performance.now()")
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + w / 2 + i, y=y + h / 2, button="left", buttons=1)
            times.append(page.script("performance.now()") - start)
        page.mouse("mouseReleased", x + w / 2 + 20, y + h / 2)
        print(f"a frame of 512 x 512 while dragging: {sorted(times)[10]:.1f} ms")
        self.assertNotEqual(page.script("document.querySelector('.picture canvas').toDataURL()"), before)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
