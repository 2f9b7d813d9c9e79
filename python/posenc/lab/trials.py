"""Which questions there are, and which trials answer them: as data.

A trial trains one model (or reads one that another trial trained) and gives rows of results. Trials do not know of each
other but by name, so that any worker can take any of them.
"""

from __future__ import annotations

import dataclasses
import re

from .encodings import schemes_of_text
from .mistakes import MISTAKES, RULES
from .models import Size
from .shapes import GRID_SCHEMES


@dataclasses.dataclass(frozen=True)
class Profile:
    """How large everything is."""

    name: str
    size: Size
    context: int  # bytes of text trained on
    rows: int  # texts of a step
    steps: int
    rate: float  # of AdamW, at its highest
    factors: tuple[int, ...]  # lengths that are read, in contexts
    segments: int  # files that are scored, a longest length of bytes in each
    items: int  # of generated tasks: trained on up to so many, read with twice as many
    task_rows: int
    task_steps: int
    pool: int  # texts of each task and length
    picture_side: int
    picture_steps: int
    tuned_steps: int
    seeds: int

    @property
    def longest(self) -> int:
        return self.context * max(self.factors)


PROFILES = {
    "full": Profile(
        "full", Size(6, 256, 8), context=256, rows=64, steps=1200, rate=2e-3, factors=(1, 2, 4, 8, 16), segments=8, items=10, task_rows=256,
        task_steps=3000, pool=4000, picture_side=32, picture_steps=800, tuned_steps=150, seeds=3,
    ),
    "quick": Profile(
        "quick", Size(2, 64, 4), context=64, rows=16, steps=200, rate=4e-3, factors=(1, 2, 4), segments=4, items=6, task_rows=64, task_steps=200,
        pool=200, picture_side=16, picture_steps=100, tuned_steps=20, seeds=1,
    ),
    "tiny": Profile(  # of tests
        "tiny", Size(1, 16, 2), context=32, rows=2, steps=8, rate=1e-3, factors=(1, 4), segments=1, items=3, task_rows=2, task_steps=2, pool=4,
        picture_side=16, picture_steps=2, tuned_steps=1, seeds=1,
    ),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Trial:
    kind: str
    scheme: str
    seed: int
    case: str = ""  # what else it varies: a rule, a share of the steps
    tier: int = 1  # those of the lowest tier come first, all of their seeds

    @property
    def name(self) -> str:
        return re.sub(r"[^a-z0-9.]+", "-", f"{self.kind} {self.scheme} {self.case} s{self.seed}".lower())

    @property
    def start(self) -> "Trial | None":
        """The trial whose model this one reads."""
        return Trial("decoder", self.scheme, self.seed) if self.kind in ("rules", "tuned", "mistakes", "retrieval") else None


@dataclasses.dataclass(frozen=True)
class Group:
    """Trials of one kind: every scheme with every case."""

    tier: int
    kind: str
    schemes: tuple[str, ...]
    cases: tuple[str, ...] = ("",)


MAIN = ("sinusoidal", "t5", "rope", "alibi", "none", "learned")
FIRST = ("t5 slow", "sinusoidal unscaled")  # as first tried, before what they are scaled or trained by was changed
MORE = ("fire", "kerple", "rope 25%", "xpos", "sandwich")
GATES = ("forgetting",)  # makes scores in memory, as those below: a step takes twice as long
READING = ("shaw", "cope")  # a step takes four times as long as one of rope
WRONG = tuple(dict.fromkeys(m.scheme for m in MISTAKES))


@dataclasses.dataclass(frozen=True)
class Question:
    title: str
    groups: tuple[Group, ...]


QUESTIONS = {
    "length": Question(
        "Quality at the trained length, and beyond it",
        (Group(1, "decoder", MAIN), Group(2, "decoder", FIRST), Group(4, "decoder", (*MORE, *GATES))),
    ),
    "rules": Question(
        "Length rules for rope, at test time and after a short fine-tune",
        (Group(2, "rules", ("rope",)), Group(3, "tuned", ("rope",), RULES)),
    ),
    "mistakes": Question("What classic mistakes cost", (Group(2, "mistakes", WRONG),)),
    "encoder": Question(
        "Does an encoder need positions, and a decoder not?",
        (Group(1, "decoder", MAIN), Group(2, "encoder", (*MAIN, *FIRST))),
    ),
    "order": Question(
        "Tasks that depend on order, up to twice the trained length", (Group(6, "order", MAIN), Group(7, "order", ("fire",)))
    ),
    "retrieval": Question("Retrieval by distance", (Group(4, "retrieval", MAIN), Group(4, "retrieval", (*MORE, *GATES)))),
    "drop": Question(
        "Rope dropped late in training", (Group(1, "decoder", ("rope", "none")), Group(7, "drop", ("rope",), ("1.0", "0.875", "0.5")))
    ),
    "pictures": Question("Pictures read at another resolution", (Group(5, "pictures", GRID_SCHEMES),)),
    "reading": Question("Decoders whose terms read queries or keys", (Group(8, "decoder", READING),)),
    "speed": Question("Speed and memory of a training step", (Group(0, "speed", (*MAIN, *MORE, *GATES, *READING)),)),
}
QUICK = {  # what --quick leaves in
    "length": ("rope", "alibi", "none", "sinusoidal", "t5"), "encoder": ("rope", "none", "sinusoidal", "alibi", "t5"),
    "mistakes": ("rope", "sinusoidal", "alibi"), "order": ("rope", "alibi", "none", "t5"), "retrieval": ("rope", "alibi", "none"),
    "pictures": ("none", "learned-grid", "grid-sinusoidal", "rope axial", "window"), "speed": ("none", "rope", "alibi", "t5"), "reading": (),
}  # fmt: skip


FIXED = ("rules", "tuned", "mistakes", "drop")  # kinds that have no other schemes than their own


def _schemes(group: Group) -> tuple[str, ...]:
    """All that trials of this group can be of."""
    if group.kind in FIXED:
        return group.schemes
    return GRID_SCHEMES if group.kind == "pictures" else tuple(schemes_of_text(group.kind != "encoder"))


def _of(question: str, profile: Profile, seeds: int, schemes: tuple[str, ...] | None) -> list[Trial]:
    out = []
    for group in QUESTIONS[question].groups:
        kept = group.schemes
        if profile.name == "quick":
            kept = tuple(s for s in kept if s in QUICK.get(question, kept))
        if schemes is not None:
            kept = tuple(s for s in schemes if s in _schemes(group))
        count = 1 if group.kind == "speed" else seeds
        cases = group.cases[:2] if profile.name == "quick" else group.cases
        out += [Trial(group.kind, s, seed, case, group.tier) for s in kept for case in cases for seed in range(count)]
    return out


def trials(
    profile: Profile, questions: list[str] | None = None, seeds: int | None = None, schemes: list[str] | None = None
) -> list[Trial]:
    """The trials of these questions, most wanted first; those that another one starts from are among them."""
    wanted: dict[str, Trial] = {}
    for question in questions or QUESTIONS:
        if question not in QUESTIONS:
            raise ValueError(f"[lab] expected a question, one of {', '.join(QUESTIONS)}, got {question}")
        for trial in _of(question, profile, seeds or profile.seeds, tuple(schemes) if schemes else None):
            start = [dataclasses.replace(trial.start, tier=trial.tier)] if trial.start else []
            for each in (*start, trial):
                known = wanted.get(each.name)
                if known is None or each.tier < known.tier:
                    wanted[each.name] = each
    asked = {s for question in questions or QUESTIONS for group in QUESTIONS[question].groups for s in _schemes(group)}
    for scheme in schemes or ():
        if scheme not in asked:
            raise ValueError(f"[lab] expected schemes that the questions can be asked of, {', '.join(sorted(asked))}, got {scheme}")
    return sorted(wanted.values(), key=lambda t: (t.tier, t.seed))
