"""Figures show the numbers they say they show."""

import numpy as np
import pytest

import posenc

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from posenc import plot  # noqa: E402

PE = posenc.Sinusoidal(dim=16)
ROPE = posenc.Rope(dim=16, layout="half")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_heatmap_shows_the_table():
    ax = plot.heatmap(PE, 20)
    assert np.array_equal(ax.images[0].get_array(), PE.table(20, np.float64))
    assert plot.heatmap(PE.table(5)).images[0].get_array().shape == (5, 16)
    with pytest.raises(ValueError, match="expected a table"):
        plot.heatmap(np.zeros(3))


def test_waves_are_columns():
    ax = plot.waves(PE, 20, columns=[3, 8])
    assert np.array_equal(ax.lines[1].get_ydata(), PE.table(20, np.float64)[:, 8])


def test_wavelengths():
    ax = plot.wavelengths(ROPE, ROPE.plan())
    assert np.allclose(ax.lines[0].get_ydata(), 2 * np.pi * 10000.0 ** (np.arange(8) / 8)) and len(ax.lines) == 2
    with pytest.raises(TypeError, match="expected a rotary scheme"):
        plot.wavelengths(PE)


def test_decay():
    assert plot.decay(PE, 30).lines[0].get_ydata()[0] == pytest.approx(1, abs=1e-15)
    want = np.cos(np.arange(30)[:, None] * ROPE.inv_freq).mean(1)
    assert np.allclose(plot.decay(ROPE, 30).lines[0].get_ydata(), want, atol=1e-12)
    rates = np.array([[1.0, 0.1], [0.5, 0.01]], np.float32)  # of two heads
    learned = posenc.Rope(dim=4, layout="half", frequencies={"type": "learned", "heads": 2, "axes": 1})
    want = np.cos(np.arange(30)[:, None] * rates.astype(np.float64).reshape(-1)).mean(1)
    plan = learned.plan([rates.reshape(learned.weights["frequency"])])
    assert np.allclose(plot.decay(plan, 30).lines[0].get_ydata(), want, atol=1e-12)


def test_profiles_and_biases():
    alibi = posenc.Alibi(heads=4)
    ax = plot.profiles(alibi, -8, 17, heads=[1])
    assert np.array_equal(ax.lines[0].get_ydata(), alibi.profile(-8, 17, np.float64)[1])
    assert np.array_equal(plot.bias(alibi, 5, 6, head=2).images[0].get_array(), alibi.bias(5, 6, np.float64)[2])


def colour_of(ax, number):
    """Of a number in the picture, as bytes."""
    picture = ax.images[0]
    return tuple(int(c) for c in picture.cmap(picture.norm(number), bytes=True)[:3])


def test_colours_are_those_of_the_tool():
    """Diverging ends of tool/draw/colour.cc: +1 is its red, -1 its blue."""
    for ax in (plot.heatmap(PE, 20), plot.similarity(np.array([[1.0, 0], [-1, 0], [0, 1]]))):
        assert colour_of(ax, 1) == (0x7A, 0x15, 0x1F) and colour_of(ax, -1) == (0x18, 0x3D, 0x86)
        assert colour_of(ax, 0) == (0xF8, 0xF8, 0xF8)


def test_similarity_is_square_and_on_the_range_it_has():
    table = PE.table(20, np.float64)
    ax = plot.similarity(PE, 20)
    want = table @ table.T / 8  # rows of 16 features have the length sqrt(8)
    assert np.allclose(ax.images[0].get_array(), want, atol=1e-14) and ax.get_aspect() == 1
    alike = plot.similarity(table[:4])
    low, high = alike.images[0].get_clim()
    assert low == pytest.approx(want[:4, :4].min(), abs=1e-12) and low > 0.5 and high == pytest.approx(1)
    assert colour_of(alike, 1) == (0x21, 0x1C, 0x48)


def test_patches():
    mae = posenc.GridSinusoidal("mae", dim=32)
    ax = plot.patches(mae, (3, 5), (1, 4))
    rows = mae.table(posenc.positions.grid(3, 5), np.float64).reshape(15, 32)
    want = (rows @ rows[9] / 16).reshape(3, 5)
    assert np.allclose(ax.images[0].get_array(), want, atol=1e-14) and want[1, 4] == pytest.approx(1)
    assert plot.patches(PE, (2, 3)).images[0].get_array()[1, 1] == pytest.approx(1)
    with pytest.raises(ValueError, match=r"expected a patch \(row, column\) of 3 x 5, got \(3, 0\)"):
        plot.patches(mae, (3, 5), (3, 0))
    with pytest.raises(TypeError, match="expected an absolute scheme"):
        plot.patches(ROPE)


def test_rules():
    linear = posenc.Rope(dim=16, layout="half", scaling=posenc.Linear(factor=4.0))
    ax = plot.rules(ROPE, linear, linear.plan())
    assert np.allclose(ax.lines[0].get_ydata(), 1) and np.allclose(ax.lines[1].get_ydata(), 0.25) and len(ax.lines) == 3
    with pytest.raises(TypeError, match="expected a rotary scheme"):
        plot.rules(PE)


def test_buckets_and_steps():
    t5 = posenc.T5Bias("t5-encoder", heads=2, scale=3)
    rows = plot.buckets(t5, -4, 9).lines[0].get_ydata()
    assert rows.tolist() == [4, 3, 2, 1, 0, 17, 18, 19, 20]
    far = plot.buckets(t5.plan(t5.initial_weights())).lines[0].get_ydata()
    assert set(far) == set(range(32)) - {16}  # which no distance reads
    assert plot.profiles(t5.plan(t5.initial_weights())).lines[0].get_drawstyle() == "steps-mid"
    assert plot.profiles(posenc.Alibi(heads=4)).lines[0].get_drawstyle() == "default"
    with pytest.raises(TypeError, match="expected a bias with a table of distances"):
        plot.buckets(posenc.Alibi(heads=4))


def test_strips():
    ax = plot.strips(posenc.positions.grid(2, 3), names="yx")
    assert ax.images[0].get_array().tolist() == [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["y", "x"]
    assert plot.strips([1, 2, 3]).images[0].get_array().shape == (1, 3)


def test_draws_on_the_axes_it_is_given(tmp_path):
    figure, axes = plt.subplots(2)
    assert plot.heatmap(PE, ax=axes[0]) is axes[0] and plot.decay(ROPE, ax=axes[1]) is axes[1]
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
