"""Break it: a mistake changes what is drawn, and what was measured of it is told."""
import json

from page import PageTest, number

MEASURED = {"source": "docs/page.md", "about": {"en": "A small model.", "zh": "一个小模型。"}, "unit": "bits per byte",
            "baseline": {"rope": 1.25, "alibi": 1.5}, "mistakes": [
                {"key": "m_slopes", "scheme": "alibi", "mean": 1.75},
                {"key": "m_layout", "scheme": "rope", "mean": 2.125, "low": 2, "high": 2.25},
                {"key": "m_new", "scheme": "rope", "mean": 1.5, "baseline": 1.375, "name": {"en": "something else", "zh": "别的"}}]}


class MistakesTest(PageTest):
    def names(self):
        return self.browser.script("[...document.querySelectorAll('#main select option')].map((o) => o.value)")

    def test_mistakes_change_what_is_drawn(self):
        self.show("#/mistakes")
        for name in self.names()[1:]:
            page = self.go(f"#/mistakes?mistake={name}")
            drawn = page.script("""['right', 'wrong'].map((side) => { const box = document.querySelector(`[data-side=${side}]`);
              return (box.querySelector('canvas')?.toDataURL() ?? '') + box.querySelector('.strip')?.textContent +
                box.querySelector('.curve')?.getAttribute('d') + box.querySelector('svg').getAttribute('aria-label'); })""")
            self.assertNotEqual(drawn[0], drawn[1], name)

    def test_every_mistake_has_a_name_in_both_languages(self):
        page = self.show("#/mistakes")
        for _ in range(2):
            told = page.script("[...document.querySelectorAll('#main select option')].map((o) => [o.value, o.textContent])")
            self.assertEqual([value for value, text in told if value == text], [])
            page.click("#language")

    def test_a_table_is_recognised(self):
        page = self.show("#/mistakes?mistake=m_thousand")
        self.assertIn("is 1000, not 10000", page.text("[data-identified]"))

    def test_scores_are_those_of_the_library(self):
        page = self.show("#/mistakes?mistake=m_keys")
        page.script("document.querySelector('[data-side=right] .stage').focus()")
        page.key("ArrowRight")
        right = page.text("[data-side=right] .readout")
        page.script("document.querySelector('[data-side=wrong] .stage').focus()")
        page.key("ArrowRight")
        wrong = page.text("[data-side=wrong] .readout")
        page.script("document.querySelector('[data-side=right] .stage').focus()")
        page.key("ArrowRight")
        later = page.text("[data-side=right] .readout")
        self.assertAlmostEqual(number(wrong.split(" · ")[0].split()[-1]), number(later.split()[-1]), delta=1e-5)  # a key too early: one further
        self.assertNotEqual(right.split()[-1], later.split()[-1])

    def test_what_was_measured_is_told(self):
        script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=f"""
          Object.defineProperty(self, 'posenc_mistakes', {{get: () => ({json.dumps(MEASURED)}), set: () => {{}}}});""")
        try:
            page = self.show("#/mistakes?mistake=m_layout")
            rows = page.script("[...document.querySelectorAll('[data-bits] tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")
        finally:
            self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
        self.assertEqual(rows, [["the other rotary layout", "rope", "1.250", "2.125 (2.000 – 2.250)"],
                                ["ALiBi with slopes for twice the distance", "alibi", "1.500", "1.750"],
                                ["something else", "rope", "1.375", "1.500"]])
