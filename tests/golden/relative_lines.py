"""Cases of relative.py whose bias reads the distance or the key: T5, ALiBi, clipped, dynamic."""
import importlib
import math

import torch
import x_transformers.x_transformers as xt


def model(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def config_of(name, kind="Config", **values):
    module = importlib.import_module(f"transformers.models.{name}.configuration_{name}")
    found = [c for n, c in vars(module).items() if n.endswith(kind) and c.__module__ == module.__name__]
    return min(found, key=lambda c: len(c.__name__))(**values)


# Key positions of the long lines: 16-bit types cannot hold all of them.
FAR = [0, 1, 2, 3, 17, 255, 256, 257, 1001, 4097, 30011, 65537, 100000]


def t5_buckets(golden):
    def add(peer, what, buckets, max_distance, bidirectional, bucket):
        options = {"heads": 1, "buckets": buckets, "max_distance": max_distance, "bidirectional": bidirectional}
        golden.add(peer, what, "t5", options, buckets=golden.bucket_runs(bucket))

    for name, attention in (("t5", model("t5").T5Attention), ("mt5", model("mt5").MT5Attention)):
        for buckets, max_distance in ((32, 128),) if name == "mt5" else ((32, 128), (64, 512), (32, 1000)):
            for bidirectional in (True, False):
                add("transformers", f"{name} buckets", buckets, max_distance, bidirectional,
                    lambda r: attention._relative_position_bucket(r, bidirectional, buckets, max_distance))
    for decoder in (False, True):
        config = config_of("umt5", d_model=8, num_heads=1, d_kv=8, is_decoder=decoder)
        umt5 = model("umt5").UMT5Attention(config, True, 0)
        add("transformers", "UMT5 buckets", 32, 128, not decoder, umt5._relative_position_bucket)
    wavlm = model("wavlm").WavLMAttention(8, 1)
    add("transformers", "WavLM buckets", 320, 800, True, wavlm._relative_positions_bucket)
    add("transformers", "MPNet buckets", 32, 128, True, model("mpnet").MPNetEncoder.relative_position_bucket)
    layout = model("layoutlmv3").LayoutLMv3Encoder.relative_position_bucket
    add("transformers", "LayoutLMv3 box buckets", 64, 256, True,
        lambda r: layout(None, r, num_buckets=64, max_distance=256))
    for causal in (False, True):
        add("x-transformers", "T5 buckets", 32, 128, not causal,
            lambda r: xt.RelativePositionBias._relative_position_bucket(r, causal))


def power_roundings(heads):
    """Bloom raises an f32 base to a power: its rounding counts as often as the power says, unless it is exact."""
    most = 0
    closest = 2 ** math.floor(math.log2(heads))
    for count, largest in ((closest, closest), (2 * closest, 2 * (heads - closest) - 1)):
        base = 2 ** (-8 / count)
        most = max(most, largest if float(torch.tensor(base)) != base else 0)
    return most


def bloom_and_falcon(golden):
    for heads in (8, 12, 32):
        mask = torch.ones(1, FAR[-1] + 1, dtype=torch.int64)
        for type, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
            alibi = model("bloom").build_alibi_tensor(mask, heads, dtype)[:, :, FAR]
            # Besides the base: the power within an ulp (2); before bf16, the product (1).
            golden.add("transformers", f"Bloom, {heads} heads, {type}", "alibi", {"heads": heads, "form": "keys"},
                       type=type, roundings=power_roundings(heads) + (2 if type == "f32" else 3),
                       queries=[FAR[-1]], keys=FAR, bias=alibi.float())
    mask = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1]])
    alibi = model("bloom").build_alibi_tensor(mask, 8, torch.float32)
    golden.add("transformers", "Bloom, padding on the left", "alibi", {"heads": 8, "form": "keys"}, type="f32",
               queries=[4], keys=(mask.cumsum(-1) - 1)[0] * mask[0], bias=alibi)
    for heads in (12, 32, 71):
        mask = torch.ones(1, FAR[-1] + 1, dtype=torch.int64)
        alibi = model("falcon").build_alibi_tensor(mask, heads, torch.bfloat16)[:, :, FAR]
        golden.add("transformers", f"Falcon, {heads} heads", "alibi",
                   {"heads": heads, "form": "keys", "rounding": "bf16"}, type="bf16",
                   queries=[FAR[-1]], keys=FAR, bias=alibi.float())


def add_trained_cases(golden):
    """In the types that the models use."""
    t5_buckets(golden)
    bloom_and_falcon(golden)
    for heads, bias_max in ((8, 8), (12, 8), (32, 16)):
        length = FAR[-1] + 1
        alibi = model("mpt").build_mpt_alibi_tensor(heads, length, bias_max)[:, :, FAR]
        # The power within an ulp (2), its reciprocal (1).
        golden.add("transformers", f"MPT, {heads} heads, bias_max {bias_max}", "alibi",
                   {"heads": heads, "bias_max": bias_max}, type="f32", roundings=3,
                   queries=[length - 1], keys=FAR, bias=alibi)


def t5(golden):
    queries, keys, past = 5, 140, 65
    for name, kind in (("t5", "T5Attention"), ("mt5", "MT5Attention")):
        for decoder in (False, True):
            config = config_of(name, d_model=12, d_kv=4, num_heads=3, is_decoder=decoder)
            attention = golden.randomize(getattr(model(name), kind)(config, True, layer_idx=0))
            bias = attention.compute_bias(queries, keys, past_seen_tokens=past)[0]
            golden.add("transformers", f"{name} {'decoder' if decoder else 'encoder'}", "t5",
                       {"heads": 3, "bidirectional": not decoder}, weights=[attention.relative_attention_bias.weight],
                       queries=torch.arange(queries) + past, keys=torch.arange(keys), bias=bias)
    for causal in (False, True):
        module = golden.randomize(xt.RelativePositionBias(math.sqrt(96), causal, 16, 50, 3))
        golden.add("x-transformers", f"T5 bias, {'causal' if causal else 'both sides'}", "t5",
                   {"heads": 3, "buckets": 16, "max_distance": 50, "bidirectional": not causal,
                    "scale": math.sqrt(96)}, weights=[module.relative_attention_bias.weight],
                   queries=torch.arange(70, 77), keys=torch.arange(77), bias=module(7, 77))


def alibi(golden):
    for heads, total in ((6, 6), (4, 7)):
        module = xt.AlibiPositionalBias(heads, total)
        golden.add("x-transformers", f"ALiBi, {heads} of {total} heads", "alibi",
                   {"heads": total} | ({} if heads == total else {"alibi_heads": heads}),
                   queries=torch.arange(20, 29), keys=torch.arange(29), bias=module(9, 29))
    slopes = [0.3, 0.0, 1.25]
    golden.add("x-transformers", "ALiBi, given slopes", "alibi", {"heads": 3, "slopes": slopes},
               queries=torch.arange(4, 9), keys=torch.arange(9), bias=xt.AlibiPositionalBias(3, slopes=slopes)(5, 9))
    at = torch.tensor([0.5, 3.25, 1.0, 7.75])
    golden.add("x-transformers", "ALiBi, any positions", "alibi", {"heads": 8}, queries=at, keys=at,
               bias=xt.AlibiPositionalBias(8).forward_custom_pos(at))


def clipped(golden):
    """The peer's symmetric form reads a row past its table from a distance of 6 on."""
    for form, symmetric, tokens in (("half-open", False, 11), ("symmetric", True, 6)):
        config = config_of("phi4_multimodal", "AudioConfig", bias_max_distance=6, bias_symmetric=symmetric,
                           num_attention_heads=3)
        module = golden.randomize(model("phi4_multimodal").Phi4MultimodalAudioRelativeAttentionBias(config))
        golden.add("transformers", f"Phi-4 audio, {form}", "clipped", {"heads": 3, "max_distance": 6, "form": form},
                   weights=[module.bias_values.weight], bias=module(torch.zeros(1, tokens, 1))[0])


def dynamic(golden):
    for log, depth in ((False, 1), (True, 2)):
        module = golden.randomize(xt.DynamicPositionBias(10, heads=3, depth=depth, log_distance=log))
        golden.add("x-transformers", f"dynamic position bias, depth {depth}{', logarithm' if log else ''}",
                   "dynamic", {"heads": 3, "hidden": 10, "depth": depth, "log_distance": log},
                   weights=list(module.parameters()), queries=torch.arange(6, 11), keys=torch.arange(11),
                   bias=module(5, 11))


def add_cases(golden):
    t5(golden)
    alibi(golden)
    clipped(golden)
    dynamic(golden)
