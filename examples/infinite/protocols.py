"""More programs with infinitely many states, written after the proofs were: none of them was there when ideas
were tried. Those whose names end in Wrong are wrong."""

from assay.guarded import GuardedProgram, step


class BakeryThree(GuardedProgram):
    """Lamport's bakery for three; a number is drawn at once."""

    variables = {"a": "integer", "b": "integer", "c": "integer"}
    processes = {
        "A": [
            step("idle", "waiting", then={"a": "(b if b >= c else c) + 1"}),
            step("waiting", "inside", when="(b == 0 or a <= b) and (c == 0 or a <= c)"),
            step("inside", "idle", then={"a": "0"}),
        ],
        "B": [
            step("idle", "waiting", then={"b": "(a if a >= c else c) + 1"}),
            step("waiting", "inside", when="(a == 0 or b < a) and (c == 0 or b <= c)"),
            step("inside", "idle", then={"b": "0"}),
        ],
        "C": [
            step("idle", "waiting", then={"c": "(a if a >= b else b) + 1"}),
            step("waiting", "inside", when="(a == 0 or c < a) and (b == 0 or c < b)"),
            step("inside", "idle", then={"c": "0"}),
        ],
    }
    always = {
        "one at a time": "(A == 'inside') + (B == 'inside') + (C == 'inside') <= 1",
    }


class BakeryThreeWrong(BakeryThree):
    """A looks at one number only before it draws."""

    processes = {
        **BakeryThree.processes,
        "A": [step("idle", "waiting", then={"a": "b + 1"}), *BakeryThree.processes["A"][1:]],
    }


class Fischer(GuardedProgram):
    """Fischer's mutual exclusion: to write takes at most two ticks, to wait more than two."""

    variables = {"id": ("uint8", 0), "x": "integer", "y": "integer"}
    processes = {
        "A": [
            step("idle", "asking", when="id == 0", then={"x": "0"}),
            step("asking", "waiting", when="x <= 2", then={"id": "1", "x": "0"}),
            step("waiting", "inside", when="x > 2 and id == 1"),
            step("waiting", "idle", when="id != 1"),
            step("inside", "idle", then={"id": "0"}),
        ],
        "B": [
            step("idle", "asking", when="id == 0", then={"y": "0"}),
            step("asking", "waiting", when="y <= 2", then={"id": "2", "y": "0"}),
            step("waiting", "inside", when="y > 2 and id == 2"),
            step("waiting", "idle", when="id != 2"),
            step("inside", "idle", then={"id": "0"}),
        ],
        "Time": [
            step(
                "go",
                "go",
                when="(A != 'asking' or x < 2) and (B != 'asking' or y < 2)",
                then={"x": "x + 1", "y": "y + 1"},
            )
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class FischerWrong(Fischer):
    """To wait takes as long as to write."""

    processes = {
        **Fischer.processes,
        "A": [
            step("waiting", "inside", when="x >= 1 and id == 1") if one.target == "inside" else one
            for one in Fischer.processes["A"]
        ],
    }


class Gcd(GuardedProgram):
    """Euclid by subtraction, for any two numbers above zero."""

    variables = {"n": ("integer", 1), "m": ("integer", 1), "a": "integer", "b": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"n": "n + 1"}),
            step("choose", "choose", then={"m": "m + 1"}),
            step("choose", "loop", then={"a": "n", "b": "m"}),
            step("loop", "loop", when="a > b", then={"a": "a - b"}),
            step("loop", "loop", when="b > a", then={"b": "b - a"}),
            step("loop", "done", when="a == b"),
        ]
    }
    always = {"a divisor is between": "P != 'done' or (1 <= a <= n and a <= m)"}


class GcdWrong(Gcd):
    """It goes one subtraction too far."""

    processes = {
        "P": [
            *Gcd.processes["P"][:3],
            step("loop", "loop", when="a >= b and b > 0", then={"a": "a - b"}),
            step("loop", "loop", when="b > a", then={"b": "b - a"}),
            step("loop", "done", when="a == 0 or b == 0"),
        ]
    }


class DivideByThree(GuardedProgram):
    """Quotient and remainder of any n."""

    variables = {"n": "integer", "q": "integer", "r": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"n": "n + 1"}),
            step("choose", "loop", then={"q": "0", "r": "n"}),
            step("loop", "loop", when="r >= 3", then={"r": "r - 3", "q": "q + 1"}),
            step("loop", "done", when="r < 3"),
        ]
    }
    always = {"n = 3 q + r": "P != 'done' or (n == 3 * q + r and 0 <= r < 3)"}


class DivideByThreeWrong(DivideByThree):
    processes = {
        "P": [*DivideByThree.processes["P"][:3], step("loop", "done", when="r <= 3")],
    }


class Divide(GuardedProgram):
    """The same for any divisor: an equation of second degree."""

    variables = {"n": "integer", "d": ("integer", 1), "q": "integer", "r": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"n": "n + 1"}),
            step("choose", "choose", then={"d": "d + 1"}),
            step("choose", "loop", then={"q": "0", "r": "n"}),
            step("loop", "loop", when="r >= d", then={"r": "r - d", "q": "q + 1"}),
            step("loop", "done", when="r < d"),
        ]
    }
    always = {"n = d q + r": "P != 'done' or (n == d * q + r and 0 <= r < d)"}


class TwoPhases(GuardedProgram):
    """Up together, down together."""

    variables = {"x": "integer", "y": "integer"}
    processes = {
        "P": [
            step("up", "up", then={"x": "x + 1", "y": "y + 1"}),
            step("up", "down"),
            step("down", "down", when="x > 0", then={"x": "x - 1", "y": "y - 1"}),
            step("down", "lost", when="x == 0 and y != 0"),
            step("down", "up", when="x == 0"),
        ]
    }
    always = {"nothing is lost": "P != 'lost'"}


class TwoPhasesWrong(TwoPhases):
    processes = {
        "P": [
            *TwoPhases.processes["P"],
            step("up", "down", when="x > 5", then={"x": "x - 1"}),
        ]
    }


class Semaphore(GuardedProgram):
    """Any number of resources, taken and given back by two."""

    variables = {"total": ("integer", 1), "free": ("integer", 1), "a": "integer", "b": "integer"}
    processes = {
        "Setup": [
            step("fill", "fill", then={"total": "total + 1", "free": "free + 1"}),
            step("fill", "run"),
        ],
        "A": [
            step("go", "go", when="free > 0 and Setup == 'run'", then={"free": "free - 1", "a": "a + 1"}),
            step("go", "go", when="a > 0", then={"free": "free + 1", "a": "a - 1"}),
        ],
        "B": [
            step("go", "go", when="free > 0 and Setup == 'run'", then={"free": "free - 1", "b": "b + 1"}),
            step("go", "go", when="b > 0", then={"free": "free + 1", "b": "b - 1"}),
        ],
    }
    always = {"none is lost": "free + a + b == total", "none is made up": "a + b <= total and free >= 0"}


class SemaphoreWrong(Semaphore):
    """B looks, and takes later."""

    processes = {
        **Semaphore.processes,
        "B": [
            step("go", "take", when="free > 0 and Setup == 'run'"),
            step("take", "go", then={"free": "free - 1", "b": "b + 1"}),
        ],
    }


class SlidingWindow(GuardedProgram):
    """Go-back-n with a window of four and numbers without end; messages and acknowledgements may be lost."""

    variables = {"base": "integer", "next": "integer", "expected": "integer", "acked": "integer"}
    processes = {
        "Sender": [
            step("go", "go", when="next < base + 4", then={"next": "next + 1"}),
            step("go", "go", when="acked > base", then={"base": "acked"}),
        ],
        "Receiver": [
            step("go", "go", when="expected < next", then={"expected": "expected + 1"}),
            step("go", "go", then={"acked": "expected"}),
        ],
    }
    always = {
        "nothing before it was sent": "expected <= next",
        "no more than a window": "next - base <= 4 and next - expected <= 4",
        "acknowledged was received": "base <= expected",
    }


class SlidingWindowWrong(SlidingWindow):
    """It acknowledges what it expects next as if it had come."""

    processes = {
        **SlidingWindow.processes,
        "Receiver": [
            SlidingWindow.processes["Receiver"][0],
            step("go", "go", then={"acked": "expected + 1"}),
        ],
    }


class Barrier(GuardedProgram):
    """Two workers meet for ever; a generation is counted whenever both have come."""

    variables = {"count": ("uint8", 0), "generation": "integer", "a": "integer", "b": "integer"}
    processes = {
        "A": [
            step("work", "wait", when="count == 0", then={"count": "1", "a": "generation + 1"}),
            step(
                "work",
                "work",
                when="count == 1",
                then={"count": "0", "generation": "generation + 1", "a": "generation + 1"},
            ),
            step("wait", "work", when="generation >= a"),
        ],
        "B": [
            step("work", "wait", when="count == 0", then={"count": "1", "b": "generation + 1"}),
            step(
                "work",
                "work",
                when="count == 1",
                then={"count": "0", "generation": "generation + 1", "b": "generation + 1"},
            ),
            step("wait", "work", when="generation >= b"),
        ],
    }
    always = {"nobody is ahead by two": "a - b <= 1 and b - a <= 1"}


class BarrierWrong(Barrier):
    """A goes on without waiting for the generation that it wants."""

    processes = {
        **Barrier.processes,
        "A": [*Barrier.processes["A"][:2], step("wait", "work", when="generation >= a - 1")],
    }


class Votes(GuardedProgram):
    """Two candidates, any number of voters: not both have more than half."""

    variables = {"a": "integer", "b": "integer", "cast": "integer", "winner": ("uint8", 0)}
    processes = {
        "Poll": [
            step("open", "open", then={"a": "a + 1", "cast": "cast + 1"}),
            step("open", "open", then={"b": "b + 1", "cast": "cast + 1"}),
            step("open", "closed"),
            step("closed", "told", when="2 * a > cast", then={"winner": "1"}),
            step("closed", "told", when="2 * b > cast", then={"winner": "2"}),
            step("closed", "told", when="a == b"),
        ]
    }
    always = {
        "who has more wins": "Poll != 'told' or (winner == 1) == (a > b) and (winner == 2) == (b > a)",
    }


class VotesWrong(Votes):
    processes = {
        "Poll": [
            *Votes.processes["Poll"][:3],
            step("closed", "told", when="2 * a >= cast", then={"winner": "1"}),
            *Votes.processes["Poll"][4:],
        ]
    }


class Retransmission(GuardedProgram):
    """Alternating bit with three attempts for each message; all are counted."""

    variables = {
        "sent": "integer",
        "delivered": "integer",
        "bit": "bool",
        "wanted": "bool",
        "tries": ("uint8", 0),
        "full": "bool",
        "message": "bool",
    }
    processes = {
        "Sender": [
            step("ready", "sending", then={"sent": "sent + 1", "tries": "0"}),
            step(
                "sending",
                "sending",
                when="tries < 3 and not full",
                then={"full": "True", "message": "bit", "tries": "tries + 1"},
            ),
            step("sending", "ready", when="wanted != bit", then={"bit": "not bit"}),
            step("sending", "given up", when="tries == 3 and wanted == bit and not full"),
            step("given up", "sending", then={"tries": "0"}),
        ],
        "Receiver": [
            step(
                "wait",
                "wait",
                when="full and message == wanted",
                then={"full": "False", "delivered": "delivered + 1", "wanted": "not wanted"},
            ),
            step("wait", "wait", when="full and message != wanted", then={"full": "False"}),
        ],
        "Line": [step("ok", "ok", when="full", then={"full": "False"})],
    }
    always = {
        "once each": "delivered <= sent and sent <= delivered + 1",
        "at most three": "tries <= 3",
    }


class RetransmissionWrong(Retransmission):
    """The receiver does not look at the bit."""

    processes = {
        **Retransmission.processes,
        "Receiver": [
            step(
                "wait",
                "wait",
                when="full",
                then={"full": "False", "delivered": "delivered + 1", "wanted": "not message"},
            ),
        ],
    }


class Transfers(GuardedProgram):
    """Three accounts; money comes from outside and moves between them."""

    variables = {"x": "integer", "y": "integer", "z": "integer", "total": "integer"}
    processes = {
        "Bank": [
            step("go", "go", then={"x": "x + 2", "total": "total + 2"}),
            step("go", "go", when="x > 0", then={"x": "x - 1", "y": "y + 1"}),
            step("go", "go", when="y > 0", then={"y": "y - 1", "z": "z + 1"}),
            step("go", "go", when="z > 1", then={"z": "z - 2", "x": "x + 2"}),
        ]
    }
    always = {"conserved": "x + y + z == total", "no debt": "x >= 0 and y >= 0 and z >= 0"}


class TransfersWrong(Transfers):
    processes = {
        "Bank": [
            *Transfers.processes["Bank"][:3],
            step("go", "go", when="z > 0", then={"z": "z - 2", "x": "x + 2"}),
        ]
    }


class SortedTriple(GuardedProgram):
    """Three numbers that stay in order, whoever moves."""

    variables = {"a": "integer", "b": "integer", "c": "integer"}
    processes = {
        "P": [
            step("go", "go", then={"c": "c + 3"}),
            step("go", "go", when="b + 1 < c", then={"b": "b + 2"}),
            step("go", "go", when="a < b", then={"a": "a + 1"}),
            step("go", "go", when="b > a + 1", then={"a": "b - 1", "b": "b"}),
            step("go", "go", then={"a": "0", "b": "0"}),
        ]
    }
    always = {"sorted": "a <= b <= c"}


class SortedTripleWrong(SortedTriple):
    processes = {
        "P": [
            *SortedTriple.processes["P"],
            step("go", "go", when="b < c", then={"b": "b + 2"}),
        ]
    }


class NestedLoops(GuardedProgram):
    """How often the inner of two loops goes round, for any n: at least as often as the outer one did."""

    variables = {"n": "integer", "i": "integer", "j": "integer", "s": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"n": "n + 1"}),
            step("choose", "outer"),
            step("outer", "inner", when="i < n", then={"j": "0", "i": "i + 1"}),
            step("inner", "inner", when="j < i", then={"j": "j + 1", "s": "s + 1"}),
            step("inner", "outer", when="j >= i"),
            step("outer", "done", when="i >= n"),
        ]
    }
    always = {"at least n": "P != 'done' or s >= n", "not negative": "s >= 0"}


class NestedLoopsWrong(NestedLoops):
    always = {"at most 3 n": "P != 'done' or s <= 3 * n"}


class StrictTurns(GuardedProgram):
    """Mutual exclusion by a turn; visits are counted."""

    variables = {"turn": "bool", "a": "integer", "b": "integer"}
    processes = {
        "A": [
            step("out", "in", when="not turn"),
            step("in", "out", then={"turn": "True", "a": "a + 1"}),
        ],
        "B": [
            step("out", "in", when="turn"),
            step("in", "out", then={"turn": "False", "b": "b + 1"}),
        ],
    }
    always = {
        "one at a time": "not (A == 'in' and B == 'in')",
        "in turns": "a == b + turn",
    }


class StrictTurnsWrong(StrictTurns):
    processes = {
        **StrictTurns.processes,
        "B": [step("out", "in", when="turn or a > b + 3"), StrictTurns.processes["B"][1]],
        "A": [*StrictTurns.processes["A"], step("out", "out", when="a > 2", then={"turn": "True"})],
    }


class RingOfNumbers(GuardedProgram):
    """A token with a number that goes up each round; each of three nodes keeps the last that it saw."""

    variables = {"holder": ("uint8", 0), "number": "integer", "a": "integer", "b": "integer", "c": "integer"}
    processes = {
        "Ring": [
            step("go", "go", when="holder == 0", then={"holder": "1", "a": "number"}),
            step("go", "go", when="holder == 1", then={"holder": "2", "b": "number"}),
            step("go", "go", when="holder == 2", then={"holder": "0", "c": "number", "number": "number + 1"}),
        ]
    }
    always = {"within one round": "c <= b <= a <= number and number - c <= 1"}


class RingOfNumbersWrong(RingOfNumbers):
    processes = {
        "Ring": [
            *RingOfNumbers.processes["Ring"],
            step("go", "go", when="holder == 2 and number > 4", then={"holder": "1", "number": "number + 1"}),
        ]
    }


class LogicalClocks(GuardedProgram):
    """Lamport's clocks: what is received later is dated later."""

    variables = {"a": "integer", "b": "integer", "stamp": "integer", "full": "bool", "received": "integer"}
    processes = {
        "A": [
            step("go", "go", then={"a": "a + 1"}),
            step("go", "go", when="not full", then={"stamp": "a + 1", "a": "a + 1", "full": "True"}),
        ],
        "B": [
            step("go", "go", then={"b": "b + 1"}),
            step(
                "go",
                "go",
                when="full",
                then={"received": "stamp", "b": "(b if b >= stamp else stamp) + 1", "full": "False"},
            ),
        ],
    }
    always = {"later": "b >= received", "not of the future": "received <= stamp and stamp <= a"}


class LogicalClocksWrong(LogicalClocks):
    processes = {
        **LogicalClocks.processes,
        "B": [
            LogicalClocks.processes["B"][0],
            step("go", "go", when="full", then={"received": "stamp", "b": "b + 1", "full": "False"}),
        ],
    }


class Watchdog(GuardedProgram):
    """A clock without end; somebody resets the watchdog in time."""

    variables = {"clock": "integer", "last": "integer", "elapsed": ("uint8", 0), "barked": "bool"}
    processes = {
        "Clock": [
            step("go", "go", when="elapsed < 10", then={"clock": "clock + 1", "elapsed": "elapsed + 1"}),
            step("go", "go", when="elapsed > 10", then={"barked": "True"}),
        ],
        "Worker": [step("go", "go", when="elapsed >= 4", then={"last": "clock", "elapsed": "0"})],
    }
    always = {"in time": "clock - last == elapsed and elapsed <= 10", "quiet": "not barked"}


class WatchdogWrong(Watchdog):
    processes = {
        **Watchdog.processes,
        "Clock": [
            step("go", "go", when="elapsed <= 10", then={"clock": "clock + 1", "elapsed": "elapsed + 1"}),
            Watchdog.processes["Clock"][1],
        ],
    }


class Parity(GuardedProgram):
    """A bit that says whether a number is odd, kept by hand."""

    variables = {"x": "integer", "odd": "bool"}
    processes = {
        "P": [
            step("go", "go", then={"x": "x + 1", "odd": "not odd"}),
            step("go", "go", when="x > 5", then={"x": "x - 3", "odd": "not odd"}),
            step("go", "go", then={"x": "x + 4"}),
        ]
    }
    always = {"odd if it says so": "x % 2 == odd"}


class ParityWrong(Parity):
    processes = {"P": [*Parity.processes["P"], step("go", "go", when="x > 50", then={"x": "x + 3"})]}


class ShortNumbers(GuardedProgram):
    """Numbers without end on one side, and their last two bits on the line."""

    variables = {"sent": "integer", "short": ("uint2", 0), "got": "integer", "expected": ("uint2", 0)}
    processes = {
        "Sender": [
            step("go", "go", when="sent - got < 3", then={"sent": "sent + 1", "short": "short + 1"}),
        ],
        "Receiver": [
            step(
                "go",
                "go",
                when="expected != short",
                then={"got": "got + 1", "expected": "expected + 1"},
            ),
        ],
    }
    always = {"never ahead": "got <= sent", "within three": "sent - got <= 3"}


class ShortNumbersWrong(ShortNumbers):
    """Four may be on the way: the short numbers are equal again, and then the receiver is ahead."""

    processes = {
        **ShortNumbers.processes,
        "Receiver": [
            *ShortNumbers.processes["Receiver"],
            step("go", "go", when="got > 5", then={"got": "got + 1"}),
        ],
    }


class MinMax(GuardedProgram):
    """The least and the greatest value of a walk."""

    variables = {"x": "integer", "low": "integer", "high": "integer"}
    processes = {
        "P": [
            step("go", "keep", then={"x": "x + 1"}),
            step("go", "keep", then={"x": "x - 2"}),
            step("keep", "go", then={"low": "x if x < low else low", "high": "x if x > high else high"}),
        ]
    }
    always = {"between": "P == 'keep' or low <= x <= high", "around zero": "low <= 0 <= high"}


class MinMaxWrong(MinMax):
    processes = {
        "P": [
            *MinMax.processes["P"][:2],
            step("keep", "go", then={"low": "x if x < low else low", "high": "x if x > high + 1 else high"}),
        ]
    }


class ReadersWriters(GuardedProgram):
    """Readers and writers with counters of entries and exits, and a writer that waits keeps readers out."""

    variables = {
        "entered": "integer",
        "left": "integer",
        "written": "integer",
        "waiting": "bool",
        "writing": "bool",
    }
    processes = {
        "Readers": [
            step("go", "go", when="not waiting and not writing", then={"entered": "entered + 1"}),
            step("go", "go", when="entered > left", then={"left": "left + 1"}),
        ],
        "Writer": [
            step("out", "waiting", then={"waiting": "True"}),
            step("waiting", "in", when="entered == left", then={"waiting": "False", "writing": "True"}),
            step("in", "out", then={"writing": "False", "written": "written + 1"}),
        ],
    }
    always = {
        "alone": "not writing or entered == left",
        "nobody leaves twice": "left <= entered",
        "the flag is true": "writing == (Writer == 'in')",
    }


class ReadersWritersWrong(ReadersWriters):
    processes = {
        **ReadersWriters.processes,
        "Readers": [
            step("go", "go", when="not waiting", then={"entered": "entered + 1"}),
            ReadersWriters.processes["Readers"][1],
        ],
    }


class MaxOfThree(GuardedProgram):
    """The greatest of three counters, kept by whoever counts."""

    variables = {"a": "integer", "b": "integer", "c": "integer", "most": "integer"}
    processes = {
        "P": [
            step("go", "go", then={"a": "a + 1", "most": "most if most >= a + 1 else a + 1"}),
            step("go", "go", then={"b": "b + 2", "most": "most if most >= b + 2 else b + 2"}),
            step("go", "go", then={"c": "c + 3", "most": "most if most >= c + 3 else c + 3"}),
        ]
    }
    always = {
        "none is greater": "most >= a and most >= b and most >= c",
        "it is one of them": "most == a or most == b or most == c",
    }


class MaxOfThreeWrong(MaxOfThree):
    processes = {
        "P": [
            *MaxOfThree.processes["P"][:2],
            step("go", "go", then={"c": "c + 3", "most": "most if most >= c + 2 else c + 3"}),
        ]
    }


class NinetyOne(GuardedProgram):
    """McCarthy's function, with the depth of its calls as a counter. (Not proved: what it needs is a relation
    between the counter and the number that differs on both sides of 100.)"""

    variables = {"start": "integer", "x": "integer", "calls": ("integer", 1)}
    processes = {
        "P": [
            step("choose", "choose", then={"start": "start + 7"}),
            step("choose", "loop", then={"x": "start", "calls": "1"}),
            step("loop", "loop", when="calls > 0 and x > 100", then={"x": "x - 10", "calls": "calls - 1"}),
            step("loop", "loop", when="calls > 0 and x <= 100", then={"x": "x + 11", "calls": "calls + 1"}),
            step("loop", "done", when="calls == 0"),
        ]
    }
    always = {"91": "P != 'done' or x == 91 or start > 100 and x == start - 10"}
