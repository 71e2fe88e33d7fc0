"""Programs with infinitely many states, as guarded transitions. Those whose names end in Wrong are wrong."""

from assay.guarded import GuardedProgram, step


class TicketLock(GuardedProgram):
    """Tickets without end, two threads."""

    variables = {"ticket": "integer", "serving": "integer", "a": "integer", "b": "integer"}
    processes = {
        "A": [
            step("idle", "waiting", then={"a": "ticket", "ticket": "ticket + 1"}),
            step("waiting", "inside", when="a == serving"),
            step("inside", "idle", then={"serving": "serving + 1"}),
        ],
        "B": [
            step("idle", "waiting", then={"b": "ticket", "ticket": "ticket + 1"}),
            step("waiting", "inside", when="b == serving"),
            step("inside", "idle", then={"serving": "serving + 1"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class TicketLockWrong(GuardedProgram):
    """One of them takes its ticket in two steps."""

    variables = {"ticket": "integer", "serving": "integer", "a": "integer", "b": "integer"}
    processes = {
        "A": [
            step("idle", "taking", then={"a": "ticket"}),
            step("taking", "waiting", then={"ticket": "ticket + 1"}),
            step("waiting", "inside", when="a == serving"),
            step("inside", "idle", then={"serving": "serving + 1"}),
        ],
        "B": TicketLock.processes["B"],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class Figure21(GuardedProgram):
    """Kudra's Figure 2.1, on which refinement by weakest preconditions does not end, for any x that is not
    negative."""

    variables = {"x": "integer", "y": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"x": "x + 1"}),
            step("choose", "loop"),
            step("loop", "loop", when="y >= 0", then={"y": "x + y"}),
            step("loop", "out", when="y < 0"),
        ]
    }
    always = {"never out": "P != 'out'"}


class SumToAnyN(GuardedProgram):
    """Adds 1 to n, for any n."""

    variables = {"n": "integer", "i": "integer", "sum": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"n": "n + 1"}),
            step("choose", "loop"),
            step("loop", "loop", when="i < n", then={"i": "i + 1", "sum": "sum + i + 1"}),
            step("loop", "done", when="i >= n"),
        ]
    }
    always = {"at least n": "P != 'done' or sum >= n"}


class SumToAnyNExactly(SumToAnyN):
    """The same, to the number that Gauss knew."""

    always = {"n (n + 1) / 2": "P != 'done' or 2 * sum == n * n + n"}


class SumToAnyNWrong(SumToAnyN):
    always = {"more than n": "P != 'done' or sum > n"}


class ClockedCounter(GuardedProgram):
    """A counter that is bounded beside a clock that is not."""

    variables = {"clock": "integer", "count": ("uint8", 0), "last": "integer"}
    processes = {
        "Clock": [step("tick", "tick", then={"clock": "clock + 1"})],
        "Counter": [
            step("run", "run", when="count < 10", then={"count": "count + 1", "last": "clock"}),
            step("run", "run", when="count == 10", then={"count": "0", "last": "clock"}),
        ],
    }
    always = {"bounded": "count <= 10", "in the past": "last <= clock"}


class ProducerConsumer(GuardedProgram):
    """A buffer of four places; both count for ever."""

    variables = {"produced": "integer", "consumed": "integer", "filled": "integer"}
    processes = {
        "Producer": [
            step("go", "go", when="filled < 4", then={"produced": "produced + 1", "filled": "filled + 1"})
        ],
        "Consumer": [
            step("go", "go", when="filled > 0", then={"consumed": "consumed + 1", "filled": "filled - 1"})
        ],
    }
    always = {"no gap": "produced - consumed == filled", "in the buffer": "0 <= filled <= 4"}


class PetersonCounting(GuardedProgram):
    """Peterson's algorithm; how often each was inside is counted."""

    variables = {"wantsA": "bool", "wantsB": "bool", "turn": "bool", "visits": "integer"}
    processes = {
        "A": [
            step("idle", "raised", then={"wantsA": "True"}),
            step("raised", "waiting", then={"turn": "1"}),
            step("waiting", "inside", when="not wantsB or turn == 0"),
            step("inside", "idle", then={"wantsA": "False", "visits": "visits + 1"}),
        ],
        "B": [
            step("idle", "raised", then={"wantsB": "True"}),
            step("raised", "waiting", then={"turn": "0"}),
            step("waiting", "inside", when="not wantsA or turn == 1"),
            step("inside", "idle", then={"wantsB": "False", "visits": "visits + 1"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class HymanCountingWrong(GuardedProgram):
    """Hyman's algorithm (1966), which does not exclude, beside a counter."""

    variables = {"wantsA": "bool", "wantsB": "bool", "turn": "bool", "visits": "integer"}
    processes = {
        "A": [
            step("idle", "asking", then={"wantsA": "True"}),
            step("asking", "waiting", when="turn == 1"),
            step("asking", "inside", when="turn == 0"),
            step("waiting", "taking", when="not wantsB"),
            step("taking", "asking", then={"turn": "0"}),
            step("inside", "idle", then={"wantsA": "False", "visits": "visits + 1"}),
        ],
        "B": [
            step("idle", "asking", then={"wantsB": "True"}),
            step("asking", "waiting", when="turn == 0"),
            step("asking", "inside", when="turn == 1"),
            step("waiting", "taking", when="not wantsA"),
            step("taking", "asking", then={"turn": "1"}),
            step("inside", "idle", then={"wantsB": "False", "visits": "visits + 1"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class Branches(GuardedProgram):
    """Two counters that go up in any order, and never drift apart by more than two."""

    variables = {"x": "integer", "y": "integer"}
    processes = {
        "P": [
            step("go", "go", when="x <= y + 1", then={"x": "x + 1"}),
            step("go", "go", when="y <= x + 1", then={"y": "y + 1"}),
            step("go", "go", when="x == y", then={"x": "x + 2"}),
        ]
    }
    always = {"together": "x - y <= 2 and y - x <= 2"}


class Stack(GuardedProgram):
    """Pushes and pops; the depth is what was pushed less what was popped."""

    variables = {"pushed": "integer", "popped": "integer", "depth": "integer"}
    processes = {
        "User": [
            step("use", "use", then={"pushed": "pushed + 1", "depth": "depth + 1"}),
            step("use", "use", when="depth > 0", then={"popped": "popped + 1", "depth": "depth - 1"}),
            step("use", "underflow", when="popped > pushed"),
        ]
    }
    always = {"no underflow": "User != 'underflow'", "depth": "depth == pushed - popped"}


class EvenSteps(GuardedProgram):
    """Steps of two and of four from zero, never at one."""

    variables = {"x": "integer"}
    processes = {
        "P": [
            step("go", "go", then={"x": "x + 2"}),
            step("go", "go", when="x > 3", then={"x": "x - 4"}),
            step("go", "odd", when="x == 1"),
        ]
    }
    always = {"even": "P != 'odd'"}


class Countdown(GuardedProgram):
    """Goes up as far as it likes and all the way down again, in two variables."""

    variables = {"up": "integer", "down": "integer", "start": "integer"}
    processes = {
        "P": [
            step("rise", "rise", then={"up": "up + 1", "start": "start + 1"}),
            step("rise", "fall"),
            step("fall", "fall", when="up > 0", then={"up": "up - 1", "down": "down + 1"}),
            step("fall", "ground", when="up == 0"),
        ]
    }
    always = {"as far down as up": "P != 'ground' or down == start"}


class BakeryTwo(GuardedProgram):
    """Lamport's bakery for two, with numbers without end."""

    variables = {"a": "integer", "b": "integer"}
    processes = {
        "A": [
            step("idle", "waiting", then={"a": "b + 1"}),
            step("waiting", "inside", when="b == 0 or a <= b"),
            step("inside", "idle", then={"a": "0"}),
        ],
        "B": [
            step("idle", "waiting", then={"b": "a + 1"}),
            step("waiting", "inside", when="a == 0 or b < a"),
            step("inside", "idle", then={"b": "0"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class BakeryTwoWrong(BakeryTwo):
    """Both go first when their numbers are equal, and numbers are drawn in two steps."""

    variables = {"a": "integer", "b": "integer", "seen": "integer"}
    processes = {
        "A": [
            step("idle", "drawing", then={"seen": "b"}),
            step("drawing", "waiting", then={"a": "seen + 1"}),
            step("waiting", "inside", when="b == 0 or a <= b"),
            step("inside", "idle", then={"a": "0"}),
        ],
        "B": BakeryTwo.processes["B"],
    }


class TokenRing(GuardedProgram):
    """A token goes round three places for ever; the rounds are counted."""

    variables = {"token": ("uint8", 0), "rounds": "integer", "passes": "integer"}
    processes = {
        "Ring": [
            step("go", "go", when="token == 0", then={"token": "1", "passes": "passes + 1"}),
            step("go", "go", when="token == 1", then={"token": "2", "passes": "passes + 1"}),
            step(
                "go",
                "go",
                when="token == 2",
                then={"token": "0", "rounds": "rounds + 1", "passes": "passes + 1"},
            ),
        ]
    }
    always = {"three a round": "passes == 3 * rounds + token"}


class ReadersWriter(GuardedProgram):
    """Any number of readers, or one writer."""

    variables = {"readers": "integer", "writers": "integer", "writing": "bool"}
    processes = {
        "Lock": [
            step("go", "go", when="writers == 0", then={"readers": "readers + 1"}),
            step("go", "go", when="readers > 0", then={"readers": "readers - 1"}),
            step("go", "go", when="readers == 0 and writers == 0", then={"writers": "1", "writing": "True"}),
            step("go", "go", when="writers == 1", then={"writers": "0", "writing": "False"}),
        ]
    }
    always = {
        "one writer alone": "writers <= 1 and (writers == 0 or readers == 0)",
        "flag": "writing == writers",
    }
