"""Walks through programs with a machine that distrusts its own operations.

The machine takes a component of a state for unchanged unless the operation that ran says that it wrote it.
With `distrustful` it compares them all after each step, and ends with an error where one changed in silence.
It also looks at references where a step was proved to keep the normal form, and ends with an error where it
does not.

    PYTHONHASHSEED=0 python -m tests.python.wary_walk MOST_STATES PROGRAM ...

prints as JSON, for each program and granularity, how many states were seen, or what was wrong.
"""

import json
import random
import sys
from pathlib import Path

from assay import _engine
from assay.languages.python.compiler import compile_program
from assay.languages.python.program import GRANULARITIES


def walk(path, most_states):
    not_final = frozenset()
    while True:
        program = compile_program(path, extra_nonfinal=not_final)
        try:
            return {
                granularity: states_seen(
                    _engine.PythonMachine(program, granularity, distrustful=True), most_states
                )
                for granularity in GRANULARITIES
            }
        except _engine.AssumptionFailed as failed:
            not_final |= {str(failed)}
        except _engine.UnsupportedProgram as problem:
            return {"problem": f"unsupported: {problem}"}
        except RuntimeError as problem:
            return {"problem": str(problem)}


def states_seen(machine, most_states):
    """Goes on from one of the latest states, so that a walk that is cut short has seen some ends, too."""
    chance = random.Random(1)
    initial, code = machine.initial_state()
    if code:
        return 1
    seen = {initial}
    open_states = [initial]
    while open_states and len(seen) < most_states:
        position = chance.randrange(max(0, len(open_states) - 20), len(open_states))
        state = open_states.pop(position)
        machine.check_state(state)
        for after, violation in machine.successors(state):
            if not violation and after not in seen:
                seen.add(after)
                open_states.append(after)
    return len(seen)


if __name__ == "__main__":
    print(json.dumps({path: walk(Path(path), int(sys.argv[1])) for path in sys.argv[2:]}))
