"""Where the numbers of docs/choosing.md's own sentences come from, so that a new run shows which sentences no longer hold."""


def mean(table: str, row: str, *columns):
    """The mean of a cell, of one or several columns."""
    return [(table, row, column) for column in columns]


def minus(table: str, row: str, column, other: str, other_column):
    """What a cell's mean is above another one's, or below it."""
    return [(table, row, column, other, other_column)]


def added(scheme: str, *mistakes: str):
    return [("mistakes", scheme, mistake) for mistake in mistakes]


def rank(table: str, *schemes: str):
    return [("ranks", table, scheme) for scheme in schemes]


FULL, APART, TUNED, BACK, MASKED = "length-full", "length-apart", "rules-tuned", "retrieval", "encoder-length"
SWAPPED, ONE_FAR = "sines and cosines swapped", "every position one too far"
LAYOUT, TURNS = "other layout: pairs side by side, not halves", "sines and cosines swapped, which turns the other way"
LOST_GATES = minus(FULL, "forgetting", 4096, "alibi", 4096)
LOST_KERPLE = minus(FULL, "kerple", 4096, "alibi", 4096)
SLOW = mean(FULL, "t5 slow", 256)

# By section: what is measured, and as text what no row holds: settings, other machines, other people's numbers.
SAID = {
    "The short answer": [
        *mean(FULL, "alibi", 256, 4096), *LOST_GATES, *LOST_KERPLE, *mean(FULL, "t5", 256), *mean(FULL, "forgetting", 256), *SLOW,
        *(cell for s in ("t5", "rope") for cell in mean("encoder", s, "masked encoder")), "0.04",
    ],
    "How it was measured": ["4.9", "0.002", "0.001", "2.11"],
    "Running it again": ["3.1"],
    "At the trained length, and beyond it": [
        *mean(FULL, "alibi", 256, 1024, 2048, 4096), *minus(APART, "alibi", 256, "alibi", 4096), *minus(FULL, "alibi", 256, "alibi", 4096), *LOST_GATES,
        *(one for s in ("kerple", "cope", "shaw", "t5", "sandwich") for one in minus(FULL, s, 4096, s, 256)),
        *mean(FULL, "rope", 512), *mean(FULL, "sinusoidal", 256, 512), *mean(FULL, "learned", 512), *minus(FULL, "none", 256, "rope", 256),
        *SLOW, *mean(FULL, "t5 slow", 512), *mean(FULL, "t5", 256), *mean(FULL, "sinusoidal unscaled", 256), "0.02",
    ],
    "Length rules for rope": [
        *(("rules", rule, 512, FULL, "rope", 256) for rule in ("by-parts", "yarn")), *mean("rules", "linear", 512),
        *(cell for rule in ("by-parts", "llama3", "yarn", "no rule") for cell in mean(TUNED, rule, 1024)), *mean(FULL, "rope", 256),
    ],
    "Does an encoder need positions, and a decoder not?": [
        *(cell for s in ("none", "t5", "rope", "alibi", "t5 slow") for cell in mean("encoder", s, "masked encoder")), "0.03",
        *minus("encoder", "none", "causal decoder", "rope", "causal decoder"),
        *(cell for s in ("learned", "sinusoidal", "t5 slow") for cell in minus("encoder", s, "masked encoder", "rope", "masked encoder")),
        *mean(MASKED, "alibi", 4096), *mean(MASKED, "t5", 512, 1024, 4096), *mean(MASKED, "rope", 512, 1024, 4096),
        *mean(MASKED, "sinusoidal", 512), *mean(MASKED, "learned", 512),
    ],
    "Retrieval by distance": [
        "0.04", *mean(BACK, "alibi", 960, 1984), *mean(BACK, "rope under yarn", 1984, 4032), *mean(BACK, "rope under by-parts", 1984, 4032), "0.5",
    ],
    "Tasks that depend on order": ["0.40", "0.8", "0.5", "0.33", "0.16"],
    "Rope dropped late in training": [
        *mean("drop", "rope to the end", 256), *mean("drop", "rope to the end, then half as many steps without", 256),
        *minus("drop", "rope to the end, then half as many steps without", 256, "rope to the end", 256), *mean("drop", "never rope", 256),
        *mean("drop", "rope until 50% of the steps", 256), *mean("drop", "rope until 87.5% of the steps", 256), "87.5",
        *(cell for s in ("rope until 87.5% of the steps", "rope to the end") for cell in minus("drop", s, 4096, s, 256)),
    ],
    "Pictures at another resolution": [
        *(cell for s in ("grid-sinusoidal", "rope axial") for cell in (*mean("pictures", s, 48), *mean("pictures", f"{s} scaled", 48))), "0.24",
        *mean("pictures", "rope axial", 32),
    ],
    "Speed and memory": [
        *mean("speed", "none", "ms per step"), *(cell for s in ("rope 25%", "xpos") for cell in minus("speed", s, "ms per step", "none", "ms per step")), "13.0", "32.7",
    ],
    "What classic mistakes cost": [
        *added("rope", LAYOUT, TURNS, "keys one position too early", "cache forgotten: queries counted from 0, keys 1000 ahead"),
        *added("sinusoidal", SWAPPED, "sines then cosines, not side by side", "base 1000 for 10000", "degrees for radians", "columns counted, not pairs"),
        *added("sinusoidal", "an exponent for each column", ONE_FAR),
        *added("alibi", "sign reversed", "bias scaled with the scores", "slopes for twice the distance"),
        *added("learned", ONE_FAR), *added("t5", "buckets of an encoder in a decoder"),
        *(cell for first in (0, 1000) for cell in minus("angles", "angles in bf16", first, "angles exact", first)),
        *added("rope, dynamic and tuned", "scaling forgotten"), *added("rope, llama3 and tuned", "scaling forgotten"),
        *added("rope, yarn and tuned", "factor applied twice"), *added("rope, linear and tuned", "factor applied twice"),
    ],
    "Compared with published numbers": [
        *(cell for s in ("alibi", "rope", "sinusoidal") for cell in mean(APART, s, 256, 2048, 4096)), *mean(FULL, "alibi", 256, 4096),
        *minus(FULL, "alibi", 256, "alibi", 4096), *mean(APART, "t5", 256, 2048, 4096), *mean(APART, "t5 slow", 1024),
        *(cell for s in ("none", "t5", "rope") for cell in mean("encoder", s, "masked encoder")),
        *(cell for s in ("none", "sinusoidal", "learned") for cell in mean("encoder", s, "causal decoder")),
        *(cell for t in ("order-twice", "order-more") for cell in rank(t, "none", "alibi", "t5", "rope", "learned", "sinusoidal", "fire")),
        *mean("rules", "linear", 1024), *mean(TUNED, "linear", 1024), *mean(TUNED, "yarn", 1024), *mean("drop", "never rope", 256),
        *(cell for share in ("50%", "87.5%") for cell in mean("drop", f"rope until {share} of the steps", 256)), "87.5",
        *mean("drop", "rope to the end", 256), *mean("drop", "rope to the end, then half as many steps without", 256, 512, 1024),
        *minus("drop", "rope to the end, then half as many steps without", 256, "rope to the end", 256),
    ],
    "What is not known": [*minus(FULL, "t5 slow", 256, "t5", 256)],
    "choose": [
        "2.0", *LOST_GATES, *LOST_KERPLE, *minus("encoder", "rope", "masked encoder", "t5", "masked encoder"), *mean(MASKED, "alibi", 256, 4096),
        *mean(MASKED, "t5", 512), *mean(MASKED, "rope", 1024),
    ],
}  # fmt: skip
