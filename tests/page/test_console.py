"""Console: the command line itself."""
from page import PageTest, tool


class ConsoleTest(PageTest):
    def test_the_command_line(self):
        page = self.show("#/console")
        page.type("#command", "posenc table rope --layout half --dim 8 --positions 0:3")
        self.assertEqual(page.text(".terminal").strip(), tool("table", "rope", "--layout", "half", "--dim", "8", "--positions", "0:3").strip())
        page.type("#command", "posenc table sinusoidl")
        self.assertIn("did you mean 'sinusoidal'?", page.text(".terminal .error"))

    def test_what_is_printed_is_given_away(self):
        page = self.show("#/console?command=posenc+table+alibi+--heads+2+--positions+0:3")
        shown = page.text(".terminal")
        self.press("Text file")
        self.assertEqual(self.downloaded("posenc.txt").decode(), shown)
