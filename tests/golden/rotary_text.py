"""Cases of rotary.py that are language models of transformers: length rules, layouts, spans."""
import importlib

import torch

# Below every limit of length that a case has.
SHORT = [0, 1, 17, 1000, 2047]
ORIGINAL = "original_max_position_embeddings"


def model(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def config_of(name, kind="Config", **values):
    module = importlib.import_module(f"transformers.models.{name}.configuration_{name}")
    found = [c for n, c in vars(module).items() if n.endswith(kind) and c.__module__ == module.__name__]
    return min(found, key=lambda c: len(c.__name__))(**values)


def scaling(rope, dim, max_positions):
    """rope_parameters of transformers as options of ours."""
    kind = rope.get("rope_type", "default")
    options = {"base": rope["rope_theta"]}
    if kind != "proportional" and "partial_rotary_factor" in rope:
        options["rotary_dim"] = int(dim * rope["partial_rotary_factor"])
    if kind == "default":
        return options
    if "alpha" in rope:
        return options | {"scaling": "ntk", "scaling.factor": rope["alpha"]}
    skip = {"rope_type", "rope_theta", "mrope_section", "llama_4_scaling_beta"}
    skip |= set() if kind == "proportional" else {"partial_rotary_factor"}
    options["scaling"] = kind
    options |= {f"scaling.{key}": value for key, value in rope.items() if key not in skip}
    if kind == "dynamic":
        options["scaling.max_position_embeddings"] = max_positions
    if kind == "longrope" and "factor" not in rope:
        options["scaling.factor"] = max_positions / rope[ORIGINAL]
    return options


def in_pairs(values, layout):
    """One number per pair from one per feature."""
    return values[..., : values.shape[-1] // 2] if layout == "half" else values[..., ::2]


class Text:
    """A text model of transformers: its rotary module and its function that turns q and k."""

    def __init__(self, name, dim, rope, layout, kind="Config", max_positions=8192, **values):
        rope = {"rope_type": "default"} | rope
        self.options = {"dim": dim, "layout": layout} | scaling(rope, dim, max_positions)
        config = config_of(name, kind, hidden_size=4 * dim, num_attention_heads=4, head_dim=dim,
                           max_position_embeddings=max_positions, rope_parameters=dict(rope), **values)
        self.module, self.layout = model(name), layout
        classes = [c for c in vars(self.module) if c.endswith("RotaryEmbedding") and "Vision" not in c]
        self.embedding = getattr(self.module, classes[0])(config)
        self.apply = getattr(self.module, "apply_rotary_pos_emb", None)

    def frequencies(self):
        inv_freq = self.embedding.inv_freq
        if not hasattr(self.embedding, "recomposition_frequencies"):
            return inv_freq
        by_axis = inv_freq.expand(3, 1, 1, -1).clone()
        return in_pairs(self.embedding.recomposition_frequencies(by_axis), self.layout)[0, 0]

    def add(self, golden, what, positions, options=None, apply=None, **values):
        ids = torch.tensor(positions)
        ids = ids[None] if ids.ndim == 1 else ids[:, None]
        turning = self.embedding(golden.x, ids)
        apply = apply or self.apply
        rotate = (lambda q, k: apply(q, k, *turning)) if isinstance(turning, tuple) else (
            lambda q, k: apply(q, k, turning))
        factor = float(self.embedding.attention_scaling)
        golden.add("transformers", what, self.options | (options or {}), self.frequencies(), rotate,
                   positions=positions, length=int(ids.max()) + 1, cos_sin_factor=factor,
                   factor_roundings=0 if factor == 1 else 2, **values)


def first_features(apply, count):
    """Turns the first features only, as a model's attention does around `apply`."""
    def rotate(q, k, *turning):
        turned = apply(q[..., :count], k[..., :count], *turning)
        return tuple(torch.cat([t, x[..., count:]], -1) for t, x in zip(turned, (q, k)))
    return rotate


def length_rules(golden, long):
    def llama(what, dim, rope, positions=long, **values):
        Text("llama", dim, rope, "half", **values).add(golden, what, positions)

    three = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, ORIGINAL: 8192}
    yarn = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0, ORIGINAL: 32768}
    llama("Llama 2", 128, {"rope_theta": 10000.0})
    llama("head size 96, base 1e6", 96, {"rope_theta": 1000000.0})
    llama("linear", 128, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0})
    dynamic = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}
    llama("dynamic, below its length", 128, dynamic, SHORT, max_positions=4096)
    llama("dynamic, above its length", 128, dynamic, [0, 1, 17, 4097, 8191], max_positions=4096)
    llama("dynamic, far above its length", 96, dynamic, max_positions=4096)
    llama("Llama 3.1", 128, three | {"rope_theta": 500000.0})
    llama("Llama 3.2", 64, three | {"rope_theta": 500000.0, "factor": 32.0})
    llama("Qwen 2.5 with YaRN", 128, yarn)
    llama("YaRN with an attention factor", 128, yarn | {"attention_factor": 0.8782})
    llama("YaRN, equal betas", 64, yarn | {"beta_fast": 8.0, "beta_slow": 8.0, "rope_theta": 10000.0})
    llama("YaRN, equal betas, not truncated", 64,
          yarn | {"beta_fast": 8.0, "beta_slow": 8.0, "truncate": False, "rope_theta": 10000.0})
    oss = {"rope_type": "yarn", "rope_theta": 150000.0, "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
           "truncate": False, ORIGINAL: 4096}
    Text("gpt_oss", 64, oss, "half").add(golden, "gpt-oss", long, heads=(3, 2))
    short, far = [1 + 0.01 * k for k in range(48)], [1.05 + 0.03 * k * k for k in range(48)]
    phi = {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": short, "long_factor": far, ORIGINAL: 4096}
    for what, positions in (("short", SHORT), ("long", long)):
        Text("phi3", 96, phi, "half", max_positions=131072, pad_token_id=0).add(golden, f"Phi-3, {what}", positions)
    Text("hunyuan_v1_dense", 128, {"rope_type": "dynamic", "alpha": 1000.0, "rope_theta": 10000.0, "factor": 1.0},
         "half").add(golden, "HunYuan alpha", long)


def gemma4(golden, long):
    embedding = model("gemma4").Gemma4TextRotaryEmbedding(config_of("gemma4", "TextConfig"))
    turning = embedding(golden.x, torch.tensor([long]), "full_attention")
    apply = model("gemma4").apply_rotary_pos_emb
    golden.add("transformers", "Gemma 4, full attention",
               {"dim": 512, "layout": "half", "base": 1000000.0, "scaling": "proportional",
                "scaling.partial_rotary_factor": 0.25},
               embedding.full_attention_inv_freq, lambda q, k: (apply(q, *turning), apply(k, *turning)))


def deepseek(golden, long):
    yarn = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0,
            "beta_fast": 32.0, "beta_slow": 1.0, ORIGINAL: 4096}
    kimi = yarn | {"rope_theta": 50000.0, "factor": 32.0, "beta_fast": 1.0}
    for what, rope in (("DeepSeek-V3", yarn), ("DeepSeek-V3, mscale .7", yarn | {"mscale": 0.7}), ("Kimi K2", kimi)):
        text = Text("deepseek_v3", 64, rope, "interleaved-in-half-out", qk_rope_head_dim=64)
        text.add(golden, what, long, apply=text.module.apply_rotary_pos_emb_interleave, heads=(3, 2),
                 softmax_factor=text.module.yarn_apply_mscale(rope, 1.0))
    module = model("deepseek_v4")
    embedding = module.DeepseekV4RotaryEmbedding(config_of("deepseek_v4", head_dim=128, partial_rotary_factor=0.5))
    turning = embedding(golden.x, torch.tensor([long]), "main")
    apply = module.apply_rotary_pos_emb
    golden.add("transformers", "DeepSeek-V4, last features",
               {"dim": 128, "layout": "interleaved", "rotary_dim": 64, "rotary_offset": -64, "base": 10000.0},
               embedding.main_inv_freq, lambda q, k: (apply(q, *turning), apply(k, *turning)))


def layouts_and_spans(golden, long):
    neox = {"rope_theta": 10000.0, "partial_rotary_factor": 0.25}
    Text("gpt_neox", 96, neox, "half").add(golden, "GPT-NeoX 20B", long, heads=(3, 2))
    phi = Text("phi", 80, {"rope_theta": 10000.0, "partial_rotary_factor": 0.4}, "half")
    phi.add(golden, "Phi-2", long, apply=first_features(phi.apply, 32))
    glm = {"rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    Text("glm", 128, glm, "interleaved").add(golden, "GLM-4", long)
    Text("cohere", 128, {"rope_theta": 8000000.0}, "interleaved").add(golden, "Command R", long)
    Text("ernie4_5", 128, {"rope_theta": 500000.0}, "interleaved").add(golden, "Ernie 4.5", long)
    Text("nanochat", 128, {"rope_theta": 10000.0}, "half").add(golden, "nanochat", long, {"sign": "negative"})
    scout = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 16.0, "low_freq_factor": 1.0,
             "high_freq_factor": 1.0, ORIGINAL: 8192}
    llama4 = Text("llama4", 128, scout, "interleaved", kind="TextConfig")
    turn = llama4.module.apply_rotary_emb
    llama4.add(golden, "Llama 4 Scout", long, apply=lambda q, k, turning: tuple(
        x.transpose(1, 2) for x in turn(q.transpose(1, 2), k.transpose(1, 2), turning)))
    gptj = model("gptj")
    sine, cosine = gptj.create_sinusoidal_positions(2048, 64)[SHORT][None].chunk(2, -1)
    turn = first_features(lambda q, k: [gptj.apply_rotary_pos_emb(x.transpose(1, 2), sine, cosine).transpose(1, 2)
                                        for x in (q, k)], 64)
    golden.add("transformers", "GPT-J", {"dim": 256, "layout": "interleaved", "rotary_dim": 64, "base": 10000.0},
               1.0 / (10000 ** (torch.arange(0, 64, 2, dtype=torch.int64) / 64)), turn, positions=SHORT)


def add_cases(golden):
    length_rules(golden, golden.long)
    gemma4(golden, golden.long)
    deepseek(golden, golden.long)
    layouts_and_spans(golden, golden.long)
