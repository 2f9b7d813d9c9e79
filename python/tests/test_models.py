"""explain(), diff(), lint(), check() and identify() tell what the tool tells."""

import json
import pathlib
import subprocess

import numpy as np
import pytest

import posenc

ROOT = pathlib.Path(__file__).parents[2]
TOOLS = [ROOT / "build" / preset / "tool/cli/posenc" for preset in ("dev", "release")]
TOOL = max((t for t in TOOLS if t.exists()), key=lambda t: t.stat().st_mtime, default=None)
FIXTURES = {
    name: case["config"]
    for path in sorted((ROOT / "tests/model/fixtures").glob("*.json"))
    for name, case in json.loads(path.read_text()).items()
    if "config" in case
}
LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
    "max_position_embeddings": 131072, "rope_theta": 500000.0,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192},
}  # fmt: skip


def told(*words):
    done = subprocess.run([TOOL, *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout else None


def expect_told(got, want):
    """What the tool prints, but for the version of its format and the path that it gives what has none."""
    got = json.loads(json.dumps(got))
    assert {k: v for k, v in got.items() if k not in PATHS} == {k: want[k] for k in got if k not in PATHS}


PATHS = ("path", "first", "second")


@pytest.mark.skipif(TOOL is None, reason="the tool is not built")
@pytest.mark.parametrize("name", list(FIXTURES)[::5])
def test_explain_is_the_tools_json(name):
    want = told("explain", json.dumps(FIXTURES[name]), "--frequencies")
    if want is None:
        with pytest.raises(ValueError):
            posenc.explain(FIXTURES[name])
        return
    got = posenc.explain(FIXTURES[name], frequencies=True)
    assert got["path"] is None
    expect_told(got, want)


def test_every_known_configuration_is_explained_and_ready():
    assert len(FIXTURES) > 200
    ready = 0
    for config in FIXTURES.values():
        try:
            parts = posenc.explain(config)["components"]
        except ValueError:
            continue  # some are there to be refused
        made = posenc.encodings(config)
        assert len(made) == len(parts)
        for (where, scheme), part in zip(made.items(), parts):
            assert where == part["where"] or where.startswith(f"{part['where']}, {part['scheme']}")
            assert (scheme is not None) == ("options" in part)
            if scheme is not None:
                assert (scheme.name, scheme.to_dict()) == (part["options_of"], part["options"])
                ready += 1
    assert ready > 150


def test_parts_in_one_place_and_convolutions_are_given_too():
    sam = {"model_type": "sam_vision_model"}
    made = posenc.encodings(sam)
    assert list(made) == ["vision", "vision, shaw", "vision, shaw 2"]
    assert (made["vision, shaw"].height, made["vision, shaw 2"].height) == (14, 64)
    speech = {"model_type": "wav2vec2", "hidden_size": 32, "num_conv_pos_embedding_groups": 4}
    (wav2vec,) = posenc.encodings(speech).values()
    assert isinstance(wav2vec, posenc.Convolution) and (wav2vec.dim, wav2vec.groups) == (32, 4)


def test_a_type_that_no_rule_covers_is_read_as_asked(tmp_path):
    config = {**LLAMA, "model_type": "mystery"}
    with pytest.raises(ValueError, match='as_type "llama" asks for it'):
        posenc.explain(config)
    (tmp_path / "config.json").write_text(json.dumps(config))
    (want,) = posenc.explain(LLAMA)["components"]
    for given in (config, json.dumps(config), tmp_path):
        (part,) = posenc.explain(given, as_type="llama")["components"]
        assert part.pop("assumed") == "read as llama, as asked"
        assert {**part, "keys": want["keys"]} == want
    assert posenc.encodings(config, as_type="llama") == posenc.encodings(LLAMA)


def test_explain_takes_paths_dicts_json_and_configurations(tmp_path):
    class Config:
        def to_dict(self):
            return LLAMA

    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = [posenc.explain(x)["components"] for x in (LLAMA, json.dumps(LLAMA), Config(), tmp_path, str(tmp_path / "config.json"))]
    assert all(p == parts[0] for p in parts)
    (text,) = parts[0]
    assert (text["scheme"], text["base"], text["usable_length"], text["layout"]) == ("rope", 500000, 131072, "half")
    assert posenc.scheme("rope", **text["options"]) == posenc.Rope("llama3.1")
    assert "frequencies" in posenc.explain(LLAMA, frequencies=True)["components"][0]


def test_identify_names_scheme_and_mistake():
    right = posenc.identify(posenc.Sinusoidal(dim=64).table(200))
    assert right["match"] == "paper" and right["mistake"] is None
    wrong = posenc.identify(posenc.Sinusoidal(dim=64, base=1000).table(200))
    assert wrong["mistake"] == "wrong-base" and "base" in wrong["sentence"]
    assert posenc.Sinusoidal(**wrong["options"]).base == 1000
    turns = posenc.identify(posenc.Rope("llama3.1").table(512))
    assert turns["kind"] == "rope" and turns["options"]["scaling"]["type"] == "llama3"
    assert posenc.identify(posenc.Alibi(heads=8).bias(32, 32))["kind"] == "alibi"
    assert posenc.identify(np.random.default_rng(0).standard_normal((64, 32)))["match"] is None


@pytest.mark.skipif(TOOL is None, reason="the tool is not built")
def test_identify_is_the_tools_json(tmp_path):
    table = posenc.Sinusoidal("tensor2tensor", dim=32).table(100)
    np.save(tmp_path / "table.npy", table)
    expect_told(posenc.identify(table), told("identify", str(tmp_path / "table.npy")))


GEMMA = {
    "model_type": "gemma3_text", "hidden_size": 1152, "num_attention_heads": 4, "head_dim": 256, "num_hidden_layers": 26,
    "sliding_window": 512,
}  # fmt: skip
BEIT = {"model_type": "beit", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "image_size": 32, "patch_size": 16}


def test_diff_names_facts_and_phases(tmp_path):
    assert posenc.diff(LLAMA, LLAMA)["same"]
    found = posenc.diff(LLAMA, {"rope_theta": 10000.0}, lengths=[2, 4096])
    (part,) = found["components"]
    assert not found["same"] and part["facts"] == [{"name": "base", "first": 500000.0, "second": 10000.0}]
    assert [p["length"] for p in part["phases"]] == [2, 4096]
    first, second = (posenc.encodings(c)["text"].inv_freq for c in (LLAMA, {**LLAMA, "rope_theta": 10000.0}))
    assert part["phases"][1]["worst_phase"] == np.abs(first - second).max() * 4095
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert posenc.diff(tmp_path, {"rope_scaling": {"factor": 8.0}})["same"]  # joined with what is there
    assert posenc.diff(LLAMA, GEMMA)["only_second"] == [] and len(posenc.diff(LLAMA, GEMMA)["components"]) == 2
    with pytest.raises(ValueError, match=r"\[diff\] expected lengths of whole numbers from 1 to 2\^31, got 0"):
        posenc.diff(LLAMA, LLAMA, lengths=[0])
    with pytest.raises(TypeError, match=r"\[diff\] expected a list of lengths, got int"):
        posenc.diff(LLAMA, LLAMA, lengths=4096)


def test_lengths_may_be_numbers_of_numpy():
    second = {"rope_theta": 10000.0}
    assert posenc.diff(LLAMA, second, lengths=np.array([2, 4096])) == posenc.diff(LLAMA, second, lengths=[2, 4096])


@pytest.mark.skipif(TOOL is None, reason="the tool is not built")
@pytest.mark.parametrize("second", [{"rope_theta": 1e6}, {"rope_scaling": None}, LLAMA, GEMMA, BEIT], ids=range(5))
@pytest.mark.parametrize("first", [LLAMA, GEMMA, BEIT], ids=range(3))
def test_diff_is_the_tools_json(first, second):
    want, got = told("diff", json.dumps(first), json.dumps(second)), posenc.diff(first, second)
    for of in (want, got):
        for part in of["components"]:
            part["facts"] = [fact["name"] for fact in part["facts"]]  # the tool tells them as text
    expect_told(got, want)


def test_lint_finds_conflicts_and_ignored_keys():
    assert posenc.lint(LLAMA) == {"path": None, "findings": [], "traps": posenc.lint(LLAMA)["traps"]}
    found = posenc.lint({**LLAMA, "rope_thetaa": 3, "rotary_pct": 0.5})
    assert found["findings"] and {n["kind"] for n in found["findings"]} <= {"conflict", "ignored"}
    traps = [n for n in posenc.explain(GEMMA)["notes"] if n["kind"] == "trap"]
    assert traps and posenc.lint(GEMMA)["traps"] == traps and not posenc.lint(GEMMA)["findings"]
    assert posenc.lint(GEMMA, strict=True) == {"path": None, "findings": traps, "traps": []}


def test_check_shows_claims_on_numbers():
    verdicts = {p["name"]: p["verdict"] for p in posenc.check(posenc.Sinusoidal(dim=64))}
    assert verdicts["unique-rows"] == verdicts["fastest-first"] == "holds"
    assert "fails" in {p["verdict"] for p in posenc.check(posenc.Sinusoidal("per-column", dim=64))}
    assert posenc.check(posenc.Rope("llama3.1")) and posenc.check(posenc.Alibi(heads=4), tokens=32)
    t5 = posenc.T5Bias(heads=2)
    assert posenc.check(t5) == posenc.check(t5, t5.initial_weights()) != posenc.check(t5, t5.initial_weights(seed=1))
    assert posenc.check(posenc.Rope(layout="half", scaling=posenc.DynamicNtk(factor=2.0)))
    for wrong, kind in (("rope", TypeError), (posenc.Cope(), ValueError), (posenc.Convolution(), ValueError)):
        with pytest.raises(kind, match=r"\[check\] expected"):
            posenc.check(wrong)


@pytest.mark.skipif(TOOL is None, reason="the tool is not built")
@pytest.mark.parametrize("words,scheme", [
    (["sinusoidal", "--dim", "64"], posenc.Sinusoidal(dim=64)), (["rope", "--preset", "deepseek-v3"], posenc.Rope("deepseek-v3")),
    (["alibi"], posenc.Alibi()),
], ids=["sinusoidal", "rope", "alibi"])  # fmt: skip
def test_check_is_the_tools_json(words, scheme):
    assert posenc.check(scheme) == told("check", *words)["properties"]
