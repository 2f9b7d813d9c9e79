"""What rounding alone may make of numbers that others compute."""

UNIT = 2.0**-24  # half a unit in the last place of an f32 in [1, 2), over its value


def f32_angles(reach: float, amplitude: float = 1.0) -> float:
    """Sines and cosines of f32 angles up to `reach`: the frequency comes from a power or an exponential (2 units)
    and a quotient (1), the product with the position adds 1; then the function itself and its factor (3)."""
    return amplitude * (4 * reach + 3) * UNIT


def f32_sum(size: float, steps: int) -> float:
    """f32 numbers of that size after so many roundings."""
    return size * steps * UNIT
