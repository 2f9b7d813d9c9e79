"""Plots of tables of the lab, as SVG. Loaded by its file too, so that it knows the report's tables by their fields alone."""

from __future__ import annotations

MARKS = "osv^Dx+*<>ph"


def shown(table, cells: dict) -> tuple[list, list]:
    """(columns that lines are drawn by, columns that have a panel of bars)."""
    columns = sorted({c for line in cells.values() for c in line if not isinstance(c, str)}) if table.plot else []
    return columns if len(columns) > 1 else [], [c for c in table.bars if any(c in line for line in cells.values())]


def draw(table, cells: dict, file) -> bool:
    """Lines by the columns of a table, or a panel of bars for each column it names; False where it has neither."""
    columns, panels = shown(table, cells)
    if not columns and not panels:
        return False
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "posenc", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure = _bars(pyplot, table, cells, panels) if panels else _lines(pyplot, table, cells, columns)
    figure.tight_layout()
    figure.savefig(file, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return True


def _lines(pyplot, table, cells, columns):
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for index, (name, line) in enumerate(cells.items()):
        at = [c for c in columns if c in line]
        errors = [line[c].deviation or 0 for c in at]
        axes.errorbar(at, [line[c].mean for c in at], errors, marker=MARKS[index % len(MARKS)], markersize=4, capsize=2, label=str(name))
    if columns[0]:
        axes.set_xscale("log", base=2)
    else:  # 0 has a place of its own, left of the powers of ten
        axes.set_xscale("symlog", linthresh=columns[1], linscale=0.5)
    axes.set_xticks(columns, [str(c) for c in columns])
    axes.minorticks_off()
    axes.set_xlabel(table.plot)
    axes.set_ylabel(table.unit)
    axes.set_title(table.title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


def _bars(pyplot, table, cells, panels):
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(7.2, 1.2 + 0.25 * len(cells)), sharey=True, squeeze=False)
    for axes, column in zip(all_axes[0], panels):
        shown = [(index, line[column]) for index, line in enumerate(cells.values()) if column in line]
        errors = [cell.deviation or 0 for _, cell in shown]
        axes.barh([index for index, _ in shown], [cell.mean for _, cell in shown], xerr=errors, capsize=2, color="tab:blue", alpha=0.8)
        axes.set_title(column, fontsize=9)
        axes.grid(axis="x", alpha=0.3)
    all_axes[0][0].set_yticks(range(len(cells)), [str(name) for name in cells], fontsize=8)
    all_axes[0][0].invert_yaxis()
    figure.suptitle(f"{table.title}: {table.unit}", fontsize=10)
    return figure
