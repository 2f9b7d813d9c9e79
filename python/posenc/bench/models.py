"""Models of transformers unchanged, with Liger's rotation if it is installed, and patched by posenc.

    python -m posenc.bench.models                     # on CUDA, models of about 1B parameters with random weights
    python -m posenc.bench.models --family llama --compile
    python -m posenc.bench.models --tiny --device cpu # sizes for tests

Times are milliseconds for reading a text (prefill), a training step, and one more token with a cache (decode), which --compile omits.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import statistics
import sys

import torch

import posenc.torch

from ._timing import markdown, milliseconds, where

TINY = dict(hidden_size=64, intermediate_size=64, num_attention_heads=4, num_key_value_heads=2, num_hidden_layers=2)
BIG = dict(hidden_size=2048, intermediate_size=8192, num_attention_heads=32, num_key_value_heads=8, num_hidden_layers=16)
MLA = dict(q_lora_rank=None, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, moe_intermediate_size=64)
MROPE = {"rope_type": "default", "rope_theta": 1e6}

# The class of the model and of its configuration, then options: of both sizes, of the tiny one, of the big one.
FAMILIES = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", {}, {}, {}),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", {}, {"head_dim": 16}, {"head_dim": 128, "num_attention_heads": 16}),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig", {}, {"head_dim": 16}, {"head_dim": 128, "num_attention_heads": 16}),
    "gpt-oss": (
        "GptOssForCausalLM",
        "GptOssConfig",
        {"num_local_experts": 4, "num_experts_per_tok": 2},
        {"head_dim": 16},
        {"head_dim": 64, "intermediate_size": 2048},
    ),
    "deepseek-v3": (
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        {**MLA, "first_k_dense_replace": 64},
        {"kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16, "num_key_value_heads": 4},
        {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "num_key_value_heads": 32},
    ),
    "qwen2.5-vl": (
        "Qwen2_5_VLForConditionalGeneration",
        "Qwen2_5_VLConfig",
        {},
        {"rope_parameters": {**MROPE, "mrope_section": [2, 3, 3]}},
        {"rope_parameters": {**MROPE, "mrope_section": [8, 12, 12]}},
    ),
}
WORDS = dict(vocab_size=32000, pad_token_id=0, bos_token_id=1, eos_token_id=2, max_position_embeddings=131072)
VISION = dict(depth=1, hidden_size=64, intermediate_size=64, num_heads=4, out_hidden_size=64)


def made(family: str, tiny: bool, device: str, dtype: torch.dtype):
    """The model with random weights; its frequencies stay in f32, as in one that was loaded."""
    transformers = importlib.import_module("transformers")
    model, config, shared, small, large = FAMILIES[family]
    options = {**(TINY if tiny else BIG), **WORDS, **shared, **(small if tiny else large)}
    options["vocab_size"] = 50 if tiny else options["vocab_size"]
    if family == "qwen2.5-vl":
        options = {"text_config": options, "vision_config": {**VISION, "out_hidden_size": options["hidden_size"]}}
    torch.manual_seed(0)
    with torch.device(device):  # there random weights are made in a moment
        out = getattr(transformers, model)(getattr(transformers, config)(**options))
    for parameter in out.parameters():
        parameter.data = parameter.data.to(dtype)
    return out


@contextlib.contextmanager
def as_is(model):
    yield


@contextlib.contextmanager
def patched(model):
    done = posenc.torch.patch(model)
    try:
        yield
    finally:
        done.undo()


@contextlib.contextmanager
def liger(model):
    """Liger's kernel in the place of the function that turns halves of heads, as its own patches do."""
    rope = importlib.import_module("liger_kernel.transformers.rope")
    module = sys.modules[type(model).__module__]
    if not hasattr(module, "apply_rotary_pos_emb"):
        raise LookupError("it has no function for this model")
    own = module.apply_rotary_pos_emb
    kind = "_gpt_oss" if "gpt_oss" in module.__name__ and hasattr(rope, "liger_rotary_pos_emb_gpt_oss") else ""
    rotate = getattr(rope, "liger_rotary_pos_emb" + kind)
    module.apply_rotary_pos_emb = lambda q, k, cos, sin, *rest, **named: rotate(q, k, cos, sin)
    try:
        yield
    finally:
        module.apply_rotary_pos_emb = own


def contenders(device: str) -> dict:
    """Liger has kernels for GPUs only."""
    has_liger = device.startswith("cuda") and importlib.util.find_spec("liger_kernel") is not None
    return {"as is": as_is, **({"Liger": liger} if has_liger else {}), "posenc": patched}


def measured(model, ids, train_tokens: int, compiles: bool, device: str, repeats: int) -> list[float]:
    torch._dynamo.reset()
    call = torch.compile(model) if compiles else model

    def prefill():
        with torch.inference_mode():
            call(ids[:1], use_cache=False, logits_to_keep=1)

    def step():
        model.zero_grad()
        part = ids[:, :train_tokens]
        call(part, labels=part, use_cache=False).loss.backward()

    model.eval()
    reading = milliseconds(prefill, device, repeats)
    decoding = [] if compiles else [decoded(model, ids, device, repeats)]
    model.train()
    return [reading, milliseconds(step, device, repeats), *decoding]


def decoded(model, ids, device, repeats) -> float:
    """One more token with a cache."""
    with torch.inference_mode():
        past = model(ids[:1, :64], use_cache=True).past_key_values

    def decode():
        with torch.inference_mode():
            model(ids[:1, :1], past_key_values=past, use_cache=True)

    return milliseconds(decode, device, 6 * repeats)


def rows_of(family: str, options):
    """A row for each rotation, told as soon as it is known: compiling takes minutes."""
    model = made(family, options.tiny, options.device, getattr(torch, options.dtype))
    tokens = 48 if options.tiny else options.tokens
    ids = torch.randint(3, 50, (2, tokens), device=options.device)
    times, rounds = {}, 1 if options.compile else options.rounds
    for nth in range(rounds):  # in turn: a slow moment of the machine meets all of them
        for name, around in contenders(options.device).items():
            try:
                with around(model):
                    found = measured(model, ids, tokens // 2, options.compile, options.device, options.repeats)
                times.setdefault(name, []).append(found)
                cells = [f"{statistics.median(t):.2f}" for t in zip(*times[name])]
            except LookupError as why:
                cells = [str(why)] + [""] * (1 if options.compile else 2)
            if nth == rounds - 1:
                yield [family, name, *cells]


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m posenc.bench.models", description=__doc__.split("\n")[0])
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only this one; may be repeated (default: all)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16", "float32"])
    parser.add_argument("--tokens", type=int, default=8192, help="length of the text that is read; training takes two texts of half this length")
    parser.add_argument("--rounds", type=int, default=3, help="how often each rotation is measured; the median is reported")
    parser.add_argument("--repeats", type=int, default=5, help="calls that are timed in each round")
    parser.add_argument("--compile", action="store_true", help="prefill and training under torch.compile")
    parser.add_argument("--tiny", action="store_true", help="models and texts of the size used in tests")
    options = parser.parse_args(arguments)
    transformers = importlib.import_module("transformers")
    print(f"{where(options.device)}, transformers {transformers.__version__}, {options.dtype}; milliseconds\n")
    header = ["model", "rotation", "prefill", "training step"] + ([] if options.compile else ["decode"])
    print(markdown([header, ["---"] * len(header)]))
    for family in options.family or FAMILIES:
        for row in rows_of(family, options):
            print(markdown([row]), flush=True)


if __name__ == "__main__":
    main()
