"""Cases of rotary.py whose tokens have several coordinates: M-RoPE, vision encoders."""
import math

import timm.layers.pos_embed_sincos as timm
import torch

from rotary_text import ORIGINAL, Text, config_of, model

# Rows and columns of five patches.
GRID = [[0, 0, 1, 7, 22], [0, 3, 5, 2, 23]]
FAR = [[0, 1, 4097, 131071, 1000000], [0, 5, 3, 131080, 77]]
# Temporal, vertical and horizontal positions of five tokens.
THREE = [[0, 1, 4097, 131071, 1000000], [0, 5, 4100, 131080, 999999], [0, 9, 4099, 131072, 77]]


def halves(dim, layout, rule="restart", **options):
    """Two axes of as many pairs each."""
    return {"dim": dim, "layout": layout, "axes": rule, "axes.sections": [dim // 4, dim // 4]} | options


def swapped(apply, *turning):
    """For functions that want [batch, tokens, heads, size]."""
    return lambda q, k: [x.transpose(1, 2) for x in apply(q.transpose(1, 2), k.transpose(1, 2), *turning)]


def several_axes(golden):
    def axes(name, dim, rope, layout, what, rule, sections, **values):
        Text(name, dim, rope | {"mrope_section": sections}, layout, **values).add(
            golden, what, THREE, {"axes": rule, "axes.sections": sections})

    yarn = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, ORIGINAL: 32768}
    qwen = [16, 24, 24]
    axes("qwen2_vl", 128, {"rope_theta": 1000000.0}, "half", "Qwen2-VL", "chunked", qwen, kind="TextConfig")
    axes("qwen2_vl", 128, yarn, "half", "Qwen2-VL with YaRN", "chunked", qwen, kind="TextConfig")
    axes("qwen3_vl", 128, {"rope_theta": 5000000.0}, "half", "Qwen3-VL", "alternating", [24, 20, 20],
         kind="TextConfig")
    axes("ernie4_5_vl_moe", 128, {"rope_theta": 500000.0}, "interleaved", "Ernie 4.5 VL", "ernie", [22, 22, 20],
         kind="TextConfig")
    axes("glm4v", 128, {"rope_theta": 10000.0, "partial_rotary_factor": 0.5}, "interleaved", "GLM-4V", "chunked",
         [8, 12, 12], kind="TextConfig")


def of_transformers(golden):
    def embedding(name, what, kind="VisionConfig", **values):
        rope = {"rope_type": "axial"} | values.pop("rope", {"rope_theta": 10000.0})
        return getattr(model(name), what)(config_of(name, kind, rope_parameters=rope, **values))

    at = torch.tensor(FAR)
    for name, prefix, sizes in (("qwen2_vl", "Qwen2VL", {"embed_dim": 1280, "num_heads": 16}),
                                ("glm4v", "Glm4v", {"hidden_size": 1536, "num_heads": 12})):
        module, rotary = model(name), embedding(name, prefix + "VisionRotaryEmbedding", **sizes)
        cos, sin = rotary(golden.x, at.T)
        options = halves(cos.shape[-1], "half", base=10000.0)
        golden.add("transformers", f"{name}, vision", options, rotary.inv_freq.repeat(2),
                   swapped(module.apply_rotary_pos_emb_vision, cos[None], sin[None]), positions=FAR)
    module, rotary = model("minimax_m3_vl"), embedding("minimax_m3_vl", "MiniMaxM3VLVisionRotaryEmbedding",
                                                       hidden_size=1280, num_attention_heads=16)
    times = [[0, 1, 2, 3, 4097]] + FAR
    golden.add("transformers", "MiniMax-M3, vision",
               {"dim": 80, "layout": "half", "rotary_dim": 78, "axes": "restart", "axes.sections": [13, 13, 13],
                "base": 10000.0}, rotary.inv_freq.repeat(3),
               swapped(module.apply_rotary_pos_emb_vision, *rotary(golden.x, torch.tensor(times).T)), positions=times)
    module, rotary = model("pixtral"), embedding("pixtral", "PixtralVisionRotaryEmbedding")
    turning = [t[None] for t in rotary(golden.x, at.T)]
    golden.add("transformers", "Pixtral", halves(64, "half", "dealt", base=10000.0), rotary.inv_freq,
               lambda q, k: module.apply_rotary_pos_emb(q, k, *turning), positions=FAR)
    module, rotary = model("sam2_video"), embedding("sam2_video", "Sam2VideoVisionRotaryEmbedding", "VideoConfig")
    sam = rotary(golden.x, at.T)
    golden.add("transformers", "SAM 2", halves(256, "interleaved", base=10000.0), rotary.inv_freq.repeat(2),
               lambda q, k: model("sam2_video").apply_rotary_pos_emb_2d(q, k, *sam), positions=FAR)
    module, rotary = model("gemma4"), embedding("gemma4", "Gemma4VisionRotaryEmbedding", rope={"rope_theta": 100.0})
    cos, sin = rotary(golden.x, at.T[None])
    golden.add("transformers", "Gemma 4, vision", halves(64, "half", base=100.0, blocks=2),
               rotary.inv_freq.repeat(2), swapped(lambda q, k: [
                   module.apply_multidimensional_rope(x, cos, sin, at.T[None]) for x in (q, k)]), positions=FAR)


def llama4(golden):
    """Columns come first and positions count from 1."""
    config = config_of("llama4", "VisionConfig", image_size=336, hidden_size=1408, num_attention_heads=16,
                       rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    table = model("llama4").Llama4VisionRotaryEmbedding(config)(golden.x)
    rows = torch.tensor(GRID[0]) * 24 + torch.tensor(GRID[1])
    frequencies = 1.0 / (10000.0 ** (torch.arange(0, 44, 2)[:22].float() / 44))
    golden.add("transformers", "Llama 4, vision", halves(88, "interleaved", base=10000.0, offset=1),
               frequencies.repeat(2), swapped(model("llama4").vision_apply_rotary_emb, table[rows]),
               positions=GRID[::-1])


def loftr(golden):
    """Pairs take turns between rows and columns, two by two with one frequency; positions from 1."""
    config = config_of("efficientloftr")
    rotary = model("efficientloftr").EfficientLoFTRRotaryEmbedding(config)
    side = 24 * config.q_aggregation_stride
    rows = torch.tensor(GRID[0]) * 24 + torch.tensor(GRID[1])
    cos, sin = (t.reshape(1, 24 * 24, 256)[:, rows] for t in rotary(torch.zeros(1, 1, side, side)))
    frequencies = rotary.inv_freq.repeat_interleave(2)
    golden.add("transformers", "EfficientLoFTR",
               halves(256, "interleaved", "in-turn", base=10000.0, offset=1), frequencies,
               lambda q, k: model("efficientloftr").apply_rotary_pos_emb(q, k, cos, sin), positions=GRID)


def lightglue(golden):
    """Learned frequencies that all heads share, for key points anywhere."""
    torch.manual_seed(3)
    encoder = model("lightglue").LightGluePositionalEncoder(config_of("lightglue"))
    encoder.projector.weight.mul_(10)
    points = torch.rand(5, 2) * 2 - 1
    (cos, sin), = encoder(points[None])
    # Two products and a sum on either side, in any order.
    golden.add("transformers", "LightGlue", {"dim": 64, "layout": "interleaved", "frequencies": "learned",
                                             "frequencies.heads": 1, "frequencies.axes": 2},
               torch.zeros(0), lambda q, k: model("lightglue").apply_rotary_pos_emb(q, k, cos, sin),
               positions=points.T.double(), weight=encoder.projector.weight[None], angle_roundings=4)


def dinov3(golden):
    """2 pi, its product with the coordinate and that with the frequency; ours and its product: five."""
    module = model("dinov3_vit")
    rotary = module.DINOv3ViTRopePositionEmbedding(config_of("dinov3_vit", hidden_size=384, num_attention_heads=6))
    coords = module.get_patches_center_coordinates(14, 24, torch.float32, "cpu")
    rows = torch.tensor([0, 1, 30, 77, 335])
    cos, sin = (t[rows] for t in rotary.eval()(torch.zeros(1, 3, 14 * 16, 24 * 16)))
    golden.add("transformers", "DINOv3", halves(64, "half", base=100.0, **{"frequencies.unit": "turns"}),
               (2 * math.pi * rotary.inv_freq.double()).repeat(2),
               lambda q, k: module.apply_rotary_pos_emb(q, k, cos, sin), positions=coords[rows].T.double(),
               angle_roundings=5)
    for what, values, options in (
            ("DINOv3", {"temperature": 100.0}, {"base": 100.0, "frequencies.unit": "turns"}),
            ("DINOv3, from period to period", {"min_period": 0.5, "max_period": 90.0},
             {"frequencies": "periods", "frequencies.min_period": 0.5, "frequencies.max_period": 90.0})):
        rotary = timm.RotaryEmbeddingDinoV3(64, normalize_coords="max", **values)
        turning, coords = rotary.get_embed([14, 24])[rows], timm.make_coords_dinov3(14, 24, "max")[rows]
        golden.add("timm", what, halves(64, "half", **options), (2 * math.pi / rotary.periods.double()).repeat(2),
                   lambda q, k: [timm.apply_rot_embed_cat(x, turning, half=True) for x in (q, k)],
                   positions=coords.T.double(), angle_roundings=5)


def of_timm(golden):
    rows = torch.tensor(GRID[0]) * 24 + torch.tensor(GRID[1])

    def eva(what, coords, options, heads=(2, 1), layout="interleaved", **values):
        rotary = timm.RotaryEmbeddingCat(64, rotate_half=layout == "half", **values)
        turning = rotary.get_embed([24, 24])[rows]
        golden.add("timm", what, halves(64, layout, **options), rotary.bands.repeat(2),
                   lambda q, k: [timm.apply_rot_embed_cat(x, turning, half=layout == "half") for x in (q, k)],
                   positions=coords[torch.tensor(GRID)].double() if coords is not None else GRID, heads=heads)

    unit = torch.linspace(-1.0, 1.0, 24)
    pixels = {"frequencies": "pixels", "frequencies.max_res": 224}
    eva("EVA, pixels", unit, pixels)
    eva("EVA, pixels in linear bands", unit, pixels | {"frequencies.linear": True}, linear_bands=True)
    eva("EVA-02", torch.arange(24.0) / 24 * 16, {"base": 10000.0}, (3, 2), in_pixels=False, ref_feat_shape=[16, 16])
    eva("language, half", None, {"base": 10000.0}, (3, 2), "half", in_pixels=False)

    torch.manual_seed(4)
    mixed = timm.RotaryEmbeddingMixed(dim=3 * 64, depth=1, num_heads=3)
    turning = mixed.get_embed([24, 24])[0][:, rows]
    golden.add("timm", "RoPE-ViT, mixed", {"dim": 64, "layout": "interleaved", "frequencies": "learned",
                                           "frequencies.heads": 3, "frequencies.axes": 2},
               torch.zeros(0), lambda q, k: [timm.apply_rot_embed_cat(x, turning) for x in (q, k)],
               positions=GRID[::-1], heads=(3, 3), weight=mixed.freqs[:, 0].permute(1, 2, 0), angle_roundings=4)

    # Of its sections only those of rows and columns are read.
    genlip = timm.RotaryEmbeddingMRope(72, mrope_section=(8, 12, 12))
    turns = genlip.get_embed([24, 24])[rows]
    golden.add("timm", "GenLIP", {"dim": 72, "layout": "half", "base": genlip.temperature, "axes": "alternating",
                                  "axes.sections": [12, 12, 12]}, genlip.inv_freq,
               lambda q, k: [timm.apply_rot_embed_cat(x, turns, half=True) for x in (q, k)],
               positions=[[0] * 5] + GRID)


def add_cases(golden):
    several_axes(golden)
    of_transformers(golden)
    llama4(golden)
    loftr(golden)
    lightglue(golden)
    dinov3(golden)
    of_timm(golden)
