"""The benches run, at the size of a test, and print their tables."""

import pytest

pytest.importorskip("transformers")


def test_models(capsys):
    from posenc.bench import models

    models.main(["--tiny", "--device", "cpu", "--dtype", "float32", "--repeats", "1"])
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert {row[1].strip() for row in rows[2:]} == set(models.FAMILIES)
    assert all(float(cell) > 0 for row in rows[2:] for cell in row[3:6])


def test_compiled_models_do_not_decode(monkeypatch, capsys):
    from posenc.bench import models

    monkeypatch.setattr(models.torch, "compile", lambda model: model)
    models.main(["--tiny", "--device", "cpu", "--dtype", "float32", "--repeats", "1", "--compile", "--family", "llama"])
    out = capsys.readouterr().out
    assert "decode" not in out and {line.count("|") for line in out.splitlines() if line.startswith("|")} == {5}


def test_peers_run_where_they_can(monkeypatch):
    """Liger's kernels are for GPUs alone, also where it is installed."""
    from posenc.bench import models

    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: object())
    assert [list(models.contenders(device)) for device in ("cpu", "cuda:0")] == [["as is", "posenc"], ["as is", "Liger", "posenc"]]


def test_flex(capsys):
    pytest.importorskip("torch.nn.attention.flex_attention")
    from posenc.bench import flex

    flex.main(["--tiny", "--device", "cpu", "--dtype", "float32", "--repeats", "1"])
    out = capsys.readouterr().out
    assert all(f"| {name} |" in out for name in flex.BIASES)
