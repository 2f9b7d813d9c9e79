"""The picture files that the tool of a wheel asks Python for."""

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from posenc import _picture  # noqa: E402

AXIS = {"label": "position", "min": 0, "max": 0, "log": False}
HEATMAP = {
    "kind": "heatmap", "title": "a map", "note": "of numbers", "x": {**AXIS, "min": 10, "max": 14}, "y": AXIS, "rows": 2, "cols": 3,
    "values": [-1, 0, 2, None, 1e300, 4], "low": 0, "high": 0, "square": True, "scale_label": "value",
}  # fmt: skip
LINES = {
    "kind": "lines", "title": "waves", "note": "", "x": AXIS, "y": {**AXIS, "log": True, "min": 1, "max": 100}, "dots": True,
    "joined": False, "curves": [{"label": "one", "x": [0, 1, 2], "y": [1, None, 50]}, {"label": "", "x": [0], "y": [2]}],
}  # fmt: skip
NETWORK = {
    "kind": "network", "title": "a ring", "note": "", "x": [0, 1, 0], "y": [0, 0, 1], "values": [0, -1, 3],
    "links": [[0, 1], [1, 2]], "scale_label": "eigenvector",
}  # fmt: skip


def test_a_heat_map_has_its_numbers_its_ends_and_gaps():
    ax, bar = _picture.draw(HEATMAP, 500, 300).axes
    picture = ax.images[0]
    shown = np.ma.filled(picture.get_array(), np.nan)
    assert np.array_equal(shown, [[-1, 0, 2], [np.nan, np.nan, 4]], equal_nan=True)
    assert picture.get_extent() == [9, 15, 1.5, -0.5]  # cells two wide and one high, the first row at the top
    assert (picture.norm.vmin, picture.norm.vmax) == (-4, 4) and ax.get_aspect() == 2
    assert bar.get_ylabel() == "value" and ax.get_xlabel() == "position" and ax.get_title() == "of numbers"


def test_lines_have_their_scale_and_a_key_of_those_with_names():
    (ax,) = _picture.draw(LINES, 500, 300).axes
    assert ax.get_yscale() == "log" and ax.get_ylim() == (1, 100) and ax.get_xscale() == "linear"
    assert np.array_equal(ax.lines[0].get_ydata(), [1, np.nan, 50], equal_nan=True)
    assert ax.lines[0].get_linestyle() == "None" and ax.lines[0].get_marker() == "."
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one"]


def test_a_network_has_its_dots_and_links():
    ax = _picture.draw(NETWORK, 500, 300).axes[0]
    links, dots = ax.collections
    assert len(links.get_segments()) == 2 and np.array_equal(dots.get_offsets(), [[0, 0], [1, 0], [0, 1]])
    assert np.array_equal(dots.get_array(), NETWORK["values"])


def drawn(plot, *arguments):
    command = [sys.executable, "-m", "posenc._picture", *arguments]
    return subprocess.run(command, input=json.dumps(plot).encode(), capture_output=True, check=True).stdout


def test_a_file_has_the_size_asked_for_and_is_the_same_every_time():
    for width, height in [(1000, 640), (757, 91)]:
        png = drawn(LINES, "png", str(width), str(height))
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert (int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")) == (width, height)
    svg = drawn(NETWORK, "svg", "400", "300")
    assert svg.startswith(b"<?xml") and b'width="300pt" height="225pt"' in svg
    assert svg == drawn(NETWORK, "svg", "400", "300")
