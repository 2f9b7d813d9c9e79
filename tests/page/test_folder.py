"""The folder that is written: its size, its languages, what is painted first."""
import gzip
import pathlib
import re

from page import ROOT, PageTest, given


class FolderTest(PageTest):
    def test_size(self):
        if given.site.startswith("http"):
            self.skipTest("an address has no folder")
        sizes = {p.name: len(gzip.compress(p.read_bytes(), 9)) for p in pathlib.Path(given.site).iterdir()}
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
