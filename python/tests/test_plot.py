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


def test_profiles_and_biases():
    alibi = posenc.Alibi(heads=4)
    ax = plot.profiles(alibi, -8, 17, heads=[1])
    assert np.array_equal(ax.lines[0].get_ydata(), alibi.profile(-8, 17, np.float64)[1])
    assert np.array_equal(plot.bias(alibi, 5, 6, head=2).images[0].get_array(), alibi.bias(5, 6, np.float64)[2])


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
