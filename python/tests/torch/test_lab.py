"""The lab: scoring against a plain loop, every scheme once."""

import math

import pytest
import torch

from posenc.lab import encodings, measures, mistakes, shapes
from posenc.lab.models import Size, Transformer
from posenc.lab.train import _groups, answered, bits_per_byte, hidden, loss_of, masked_bits, windows

SIZE = {"layers": 1, "heads": 2, "width": 16, "length": 16, "longest": 48}


def _model(scheme, causal=True, tokens=256):
    return Transformer(Size(1, 16, 2), encodings.build(scheme, causal=causal, **SIZE), tokens=tokens)


@pytest.mark.parametrize("window, stride", [(8, 8), (8, 1), (16, 4), (40, 40), (40, 7)])
def test_bits_as_a_plain_loop_counts_them(window, stride):
    model, before = _model("rope").eval(), 20
    text = torch.randint(0, 256, (3, 60), dtype=torch.uint8)
    loss, count = 0.0, 0
    for row in text.long():
        for byte in range(before, 60):
            end = min(before + (byte - before) // stride * stride + stride, 60)  # of the window that scores this byte
            first = max(max(0, end - window) - 1, 0)
            with torch.no_grad():
                logits = model(row[None, first : end - 1])[0, byte - 1 - first]
            loss -= float(logits.double().log_softmax(-1)[row[byte]])
            count += 1
    found = bits_per_byte(model, text, before=before, window=window, stride=stride, device="cpu", tokens=64)
    assert found == pytest.approx(loss / count / math.log(2), rel=1e-5)


@pytest.mark.parametrize("window, stride", [(16, 16), (16, 1), (16, 5)])
def test_every_byte_is_scored_once_with_what_it_needs_before_it(window, stride):
    seen = []
    for start, end, at in windows(20, 61, window, stride):
        assert end - start <= window and at >= start
        if stride < window:
            assert at - start >= window - stride
        seen += range(at, end)
    assert seen == list(range(20, 61))


def test_hidden_bytes_alone_are_scored():
    pieces = torch.randint(0, 256, (4, 40))
    inputs, targets, chosen = hidden(pieces, torch.Generator().manual_seed(0))
    assert torch.equal(targets, pieces) and (inputs[chosen] == 256).all() and torch.equal(inputs[~chosen], pieces[~chosen])
    model = _model("alibi", causal=False, tokens=257).eval()
    text = torch.randint(0, 256, (2, 40), dtype=torch.uint8)
    x, y, which = hidden(text.reshape(-1, 20).long(), torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = float(loss_of(model, x, y, which.float())) / math.log(2)
    assert masked_bits(model, text, length=20, device="cpu") == pytest.approx(expected, rel=1e-5)


def test_the_same_bytes_are_hidden_at_every_length():
    text = torch.randint(0, 256, (2, 64))
    chosen = [hidden(text.reshape(-1, length), torch.Generator().manual_seed(1))[2].flatten() for length in (8, 16, 64)]
    assert chosen[0].any() and all(torch.equal(chosen[0], other) for other in chosen)
    model = _model("rope", causal=False, tokens=257)
    found = [masked_bits(model, text.to(torch.uint8), length=16, device="cpu", tokens=tokens) for tokens in (16, 48, 1 << 17)]
    assert found == pytest.approx([found[0]] * 3, rel=1e-5)


def test_answers_are_right_only_where_every_scored_token_is():
    model = lambda text: torch.nn.functional.one_hot((text + 1) % 10, 10).float()  # noqa: E731  counts on
    model.eval = lambda: None
    text = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 5], [7, 2, 3, 4]])
    scored = torch.tensor([[0, 0, 1, 1]] * 3).bool()
    assert answered(model, text, scored, device="cpu").tolist() == [True, False, True]


@pytest.mark.parametrize("causal", [True, False])
def test_every_scheme_learns(causal):
    for scheme in encodings.schemes_of_text(causal):
        model = _model(scheme, causal)
        text = torch.randint(0, 256, (2, 17))
        loss = loss_of(model, text[:, :-1], text[:, 1:])
        loss.backward()
        assert math.isfinite(loss.item()), scheme
        held = list(model.part.parameters())
        assert all(p.grad is not None for p in held), scheme
        if causal:  # what comes later changes nothing before it
            model.eval()
            with torch.no_grad():
                whole, part = model(text), model(text[:, :9])
            torch.testing.assert_close(whole[:, :9], part, atol=1e-4, rtol=1e-4, msg=scheme)


def test_schemes_that_are_not_of_texts_are_refused():
    with pytest.raises(ValueError, match="expected a scheme for texts, got window, which encodes a grid"):
        _model("window")
    with pytest.raises(ValueError, match="got nosuch, which posenc does not have"):
        _model("nosuch")
    with pytest.raises(ValueError, match="expected a scheme for decoders, got convolution"):
        _model("convolution")


def test_rounded_angles_are_rope_where_rounding_is_small():
    q, k = torch.randn(2, 1, 2, 16, 8).unbind(0)
    exact = encodings.build("rope", causal=True, **SIZE)
    rounded = mistakes.RoundedAngles(True, 8, 0, torch.float32)
    for ours, theirs in zip(exact.turn(q, k), rounded.turn(q, k)):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)
    far = mistakes.RoundedAngles(True, 8, 100_000, torch.bfloat16)
    exact.first = 100_000
    assert (exact.turn(q, k)[0] - far.turn(q, k)[0]).abs().max() > 0.1


FREE = {("rope", "every position one too far"), ("rope", "padding counted")}  # relative positions stay as they are


@pytest.mark.parametrize("mistake", mistakes.MISTAKES, ids=lambda m: f"{m.scheme}: {m.name}")
def test_every_mistake_changes_what_a_model_says(mistake):
    torch.manual_seed(0)
    right, text = _model(mistake.scheme).eval(), torch.randint(0, 256, (2, 16))
    for weight in right.parameters():  # large enough for scores to matter
        torch.nn.init.normal_(weight)
    with torch.no_grad():
        expected = right(text)
        part = encodings.build(mistake.scheme, causal=True, **SIZE, more=dict(mistake.options))
        part.load_state_dict(right.part.state_dict())
        right.part = mistake.apply(part, 8, 4)
        found = right(text)
    assert found.isfinite().all()
    assert torch.allclose(found, expected, atol=1e-4) == ((mistake.scheme, mistake.name) in FREE)


@pytest.mark.parametrize("on_bias", [-1.0, 0.25])
def test_biases_times_a_number_still_hide_what_comes_later(on_bias):
    q = torch.randn(1, 2, 5, 8)
    part = encodings.build("alibi", causal=True, **SIZE)
    part.begin(q, q)
    plain, part.on_bias = part.mask, on_bias
    part.begin(q, q)
    later = torch.ones(5, 5).triu(1).bool()
    assert (part.mask[..., later] == -math.inf).all()
    torch.testing.assert_close(part.mask[..., ~later], on_bias * plain[..., ~later])


@pytest.mark.parametrize("distance", [64, 192])
def test_needles_stand_twice_at_their_distance(distance):
    text = torch.zeros(3, 400, dtype=torch.uint8)
    for row in measures._needles(text, distance, 5):
        whole, size = row.numpy().tobytes(), measures.CUE + measures.SCORED
        needle = whole[-size:]
        assert needle.isalpha() and len(set(needle)) > 5
        assert whole.index(needle) == len(whole) - size - distance
        assert set(whole.replace(needle, b"")) == {0}


def test_taught_texts_end_with_letters_that_stood_before():
    corpus = torch.zeros(500, dtype=torch.uint8)
    inputs, targets, scored = measures._taught(corpus, 6, 128, torch.Generator().manual_seed(0))()
    assert inputs.shape == targets.shape == scored.shape == (6, 128)
    size = measures.CUE + measures.SCORED
    for text, after, which in zip(inputs.tolist(), targets.tolist(), scored):
        whole = bytes([*text, after[-1]])
        assert whole[-size:].isalpha() and whole.index(whole[-size:]) <= len(whole) - 2 * size
        assert bytes(torch.tensor(after)[which].tolist()) == whole[-measures.SCORED :]


def test_every_weight_is_trained_once_and_tables_of_biases_faster():
    for scheme, rate in (("t5", 10.0), ("t5 slow", 1.0), ("fire", 1.0), ("learned", 1.0), ("none", None)):
        model = _model(scheme)
        groups = _groups(model)
        names = [id(p) for group in groups for p in group["params"]]
        assert sorted(names) == sorted(id(p) for p in model.parameters())
        assert [g["rate"] for g in groups] == [1.0, 1.0, *([rate] if rate else [])]


def test_words_are_scaled_beside_sinusoids_as_in_the_paper():
    x = torch.randn(2, 5, 16)
    rows = encodings.build("sinusoidal unscaled", causal=True, **SIZE).enter(torch.zeros(2, 5, 16))
    torch.testing.assert_close(encodings.build("sinusoidal", causal=True, **SIZE).enter(x), 4 * x + rows)
    torch.testing.assert_close(encodings.build("sinusoidal unscaled", causal=True, **SIZE).enter(x), x + rows)


def test_factors_applied_twice():
    twice = mistakes.twice("linear", 4, 256)["scaling"]
    assert twice["factor"] == 16
    assert mistakes.twice("yarn", 4, 256)["scaling"]["attention_factor"] == pytest.approx((0.1 * math.log(4) + 1) ** 2)


def test_pictures_say_where_the_first_shape_lies():
    picture, classes = shapes.pictures(200, 32, torch.Generator().manual_seed(0), "cpu")
    assert picture.shape == (200, 64, 16) and set(classes.tolist()) <= set(range(shapes.CLASSES))
    low = shapes.pictures(50, 16, torch.Generator().manual_seed(3), "cpu")[1]
    assert torch.equal(low, shapes.pictures(50, 64, torch.Generator().manual_seed(3), "cpu")[1])


@pytest.mark.parametrize("scheme", shapes.GRID_SCHEMES)
def test_a_part_read_at_its_own_resolution_is_itself(scheme):
    part = shapes.build(scheme, heads=2, width=16, grid=4)
    again = shapes.resized(part, scheme, heads=2, trained=4, grid=4, device="cpu")
    wide = shapes.resized(part, scheme, heads=2, trained=4, grid=6, device="cpu")
    for one in (part, again, wide):
        x = torch.ones(1, 36 if one is wide else 16, 16)
        q = torch.ones(1, 2, x.shape[1], 8)
        one.begin(q, q)
        one.seen = one.enter(x), one.turn(q, q)[0], getattr(one, "mask", None)
    for a, b in zip(part.seen, again.seen):
        assert a is b is None or torch.allclose(a, b, atol=1e-6)
    assert wide.seen[0].shape == (1, 36, 16)
