"""What nobody should pass: errors with a sentence, nothing written, never a crash."""

import ml_dtypes
import numpy as np
import pytest

import posenc
from posenc import _arrays, _core

PE = posenc.Sinusoidal(dim=8)
ROPE = posenc.Rope(dim=8, layout="half")
ALIBI = posenc.Alibi(heads=2)


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def read_only():
    x = ones(2, 8)
    x.flags.writeable = False
    return x


def unaligned():
    return np.zeros(2 * 8 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(2, 8)


def huge():
    return np.lib.stride_tricks.as_strided(ones(8), (1 << 40, 8), (0, 4))


@pytest.mark.parametrize(
    "wrong,kind,sentence",
    [
        (lambda: PE.add_([[0.0] * 8]), TypeError, "expected a NumPy array or a tensor with __dlpack__, got list"),
        (lambda: PE.add_(None), TypeError, "NoneType|None"),
        (lambda: PE.add_(3.0), TypeError, "got float"),
        (lambda: PE.add_("x"), TypeError, "got str"),
        (lambda: PE.add_(ones(2, 8, dtype=np.uint8)), TypeError, "uint8"),
        (lambda: PE.add_(ones(2, 8, dtype=np.complex64)), TypeError, "complex64"),
        (lambda: PE.add_(ones(2, 8, dtype=object)), TypeError, "object"),
        (lambda: PE.add_(ones(2, 8, dtype=bool)), TypeError, "bool"),
        (lambda: PE.add_(ones(2, 8, dtype=np.longdouble)), TypeError, "float128|longdouble|float96"),
        (lambda: PE.add_(ones(2, 8, dtype=ml_dtypes.float8_e4m3fn)), TypeError, "float8_e4m3fn"),
        (lambda: PE.add_(np.zeros(2, [("a", "f4")])), TypeError, "a"),
        (lambda: PE.add_(ones(2, 8, dtype=np.int32)), ValueError, "expected x as f32"),
        (lambda: PE.add_(ones(2, 8, dtype=">f4")), ValueError, "byte order"),
        (lambda: PE.add_(unaligned()), ValueError, "aligned"),
        (lambda: PE.add_(np.zeros((), np.float32)), ValueError, "expected 1 to 8 axes, got 0"),
        (lambda: PE.add_(ones(1, 1, 1, 1, 1, 1, 1, 2, 8)), ValueError, "expected 1 to 8 axes, got 9"),
        (lambda: PE.add_(ones(2, 9)), ValueError, r"expected x as .* \[..., tokens, 8\], got f32 \[2, 9\]"),
        (lambda: PE.add_(ones(8)), ValueError, "tokens, 8"),
        (lambda: PE.add_(read_only()), ValueError, "read"),
        (lambda: PE.add_(np.broadcast_to(ones(8), (3, 8))), ValueError, "read|twice|overlap"),
        (lambda: PE.add_(huge()), ValueError, "."),
        (lambda: PE.add(ones(2, 8), out=ones(3, 8)), ValueError, "."),
        (lambda: PE.add(ones(2, 8), out=ones(2, 8, dtype=np.float64)), ValueError, "."),
        (lambda: PE.add_(ones(2, 8), [1, 2, 3]), ValueError, "positions"),
        (lambda: PE.add_(ones(2, 8), [1.5, "x"]), TypeError, "."),
        (lambda: PE.add_(ones(2, 8), np.float32([1, 2])), ValueError, r"f32 counts exactly only to 2\^24"),
        (lambda: PE.add_(ones(2, 8), [[[[1, 2]]]]), ValueError, "positions"),
        (lambda: PE.add_(ones(2, 8), [[1], [2, 3]]), ValueError, "."),
        (lambda: PE.add_(ones(2, 8), 10**30), ValueError, r"\[positions\] expected a number of 64 bits"),
        (lambda: PE.add_(ones(2, 8), -(2**63) - 1), ValueError, "64 bits"),
        (lambda: PE.add_(ones(2, 8), stream="x"), TypeError, r"\[stream\]"),
        (lambda: PE.add_(ones(2, 8), 2**63 - 1), ValueError, "."),
        (lambda: PE.add_(ones(2, 8), object()), TypeError, "."),
        (lambda: PE.table(1 << 60), (ValueError, MemoryError), "."),
        (lambda: PE.embed(np.array([99]), ones(3, 8)), ValueError, "99"),
        (lambda: PE.embed(np.array([-1]), ones(3, 8)), ValueError, "-1"),
        (lambda: PE.embed(np.array([0.5]), ones(3, 8)), ValueError, "ids"),
        (lambda: ROPE.rotate_(None), ValueError, "."),
        (lambda: ROPE.rotate_(ones(2, 1, 8), ones(3, 1, 8)), ValueError, "."),
        (lambda: ROPE.rotate_(ones(2, 1, 8), ones(2, 1, 8, dtype=np.float64)), ValueError, "."),
        (lambda: ROPE.rotate_(ones(8)), ValueError, "heads"),
        (lambda: ALIBI.add_(ones(3, 4, 4)), ValueError, "heads"),
        (lambda: ALIBI.add_(ones(2, 4, 4), first_head=2), ValueError, "head"),
        (lambda: ALIBI.add_(ones(1, 4, 4)), ValueError, r"\[add\] expected scores of all 2 heads, or first_head where they hold"),
        (lambda: ALIBI.add_(ones(2, 4, 4), scale=float("nan")), ValueError, "scale"),
        (lambda: ALIBI.bias(None, 3), TypeError, "None"),
        (lambda: ALIBI.at(7, 0, 0), ValueError, "head"),
        (lambda: posenc.attend(ones(2, 1, 8), ones(2, 1, 8), ones(3, 1, 8)), ValueError, "."),
        (lambda: posenc.attend(ones(2, 1, 8), ones(2, 1, 8), ones(2, 1, 8), PE), ValueError, "."),
        (lambda: posenc.attend(ones(2, 1, 8), ones(2, 1, 8), ones(2, 1, 8), "alibi"), TypeError, "scheme or a plan.*got str"),
        (lambda: posenc.attend(ones(2, 1, 8), ones(2, 1, 8), ones(2, 1, 8), ALIBI, values=3), TypeError, "got int"),
        (lambda: posenc.attend(None, None, None), TypeError, "got NoneType"),
        (lambda: ROPE.move_(ones(2, 1, 8), 0, 1, to=5), TypeError, "scheme or a plan.*got int"),
        (lambda: ALIBI.bias(np.zeros((2, 3), int), np.zeros((3, 3), int)), ValueError, "rows of keys"),
        (lambda: posenc.positions.segments([(1, 2)]), TypeError, r"expected text\(\), image\(\), video\(\) or audio\(\)"),
        (lambda: posenc.positions.segments([5]), TypeError, r"text\(\)"),
        (lambda: posenc.positions.shard("x", 2, 0), TypeError, r"\[shard\]"),
        (lambda: posenc.positions.shard(-4, 2, 0), ValueError, r"\[shard\].*-4"),
        (lambda: posenc.embed_backward(np.array([0]), None, 3), TypeError, "got NoneType"),
        (lambda: posenc.Shaw(dim=8).backward(ones(1, 2, 2), None), (TypeError, ValueError), "."),
        (lambda: posenc.resize(ones(4, 8), -1), ValueError, "rows"),
        (lambda: posenc.resize(ones(4, 8), 2.5), TypeError, "expected a number of rows, got float"),
        (lambda: posenc.resize_grid(ones(4, 8), (2, 2), (3, 3), keep="x"), TypeError, "rows to keep, got str"),
        (lambda: posenc.embed_backward(np.array([0]), ones(1, 8), -1), ValueError, "expected a number of words, got -1"),
        (lambda: PE.embed(5, ones(3, 8)), ValueError, "expected 1 to 8 axes, got 0"),
        (lambda: PE.embed(["x"], ones(3, 8)), TypeError, "<U1"),
        (lambda: PE.table(3, "float31"), TypeError, r"\[dtype\] expected a type of NumPy, got 'float31'"),
        (lambda: ALIBI.bias(3, 3, object()), TypeError, r"\[dtype\] expected a type of NumPy, got <object"),
        (lambda: PE.table(2.5), ValueError, r"\[table\] expected a number of positions, or positions, got 2.5"),
        (lambda: ALIBI.bias(2.5, 3), ValueError, r"\[bias\] expected a number of positions, or positions, got 2.5"),
        (lambda: ALIBI.profile(0, -3), ValueError, "expected a number of distances, got -3"),
        (lambda: posenc.from_json("rope", "[1]"), ValueError, r"expected an object of options, got \[1\]"),
        (lambda: posenc.scheme(3), TypeError, "expected the name of a scheme, got int"),
        (lambda: posenc.scheme("mae", dims=3), TypeError, r"\[mae\] unknown option 'dims'; did you mean 'dim'"),
        (lambda: posenc.plot.heatmap(3), TypeError, "expected an absolute or rotary scheme.*got int"),
        (lambda: posenc.plot.heatmap(ALIBI), TypeError, "got Alibi"),
        (lambda: posenc.plot.heatmap(posenc.scheme("window", heads=2)), TypeError, "an absolute or rotary scheme.*got Window"),
        (lambda: posenc.plot.heatmap(PE, ax=3), TypeError, "expected axes of matplotlib, got int"),
        (lambda: posenc.plot.profiles(PE), TypeError, "expected a bias or its plan, got Sinusoidal"),
        (lambda: posenc.plot.bias("x"), TypeError, "got str"),
        (lambda: posenc.plot.strips(["x"]), ValueError, r"expected numbers \[axes, rows, tokens\]"),
        (lambda: posenc.plot.strips(3), ValueError, r"got int64 \[\]"),
        (lambda: posenc.Learned(rows=3, dim=8).plan([ones(4, 8)]), ValueError, "table"),
        (lambda: posenc.Learned(rows=3, dim=8).plan([None]), TypeError, "."),
        (lambda: posenc.Learned(rows=3, dim=8).plan(3), TypeError, "."),
        (lambda: posenc.identify(ones(2, 8, dtype=np.int32)), ValueError, "."),
        (lambda: posenc.identify(ones(0, 8)), ValueError, "."),
        (lambda: posenc.explain("/nowhere/config.json"), ValueError, "nowhere"),
        (lambda: posenc.explain(3), TypeError, "."),
        (lambda: posenc.explain({"model_type": "no such"}), ValueError, "no such"),
        (lambda: posenc.explain("{"), ValueError, "."),
        (lambda: posenc.convert_layout(ones(15, 3), "half", "interleaved", heads=2, dim=8), ValueError, "."),
        (lambda: posenc.convert_layout(ones(16, 3), "halves", "interleaved", heads=2, dim=8), ValueError, "half"),
        (lambda: posenc.resize(ones(4, 8), 2, "quadratic"), ValueError, "."),
        (lambda: _core.Plan(), TypeError, "."),
        (lambda: PE.plan(keep=-1), ValueError, "."),
        (lambda: PE.plan(keep=1 << 62), (ValueError, MemoryError), "."),
        (lambda: PE.plan(cuda_device=7), ValueError, "."),
    ],
)  # fmt: skip
def test_refused_with_a_sentence(wrong, kind, sentence):
    with pytest.raises(kind, match=sentence):
        wrong()


SCORES, WORDS = ones(2, 4, 4), ones(3, 8)


@pytest.mark.parametrize(
    "wrong,sentence",
    [
        (lambda: PE.plan(keep="x"), r"\[keep\] expected a whole number, got str"),
        (lambda: PE.plan(keep=2.0), r"\[keep\] expected a whole number, got float"),
        (lambda: ROPE.plan(length=None), r"\[length\] expected a whole number, got NoneType"),
        (lambda: PE.plan(cuda_device=[0]), r"\[cuda_device\] expected a whole number, got list"),
        (lambda: PE.embed([1], WORDS, scale="x"), r"\[scale\] expected a number, got str"),
        (lambda: PE.embed([1], WORDS, scale=1j), r"\[scale\] expected a number, got complex"),
        (lambda: ROPE.rotate(ones(2, 1, 8), heads_first=1), r"\[heads_first\] expected True or False, got int"),
        (lambda: ALIBI.add(SCORES, causal="no"), r"\[causal\] expected True or False, got str"),
        (lambda: ALIBI.add(SCORES, causal=None), r"\[causal\] expected True or False, got NoneType"),
        (lambda: ALIBI.add(SCORES, scale_on=3), r"\[scale_on\] expected a word, got int"),
        (lambda: ALIBI.add(SCORES, scale_on="\ud800"), r"\[scale_on\] expected a word, got str"),
        (lambda: ALIBI.at("x", 0, 0), r"\[head\] expected a whole number, got str"),
        (lambda: ALIBI.profile(None, 3), r"\[first\] expected a whole number, got NoneType"),
        (lambda: posenc.attend(SCORES, SCORES, SCORES, scale="x"), r"\[scale\] expected a number, got str"),
        (lambda: posenc.convert_layout(WORDS, "half", 3, heads=1, dim=8), r"\[to_layout\] expected a word, got int"),
        (lambda: posenc.shift(PE, 1.5), r"\[k\] expected a whole number, got float"),
        (lambda: posenc.set_threads("x"), r"\[count\] expected a whole number, got str"),
        (lambda: posenc.positions.padded([[1]], past="x"), r"\[past\] expected a whole number, got str"),
        (lambda: posenc.positions.segments(None), r"expected a list of text\(\), .*, got NoneType"),
        (lambda: posenc.identify(None), "expected a NumPy array or a tensor with __dlpack__, got None"),
        (lambda: PE.add_(None), "expected a NumPy array or a tensor with __dlpack__, got None"),
        (lambda: posenc.from_json("rope", 3), r"\[from_json\] expected JSON as text, got int"),
        (lambda: posenc.Rope.from_json(3), r"\[json\] expected a word, got int"),
    ],
)  # fmt: skip
def test_numbers_words_and_flags_are_told_by_their_names(wrong, sentence):
    with pytest.raises(TypeError, match=sentence) as told:
        wrong()
    assert "\n" not in str(told.value)


def test_numbers_of_too_many_bits():
    for wrong in (lambda: PE.plan(keep=1 << 70), lambda: ALIBI.at(-(1 << 70), 0, 0), lambda: PE.plan(cuda_device=1 << 40)):
        with pytest.raises(ValueError, match="expected a number of 64 bits|beyond"):
            wrong()
    with pytest.raises(ValueError, match=r"\[from_json\] expected an object of options, got no JSON"):
        posenc.from_json("rope", "{")


def test_numbers_of_numpy_are_numbers():
    plain = ALIBI.add(SCORES, first_head=0, causal=True, scale=0.5)
    numpys = {"first_head": np.int8(0), "causal": np.bool_(True), "scale": np.float32(0.5)}
    assert np.array_equal(ALIBI.add(SCORES, **numpys), plain)
    assert np.array_equal(ALIBI.add(SCORES, scale=2), ALIBI.add(SCORES, scale=2.0))
    assert PE.plan(keep=np.int64(4)).add_(ones(2, 8)).shape == (2, 8)


def test_nothing_is_written_when_refused():
    x = ones(4, 8)
    with pytest.raises(ValueError):
        PE.add_(x, [1, 2, 3])
    with pytest.raises(ValueError):
        ROPE.rotate_(x[:, None], x[:2, None])
    assert (x == 1).all()


def test_overlapping_memory():
    line = np.zeros(40, np.float32)
    a, b = line[:16].reshape(2, 8), line[4:20].reshape(2, 8)
    with pytest.raises(ValueError, match="overlap|share|apart"):
        PE.add(a, out=b)
    with pytest.raises(ValueError, match="overlap|share|apart"):
        ROPE.rotate_(line[:16].reshape(2, 1, 8), line[8:24].reshape(2, 1, 8))
    sliding = np.lib.stride_tricks.as_strided(line, (3, 8), (4, 4))
    with pytest.raises(ValueError, match="."):
        PE.add_(sliding)
    assert not line.any()
    fused = np.ones((2, 3, 8), np.float32)  # q and k as interleaving slices are apart
    ROPE.rotate_(fused[:, :2], fused[:, 2:])


@pytest.mark.parametrize("shape", [(0, 8), (3, 0, 8), (0, 5, 8)])
def test_zero_sizes_are_fine(shape):
    assert PE.add_(ones(*shape)).shape == shape
    assert ROPE.rotate_(ones(*shape[:-1], 1, 8), heads_first=False).shape == (*shape[:-1], 1, 8)
    assert ALIBI.bias(0, 3).shape == (2, 0, 3)


def test_arrays_that_are_only_read_may_be_read_only():
    assert np.array_equal(PE.add(read_only()), PE.add(ones(2, 8)))
    at = np.arange(2)
    at.flags.writeable = False
    assert np.array_equal(PE.add(ones(2, 8), at), PE.add(ones(2, 8)))


def test_whole_numbers_that_are_too_large_and_lists_of_none():
    with pytest.raises(ValueError, match=r"\[tensor\] expected whole numbers below 2\^63, got 18446744073709551615"):
        _arrays.ids(np.array([1, 2**64 - 1], np.uint64))
    assert _arrays.ids(np.array([1, 2**63 - 1], np.uint64)).tolist() == [1, 2**63 - 1]
    assert _arrays.ids(np.zeros(0, np.uint64)).dtype == np.int64
    assert _arrays.ids([]).dtype == np.int64
    assert _arrays.ids(np.zeros(0)).dtype == np.float64  # an array says what it is
