"""Tensors of other libraries: no copies, memory let go, broken ones refused."""

import ctypes
import gc
import sys
import types
import weakref

import numpy as np
import pytest

import posenc

PE = posenc.Sinusoidal(dim=8)


def ones(*shape):
    return np.ones(shape, np.float32)


class Shown:
    """A tensor of another library."""

    def __init__(self, array, device=(1, 0), old=False):
        self.array, self.device, self.old = array, device, old

    def __dlpack__(self, **how):
        if self.old and "max_version" in how:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("old", [False, True])
def test_dlpack_without_copies(old):
    x = np.zeros((6, 3, 8), np.float32)
    PE.add_(Shown(x[::2, 1], old=old))
    assert np.array_equal(x[::2, 1], PE.table(3))
    x[::2, 1] = 0
    assert not x.any()
    at = Shown(np.array([4, 9]), old=old)
    assert np.array_equal(PE.add(ones(2, 8), at), PE.add(ones(2, 8), [4, 9]))


def test_dlpack_memory_is_let_go():
    x = np.zeros((2, 8), np.float32)
    gone = weakref.ref(x)
    for _ in range(3):
        PE.add_(Shown(x))
    table = np.ones((3, 8), np.float32)
    held = weakref.ref(table)
    plan = posenc.Learned(rows=3, dim=8).plan([Shown(table)])
    del x, table
    gc.collect()
    assert gone() is None and held() is not None and (plan.table(3) == 1).all()
    del plan
    gc.collect()
    assert held() is None


@pytest.mark.parametrize(
    "capsule,kind",
    [(lambda **_: 3, TypeError), (lambda **_: 1 / 0, ZeroDivisionError), (lambda: 3, TypeError), (lambda **_: None, TypeError)],
)
def test_broken_dlpack(capsule, kind):
    class Broken:
        __dlpack__ = staticmethod(capsule)

    with pytest.raises(kind):
        PE.add_(Broken())


def test_read_only_dlpack_is_refused_as_output():
    x = ones(2, 8)
    x.flags.writeable = False
    for old in (False, True):
        with pytest.raises(ValueError, match="read"):
            PE.add_(Shown(x, old=old))


def test_elements_that_are_not_aligned_are_refused():
    x = np.zeros(2 * 8 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(2, 8)
    with pytest.raises(ValueError, match=r"\[tensor\] expected aligned elements, got others"):
        PE.add_(Shown(x))
    assert not x.any()


def test_what_a_compiler_traces_is_no_array_yet():
    class Traced:  # as JAX hands over inside jit
        dtype = np.dtype(np.float32)

        def __array_namespace__(self):
            return np

    with pytest.raises(TypeError, match=r"\[tensor\] expected an array in memory, got Traced, which is one to come"):
        PE.add(Traced())


def test_a_capsule_is_used_once():
    class Twice:
        def __init__(self):
            self.capsule = ones(2, 8).__dlpack__()

        def __dlpack__(self, **_):
            return self.capsule

    twice = Twice()
    PE.add_(twice)
    with pytest.raises(TypeError, match="capsule"):
        PE.add_(twice)


LARGE = posenc.Learned(rows=1 << 18, dim=16)  # memory of this size goes back to the system when it is let go


@pytest.mark.parametrize(
    "given",
    [lambda t: t, lambda t: tuple(t), lambda t: iter(t), lambda t: (x for x in t), lambda t: map(Shown, t)],
    ids=["list", "tuple", "iterator", "generator", "map"],
)
def test_a_plan_keeps_its_tensors(given):
    """Not the list: what becomes of that is its owner's affair."""
    tensors = [np.full((1 << 18, 16), 3.0, np.float32)]
    held = weakref.ref(tensors[0])
    plan = LARGE.plan(given(tensors))
    tensors.clear()
    gc.collect()
    assert held() is not None and (plan.table([0, 77, (1 << 18) - 1]) == 3).all()
    del plan
    gc.collect()
    assert held() is None


def test_broken_iterators_of_weights():
    def broken():
        yield ones(3, 8)
        raise KeyError("later")

    with pytest.raises(KeyError, match="later"):
        posenc.Learned(rows=3, dim=8).plan(broken())
    with pytest.raises(TypeError, match="expected a list of tensors, got int"):
        posenc.Learned(rows=3, dim=8).plan(3)


def test_a_tensor_that_asks_for_a_gradient_is_refused():
    class Asks(Shown):
        requires_grad = True

    for wrong in (
        lambda: PE.add_(Asks(ones(2, 8))),
        lambda: PE.add(ones(2, 8), Asks(np.arange(2.0))),
        lambda: posenc.Learned(rows=3, dim=8).plan([Asks(ones(3, 8))]),
    ):
        with pytest.raises(ValueError, match=r"requires_grad.*detach\(\).*posenc.torch"):
            wrong()
    Asks.requires_grad = False
    assert np.array_equal(PE.add(ones(2, 8), Asks(np.arange(2))), PE.add(ones(2, 8)))


class OnGpu:
    """A tensor whose capsule says that it lies on GPU 3; nothing reads its memory before that is refused."""

    def __init__(self):
        class Tensor(ctypes.Structure):
            _fields_ = [
                ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
            ]  # fmt: skip

        self.shape = (ctypes.c_int64 * 2)(2, 8)
        self.managed = Tensor(4096, (2, 3), 2, 2, 32, 1, self.shape, None, 0, None, None)

    def __dlpack_device__(self):
        return (2, 3)

    def __dlpack__(self, **how):
        assert how["stream"] == -1
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


@pytest.mark.parametrize("library,ask,answer", [("torch", "current_stream", "cuda_stream"), ("cupy", "get_current_stream", "ptr")])
def test_a_library_is_asked_for_its_stream(library, ask, answer, monkeypatch):
    """No stream means the one that the tensor's library uses now, never the legacy one."""
    asked = []

    def current(device):
        asked.append(device)
        return types.SimpleNamespace(**{answer: "no number"})

    for name in (library, f"{library}.cuda"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    setattr(sys.modules[f"{library}.cuda"], ask, current)
    base = type("ndarray", (OnGpu,), {"__module__": f"{library}.core"})
    for kind in (base, type("Mine", (base,), {"__module__": "elsewhere"})):
        with pytest.raises(TypeError, match=r"\[stream\] expected a cudaStream_t as an int, got str"):  # the answer is read
            PE.add_(kind())
    assert asked == [3, 3]
    with pytest.raises(ValueError, match="CUDA"):  # the caller's own is taken, and nobody is asked
        PE.add_(base(), stream=7)
    assert asked == [3, 3]


def test_a_library_that_tells_no_stream_is_refused():
    with pytest.raises(ValueError, match=r"\[stream\] expected stream=.* for OnGpu on a GPU.*got none"):
        PE.add_(OnGpu())
    with pytest.raises(ValueError, match="CUDA"):
        PE.add_(OnGpu(), stream=0)
