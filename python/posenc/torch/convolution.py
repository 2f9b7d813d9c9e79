"""Encodings from neighbouring tokens: x + act(norm(conv(x))), of wav2vec 2.0, data2vec, PEG and CPVT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from posenc._convolution import extent

from . import _native
from ._direct import expect_tensors
from ._encoding import InputEncoding
from ._plans import options_of, scheme_of
from ._registry import register
from ._sharded import LocalParts, is_dtensor

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from posenc import Scheme

    from ._options import ConvolutionOptions

HOW = "SymInt height, SymInt width, bool add_input, str scheme, Tensor[] weights"
LAYER_NORM_EPSILON = 1e-5


def _plan(scheme, weights):
    return scheme_of(scheme).prepare([w.detach() for w in weights])


def _convolve(x, height, width, add_input, scheme, weights):
    out = torch.empty_like(x)
    _plan(scheme, weights).convolve(_native.read(x), out, height, width, add_input)
    return out


def _convolve_fake(x, height, width, add_input, scheme, weights):
    return torch.empty_like(x)


def _gradients(dout, x, height, width, add_input, scheme, weights):
    """Of x, then of the weights."""
    dx, sums = torch.empty_like(x), _native.zeros_for(weights, x)
    plan = _plan(scheme, weights)
    plan.convolve_backward(_native.read(x), _native.read(dout), dx, sums, height, width, add_input)
    return [dx, *(s.to(w.dtype) for s, w in zip(sums, weights))]


def _gradients_fake(dout, x, height, width, add_input, scheme, weights):
    return [torch.empty_like(x), *(w.new_empty(w.shape) for w in weights)]


def _setup(ctx, inputs, output):
    x, *ctx.how, weights = inputs
    ctx.save_for_backward(x, *weights)


def _backward(ctx, dout):
    x, *weights = ctx.saved_tensors
    dx, *dweights = torch.ops.posenc.convolution_gradients(dout, x, *ctx.how, weights)
    return dx, None, None, None, None, dweights


register(f"convolve(Tensor x, {HOW}) -> Tensor", _convolve, _convolve_fake, _setup, _backward)
register(f"convolution_gradients(Tensor dout, Tensor x, {HOW}) -> Tensor[]", _gradients, _gradients_fake)


def _kernel(options, weights):
    """The kernel and the bias of the next layer."""
    if not options["weight_norm"]:
        return weights.pop(0), weights.pop(0)
    lengths, directions = weights.pop(0), weights.pop(0)
    return lengths * directions / directions.norm(dim=(0, 1), keepdim=True), weights.pop(0)


def _check(x, height, width, options, prefix) -> None:
    """What the library refuses of x and its grid."""
    if x.dim() < 2 or not x.is_floating_point() or x.shape[-1] != options["dim"]:
        got = f"{x.dtype} {list(x.shape)}"
        raise ValueError(f"[convolve] expected x as floats [..., tokens, {options['dim']}], got {got}")
    tokens = x.shape[-2] - prefix
    if tokens < 0:
        raise ValueError(f"[convolve] expected at least {prefix} tokens, got {x.shape[-2]}")
    if options["coordinates"] == 1 and (height != 0 or width != 0):
        told = "no height and width of a convolution over time"
        raise ValueError(f"[convolve] expected {told}, got {height} and {width}")
    if options["coordinates"] == 2 and (height < 0 or width < 0 or height * width != tokens):
        raise ValueError(f"[convolve] expected height x width of {tokens} patches, got {height} x {width}")


def by_torch(x, height, width, add_input, scheme, weights):
    """The same with PyTorch's own convolutions, on devices where posenc has none."""
    options, wide = options_of(scheme), _native.compute_type(x.dtype)
    on_grid, kernel, prefix = options["coordinates"] == 2, options["kernel"], options.get("prefix", 0)
    _check(x, height, width, options, prefix)
    if not x.numel() or x.shape[-2] == prefix:
        return x.clone() if add_input else torch.zeros_like(x)
    weights = [w.to(wide) for w in weights]
    convolve = F.conv2d if on_grid else F.conv1d
    first = x[..., prefix:, :].reshape(-1, x.shape[-2] - prefix, x.shape[-1]).to(wide)
    y = first
    for _ in range(options["layers"]):
        before = y.transpose(-1, -2)
        before = before.unflatten(-1, (height, width)) if on_grid else before
        pads = [kernel // 2, kernel - 1 - kernel // 2] * options["coordinates"]
        w, b = _kernel(options, weights)
        done = convolve(F.pad(before, pads), w, b, groups=options["groups"])
        done = (done.flatten(-2) if on_grid else done).transpose(-1, -2)
        if options["layer_norm"]:
            done = F.layer_norm(done, done.shape[-1:], eps=LAYER_NORM_EPSILON)
        y = F.gelu(done) if options["activation"] == "gelu" else done
    y = (y + first if add_input else y).to(x.dtype).reshape(x[..., prefix:, :].shape)
    if not prefix:
        return y
    front = x[..., :prefix, :]
    return torch.cat([front if add_input else torch.zeros_like(front), y], dim=-2)


class ConvolutionEncoding(InputEncoding):
    """A convolution over neighbours: `ConvolutionEncoding(dim=768, batch_first=True)`.

    Parameters are named as in checkpoints: `weight`, `bias`, or `weight_g`, `weight_v`, `bias`; with several layers the
    names begin with `layers.0.`. On devices other than the CPU the convolutions are PyTorch's own.
    """

    family = "convolution"

    def __init__(
        self, scheme: str | Scheme = "convolution", *, batch_first: bool = None, device: Any = None, dtype: Any = None,  # type: ignore[assignment]
        **options: Unpack[ConvolutionOptions],
    ) -> None:  # fmt: skip
        super().__init__(scheme, batch_first=batch_first, device=device, dtype=dtype, **options)

    def forward(self, x: torch.Tensor, grid=None, *, add_input: bool = True) -> torch.Tensor:
        """x plus the convolution over its neighbours. x: [batch, tokens, dim], or [tokens, batch, dim] without batch_first.
        grid: (height, width) of the patches, for a convolution over a grid. add_input=False: the encoding alone."""
        expect_tensors(type(self).__name__, x=x)
        x = self._swapped(x, "dim")
        if not is_dtensor(x):
            return self._swapped(self._convolve(x, extent(grid), add_input, self.weights), "dim")
        parts = LocalParts([x], axes=2, fixed={-1, -2})  # tokens are told by their neighbours
        y = parts.back([self._convolve(parts.local[0], extent(grid), add_input, parts.weights(self.held))])[0]
        return self._swapped(y, "dim")

    def _convolve(self, x, grid, add_input, weights):
        convolve = torch.ops.posenc.convolve if x.is_cpu or x.is_meta else by_torch
        return convolve(x, *grid, add_input, self.handle, weights)
