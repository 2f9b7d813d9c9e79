"""The installed transformers: every model type has a rule here, and what its class fills in is what the rule assumes."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

import pytest

import posenc

auto = pytest.importorskip("transformers.models.auto.configuration_auto")
TYPES = list(auto.CONFIG_MAPPING_NAMES)
ROOT = pathlib.Path(__file__).parents[3]
WRITTEN = ROOT / "src/model/families/class_defaults.inc"


def release(text):
    return [int(number) for number in re.search(r"(\d+)[.](\d+)", text).groups()]


# Older classes fill in other numbers, and more of them make nothing of nothing.
newest = pytest.mark.skipif(
    release(importlib.metadata.version("transformers")) < release(WRITTEN.read_text()), reason="the defaults here are of newer classes"
)
KEPT = {"fuyu": "its class lost the base of 25000 that version 4 had"}
# What cannot be made of nothing, and why.
UNMADE = {
    "gemma4_assistant": "its text may have no hidden_size_per_layer_input, which is 256 unless told",
    "nougat": "its encoder, donut_swin, is no type of its own",
}
# Where the defaults contradict each other in the class itself: part of a finding. Released models have other sizes.
SECTIONS = "mrope_section 8,12,12, the default of its class, is not for the 64 pairs that rotate"
ODD_HEADS = "hidden_size = 4096 is no multiple of 96 heads"
WRONG = {
    **dict.fromkeys(["glm46v", "glm4v", "glm4v_text", "glm_image", "glm_image_text", "glmga"], SECTIONS),
    **dict.fromkeys(["glm4_moe", "glm4v_moe", "glm4v_moe_text"], ODD_HEADS),
    **dict.fromkeys(["qwen3_omni_moe", "qwen3_omni_moe_text", "qwen3_omni_moe_thinker"], "hidden_size = 2048 is no multiple of 28 heads"),
    "qwen3_omni_moe_talker_text": "mrope_section 24,20,20 is for more than the 32 pairs that rotate",
}


def told(config):
    """The components, or the sentence that says why there are none."""
    try:
        return posenc.explain(config)["components"]
    except ValueError as error:
        return str(error)


def by_place(components):
    out = {}
    for part in components:
        out.setdefault(part["where"], []).append(part)
    return out


def differences(ours, theirs):
    """What both say of a part, where it is not the same; a bare file may lack parts that the class fills in."""
    ours, theirs = by_place(ours), by_place(theirs)
    for where in ours:
        if len(ours[where]) != len(theirs.get(where, [])):
            continue
        for mine, other in zip(ours[where], theirs[where]):
            for fact in sorted(set(mine) & set(other) - {"keys"}):
                if mine[fact] != other[fact]:
                    yield f"{where}: {fact} is {mine[fact]} here, {other[fact]} in the class"


def filled(model_type):
    """A configuration as the class makes it of nothing; None where it cannot."""
    try:
        return {**auto.CONFIG_MAPPING[model_type]().to_dict(), "model_type": model_type}
    except Exception:  # some classes need parts, or packages
        return None


def test_every_type_has_a_rule():
    without = [t for t in TYPES if "not known" in str(told({"model_type": t}))]
    assert not without, "no row in src/model/families names these types of transformers"


@newest
@pytest.mark.parametrize("model_type", TYPES)
def test_class_defaults_are_those_assumed(model_type):
    whole, ours = filled(model_type), told({"model_type": model_type})
    if whole is None or isinstance(ours, str):
        pytest.skip("its class makes nothing of nothing, or its parts must be written")
    theirs = told(whole)
    assert not isinstance(theirs, str), theirs
    found = list(differences(ours, theirs))
    assert bool(found) == (model_type in KEPT), found or KEPT[model_type]


@newest
@pytest.mark.parametrize("model_type", TYPES)
def test_class_defaults_have_no_finding(model_type):
    """What the class itself writes into a file is read, or told as unused."""
    whole = filled(model_type)
    assert (whole is None) == (model_type in UNMADE), UNMADE.get(model_type, "its class makes nothing of nothing")
    if whole is None:
        pytest.skip(UNMADE[model_type])
    found = [note["text"] for note in posenc.lint(whole)["findings"]]
    if model_type in WRONG:
        assert any(WRONG[model_type] in text for text in found), found
    else:
        assert not found


@newest
def test_class_defaults_are_written_from_the_installed_transformers():
    script = ROOT / "tests/model/class_defaults.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert made.splitlines()[1:] == WRITTEN.read_text().splitlines()[1:], f"{script} > {WRITTEN} writes them anew"
