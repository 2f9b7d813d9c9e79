"""Pictures of two shapes, and parts that know where their patches lie: trained at one resolution, read at another."""

from __future__ import annotations

import itertools

import torch

import posenc.torch as pt

from .encodings import RATES, Biased, OnInput, Part, Turned

KINDS = ("disc", "square", "triangle", "cross")
PAIRS = list(itertools.combinations(range(len(KINDS)), 2))
SIDES = 4  # the first kind is left of, right of, above or below the second
CLASSES = len(PAIRS) * SIDES
PATCH = 4


def _inside(kind, y, x, r):
    """Whether points y, x from the centre of a shape of radius r lie in it."""
    forms = [
        y * y + x * x < r * r,
        torch.maximum(y.abs(), x.abs()) < 0.85 * r,
        (y < 0.8 * r) & (y > -r + 2 * x.abs()),
        (torch.minimum(y.abs(), x.abs()) < 0.33 * r) & (torch.maximum(y.abs(), x.abs()) < r),
    ]
    return torch.stack([form & (kind == index) for index, form in enumerate(forms)]).any(0)


def pictures(rows: int, side: int, generator, device):
    """([rows, patches, PATCH * PATCH] numbers from -1 to 1, [rows] classes): two shapes of different kinds, and on which side of the
    other the first kind lies. The same picture is the same at every resolution."""

    def random(*shape):
        return torch.rand(shape, device=device, generator=generator)

    pair = torch.randint(0, len(PAIRS), (rows,), device=device, generator=generator)
    where = torch.randint(0, SIDES, (rows,), device=device, generator=generator)
    kinds = torch.tensor(PAIRS, device=device)[pair]
    apart, along = 0.22 + 0.08 * random(rows), 0.2 * (random(rows) - 0.5)
    centre = 0.5 + 0.16 * (random(rows, 2) - 0.5)
    # Half of the way from the second to the first: left, right, above, below.
    step = torch.stack([torch.stack([along, -apart]), torch.stack([along, apart]), torch.stack([-apart, along]), torch.stack([apart, along])])
    step = step[where, :, torch.arange(rows, device=device)]
    axis = (torch.arange(side, device=device) + 0.5) / side
    y, x = axis[None, :, None], axis[None, None, :]
    image = torch.zeros(rows, side, side, device=device)
    for index, sign in ((0, 1), (1, -1)):
        at = (centre + sign * step)[:, :, None, None]
        radius = (0.10 + 0.05 * random(rows))[:, None, None]
        image = torch.maximum(image, _inside(kinds[:, index, None, None], y - at[:, 0], x - at[:, 1], radius).float())
    image = 2 * image - 1 + 0.1 * torch.randn(image.shape, device=device, generator=generator)
    count = side // PATCH
    patches = image.reshape(rows, count, PATCH, count, PATCH).transpose(2, 3).reshape(rows, count * count, PATCH * PATCH)
    return patches, pair * SIDES + where


def _indices(grid: int, device, scale: float = 1.0) -> torch.Tensor:
    """Row and column of every patch, [2, 1, patches]; scaled about the corner of the first patch."""
    axis = torch.arange(grid, device=device, dtype=torch.float64)
    axis = (axis + 0.5) * scale - 0.5 if scale != 1 else axis
    return torch.stack(torch.meshgrid(axis, axis, indexing="ij")).flatten(1).unsqueeze(1)


class _OnGrid:
    """What parts of grids share: positions of the grid that is read, as indices or stretched over the trained one."""

    def place(self, grid: int, trained: int, scaled: bool):
        self.grid, self.scale = grid, trained / grid if scaled else 1.0
        return self

    def positions(self, x):
        return _indices(self.grid, x.device, self.scale)


class GridInput(_OnGrid, OnInput):
    def enter(self, x):
        return self.module(x, self.positions(x))


class GridTurned(_OnGrid, Turned):
    def turn(self, q, k):
        return self.module(q, k, self.positions(q))


SCALED = " scaled"  # positions are stretched over the trained grid, as a resampled table's are
GRID_SCHEMES = (
    "none", "learned-grid", "grid-sinusoidal", "grid-sinusoidal scaled", "rope axial", "rope axial scaled", "window", "continuous",
)  # fmt: skip


def build(name: str, *, heads: int, width: int, grid: int) -> Part:
    """The part of that name for a picture of grid x grid patches."""
    head = width // heads
    if name == "none":
        return Part(False)
    scheme, scaled = name.removesuffix(SCALED), name.endswith(SCALED)
    if scheme == "learned-grid":
        return OnInput(pt.LearnedEncoding(rows=grid * grid, dim=width, batch_first=True), False)
    if scheme == "grid-sinusoidal":
        return GridInput(pt.AbsoluteEncoding(scheme, dim=width, batch_first=True), False).place(grid, grid, scaled)
    if scheme == "rope axial":
        axes = {"type": "chunked", "sections": [head // 4, head // 4]}
        module = pt.RotaryEncoding(dim=head, layout="half", base=100, axes=axes, heads_first=True)
        return GridTurned(module, False).place(grid, grid, scaled)
    if scheme == "window":
        part = Biased(pt.RelativeBias(scheme, heads=heads, height=grid, width=grid), False)
        part.rate = RATES[scheme]
        return part
    if scheme == "continuous":
        return Biased(pt.RelativeBias(scheme, heads=heads, height=grid, width=grid, hidden=64), False)
    raise ValueError(f"[lab] expected a scheme for pictures, got {name}: {', '.join(GRID_SCHEMES)}")


def resized(part: Part, name: str, *, heads: int, trained: int, grid: int, device) -> Part:
    """The trained part, for a picture of another resolution: tables are resampled, positions scaled, or go on."""
    if isinstance(part, (GridInput, GridTurned)):
        return type(part)(part.module, False).place(grid, trained, name.endswith(SCALED))
    if name == "learned-grid":
        table = pt.resize_grid(part.module.table.detach(), (trained,) * 2, (grid,) * 2)
        wide = pt.LearnedEncoding(rows=grid * grid, dim=table.shape[1], batch_first=True, device=device)
        wide.load_state_dict({"table": table})
        return OnInput(wide, False)
    if name == "window":
        wide = pt.RelativeBias("window", heads=heads, height=grid, width=grid, device=device)
        table = pt.resize_grid(part.module.table.detach(), (2 * trained - 1,) * 2, (2 * grid - 1,) * 2)
        wide.load_state_dict({"table": table})
        return Biased(wide, False)
    if name == "continuous":
        sides = {"height": grid, "width": grid, "pretrained_height": trained, "pretrained_width": trained}
        wide = pt.RelativeBias("continuous", heads=heads, hidden=64, device=device, **sides)
        wide.load_state_dict(part.module.state_dict())
        return Biased(wide, False)
    return part
