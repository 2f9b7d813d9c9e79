"""Generated tasks of the lab: answers are checked by code of their own, text by text."""

import numpy as np
import pytest

from posenc.lab import corpora, tasks

CLOSES = {"(": ")", "[": "]"}


def _lego(prompt):
    values = {"1": 1}
    for name, sign, source in prompt.removesuffix(";").split(";"):
        values[name] = values[source] * (-1 if sign == "-" else 1)
    return "".join("+" if value > 0 else "-" for name, value in values.items() if name != "1")


def _dyck(prompt):
    open_ones = []
    for bracket in prompt:
        if bracket in CLOSES:
            open_ones.append(bracket)
        else:
            assert CLOSES[open_ones.pop()] == bracket
    return "".join(CLOSES[bracket] for bracket in reversed(open_ones))


def _flip_flop(prompt):
    written = None
    for at in range(0, len(prompt), 2):
        if prompt[at] == "w":
            written = prompt[at + 1]
    return written


def _addition(prompt):
    a, b = (int(number[::-1]) for number in prompt.split("+"))
    return str(a + b).zfill(len(prompt) // 2 + 1)[::-1]


ANSWERS = {
    "copy": lambda p: p,
    "reverse": lambda p: "".join(reversed(p)),
    "addition": _addition,
    "sorting": lambda p: "".join(sorted(p)),
    "summation": lambda p: "".join(str(sum(map(int, p[:end])) % 10) for end in range(1, len(p) + 1)),
    "parity": lambda p: "".join(str(p[:end].count("1") % 2) for end in range(1, len(p) + 1)),
    "lego": _lego,
    "dyck": _dyck,
    "flip-flop": _flip_flop,
    "selective copy": lambda p: p.replace(".", ""),
    "needle": lambda p: p[p.index(p[-1]) + 1],
}


def test_every_task_is_checked():
    assert set(ANSWERS) == set(tasks.TASKS)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("task", tasks.TASKS)
def test_answers(task, n):
    if task == "needle" and n < 3:
        n += 2  # room for a pair
    made = tasks.texts(task, np.random.default_rng(n), 50, n)
    assert made.tokens.shape == made.scored.shape and made.tokens.shape[1] <= tasks.width_of(task, n)
    for text, scored in zip(made.tokens, made.scored):
        whole = text.tobytes().decode()
        prompt, answer = whole[1:].split("=")
        expected = ANSWERS[task](prompt) + "\n"
        assert answer[: len(expected)] == expected
        assert "".join(np.array(list(whole))[scored]) == expected
    assert len({t.tobytes() for t in made.tokens}) > 1


def test_padding_is_not_scored():
    made = tasks.texts("copy", np.random.default_rng(0), 3, 4, width=20)
    assert made.tokens.shape == (3, 20)
    assert (made.tokens[:, 11:] == tasks.PAD).all() and not made.scored[:, 11:].any()
    with pytest.raises(ValueError, match="expected a width of at least 11 for copy of 4, got 10"):
        tasks.texts("copy", np.random.default_rng(0), 3, 4, width=10)


def test_needles_stand_where_they_are_said_to():
    text, at, digits, names = tasks.haystack(np.random.default_rng(0), 20, 30, 5)
    for row in range(20):
        places = [i for i, byte in enumerate(text[row]) if chr(byte).isupper()]
        assert places == list(at[row]) and [text[row, i + 1] for i in places] == list(digits[row])
        assert sorted(text[row, places]) == sorted(set(names[row]))


def test_corpus_of_files(tmp_path):
    for name in range(20):
        (tmp_path / f"{name:02}.txt").write_bytes(bytes([name + 1]) * 100)
    trained, held_out = corpora.load([str(tmp_path)])
    kept = {int(b[0]) for b in held_out}
    assert len(held_out) == 2 and set(trained) - {0} == set(range(1, 21)) - kept
    assert corpora.segments(held_out, 5, 60).shape == (2, 60)
    assert corpora.segments(held_out, 5, 150).shape == (1, 150)
    with pytest.raises(ValueError, match="expected held-out text of at least 500 bytes, got 200"):
        corpora.segments(held_out, 5, 500)
    with pytest.raises(ValueError, match="expected a file or a folder"):
        corpora.load([str(tmp_path / "nowhere")])


def test_corpus_of_python_holds_its_own_modules():
    names = {p.name for p in corpora.python_files()}
    assert {"argparse.py", "tokenize.py"} <= names
