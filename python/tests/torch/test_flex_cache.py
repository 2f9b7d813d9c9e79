"""What is cached of a BlockMask, and for how long."""

import concurrent.futures
import copy
import gc
import io
import pickle
import weakref

import pytest
import torch
from flex_written import causal, flexible, of_case

from posenc.torch import _flex_cache, _flex_line, _flex_masks, _flex_parts, flex

CPU = torch.device("cpu")


def mask_of(mask_mod=causal, tokens=2560):
    return flexible.create_block_mask(mask_mod, None, None, tokens, tokens, device="cpu")


def first_keys(mask, tokens=2560):
    return _flex_masks.first_keys_are_seen(mask, 1, 1, tokens, tokens)


def pieces(mask, tokens=2560):
    return _flex_line.pieces_of(tokens, tokens, CPU, mask)


def parts(mask, tokens=2560):
    return _flex_parts.parts_of(tokens, tokens, 0, _flex_parts.Reach(-20, 20), CPU, mask)


ANSWERS = {"first keys": first_keys, "pieces": pieces}
if hasattr(flexible, "AuxRequest"):
    ANSWERS["parts"] = parts


@pytest.fixture
def captured(monkeypatch):
    """What is held while a CUDA graph is captured, once the function that this gives is called."""
    held = []

    def begin():
        monkeypatch.setattr(_flex_cache, "is_captured", lambda device: True)
        monkeypatch.setattr(_flex_cache, "_in_graphs", held)
        return held

    return begin


def test_asked_once_for_each_state():
    calls = []

    def mod(b, h, i, j):
        calls.append(1)
        return i >= j

    mask = mask_of(mod, 384)
    calls.clear()
    assert [first_keys(mask, 384) for _ in range(3)] == [True] * 3 and len(calls) == 1
    assert _flex_masks.first_keys_are_seen(mask, 3, 1, 384, 384) and len(calls) == 2  # another batch
    mask.kv_indices[..., 0] = 2
    assert not first_keys(mask, 384) and len(calls) == 3
    mask.kv_num_blocks.zero_()
    assert first_keys(mask, 384) and len(calls) == 4
    mask.kv_num_blocks.data = torch.ones_like(mask.kv_num_blocks)  # which has no version
    assert not first_keys(mask, 384) and len(calls) == 5
    mask.mask_mod = lambda b, h, i, j: i < j
    assert not first_keys(mask, 384) and len(calls) == 5


@pytest.mark.parametrize("what", ANSWERS)
def test_answers_are_freed_with_the_mask(what):
    """Also if mask_mod refers to it."""

    class Model:
        def __init__(self):
            self.mask = mask_of(lambda b, h, i, j: (i >= j) & (self is not None))

    model = Model()
    assert ANSWERS[what](model.mask)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("what", ANSWERS)
def test_a_mask_keeps_the_answers_of_its_last_state(what):
    mask, made = mask_of(), []
    for _ in range(3):
        mask.kv_indices.copy_(mask.kv_indices.clone())
        made.append(ANSWERS[what](mask))
    assert all(made) and len(mask._of_posenc) == 1
    assert what == "first keys" or made[1] is not made[2] is ANSWERS[what](mask)


def read_back(mask):
    file = io.BytesIO()
    torch.save(mask, file)
    with torch.serialization.safe_globals([flexible.BlockMask, causal]):
        return torch.load(io.BytesIO(file.getvalue()), weights_only=True)


COPIES = {
    "shallow": copy.copy,
    "deep": copy.deepcopy,
    "pickled": lambda mask: pickle.loads(pickle.dumps(mask)),
    "saved": read_back,
    "moved": lambda mask: mask.to("cpu"),
}


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_a_mask_have_caches_of_their_own(how):
    mask = mask_of()
    known = pieces(mask)
    other = COPIES[how](mask)
    assert how == "shallow" or not getattr(other, "_of_posenc", None)
    assert pieces(other) is not known and pieces(mask) is known


def test_several_threads(monkeypatch):
    monkeypatch.setattr(_flex_cache, "_without_mask", _flex_cache._Answers())
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda n: _flex_cache.remembered(None, CPU, (n % 300,), lambda: [n]) is not None, range(4000)))
    assert len(_flex_cache._without_mask) <= _flex_cache.MOST + 4


def test_the_oldest_answer_makes_room(monkeypatch):
    monkeypatch.setattr(_flex_cache, "_without_mask", _flex_cache._Answers())
    of = lambda n: _flex_cache.remembered(None, CPU, (n,), lambda: [n])  # noqa: E731
    made = [of(n) for n in range(_flex_cache.MOST + 1)]
    assert all(of(n) is made[n] for n in range(1, _flex_cache.MOST + 1))
    assert len(_flex_cache._without_mask) == _flex_cache.MOST and of(0) is not made[0]


def test_masks_made_in_inference_mode():
    with torch.inference_mode():
        mask = mask_of()
    assert not first_keys(mask) and pieces(mask) is None and parts(mask) is None


def test_subclasses_of_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    mask = mask_of()
    assert flex._are_plain(torch.empty(2), torch.nn.Parameter(torch.empty(2)))
    with FakeTensorMode() as mode:
        assert not flex._are_plain(torch.empty(2))
    mask.kv_indices = mode.from_tensor(mask.kv_indices)
    assert not first_keys(mask) and pieces(mask) is None


def test_nothing_is_made_while_a_graph_is_captured(captured, monkeypatch):
    monkeypatch.setattr(_flex_cache, "_without_mask", _flex_cache._Answers())
    known, new = of_case("causal")[0], of_case("causal")[0]
    listed = pieces(known, 384)
    held = captured()
    assert pieces(None, 384) is None and pieces(new, 384) is None and not first_keys(new, 384)
    assert pieces(known, 384) is listed and len(held) == 1 and held[0] is listed


def test_what_a_graph_reads_is_never_freed(captured):
    mask = of_case("causal")[0]
    known = [pieces(None, 256), pieces(mask, 384)]
    held = captured()
    again = [pieces(None, 256), pieces(mask, 384), pieces(None, 256)]
    assert all(a is b for a, b in zip(again, [*known, known[0]])) and [id(each) for each in held] == [id(each) for each in known]
