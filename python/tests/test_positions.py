"""The planner, against positions written by hand, and its results in verbs."""

import numpy as np
import pytest

import posenc
from posenc import positions as at


def test_rows_caches_and_packed():
    assert at.per_row([3, 0], 3).tolist() == [[[3, 4, 5], [0, 1, 2]]]
    assert at.after_cache(np.array([7], np.int32), 2).tolist() == [[[7, 8]]]
    assert at.packed([0, 3, 5]).tolist() == [[[0, 1, 2, 0, 1]]]
    assert at.packed([0, 2, 4], first=[5, 0]).tolist() == [[[5, 6, 0, 1]]]


def test_padding():
    mask = [[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]]
    assert at.padded(mask).tolist() == [[[0, 0, 0, 1, 2], [0, 1, 2, 0, 0]]]
    assert at.padded(np.array(mask, bool), "roberta-rows").tolist() == [[[1, 1, 2, 3, 4], [2, 3, 4, 1, 1]]]
    assert at.padded(mask, first=5, padded=9).tolist() == [[[9, 9, 5, 6, 7], [5, 6, 7, 9, 9]]]
    assert at.padded(mask, past=3).tolist() == [[[1, 2], [0, 0]]]
    with pytest.raises(ValueError, match="unknown name 'robert'; did you mean"):
        at.padded(mask, "robert")


def test_grids():
    assert at.grid(2, 3).tolist() == [[[0, 0, 0, 1, 1, 1]], [[0, 1, 2, 0, 1, 2]]]
    assert at.grid(2, 3, order="xy", before=1, extra_at=9)[:, 0].tolist() == [[9, 0, 1, 2, 0, 1, 2], [9, 0, 0, 0, 1, 1, 1]]
    assert at.grid(4, 4, merge=2)[1, 0, :8].tolist() == [0, 1, 0, 1, 2, 3, 2, 3]
    assert at.grid(1, 1, frames=3, time=True).shape == (3, 1, 3)
    assert at.coordinates(1, 2)[1, 0].tolist() == [-0.5, 0.5]
    assert at.coordinates(1, 2, "index", offset=0.25)[1, 0].tolist() == [0.25, 1.25]
    with pytest.raises(ValueError, match="did you mean 'offset'"):
        at.coordinates(1, 2, "index", offste=0.25)
    with pytest.raises(ValueError, match="rule"):
        at.coordinates(1, 2, "center")


def test_segments():
    ids, delta = at.segments([at.text(2), at.image(2, 3), at.text(2)])
    assert ids[:, 0].tolist() == [
        [0, 1, 2, 2, 2, 2, 2, 2, 5, 6],
        [0, 1, 2, 2, 2, 3, 3, 3, 5, 6],
        [0, 1, 2, 3, 4, 2, 3, 4, 5, 6],
    ]
    assert delta == -3
    ids, delta = at.segments([at.text(1), at.video(2, 2, 2, 1.0, 4), at.text(1)], "qwen2.5-omni")
    assert ids[0, 0].tolist() == [0, 1, 1, 2, 27, 2, 3, 4, 5, 6, 6, 7] and delta == 16
    real, _ = at.segments([at.audio(1), at.video(2, 2, 2, 0.5)], "qwen3-omni")
    assert real[0, 0].tolist() == [0.0, 1.0, 7.5]
    merged, _ = at.segments([at.image(4, 4)], "qwen2-vl")
    assert merged.shape == (3, 1, 4)
    assert at.segments([at.image(4, 4)], spatial_merge=4)[0].shape == (3, 1, 1)
    film, _ = at.segments([at.video(2, 2, 2, 0.5)], time="product", tokens_per_second=4)
    assert film[0, 0].tolist() == [0] * 4 + [2] * 4
    for wrong in ([("sound", 1, 1, 1, 1, 1.0)], [3], ["text"], [()]):
        with pytest.raises((ValueError, TypeError, IndexError)):
            at.segments(wrong)


def test_shards_give_what_the_whole_gives():
    rope = posenc.Rope(dim=8, layout="half")
    x = np.random.default_rng(3).standard_normal((16, 2, 8))
    whole = rope.rotate(x)
    for order in ("zigzag", "contiguous"):
        for rank in range(2):
            held = at.shard_tokens(16, 2, rank, order)
            part = rope.rotate(x[held], positions=at.shard(16, 2, rank, order))
            assert np.array_equal(part, whole[held])
    assert at.shard_tokens([0, 8, 16], 2, 0).tolist() == [0, 1, 6, 7, 8, 9, 14, 15]
    packed = at.shard(at.packed([0, 8, 16]), 2, 0, cu_seqlens=[0, 8, 16])
    assert packed.tolist() == [[[0, 1, 6, 7, 0, 1, 6, 7]]]
    with pytest.raises(ValueError, match="divi"):
        at.shard_tokens(15, 2, 0)


@pytest.mark.parametrize("tokens", [12, 24])
def test_packed_shards_are_of_all_tokens(tokens):
    """Else the tokens behind the last sequence would belong to no rank."""
    with pytest.raises(ValueError, match=rf"\[shard\] expected positions of the 16 tokens of cu_seqlens, got {tokens}"):
        at.shard(tokens, 2, 0, cu_seqlens=[0, 8, 16])


def test_planned_positions_of_several_axes_turn_patches():
    rope = posenc.Rope(dim=8, layout="half", axes=posenc.RestartAxes(sections=[2, 2]))
    assert rope.axes_count == 2
    x = np.random.default_rng(4).standard_normal((6, 1, 8)).astype(np.float32)
    assert rope.rotate(x, positions=at.grid(2, 3)).shape == x.shape
    assert rope.table(at.grid(2, 3)).shape == (6, 8)


def test_shards_of_numpys_numbers():
    assert np.array_equal(at.shard(np.int64(16), 2, 0), at.shard(16, 2, 0))
    assert np.array_equal(at.shard_tokens(np.int32(16), 2, 1), at.shard_tokens(16, 2, 1))


def test_seconds_are_the_same_however_they_are_given():
    """1/3 second at 25 positions a second: where f64 and f32 would cut to other whole numbers."""
    class Tensor:  # of one number
        def __init__(self, number):
            self.number = number

        def __float__(self):
            return float(np.float32(self.number))

    for third in (1 / 3, 0.28, 0.56, 1.12):
        kinds = (third, np.float64(third), np.float32(third), np.array(third, np.float32), Tensor(third))
        made = [at.segments([at.video(9, 2, 2, s)], "qwen2.5-vl", tokens_per_second=25)[0] for s in kinds]
        assert all(np.array_equal(m, made[0]) for m in made)
