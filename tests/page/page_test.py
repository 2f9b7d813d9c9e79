"""Opens the page in Chromium, clicks, types and drags, and compares what it tells with the numbers of the tool.

    page_test.py SITE TOOL SCREENSHOTS [unittest arguments]

SITE: the folder that web/build.sh wrote, or an address; TOOL: posenc, as built for this machine; SCREENSHOTS: a folder for
pictures of every view in both themes and three widths.
"""
import pathlib
import sys
import unittest

from page import given


def load_tests(loader, tests, pattern):
    return loader.discover(str(pathlib.Path(__file__).parent), "test_*.py")


if __name__ == "__main__":
    given.site, given.tool, given.shots = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve()), pathlib.Path(sys.argv[3])
    try:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
    finally:
        if given.browser:
            given.browser.close()
