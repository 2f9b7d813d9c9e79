"""Tiny models of transformers, with random weights: posenc in the place of their encodings changes nothing
but rounding, in logits and in gradients, and can be taken back.

Tolerance: f32 code of models computes angles with an error of half a unit in the last place of the angle. Texts
here have 40 tokens: 2e-6 at most, on numbers of about 1; two layers and logits of size below 1 keep that order.
In f64 models still make their angles in f32, so the bound is the same.
"""

import copy
import inspect
import math

import pytest
import torch
from tiny_models import ENCODER_DECODER, LLAMA, MODELS

import posenc.torch as pt
from posenc.torch._replace_rotation import _proven

transformers = pytest.importorskip("transformers")


def outputs(model, **inputs):
    """Logits (or the last states), and the gradient of all parameters."""
    model.zero_grad()
    out = model(**inputs)
    logits = out.logits if hasattr(out, "logits") else out.last_hidden_state
    weight = torch.linspace(-1, 1, logits.numel(), device=logits.device).reshape(logits.shape)
    (logits * weight).mean().backward()
    return logits.detach(), {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}


def same(a, b, tolerance=2e-5):
    for x, y in zip(torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b)):
        assert (x - y).abs().max() <= tolerance * max(1.0, x.abs().max().item())


def inputs_for(name, device):
    ids = torch.randint(3, 50, (2, 40), device=device)
    if name in ("t5", "marian"):
        return {"input_ids": ids, "decoder_input_ids": ids[:, :17]}
    mask = torch.ones_like(ids)
    mask[0, 30:] = 0
    return {"input_ids": ids, "attention_mask": mask} if name == "bloom" else {"input_ids": ids}


@pytest.mark.parametrize("name", MODELS)
def test_patched_models(name, device):
    make, count = MODELS[name]
    model = make().to(device).eval()
    inputs = inputs_for(name, device)
    before = outputs(model, **inputs)
    patched = pt.patch(model)
    assert sum(c.replaced for c in patched.changes if c.scheme != "rotation") == count, str(patched)
    same(outputs(model, **inputs), before)
    twin = copy.deepcopy(model)
    same(outputs(twin, **inputs), before)
    patched.undo()
    again = outputs(model, **inputs)
    assert torch.equal(again[0], before[0])
    assert not any("forward" in m.__dict__ for m in model.modules())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_patched_pictures_of_qwen2_vl(dtype):
    """Patches stand on points, [patches, 2], and their cosines stay in f32 whatever the type of the model."""
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2}
    text = {**LLAMA, "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3], "rope_type": "default"}}
    config = transformers.Qwen2VLConfig(text_config=text, vision_config=vision)
    model = transformers.Qwen2VLForConditionalGeneration(config).eval()
    for parameter in model.parameters():  # frequencies stay in f32, as in a model that was loaded so
        parameter.data = parameter.data.to(dtype)
    tower, grid = model.model.visual, torch.tensor([[1, 4, 6], [1, 8, 4]])
    if "position_ids" not in inspect.signature(type(tower.rotary_pos_emb).forward).parameters:
        pytest.skip("of a transformers whose vision encoders count otherwise")
    pixels = torch.randn(int(grid.prod(dim=1).sum()), 3 * 2 * 14 * 14, dtype=dtype)
    before = tower(pixels, grid)
    patched = pt.patch(model)
    assert "vision" in [c.where for c in patched.changes if c.replaced], str(patched)
    cos, sin = tower.rotary_pos_emb(pixels, torch.tensor([[3, 5]]))
    assert cos.dtype == torch.float32 and cos.shape == (1, 16)
    assert sin[0, [0, 4]].tolist() == pytest.approx([math.sin(3), math.sin(5)], abs=1e-7)
    after = tower(pixels, grid)
    same([t for t in after.values() if torch.is_tensor(t)], [t for t in before.values() if torch.is_tensor(t)])
    patched.undo()
    model.config = transformers.Qwen2VLConfig(text_config=LLAMA, vision_config=vision)  # sections beyond the pairs of a head
    changes = {c.where: c.replaced for c in pt.patch(model, rotation=False).changes}
    assert changes == {"vision": True, "text": False}


@pytest.mark.parametrize("why", [IndexError, TypeError, KeyError])
def test_a_rotary_module_that_takes_no_such_positions_is_kept(why):
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))

    def refuses(x, position_ids):
        raise why("only pictures")

    model.model.rotary_emb.__dict__["forward"] = refuses
    (change,) = pt.patch(model, rotation=False).changes
    assert not change.replaced and "it does not compute what its configuration says" in str(change)


def test_patched_swin():
    config = transformers.SwinConfig(image_size=56, embed_dim=24, depths=[1, 1], num_heads=[3, 6], window_size=7)
    model = transformers.SwinModel(config).eval()
    for module in model.modules():
        if hasattr(module, "relative_position_bias_table"):
            torch.nn.init.normal_(module.relative_position_bias_table)
    inputs = {"pixel_values": torch.randn(2, 3, 56, 56)}
    before = outputs(model, **inputs)
    assert sum(c.replaced for c in pt.patch(model).changes) == 2
    same(outputs(model, **inputs), before)


def test_whispers_table_becomes_exact():
    config = transformers.WhisperConfig(**ENCODER_DECODER)
    model = transformers.WhisperModel(config)
    weight = model.encoder.embed_positions.weight
    before = weight.detach().clone()
    patched = pt.patch(model)
    assert patched.changes[0].replaced and 1e-6 < patched.changes[0].difference < 1e-3
    exact = pt.SinusoidalEncoding(dim=64, preset="whisper", batch_first=True).rows(len(weight))
    assert torch.equal(weight, exact)
    patched.undo()
    assert torch.equal(weight, before)


def test_what_does_not_fit_is_kept():
    """A model whose code does not do what its configuration says."""
    model = transformers.LlamaModel(transformers.LlamaConfig(**LLAMA))
    model.rotary_emb.inv_freq.mul_(1.1)
    patched = pt.patch(model, rotation=False)
    assert [c.replaced for c in patched.changes] == [False] and "kept" in str(patched)


def test_undo_restores_what_was_there():
    model = transformers.LlamaModel(transformers.LlamaConfig(**LLAMA))
    own = model.rotary_emb.forward
    model.rotary_emb.forward = own  # as hooks of others do
    first, second = pt.patch(model), pt.patch(model)
    second.undo()
    assert model.rotary_emb.__dict__["forward"] is not own
    first.undo()
    assert model.rotary_emb.__dict__["forward"] is own


def test_biases_that_are_called_otherwise_are_kept(monkeypatch):
    """As in transformers 4, which says where queries stand by cache_position."""
    model = MODELS["t5"][0]()
    kind = type(model.encoder.block[0].layer[0].SelfAttention)
    own = kind.compute_bias

    def compute_bias(self, query_length, key_length, device=None, cache_position=None):
        return own(self, query_length, key_length, device)

    monkeypatch.setattr(kind, "compute_bias", compute_bias)
    patched = pt.patch(model)
    assert patched.changes and not any(c.replaced for c in patched.changes)
    assert "cache_position" in str(patched)


@pytest.mark.parametrize("name", ["llama", "gpt-j", "gpt-2", "bert", "t5", "marian"])
def test_models_without_numbers(name):
    """As they are before a checkpoint is read: nothing is compared, and that is said."""
    with torch.device("meta"):
        model = MODELS[name][0]()
    for told in (pt.check(model), pt.patch(model)):
        assert told.changes and all("meta device" in str(c) or "lost when" in str(c) for c in told.changes if c.scheme != "rotation")
        assert all(c.difference is None or c.difference == math.inf for c in told.changes if c.scheme != "rotation")


@pytest.mark.parametrize("name", MODELS)
def test_the_default_device_is_another(name):
    """What is compared is made beside the model, not where PyTorch makes tensors by default."""
    model = MODELS[name][0]()
    twin = copy.deepcopy(model)
    _proven.cache_clear()
    with torch.device("meta"):
        found = [pt.check(model), pt.patch(model)]
    assert [str(f) for f in found] == [str(f) for f in (pt.check(twin), pt.patch(twin))]


def test_what_is_not_found_is_told():
    model = transformers.LlamaModel(transformers.LlamaConfig(**LLAMA))
    model.rotary_emb = torch.nn.Identity()
    told = str(pt.patch(model)).splitlines()
    assert told == [
        "kept  layers.0.self_attn and 1 more: rotation of text"
        " (apply_rotary_pos_emb: no module was found that makes its table)",
        "kept  the model: rope of text (no module was found that computes it)",
    ]


def test_what_posenc_does_not_replace_is_told():
    sizes = dict(conv_dim=(8, 8), conv_stride=(2, 2), conv_kernel=(4, 4), num_feat_extract_layers=2)
    config = transformers.Wav2Vec2Config(
        hidden_size=64, num_attention_heads=4, num_hidden_layers=1, intermediate_size=64, **sizes
    )
    patched = pt.patch(transformers.Wav2Vec2Model(config))
    assert str(patched) == "kept  the model: conv of audio (posenc describes it, but has nothing to replace it with)"


def test_patched_model_compiles(device):
    model = MODELS["llama"][0]().to(device).eval()
    ids = torch.randint(3, 50, (1, 12), device=device)
    expected = model(ids).logits
    pt.patch(model)
    graphs, run = [], torch._dynamo.lookup_backend("aot_eager")
    with torch.no_grad():
        compiled = torch.compile(model, backend=lambda graph, x: graphs.append(graph) or run(graph, x), fullgraph=True, dynamic=True)
        same(compiled(ids, use_cache=False).logits, expected)
    calls = {node.target for graph in graphs for node in graph.graph.nodes}
    assert torch.ops.posenc.repeated_cos_sin in calls  # layers read the table from memory


def test_vit_fed_with_a_learned_table(device):
    """ViT adds its table itself: with zeros there and posenc's module behind, nothing changes."""
    config = transformers.ViTConfig(
        hidden_size=64, num_attention_heads=4, num_hidden_layers=2, intermediate_size=64, image_size=32, patch_size=8
    )
    model = transformers.ViTModel(config, add_pooling_layer=False).to(device).eval()
    pixels = torch.randn(2, 3, 32, 32, device=device)
    before = outputs(model, pixel_values=pixels)
    table = model.embeddings.position_embeddings
    encoding = pt.LearnedEncoding(rows=17, dim=64, device=device, batch_first=True)
    encoding.load_state_dict({"table": table.detach()[0]})
    torch.nn.init.zeros_(table)
    model.embeddings.register_forward_hook(lambda module, inputs, out: encoding(out))
    logits, gradients = outputs(model, pixel_values=pixels)
    same(logits, before[0])
    same(encoding.table.grad, before[1]["embeddings.position_embeddings"][0])


def test_llama_fed_with_rotations(device):
    """Not only its tables: Llama's own function that turns queries and keys gives way to the module."""
    from transformers.models.llama import modeling_llama

    model = MODELS["llama"][0]().to(device).eval()
    ids = torch.randint(3, 50, (2, 40), device=device)
    before = outputs(model, input_ids=ids)
    rope = pt.RotaryEncoding(dim=16, layout="half", heads_first=True)
    original = modeling_llama.apply_rotary_pos_emb
    try:
        modeling_llama.apply_rotary_pos_emb = lambda q, k, cos, sin: rope(q, k)
        same(outputs(model, input_ids=ids), before)
    finally:
        modeling_llama.apply_rotary_pos_emb = original
