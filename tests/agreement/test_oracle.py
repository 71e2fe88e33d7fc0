"""The oracle itself: SPIN is run with the right options and read correctly, programs are what they claim."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agreement import spin
from tests.agreement.campaign import judge
from tests.agreement.examples import DIRECTORY
from tests.agreement.generator import Form, Node, generate, leaf, render
from tests.agreement.shrink import shrink
from tests.agreement.spin import Status, parse_automata


@pytest.mark.needs_spin
@pytest.mark.parametrize(
    ("model", "options", "states", "transitions"),
    [  # README_tests.txt in SPIN's package gives these figures (its transitions are ours plus one)
        ("leader0.pml", spin.SpinOptions(("-a",), ("-DSAFETY", "-DNOREDUCE")), 15_779, 58_180),
        ("leader0.pml", spin.SpinOptions(("-a",), ("-DSAFETY",)), 97, 96),
        ("snoopy.pml", spin.SpinOptions(("-a",), ("-DSAFETY", "-DNOREDUCE")), 61_619, 211_397),
    ],
)
def test_spin_counts_what_its_documentation_says(model, options, states, transitions):
    outcome = spin.check(DIRECTORY / "Examples" / model, options, compiler=spin.fast_compiler())
    assert (outcome.status, outcome.states, outcome.transitions) == (Status.FINISHED, states, transitions)


@pytest.mark.needs_spin
@pytest.mark.parametrize(
    ("text", "status", "verdict", "kinds"),
    [
        ("active proctype P() { assert(false) }", Status.FINISHED, "violated", {"assertion"}),
        ("active proctype P() { false }", Status.FINISHED, "violated", {"deadlock"}),
        ("active proctype P() { skip }", Status.FINISHED, "verified", set()),
        ("byte a[2], i = 2; active proctype P() { a[i] = 1 }", Status.FINISHED, "violated", {"array-index"}),
        ("byte a; active proctype P() { a = 7 / a }", Status.DIVISION_BY_ZERO, "violated", set()),
        (
            "byte a; active proctype P() { d_step { a = 1; a == 0 } }",
            Status.FINISHED,
            "violated",
            {"d_step-blocked"},
        ),
        ("active proctype P() { do :: skip od }", Status.REFUSED, None, set()),
        ("active proctype P() { undeclared = 1 }", Status.REFUSED, None, set()),
    ],
)
def test_spin_is_read_correctly(text, status, verdict, kinds):
    outcome = judge(text)
    assert (outcome.status, outcome.verdict, set(outcome.kinds)) == (status, verdict, kinds)


@pytest.mark.needs_spin
def test_a_search_that_is_too_shallow_is_repeated_deeper(tmp_path):
    model = tmp_path / "deep.pml"
    model.write_text("short n; active proctype P() { do :: n < 5000 -> n++ :: else -> break od }")
    outcome = spin.check(model, compiler=spin.fast_compiler(), depths=(100, 100_000))
    assert outcome.counts_are_defined
    assert outcome.states == 10_003
    shallow = spin.check(model, compiler=spin.fast_compiler(), depths=(100,))
    assert not shallow.counts_are_defined


def test_automata_are_read():
    text = (
        "proctype Sender\n"
        "\tstate  25 -(tr  22)-> state  24  [id   0 tp 502] [----G] abp.pml:15 => sender?1\n"
        "\tstate  24 -(tr   9)-> state   0  [id   1 tp 3500] [--e-L] abp.pml:16 => -end-\n"
    )
    edges = parse_automata(text)["Sender"]
    assert [(edge.source, edge.target, edge.line, edge.text) for edge in edges] == [
        (25, 24, 15, "sender?1"),
        (24, 0, 16, "-end-"),
    ]
    assert edges[1].flags == "--e-L"


def test_one_seed_gives_one_program():
    assert generate(5).text == generate(5).text
    assert generate(5).text != generate(6).text


def test_programs_use_all_constructs():
    used: Counter[str] = Counter()
    for seed in range(400):
        used.update(generate(seed).constructs)
    wanted = """
        bit|bool|byte|short|int|unsigned|pid|mtype variable|named mtype|array|typedef|nested typedef
        rendezvous channel|buffered channel|multi-field message|array of channels|channel in message
        local channel|send !|send !!|receive ?|receive ??|receive ?<>|receive ??<>|poll ?[]|poll ??[]
        eval|receive _
        len|empty|nempty|full|nfull|xr|xs|active|init|run|provided|priority|atomic|d_step|if|do|else|break|goto
        label|end label|skip|timeout|unless|unless in atomic|for range|for in array|for in channel
        select|large select|conditional expression|assert|printf|printm|inline|#define|hidden|show
        _pid|_nr_pr|_last|enabled|pc_value|remote label|remote variable|index out of range|truncating store
        division
        rendezvous in atomic|atomic that blocks|consecutive gotos|skip loop|wait for death
        channel parameter|receive channel|declaration in block
    """
    names = [name.strip() for line in wanted.strip().splitlines() for name in line.split("|")]
    assert [name for name in names if not used[name]] == []


@pytest.mark.needs_spin
def test_spin_accepts_most_programs():
    accepted = [
        judge(generate(seed).text).status not in (Status.REFUSED, Status.CRASHED)
        for seed in range(30_000, 30_020)
    ]
    assert sum(accepted) >= 16


def test_shrinking_keeps_the_property_and_nothing_else():
    tree = generate(11).tree
    marked = Node(Form.PROGRAM, children=(*tree.children, leaf("byte wanted;")))
    assert (
        render(shrink(marked, lambda candidate: "wanted" in render(candidate), attempts=2000))
        == "byte wanted;\n"
    )
