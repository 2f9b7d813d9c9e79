"""Cases of rotary.py with factors that depend on the position (temperature, xPos), and x-transformers."""
import torch
import x_transformers.x_transformers as xt
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from rotary_text import ORIGINAL, SHORT, Text, config_of, model


def llama4_without_rope(q, k):
    """The query that Llama 4 hands to its attention function, with projections that change nothing."""
    seen = []

    def keep(module, query, *_, **__):
        seen.append(query)
        return query.transpose(1, 2), None
    ALL_ATTENTION_FUNCTIONS.register("keep", keep)
    config = config_of("llama4", "TextConfig", hidden_size=256, num_attention_heads=2, num_key_value_heads=2,
                       head_dim=128, num_hidden_layers=1, no_rope_layers=[0], attn_implementation="keep")
    attention = model("llama4").Llama4TextAttention(config, 0)
    torch.nn.init.eye_(attention.q_proj.weight)
    cache = type("Cache", (), {"get_seq_length": lambda *_: 8188, "update": lambda self, key, value, _: (key, value)})
    attention(q.transpose(1, 2).flatten(2), None, None, cache())
    return seen[0], k


def temperature(golden, long):
    """1 + 0.1 log(..): on their side 4 roundings of the second term, which is less than 0.4, their sum and the
    product with q; on ours the factor and that product: below 6.
    """
    yarn = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0, "beta_fast": 32.0, "beta_slow": 1.0,
            "mscale": 1.0, "mscale_all_dim": 1.0, ORIGINAL: 16384, "llama_4_scaling_beta": 0.1}
    text = Text("ministral3", 128, yarn, "half", max_positions=262144)
    scale = text.module.get_llama_4_attn_scale(torch.tensor([long]), 0.1, 16384)
    turning = text.embedding(golden.x, torch.tensor([long]))

    def ministral(q, k):
        q, k = text.apply(q, k, *turning)
        return q * scale, k
    # Its softmax scale has no factor, unlike DeepSeek's with the same mscale pair.
    options = {n: v for n, v in text.options.items() if "mscale" not in n} | {"scaling.attention_factor": 1.0}
    golden.add("transformers", "Ministral 3",
               options | {"temperature": "log", "temperature.scale": 0.1, "temperature.floor": 16384,
                          "temperature.offset": 0},
               text.embedding.inv_freq, ministral, factor_roundings=6)
    golden.add("transformers", "Llama 4, a layer that does not turn",
               {"dim": 128, "layout": "interleaved", "rotary_dim": 0, "temperature": "log", "temperature.scale": 0.1,
                "temperature.floor": 8192, "temperature.offset": 1},
               torch.zeros(0), llama4_without_rope, positions=[8188, 8189, 8190, 8191, 8192], factor_roundings=6)


def x_transformers(golden, long):
    def add(what, dim, count, options, positions=long, roundings=None, **values):
        embedding = xt.RotaryEmbedding(count, **values)
        frequencies, scale = embedding(torch.tensor(positions))
        inverse = scale ** -1.0
        golden.add("x-transformers", what, {"dim": dim, "layout": "interleaved", "rotary_dim": count,
                                            "base": 10000.0} | options,
                   embedding.inv_freq / embedding.interpolation_factor,
                   lambda q, k: (xt.apply_rotary_pos_emb(q, frequencies, scale),
                                 xt.apply_rotary_pos_emb(k, frequencies, inverse)),
                   positions=positions, heads=(3, 2), **(roundings or {}))

    add("plain, half of the head", 64, 32, {})
    add("base_rescale_factor", 64, 64, {"scaling": "ntk", "scaling.factor": 4.0}, base_rescale_factor=4.0)
    # Theirs: product and quotient; the recorded frequency and its product: four roundings.
    add("interpolation_factor", 64, 64, {"scaling": "linear", "scaling.factor": 3.0},
        roundings={"angle_roundings": 4}, interpolation_factor=3.0)
    # Its base is off by 4 roundings and raised to at most 2; power 2, inverse 2, product 1, ours 2.
    add("xPos", 64, 64, {"decay": "xpos", "decay.scale_base": 512.0, "decay.center": 1024}, SHORT,
        roundings={"factor_roundings": 15}, use_xpos=True)


def x_transformers_heads(golden, long):
    """What its attention makes of three heads when the last two turn; projections change nothing."""
    attention = xt.Attention(dim=3 * 32, heads=3, dim_head=32, rotate_num_heads=2)
    for projection in (attention.to_q, attention.to_k):
        torch.nn.init.eye_(projection.weight)
    seen = []
    attention.attend.register_forward_pre_hook(lambda module, inputs: seen.extend(inputs[:2]))
    embedding = xt.RotaryEmbedding(32)
    turning = embedding(torch.tensor(long))

    def rotate(q, k):
        attention(q.transpose(1, 2).flatten(2), context=k.transpose(1, 2).flatten(2), rotary_pos_emb=turning,
                  context_rotary_pos_emb=turning)
        return seen
    golden.add("x-transformers", "the last heads",
               {"dim": 32, "layout": "interleaved", "base": 10000.0, "rotary_heads": 2, "first_head": -2},
               embedding.inv_freq, rotate, heads=(3, 3))


def add_cases(golden):
    temperature(golden, golden.long)
    x_transformers(golden, golden.long)
    x_transformers_heads(golden, golden.long)
