"""Options of rope in the words of a config.json."""

import pytest

import posenc

YARN = {"factor": 4.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0}
OWN = posenc.Rope(dim=64, layout="half", base=1e6, scaling=posenc.Yarn(**YARN))


@pytest.mark.parametrize(
    "said",
    [
        {"base": 1e6, "scaling": {"type": "yarn", **YARN}},
        {"base": 1e6, "scaling": {"rope_type": "yarn", **YARN}},
        {"base": 1e6, "scaling": {**YARN, "rope_type": "yarn", "type": "yarn"}},  # transformers 4 wrote both
        {"rope_theta": 1000000, "rope_scaling": {"rope_type": "yarn", **YARN}},
        {"scaling": {"rope_type": "yarn", "rope_theta": 1e6, **YARN}},
        {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, **YARN}},
        {"rope_parameters": {"rope_theta": 1e6, **YARN, "rope_type": "yarn"}, "base": 1e6},
    ],
    ids=range(7),
)
def test_the_words_of_hugging_face(said):
    assert posenc.Rope(dim=64, layout="half", **said) == OWN
    assert posenc.scheme("rotary", dim=64, layout="half", **said) == OWN


def test_no_rule_and_part_of_the_head():
    plain = posenc.Rope(dim=64, layout="half", rotary_dim=16)
    for said in (
        {"rope_scaling": None, "partial_rotary_factor": 0.25},
        {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}},
        {"rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.25}},
    ):
        assert posenc.Rope(dim=64, layout="half", **said) == plain
    gemma = {"rope_type": "proportional", "partial_rotary_factor": 0.5}  # that rule's own option
    assert posenc.Rope(dim=64, layout="half", rope_parameters=gemma) == posenc.Rope(
        dim=64, layout="half", scaling=posenc.Proportional(partial_rotary_factor=0.5)
    )
    phi = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32, "original_max_position_embeddings": 4096}
    assert posenc.Rope(dim=64, layout="half", rope_scaling={"type": "su", **phi}) == posenc.Rope(
        dim=64, layout="half", scaling=posenc.LongRope(**phi)
    )


def test_sections_of_several_axes():
    for more, axes in (({}, "chunked"), ({"mrope_interleaved": False}, "chunked"), ({"mrope_interleaved": True}, "alternating")):
        own = posenc.Rope(dim=128, layout="half", base=1e6, axes={"type": axes, "sections": [24, 20, 20]})
        said = {"rope_theta": 1e6, "rope_type": "default", "mrope_section": [24, 20, 20], **more}
        assert posenc.Rope(dim=128, layout="half", rope_parameters=said) == own
    old = {"type": "mrope", "mrope_section": [24, 20, 20]}  # transformers 4
    assert posenc.Rope(dim=128, layout="half", base=1e6, rope_scaling=old) == posenc.Rope(
        dim=128, layout="half", base=1e6, axes={"type": "chunked", "sections": [24, 20, 20]}
    )
    ernie = posenc.Rope(dim=128, layout="half", axes="ernie", rope_scaling={"mrope_section": [22, 22, 20]})
    assert ernie == posenc.Rope(dim=128, layout="half", axes={"type": "ernie", "sections": [22, 22, 20]})


def test_the_trained_length_of_the_dynamic_rule():
    said = {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 8192}
    assert posenc.Rope(dim=64, layout="half", rope_scaling=said) == posenc.Rope(
        dim=64, layout="half", scaling=posenc.DynamicNtk(factor=4.0, max_position_embeddings=8192)
    )


@pytest.mark.parametrize(
    "kind,said,sentence",
    [
        (ValueError, {"base": 1e4, "rope_theta": 1e6}, r"expected base once, got 10000 and, as rope_theta, 1000000"),
        (ValueError, {"scaling": {"type": "yarn", "rope_type": "linear"}}, "expected scaling once, got"),
        (ValueError, {"scaling": {"rope_type": "yarm"}}, "yarn"),
        (ValueError, {"rope_scaling": {"rope_type": "linear", "facter": 2.0}}, "unknown option 'scaling.facter'.*factor"),
        (
            ValueError,
            {"rope_parameters": {"full_attention": {"rope_type": "default"}, "sliding_attention": {"rope_type": "default"}}},
            "of one kind of layer, got full_attention and sliding_attention: pass one of them",
        ),
        (TypeError, {"rope_thetta": 1e6}, "unknown option 'rope_thetta'; did you mean 'rope_theta'"),
    ],
)
def test_what_is_said_twice_or_misspelt_is_refused(kind, said, sentence):
    with pytest.raises(kind, match=sentence):
        posenc.Rope(dim=64, layout="half", **said)


def test_partial_rotary_factor_needs_the_dim():
    with pytest.raises(ValueError, match="expected dim with partial_rotary_factor, got none"):
        posenc.Rope(layout="half", partial_rotary_factor=0.5)


def test_other_schemes_have_no_such_words():
    with pytest.raises(TypeError, match="unknown option 'rope_theta'"):
        posenc.Sinusoidal(dim=8, rope_theta=1e6)


@pytest.mark.parametrize(
    "call,sentence",
    [
        (lambda: posenc.Rope("mistral"), "unknown preset 'mistral' of rope; explain reads that model's own numbers"),
        (lambda: posenc.Rope("qwen3"), "explain reads that model's own numbers"),
        (lambda: posenc.Rope("neox"), "did you mean 'gpt-neox'"),
        (lambda: posenc.Rope("llama31"), "did you mean 'llama3.1'"),
        (lambda: posenc.Rope(dim=64, layout="neox"), "did you mean 'half'"),
        (lambda: posenc.Rope(dim=64, layout="gptj"), "did you mean 'interleaved'"),
        (lambda: posenc.Rope(head_dim=64, layout="half"), "did you mean 'dim'"),
        (lambda: posenc.Alibi(num_heads=8), "did you mean 'heads'"),
        (lambda: posenc.scheme("mistral"), "models of that name use rope: explain reads"),
        (lambda: posenc.scheme("rope_theta"), "it is the option base of schemes"),
        (lambda: posenc.explain("meta-llama/Llama-3.1-8B"), "no such file or folder; posenc fetches nothing"),
    ],
    ids=range(11),
)
def test_names_of_models_and_of_other_libraries(call, sentence):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=sentence):
        call()
