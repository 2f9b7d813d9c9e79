#!/usr/bin/env python3
"""Writes content.json and content.safetensors: what models of transformers add to scores, with its gradients.

Made with transformers 5.22.2 and torch 2.15.0 (CPU, f64); others are refused. A case says which options of which
scheme stand for the peer's module, what it reads (q, [queries, heads, size]; places of queries and keys), the scores it
is given and the scores it gives, [heads, queries, keys]; then a gradient of these, and what autograd makes of it for q
and the weights. Run: python3 content.py
"""
import importlib
import json
import pathlib
import unittest.mock

import torch
import transformers
from safetensors.torch import save_file

HEADS, SIZE = 3, 8
VERSIONS = {"transformers": "5.22.2", "torch": "2.15.0"}
generator = torch.Generator().manual_seed(14)
cases, arrays = [], {}


def model(name):
    return importlib.import_module(f"transformers.models.{name}.modeling_{name}")


def random(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float32).double().requires_grad_()


def randomize(module):
    with torch.no_grad():
        for weight in module.double().eval().parameters():
            weight.copy_(random(*weight.shape) / weight.shape[-1] ** 0.5)
    return module


def same(weight):
    return weight


def add(what, scheme, options, weights, out, *, scale=1.0, scale_on="scores", q, reads_q=True, **read):
    """weights: pairs of a parameter and what brings it, and its gradient, into our order."""
    assert out.isfinite().all() and out.abs().max() < 32
    dout = random(*out.shape).detach()
    wanted = ([q] if reads_q else []) + [parameter for parameter, _ in weights]
    gradients = list(torch.autograd.grad(out, wanted, dout))
    read |= {"q": q, "out": out, "dout": dout}
    if reads_q:
        read["dq"] = gradients.pop(0)
    for i, ((parameter, order), gradient) in enumerate(zip(weights, gradients)):
        read |= {f"weight {i}": order(parameter), f"dweight {i}": order(gradient)}
    name = f"{len(cases):02}"
    arrays.update({f"{name} {key}": value.detach().clone().contiguous() for key, value in read.items()})
    cases.append({"name": name, "peer": "transformers", "what": what, "scheme": scheme, "scale": scale,
                  "scale_on": scale_on, "options": [str(t) for pair in options.items() for t in pair]})


def sam():
    """Grids of queries and keys, and what the tables were trained for."""
    module = model("sam").SamVisionAttention
    for queries, keys, table in (((3, 5), (3, 5), (3, 5)), ((4, 3), (4, 3), (6, 2)), ((6, 4), (3, 2), (6, 4)),
                                 ((2, 3), (4, 6), (5, 6)), ((6, 9), (4, 6), (6, 9))):
        config = transformers.SamVisionConfig(hidden_size=HEADS * SIZE, num_attention_heads=HEADS, image_size=64,
                                              patch_size=16)
        attention = module(config, window_size=0)
        attention.rel_pos_h = torch.nn.Parameter(torch.zeros(2 * table[0] - 1, SIZE))
        attention.rel_pos_w = torch.nn.Parameter(torch.zeros(2 * table[1] - 1, SIZE))
        randomize(attention)
        cells, seen = queries[0] * queries[1], keys[0] * keys[1]
        q, scores = random(cells, HEADS, SIZE), random(HEADS, cells, seen)
        term = attention.get_decomposed_rel_pos(q.transpose(0, 1), attention.rel_pos_h, attention.rel_pos_w, queries,
                                                keys)
        add(f"SAM, {queries} on {keys}, tables of {table}", "decomposed",
            {"dim": SIZE, "height": queries[0], "width": queries[1], "key_height": keys[0], "key_width": keys[1],
             "table_height": table[0], "table_width": table[1]},
            [(attention.rel_pos_h, same), (attention.rel_pos_w, same)],
            scores * attention.scale + term.reshape(HEADS, cells, seen), q=q, scores=scores, scale=attention.scale)


def wavlm():
    for tokens, buckets, farthest in ((19, 12, 20), (23, 320, 800)):
        attention = randomize(model("wavlm").WavLMAttention(HEADS * SIZE, HEADS, 0.0, buckets, farthest))
        x = random(tokens, HEADS, SIZE)
        taken = []
        with unittest.mock.patch.object(attention, "torch_multi_head_self_attention",
                                        lambda hidden, mask, bias: taken.append(bias) or (None, None)):
            attention(x.reshape(1, tokens, HEADS * SIZE))
        add(f"WavLM, {buckets} buckets", "gated-t5",
            {"dim": SIZE, "heads": HEADS, "buckets": buckets, "max_distance": farthest},
            [(attention.rel_attn_embed.weight, same), (attention.gru_rel_pos_linear.weight, same),
             (attention.gru_rel_pos_linear.bias, same), (attention.gru_rel_pos_const, torch.Tensor.flatten)],
            taken[0], q=x)


class Stop(Exception):
    pass


def scores_of(where, attend):
    """The scores that attend() hands to the softmax of a module."""
    taken = []

    def softmax(scores, *_, **__):
        taken.append(scores)
        raise Stop

    with unittest.mock.patch(f"{where}.softmax", softmax):
        try:
            attend()
        except Stop:
            pass
    return taken[0][0]


def xlnet():
    queries, keys = 5, 9
    config = transformers.XLNetConfig(d_model=HEADS * SIZE, n_head=HEADS, d_inner=8, n_layer=1)
    attention = randomize(model("xlnet").XLNetRelativeAttention(config))
    q, k, r = random(queries, HEADS, SIZE), random(keys, 1, HEADS, SIZE), random(keys + queries, 1, HEADS, SIZE)
    of_queries, of_keys = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([1, 0, 0, 0, 0, 0, 1, 1, 2])
    different = torch.nn.functional.one_hot((of_queries[:, None] != of_keys).long(), 2)[:, :, None].double()
    plain, out = (scores_of("torch.nn.functional",
                            lambda: attention.rel_attn_core(q[:, None], k, k, r, seg_mat=segments))
                  for segments in (None, different))
    add("XLNet, segments", "segments", {"dim": SIZE, "heads": HEADS},
        [(attention.seg_embed, same), (attention.r_s_bias, same)], out, scale=attention.scale, scale_on="sum", q=q,
        reads_q=False, scores=plain / attention.scale, queries=of_queries, keys=of_keys)


def funnel():
    """Two blocks: queries of the second are pooled, keys are not yet."""
    tokens = 10
    for kind, pooled in (("relative_shift", False), ("relative_shift", True), ("factorized", False)):
        config = transformers.FunnelConfig(d_model=HEADS * SIZE, n_head=HEADS, d_head=SIZE, block_sizes=[1, 1],
                                           attention_type=kind)
        module = model("funnel")
        structure = module.FunnelAttentionStructure(config).eval()
        attention = randomize(module.FunnelRelMultiheadAttention(config, int(pooled)))
        places = list(range(tokens))
        ids = structure.stride_pool_pos(places, 1) if pooled else places
        rows = structure.get_position_embeds(tokens, torch.float64, "cpu")
        x, context = random(1, len(ids), HEADS * SIZE), random(1, tokens, HEADS * SIZE)
        types = torch.tensor([2, 0, 0, 0, 1, 1, 1, 1, 0, 1])
        of_queries = types[[0] + ids[1:]] if pooled else types
        matrix = structure.token_type_ids_to_mat(types[None])[:, [0] + ids[1:] if pooled else ids]
        with unittest.mock.patch.object(torch.Tensor, "float", torch.Tensor.double):
            plain, out = (scores_of("torch", lambda: attention(x, context, context, (rows, segments, None, None)))
                          for segments in (None, matrix))
        q = attention.q_head(x).view(len(ids), HEADS, SIZE)
        k = attention.k_head(context).view(tokens, HEADS, SIZE)
        products = q.transpose(0, 1) @ k.permute(1, 2, 0)
        shared = {"q": q, "reads_q": False, "scale": attention.scale, "scale_on": "sum"}
        what = f"Funnel, {kind}{', pooled queries' if pooled else ''}"
        add(what, "transformer-xl", {"dim": SIZE, "heads": HEADS, "sinusoids.dim": HEADS * SIZE},
            [(attention.r_kernel, lambda w: w.permute(1, 2, 0)), (attention.r_w_bias, same),
             (attention.r_r_bias, same)], plain, k=k, scores=products, queries=torch.tensor(ids),
            keys=torch.tensor(places), **shared)
        add(what + ", segments", "segments",
            {"dim": SIZE, "heads": HEADS, "rows": "other-first", "joined": 2},
            [(attention.seg_embed, same), (attention.r_s_bias, same)], out, scores=plain / attention.scale,
            queries=of_queries, keys=types, **shared)


def inkling():
    queries, keys, extent = torch.arange(6, 13), torch.arange(13), 5
    bank = randomize(model("inkling").InklingRelativeLogits(SIZE, extent))
    q = random(len(queries), HEADS, SIZE)
    add("Inkling", "shaw", {"dim": SIZE, "left": extent - 1, "right": 0, "beyond": "zero", "order": "query-minus-key"},
        [(bank.proj, lambda w: w.T)], bank(q[None], queries, keys)[0], q=q, queries=queries, keys=keys)


def main():
    for package, version in VERSIONS.items():
        assert importlib.import_module(package).__version__.split("+")[0] == version
    for make in (sam, wavlm, xlnet, funnel, inkling):
        make()
    folder = pathlib.Path(__file__).parent
    save_file(arrays, folder / "content.safetensors", VERSIONS)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (folder / "content.json").write_text(f'{{"versions": {json.dumps(VERSIONS)}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    main()
