"""What has no gradient or no memory is refused: nothing wrong in silence."""

import pytest
import torch
from torch.autograd import forward_ad

import posenc
import posenc.torch as pt

PE = pt.SinusoidalEncoding(dim=8, batch_first=True)
ROPE = pt.RotaryEncoding(dim=8, layout="half", heads_first=False)
BIAS = pt.RelativeBias("alibi", heads=2)


def calls(x, q, scores, at=None):
    """Every way in, with the same positions."""
    return {
        "add": lambda: PE(x, at),
        "turn": lambda: ROPE(q, None, at),
        "add_bias": lambda: BIAS.add(scores, query_positions=at),
        "add_bias_": lambda: BIAS.add_(scores, query_positions=at),
    }


def tensors(**how):
    return torch.ones(2, 3, 8, **how), torch.ones(2, 3, 1, 8, **how), torch.ones(2, 2, 3, 3, **how)


@pytest.mark.parametrize("verb", ["add", "turn", "add_bias", "add_bias_"])
def test_positions_that_ask_for_a_gradient(verb):
    at = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match=r"without requires_grad.*detach\(\)"):
        calls(*tensors(), at)[verb]()
    calls(*tensors(), at.detach())[verb]()


def test_rows_of_positions_that_ask_for_a_gradient():
    at = torch.rand(3, dtype=torch.float64, requires_grad=True)
    for call in (lambda: PE.rows(3, at), lambda: ROPE.cos_sin(3, at), lambda: BIAS(3, 3, key_positions=at)):
        with pytest.raises(ValueError, match="requires_grad"):
            call()


@pytest.mark.parametrize("verb", ["add", "turn", "add_bias", "add_bias_"])
def test_tangents(verb):
    with forward_ad.dual_level():
        dual = [forward_ad.make_dual(t, torch.ones_like(t)) for t in tensors()]
        with pytest.raises(NotImplementedError, match="tangents"):
            calls(*dual)[verb]()
        calls(*tensors())[verb]()


def test_tangents_of_transforms():
    x = torch.ones(2, 3, 8)
    with pytest.raises(NotImplementedError, match="tangents"):
        torch.func.jvp(PE, (x,), (x,))


def test_gradients_of_cosines():
    rope = pt.RotaryEncoding(dim=8, layout="half", frequencies={"type": "learned"}, heads_first=False)
    with pytest.raises(NotImplementedError, match="cos_sin"):
        rope.cos_sin(3)[0].sum().backward()


@pytest.mark.parametrize("verb", ["add", "turn", "add_bias", "add_bias_"])
def test_tensors_without_memory_are_not_mixed(verb):
    at = torch.zeros(2, 3, dtype=torch.int64)
    for on, places in (("meta", "cpu"), ("cpu", "meta")):
        with pytest.raises(ValueError, match="on one device|expected a tensor on"):
            calls(*tensors(device=on), at.to(places))[verb]()


def test_what_is_added_in_place_is_seen_by_autograd():
    scores = torch.ones(2, 2, 3, 3)
    weight = torch.ones(2, 2, 3, 3, requires_grad=True)
    product = (weight * scores).sum()
    BIAS.add_(scores)
    with pytest.raises(RuntimeError, match="inplace"):
        product.backward()


def test_ids_that_change_before_the_gradient():
    ids, words = torch.tensor([[1, 2]]), torch.randn(4, 8, requires_grad=True)
    out = PE.embed(ids, words)
    ids.zero_()
    with pytest.raises(RuntimeError, match="inplace"):
        out.sum().backward()


@pytest.mark.parametrize("kind", ["rows", "bias"])
def test_positions_that_change_before_the_second_gradient(kind):
    at = torch.arange(3)
    if kind == "rows":
        module = pt.LearnedEncoding(rows=9, dim=8, batch_first=True)
        out = module(torch.zeros(1, 3, 8), at)
    else:
        module = pt.RelativeBias("t5", heads=2)
        out = module.add(torch.zeros(2, 3, 3), query_positions=at)
    slope = torch.ones_like(out, requires_grad=True)
    (first,) = torch.autograd.grad(out, module.weights, slope, create_graph=True)
    at.zero_()
    with pytest.raises(RuntimeError, match="inplace"):
        torch.autograd.grad(first.sum(), slope)


@pytest.mark.parametrize("flip", [False, True])
def test_one_row_of_positions_serves_all_of_the_other(flip):
    queries, keys = torch.arange(12).reshape(4, 3), torch.tensor([[5, 2, 9]])
    if flip:
        queries, keys = keys, queries
    both = BIAS(3, 3, query_positions=queries, key_positions=keys)
    assert torch.equal(both, torch.stack([BIAS(3, 3, query_positions=q, key_positions=k)
                                          for q, k in zip(queries.expand(4, 3), keys.expand(4, 3))]))  # fmt: skip


class TestNumpysFace:
    """posenc's own verbs on tensors of PyTorch."""

    def test_gradients_are_refused(self):
        x = torch.ones(3, 8, requires_grad=True)
        pe = posenc.Sinusoidal(dim=8)
        for call in (
            lambda: pe.add(x),
            lambda: pe.add(x.detach(), torch.arange(3.0, dtype=torch.float64, requires_grad=True)),
            lambda: posenc.Learned(rows=3, dim=8).plan([torch.nn.Parameter(x.detach())]),
        ):
            with pytest.raises(ValueError, match=r"detach\(\).*posenc.torch"):
                call()
        with torch.no_grad(), pytest.raises(ValueError, match="detach"):
            pe.add_(x)
        assert torch.equal(pe.add(x.detach()), PE(x).detach())

    @pytest.mark.parametrize("lose", ["clear", "data", "set"])
    def test_a_plan_keeps_its_memory(self, lose):
        rows = 1 << 18
        given = [torch.full((rows, 16), 3.0)]
        parameter = torch.nn.Parameter(given[0], requires_grad=False)
        plan = posenc.Learned(rows=rows, dim=16).plan(given if lose == "clear" else [parameter])
        given.clear()
        if lose == "data":
            parameter.data = torch.zeros(1)
        elif lose == "set":
            parameter.set_(torch.zeros(1))
        del parameter
        assert (plan.table([0, 77, rows - 1]) == 3).all()

    def test_results_are_of_the_same_library(self):
        q, k, v = (torch.randn(5, 2, 8) for _ in range(3))
        out = posenc.attend(q, k, v, posenc.Alibi(heads=2), causal=True)
        expected = posenc.attend(q.numpy(), k.numpy(), v.numpy(), posenc.Alibi(heads=2), causal=True)
        assert isinstance(out, torch.Tensor) and (out.numpy() == expected).all()
        table, ids = torch.randn(6, 8, dtype=torch.bfloat16), torch.tensor([[5, 0, 2]])
        wider = posenc.resize(table, 9)
        assert wider.dtype == torch.bfloat16 and wider.shape == (9, 8)
        words = posenc.Sinusoidal(dim=8).embed(ids, table, scale=2.0)
        assert torch.equal(words, PE.embed(ids, table, scale=2.0))
