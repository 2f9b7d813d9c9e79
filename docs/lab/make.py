"""Writes what stands on the lab's results again: tables and plots of docs/choosing.md, the advice of `posenc choose`, and the costs of
mistakes that the page shows.

    python docs/lab/make.py                      # from docs/lab/results.jsonl
    python docs/lab/make.py --rows out/lab/full  # after a run: its trials take the place of the same ones there
    python docs/lab/make.py --check              # fails where something is not up to date; plots are not compared

Sentences are written by hand; where their numbers (said.py) are no longer those of the rows it says so, and fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results.jsonl"


def _loaded(name: str, file: pathlib.Path):
    """A module by its file: the package itself need not be built."""
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LAB = ROOT / "python" / "posenc" / "lab"
report, plots = _loaded("lab_report", LAB / "report.py"), _loaded("lab_plots", LAB / "plots.py")
decisions = _loaded("lab_decisions", HERE / "decisions.py")
words = _loaded("lab_words", HERE / "words.py")
sources = _loaded("lab_said", HERE / "said.py")
TABLES = {table.name: table for table in report.TABLES}
REGION = re.compile(r"(<!-- lab: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def rows_of(path: pathlib.Path) -> list[dict]:
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines() if line]


def compact(rows: list[dict]) -> str:
    """A line for each row, in an order that does not depend on the run; of trials what they took and where."""
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    return "\n".join(sorted(set(lines))) + "\n"


def trial_of(row: dict) -> tuple:
    """Which trial a row is of."""
    if row["kind"] == "trial":
        return ("trial", row["trial"])
    return (row["kind"], row["scheme"], row["seed"], row.get("dropped"), row["rule"] if row["kind"] == "tuned" else None)


def merged(old: list[dict], new: list[dict]) -> list[dict]:
    """Old rows but for those of trials that were run again."""
    again = {trial_of(row) for row in new}
    return [row for row in old if trial_of(row) not in again] + new


def page(text: str, rows: list[dict], language: str) -> str:
    """The page with its tables made again: regions between <!-- lab: NAME --> and <!-- end -->."""
    said = (lambda word: words.CHINESE.get(word, word)) if language == "zh" else str

    def region(match):
        table = TABLES.get(match[2])
        if table is None:
            raise ValueError(f"[lab] expected a table, one of {', '.join(TABLES)}, got {match[2]}")
        return f"{match[1]}\n{report.table_text(table, rows, said)}\n\n{match[3]}"

    return REGION.sub(region, text)


def column_of(rows: list[dict], table: str, column) -> list[tuple[str, object]]:
    """(name, cell) of every row that has this column, best first."""
    cells = TABLES[table].of(report.prepared(rows))
    found = [(str(name), line[column]) for name, line in cells.items() if column in line]
    if not found:
        raise ValueError(f"[lab] expected results in column {column} of {table}, got none")
    return sorted(found, key=lambda item: report._rank(item[1], TABLES[table].best))


def expect_best(scheme: str, column: list) -> None:
    """That no other row is better by more than the deviations of both."""
    cells = dict(column)
    if scheme not in cells:
        raise ValueError(f"[lab] expected {scheme} among {', '.join(cells)}")
    (name, first), mine = column[0], cells[scheme]
    slack = sum((cell.deviation or 0) for cell in (first, mine))
    if abs(first.mean - mine.mean) > slack:
        raise ValueError(f"[lab] the advice is {scheme} with {mine.text(3)}, but {name} has {first.text(3)}: change decisions.py")


def _quoted(text) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _evidence(rows, stands_on) -> str:
    if stands_on is None:
        return "{}"
    table, column = TABLES[stands_on[0]], stands_on[1]
    found = column_of(rows, *stands_on)
    lines = [f"{{{_quoted(name)}, {c.mean:.5g}, {c.deviation or 0:.3g}}}" for name, c in found]
    seeds = min(len(c.values) for _, c in found)
    command = f"python -m posenc.lab --full --question {table.question}"
    head = ", ".join(map(_quoted, (table.title, column, table.unit, command)))
    return f"{{{head}, {seeds}, {{{', '.join(lines)}}}}}"


def advice(rows: list[dict]) -> str:
    """tool/cli/help/choose_data.inc"""
    out = ["// Made by docs/lab/make.py from docs/lab/results.jsonl and docs/lab/decisions.py.", "const std::vector<Advice> advices = {"]
    for *said, stands_on, claim in decisions.DECISIONS:
        if claim == "best":
            expect_best(said[3], column_of(rows, *stands_on))
        out.append(f"    {{{', '.join(map(_quoted, said))},\n     {_evidence(rows, stands_on)}}},")
    out += ["};", "const std::vector<Caution> cautions = {"]
    for modality, scheme, length, text, stands_on in decisions.CAUTIONS:
        head = f"{_quoted(modality)}, {_quoted(scheme)}, {length}, {_quoted(text)}"
        out.append(f"    {{{head},\n     {_evidence(rows, stands_on)}}},")
    return "\n".join([*out, "};", ""])


def mistakes(rows: list[dict]) -> str:
    """web/data/mistakes.json: what each mistake costs, and texts longer than those of training, for the page."""
    prepared = report.prepared(rows)
    right = report.pivot(prepared, lambda r: r["scheme"] if r.get("mistake") == "none" and r["length"] == r["trained_on"] * 4 // 3 else None,
                         lambda r: "bits")  # fmt: skip
    base = {scheme: round(line["bits"].mean, 4) for scheme, line in right.items()}
    without = TABLES["length-full"].of(prepared)["none"]
    trained = min(without)
    base["none"] = round(without[trained].mean, 4)
    out = []

    def add(key, scheme, cell, **more):
        ends = {"low": round(min(cell.values), 4), "high": round(max(cell.values), 4)} if len(cell.values) > 1 else {}
        out.append({"key": key, "scheme": scheme, "mean": round(cell.mean, 4), **ends, **more})

    for scheme, name, bits, added in report.costs(rows):
        rule = scheme.partition(", ")[2].partition(" ")[0]
        if name in words.KEYS and words.RULE_OF.get(name, rule) == rule:
            plain = scheme in base and "padding" not in name
            more = {} if plain else {"baseline": round(bits.mean - added.mean, 4)}
            add(words.KEYS[name], scheme.split(",")[0], bits, **more)
    add("m_none", "none", without[trained], baseline=base["rope"])
    angles = TABLES["angles"].of(prepared)
    for key, name, first in (("m_f32", "angles in f32", 10_000_000), ("m_bf16", "angles in bf16", 100_000)):
        if first in angles.get(name, {}):
            add(key, "rope", angles[name][first])
    lengths = {"trained": trained, "read": 2 * trained, "bits": {scheme: [round(line[length].mean, 4) for length in (trained, 2 * trained)]
               for scheme, line in TABLES["length-full"].of(prepared).items() if scheme in ("sinusoidal", "learned", "alibi")}}  # fmt: skip
    content = {"source": "docs/choosing.md", "about": words.ABOUT, "unit": "bits per byte", "baseline": base, "lengths": lengths, "mistakes": out}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


NUMBER = re.compile(r"(?<![\d.,])\d+\.\d+(?!\d|\.\d)")


def _sections(page: str) -> list[str]:
    """What a page's author wrote, section by section; of a table of published numbers what stands under `here` and `agrees?`."""
    own = re.sub(r"```.*?```", "", REGION.sub("", page), flags=re.DOTALL)
    lines = ["|".join(line.split("|")[3:]) if line.count("|") == 5 else line for line in own.splitlines()]
    return "\n".join(lines).split("\n## ")


def _values(rows: list[dict], wanted: set) -> dict[tuple, float]:
    """What the sources of said.py are in these rows."""
    prepared, costs = report.prepared(rows), {(scheme, mistake): more for scheme, mistake, _, more in report.costs(rows)}
    cells = {name: table.of(prepared) for name, table in TABLES.items()}

    def value(source: tuple) -> float:
        name, row, column, *other = source
        if name == "ranks":
            return report.ranks(TABLES[row], rows)[column]
        mean = costs[row, column].mean if name == "mistakes" else cells[name][row][column].mean
        return abs(mean - value((other[0] if len(other) == 3 else name, *other[-2:]))) if other else mean

    return {source: value(source) for source in wanted}


def outdated(rows: list[dict], texts: dict[str, list[str]]) -> list[str]:
    """What is wrong with numbers in sentences: those of no source, and sources that no sentence has. texts: sections by page, in the
    order of said.py, and the advice of `posenc choose`."""
    known = _values(rows, {source for each in sources.SAID.values() for source in each if isinstance(source, tuple)})
    out = []
    for page, sections in texts.items():
        names = [name for name in sources.SAID if (name == "choose") == (page == "decisions.py")]
        for name, section in zip(names, sections):
            shown, found = NUMBER.findall(section), set()
            for number in shown:
                digits = len(number.partition(".")[2])
                said = {s for s in sources.SAID[name] if (s == number if isinstance(s, str) else f"{known[s]:.{digits}f}" == number)}
                found |= said
                if not said:
                    out.append(f"{page}, {name}: {number} is none of the numbers of said.py")
            for source in sources.SAID[name]:
                if isinstance(source, tuple) and source not in found:
                    out.append(f"{page}, {name}: expected {known[source]:.4g} ({', '.join(map(str, source))}), got no such number")
    return out


def prose() -> dict[str, list[str]]:
    pages = {name: _sections((ROOT / "docs" / name).read_text(encoding="utf-8"))[1:] for name in ("choosing.md", "choosing.zh.md")}
    return {**pages, "decisions.py": ["\n".join(why for *_, why, _, _, _ in decisions.DECISIONS)]}


def made(rows: list[dict]) -> dict[pathlib.Path, str]:
    """Everything that stands on the results, by file."""
    out = {ROOT / "tool" / "cli" / "help" / "choose_data.inc": advice(rows), ROOT / "web" / "data" / "mistakes.json": mistakes(rows)}
    for name, language in (("choosing.md", "en"), ("choosing.zh.md", "zh")):
        file = ROOT / "docs" / name
        out[file] = page(file.read_text(encoding="utf-8"), rows, language)
    return out


def _told(rows: list[dict]) -> int:
    wrong = outdated(rows, prose())
    print("".join(line + "\n" for line in wrong), end="", file=sys.stderr)
    return int(bool(wrong))


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=pathlib.Path, help="a folder or file of results, kept in docs/lab/results.jsonl")
    parser.add_argument("--check", action="store_true", help="compares, and writes nothing")
    options = parser.parse_args(arguments)
    if options.rows:
        RESULTS.write_text(compact(merged(rows_of(RESULTS), rows_of(options.rows))), encoding="utf-8")
    rows = rows_of(RESULTS)
    late = [file for file, text in made(rows).items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    if options.check:
        for file in late:
            print(f"expected {file.relative_to(ROOT)} as docs/lab/make.py writes it, got another", file=sys.stderr)
        return bool(late) | _told(rows)
    for file, text in made(rows).items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for table in TABLES.values():
        plots.draw(table, report.plotted(table, rows), ROOT / "docs" / "images" / f"lab-{table.name}.svg")
    return _told(rows)


if __name__ == "__main__":
    sys.exit(main())
