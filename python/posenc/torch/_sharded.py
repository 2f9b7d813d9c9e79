"""Tensors that are spread over devices (DTensor): each device encodes the part it holds.

Batch and heads may be split, and tokens too: a device then counts from where its part begins. What is split
along the features, or not yet summed, is gathered first. Weights that are spread too are gathered, and their
gradient is the sum of what each part of the tensors gave.
"""

from __future__ import annotations


def is_dtensor(x) -> bool:
    return type(x).__name__ == "DTensor"  # by its name: importing torch.distributed.tensor takes a second


def full_tensors(tensors):
    """Weights, or edges of a graph, as each device needs them where all devices do the same with them."""
    return [t.full_tensor() if is_dtensor(t) else t for t in tensors]


def expect_plain(where: str, **given) -> None:
    """ValueError, with the name of what is spread, where one of them is."""
    for name, tensor in given.items():
        if is_dtensor(tensor):
            raise ValueError(
                f"[{where}] expected {name} as a plain tensor, got one that is spread over devices (DTensor): "
                "take its to_local() or full_tensor()"
            )


def _placements():
    """The module with the classes of placements."""
    from torch.distributed import tensor

    if not hasattr(tensor, "Shard"):  # PyTorch 2.4
        from torch.distributed import _tensor as tensor
    return tensor


def _settled(x, fixed: set[int]):
    """x without placements that an encoding cannot work on: sums to be done, or split fixed axes."""
    tensor = _placements()
    fits = [
        p if p.is_replicate() or (type(p) is tensor.Shard and p.dim % x.ndim not in fixed) else tensor.Replicate()
        for p in x.placements
    ]
    return x if list(x.placements) == fits else x.redistribute(placements=fits)


def _part_of(x) -> tuple[list[int], list[int]]:
    """The shape of what this device holds, and where it begins: as torch.chunk() cuts, one mesh axis after the other."""
    shape, offset = list(x.shape), [0] * x.ndim
    for axis, placement in enumerate(x.placements):
        if placement.is_shard():
            dim = placement.dim % x.ndim
            most = -(-shape[dim] // x.device_mesh.size(axis))
            begin = min(x.device_mesh.get_local_rank(axis) * most, shape[dim])
            shape[dim], offset[dim] = min(most, shape[dim] - begin), offset[dim] + begin
    return shape, offset


class LocalParts:
    """The parts of tensors that this device holds, and where in the whole they lie.

    axes: how many an encoding needs at least. fixed: those of them that it needs whole.
    """

    def __init__(self, tensors, axes: int, fixed: set[int]) -> None:
        for x in tensors:
            if x.ndim < axes:
                raise ValueError(f"[DTensor] expected at least {axes} axes, got {list(x.shape)}")

        self.tensors = [_settled(x, {f % x.ndim for f in fixed}) for x in tensors]
        self.local = [x.to_local() for x in self.tensors]
        self.shape, self.offset = _part_of(self.tensors[0])

    def positions(self, positions, first, axis: int):
        """Positions of the tokens of this part; axis: that of the tokens."""
        begin, count = self.offset[axis], self.shape[axis]
        if positions is None:
            return None, first + begin
        positions = positions.full_tensor() if is_dtensor(positions) else positions
        if positions.dim() > 1 and positions.shape[-2] == self.tensors[0].shape[0] > 1:
            positions = positions.narrow(-2, self.offset[0], self.shape[0])
        return positions.narrow(-1, begin, count), first

    def weights(self, held):
        """Weights as this device needs them; their gradient is summed over devices that hold different parts."""
        x = self.tensors[0]
        if any(is_dtensor(w) for w in held) and any(t.placements != x.placements for t in self.tensors):
            raise ValueError(
                "[DTensor] expected tensors that are placed alike beside weights that are spread, "
                f"got {' and '.join(str(t.placements) for t in self.tensors)}"
            )
        for w in held:
            if is_dtensor(w) and w.device_mesh != x.device_mesh:
                raise ValueError(
                    "[DTensor] expected weights that are spread over the mesh of the tensors, "
                    f"got {w.device_mesh} and {x.device_mesh}"
                )
        sums = [p if p.is_replicate() else _placements().Partial() for p in x.placements]
        return [w.full_tensor(grad_placements=sums) if is_dtensor(w) else w for w in held]

    def back(self, results):
        return [
            type(x).from_local(r, x.device_mesh, x.placements, run_check=False, shape=x.shape, stride=x.stride())
            for r, x in zip(results, self.tensors)
        ]
