"""Schemes as values: every option, preset and error, from the library's own list."""

import copy
import inspect
import json
import pickle

import numpy as np
import pytest

import posenc

NAMES = [about["name"] for about in posenc.schemes()]
PRESETS = [(about["name"], preset["name"]) for about in posenc.schemes() for preset in about["presets"]]


def make(name, **options):
    if name == "rope":
        options.setdefault("layout", "half")
    return posenc.scheme(name, **options)


def test_lists_every_scheme_once():
    assert len(set(NAMES)) == len(NAMES) >= 23
    assert {"sinusoidal", "rope", "alibi", "shaw"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_class_says_what_it_takes(name):
    about = next(a for a in posenc.schemes() if a["name"] == name)
    kind = about["class"]
    assert getattr(posenc, kind.__name__) is kind
    assert about["about"] in kind.__doc__
    wanted = list(dict.fromkeys(o["name"].split(".")[0] for o in about["options"]))
    assert list(inspect.signature(kind).parameters) == ["preset", *wanted]
    for o in about["options"]:
        assert o["name"] in kind.__doc__ and o["help"] in kind.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_options_are_attributes(name):
    made = make(name)
    for option, value in made.to_dict().items():
        shown = getattr(made, option)
        told = shown.to_dict() if isinstance(shown, posenc.Choice) else shown
        assert told == value or {"type": told} == value, option


@pytest.mark.parametrize("name,preset", PRESETS)
def test_round_trips(name, preset):
    made = posenc.scheme(name, preset)
    for again in (
        type(made).from_json(made.to_json()),
        posenc.from_json(name, made.to_json()),
        type(made)(**made.to_dict()),
        pickle.loads(pickle.dumps(made)),
        copy.deepcopy(made),
        eval(repr(made), vars(posenc).copy()),
    ):
        assert again == made and hash(again) == hash(made) and repr(again) == repr(made)


def test_every_scheme_differs_from_every_other():
    made = [make(name) for name in NAMES]
    assert len(set(made)) == len(made)
    assert posenc.Sinusoidal(dim=8) != posenc.Sinusoidal(dim=10)
    assert posenc.Alibi() != posenc.Kerple() and posenc.Alibi() != 3


def test_rules_as_objects_dicts_and_words():
    rule = {"type": "llama3", "factor": 4, "low_freq_factor": 1, "high_freq_factor": 4}
    by_dict = posenc.Rope(layout="half", scaling={**rule, "original_max_position_embeddings": 8192})
    by_object = posenc.Rope(layout="half", scaling=posenc.Llama3(factor=4))
    assert by_dict == by_object and by_object.scaling == posenc.Llama3(factor=4.0)
    assert hash(posenc.Llama3(factor=4)) == hash(posenc.Llama3(factor=4.0))
    whole, real = posenc.ListedFrequencies(values=[2, 1]), posenc.ListedFrequencies(values=[2.0, 1.0])
    assert whole == real and hash(whole) == hash(real) != hash(posenc.ListedFrequencies(values=[2, 3]))
    assert posenc.Rope(layout="half", scaling="llama3").scaling == posenc.Llama3()
    assert pickle.loads(pickle.dumps(posenc.Yarn(factor=2))) == posenc.Yarn(factor=2)
    assert eval(repr(posenc.Yarn(factor=2)), vars(posenc).copy()).factor == 2


def test_options_may_be_numpy_numbers():
    made = posenc.Rope(dim=np.int64(8), base=np.float64(5e5), layout="half", axes=posenc.ChunkedAxes(sections=np.array([1, 3])))
    assert made.dim == 8 and made.axes.sections == [1, 3]


def test_a_scheme_never_changes():
    with pytest.raises(AttributeError, match="cannot be changed"):
        posenc.Sinusoidal().dim = 3
    with pytest.raises(AttributeError, match="cannot be changed"):
        posenc.Llama3().factor = 3
    rule = posenc.ChunkedAxes(sections=[1, 3])
    made = posenc.Rope(dim=8, layout="half", axes=rule)
    for sections in (rule.sections, rule.to_dict()["sections"], made.axes.sections, made.to_dict()["axes"]["sections"]):
        sections.append(4)
    assert rule.sections == made.axes.sections == [1, 3] and made.axes == rule


@pytest.mark.parametrize(
    "wrong,kind,sentence",
    [
        (lambda: posenc.Rope(dimm=3), TypeError, "unknown option 'dimm'; did you mean 'dim'"),
        (lambda: posenc.Llama3(facto=3), TypeError, "did you mean 'factor'"),
        (lambda: posenc.Rope(dim=3.5), ValueError, "expected dim to be an integer"),
        (lambda: posenc.Rope(dim="wide"), ValueError, "expected dim to be an integer"),
        (lambda: posenc.Rope(base=float("inf")), ValueError, r"\[options\] expected finite numbers, got one that is infinite or NaN"),
        (lambda: posenc.Rope(scaling=posenc.Linear(factor=float("nan"))), ValueError, "expected finite numbers"),
        (lambda: posenc.Alibi(heads=2, slopes=[0.5, float("inf")]), ValueError, "expected finite numbers"),
        (lambda: posenc.Rope(dim=object()), TypeError, "expected numbers, words, lists and dicts"),
        (lambda: posenc.Rope(layout="halve"), ValueError, "did you mean 'half'"),
        (lambda: posenc.Rope("lama"), ValueError, "did you mean"),
        (lambda: posenc.Rope(dim=8).rotate_(np.zeros((1, 1, 8))), ValueError, "it cannot be guessed"),
        (lambda: posenc.scheme("rop"), ValueError, "did you mean 'rope'"),
        (lambda: posenc.Sinusoidal(dim=-1).table(1), ValueError, "dim"),
        (lambda: posenc.Sinusoidal(base=float("nan")).table(1), ValueError, "."),
        (lambda: posenc.Sinusoidal.from_json("{"), ValueError, "."),
        (lambda: posenc.Learned().table(1), ValueError, "expected 1 weights, got 0"),
        (lambda: posenc.Learned().plan({"tabel": 1}), ValueError, "expected the weights"),
        (lambda: posenc.set_threads(0), ValueError, "expected 1 to"),
    ],
)
def test_errors_are_sentences(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()


def test_json_is_what_the_library_reads():
    made = posenc.Rope("llama3.1")
    assert json.loads(made.to_json())["scaling"]["type"] == "llama3"
    assert made.to_dict()["base"] == 500000


def test_initial_weights_have_the_shapes_that_plans_want():
    for name in NAMES:
        made = make(name)
        weights = made.initial_weights(seed=1)
        assert {k: v.shape for k, v in weights.items()} == made.weights
        made.plan(weights)


def test_no_class_replaces_another():
    """Two schemes that know the same rule share its class; every other has a name of its own."""
    names = [*posenc._classes.CLASSES.values(), *posenc._classes.RULES.values()]
    assert len({kind.__name__ for kind in names}) == len(names)
    for scheme, options in posenc._classes.CHOICES.items():
        for option, kinds in options.items():
            for choice, kind in kinds.items():
                assert getattr(posenc, kind.__name__) is kind and kind.type == choice
    for kind in (posenc.Sinusoidal, posenc.GridSinusoidal):
        assert kind(rule=posenc.TimescalesRule()).rule == posenc.TimescalesRule()


OTHER_NAMES = [(name, about["name"]) for about in posenc.schemes() for name in about["aliases"]]


@pytest.mark.parametrize("name,stands_for", OTHER_NAMES)
def test_other_names(name, stands_for):
    lacking = {"layout": "half"} if stands_for == "rope" and not _has_layout(name) else {}
    if name in ("longrope", "su", "phi-3"):  # whose factors are a model's own
        lacking["scaling"] = {"type": "longrope", "short_factor": [1] * 64, "long_factor": [2] * 64}
    made = posenc.scheme(name, **lacking)
    assert made.name == stands_for and type(made).from_json(made.to_json()) == made


def _has_layout(name):
    try:
        return posenc.scheme(name).layout is not None
    except ValueError:
        return False


def test_other_names_stand_for_options():
    assert len(OTHER_NAMES) > 20
    assert posenc.scheme("pi", layout="half") == posenc.Rope(layout="half", scaling="linear")
    assert posenc.scheme("mae", dim=8) == posenc.GridSinusoidal("mae", dim=8)
    assert posenc.scheme("cpvt", kernel=5) == posenc.Convolution("cpvt", kernel=5)
    assert posenc.from_json("swin", '{"heads": 3}') == posenc.scheme("swin", heads=3)
    with pytest.raises(TypeError, match=r"\[alibi\] unknown option 'name'"):
        posenc.scheme("alibi", name="rope")


def test_help_says_where_an_option_counts():
    for line in ("scaling.factor", "with scaling llama3", "Presets:"):
        assert line in posenc.Rope.__doc__
