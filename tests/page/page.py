"""What all tests of the page share: the browser, the tool and its numbers."""
import csv
import dataclasses
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY = "document.querySelector('#main > :not(#loading)') !== null"
VIEWS = ["encodings", "positions", "models", "course", "mistakes", "console"]


@dataclasses.dataclass
class Given:
    """What the command line of page_test.py gave."""

    site: str = ""
    tool: str = ""
    shots: pathlib.Path = pathlib.Path()
    browser: Browser | None = None

    @property
    def address(self):
        return self.site if self.site.startswith("http") else (pathlib.Path(self.site).resolve() / "index.html").as_uri()


given = Given()


def tool(*words):
    done = subprocess.run([given.tool, *words], capture_output=True, text=True, cwd=tempfile.gettempdir())
    if done.returncode != 0:
        raise RuntimeError(f"posenc {' '.join(words)}: {done.stderr}")
    return done.stdout


def tool_json(*words):
    return json.loads(tool(*words, "--json"))


def table(*words):
    """The rows of posenc table, as lists of numbers; the first is the position."""
    lines = list(csv.reader(io.StringIO(tool("table", *words, "--format", "csv"))))
    return [[float(v) for v in line] for line in lines[1:]]


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


class PageTest(unittest.TestCase):
    @property
    def browser(self):
        given.browser = given.browser or Browser()
        return given.browser

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.problems.clear()

    def tearDown(self):
        self.assertEqual(self.browser.problems, [], "the console must be silent")

    def show(self, address, ready=READY):
        """Opens the page anew."""
        self.browser.open("about:blank")
        self.browser.open(given.address + address)
        self.browser.wait(ready)
        return self.browser

    def go(self, address):
        """Follows a link in the open page."""
        self.browser.script(f"""new Promise((done) => {{
          addEventListener('hashchange', () => requestAnimationFrame(done), {{once: true}});
          location.hash = {json.dumps(address)};
        }})""")
        return self.browser

    def focus_picture(self):
        self.browser.script("document.querySelector('.picture .stage').focus()")

    def cell(self, row, column, rows, columns, inside=".picture"):
        """What hovering over a cell of a heat map tells."""
        self.browser.script(f"document.querySelector('{inside} canvas').scrollIntoView({{block: 'center'}})")
        x, y, w, h = self.browser.box(f"{inside} canvas")
        self.browser.hover(x + (column + 0.5) * w / columns, y + (row + 0.5) * h / rows)
        return self.browser.wait(f"document.querySelector('{inside} .readout').textContent")

    def code(self, inside="#main"):
        """What makes a picture outside of the page, by language; the folds that hold it are opened."""
        return self.browser.script(f"""new Promise((done) => {{
          for (const fold of document.querySelectorAll('{inside} details.keep, {inside} details.code')) fold.open = true;
          requestAnimationFrame(() => requestAnimationFrame(() => done(
            Object.fromEntries([...document.querySelectorAll('{inside} [data-code]')].map((c) => [c.dataset.code, c.textContent])))));
        }})""")

    def all_code(self):
        """The same of every picture in the view: a list."""
        count = self.browser.script("""(() => { const bars = [...document.querySelectorAll('#main details.code')];
          bars.forEach((bar, i) => bar.setAttribute('data-bar', i)); return bars.length; })()""")
        self.code()
        return [self.code_in(f"[data-bar='{i}']") for i in range(count)]

    def code_in(self, fold):
        return self.browser.script(f"""Object.fromEntries([...document.querySelectorAll(`{fold} [data-code]`)].map((c) => [c.dataset.code, c.textContent]))""")

    def downloaded(self, name):
        path = pathlib.Path(self.browser.downloads) / name
        self.browser.wait_for(lambda: path.exists() and path.stat().st_size > 0, f"the file {name}")
        data = path.read_bytes()
        path.unlink()
        return data

    def press(self, text, inside="main"):
        """Clicks the button of that text."""
        self.browser.script(f"""[...document.querySelectorAll('{inside} button')].find((b) => b.textContent === {json.dumps(text)})
          .setAttribute('data-pressed', '')""")
        self.browser.click(f"{inside} button[data-pressed]")
        self.browser.script(f"document.querySelector('{inside} button[data-pressed]')?.removeAttribute('data-pressed')")
