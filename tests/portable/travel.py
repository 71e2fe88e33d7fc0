"""Two processes that know the same program exchange its states by bytes, and must agree on all of them.

    PYTHONHASHSEED=0 python -m tests.portable.travel MOST_STATES PROGRAM ...

Here states are searched, first in first out. Each is sent to the other process, which has been elsewhere in
the program before, in an order of its own, so that its numbers are different; that one says what follows
from it, and sends it back. Prints as JSON, for each program, how many states were compared and how many bytes
went there, or what was wrong.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import struct
import subprocess
import sys
from collections import deque
from pathlib import Path

from assay import _engine
from assay.languages import load
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model

KEY = bytes(range(1, 25))
AT_ONCE = 64  # states in a block
ROOT = Path(__file__).resolve().parents[2]


class Disagreement(Exception):
    pass


def opened(opening: Opening, claim) -> _engine.Model:
    model = open_model(opening)
    return _engine.Product(model, *claim) if claim else model


def facts_of(model: _engine.Model, state: bytes) -> tuple[object, ...]:
    """What both must say of a state, apart from where it leads."""
    return (
        model.content_hash(state),
        model.is_valid_end(state),
        bool(model.check_state(state)),
        model.labels(state) if model.label_count else 0,
        model.processes(state),
        model.enabled(state),
    )


def outcomes_of(model: _engine.Model, state: bytes) -> tuple[list[object], list[bytes]]:
    """The steps in their order, without states: what is violated in words, because codes are a process's own.
    And the states."""
    followers = model.successors(state)
    told = [
        (after is not None, violation_in_words(model, violation) if violation else None)
        for after, violation in followers
    ]
    return told, [after for after, _ in followers if after is not None]


def violation_in_words(model, code):
    return sorted(model.violation(code).items(), key=repr) if hasattr(model, "violation") else code


def wander(model, seed, most):
    """Meets many states in an order that nobody else has."""
    chance = random.Random(seed)
    states = [model.initial_state()[0]]
    seen = set(states)
    while states and len(seen) < most:
        state = states.pop(chance.randrange(len(states)))
        followers = [after for after, _ in model.successors(state) if after is not None]
        for after in reversed(followers):
            if after not in seen:
                seen.add(after)
                states.append(after)


def serve(stream_in, stream_out):
    opening, claim, wanderings = pickle.load(stream_in)
    try:
        model = opened(opening, claim)
        exchange = _engine.Exchange(model, KEY)
        known = _engine.KnownParts(1 << 20)  # at the other end
        wander(model, 1, wanderings)
        answer = None
        while True:
            pickle.dump(answer, stream_out)
            stream_out.flush()
            block = pickle.load(stream_in)
            if block is None:
                return
            back, facts = [], []
            for state, note in exchange.read(block):
                told, states = outcomes_of(model, state)
                facts.append((note, facts_of(model, state), told, len(states)))
                back += [state, *states]
            answer = (facts, exchange.block(back, known))
    except (RuntimeError, ValueError, KeyError) as problem:
        pickle.dump(f"{type(problem).__name__}: {problem}", stream_out)
        stream_out.flush()


class Other:
    """The other process."""

    def __init__(self, opening, claim, wanderings):
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": f"{ROOT}"}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "tests.portable.travel", "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=ROOT,
        )
        self.ask((opening, claim, wanderings))

    def ask(self, request):
        pickle.dump(request, self.child.stdin)
        self.child.stdin.flush()
        answer = pickle.load(self.child.stdout)
        if isinstance(answer, str):
            raise Disagreement(f"the other process: {answer}")
        return answer

    def end(self):
        try:
            pickle.dump(None, self.child.stdin)
            self.child.stdin.close()
        except BrokenPipeError:
            pass  # it has said why
        self.child.stdout.close()
        self.child.wait()


def compare(opening: Opening, most: int, *, claim=None, wanderings: int = 300) -> dict[str, int]:
    """How many states both processes agree on."""
    model = opened(opening, claim)
    exchange = _engine.Exchange(model, KEY)
    known = _engine.KnownParts(1 << 20)
    other = Other(opening, claim, wanderings)
    try:
        first = model.initial_state()[0]
        seen, waiting, sent, compared = {first}, deque([first]), 0, 0
        while waiting and compared < most:
            states = [waiting.popleft() for _ in range(min(AT_ONCE, len(waiting)))]
            block = exchange.block(states, known, [struct.pack("<Q", n) for n in range(len(states))])
            sent += len(block)
            facts, back = other.ask(block)
            returned = [state for state, _ in exchange.read(back)]
            if len(facts) != len(states):
                raise Disagreement("a state was lost on the way")
            at = 0
            for n, (state, (note, theirs, told, count)) in enumerate(zip(states, facts, strict=True)):
                ours, following = outcomes_of(model, state)
                if struct.unpack("<Q", note)[0] != n:
                    raise Disagreement("a note was changed on the way")
                if theirs != facts_of(model, state):
                    raise Disagreement(f"{theirs} is said of a state there, {facts_of(model, state)} here")
                if told != ours:
                    raise Disagreement(f"a state has the steps {told} there, {ours} here")
                if returned[at] != state:
                    raise Disagreement("a state that went there and back is another one")
                if returned[at + 1 : at + 1 + count] != following:
                    raise Disagreement("a state has other successors there")
                at += 1 + count
                compared += 1
                for after in following:
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
        return {"states": compared, "bytes": sent, "parts": exchange.parts}
    finally:
        other.end()


def compared_program(path: str, most: int, **options) -> dict[str, int]:
    program = load(
        Path(path.rpartition(":")[0] or path) if ":" in path else Path(path), LanguageOptions(**options)
    )
    while True:
        try:
            return compare(program.opening, most)
        except _engine.AssumptionFailed as failed:
            program = program.without(str(failed))
        except Disagreement as problem:
            told = str(problem).partition("AssumptionFailed: ")[2]
            if not told:
                raise
            program = program.without(told)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.stdin.buffer, sys.stdout.buffer)
    else:
        for one in sys.argv[2:]:
            try:
                print(one, json.dumps(compared_program(one, int(sys.argv[1]), safety_only=True)), flush=True)
            except (Disagreement, RuntimeError) as problem:
                print(one, f"{type(problem).__name__}: {problem}", flush=True)
