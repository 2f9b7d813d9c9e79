#!/usr/bin/env python3
"""Records biases of boxes and segments by Transformers in points.safetensors.

    pip install torch==2.15.0 transformers==5.22.2 safetensors
    python3 tests/golden/points.py

NAME.positions [axes, rows, tokens] are what the model reads, NAME.weight.N what it learns, [rows, heads] as the library
wants it, NAME.bias [rows, heads, queries, keys] what it adds to scores. Everything that is learned is computed in f64.
"""
import pathlib

import torch
from safetensors.torch import save_file
from transformers import CpmAntConfig, LayoutLMv3Config, UdopConfig
from transformers.models.cpmant.modeling_cpmant import CpmAntSegmentPositionEmbedding
from transformers.models.layoutlmv3.modeling_layoutlmv3 import LayoutLMv3Encoder
from transformers.models.pp_doclayout_v2.configuration_pp_doclayout_v2 import PPDocLayoutV2ReadingOrderConfig
from transformers.models.pp_doclayout_v2.modeling_pp_doclayout_v2 import PPDocLayoutV2PositionRelationEmbedding
from transformers.models.udop.modeling_udop import RelativePositionBiasAggregated, create_relative_bias

HEADS, ROWS, TOKENS = 3, 2, 23
arrays = {}


def record(name, positions, weights, bias):
    arrays[f"{name}.positions"], arrays[f"{name}.bias"] = positions, bias
    arrays.update({f"{name}.weight.{i}": w for i, w in enumerate(weights)})


def learned(module):
    module.double().eval()
    for weight in module.parameters():
        weight.copy_(torch.randn(weight.shape).double())
    return module


def boxes():
    """Left, upper, right and lower edges, [rows, tokens, 4]: some equal, some at the ends."""
    corners = torch.randint(0, 1001, (ROWS, TOKENS, 2, 2)).sort(dim=2).values
    corners[:, :3] = corners[:, :1]
    corners[:, 3] = torch.tensor([[0, 0], [1000, 1000]])
    return corners.flatten(2)


def tokens():
    return torch.randint(0, 300, (ROWS, TOKENS))


def layoutlmv3():
    config = LayoutLMv3Config(
        hidden_size=12, num_attention_heads=HEADS, num_hidden_layers=1, intermediate_size=8,
        has_relative_attention_bias=True, has_spatial_attention_bias=True,
    )
    encoder, ids, box = learned(LayoutLMv3Encoder(config)), tokens(), boxes()
    bias = encoder._cal_1d_pos_emb(ids) + encoder._cal_2d_pos_emb(box)
    tables = [encoder.rel_pos_bias, encoder.rel_pos_x_bias, encoder.rel_pos_y_bias]
    record("layoutlmv3-bias", torch.stack([ids, box[..., 0], box[..., 3]]), [t.weight.t() for t in tables], bias)


def udop():
    biases = learned(RelativePositionBiasAggregated(create_relative_bias(UdopConfig(num_heads=HEADS))))
    box = boxes().float() / 1000
    bias = biases(torch.ones(ROWS, TOKENS), box)
    order = torch.arange(TOKENS).double().expand(ROWS, TOKENS)
    centres = [box[..., [i, i + 2]].mean(-1).double() for i in (0, 1)]
    record("udop", torch.stack([order, *centres]), [b.relative_attention_bias.weight for b in biases.biases], bias)


def cpm_ant():
    config = CpmAntConfig(num_attention_heads=HEADS, segment_types=4, position_bias_num_buckets=16,
                          position_bias_max_distance=20)
    module, segments = learned(CpmAntSegmentPositionEmbedding(config)), torch.randint(0, 4, (ROWS, TOKENS))
    order = torch.arange(TOKENS).expand(ROWS, TOKENS)  # the module counts tokens itself
    bias = module(order, order, segments, segments)
    record("cpm-ant", torch.stack([order, segments]), [module.relative_attention_bias], bias)


def pp_doclayout_v2():
    float32, torch.float = torch.float, torch.float64  # of the frequencies
    module = learned(PPDocLayoutV2PositionRelationEmbedding(PPDocLayoutV2ReadingOrderConfig(num_attention_heads=HEADS)))
    torch.float = float32
    places = torch.rand(ROWS, TOKENS, 4).double()
    places[:, 1] = places[:, 0]
    weights = [module.pos_proj.weight.flatten(1), module.pos_proj.bias]
    record("pp-doclayout-v2", places.permute(2, 0, 1), weights, module(places))


with torch.no_grad():
    torch.manual_seed(14)
    for model in (layoutlmv3, udop, cpm_ant, pp_doclayout_v2):
        model()
    arrays = {name: array.detach().contiguous().clone() for name, array in arrays.items()}
    save_file(arrays, pathlib.Path(__file__).with_suffix(".safetensors"))
