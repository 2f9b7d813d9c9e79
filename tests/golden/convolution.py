#!/usr/bin/env python3
"""Records convolutional position embeddings with their gradients in convolution.safetensors.

Made with transformers 5.22.2 and torch 2.15.0 (CPU, f64); the modules are those of wav2vec 2.0 and
data2vec-audio. No library here has a module for CPVT's PEG, so it is torch's own depth-wise Conv2d on the
patches, the class token left out. Run: python3 tests/golden/convolution.py
"""
import pathlib

import torch
from safetensors.torch import save_file
from transformers import Data2VecAudioConfig, Wav2Vec2Config
from transformers.models.data2vec.modeling_data2vec_audio import Data2VecAudioPositionalConvEmbedding
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2PositionalConvEmbedding


class Peg(torch.nn.Module):
    """Patches [batch, prefix + height x width, dim] after `prefix` class tokens."""

    def __init__(self, dim, kernel, prefix, height, width):
        super().__init__()
        self.conv = torch.nn.Conv2d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.prefix, self.sides = prefix, (height, width)

    def forward(self, x):
        patches = x[:, self.prefix:].transpose(1, 2).unflatten(2, self.sides)
        rows = self.conv(patches).flatten(2).transpose(1, 2)
        return torch.nn.functional.pad(rows, (0, 0, self.prefix, 0))


def record(name, module, tokens, dim, weights, out):
    """x + module(x), and the gradients of <dout, that>; weights in the order of the scheme."""
    module = module.double()
    x, dout = torch.randn(2, tokens, dim), torch.randn(2, tokens, dim)
    x.requires_grad_()
    weights = weights(module)
    for weight in weights:
        weight.data.normal_(0, 0.5)
    y = x + module(x)
    y.backward(dout)
    out |= {f"{name} x": x, f"{name} y": y, f"{name} dout": dout, f"{name} dx": x.grad}
    for i, weight in enumerate(weights):
        out |= {f"{name} weight {i}": weight, f"{name} dweight {i}": weight.grad}


def normed(module):
    both = module.conv.parametrizations.weight
    return [both.original0, both.original1, module.conv.bias]


def stacked(module):
    return [w for layer in module.layers for w in (layer.conv.weight, layer.conv.bias)]


def wav2vec2(dim, kernel, groups):
    return Wav2Vec2PositionalConvEmbedding(Wav2Vec2Config(
        hidden_size=dim, num_conv_pos_embeddings=kernel, num_conv_pos_embedding_groups=groups))


def data2vec(dim, kernel, groups, layers):
    return Data2VecAudioPositionalConvEmbedding(Data2VecAudioConfig(
        hidden_size=dim, conv_pos_kernel_size=kernel, num_conv_pos_embedding_groups=groups,
        num_conv_pos_embeddings=layers))


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(7)
    out = {}
    record("wav2vec2 even", wav2vec2(12, 6, 3), 9, 12, normed, out)
    record("wav2vec2 odd", wav2vec2(10, 5, 1), 3, 10, normed, out)
    record("data2vec", data2vec(12, 5, 4, 3), 7, 12, stacked, out)
    record("peg", Peg(6, 3, 1, 4, 5), 21, 6, lambda m: [m.conv.weight, m.conv.bias], out)
    path = pathlib.Path(__file__).with_name("convolution.safetensors")
    save_file({k: v.detach().contiguous() for k, v in out.items()}, path)
