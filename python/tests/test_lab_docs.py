"""What stands on the lab's results is what docs/lab/make.py makes of them, and advice follows from them."""

import importlib.util
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def make():
    spec = importlib.util.spec_from_file_location("lab_make", ROOT / "docs" / "lab" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    for name in ("lab_report", "lab_plots", "lab_decisions", "lab_words", "lab_said"):
        sys.modules.pop(name, None)


def test_up_to_date(make, capsys):
    assert make.main(["--check"]) == 0, capsys.readouterr().err


def test_advice_that_does_not_follow_is_refused(make):
    cell = make.report.Cell
    column = [("a", cell((1.0, 1.1))), ("b", cell((1.1, 1.2))), ("c", cell((2.0, 2.1)))]
    make.expect_best("a", column)
    make.expect_best("b", column)
    with pytest.raises(ValueError, match="the advice is c with 2.050 ± 0.071, but a has 1.050 ± 0.071"):
        make.expect_best("c", column)
    with pytest.raises(ValueError, match="expected d among a, b, c"):
        make.expect_best("d", column)


def test_numbers_in_sentences_are_those_of_the_rows(make):
    rows, prose = make.rows_of(make.RESULTS), make.prose()
    assert make.outdated(rows, prose) == []
    assert [len(sections) for sections in prose.values()] == [len(make.sources.SAID) - 1] * 2 + [1]
    changed = {**prose, "choosing.zh.md": [text.replace("0.785", "0.786") for text in prose["choosing.zh.md"]]}
    assert {line.partition(":")[0] for line in make.outdated(rows, changed)} == {
        f"choosing.zh.md, {name}" for name in ("The short answer", "At the trained length, and beyond it", "Compared with published numbers")
    }
    other = [{**r, "value": r["value"] + 0.01} if r["kind"] == "encoder" and r["scheme"] == "alibi" else r for r in rows]
    assert {line.partition(":")[0] for line in make.outdated(other, prose)} == {
        *(f"{page}, Does an encoder need positions, and a decoder not?" for page in ("choosing.md", "choosing.zh.md")), "decisions.py, choose"
    }


def test_every_case_has_advice_and_every_best_is_checked(make):
    rows = make.rows_of(make.RESULTS)
    assert make.decisions.DECISIONS[-1][:3] == ("", "", "")
    for *_, scheme, why, then, stands_on, claim in make.decisions.DECISIONS:
        assert why and then
        if claim == "best":
            make.expect_best(scheme, make.column_of(rows, *stands_on))


def test_pages_of_both_languages_have_the_same_tables(make):
    english, chinese = ((ROOT / "docs" / name).read_text() for name in ("choosing.md", "choosing.zh.md"))
    rows = make.rows_of(make.RESULTS)
    names = [match[1] for match in make.REGION.findall(english)]
    assert names and names == [match[1] for match in make.REGION.findall(chinese)]
    for name in names:
        tables = [t for t in make.TABLES.values() if t.question == make.TABLES[name].question]
        plotted = [t.name for t in tables if any(make.plots.shown(t, make.report.plotted(t, rows)))]
        assert plotted, f"expected a plot for the question of {name}"
        for plot in plotted:
            assert f"images/lab-{plot}.svg" in english and f"images/lab-{plot}.svg" in chinese
            assert (ROOT / "docs" / "images" / f"lab-{plot}.svg").exists()


def test_every_mistake_has_a_name_in_chinese_and_every_one_of_the_page_is_measured(make):
    source = (ROOT / "python" / "posenc" / "lab" / "mistakes.py").read_text()
    measured = re.findall(r'Mistake\("[a-z0-9]+", "([^"]+)"', source)
    assert len(measured) > 10 and set(measured) <= set(make.words.KEYS) and set(make.words.KEYS) <= set(make.words.CHINESE)
    page = set(re.findall(r"\bm_[a-z0-9]+", (ROOT / "web" / "pictures" / "mistakes.js").read_text()))
    assert page == {*make.words.KEYS.values(), "m_f32", "m_bf16"}


def test_trials_that_were_run_again_take_the_place_of_the_old_ones(make):
    def row(kind, value, **more):
        return {"kind": kind, "scheme": "rope", "seed": 0, **more, "value": value}

    def trial(name, seconds):
        return {"kind": "trial", "trial": name, "seconds": seconds}

    kept = [row("decoder", 1.0, length=256), row("tuned", 1.0, rule="yarn"), row("drop", 1.0, dropped=0.5), trial("decoder-rope-s0", 9)]
    gone = [row("tuned", 2.0, rule="ntk", length=256), row("tuned", 2.0, rule="ntk", length=512), row("rules", 2.0, rule="ntk")]
    gone += [row("rules", 2.0, rule="yarn"), trial("tuned-rope-ntk-s0", 9)]
    new = [row("tuned", 3.0, rule="ntk"), row("rules", 3.0, rule="ntk"), trial("tuned-rope-ntk-s0", 8)]
    assert make.merged(kept + gone, new) == kept + new
