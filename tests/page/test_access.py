"""Languages, the keyboard, the screen reader, widths and themes."""
from page import READY, VIEWS, PageTest, given, number, table, tool_json

# What is looked at: every view, kinds of pictures, models that are loaded; every step of the course.
SIGHTS = {"encodings": "#/encodings", "rope": "#/encodings?scheme=rope", "rules": "#/encodings?scheme=rope&kind=rules",
          "positions": "#/positions", "models": "#/models?sample=Llama+3.1+8B", "mistakes": "#/mistakes",
          "sinusoids-broken": "#/mistakes?scheme=sinusoidal&on=m_swapped,m_first", "alibi-broken": "#/mistakes?scheme=alibi&on=m_slopes",
          "mrope": "#/models?sample=Qwen2-VL+7B", "console": "#/console", "kernel": "#/encodings?scheme=convolution&kind=kernel",
          "term": "#/encodings?scheme=cope&text=the+cat+saw+the+dog+and+the+dog+saw+the+cat", "row": "#/encodings?scheme=kerple-weight&kind=row_of_term",
          "ends": "#/encodings?scheme=convolution&kind=ends", "graph": "#/encodings?scheme=laplacian"}
STEPS = {f"course-{i}": f"#/course?step={i}" for i in range(1, 14)}

# Texts and canvases that stick out of their pictures.
CUT_OFF = """[...document.querySelectorAll('#main .stage svg text, #main .stage canvas')].filter((part) => {
  const at = part.getBoundingClientRect(), all = part.closest('.stage').querySelector('svg').getBoundingClientRect();
  return at.left < all.left - 1 || at.right > all.right + 1 || at.top < all.top - 1 || at.bottom > all.bottom + 1;
}).map((part) => part.textContent || part.tagName)"""


class AccessTest(PageTest):
    def test_chinese(self):
        page = self.show("#/encodings")
        page.click("#language")
        self.assertEqual(page.script("document.documentElement.lang"), "zh-Hans")
        self.assertIn("编码", page.text("nav"))
        self.assertIn("热图", page.text(".kinds"))
        page.click("#language")
        self.assertIn("Heat map", page.text(".kinds"))

    def test_schemes_and_claims_are_told_in_chinese(self):
        page = self.show("#/course?step=5")
        page.click("#language")
        try:
            english = {s["name"]: s["about"] for s in tool_json("list")["schemes"]}
            for name, about in english.items():
                told = self.go(f"#/encodings?scheme={name}").text(".about p")
                self.assertNotEqual(told, about + ".", name)
                self.assertRegex(told, "[\u4e00-\u9fff]", name)
            for step, tables in ((3, ("t1", "t7")), (8, ("t8",)), (5, ("t5",))):
                self.go(f"#/course?step={step}")
                for name in tables:
                    column = 0 if name in ("t1", "t7") else 1
                    cells = page.script(f"[...document.querySelectorAll('#{name} tbody tr')].map((r) => r.children[{column}].textContent)")
                    self.assertGreater(len(cells), 2)
                    for cell in cells:
                        self.assertRegex(cell, "[\u4e00-\u9fff]")
        finally:
            page.click("#language")

    def test_every_control_has_a_name_and_the_keyboard_reaches_it(self):
        self.show("#/console?command=posenc")
        for view in VIEWS:
            page = self.go(f"#/{view}")
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

    def test_theme_is_chosen_and_kept(self):
        page = self.show("#/encodings")
        paper = lambda: page.script("getComputedStyle(document.body).backgroundColor")
        corner = lambda: page.script("[...document.querySelector('.picture canvas').getContext('2d').getImageData(0, 0, 1, 1).data]")
        self.browser.theme("light")
        light, light_corner = paper(), corner()
        try:
            page.script("document.querySelector('#theme').focus()")
            page.key("ArrowDown"), page.key("ArrowDown")  # System, Light, Dark
            self.assertEqual(page.script("document.querySelector('#theme').value"), "dark")
            self.assertNotEqual(paper(), light)
            self.assertNotEqual(corner(), light_corner)
            dark = paper()
            self.show("#/encodings")
            self.assertEqual(paper(), dark)
            page.script("document.querySelector('#theme').focus()")
            page.key("ArrowUp")
            self.browser.theme("dark")
            self.assertEqual(paper(), light)  # light, whatever the system prefers
        finally:
            page.script("(s => { s.value = 'system'; s.dispatchEvent(new Event('change')); })(document.querySelector('#theme'))")
        self.assertEqual(paper(), dark)
        self.browser.theme("light")

    def test_circles_are_one_stop_and_arrow_keys_walk_over_them(self):
        page = self.show("#/encodings?scheme=rope&kind=circles&--layout=half&--dim=64")
        self.assertEqual(page.script("document.querySelectorAll('.picture [tabindex]').length"), 1)
        self.focus_picture()
        page.key("ArrowRight"), page.key("ArrowRight")
        self.assertIn("pair 1:", page.text(".picture .readout"))
        self.assertEqual(page.script("document.querySelector('.picture .readout').getAttribute('aria-live')"), "polite")

    def test_a_finger_that_taps_is_told_the_number_there(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=64&positions=0:64")
        self.browser.size(390, 844)
        page.wait("document.querySelector('.picture canvas').getBoundingClientRect().right < 390")
        page.script("document.querySelector('.picture canvas').scrollIntoView({block: 'center'})")
        rows = table("sinusoidal", "--dim", "64", "--positions", "0:64")
        for row, column in ((5, 2), (40, 33)):
            x, y, w, h = page.box(".picture canvas")
            at = {"x": x + (column + 0.5) * w / 64, "y": y + (row + 0.5) * h / 64}
            page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[at])
            page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            told = page.text(".picture .readout")
            self.assertIn(f"position {row}, column {column}:", told)
            self.assertAlmostEqual(number(told.split(": ")[1]), rows[row][1 + column], delta=1e-5)

    def test_looks(self):
        """Nothing is wider than the page, and no text of a picture is cut off; how it looks is in the screenshots."""
        given.shots.mkdir(parents=True, exist_ok=True)
        page = self.show("#/console")
        for theme, languages in (("light", ("", "-zh")), ("dark", ("",))):
            self.browser.theme(theme)
            for language in languages:
                if language:
                    page.click("#language")
                for width in (390, 768, 1280):
                    self.browser.size(width, 900)
                    for name, address in (SIGHTS | (STEPS if theme == "light" else {})).items():
                        self.see(address)
                        page.screenshot(given.shots / f"{name}{language}-{width}-{theme}.png")
                        where = f"{name}{language} at {width}"
                        self.assertLessEqual(page.script("document.scrollingElement.scrollWidth"), width, where)
                        self.assertEqual(page.script(CUT_OFF), [], where)
                if language:
                    page.click("#language")
        self.browser.theme("light")

    def see(self, address):
        page = self.go("#/console?") and self.go(address)
        page.wait("document.querySelectorAll('#main svg').length > 2" if "#/models?" in address else READY)
        return page

    def test_what_a_screen_reader_is_told(self):
        self.show("#/positions")
        for view, address in {**{view: f"#/{view}?" for view in VIEWS if view != "console"}, **SIGHTS, **STEPS}.items():
            page = self.see(address)
            page.call("Accessibility.enable")
            nodes = [n for n in page.call("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")]
            roles = [n["role"]["value"] for n in nodes]
            for landmark in ("banner", "navigation", "main", "contentinfo"):
                self.assertIn(landmark, roles, view)
            self.assertEqual(sum(n["role"]["value"] == "heading" and any(p["name"] == "level" and p["value"]["value"] == 1 for p in n["properties"])
                                 for n in nodes), 1, view)
            nameless = [n["role"]["value"] for n in nodes if not n.get("name", {}).get("value") and n["role"]["value"] in
                        ("button", "link", "textbox", "slider", "combobox", "checkbox", "image", "img", "table", "navigation")]
            self.assertEqual(nameless, [], view)
