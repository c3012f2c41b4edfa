"""The delta rule over a tree is the delta rule along each of its paths, run one token at a time."""

from __future__ import annotations

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.qwen3_5.modeling_qwen3_5 import torch_recurrent_gated_delta_rule

from docspec.core import ModelError
from docspec.targets.recurrent.gated_delta import Updates, committed, verify
from docspec.targets.recurrent.layers import recurrent_spec

HEADS, KEY, VALUE = 2, 4, 3


@st.composite
def trees(draw):
    """Parents of the nodes of a tree, each behind its parent; the root's is -1."""
    size = draw(st.integers(1, 24))
    return [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]


def path_to(parents, node):
    path = []
    while node >= 0:
        path.append(node)
        node = parents[node]
    return path[::-1]


def case(parents, seed, decay=1.0):
    make = torch.Generator().manual_seed(seed)
    size = len(parents)

    def drawn(*shape):
        return torch.randn(1, *shape, generator=make)

    keys = drawn(size, HEADS, KEY)
    ancestry = torch.zeros(1, size, size, dtype=torch.bool)
    for node in range(size):
        ancestry[0, node, path_to(parents, node)] = True
    return {
        "state": drawn(HEADS, KEY, VALUE),
        "queries": drawn(size, HEADS, KEY),
        "keys": keys / keys.norm(dim=-1, keepdim=True),
        "values": drawn(size, HEADS, VALUE),
        "decays": -decay * drawn(size, HEADS).abs(),
        "betas": drawn(size, HEADS).sigmoid(),
        "ancestry": ancestry,
    }


def one_by_one(given, path):
    """Outputs along ``path`` and the state behind it, by transformers' own rule."""
    chosen = {name: given[name][:, path] for name in ("queries", "keys", "values", "decays", "betas")}
    return torch_recurrent_gated_delta_rule(
        chosen["queries"] * KEY**0.5,  # it divides by that
        chosen["keys"],
        chosen["values"],
        g=chosen["decays"],
        beta=chosen["betas"],
        initial_state=given["state"],
        output_final_state=True,
    )


@settings(deadline=None)
@given(trees(), st.integers(0, 10**6), st.floats(0, 20), st.data())
def test_every_node_sees_the_state_of_its_parent_and_accepted_nodes_make_the_next(parents, seed, decay, data):
    given_case = case(parents, seed, decay)
    outputs, updates = verify(**given_case)
    for node in range(len(parents)):
        path = path_to(parents, node)
        expected, _ = one_by_one(given_case, path)
        torch.testing.assert_close(outputs[0, node], expected[0, -1], rtol=1e-4, atol=1e-5)
    path = path_to(parents, data.draw(st.integers(0, len(parents) - 1)))
    _, expected = one_by_one(given_case, path)
    kept = Updates(updates.decays[:, path], updates.keys[:, path], updates.values[:, path])
    state = committed(given_case["state"], kept, torch.tensor([len(path)]))
    torch.testing.assert_close(state, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_nodes_behind_those_that_were_accepted_leave_nothing(count):
    chain = list(range(-1, 8))
    given_case = case(chain, seed=1)
    _, updates = verify(**given_case)
    state = committed(given_case["state"], updates, torch.tensor([count]))
    expected = given_case["state"] if count == 0 else one_by_one(given_case, list(range(count)))[1]
    torch.testing.assert_close(state, expected, rtol=1e-5, atol=1e-6)
    late = committed(given_case["state"], updates, torch.tensor([count + 1]))
    assert not torch.allclose(late, expected, atol=1e-3)


def test_a_sibling_for_an_ancestor_is_seen():
    given_case = case([-1, 0, 0, 1], seed=2)
    right, _ = verify(**given_case)
    wrong = given_case["ancestry"].clone()
    wrong[0, 3, 1], wrong[0, 3, 2] = False, True
    other, _ = verify(**{**given_case, "ancestry": wrong})
    assert torch.equal(right[0, :3], other[0, :3]) and not torch.allclose(right[0, 3], other[0, 3], atol=1e-3)


def test_padding_changes_nothing():
    given_case = case([-1, 0, 1], seed=3)
    right, updates = verify(**given_case)
    padded = {
        name: value if name == "state" else torch.cat([value, torch.ones_like(value[:, :2])], dim=1)
        for name, value in given_case.items()
        if name != "ancestry"
    }
    padded["ancestry"] = torch.zeros(1, 5, 5, dtype=torch.bool)
    padded["ancestry"][:, :3, :3] = given_case["ancestry"]
    outputs, more = verify(**padded)
    torch.testing.assert_close(outputs[:, :3], right)
    torch.testing.assert_close(
        committed(given_case["state"], more, torch.tensor([3])),
        committed(given_case["state"], updates, torch.tensor([3])),
    )


def test_what_stands_behind_the_accepted_may_be_anything():
    """Logs are memory that is written over: what was there before is not always a number."""
    given_case = case([-1, 0, 1], seed=4)
    _, updates = verify(**given_case)
    expected = committed(given_case["state"], updates, torch.tensor([2]))
    for part in (updates.decays, updates.keys, updates.values):
        part[:, 2:] = torch.nan
    assert torch.equal(committed(given_case["state"], updates, torch.tensor([2])), expected)


TINY = {
    "vocab_size": 32, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 4, "num_attention_heads": 2,
    "num_key_value_heads": 2,
}  # fmt: skip
OTHERS = {
    "NemotronH": {"mamba_num_heads": 4, "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 8},
    "GraniteMoeHybrid": {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_n_groups": 1, "mamba_d_state": 8},
    "Qwen3Next": {"num_experts": 2, "num_experts_per_tok": 1},
    "OlmoHybrid": {"pad_token_id": 0, "eos_token_id": 0},
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_recurrent_layers_are_refused_in_a_line(name):
    """Mamba's, and gated-delta layers whose projections are laid out otherwise."""
    config = getattr(transformers, f"{name}Config")(**TINY, **OTHERS[name])
    with torch.device("meta"):
        model = getattr(transformers, f"{name}Model")(config)
    with pytest.raises(ModelError, match=rf"^the recurrent layers of {name}Model are not supported") as caught:
        recurrent_spec(model)
    assert "\n" not in str(caught.value)
