"""Break it: mistakes, alone and together, change what is drawn, and what was measured of them is told."""
import csv
import io
import json
import math
import tempfile

from page import PageTest, number, table, tool, tool_json

MEASURED = {"source": "docs/page.md", "about": {"en": "A small model.", "zh": "一个小模型。"}, "unit": "bits per byte",
            "baseline": {"rope": 1.25, "alibi": 1.5}, "mistakes": [
                {"key": "m_slopes", "scheme": "alibi", "mean": 1.75},
                {"key": "m_layout", "scheme": "rope", "mean": 2.125, "low": 2, "high": 2.25},
                {"key": "m_layout", "scheme": "other", "mean": 3},
                {"key": "m_new", "scheme": "rope", "mean": 1.5, "baseline": 1.375, "name": {"en": "something else", "zh": "别的"}}]}


class MistakesTest(PageTest):
    def schemes(self):
        return self.browser.script("[...document.querySelectorAll('#main select option')].map((o) => o.value)")

    def names(self):
        return self.browser.script("[...document.querySelectorAll('.switches input')].map((i) => i.name)")

    def drawn(self, side):
        """All that is drawn of a side, panel by panel."""
        return self.browser.script(f"""[...document.querySelectorAll('[data-side={side}]')].map((box) =>
          (box.querySelector('canvas')?.toDataURL() ?? '') + box.querySelector('.strip')?.textContent +
          (box.querySelector('.curve')?.getAttribute('d') ?? ''))""")

    def test_every_mistake_changes_what_is_drawn(self):
        self.show("#/console")
        self.go("#/mistakes")
        for scheme in self.schemes():
            self.go(f"#/mistakes?scheme={scheme}")
            self.assertEqual(self.drawn("right"), self.drawn("wrong"), scheme)  # nothing is wrong yet
            for name in self.names():
                self.go(f"#/mistakes?scheme={scheme}&on={name}")
                self.assertEqual(self.browser.problems, [], name)
                changed = [a != b for a, b in zip(self.drawn("right"), self.drawn("wrong"), strict=True)]
                self.assertIn(True, changed, (scheme, name))

    def test_every_mistake_has_a_name_in_both_languages(self):
        self.show("#/mistakes")
        for scheme in self.schemes():
            page = self.go(f"#/mistakes?scheme={scheme}")
            for _ in range(2):
                told = page.script("[...document.querySelectorAll('.switches input')].map((i) => [i.name, i.labels[0].textContent])")
                self.assertEqual([name for name, text in told if name == text], [])
                page.click("#language")

    def test_mistakes_are_switched_on_together_by_clicks(self):
        page = self.show("#/mistakes?scheme=rope&on=m_base")
        one = self.drawn("wrong")
        page.click("#switch-m_keys")
        self.assertTrue(page.wait("location.hash.includes('on=m_base%2Cm_keys')"))
        both = self.drawn("wrong")
        self.assertNotEqual(both[1], one[1])
        again = self.show(page.script("location.hash"))
        self.assertEqual(self.drawn("wrong"), both)
        self.assertEqual(again.script("[...document.querySelectorAll('.switches input:checked')].map((i) => i.name)"), ["m_base", "m_keys"])
        page.click("#switch-m_base")
        self.assertNotEqual(self.drawn("wrong")[1], both[1])

    def test_mistakes_of_one_option_exclude_each_other(self):
        page = self.show("#/mistakes?scheme=sinusoidal&on=m_percol")
        page.click("#switch-m_raw")
        self.assertEqual(page.script("[...document.querySelectorAll('.switches input:checked')].map((i) => i.name)"), ["m_raw"])

    def test_a_table_is_recognised(self):
        page = self.show("#/mistakes?scheme=sinusoidal&on=m_thousand")
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/wrong.npy"
            tool("table", "sinusoidal", "--dim", "64", "--base", "1000", "--positions", "0:96", "--out", file)
            told = tool_json("identify", file)["sentence"]
        self.assertIn("1000", told)
        self.assertEqual(page.text("[data-identified]"), told)

    def test_similarity_is_of_rows_as_trained_and_as_given(self):
        self.show("#/mistakes?scheme=sinusoidal&on=m_swapped,m_first")
        right = [row[1:] for row in table("sinusoidal", "--dim", "64", "--positions", "0:64")]
        wrong = [row[1:] for row in table("sinusoidal", "--dim", "64", "--first", "cosine", "--positions", "1:65")]
        for row, column in [(0, 0), (9, 30), (50, 3)]:
            told = self.cell(row, column, 64, 64, "[data-panel=similarity] [data-side=wrong]")
            self.assertIn(f"position in training {row}, position given {column}", told)
            wanted = sum(a * b for a, b in zip(right[row], wrong[column])) / 32
            self.assertAlmostEqual(number(told.split()[-1]), wanted, delta=1e-5)

    def readout(self, side, steps, panel="score"):
        inside = f"[data-panel={panel}] [data-side={side}]"
        self.browser.script(f"document.querySelector('{inside} .stage').focus()")
        for _ in range(steps):
            self.browser.key("ArrowRight")
        return number(self.browser.text(f"{inside} .readout").split(" · ")[0].split()[-1])

    def test_a_head_looks_three_tokens_back(self):
        self.show("#/mistakes?scheme=sinusoidal&on=m_first")
        told = [self.readout("right", 1)] + [self.readout("right", 1) for _ in range(5)]
        self.assertEqual(max(range(6), key=told.__getitem__), 3)
        self.assertAlmostEqual(told[3], 1, delta=1e-5)
        self.assertAlmostEqual(self.readout("wrong", 4), 1, delta=1e-5)  # M_k does not care where it starts

    def test_scores_are_those_of_the_library(self):
        self.show("#/mistakes?scheme=rope&on=m_keys")
        right, wrong, later = self.readout("right", 1), self.readout("wrong", 1), self.readout("right", 1)
        self.assertAlmostEqual(wrong, later, delta=1e-5)  # a key too early: one further
        self.assertNotEqual(right, later)

    def test_both_sides_are_drawn_to_one_scale(self):
        page = self.show("#/mistakes?scheme=alibi&on=m_slopes")
        ticks = page.script("""['right', 'wrong'].map((side) => [...document.querySelectorAll(`[data-panel=bias] [data-side=${side}] .axes text`)].map((e) =>
          e.textContent + e.getAttribute('y')))""")
        self.assertEqual(*ticks)
        self.assertNotEqual(self.drawn("right")[0], self.drawn("wrong")[0])

    def test_attention_is_the_softmax_of_biases(self):
        self.show("#/mistakes?scheme=alibi&on=m_unscaled")
        bias = [row[1] / 8 for row in table("alibi", "--heads", "4", "--positions", "-64:1")][::-1]
        wanted = math.exp(bias[2]) / sum(math.exp(b) for b in bias)
        told = self.readout("wrong", 3, "attention")
        self.assertAlmostEqual(told, wanted, delta=1e-5)

    def test_what_was_measured_is_told(self):
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=f"""
          Object.defineProperty(self, 'posenc_mistakes', {{get: () => ({json.dumps(MEASURED)}), set: () => {{}}}});""")
        try:
            page = self.show("#/mistakes?scheme=rope&on=m_layout,m_sign")
            rows = page.script("[...document.querySelectorAll('[data-bits] tbody tr')].map((r) => [r.className, ...[...r.children].map((c) => c.textContent)])")
            page.script("document.querySelector('[data-bits] details.keep').open = true")
            for name in ("PNG", "SVG", "CSV"):
                self.press(name, "[data-bits]")
            lines = list(csv.reader(io.StringIO(self.downloaded("posenc.csv").decode())))
            self.assertEqual(self.downloaded("posenc.png")[:8], b"\x89PNG\r\n\x1a\n")
            drawn = self.downloaded("posenc.svg").decode()
            self.assertIn("posenc.lab", self.code("[data-bits]")["shell"])
        finally:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        self.assertEqual(lines, [["Mistake", "Scheme", "Right", "With the mistakes"], *(row[1:] for row in rows)])
        for text in lines[1]:
            self.assertIn(text, drawn)
        self.assertEqual(rows, [["chosen", "the other rotary layout", "rope", "1.250", "2.125 (2.000 – 2.250)"],
                                ["chosen", "rotated in the wrong direction", "rope", "1.250", "not measured"],
                                ["", "something else", "rope", "1.375", "1.500"],
                                ["", "ALiBi with slopes for twice the distance", "alibi", "1.500", "1.750"],
                                ["", "the other rotary layout", "other", "–", "3.000"]])
