"""Writes the seeds of the fuzzers; needs NumPy. Run in this folder."""
import json
import struct

import numpy as np

np.save("npy/f4.npy", np.array([[1, 2, 3]], "f4"))
np.save("npy/f8_scalar.npy", np.array(1.5))
np.save("npy/f2.npy", np.array([1, -2], "f2"))
np.save("npy/i8_empty.npy", np.zeros((0, 3), "i8"))
np.save("npy/i4_fortran_big.npy", np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3)))
with open("npy/version2.npy", "wb") as f:
    np.lib.format.write_array(f, np.arange(2, dtype="i8"), version=(2, 0))
with open("npy/python2.npy", "wb") as f:
    header = b'{"descr": "=f4", "shape": (1L,), "fortran_order": True}\n'
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4))


def safetensors(name, header, size):
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(f"safetensors/{name}.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + bytes(range(size)))


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


safetensors("empty", {}, 0)
safetensors("metadata", {"__metadata__": {"format": "pt"}, "x": tensor("F32", [2], 0, 8)}, 8)
safetensors("scalar", {"x": tensor("I64", [], 0, 8)}, 8)
safetensors("unordered", {"b": tensor("BF16", [1, 2], 8, 12), "a": tensor("F64", [1], 0, 8)}, 12)
safetensors("skipped", {"u": tensor("U8", [3], 0, 3), "x": tensor("F16", [2, 0], 3, 3)}, 3)
safetensors("nibbles", {"n": tensor("F4", [4], 0, 2), "x": tensor("I32", [1], 2, 6)}, 6)
