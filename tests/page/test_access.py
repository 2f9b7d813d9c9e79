"""Languages, the keyboard, the screen reader, widths and themes."""
from page import READY, VIEWS, PageTest, given


class AccessTest(PageTest):
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
        given.shots.mkdir(parents=True, exist_ok=True)
        views = {"encodings": "#/encodings", "rope": "#/encodings?scheme=rope", "rules": "#/encodings?scheme=rope&kind=rules",
                 "positions": "#/positions", "models": "#/models?sample=Llama+3.1+8B", "course": "#/course?step=4",
                 "mistakes": "#/mistakes", "console": "#/console"}
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            for width in (390, 768, 1280):
                self.browser.size(width, 900)
                for name, address in views.items():
                    page = self.show(address, "document.querySelectorAll('#main svg').length > 2" if name == "models" else READY)
                    page.screenshot(given.shots / f"{name}-{width}-{theme}.png")
                    self.assertLessEqual(page.script("document.scrollingElement.scrollWidth"), width, f"{name} at {width}")
        self.browser.theme("light")

    def test_what_a_screen_reader_is_told(self):
        self.show("#/console")
        for view in VIEWS:
            page = self.go("#/" + view + "?")
            page.call("Accessibility.enable")
            nodes = [n for n in page.call("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")]
            roles = [n["role"]["value"] for n in nodes]
            for landmark in ("banner", "navigation", "main", "contentinfo"):
                self.assertIn(landmark, roles, view)
            self.assertEqual(sum(n["role"]["value"] == "heading" and any(p["name"] == "level" and p["value"]["value"] == 1 for p in n["properties"])
                                 for n in nodes), 1, view)
            nameless = [n["role"]["value"] for n in nodes if not n.get("name", {}).get("value") and n["role"]["value"] in
                        ("button", "link", "textbox", "slider", "combobox", "checkbox", "image", "img", "group", "table", "navigation")
                        and n["role"]["value"] not in ("group",)]
            self.assertEqual(nameless, [], view)
