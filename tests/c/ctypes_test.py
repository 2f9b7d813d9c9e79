"""ctypes_test.py: the shared library from Python, without a binding: ctypes_test.py libposenc.so"""

import ctypes as c
import json
import math
import sys


class Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device_type", c.c_int32),
        ("device_id", c.c_int32),
        ("ndim", c.c_int32),
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


class Positions(c.Structure):
    _fields_ = [("first", c.c_int64), ("ids", c.POINTER(Tensor))]


def floats(array, *shape):
    """A view of an array of c_float; it keeps what it points to."""
    sizes = (c.c_int64 * len(shape))(*shape)
    t = Tensor(c.addressof(array), 1, 0, len(shape), 2, 32, 1, sizes, None, 0)
    t.keep = (array, sizes)
    return t


lib = c.CDLL(sys.argv[1])
for name in ("version", "last_error", "schemes", "describe", "plan_info"):
    getattr(lib, "posenc_" + name).restype = c.c_char_p


def check(status):
    if status:
        raise ValueError(lib.posenc_last_error().decode())


def prepare(scheme, weights=(), length=0, keep=0, **options):
    plan = c.c_void_p()
    given = (Tensor * len(weights))(*weights)
    check(
        lib.posenc_prepare(
            scheme.encode(), json.dumps(options).encode(), given, len(weights),
            c.c_int64(length), c.c_int64(keep), c.byref(plan),
        )
    )
    return plan


def test_texts():
    assert lib.posenc_version().count(b".") == 2
    names = [s["name"] for s in json.loads(lib.posenc_schemes())]
    assert "rope" in names and "alibi" in names, names
    described = json.loads(lib.posenc_describe(b"learned", b'{"dim": 4, "rows": 3}'))
    assert described["weights"] == [{"name": "table", "shape": [3, 4]}], described
    plan = prepare("sinusoidal", dim=6)
    facts = json.loads(lib.posenc_plan_info(plan))
    assert (facts["name"], facts["dim"], facts["axes"]) == ("sinusoidal", 6, 1), facts
    lib.posenc_free(plan)
    plan = prepare("proximal", heads=2)
    facts = json.loads(lib.posenc_plan_info(plan))
    assert (facts["heads"], facts["axes"]) == (2, 1), facts
    lib.posenc_free(plan)


def test_fill():
    plan = prepare("sinusoidal", dim=8)
    table = (c.c_float * (5 * 8))()
    at = Positions(first=100)
    check(lib.posenc_fill(plan, c.byref(floats(table, 5, 8)), c.byref(at), None))
    for t in range(5):
        for k in range(4):
            angle = (100 + t) * 10000.0 ** (-k / 4)
            assert abs(table[t * 8 + 2 * k] - math.sin(angle)) < 6e-8
            assert abs(table[t * 8 + 2 * k + 1] - math.cos(angle)) < 6e-8
    lib.posenc_free(plan)


def test_rotate():
    plan = prepare("rope", dim=4, layout="interleaved")
    q = (c.c_float * 12)(*[1, 0, 0, 1] * 3)
    check(lib.posenc_rotate(plan, c.byref(floats(q, 3, 1, 4)), None, None, None, None, None))
    assert abs(q[8] - math.cos(2)) < 1e-7 and abs(q[9] - math.sin(2)) < 1e-7
    assert abs(q[10] + math.sin(0.02)) < 1e-7 and abs(q[11] - math.cos(0.02)) < 1e-7
    lib.posenc_free(plan)


def test_errors():
    for scheme, options, part in (
        ("rop", {}, "unknown scheme 'rop'"),
        ("rope", {"dims": 4}, "'dims'"),
        ("sinusoidal", {"dim": -1}, "expected dim"),
    ):
        try:
            lib.posenc_free(prepare(scheme, **options))
        except ValueError as error:
            assert part in str(error), error
        else:
            raise AssertionError(scheme)
    assert lib.posenc_fill(None, None, None, None) == 1


for test in (test_texts, test_fill, test_rotate, test_errors):
    test()
print("ok")
