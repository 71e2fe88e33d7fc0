"""Tiny models that aim at what can go wrong while a model runs, enumerated: SPIN and Assay give one verdict.

Random models (`generator.py`) rarely use a channel wrongly, so nearly everything here does: every operation
on every kind of channel with too few, the right and too many fields; each of them in every context that a
statement or a condition can stand in; and other errors of execution beside them.

    python -m tests.agreement.probes [NAME...]       # both, side by side; lists disagreements
    python -m tests.agreement.probes --record        # writes down SPIN's verdicts for the tests

What SPIN said is kept in `probes.json`, so that the tests compare with it where SPIN is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.agreement import spin, subject

OTHERS = Path(__file__).with_name("probes.toml")
RECORDED = Path(__file__).with_name("probes.json")


# Where SPIN is no judge; each stands in docs/decisions/0002-spins-graph.md.
DIFFERENT = {
    "index/remote": "SPIN does not compare the index of a remote reference with the length of the array",
    "message/dead-channel-read": "SPIN reads what lies where the channel of a dead process was",
}


@dataclass(frozen=True, slots=True)
class Probe:
    name: str
    text: str


# --- channels -----------------------------------------------------------------------

# How a channel comes to stand behind the name `C` in a process: globals, parameters, locals, and for
# `run`, the argument. `{n}` is its capacity and `{f}` the types of its fields.
KINDS = {
    "plain": ("chan c = [{n}] of {{{f}}};", "", "", "c"),
    "element": ("chan c[2] = [{n}] of {{{f}}}; byte at = 1;", "", "", "c[at]"),
    "variable": ("chan g = [{n}] of {{{f}}}; chan c; bit swap;", "", "c = g;", "c"),
    "parameter": ("chan g = [{n}] of {{{f}}};", "chan c", "", "c"),
    "among-shapes": ("chan g = [{n}] of {{{f}}}; chan o = [3] of {{int,int,int}};", "chan c", "", "c"),
    "field": ("typedef T {{ chan c = [{n}] of {{{f}}} }}; T t;", "", "", "t.c"),
}
SHAPES = {
    "rendezvous-1": ("0", "byte"),
    "rendezvous-2": ("0", "byte,byte"),
    "buffer-1": ("1", "byte"),
    "buffer-2": ("2", "byte,byte"),
}
STATEMENTS = {
    "send-1": "C!1",
    "send-2": "C!1,2",
    "send-3": "C!1,2,3",
    "sorted-send-1": "C!!1",
    "sorted-send-2": "C!!1,2",
    "receive-1": "C?v",
    "receive-2": "C?v,w",
    "receive-3": "C?v,w,x",
    "receive-constant-1": "C?1",
    "receive-other-constant-1": "C?7",
    "receive-constant-2": "C?1,2",
    "receive-any-1": "C?_",
    "receive-eval-1": "C?eval(v)",
    "random-receive-1": "C??1",
    "random-receive-2": "C??1,w",
    "copy-1": "C?<v>",
    "copy-2": "C?<v,w>",
    "random-copy-1": "C??<1>",
    "random-copy-2": "C??<1,w>",
}
CONDITIONS = {
    "poll-1": "C?[1]",
    "poll-2": "C?[1,2]",
    "poll-3": "C?[1,2,3]",
    "poll-any-1": "C?[_]",
    "poll-variable-1": "C?[v]",
    "random-poll-1": "C??[1]",
    "random-poll-2": "C??[1,2]",
    "length": "len(C) > 0",
    "no-length": "len(C) == 0",
    "full": "full(C)",
    "nfull": "nfull(C)",
    "empty": "empty(C)",
    "nempty": "nempty(C)",
}
# What somebody else does with the same channel at the same time.
PARTNERS = {
    "alone": "",
    "sender": "PARTNER!1{rest}",
    "receiver": "byte r, s; PARTNER?{variables}",
}
CONTEXTS = {
    "else": "if :: {s} -> skip :: else -> skip fi",
    "atomic": "atomic { {s}; skip }",
    "in-atomic": "atomic { skip; {s}; skip }",
    "d_step": "d_step { {s}; skip }",
    "in-d_step": "d_step { skip; {s}; skip }",
    "d_step-choice": "d_step { if :: {s} -> skip :: else -> skip fi }",
    "main": "{ {s}; skip } unless { false }",
    "escape": "{ skip; (done) } unless { {s} }",
    "loop": "do :: {s} -> break :: timeout -> break od",
    "two-ways": "if :: {s} -> skip :: skip fi",
}
CONDITION_CONTEXTS = {
    "negated": "!({s})",
    "assigned": "v = ({s})",
    "asserted": "assert(({s}) || true)",
    "or-true": "(({s}) || true)",
    "true-or": "(true || ({s}))",
    "false-and": "(!(false && ({s})))",
    "chosen": "(({s}) -> true : true)",
    "unchosen": "((true) -> true : ({s}))",
    "argument": "run Q(({s}))",
    "printed": 'printf("%d\\n", ({s}))',
    "index": "a[({s})] = 1",
}


def channel_model(kind: str, shape: str, body: str, partner: str = "", *, spare: str = "") -> str:
    globals_, parameter, before, name = KINDS[kind]
    capacity, fields = SHAPES[shape]
    two = "," in fields
    declared = globals_.format(n=capacity, f=fields)
    other = PARTNERS[partner or "alone"].format(rest=",2" if two else "", variables="r,s" if two else "r")
    shared = "g" if "g = [" in declared else name
    lines = [declared, "bit done; byte a[3];"]
    if "run Q" in body:
        lines.append("proctype Q(int q) { skip }")
    if other:
        lines.append(f"active proctype Other() {{ {other.replace('PARTNER', shared)} }}")
    body = f"byte v, w, x; {before} {body.replace('C', name)}; {spare}"
    if parameter:
        lines += [f"proctype P({parameter}) {{ {body} }}", "init { run P(g) }"]
    else:
        lines.append(f"active proctype P() {{ {body} }}")
    return "\n".join(lines) + "\n"


def channel_probes() -> Iterator[Probe]:
    both = STATEMENTS | CONDITIONS
    for shape in SHAPES:
        for name, text in both.items():
            for partner in ("sender", "receiver") if name in STATEMENTS else ("alone", "sender"):
                yield Probe(f"{name}/{shape}/{partner}", channel_model("plain", shape, text, partner))
    for kind in list(KINDS)[1:]:
        for shape in SHAPES:
            for name in ("send-1", "send-2", "receive-1", "receive-2", "copy-1", "random-receive-1"):
                partner = "receiver" if name.startswith("send") else "sender"
                yield Probe(f"{kind}/{name}/{shape}", channel_model(kind, shape, both[name], partner))
            for name in ("poll-1", "random-poll-1", "length", "full", "nempty"):
                body = f"if :: {both[name]} -> skip :: else -> skip fi"
                yield Probe(f"{kind}/{name}/{shape}", channel_model(kind, shape, body))


def context_probes() -> Iterator[Probe]:
    for context, pattern in CONTEXTS.items():
        for shape in ("rendezvous-1", "rendezvous-2", "buffer-2"):
            for name in (
                "send-1",
                "send-2",
                "receive-1",
                "receive-2",
                "copy-1",
                "random-receive-1",
                "poll-1",
            ):
                body = pattern.replace("{s}", (STATEMENTS | CONDITIONS)[name])
                partner = "receiver" if name.startswith("send") else "sender"
                yield Probe(f"{context}/{name}/{shape}", channel_model("plain", shape, body, partner))
        for name in ("nfull", "length", "random-poll-2"):
            body = pattern.replace("{s}", CONDITIONS[name])
            for shape in ("rendezvous-2", "buffer-2"):
                yield Probe(f"{context}/{name}/{shape}", channel_model("plain", shape, body))
    for context, pattern in CONDITION_CONTEXTS.items():
        for shape in ("rendezvous-1", "buffer-1"):
            for name in ("poll-1", "random-poll-1", "empty"):
                body = pattern.replace("{s}", CONDITIONS[name])
                yield Probe(f"{context}/{name}/{shape}", channel_model("plain", shape, body))
                if shape == "rendezvous-1":
                    yield Probe(
                        f"{context}/{name}/parameter", channel_model("parameter", shape, body, spare="skip")
                    )


NO_CHANNELS = {
    "undeclared": ("chan c;", "", "c"),
    "element": ("chan c[2];", "", "c[1]"),
    "parameter": ("chan c;", "chan d", "d"),
    "beside": ("chan c; chan b = [2] of {byte};", "", "c"),
    "lost": ("chan b = [2] of {byte}; chan c = [2] of {byte};", "", "c"),
    "outside": ("chan c[2] = [1] of {byte}; byte i = 2;", "", "c[i]"),
}


def no_channel_probes() -> Iterator[Probe]:
    """A name that stands for no channel."""
    for kind, (globals_, parameter, name) in NO_CHANNELS.items():
        lost = "c = 0; " if kind == "lost" else ""
        for operation, text in (STATEMENTS | CONDITIONS).items():
            if operation not in ("send-1", "sorted-send-1", "receive-1", "random-receive-1", "copy-1") and (
                operation not in CONDITIONS
            ):
                continue
            if operation.endswith(("-2", "-3")):
                continue
            for context in ("plain", "else"):
                body = text if context == "plain" else CONTEXTS["else"].replace("{s}", text)
                body = f"byte v; {lost}{body.replace('C', name)}"
                processes = (
                    f"proctype P({parameter}) {{ {body} }}\ninit {{ run P(c) }}"
                    if parameter
                    else f"active proctype P() {{ {body} }}"
                )
                yield Probe(f"no-channel/{kind}/{operation}/{context}", f"{globals_}\n{processes}\n")


def other_probes() -> Iterator[Probe]:
    for group, models in tomllib.loads(OTHERS.read_text()).items():
        for name, text in models.items():
            yield Probe(f"{group}/{name}", text + "\n")


def probes() -> list[Probe]:
    every = [*channel_probes(), *context_probes(), *no_channel_probes(), *other_probes()]
    assert len({probe.name for probe in every}) == len(every)
    return every


# --- both sides -----------------------------------------------------------------------


def spins_verdict(probe: Probe) -> str:
    """`verified`, `deadlock` (and nothing else), `violated` or `refused`.

    A verifier that dies was not checking a correct model.
    """
    with tempfile.TemporaryDirectory(prefix="probe-") as scratch:
        model = Path(scratch) / "model.pml"
        model.write_text(probe.text, encoding="ascii")
        outcome = spin.check(
            model,
            compiler="gcc -O0",
            copy_directory=False,
            run_options=("-w16",),
            compile_options=("-DVECTORSZ=65536",),
        )
    match outcome.status:
        case spin.Status.FINISHED | spin.Status.DIVISION_BY_ZERO:
            return category(outcome.kinds, violated=outcome.verdict == "violated")
        case spin.Status.CRASHED:
            return "violated"
        case spin.Status.REFUSED | spin.Status.NOT_COMPILED:
            return "refused"
    return f"nothing ({outcome.status.value})"


def assays_verdict(probe: Probe, options: tuple[str, ...] = subject.REDUCED) -> subject.AssayOutcome:
    with tempfile.TemporaryDirectory(prefix="probe-") as scratch:
        model = Path(scratch) / "model.pml"
        model.write_text(probe.text, encoding="ascii")
        return subject.check_directly(model, options)


def recorded() -> dict[str, str]:
    return dict(json.loads(RECORDED.read_text())) if RECORDED.exists() else {}


def category(kinds: frozenset[str], *, violated: bool) -> str:
    if not violated:
        return "verified"
    return "deadlock" if kinds == {"deadlock"} else "violated"


def agree(spins: str, ours: subject.AssayOutcome, *, all_errors: bool) -> bool:
    """A model that either side refuses has no verdict to be wrong."""
    if ours.verdict not in {"verified", "violated"}:
        return ours.verdict == "unusable"
    if spins == "refused" or spins.startswith("nothing"):
        return True
    if all_errors:
        return category(ours.kinds, violated=ours.verdict == "violated") == spins
    return (ours.verdict == "verified") == (spins == "verified")


def main() -> None:
    parser = argparse.ArgumentParser(description="SPIN and Assay on models that go wrong.")
    parser.add_argument("names", nargs="*", help="only probes whose name contains one of these")
    parser.add_argument("--record", action="store_true", help="write SPIN's verdicts down")
    parser.add_argument(
        "--recorded", action="store_true", help="believe what was written down, run Assay only"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    chosen = [p for p in probes() if not arguments.names or any(n in p.name for n in arguments.names)]
    said = recorded()
    if not arguments.recorded:
        with ThreadPoolExecutor(arguments.workers) as pool:
            heard = dict(zip((p.name for p in chosen), pool.map(spins_verdict, chosen), strict=True))
        said = {**said, **heard} if arguments.names else heard
    if arguments.record:
        RECORDED.write_text(json.dumps(dict(sorted(said.items())), indent=1) + "\n")
    disagreements = 0
    refused: list[str] = []
    with ProcessPoolExecutor(arguments.workers) as pool:
        every = [(probe, options) for probe in chosen for options in (subject.REDUCED, subject.UNREDUCED)]
        for (probe, options), ours in zip(
            every, pool.map(assays_verdict, *zip(*every, strict=True)), strict=True
        ):
            if ours.verdict == "unusable" and said[probe.name] != "refused":
                refused.append(f"{probe.name}: SPIN {said[probe.name]}; {ours.message}")
            if probe.name in DIFFERENT or agree(
                said[probe.name], ours, all_errors=options is subject.UNREDUCED
            ):
                continue
            disagreements += 1
            print(f"{probe.name}: SPIN {said[probe.name]}, Assay {ours.verdict} {ours.message} {options}")
            print("    " + probe.text.replace("\n", "\n    "))
    for line in dict.fromkeys(refused):
        print(f"refused by Assay alone: {line}")
    print(f"{len(chosen)} probes, {disagreements} disagreements")
    sys.exit(bool(disagreements))


if __name__ == "__main__":
    main()
