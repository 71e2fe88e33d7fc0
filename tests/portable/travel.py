"""Two processes that know the same program exchange its states by bytes, and must agree on all of them.

    PYTHONHASHSEED=0 python -m tests.portable.travel MOST_STATES PROGRAM ...      # PROGRAM@ is with its claim

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
from assay.transition_system.interface import Opening, SourceProblem
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model
from assay.transition_system.question import Question

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


def program_of(path: str, **options):
    path, *sources = path.split("+")  # model.pml+file.c
    if sources:
        options["c_sources"] = tuple(str(Path(path).parent / source) for source in sources)
    return load(Path(path) if ":" not in path else path, LanguageOptions(**options))


def compared_program(path: str, most: int, *, claims: bool = False) -> dict[str, int]:
    """With its first claim, if these are asked for."""
    program = program_of(path, safety_only=not claims)
    while True:
        claim = None
        if claims:
            asked = program.temporal[0]
            question = Question(asked.automaton, asked.labels, asked.progress_label, 0)
            claim = (question.edges(), list(asked.automaton.accepting), asked.automaton.acceptance_sets)
        try:
            return compare(program.opening, most, claim=claim)
        except _engine.AssumptionFailed as failed:
            program = program.without(str(failed))
        except Disagreement as problem:
            told = str(problem).partition("AssumptionFailed: ")[2]
            if not told:
                raise
            program = program.without(told)


def damaged(block: bytes, chance: random.Random) -> bytes:
    """Bits turned, bytes lost or put in, a piece of it put elsewhere."""
    spoilt = bytearray(block)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(spoilt))
        match chance.randrange(4):
            case 0:
                spoilt[at] ^= 1 << chance.randrange(8)
            case 1:
                del spoilt[at : at + chance.choice([1, 8, 64, len(spoilt)])]
            case 2:
                spoilt[at:at] = chance.randbytes(chance.choice([1, 8, 24]))
            case 3:
                other = chance.randrange(len(spoilt))
                spoilt[at : at + 8] = spoilt[other : other + 8]
        if not spoilt:
            break
    return bytes(spoilt)


def with_checksum(block: bytes) -> bytes:
    """The block with the length and the checksum that it should have: what is wrong is found further in."""
    words = list(struct.unpack(f"<{len(block) // 8}Q", block[: len(block) // 8 * 8]))
    if len(words) < 5:
        return block
    words[1] = len(words) * 8
    most = (1 << 64) - 1

    def mix(x: int) -> int:
        x ^= x >> 32
        x = x * 0x9E3779B97F4A7C15 & most
        x ^= x >> 29
        x = x * 0xD6E8FEB86659FD93 & most
        return x ^ x >> 32

    key = struct.unpack("<3Q", KEY)
    total = key[0]
    for place, word in enumerate(words[:-1]):
        product = (total ^ word ^ 0xA0761D6478BD642F) * 0x8EBC6AF09C88C6E3
        total = ((product & most) ^ product >> 64) + mix(word + place * 8 & most) & most
    words[-1] = mix(total + key[1] & most)
    return struct.pack(f"<{len(words)}Q", *words)


def fuzz(path: str, rounds: int) -> dict[str, int]:
    """Damaged blocks are refused, or are the states that they were; in both cases the program goes on."""
    program = program_of(path, safety_only=True)  # what it opens is there as long as it is
    opening = program.opening
    model = open_model(opening)
    # Embedded C is there once in a process, however often it is opened.
    other = model if opening.opener == "" else open_model(opening)
    exchange = _engine.Exchange(model, KEY)
    states = [model.initial_state()[0]]
    for state in states:
        states += [after for after, _ in model.successors(state) if after is not None and after not in states]
        if len(states) > 40:
            break
    block = exchange.block(states)
    if with_checksum(block) != block:
        raise Disagreement("the checksum of a block is not what this test takes it for")
    chance = random.Random(7)
    refused = same = 0
    for number in range(rounds):
        spoilt = damaged(block, chance)
        receiver = _engine.Exchange(other, KEY)
        try:
            found = receiver.read(with_checksum(spoilt) if number % 2 else spoilt)
            same += 1
            if len(found) > len(states):
                raise Disagreement("a damaged block has more states than the whole one")
            for state, _ in [] if number % 2 else found:  # words that were forged are a liar's
                other.successors(state)
        except _engine.NotPortable:
            refused += 1
    if len(_engine.Exchange(other, KEY).read(block)) != len(states):
        raise Disagreement("a block cannot be read after damaged ones were refused")
    return {"refused": refused, "read": same}


def take_over(path: str) -> dict[str, int]:
    """A file of blocks is enough for a process that takes over, even if the last was cut off."""
    program = program_of(path, safety_only=True)  # what it opens is there as long as it is
    opening = program.opening
    lost, found = open_model(opening), open_model(opening)
    exchange, known, file = _engine.Exchange(lost, KEY), _engine.KnownParts(1 << 20), b""
    states, lengths = [lost.initial_state()[0]], []
    for state in states:
        states += [after for after, _ in lost.successors(state) if after is not None and after not in states]
        if len(states) > 100:
            break
    for at in range(0, len(states), 10):
        block = exchange.block(states[at : at + 10], known)
        lengths.append(len(block))
        file += block
    heirs = _engine.Exchange(found, KEY)
    torn = file[: -lengths[-1] // 2]
    try:
        heirs.read(torn)
        raise Disagreement("a block that was cut off is read")
    except _engine.NotPortable:
        pass
    whole = heirs.whole(torn)
    taken = heirs.read(torn[:whole])
    if whole != sum(lengths[:-1]) or len(taken) != (len(states) - 1) // 10 * 10:
        raise Disagreement("what is whole of a file is not what was written whole")
    for state, (there, _) in zip(states, taken, strict=False):
        if lost.content_hash(state) != found.content_hash(there):
            raise Disagreement("a state has another content after it was taken over")
    back = exchange.read(heirs.block([state for state, _ in taken]))
    if [state for state, _ in back] != states[: len(taken)]:
        raise Disagreement("a state is another one after it was taken over")
    try:
        _engine.Exchange(found, KEY).read(exchange.block(states[:1], known))
        raise Disagreement("a part that nobody told is known")
    except _engine.NotPortable as problem:
        if "never told" not in str(problem):
            raise
    return {"states": len(taken), "first": lengths[0], "later": lengths[-2]}


def ways_apart(path: str) -> dict[str, str]:
    """Two machines go different ways from the first choice of a program; one tells the other its state."""
    program = program_of(path, safety_only=True)  # what it opens is there as long as it is
    opening = program.opening
    told = {}
    for name, positions in (("same", (0, 0)), ("different", (0, 1))):
        models = [open_model(opening), open_model(opening)]
        states = []
        for model, position in zip(models, positions, strict=True):
            state = model.initial_state()[0]
            machine_steps = [after for after, _ in model.successors(state)]
            while len(machine_steps) == 1:
                state = machine_steps[0]
                machine_steps = [after for after, _ in model.successors(state)]
            state = machine_steps[position]
            while machine_steps := [after for after, _ in model.successors(state)]:
                state = machine_steps[0]
            states.append(state)
        try:
            block = _engine.Exchange(models[0], KEY).block([states[0]])
            _engine.Exchange(models[1], KEY).read(block)
            told[name] = "arrived"
        except RuntimeError as problem:
            told[name] = f"{type(problem).__name__}: {problem}"
    return told


COMMANDS = {"--fuzz": fuzz, "--take-over": take_over, "--ways-apart": ways_apart}

if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.stdin.buffer, sys.stdout.buffer)
    elif sys.argv[1] in COMMANDS:
        print(json.dumps(COMMANDS[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))))
    else:
        for one in sys.argv[2:]:
            wanted, _, claims = one.partition("@")
            try:
                answer = compared_program(wanted, int(sys.argv[1]), claims=bool(claims))
                print(json.dumps({"program": one, **answer}), flush=True)
            except (Disagreement, RuntimeError, SourceProblem) as problem:
                print(
                    json.dumps({"program": one, "problem": f"{type(problem).__name__}: {problem}"}),
                    flush=True,
                )
