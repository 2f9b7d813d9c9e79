"""Cases of relative.py on windows of a grid: Swin, BEiT, Swin-V2, LeViT, MaxViT."""
import unittest.mock

import timm.layers.pos_embed_rel as timm_rel
import timm.models.levit as timm_levit
import torch

from relative_lines import config_of, model

WINDOW = (3, 5)
SIZES = {"heads": 3, "height": 3, "width": 5}


class Stop(Exception):
    """Thrown by what stands in for softmax."""


def scores_of(attend):
    """The scores that a peer's attention hands to its first softmax."""
    taken = []

    def softmax(scores, *_, **__):
        taken.append(scores)
        raise Stop

    with unittest.mock.patch("torch.nn.functional.softmax", softmax):
        try:
            attend()
        except Stop:
            pass
    return taken[0]


def tables(golden):
    swin = golden.randomize(model("swin").SwinRelativePositionBias(3, WINDOW))
    golden.add("transformers", "Swin", "window", SIZES, weights=[swin.relative_position_bias_table], bias=swin()[0])
    # Not square: the peer reads its table as [width, height], which is another function; timm's is compared.
    config = config_of("beit", image_size=64, patch_size=16, num_attention_heads=3, hidden_size=12)
    beit = golden.randomize(model("beit").BeitRelativePositionBias(config))
    golden.add("transformers", "BEiT", "window", {"heads": 3, "height": 4, "width": 4, "table": "beit"},
               weights=[beit.relative_position_bias_table], bias=beit((4, 4))[0])
    golden.add("transformers", "BEiT, resized", "window", {}, weights=[beit.relative_position_bias_table],
               out=resized_beit(beit, 6), family="resize", resize=[4, 4, 6, 6, "linear"])
    beit = golden.randomize(timm_rel.RelPosBias(WINDOW, 3, prefix_tokens=1))
    golden.add("timm", "BEiT, not square", "window", SIZES | {"table": "beit"},
               weights=[beit.relative_position_bias_table], bias=beit.get_bias()[0])
    maxvit = golden.randomize(timm_rel.RelPosBiasTf(WINDOW, 3))
    golden.add("timm", "MaxViT", "window", SIZES | {"table": "maxvit"},
               weights=[maxvit.relative_position_bias_table], bias=maxvit.get_bias())


def resized_beit(beit, side):
    """The table that the peer reads for a window of another size, found through the entries it reads."""
    bias, index = beit((side, side))[0], beit.generate_relative_position_index((side, side))
    table = torch.zeros((2 * side - 1) ** 2 + 3, bias.shape[0])
    table[index.flatten()] = bias.flatten(1).T
    return table


def resized(golden):
    table = golden.random(7 * 7 + 3, 3)
    for peer, how in ((timm_rel.resize_rel_pos_bias_table_simple, "cubic"),
                      (timm_rel.resize_rel_pos_bias_table, "geometric")):
        for window in ((6, 9), (8, 5)):
            rows = (2 * window[0] - 1) * (2 * window[1] - 1) + 3
            golden.add("timm", f"resized, {how}", "window", {}, weights=[table], out=peer(table, window, (rows, 3)),
                       family="resize", resize=[4, 4, *window, how])


def levit(golden):
    options = SIZES | {"table": "levit"}
    attention = golden.randomize(timm_levit.Attention(8, 4, 3, resolution=WINDOW))
    golden.add("timm", "LeViT", "window", options, weights=[attention.attention_biases],
               bias=attention.get_attention_biases("cpu"))
    attention = golden.randomize(timm_levit.AttentionDownsample(8, 8, 4, 3, resolution=WINDOW))
    golden.add("timm", "LeViT, every second query", "window", options, weights=[attention.attention_biases],
               queries=torch.arange(15).view(WINDOW)[::2, ::2].flatten(), keys=torch.arange(15),
               bias=attention.get_attention_biases("cpu"))


def continuous(golden):
    config = config_of("swinv2", qkv_bias=True)
    for pretrained in ((0, 0), (4, 7)):
        attention = golden.randomize(model("swinv2").Swinv2SelfAttention(config, 12, 3, WINDOW, pretrained))
        attention.query.weight.zero_()  # so that only the bias is left of the scores
        attention.query.bias.zero_()
        given = {"pretrained_height": pretrained[0], "pretrained_width": pretrained[1]} if pretrained[0] else {}
        golden.add("transformers", f"Swin-V2{', pretrained on another window' if given else ''}", "continuous",
                   SIZES | given, weights=list(attention.continuous_position_bias_mlp.parameters()),
                   bias=scores_of(lambda: attention(golden.random(1, 15, 12)))[0])
    module = golden.randomize(timm_rel.RelPosMlp(WINDOW, 3, hidden_dim=20))
    golden.add("timm", "cr", "continuous", SIZES | {"hidden": 20, "form": "plain"}, weights=list(module.parameters()),
               bias=module.get_bias()[0])


def add_cases(golden):
    tables(golden)
    resized(golden)
    levit(golden)
    continuous(golden)
