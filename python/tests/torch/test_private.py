"""PyTorch without the names that it does not promise: everything works, by the dispatcher."""

import pathlib
import re
import subprocess
import sys

import posenc

CODE = """
import importlib.util, pathlib, sys
import torch
from torch.autograd import forward_ad
import posenc

# PyTorch itself needs the names: they are gone while the one file that reads them is loaded.
names = [(torch._C, "_len_torch_dispatch_stack"), (torch._C, "_get_tracing_state"),
         (torch._C._functorch, "peek_interpreter_stack"), (torch._C._functorch, "is_legacy_batchedtensor")]
taken = [(m, n, getattr(m, n)) for m, n in names]
file = pathlib.Path(posenc.__file__).parent / "torch" / "_direct.py"
spec = importlib.util.spec_from_file_location("posenc.torch._direct", file)
_direct = sys.modules["posenc.torch._direct"] = importlib.util.module_from_spec(spec)
for m, n in names:
    delattr(m, n)
spec.loader.exec_module(_direct)
for m, n, f in taken:
    setattr(m, n, f)
import posenc.torch as pt
from posenc.torch import _registry
assert _registry.is_plain is _direct.is_plain
assert not _direct.is_plain(torch.zeros(2)), "the names are still read"

x = torch.randn(2, 5, 8, dtype=torch.float64, requires_grad=True)
learned = pt.LearnedEncoding(rows=5, dim=8, dtype=torch.float64, batch_first=True)
y = learned(x)
assert torch.equal(y, x + learned.table)
y.sum().backward()
assert (learned.table.grad == 2).all() and (x.grad == 1).all()
q = torch.randn(1, 3, 5, 8, requires_grad=True)
rope = pt.RotaryEncoding(dim=8, layout="half", heads_first=True)
turned = rope(q)
torch.testing.assert_close(turned.norm(dim=-1), q.norm(dim=-1))
turned.square().sum().backward()
torch.testing.assert_close(q.grad, 2 * q.detach())
bias = pt.RelativeBias("alibi", heads=3)
scores = torch.zeros(1, 3, 4, 6)
assert torch.equal(bias.add(scores)[0], bias(4, 6)) and torch.equal(bias.add_(scores)[0], bias(4, 6))
with forward_ad.dual_level():
    try:
        rope(forward_ad.make_dual(q.detach(), q.detach()))
        raise AssertionError("tangents are dropped in silence")
    except NotImplementedError:
        pass
"""


def test_without_private_names():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_one_file_reads_private_names():
    folder = pathlib.Path(posenc.__file__).parent / "torch"
    for path in folder.glob("*.py"):
        found = re.findall(r"torch\._C|_pytree|_current_level|\._schema\b|tensor\._utils", path.read_text())
        assert not found or path.name == "_direct.py", (path.name, found)
