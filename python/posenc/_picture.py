"""The picture files of the tool where it was built without cairo: a plot as JSON becomes a PNG or SVG file.

python -m posenc._picture png 1000 640 <plot.json >plot.png
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from posenc.plot import _colours, _map, _range

DPI = 96


def _numbers(values: Any) -> np.ndarray:
    """NaN for what is missing."""
    numbers = np.array(values, np.float64)
    return np.where(np.abs(numbers) <= 1e200, numbers, np.nan)


def _ends(axis: Any, cells: int) -> tuple[float, float]:
    """The outer edges of the first and the last of equal cells; its first and last are their middles."""
    first, last = (axis["min"], axis["max"]) if axis["min"] != axis["max"] else (0, cells - 1)
    half = (last - first) / (cells - 1) / 2 if cells > 1 else 0.5
    return first - half, last + half


def heatmap(ax: Any, plot: Any) -> None:
    x, y = plot["x"], plot["y"]
    (left, right), (top, bottom) = _ends(x, plot["cols"]), _ends(y, plot["rows"])
    _map(
        _numbers(plot["values"]).reshape(plot["rows"], plot["cols"]), ax, "", x["label"], y["label"], square=plot["square"],
        ends=None if plot["low"] == plot["high"] else (plot["low"], plot["high"]), extent=(left, right, bottom, top),
        scale=plot["scale_label"],
    )  # fmt: skip


def lines(ax: Any, plot: Any) -> None:
    style = ("-" if plot["joined"] else "") + ("." if plot["dots"] or not plot["joined"] else "")
    for curve in plot["curves"]:
        ax.plot(_numbers(curve["x"]), _numbers(curve["y"]), style, label=curve["label"])
    for name in "xy":
        axis = plot[name]
        ax.set(**{f"{name}label": axis["label"], f"{name}scale": "log" if axis["log"] else "linear"})
        if axis["min"] != axis["max"]:
            ax.set(**{f"{name}lim": (axis["min"], axis["max"])})
    ax.grid(color="#e6e6e6")
    if any(curve["label"] for curve in plot["curves"]):
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")


def network(ax: Any, plot: Any) -> None:
    from matplotlib.collections import LineCollection

    at, values = np.stack([_numbers(plot["x"]), _numbers(plot["y"])], 1), _numbers(plot["values"])
    ax.add_collection(LineCollection([at[list(link)] for link in plot["links"]], colors="#b6b6b6", linewidths=0.8))
    colours = _colours(*_range(values))
    picture = ax.scatter(*at.T, c=values, zorder=2, edgecolors="#666666", linewidths=0.5, plotnonfinite=True, **colours)
    ax.figure.colorbar(picture, ax=ax, label=plot["scale_label"])
    ax.set_axis_off()


def draw(plot: Any, width: int, height: int) -> Any:
    """A figure of matplotlib, width x height pixels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, layout="constrained")
    ax = figure.subplots()
    {"heatmap": heatmap, "lines": lines, "network": network}[plot["kind"]](ax, plot)
    figure.suptitle(plot["title"])
    ax.set_title(plot["note"], fontsize="small")
    return figure


def main(kind: str, width: str, height: str) -> None:
    try:
        import matplotlib
    except ImportError:
        sys.exit("no matplotlib: pip install matplotlib")
    matplotlib.rcParams["svg.hashsalt"] = "posenc"  # the same plot gives the same bytes
    figure = draw(json.load(sys.stdin), int(width), int(height))
    figure.savefig(sys.stdout.buffer, format=kind, metadata={"Date": None} if kind == "svg" else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
