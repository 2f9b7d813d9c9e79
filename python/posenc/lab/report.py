"""Tables of rows: each number is a mean over seeds, with the deviation between them. Needs no PyTorch."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
from typing import Any, Callable, Iterable


@dataclasses.dataclass(frozen=True)
class Cell:
    """The values of one case, one for each seed."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float | None:
        """Between seeds (divided by n - 1); None of a single one."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    def text(self, digits: int) -> str:
        tail = "" if self.deviation is None else f" ± {self.deviation:.{digits}f}"
        return f"{self.mean:.{digits}f}{tail}"


Pivot = dict[Any, dict[Any, Cell]]


def pivot(rows: Iterable[dict], row: Callable, column: Callable) -> Pivot:
    """Cells by what `row` and `column` say of each result; those of which either is None are left out."""
    found: dict[Any, dict[Any, list[float]]] = {}
    for result in rows:
        r, c = row(result), column(result)
        if r is not None and c is not None and result["value"] is not None:
            found.setdefault(r, {}).setdefault(c, []).append(result["value"])
    return {r: {c: Cell(tuple(values)) for c, values in cells.items()} for r, cells in found.items()}


@dataclasses.dataclass(frozen=True)
class Table:
    """One table, and how it is plotted."""

    name: str
    question: str  # of the lab, which makes it
    title: str
    unit: str
    row: Callable[[dict], Any]
    column: Callable[[dict], Any]
    digits: int = 3
    best: Callable = min  # of the rows, by the mean over tasks or the first column
    plot: str = ""  # lines: the name of the columns' axis
    bars: tuple[str, ...] = ()  # bars: the columns that are shown

    def of(self, rows: list[dict]) -> Pivot:
        cells = pivot(rows, self.row, self.column)
        columns = _columns(cells)
        if self.name == "encoder":  # decoders alone are in other tables
            cells = {r: line for r, line in cells.items() if "masked encoder" in line}
        first = columns[-1] if MEAN in columns else next(iter(columns), None)
        order = sorted(cells, key=lambda r: _rank(cells[r].get(first), self.best))
        return {r: {c: cells[r][c] for c in columns if c in cells[r]} for r in order}


MEAN = "mean"  # over the tasks of a model, seed by seed


def _columns(cells: Pivot) -> list:
    every = {c for line in cells.values() for c in line}
    return sorted(every, key=lambda c: (isinstance(c, str), c == MEAN, c))


def _rank(cell: Cell | None, best: Callable) -> float:
    return float("inf") if cell is None else cell.mean if best is min else -cell.mean


def _when(**wanted) -> Callable[[dict], bool]:
    return lambda row: all(row.get(name) == value for name, value in wanted.items())


def _field(name: str, **wanted) -> Callable[[dict], Any]:
    """The field of rows that are as wanted; a field that is not there counts as None."""
    fits = _when(**wanted)
    return lambda row: row.get(name) if fits(row) else None


def _rule(kind: str) -> Callable[[dict], Any]:
    fits = _when(kind=kind, scoring="full")
    return lambda row: ("no rule" if row["rule"] == "none" else row["rule"]) if fits(row) else None


def _dropped(row: dict) -> Any:
    if row["kind"] == "drop":
        return "rope to the end, then half as many steps without" if row["dropped"] == 1 else f"rope until {100 * row['dropped']:g}% of the steps"
    return {"none": "never rope", "rope": "rope to the end"}.get(row["scheme"]) if row["kind"] == "decoder" else None


def _masked(row: dict) -> Any:
    if row.get("length") != row.get("trained_on"):
        return None
    if row["kind"] == "encoder":
        return "masked encoder"
    return "causal decoder" if row["kind"] == "decoder" and row["scoring"] == "apart" else None


def _mistaken(row: dict) -> Any:
    if row["kind"] == "mistakes" and "first" not in row:
        return f"{row['scheme']}: {row['mistake']}"
    return f"rope {row['rule']}, tuned: {row['mistake']}" if row["kind"] == "tuned" and "mistake" in row else None


def _recalled(taught: bool) -> Callable[[dict], Any]:
    def row(result: dict) -> Any:
        if result["kind"] != "retrieval" or result["taught"] != taught:
            return None
        return f"{result['scheme']} under {result['rule']}" if "rule" in result else result["scheme"]

    return row


def _order(name: str, times: float) -> Callable[[dict], Any]:
    """The field of generated tasks with so many times the trained items; a half is rounded down."""

    def field(row: dict) -> Any:
        return row[name] if row["kind"] == "order" and row["items"] == int(times * row["trained_items"]) else None

    return field


ACCURACY = {"unit": "share of texts that are answered right", "best": max, "digits": 2}
BITS = {"unit": "bits per byte"}
LETTERS = {"plot": "bytes between", "unit": "share of letters that are right", "best": max, "digits": 2}
TABLES = (
    Table("length-full", "length", "A full window before each byte", row=_field("scheme", kind="decoder", scoring="full"),
          column=_field("length", kind="decoder", scoring="full"), plot="bytes of the window", **BITS),
    Table("length-apart", "length", "Windows that do not overlap", row=_field("scheme", kind="decoder", scoring="apart"),
          column=_field("length", kind="decoder", scoring="apart"), plot="bytes of the window", **BITS),
    Table("rules", "rules", "Length rules of rope at test time", row=_rule("rules"),
          column=_field("length", kind="rules", scoring="full"), plot="bytes of the window", **BITS),
    Table("rules-tuned", "rules", "After a short fine-tune", row=_rule("tuned"),
          column=_field("length", kind="tuned", scoring="full"), plot="bytes of the window", **BITS),
    Table("encoder", "encoder", "Decoders and masked encoders", row=lambda r: r["scheme"] if _masked(r) else None,
          column=_masked, unit="bits per byte, of hidden bytes for encoders", bars=("causal decoder", "masked encoder")),
    Table("encoder-length", "encoder", "Masked encoders, windows that do not overlap", row=_field("scheme", kind="encoder"),
          column=_field("length", kind="encoder"), plot="bytes of the window", unit="bits per hidden byte"),
    Table("order", "order", "Generated tasks, the mean over them", row=lambda r: r["scheme"] if r.get("task") == MEAN else None,
          column=_field("items", task=MEAN), plot="items of a text", **ACCURACY),
    Table("order-trained", "order", "Generated tasks at the trained length", row=_order("scheme", 1), column=_order("task", 1), **ACCURACY),
    Table("order-more", "order", "Generated tasks at one and a half times the trained length", row=_order("scheme", 1.5),
          column=_order("task", 1.5), **ACCURACY),
    Table("order-twice", "order", "Generated tasks at twice the trained length", row=_order("scheme", 2), column=_order("task", 2),
          **ACCURACY),
    Table("retrieval", "retrieval", "Random letters said again, by their distance, after a short training on such texts",
          row=_recalled(True), column=_field("distance", kind="retrieval", taught=True), **LETTERS),
    Table("retrieval-before", "retrieval", "The same before that training", row=_recalled(False),
          column=_field("distance", kind="retrieval", taught=False), **LETTERS),
    Table("drop", "drop", "Rope dropped during training", row=lambda r: _dropped(r) if r.get("scoring") == "full" else None,
          column=_field("length", scoring="full"), plot="bytes of the window", **BITS),
    Table("pictures", "pictures", "Pictures at another resolution than the trained one", row=_field("scheme", kind="pictures"),
          column=_field("side", kind="pictures"), plot="pixels of a side", unit="share of pictures that are named right", best=max,
          digits=2),
    Table("speed", "speed", "A training step", row=_field("scheme", kind="speed"), column=_field("measure", kind="speed"),
          unit="milliseconds, megabytes", digits=1, bars=("ms per step", "peak MB")),
    Table("angles", "mistakes", "Angles rounded, for a text that begins at a far position",
          row=lambda r: r["mistake"] if "first" in r else None, column=_field("first", kind="mistakes"), plot="position of the first byte", **BITS),
    Table("mistakes", "mistakes", "What classic mistakes cost", row=_mistaken, column=lambda r: "bits" if _mistaken(r) else None,
          bars=("added",), **BITS),
)  # fmt: skip


def _means(rows: list[dict]) -> list[dict]:
    """Of each model of generated tasks the mean over them, as a row of a task more."""
    found: dict[tuple, list[dict]] = {}
    for row in rows:
        if row["kind"] == "order":
            found.setdefault((row["scheme"], row["seed"], row["items"]), []).append(row)
    return [{**each[0], "task": MEAN, "value": statistics.fmean(r["value"] for r in each)} for each in found.values()]


def prepared(rows: list[dict]) -> list[dict]:
    """Rows that know what they were trained on, where that is the least among theirs; and means over tasks."""
    least = {}
    for row in rows:
        for field in ("length", "items"):
            if field in row:
                key = (row["kind"], field)
                least[key] = min(least.get(key, row[field]), row[field])
    out = []
    for row in rows:
        known = {"trained_on": least.get((row["kind"], "length")), "trained_items": least.get((row["kind"], "items"))}
        out.append({**{k: v for k, v in known.items() if v is not None}, **row})
    return [row for row in out if row["kind"] != "trial"] + _means(out)


def ranks(table: Table, rows: list[dict]) -> dict[str, float]:
    """The mean reciprocal rank of each scheme over tasks at more than the trained length, as Kazemnejad et al. have it; equals share
    the mean of their ranks."""
    cells = table.of(prepared(rows))
    tasks = {task for line in cells.values() for task in line} - {MEAN}
    found: dict[str, list[float]] = {scheme: [] for scheme in cells}
    for task in tasks:
        means = {scheme: line[task].mean for scheme, line in cells.items() if task in line}
        for scheme, mean in means.items():
            above, equal = sum(m > mean for m in means.values()), sum(m == mean for m in means.values())
            found[scheme].append(1 / (above + (equal + 1) / 2))
    return {scheme: statistics.fmean(r) for scheme, r in found.items() if r}


def costs(rows: list[dict]) -> list[tuple[str, str, Cell, Cell]]:
    """Of each mistake: the scheme, its name, bits per byte with it, and what it adds, seed by seed."""
    right, found = {}, {}
    for row in prepared(rows):
        if row["kind"] == "mistakes" and "first" not in row:
            if row["mistake"] == "none":
                right[row["scheme"], row["length"], row["seed"]] = row["value"]
            else:
                found.setdefault((row["scheme"], row["mistake"]), []).append(row)
        if row["kind"] == "tuned":
            if "mistake" in row:
                found.setdefault((f"rope, {row['rule']} and tuned", row["mistake"]), []).append({**row, "scheme": row["rule"]})
            elif row["scoring"] == "full":
                right[row["rule"], row["length"], row["seed"]] = row["value"]
    out = []
    for (scheme, name), each in found.items():
        pairs = [(r["value"], right.get((r["scheme"], r["length"], r["seed"]))) for r in each]
        added = tuple(value - base for value, base in pairs if base is not None)
        out.append((scheme, name, Cell(tuple(v for v, _ in pairs)), Cell(added or (float("nan"),))))
    return out


def markdown(head: list[str], lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def table_text(table: Table, rows: list[dict], words: Callable[[str], str] = str) -> str:
    """The table in markdown; words: how names of schemes, tasks and measures are said."""
    if table.name == "mistakes":
        lines = [[words(s), words(n), bits.text(3), added.text(3)] for s, n, bits, added in costs(rows)]
        return markdown([words("scheme"), words("mistake"), words("bits per byte"), words("added")], lines) if lines else ""
    cells = table.of(prepared(rows))
    if not cells:
        return ""
    columns = _columns(cells)
    more = ranks(table, rows) if table.name in ("order-more", "order-twice") else {}
    head = ["", *(words(str(c)) for c in columns), *([words("reciprocal rank")] if more else [])]
    lines = []
    for name, line in cells.items():
        shown = [line[c].text(table.digits) if c in line else "" for c in columns]
        lines.append([words(str(name)), *shown, *([f"{more[name]:.2f}"] if more else [])])
    return markdown(head, lines)


def text(rows: list[dict]) -> str:
    """Everything that there is, as one page of markdown."""
    about = [row for row in rows if row["kind"] == "trial"]
    devices = sorted({f"{row['device']}, PyTorch {row['torch']}" for row in about})
    parts = [f"{len(about)} trials, {sum(row['seconds'] for row in about):.0f} s of them; {'; '.join(devices)}; mean ± deviation over seeds"]
    for table in TABLES:
        body = table_text(table, rows)
        if body:
            parts.append(f"## {table.title}\n\n{table.unit}; `python -m posenc.lab --question {table.question}`\n\n{body}")
    return "\n\n".join(parts) + "\n"


def plotted(table: Table, rows: list[dict]) -> Pivot:
    """The cells of the table's plot."""
    if table.name == "mistakes":
        return {f"{scheme}: {name}": {"added": added} for scheme, name, _, added in costs(rows)}
    return table.of(prepared(rows))


def write(rows: list[dict], folder) -> list[str]:
    """report.md, results.jsonl and a plot for each table, in the folder; what to tell the user."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(text(rows), encoding="utf-8")
    (folder / "results.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    said = [text(rows), f"{folder / 'report.md'}, {folder / 'results.jsonl'}"]
    from .plots import draw

    try:
        drawn = [t.name for t in TABLES if draw(t, plotted(t, rows), folder / f"{t.name}.svg")]
        return said + [f"{len(drawn)} plots in {folder}"]
    except ImportError:
        return said + ["no plots: they need matplotlib"]
