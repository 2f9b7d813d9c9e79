"""The folder that is written: its size, its languages, what is painted first."""
import functools
import gzip
import http.server
import pathlib
import re
import tempfile
import threading
import urllib.request

from page import ROOT, PageTest, given


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class FolderTest(PageTest):
    def test_size(self):
        if given.site.startswith("http"):
            self.skipTest("an address has no folder")
        sizes = {p.name: len(gzip.compress(p.read_bytes(), 9)) for p in pathlib.Path(given.site).iterdir()}
        print(f"\nmeasured: {sum(sizes.values()) / 1e6:.2f} MB by gzip, of which {(sum(sizes.values()) - sizes['tool.js']) / 1e3:.0f} kB before the first paint")
        self.assertLess(sum(sizes.values()), 1.5e6, sizes)
        self.assertLess(sum(sizes.values()) - sizes["tool.js"], 1.2e5, sizes)  # what is read before the first paint

    def test_a_web_server_needs_nothing_else(self):
        if given.site.startswith("http"):
            self.skipTest("all tests are of a web server")
        serve = functools.partial(Quiet, directory=given.site)
        with http.server.ThreadingHTTPServer(("localhost", 0), serve) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                page = self.browser
                page.open("about:blank")
                page.open(f"http://localhost:{server.server_port}/#/course?step=2")
                page.wait("document.querySelector('#t3 td') !== null")
                self.assertEqual(page.text("#t3 tbody tr:nth-child(2) td"), "0.841471")
            finally:
                server.shutdown()

    def test_first_paint_does_not_wait_for_the_library(self):
        page = self.show("#/encodings")
        painted = page.wait("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        ready = page.wait("performance.getEntriesByName('ready')[0]?.startTime")
        print(f"\nmeasured: first paint after {painted:.0f} ms, ready after {ready:.0f} ms")
        self.assertLess(painted, ready)

    def test_an_old_browser_is_told_so(self):
        for lacking in ("delete self.DecompressionStream", "CSS.supports = () => false"):
            script = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=lacking)
            try:
                page = self.show("#/encodings", "document.querySelector('main [role=alert]') !== null")
                self.assertIn("Firefox 120", page.text("main"))
            finally:
                self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])

    def test_first_paint_is_little_work(self):
        """CPU time, not time: without the library, which comes later, a page is painted that says what is missing."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("index.html", "style.css", "app.js"):
                (pathlib.Path(folder) / name).write_bytes(self.file(name))
            page = self.browser
            page.open("about:blank")
            page.call("Performance.enable", timeDomain="threadTicks")
            start = self.spent()
            page.open((pathlib.Path(folder) / "index.html").as_uri())
            page.wait("performance.getEntriesByName('first-contentful-paint').length > 0 && document.querySelector('main [role=alert]') !== null")
            spent = self.spent() - start
        print(f"\nmeasured: {1000 * spent:.0f} ms of CPU for the first paint")
        self.assertLess(spent, 0.5)
        self.assertNotEqual(page.text("nav"), "")
        page.problems.clear()  # that tool.js is missing

    def spent(self):
        return next(m["value"] for m in self.browser.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")

    def file(self, name):
        if given.site.startswith("http"):
            return urllib.request.urlopen(f"{given.site.rstrip('/')}/{name}").read()
        return (pathlib.Path(given.site) / name).read_bytes()

    def test_languages_have_the_same_texts(self):
        text = (ROOT / "web/i18n.js").read_text(encoding="utf-8")
        english, chinese = re.search(r"  en: \{(.*?)\n  \},\n  zh: \{(.*?)\n  \},", text, re.S).groups()

        def names(part):
            bare = re.sub(r'"(?:[^"\\]|\\.)*"|`[^`]*`|//.*', '""', part)
            return re.findall(r"(?:^|,|\n)\s*(\w+):", bare)
        self.assertEqual(names(english), names(chinese))
        self.assertGreater(len(names(english)), 100)
