"""The benches run, at the size of a test, and print their tables."""

import pytest


def test_flex(capsys):
    pytest.importorskip("torch.nn.attention.flex_attention")
    from posenc.bench import flex

    flex.main(["--tiny", "--device", "cpu", "--dtype", "float32", "--repeats", "1"])
    out = capsys.readouterr().out
    assert all(f"| {name} |" in out for name in flex.BIASES)
