"""rotate_into() on PyTorch's tensors."""

import pytest
import torch

import posenc
import posenc.torch as pt
from posenc.torch import _native, _rotate_into


def step(device, dtype=torch.float32, heads_first=False):
    """A module and what a step takes, of queries, keys and values of two texts."""
    rope = pt.RotaryEncoding(dim=12, layout="half", rotary_dim=8, heads_first=heads_first)
    q, k, v = (torch.randn(2, 5, n, 12, device=device).to(dtype) for n in (4, 2, 2))
    if heads_first:
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    how = dict(
        positions=torch.randint(0, 900, (2, 5), device=device),
        slots=torch.tensor([[3, 4, 5, -1, 0], [9, 10, 11, 2, 1]], device=device),
        q_norm=torch.randn(12, device=device).to(dtype),
        k_norm=torch.randn(12, device=device).to(dtype),
        epsilon=1e-3,
        one_plus=True,
    )
    return rope, (q, k, v), how


def caches(device, dtype=torch.float32):
    return {name: torch.zeros(4, 3, 2, 12, device=device, dtype=dtype) for name in ("k_cache", "v_cache")}


def expected(rope, q, k, v, how):
    """The same by norms, turns and stores apart, in f64."""

    def normed(x, gain):
        x = x.double()
        return x / (x.square().mean(-1, keepdim=True) + how["epsilon"]).sqrt() * (1 + gain.double())

    q, k = rope(normed(q, how["q_norm"]), normed(k, how["k_norm"]), how["positions"])
    out = [torch.zeros(12, 2, 12, dtype=torch.float64, device=q.device) for _ in range(2)]
    for cache, x in zip(out, (k, v.double())):
        x = x.transpose(1, 2) if rope.heads_first else x
        for row in range(2):
            for token, slot in enumerate(how["slots"][row].tolist()):
                if slot >= 0:
                    cache[slot] = x[row, token]
    return q, k, *out


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("heads_first", [False, True])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_norm_turn_and_store(dtype, heads_first, elsewhere, device, monkeypatch):
    if elsewhere:  # as on a device without kernels; tables still come from the CPU's
        monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
        monkeypatch.setattr(_rotate_into, "_by_torch", _with_kernels(monkeypatch))
    rope, given, how = step(device, dtype, heads_first)
    kept = caches(device)
    q, k = rope.rotate_into(*given, **how, **kept, return_keys=True)
    monkeypatch.undo()
    want_q, want_k, want_keys, want_values = expected(rope, *given, how)
    assert q.dtype == dtype and q.shape == given[0].shape
    unit = {torch.float32: 2**-22, torch.float64: 2**-48, torch.float16: 2**-10, torch.bfloat16: 2**-7}[dtype]
    # Numbers below 64: a norm, two products and a sum in f32 or wider, then one rounding.
    torch.testing.assert_close(q.double(), want_q, rtol=0, atol=64 * unit)
    torch.testing.assert_close(k.double(), want_k, rtol=0, atol=64 * unit)
    torch.testing.assert_close(kept["k_cache"].view(12, 2, 12).double(), want_keys, rtol=0, atol=64 * 2**-22)
    assert torch.equal(kept["v_cache"].view(12, 2, 12), want_values.float())


def _with_kernels(monkeypatch):
    """The path of other devices, whose turns find their kernels again."""
    run = _rotate_into._by_torch

    def by_torch(*arguments):
        monkeypatch.undo()
        return run(*arguments)

    return by_torch


@pytest.mark.parametrize("how", ["contiguous", "blocks", "sequences"])
def test_places_on_devices_without_kernels(how, device, monkeypatch):
    rope, given, _ = step(device)
    at = torch.tensor([[4, 5, 6, -1, 2], [0, 1, 2, 3, 4]], device=device)
    where = {
        "contiguous": {},
        "blocks": {"block_table": torch.tensor([[1, 3, 0], [2, 4, 5]], device=device)},
        "sequences": {"sequences": torch.tensor([[1] * 5, [0] * 4 + [-1]], device=device)},
    }[how]
    shape = (6, 3, 2, 12) if how == "blocks" else (2, 8, 2, 12)
    done = []
    for elsewhere in (False, True):
        kept = {n: torch.zeros(shape, device=device) for n in ("k_cache", "v_cache")}
        if elsewhere:
            monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
            monkeypatch.setattr(_rotate_into, "_by_torch", _with_kernels(monkeypatch))
        rope.rotate_into(*given, at.clamp(min=0), cache_positions=at, **where, **kept)
        done.append(kept)
    assert done[0]["k_cache"].any()
    for name in done[0]:
        torch.testing.assert_close(done[0][name], done[1][name], rtol=0, atol=2**-20)


@pytest.mark.parametrize("how", ["contiguous", "blocks", "sequences"])
def test_places_that_a_sequence_does_not_have_are_not_kept(how, monkeypatch):
    """As on a GPU, whose places the host does not read: no other sequence is written to."""
    rope, given, _ = step("cpu")
    at = torch.tensor([[0, 8, 9, 2**40, -1], [1, 2, 3, 4, 5]])
    where = {
        "contiguous": {},
        "blocks": {"block_table": torch.tensor([[0, 1], [2, 3]])},
        "sequences": {"sequences": torch.tensor([[0] * 5, [1, 1, 2, 7, 1]])},
    }[how]
    cache = torch.zeros((4, 4, 2, 12) if how == "blocks" else (2, 8, 2, 12))
    monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
    monkeypatch.setattr(_rotate_into, "_by_torch", _with_kernels(monkeypatch))
    rope.rotate_into(*given[:2], positions=torch.arange(5), cache_positions=at, k_cache=cache, **where)
    written = cache.reshape(2, 8, -1).any(-1)
    second = [1, 2, 5] if how == "sequences" else [1, 2, 3, 4, 5]
    assert written[0].nonzero().flatten().tolist() == [0]
    assert written[1].nonzero().flatten().tolist() == second


@pytest.mark.parametrize("name", ["slots", "positions", "sequences", "cache_positions"])
def test_no_tokens(name, monkeypatch):
    rope, given, _ = step("cpu")
    given, none = [t[:, :0] for t in given], torch.zeros(2, 0, dtype=torch.int64)
    for elsewhere in (False, True):
        if elsewhere:
            monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
            monkeypatch.setattr(_rotate_into, "_by_torch", _with_kernels(monkeypatch))
        kept = caches("cpu")
        assert rope.rotate_into(*given, **kept, **{name: none}).shape == given[0].shape
        assert not any(cache.any() for cache in kept.values())


def test_slots_that_do_not_fit(monkeypatch):
    rope, given, _ = step("cpu")
    for slots in (torch.arange(5), torch.zeros(2, 4, dtype=torch.int64), torch.zeros(2, 5)):
        for elsewhere in (False, True):
            if elsewhere:
                monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
            with pytest.raises(ValueError, match=r"slots as .*\[2, 5\], got"):
                rope.rotate_into(*given, **caches("cpu"), slots=slots)
            monkeypatch.undo()


def _refusals():
    """Arguments beside (q, k, v) that are wrong, and what is said of them."""
    q, k, v = step("cpu")[1]
    k_cache, v_cache = caches("cpu").values()
    slots, table = torch.zeros(2, 5, dtype=torch.int64), torch.zeros(2, 4, dtype=torch.int64)
    kept, ones, halves = dict(k_cache=k_cache, slots=slots), torch.ones(12), torch.arange(5).double() + 0.5
    return {
        "v alone": ((q, k, v), kept, "expected cache.v where there is v, got none"),
        "v_cache alone": ((q, k), dict(kept, v_cache=v_cache), "expected v where there is a cache.v, got none"),
        "k_cache alone": ((q,), kept, "expected k where there is a cache.k, got none"),
        "slots and table": ((q, k), dict(kept, block_table=table), "expected cache.slots alone, got block_table"),
        "slots, no cache": ((q, k), dict(slots=slots), "expected cache.k, cache.v or both where .* got neither"),
        "ints": ((q, k), dict(slots=slots, k_cache=k_cache.int()), r"expected cache.k as .* 2, 12\] for k .*got"),
        "two types": ((q, k, v), dict(kept, v_cache=v_cache.half()), "expected cache.k and cache.v of one type"),
        "heads of v": ((q, k, v[:, :, :1]), dict(kept, v_cache=v_cache), r"expected cache.v as .*, 1, 12\] for v"),
        "dim of v": ((q, k, v[..., :7]), dict(kept, v_cache=v_cache), r"expected cache.v as .*, 2, 7\] for v"),
        "tokens of v": ((q, k, v[:, :4]), dict(kept, v_cache=v_cache), "expected v like .*, but for its heads"),
        "norm's shape": ((q, k), dict(kept, q_norm=torch.ones(11)), r"expected norm.q as .*\[12\], got"),
        "norm of none": ((q,), dict(k_norm=ones), "expected k where there is norm.k, got none"),
        "norms' types": ((q, k), dict(q_norm=ones, k_norm=ones.half()), "expected norm.q and norm.k of one type, got"),
        "epsilon": ((q, k), dict(kept, q_norm=ones, epsilon=-1.0), "expected norm.epsilon of at least 0, got -1"),
        "q and k": ((q, k.half()), kept, "expected q and k of one type that differ in their heads only, got"),
        "halves": ((q, k), dict(k_cache=k_cache, positions=halves), "expected cache.at or cache.slots where"),
        "halves kept": ((q, k), dict(k_cache=k_cache, cache_positions=halves), "expected cache.at as .* got"),
        "table": ((q, k), dict(k_cache=k_cache, block_table=table.float()), "expected cache.block_table as i32 or i64"),
        "rows": ((q, k), dict(k_cache=k_cache[:1]), "expected a cache of at least 2 sequences.* got 1"),
    }


@pytest.mark.parametrize("case", _refusals())
@pytest.mark.parametrize("elsewhere", [False, True])
def test_refused_before_anything_is_written(case, elsewhere, monkeypatch):
    given, how, sentence = _refusals()[case]
    if elsewhere:
        monkeypatch.setattr(_rotate_into._native, "has_kernel_for", lambda x: False)
        monkeypatch.setattr(_rotate_into, "_by_torch", _with_kernels(monkeypatch))
    with pytest.raises(ValueError, match=rf"\[rotate_into\] {sentence}"):
        step("cpu")[0].rotate_into(*given, **how)
    assert not any(how[name].any() for name in ("k_cache", "v_cache") if name in how)


def test_opcheck(device):
    rope, (q, k, v), how = step(device)
    places = (how["slots"], None, None, None, how["q_norm"], how["k_norm"], 1e-6, False, how["positions"])
    kept = caches(device, torch.bfloat16).values()
    out = torch.empty_like(q), torch.empty_like(k)
    rest = (0, 0, rope.handle, rope.weights, False)
    torch.library.opcheck(torch.ops.posenc.rotate_into, (q, k, v, *out, *kept, *places, *rest))


def test_it_compiles(device):
    rope, given, how = step(device)
    kept, again = caches(device), caches(device)

    def run(q, k, v, k_cache, v_cache):
        return rope.rotate_into(q, k, v, **how, k_cache=k_cache, v_cache=v_cache) * 2

    compiled = torch.compile(run, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        want = run(*given, **kept)
        torch.testing.assert_close(compiled(*given, **again), want)
    for name in kept:
        assert torch.equal(kept[name], again[name]) and kept[name].any()


def test_caches_tell_that_they_changed(device):
    rope, given, how = step(device)
    kept = caches(device)
    before = kept["k_cache"]._version
    rope.rotate_into(*given, **how, **kept)
    assert kept["k_cache"]._version > before


def test_without_modules_through_dlpack(device):
    rope, given, how = step(device)
    kept, again = caches(device), caches(device)
    want = rope.rotate_into(*given, **how, **kept)
    if device == "cuda" and not _native.has_cuda(torch.cuda.current_device()):
        pytest.skip("posenc was built without CUDA")
    got = posenc.Rope(dim=12, layout="half", rotary_dim=8).rotate_into(*given, **how, **again, heads_first=False)
    assert torch.equal(got, want) and got.device == want.device
    assert all(torch.equal(kept[name], again[name]) for name in kept)


def test_what_it_refuses():
    rope, (q, k, v), how = step("cpu")
    with pytest.raises(ValueError, match="expected tensors that ask for no gradient"):
        rope.rotate_into(q.requires_grad_(), k)
    with torch.no_grad():
        assert not rope.rotate_into(q, k)[0].requires_grad
    with pytest.raises(TypeError, match="expected a tensor of PyTorch as k, got list"):
        rope.rotate_into(q.detach(), [1.0])
    with pytest.raises(ValueError, match="expected tensors that ask for no gradient"):
        rope.rotate_into(q.detach(), k, positions=torch.rand(5, dtype=torch.float64, requires_grad=True))
    with pytest.raises(ValueError, match="without requires_grad"):
        posenc.Rope(dim=12, layout="half").rotate_into(q, k, heads_first=False)
    with pytest.raises(TypeError, match="expected a tensor of PyTorch as q, got NoneType"):
        rope.rotate_into(None, v=v)
    with torch.inference_mode():
        kept = caches("cpu")
        rope.rotate_into(q, k, v, **how, **kept)
        assert kept["k_cache"].any()
