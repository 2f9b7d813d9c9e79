"""Tables of patches for other sizes, beside torch.nn.functional.interpolate."""

import pytest
import torch

import posenc.torch as pt

INTERPOLATE = {
    "linear": {"mode": "bilinear"},
    "cubic": {"mode": "bicubic"},
    "linear-antialias": {"mode": "bilinear", "antialias": True},
    "cubic-antialias": {"mode": "bicubic", "antialias": True},
    "cubic-corners": {"mode": "bicubic", "align_corners": True},
}


def table_of(rows, **how):
    return torch.randn(rows, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64, **how)


@pytest.mark.parametrize("how", INTERPOLATE)
@pytest.mark.parametrize("new", [(8, 5), (2, 3), (4, 6)])
def test_grids_are_resized_as_interpolate_does(how, new):
    table = table_of(2 + 4 * 6, requires_grad=True)
    out = pt.resize_grid(table, (4, 6), new, how, keep=2)
    picture = table[2:].reshape(4, 6, 3).permute(2, 0, 1)[None]
    patches = torch.nn.functional.interpolate(picture, size=new, **INTERPOLATE[how])[0].permute(1, 2, 0)
    want = torch.cat([table[:2], patches.reshape(-1, 3)])
    torch.testing.assert_close(out, want, rtol=0, atol=1e-13)
    dout = torch.randn_like(out)
    told, truth = torch.autograd.grad(out, table, dout)[0], torch.autograd.grad(want, table, dout)[0]
    torch.testing.assert_close(told, truth, rtol=0, atol=1e-13)


def test_gradients_of_gradients():
    table = table_of(1 + 2 * 3, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda t: pt.resize_grid(t, (2, 3), (3, 4), keep=1), table)


def test_it_compiles():
    run = torch.compile(lambda t: pt.resize_grid(t, (2, 3), (4, 5)) * 2, fullgraph=True, backend="aot_eager")
    table = table_of(6)
    torch.testing.assert_close(run(table), pt.resize_grid(table, (2, 3), (4, 5)) * 2)
    assert pt.resize_grid(table.to("meta"), (2, 3), (4, 5)).shape == (20, 3)


def test_refusals():
    with pytest.raises(ValueError, match="expected"):
        pt.resize_grid(table_of(6), (2, 2), (4, 5))
    with pytest.raises(TypeError, match="expected a grid of whole numbers above 0"):
        pt.resize_grid(table_of(6), (2, 3), None)
