"""Cases of relative.py that read queries or keys. q: [queries, heads, size], k: [keys, heads, size].

out: the peer's scores before softmax, [heads, queries, keys].
"""
import torch
import x_transformers.x_transformers as xt

from relative_grids import scores_of
from relative_lines import config_of, model

HEADS, SIZE = 3, 8
WIDTH = HEADS * SIZE


class Content:
    """Random q and k, and their products once heads lead, as most peers want them."""

    def __init__(self, golden, queries, keys, size=SIZE):
        self.golden = golden
        self.q, self.k = golden.random(queries, HEADS, size), golden.random(keys, HEADS, size)
        self.heads = (self.q.transpose(0, 1), self.k.transpose(0, 1))
        self.products = self.heads[0] @ self.heads[1].transpose(1, 2)

    def add(self, what, scheme, options, weights, out, **values):
        self.golden.add("transformers", what, scheme, options, weights=weights, q=self.q, k=self.k, out=out,
                        family="content", **values)


def xlnet(golden):
    """Queries stand at the end of the keys, as behind a memory."""
    queries, keys = 5, 12
    config = config_of("xlnet", d_model=WIDTH, n_head=HEADS, d_inner=8, n_layer=1)
    attention = golden.randomize(model("xlnet").XLNetRelativeAttention(config))
    whole = model("xlnet").XLNetModel(config)
    for kind, clamp_len in (("bi", -1), ("uni", -1), ("bi", 4)):
        whole.attn_type, whole.clamp_len = kind, clamp_len
        rows = whole.relative_positional_encoding(queries, keys, bsz=1)
        r = torch.einsum("ibh,hnd->ibnd", rows, attention.r)
        content = Content(golden, queries, keys)
        q, k = content.q[:, None], content.k[:, None]
        options = {"heads": HEADS, "dim": SIZE, "sinusoids.dim": WIDTH} | ({"clamp_len": 4} if clamp_len > 0 else {})
        content.add(f"XLNet, {kind}{', clamped' if clamp_len > 0 else ''}", "transformer-xl", options,
                    [attention.r.permute(1, 2, 0), attention.r_w_bias, attention.r_r_bias],
                    scores_of(lambda: attention.rel_attn_core(q, k, k, r))[0],
                    queries=torch.arange(keys - queries, keys), keys=torch.arange(keys), scale=attention.scale,
                    causal=kind == "uni")


def conformer(golden):
    tokens = 7
    config = config_of("wav2vec2_conformer", hidden_size=WIDTH, num_attention_heads=HEADS, max_source_positions=40,
                       position_embeddings_type="relative")
    module = model("wav2vec2_conformer")
    attention = golden.randomize(module.Wav2Vec2ConformerSelfAttention(config))
    content = Content(golden, tokens, tokens)
    rows = module.Wav2Vec2ConformerRelPositionalEmbedding(config)(golden.random(1, tokens, WIDTH))
    q, k = (x[None] for x in content.heads)
    q_u, term = module._apply_relative_position_encoding(attention, q, k, rows)
    out = scores_of(lambda: module.eager_attention_forward(attention, q_u, k, k, None, attention.scaling,
                                                           position_bias=term))[0]
    content.add("wav2vec2-conformer", "transformer-xl",
                {"heads": HEADS, "dim": SIZE, "sinusoids.dim": WIDTH, "sinusoids.order": "interleaved"},
                [attention.linear_pos.weight.view(HEADS, SIZE, WIDTH), attention.pos_bias_u, attention.pos_bias_v],
                out, scale=attention.scaling)


def deberta_buckets(golden):
    """Rows of the table for distances query - key."""
    bucket = model("deberta_v2").make_log_bucket_position
    for buckets, farthest in ((256, 512), (32, 128), (64, 2048), (512, 1024)):
        rows = golden.bucket_runs(
            lambda r: torch.clamp(bucket(r, buckets, farthest).long() + buckets, 0, 2 * buckets - 1))
        golden.add("transformers", "DeBERTa-v2 rows", "deberta", {"buckets": buckets, "max_distance": farthest},
                   buckets=rows, family="content")


def deberta(golden):
    """The peer's scale, the root of size * (1 + terms), is f32 in compiled code: these sizes make it exact."""
    tokens, farthest = 21, 16
    for terms, size, buckets, share in (("c2p", 8, 8, False), ("p2c", 8, 8, False), ("c2p|p2c", 12, 8, False),
                                        ("c2p|p2c", 3, 8, True), ("c2p|p2c", 12, -1, False)):
        config = config_of("deberta_v2", hidden_size=HEADS * size, num_attention_heads=HEADS, relative_attention=True,
                           position_buckets=buckets, max_relative_positions=farthest, share_att_key=share,
                           pos_att_type=terms.split("|"))
        attention = golden.randomize(model("deberta_v2").DisentangledSelfAttention(config))
        rows = golden.random(2 * (buckets if buckets > 0 else farthest), HEADS * size)
        content = Content(golden, tokens, tokens, size)
        factor = 1 + len(terms.split("|"))
        added = attention.disentangled_attention_bias(*content.heads, None, rows, factor)
        key = attention.key_proj if share else getattr(attention, "pos_key_proj", None)
        query = attention.query_proj if share else getattr(attention, "pos_query_proj", None)
        used = [projection for projection, term in ((key, "c2p"), (query, "p2c")) if term in terms]
        weights = [projection(rows).view(-1, HEADS, size).transpose(0, 1) for projection in used]
        scale = (size * factor) ** -0.5
        content.add(f"DeBERTa-v2, {terms}, {buckets} buckets{', shared projections' if share else ''}", "deberta",
                    {"heads": HEADS, "dim": size, "buckets": max(buckets, 0), "max_distance": farthest,
                     "c2p": "c2p" in terms, "p2c": "p2c" in terms}, weights, content.products * scale + added,
                    scale=scale)


def shaw(golden):
    tokens = 11
    content = Content(golden, tokens, tokens)
    q, k = content.heads
    config = config_of("wav2vec2_bert", hidden_size=WIDTH, num_attention_heads=HEADS,
                       position_embeddings_type="relative_key", left_max_position_embeddings=4,
                       right_max_position_embeddings=2)
    attention = golden.randomize(model("wav2vec2_bert").Wav2Vec2BertSelfAttention(config))
    _, term = model("wav2vec2_bert")._apply_relative_key_position_encoding(attention, q[None], k[None])
    content.add("wav2vec2-bert", "shaw", {"dim": SIZE, "left": 4, "right": 2}, [attention.distance_embedding.weight],
                content.products * attention.scaling + term[0], scale=attention.scaling)
    rows = golden.randomize(model("speecht5").SpeechT5RelativePositionalEncoding(SIZE, 4))
    term = (q.transpose(0, 1) @ rows(golden.random(1, tokens, 1)).transpose(1, 2)).transpose(0, 1)
    content.add("SpeechT5", "shaw", {"dim": SIZE, "left": 3, "right": 4, "order": "query-minus-key"},
                [rows.pe_k.weight], content.products + term)
    vits(golden, content)


def vits(golden, content):
    q, _ = content.heads
    tokens = q.shape[1]
    config = config_of("vits", hidden_size=WIDTH, num_attention_heads=HEADS, window_size=4)
    attention = golden.randomize(model("vits").VitsAttention(config))
    options = {"dim": SIZE, "left": 4, "right": 4, "beyond": "zero"}
    products = q @ attention._get_relative_embeddings(attention.emb_rel_k, tokens).transpose(1, 2)
    content.add("VITS", "shaw", options, [attention.emb_rel_k[0]],
                content.products + attention._relative_position_to_absolute_position(products))
    probabilities = golden.random(HEADS, tokens, tokens).softmax(-1)
    relative = attention._absolute_position_to_relative_position(probabilities)
    rows = attention._get_relative_embeddings(attention.emb_rel_v, tokens)
    golden.add("transformers", "VITS, values", "shaw", options, weights=[attention.emb_rel_v[0]], family="values",
               probabilities=probabilities, out=(relative @ rows).transpose(0, 1))


def cope(golden):
    """The peer gets scaled scores, and adds its term to them."""
    queries, keys, size, places, scale = 7, 10, 6, 5, 0.4
    module = golden.randomize(xt.CoPE(size, HEADS, places))
    q, scores = golden.random(queries, HEADS, size), golden.random(HEADS, queries, keys)
    after = torch.ones(queries, keys).triu(keys - queries + 1).bool()
    for causal in (True, False):
        logits = scores * scale
        if causal:
            logits = logits.masked_fill(after, -torch.finfo(torch.float64).max)
        term = module(q.transpose(0, 1)[None], logits[None])[0]
        golden.add("x-transformers", f"CoPE{', causal' if causal else ''}", "cope", {"dim": size, "positions": places},
                   weights=[module.pos_emb], q=q, scores=scores, out=scores * scale + term,
                   queries=torch.arange(keys - queries, keys), keys=torch.arange(keys), family="content",
                   scale=scale, scale_on="scores", causal=causal)


def forgetting(golden):
    tokens, width = 13, 8
    x = golden.random(1, tokens, width)
    module = golden.randomize(xt.DataDependentAlibi(width, HEADS))
    golden.add("x-transformers", "data-dependent ALiBi", "forgetting", {}, out=module(x)[0], family="content",
               gates=module.to_forget_gates(x)[0].transpose(0, 1), causal=True)
    module = golden.randomize(xt.DataDependentAlibi(width, HEADS, causal=False, post_log_scale=0.5))
    logits = module.to_forget_gates[0](x)[0]
    for side, gates, out in (("before", logits[:, :HEADS], module(x)[0].tril()),
                             ("after", logits[:, HEADS:], module(x)[0].triu())):
        golden.add("x-transformers", f"data-dependent ALiBi, keys {side} the query", "forgetting",
                   {"side": side, "gates": "logits", "gate_scale": 0.5}, gates=gates, out=out, family="content")


def add_cases(golden):
    xlnet(golden)
    conformer(golden)
    deberta(golden)
    shaw(golden)
    cope(golden)
    forgetting(golden)
