"""Positions: strips hold the numbers of the tool."""
from page import PageTest, tool, tool_json


class PositionsTest(PageTest):
    def test_positions(self):
        page = self.show("#/positions?kind=packed&words=--lengths+3,2,4")
        cells = page.script("[...document.querySelectorAll('.strip tr:last-child td')].map((c) => Number(c.textContent))")
        self.assertEqual(cells, tool_json("positions", "packed", "--lengths", "3,2,4")["positions"][0][0])

    def test_every_kind_is_drawn_and_given_away(self):
        page = self.show("#/positions")
        offered = page.script("[...document.querySelectorAll('#main select option')].map((o) => o.value)")
        told = tool("positions", "--help").split("KIND is one of\n")[1].split("\nEach cell")[0]
        self.assertEqual(offered, [line.split()[0] for line in told.splitlines()])
        page.script("document.querySelector('#main form details').open = true")
        page.wait("document.querySelector('#main form details pre').textContent.includes('--pad_rule')")
        for kind in page.script("[...document.querySelectorAll('#main select option')].map((o) => o.value)"):
            page = self.show(f"#/positions?kind={kind}")
            self.assertEqual(page.text("[role=alert]"), "")
            self.assertGreater(page.script("document.querySelectorAll('.strip td').length"), 0)
            self.assertEqual(sorted(self.code()), ["cpp", "python", "shell"])
        self.press("SVG")
        drawn = self.downloaded("posenc.svg").decode()
        cells = page.script("[...document.querySelectorAll('.strip td')].map((c) => c.textContent)")
        for text in cells:
            self.assertIn(f">{text}</text>", drawn)
