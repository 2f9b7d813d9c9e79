"""Tables of the lab, from rows that are written here."""

import math

import pytest

from posenc.lab import report


def _decoder(scheme, seed, length, scoring, value):
    return {"kind": "decoder", "scheme": scheme, "seed": seed, "length": length, "scoring": scoring, "value": value}


ROWS = [
    {"kind": "trial", "trial": "x", "profile": "full", "seconds": 3.5, "device": "a GPU", "torch": "2"},
    *(_decoder("rope", seed, 256, "full", 1.0 + 0.1 * seed) for seed in range(3)),
    *(_decoder("rope", seed, 512, "full", 3.0) for seed in range(3)),
    _decoder("rope", 0, 256, "apart", 1.2),
    _decoder("alibi", 0, 256, "full", 0.9),
    _decoder("alibi", 0, 512, "full", 0.8),
]


def _table(name):
    return next(t for t in report.TABLES if t.name == name)


def test_means_and_deviations():
    assert report.table_text(_table("length-full"), ROWS) == (
        "|  | 256 | 512 |\n| --- | --- | --- |\n| alibi | 0.900 | 0.800 |\n| rope | 1.100 ± 0.100 | 3.000 ± 0.000 |"
    )
    assert "1.200" in report.table_text(_table("length-apart"), ROWS)
    assert report.table_text(_table("pictures"), ROWS) == ""


def test_costs_are_counted_seed_by_seed():
    def row(name, seed, value, length=256):
        return {"kind": "mistakes", "scheme": "rope", "seed": seed, "mistake": name, "length": length, "value": value}

    rows = [row("none", 0, 1.0), row("none", 1, 2.0), row("none", 0, 9.0, 128), row("swapped", 0, 1.5), row("swapped", 1, 2.7)]
    ((scheme, name, bits, added),) = report.costs(rows)
    assert (scheme, name) == ("rope", "swapped")
    assert bits.mean == pytest.approx(2.1) and added.mean == pytest.approx(0.6)
    assert added.deviation == pytest.approx(math.sqrt(2) * 0.1)


def test_reciprocal_ranks_of_equals_are_shared():
    def row(scheme, task, items, value):
        return {"kind": "order", "scheme": scheme, "seed": 0, "task": task, "items": items, "value": value}

    rows = [row(s, t, 20, 1.0) for s in "abc" for t in ("copy", "parity")]
    rows += [row("a", "copy", 40, 0.9), row("b", "copy", 40, 0.5), row("c", "copy", 40, 0.5)]
    rows += [row("a", "parity", 40, 0.1), row("b", "parity", 40, 0.2), row("c", "parity", 40, 0.0)]
    assert report.ranks(_table("order-twice"), rows) == pytest.approx({"a": (1 + 1 / 2) / 2, "b": (1 / 2.5 + 1) / 2, "c": (1 / 2.5 + 1 / 3) / 2})


def test_means_over_tasks_are_counted_seed_by_seed():
    def row(seed, task, items, value):
        return {"kind": "order", "scheme": "a", "seed": seed, "task": task, "items": items, "value": value}

    rows = [row(seed, task, 10, 1.0) for seed in (0, 1) for task in ("copy", "parity")]
    rows += [row(0, "copy", 15, 0.1), row(0, "parity", 15, 0.3), row(1, "copy", 15, 0.5), row(1, "parity", 15, 0.3), row(0, "copy", 20, 0.9)]
    assert report.table_text(_table("order-more"), rows) == (
        "|  | copy | parity | mean | reciprocal rank |\n| --- | --- | --- | --- | --- |\n"
        "| a | 0.30 ± 0.28 | 0.30 ± 0.00 | 0.30 ± 0.14 | 1.00 |"
    )


def test_a_page_and_its_plots(tmp_path):
    pytest.importorskip("matplotlib")
    report.write(ROWS, tmp_path)
    page = (tmp_path / "report.md").read_text()
    assert "1 trials" in page and "a GPU" in page and "## A full window before each byte" in page
    first = (tmp_path / "length-full.svg").read_bytes()
    assert b"rope" in first or b"<svg" in first
    report.write(ROWS, tmp_path)
    assert (tmp_path / "length-full.svg").read_bytes() == first
    assert not (tmp_path / "speed.svg").exists()
    speed = {"kind": "speed", "scheme": "rope", "seed": 0, "measure": "ms per step", "value": 3.0}
    report.write([speed, {**speed, "scheme": "none"}], tmp_path)
    assert b"ms per step" in (tmp_path / "speed.svg").read_bytes() and b"peak MB" not in (tmp_path / "speed.svg").read_bytes()
