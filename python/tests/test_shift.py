"""The matrix that moves a sinusoidal encoding."""

import numpy as np
import pytest

import posenc


@pytest.mark.parametrize("order", ["interleaved", "halves"])
def test_rows_are_moved(order):
    scheme = posenc.Sinusoidal(dim=10, order=order)
    table = scheme.table(40, np.float64)
    by_seven = posenc.shift(scheme, 7)
    np.testing.assert_allclose(by_seven(table[:30]), table[7:37], atol=1e-14)
    np.testing.assert_allclose(table[:30] @ by_seven.matrix().T, table[7:37], atol=1e-14)
    rows = table[3:20].copy()
    assert by_seven(rows, rows) is rows
    np.testing.assert_allclose(rows, table[10:27], atol=1e-14)


def test_shifts_compose():
    scheme = posenc.Sinusoidal(dim=8)
    one, two = posenc.shift(scheme, 12345), posenc.shift(scheme, -12340)
    np.testing.assert_array_equal((one @ two).matrix(), posenc.shift(scheme, 5).matrix())
    np.testing.assert_array_equal((one @ one.inverse()).matrix(), np.eye(8))


def test_refusals():
    with pytest.raises(ValueError, match="expected a sinusoidal scheme, got alibi"):
        posenc.shift(posenc.Alibi(heads=2), 1)
    with pytest.raises(TypeError, match="expected a scheme of posenc, got int"):
        posenc.shift(3, 1)
    with pytest.raises(ValueError):
        posenc.shift(posenc.Sinusoidal(dim=8), 1) @ posenc.shift(posenc.Sinusoidal(dim=6), 1)
    with pytest.raises(TypeError):
        posenc.shift(posenc.Sinusoidal(dim=8), 1) @ 3
