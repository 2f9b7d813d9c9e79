"""The course: every figure and table is drawn, with the numbers of the tool."""
import csv
import io
import json
import math
import re
import shlex

from page import ROOT, PageTest, number, table, tool, tool_json


class CourseTest(PageTest):
    def test_every_step_of_the_course_is_drawn(self):
        seen = set()
        self.show("#/console")
        for step in range(1, 14):
            page = self.go(f"#/course?step={step}")
            for name, size in page.script("[...document.querySelectorAll('[data-drawn]')].map((b) => [b.dataset.drawn, b.querySelectorAll('svg, canvas, td').length])"):
                self.assertGreater(size, 0, name)
                seen.add(name)
        self.assertLessEqual({"fnetwork", "fconvolution"}, seen)
        self.assertLessEqual({f"f{i}" for i in range(1, 11)} | {f"t{i}" for i in range(1, 13)}, seen)

    def rows(self, name):
        return self.browser.script(f"[...document.querySelectorAll('#{name} tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")

    def test_numbers_of_the_course(self):
        page = self.show("#/course?step=2")
        for row, wanted in zip(self.rows("t3"), table("sinusoidal", "--dim", "4", "--positions", "0:4"), strict=True):
            for got, value in zip(row, wanted, strict=True):
                self.assertAlmostEqual(number(got), value, delta=1e-5)
        waves = {f["frequency"]: f["wavelength"] for f in tool_json("frequencies", "sinusoidal", "--dim", "64")["frequencies"]}
        for row in self.rows("twaves"):
            self.assertTrue(any(abs(number(row[1]) / f - 1) < 1e-5 and abs(number(row[2]) / w - 1) < 1e-5 for f, w in waves.items()), row)
        parameters = [row[2] for row in self.rows("t4")]
        self.assertEqual(parameters[1:4], ["64", "0 … 31", "10000"])
        for told, wanted in zip(parameters[4:], ((max(waves), min(waves)), (waves[max(waves)], waves[min(waves)])), strict=True):
            for got, value in zip(told.split(" … "), wanted, strict=True):
                self.assertAlmostEqual(number(got) / value, 1, delta=1e-5)
        self.show("#/course?step=4")
        matrix = tool_json("shift", "sinusoidal", "--dim", "4", "--k", "3")["matrix"]
        for row, wanted in zip(self.rows("t6"), matrix, strict=True):
            for got, value in zip(row[1:], wanted, strict=True):
                self.assertAlmostEqual(number(got), value, delta=1e-4)
        rows = {row[0]: row[1:] for row in table("sinusoidal", "--dim", "4", "--positions", "0:104")}
        products = re.findall(r"PE\((\d+)\) · PE\((\d+)\) = (−?\d+(?:\.\d+)?)", page.text("#t6 .told"))
        self.assertEqual([(int(p), int(q)) for p, q, _ in products], [(0, 3), (5, 8), (100, 103)])
        for p, q, told in products:
            self.assertAlmostEqual(number(told), sum(a * b for a, b in zip(rows[int(p)], rows[int(q)])), delta=6e-5)
        self.show("#/course?step=3")
        claims = {p["claim"]: p["evidence"] for p in tool_json("check", "sinusoidal", "--dim", "64")["properties"]}
        for row in self.rows("t1") + self.rows("t7"):
            self.assertEqual(claims[row[0]], row[2])

    def test_the_course_goes_on(self):
        page = self.show("#/course")
        page.click(".steps a:last-child")
        page.wait("location.hash.includes('step=2') && document.querySelector('#f3 svg') !== null")

    def test_what_was_dragged_is_in_the_link(self):
        page = self.show("#/course?step=4&k=7")
        for row, wanted in zip(self.rows("t6"), tool_json("shift", "sinusoidal", "--dim", "4", "--k", "7")["matrix"], strict=True):
            for got, value in zip(row[1:], wanted, strict=True):
                self.assertAlmostEqual(number(got), value, delta=1e-4)
        page.script("document.querySelector('#main input[type=range]').focus()")
        page.key("ArrowRight")
        page.wait("location.hash.includes('k=8')")
        self.assertIn("M_8", page.text("#t6"))

    def csv(self, figure, which=0):
        """The numbers of a figure's picture, as its CSV file has them: a list of lines."""
        page = self.browser
        page.script(f"document.querySelectorAll('#{figure} details.keep')[{which}].setAttribute('data-kept', '')")
        page.script(f"document.querySelector('#{figure} [data-kept]').open = true")
        page.wait(f"document.querySelector('#{figure} [data-kept] .give button') !== null")
        self.press("CSV", f"#{figure} [data-kept]")
        page.script(f"document.querySelector('#{figure} [data-kept]').removeAttribute('data-kept')")
        return list(csv.reader(io.StringIO(self.downloaded("posenc.csv").decode())))

    def grid(self, figure, which=0):
        """The numbers of a heat map, without its names."""
        return [[float(v) for v in line[1:]] for line in self.csv(figure, which)[1:]]

    def assert_near(self, got, wanted, delta=1e-6):
        self.assertEqual([len(row) for row in got], [len(row) for row in wanted])
        for row, line in zip(got, wanted):
            for a, b in zip(row, line):
                self.assertAlmostEqual(a, b, delta=delta)

    def plain(self, *words):
        """The rows of a table without their positions."""
        return [row[1:] for row in table(*words)]

    def test_figures_1_and_2_add_rows_and_attend(self):
        self.show("#/course?step=1")
        self.assert_order_is_lost_and_found(4)

    def test_other_words_can_be_typed(self):
        page = self.show("#/course?step=1")
        page.type(".control input", "the cat saw the dog")
        page.wait("document.querySelector('#t2').textContent.includes('dog')")
        self.assertIn("the cat saw the dog: ", page.text("#f2"))
        self.assertIn("dog cat saw the the: ", page.text("#f2"))
        self.assert_order_is_lost_and_found(5)
        page.type(".control input", "alone")  # two words at least: the pictures stay
        self.assertIn("words=the+cat+saw+the+dog", page.script("location.hash"))
        self.show("#/course?step=1&words=two+words")
        self.assert_order_is_lost_and_found(2)
        self.show("#/course?step=1&words=constructor+toString")  # names that every object of JavaScript has
        self.assert_order_is_lost_and_found(2)

    def assert_order_is_lost_and_found(self, count):
        swapped = [count - 1, *range(1, count - 1), 0]
        words, rows, both = (self.grid("f1", i) for i in range(3))
        self.assert_near(rows, self.plain("sinusoidal", "--dim", "8", "--positions", f"0:{count}"))
        self.assert_near(both, [[a + b for a, b in zip(w, r)] for w, r in zip(words, rows)])
        other = [words[i] for i in swapped]
        read = [words, both, other, [[a + b for a, b in zip(w, r)] for w, r in zip(other, rows)]]
        becomes = []  # what attention makes of each word
        for which, x in enumerate(read):
            powers = [[math.exp(sum(a * b for a, b in zip(q, k)) / math.sqrt(8)) for k in x] for q in x]
            weights = [[v / sum(row) for v in row] for row in powers]
            self.assert_near(self.grid("f2", which), weights)
            becomes.append([[sum(w * row[c] for w, row in zip(line, x)) for c in range(8)] for line in weights])
        for place, row in enumerate(self.rows("t2")):  # without positions the order of words is lost
            apart = [max(abs(a - b) for a, b in zip(becomes[one][place], becomes[two][swapped[place]])) for one, two in ((0, 2), (1, 3))]
            self.assertLess(max(apart[0], number(row[1])), 1e-14)
            self.assertAlmostEqual(number(row[2]), apart[1], delta=5e-3 * apart[1])  # three digits are told
            self.assertGreater(apart[1], 0.01)

    def test_figures_3_and_4_are_the_formula(self):
        self.show("#/course?step=2")
        rows = {row[0]: row[1:] for row in table("sinusoidal", "--dim", "64", "--positions", "0:64:0.25")}
        for name, position, value in self.csv("f3")[1:]:
            self.assertAlmostEqual(float(value), rows[float(position)][int(name.split()[-1])], delta=1e-6)
        self.assert_near(self.grid("f4"), self.plain("sinusoidal", "--dim", "64", "--positions", "0:64"))

    def test_figures_5_and_6_are_products_and_turns(self):
        self.show("#/course?step=4")
        rows = self.plain("sinusoidal", "--dim", "64", "--positions", "0:64")
        self.assert_near(self.grid("f5"), [[sum(a * b for a, b in zip(r, s)) / 32 for s in rows] for r in rows], 1e-5)
        there, here = self.plain("rope", "--layout", "half", "--dim", "16", "--positions", "8,5")
        wanted = [[there[p], there[8 + p], here[p], here[8 + p]] for p in range(8)]
        self.assert_near([[float(v) for v in line[1:]] for line in self.csv("f6")[1:]], wanted)
        self.assert_printed("f6", "pairs-turn", r'class="hand \w" d="([^"]+)"')

    def assert_printed(self, figure, image, pattern):
        """The image of a figure in docs/images is the one that the page gives away."""
        self.press("SVG", f"#{figure}")
        now, kept = self.downloaded("posenc.svg").decode(), (ROOT / f"docs/images/{image}.svg").read_text(encoding="utf-8")
        self.assertGreater(len(re.findall(pattern, now)), 8)
        self.assertEqual(re.findall(pattern, now), re.findall(pattern, kept))

    def test_figure_7_is_what_length_rules_do(self):
        self.show("#/course?step=8")
        rules = {"linear": [], "ntk": [], "yarn": [], "llama3": ["--scaling.original_max_position_embeddings", "4096"]}
        effects = {rule: [f["effect"] for f in tool_json("frequencies", "rope", "--layout", "half", "--dim", "32", "--scaling", rule,
                                                         "--scaling.factor", "4", *more)["frequencies"]] for rule, more in rules.items()}
        lines = self.csv("f7")[1:]
        self.assertEqual(len(lines), 4 * 16)
        for name, pair, value in lines:
            self.assertAlmostEqual(float(value), effects[name.split()[0]][int(pair)], delta=1e-9)
        late = sum(f["wavelength"] > 4096 for f in tool_json("frequencies", "rope", "--layout", "half", "--dim", "32")["frequencies"])
        band = self.browser.script("(b => [b.x.baseVal.value, b.width.baseVal.value])(document.querySelector('#f7 .band'))")
        frame = self.browser.script("document.querySelector('#f7 svg').width.baseVal.value") - 64
        self.assertAlmostEqual(band[1] / frame, (late - 0.5) / 15, delta=0.01)

    def test_figures_8_9_and_10_are_of_images_sound_and_both(self):
        self.show("#/course?step=10")
        ys, xs = (",".join(str(f(i)) for i in range(96)) for f in (lambda i: i // 12, lambda i: i % 12))
        rows = [row[-64:] for row in table("grid-sinusoidal", "--dim", "64", "--positions", f"{ys};{xs}")]
        here = rows[4 * 12 + 6]
        likeness = [sum(a * b for a, b in zip(here, row)) / math.hypot(*here) / math.hypot(*row) for row in rows]
        self.assert_near(self.grid("f8"), [likeness[12 * r:12 * r + 12] for r in range(8)], 1e-5)
        self.go("#/course?step=11")
        self.assert_near(self.grid("f9"), self.plain("sinusoidal", "--preset", "whisper", "--dim", "64", "--positions", "0:128"))
        self.go("#/course?step=12")
        told = tool_json("positions", "segments", "--segments", "text:3,image:1x4x6,text:4", "--model", "qwen2-vl")
        self.assertEqual([[int(v) for v in line[2:]] for line in self.csv("f10")], [axis[0] for axis in told["positions"]])
        self.assert_printed("f10", "positions-image", r">([^<>]+)</text>")

    def curves(self, figure):
        """The curves of a figure: {name: {place: value}}."""
        out = {}
        for name, place, value in self.csv(figure)[1:]:
            out.setdefault(name, {})[float(place)] = float(value)
        return out

    def test_figures_without_a_number_are_what_the_tool_computes(self):
        self.show("#/course?step=5")
        learned = json.loads(tool("table", "learned", "--rows", "64", "--dim", "64", "--positions", "0:64", "--json"))
        self.assert_near(self.grid("flearned"), learned["rows"])
        self.go("#/course?step=6")
        biases = self.curves("frelative")
        self.assertEqual(len(biases), 4)
        for distance, *heads in table("alibi", "--heads", "4", "--positions", "-64:65"):
            self.assertEqual([curve[distance] for curve in biases.values()], heads)
        square = [row[2:] for row in table("alibi", "--heads", "4", "--queries", "0:16", "--keys", "0:16") if row[0] == 0]
        self.assert_near(self.grid("frelative", 1), square)
        self.go("#/course?step=7")
        for name, curve in self.curves("frotary").items():
            rows = self.plain("rope", "--layout", "half", "--dim", "32", "--base", name.split("=")[1], "--positions", "0:1024")
            self.assertEqual(len(curve), 1024)
            for distance, row in enumerate(rows):  # of ones, the cosines are left
                self.assertAlmostEqual(curve[distance], sum(row[:16]) / 16, delta=1e-6)
        self.go("#/course?step=8")
        told = [f["wavelength"] for f in tool_json("frequencies", "rope", "--layout", "half", "--dim", "32")["frequencies"]]
        self.assertEqual(list(self.curves("fwavelengths")[""].values()), told)
        self.go("#/course?step=13")
        distances = tool_json("graph", "grid:3x4", "--scheme", "shortest-paths")
        self.assert_near(self.grid("fgraph"), distances["rows"])

    def test_tables_5_and_9_are_what_the_tool_says(self):
        self.show("#/course?step=5")
        listed = [[s["name"], s["about"], s["used_by"]] for s in tool_json("list")["schemes"] if s["family"] == "absolute"]
        self.assertEqual(self.rows("t5"), listed)
        self.go("#/course?step=9")
        found = {row[1]: [row[0], *row[2:]] for row in self.rows("t9")}
        self.assertEqual(found["Llama 3.1 8B"], ["text generation", "text: rope", "131072"])
        self.assertEqual(found["GPT-2"], ["text generation", "text: learned", "1024"])
        self.assertEqual(found["Marian"], ["translation", "encoder: sinusoidal, decoder: sinusoidal", "512"])
        self.assertEqual(found["BART base"], ["summarisation", "encoder: learned, decoder: learned", "1024"])
        self.assertEqual(found["BERT base"], ["question answering", "text: learned", "512"])
        self.assertEqual(found["T5 small"], ["translation", "encoder: t5, decoder: t5", "any"])

    def test_table_8_is_of_what_does_not_hold(self):
        self.show("#/course?step=8")
        rows = self.rows("t8")
        measured = [row for row in rows if "bits per byte" in row[2]]
        told = json.loads((ROOT / "web/data/mistakes.json").read_text(encoding="utf-8"))["lengths"]["bits"]
        self.assertEqual([[float(v) for v in re.findall(r"\d\.\d{3}", row[2])] for row in measured],
                         [[round(v, 3) for v in pair] for pair in ([told["sinusoidal"][0], told["alibi"][0]], told["sinusoidal"], told["learned"])])
        checked = [row for row in rows if row not in measured]
        self.assertLessEqual({"learned", "rope --preset llama"}, {row[0] for row in checked})
        for scheme, claim, evidence in checked:
            found = {p["claim"]: p for p in tool_json("check", *scheme.split())["properties"]}[claim]
            self.assertEqual((found["verdict"], found["evidence"]), ("fails", evidence))

    def test_tables_10_and_11_are_presets_of_the_tool(self):
        helps = {(s["name"], p["name"]): p["help"] for s in tool_json("list")["schemes"] for p in s["presets"]}
        self.show("#/console")
        for step, name in ((10, "t10"), (11, "t11")):
            self.go(f"#/course?step={step}")
            rows = self.rows(name)
            self.assertGreater(len(rows), 10)
            for task, scheme, preset, text in rows:
                self.assertEqual(text, helps[scheme, preset])
                self.assertNotRegex(task, "task_")
        self.assertIn(["speech recognition", "sinusoidal", "whisper", helps["sinusoidal", "whisper"]], rows)

    def test_every_task_has_a_name_in_chinese(self):
        page = self.show("#/course?step=8")
        page.click("#language")
        try:
            for step, name in ((9, "t9"), (10, "t10"), (11, "t11"), (12, "t12")):
                self.go(f"#/course?step={step}")
                for row in self.rows(name):
                    self.assertRegex(row[0], "[\u4e00-\u9fff]")
        finally:
            page.click("#language")

    def test_table_12_is_where_the_tool_puts_tokens(self):
        self.show("#/course?step=12")
        shell = self.code("#t12")["shell"].splitlines()
        rows = self.rows("t12")
        self.assertEqual({row[3].split(", ")[1].split()[0] for row in rows}, {"image", "video", "audio"})
        for (_, model, role, _, *axes, delta), line in zip(rows, shell, strict=True):
            self.assertIn(model, shlex.split(line))
            told = tool_json(*shlex.split(line)[1:])
            self.assertEqual(axes, [" ".join(map(str, axis[0])) for axis in told["positions"]])
            self.assertEqual(int(delta), told["rope_delta"])
            self.assertNotRegex(role, "role_")
