"""Every scheme as a module with small sizes, and calls of it: what many tests walk over."""

import torch

import posenc.torch as pt
from posenc.torch._plans import facts_of, handle_of

ABSOLUTE = {
    "sinusoidal": dict(dim=6),
    "sinusoidal scaled": dict(dim=7, order="halves", learned_scale=True),
    "learned": dict(rows=9, dim=6, offset=2),
    "learned scaled": dict(rows=9, dim=6, learned_scale=True),
    "nerf": dict(coordinates=2, bands=2),
    "perceiver": dict(max_resolution=[4, 6], bands=2),
    "gaussian": dict(coordinates=2, features=3),
    "time2vec": dict(dim=5),
    "temporal": dict(dim=5),
}
ROTARY = {
    "half": dict(dim=8, layout="half"),
    "interleaved": dict(dim=8, layout="interleaved", rotary_dim=4, rotary_offset=-4),
    "mixed layouts": dict(dim=8, layout="interleaved-in-half-out", rotary_dim=6),
    "blocks": dict(dim=8, layout="half", blocks=2),
    "some heads": dict(dim=8, layout="half", rotary_heads=1, first_head=1),
    "other way": dict(dim=8, layout="half", sign="negative", offset=3),
    "yarn": dict(dim=8, layout="half", scaling={"type": "yarn", "factor": 4}),
    "dynamic": dict(dim=8, layout="half", scaling={"type": "dynamic", "factor": 2, "max_position_embeddings": 3}),
    "xpos": dict(dim=8, layout="interleaved", decay={"type": "xpos", "center": 2}),
    "temperature": dict(dim=8, layout="half", temperature={"type": "log", "floor": 2}),
    "learned": dict(dim=8, layout="half", frequencies={"type": "learned", "axes": 1}),
    "learned per head": dict(dim=8, layout="half", frequencies={"type": "learned", "heads": 2, "axes": 1}),
}
BIASES = {
    "alibi": dict(heads=3),
    "alibi keys": dict(heads=3, form="keys"),
    "alibi learned": dict(heads=3, learned_slopes=True),
    "t5": dict(heads=3, buckets=8, max_distance=6),
    "t5 causal": dict(heads=3, buckets=8, max_distance=6, bidirectional=False, scale=2),
    "clipped": dict(heads=3, max_distance=2),
    "kerple": dict(heads=3),
    "proximal": dict(heads=3),
    "sandwich": dict(heads=3, dim=8),
    "dynamic": dict(heads=3, hidden=4),
    "dynamic norm": dict(heads=3, hidden=4, layer_norm=True),
    "dynamic log": dict(heads=3, hidden=4, log_distance=True),
    "fire": dict(heads=3, hidden=4, length=8),
    "window": dict(heads=3, height=2, width=3),
    "continuous": dict(heads=3, height=2, width=3, hidden=4),
    "tupe": dict(heads=3, dim=4, rows=9, buckets=4, max_distance=6),
    "layout": dict(heads=3, buckets=8, max_distance=6, box_buckets=4, box_max_distance=5),
    "segment-buckets": dict(heads=3, buckets=8, max_distance=6, segments=12),
    "box-relation": dict(heads=3, dim=4, scale=2, eps=0.5),
}
POINTS = [case for case, options in BIASES.items() if facts_of(handle_of(case.split()[0], options)).axes > 1]
CONTENT = {
    "shaw": dict(heads=2, dim=4, left=2, right=3),
    "music-transformer": dict(heads=2, dim=4, length=9),
    "transformer-xl": dict(heads=2, dim=4, sinusoids={"dim": 6}),
    "deberta": dict(heads=2, dim=4, buckets=4, max_distance=6),
    "cope": dict(dim=4, positions=5),
    "cope soft": dict(dim=4, positions=5, soft=0.5),
    "forgetting": dict(),
    "segments": dict(heads=2, dim=4),
    "decomposed": dict(dim=4, height=2, width=3),
    "decomposed resized": dict(dim=4, height=2, width=3, table_height=4),
    "gated-t5": dict(heads=2, dim=4, buckets=4, max_distance=6),
    "forgetting-rows": dict(dim=4, gate_scale=0.5),
    "kerple-weight": dict(heads=2),
}


def captured_step_follows(module, step):
    """step() gives gradients of the module on CUDA: captured once, it gives those of weights that changed afterwards."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):  # what is made at a first call
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = step()
    for _ in range(2):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(1.25).add_(0.125)
        graph.replay()
        for captured, eager in zip(out, step()):
            torch.testing.assert_close(captured, eager)  # PyTorch may add up in another order


def absolute(case, **how):
    return pt.AbsoluteEncoding(case.split()[0], **ABSOLUTE[case], **{"batch_first": True, **how})


def rotary(case, **how):
    return pt.RotaryEncoding(**ROTARY[case], **{"heads_first": False, **how})


def bias(case, **how):
    return pt.RelativeBias(case.split()[0], **BIASES[case], **how)


def positions_for(module, rows, tokens, device):
    """Whole numbers, or coordinates where the scheme has several axes; [axes, rows, tokens] then."""
    axes = facts_of(module.handle).axes
    if axes == 1:
        return torch.randint(0, 6, (rows, tokens), device=device)
    if module.scheme in ("layout", "segment-buckets"):  # places of tokens, boxes of whole pixels, segments
        return torch.randint(0, 6, (axes, rows, tokens), device=device)
    return torch.rand(axes, rows, tokens, dtype=torch.float64, device=device)
