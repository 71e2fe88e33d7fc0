"""Programs with infinitely many states, written when the proofs were finished, to see what they can do with
what they were not made for. Those whose names end in Wrong are wrong."""

from assay.guarded import GuardedProgram, step


class CreditFlow(GuardedProgram):
    """Two counters with a credit between them: at most three messages are on their way, and both count for
    ever."""

    variables = {"sent": "integer", "received": "integer", "confirmed": "integer", "credit": ("integer", 3)}
    processes = {
        "Sender": [
            step("go", "go", when="credit > 0", then={"sent": "sent + 1", "credit": "credit - 1"}),
        ],
        "Receiver": [
            step("go", "go", when="received < sent", then={"received": "received + 1"}),
            step(
                "go",
                "go",
                when="confirmed < received",
                then={"confirmed": "confirmed + 1", "credit": "credit + 1"},
            ),
        ],
    }
    always = {
        "no more than three": "sent - confirmed <= 3",
        "in order": "confirmed <= received and received <= sent",
    }


class CreditFlowWrong(CreditFlow):
    """Credit is given back with the message, and again with its confirmation."""

    processes = {
        "Sender": CreditFlow.processes["Sender"],
        "Receiver": [
            step(
                "go", "go", when="received < sent", then={"received": "received + 1", "credit": "credit + 1"}
            ),
            CreditFlow.processes["Receiver"][1],
        ],
    }


class QueueOfSums(GuardedProgram):
    """A queue without bounds of fives and sevens; what is in it is known by how many of each there are, and
    what was ever put in by its sum."""

    variables = {
        "fives": "integer",
        "sevens": "integer",
        "length": "integer",
        "put": "integer",
        "taken": "integer",
    }
    processes = {
        "Writer": [
            step("go", "go", then={"fives": "fives + 1", "length": "length + 1", "put": "put + 5"}),
            step("go", "go", then={"sevens": "sevens + 1", "length": "length + 1", "put": "put + 7"}),
        ],
        "Reader": [
            step(
                "go",
                "go",
                when="fives > 0",
                then={"fives": "fives - 1", "length": "length - 1", "taken": "taken + 5"},
            ),
            step(
                "go",
                "go",
                when="sevens > 0",
                then={"sevens": "sevens - 1", "length": "length - 1", "taken": "taken + 7"},
            ),
        ],
    }
    always = {
        "length": "length == fives + sevens",
        "nothing is lost": "put - taken == 5 * fives + 7 * sevens",
        "nothing from nowhere": "taken <= put",
    }


class QueueOfSumsWrong(QueueOfSums):
    """A seven is taken where there is a five."""

    processes = {
        "Writer": QueueOfSums.processes["Writer"],
        "Reader": [
            step(
                "go",
                "go",
                when="length > 0",
                then={"fives": "fives - 1", "length": "length - 1", "taken": "taken + 7"},
            ),
        ],
    }


class BakeryChoosing(GuardedProgram):
    """Lamport's bakery (1974) for two as he wrote it: a number is read, and written later, while a flag says
    that somebody is choosing."""

    variables = {
        "a": "integer",
        "b": "integer",
        "seenA": "integer",
        "seenB": "integer",
        "choosingA": "bool",
        "choosingB": "bool",
    }
    processes = {
        "A": [
            step("idle", "reading", then={"choosingA": "True"}),
            step("reading", "writing", then={"seenA": "b"}),
            step("writing", "chosen", then={"a": "seenA + 1"}),
            step("chosen", "looking", then={"choosingA": "False"}),
            step("looking", "waiting", when="not choosingB"),
            step("waiting", "inside", when="b == 0 or a <= b"),
            step("inside", "idle", then={"a": "0"}),
        ],
        "B": [
            step("idle", "reading", then={"choosingB": "True"}),
            step("reading", "writing", then={"seenB": "a"}),
            step("writing", "chosen", then={"b": "seenB + 1"}),
            step("chosen", "looking", then={"choosingB": "False"}),
            step("looking", "waiting", when="not choosingA"),
            step("waiting", "inside", when="a == 0 or b < a"),
            step("inside", "idle", then={"b": "0"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class BakeryChoosingWrong(BakeryChoosing):
    """Nobody waits for who is choosing."""

    processes = {
        name: [
            step(one.source, one.target, then=one.then)
            if one.source == "looking"
            else step(one.source, one.target, when=one.when, then=one.then)
            for one in steps
        ]
        for name, steps in BakeryChoosing.processes.items()
    }


class Leases(GuardedProgram):
    """A clock, and a lease of ten ticks: who holds it works only while it lasts, and it is given to another
    only when it is over."""

    variables = {"clock": "integer", "until": "integer", "holder": "uint2", "worked": ("integer", -1)}
    processes = {
        "Clock": [step("tick", "tick", then={"clock": "clock + 1"})],
        "Manager": [
            step("go", "go", when="clock > until", then={"holder": "1", "until": "clock + 10"}),
            step("go", "go", when="clock > until", then={"holder": "2", "until": "clock + 10"}),
        ],
        "Worker": [
            step("rest", "rest", when="holder == 1 and clock <= until", then={"worked": "clock"}),
        ],
    }
    always = {
        "not beyond its end": "worked <= until",
        "not in the future": "worked <= clock",
        "not for ever": "until <= clock + 10",
    }


class LeasesWrong(Leases):
    """It is given back early, and what was done remains."""

    processes = {
        **Leases.processes,
        "Manager": [
            *Leases.processes["Manager"],
            step("go", "go", when="holder == 1", then={"holder": "0", "until": "clock - 1"}),
        ],
    }


class AlternatingParity(GuardedProgram):
    """Two threads take turns by whether a number that only grows is even."""

    variables = {"n": "integer", "even": "integer", "odd": "integer"}
    processes = {
        "A": [
            step("out", "in", when="n % 2 == 0"),
            step("in", "out", then={"n": "n + 1", "even": "even + 1"}),
        ],
        "B": [
            step("out", "in", when="n % 2 == 1"),
            step("in", "out", then={"n": "n + 1", "odd": "odd + 1"}),
        ],
    }
    always = {
        "one at a time": "not (A == 'in' and B == 'in')",
        "in turn": "even - odd == n % 2",
    }


class AlternatingParityWrong(AlternatingParity):
    """One of them may forget that it was there, and counts by three."""

    processes = {
        "A": AlternatingParity.processes["A"],
        "B": [
            *AlternatingParity.processes["B"],
            step("in", "out", then={"n": "n + 3"}),
        ],
    }


class SequenceNumbers(GuardedProgram):
    """Mutual exclusion by numbers that only grow (after Ricart and Agrawala 1981): a request is one more than
    what was ever seen, and who asked later answers at once."""

    variables = {
        "a": "integer",
        "b": "integer",
        "highest": "integer",
        "wantsA": "bool",
        "wantsB": "bool",
    }
    processes = {
        "A": [
            step("idle", "asking", then={"a": "highest + 1", "highest": "highest + 1", "wantsA": "True"}),
            step("asking", "inside", when="not wantsB or a < b"),
            step("inside", "idle", then={"wantsA": "False"}),
        ],
        "B": [
            step("idle", "asking", then={"b": "highest + 1", "highest": "highest + 1", "wantsB": "True"}),
            step("asking", "inside", when="not wantsA or b < a"),
            step("inside", "idle", then={"wantsB": "False"}),
        ],
    }
    always = {"one at a time": "not (A == 'inside' and B == 'inside')"}


class SequenceNumbersWrong(SequenceNumbers):
    """It forgets to count."""

    processes = {
        "A": [
            step("idle", "asking", then={"a": "highest + 1", "wantsA": "True"}),
            step("asking", "inside", when="not wantsB or a <= b"),
            step("inside", "idle", then={"wantsA": "False"}),
        ],
        "B": [
            step("idle", "asking", then={"b": "highest + 1", "wantsB": "True"}),
            step("asking", "inside", when="not wantsA or b <= a"),
            step("inside", "idle", then={"wantsB": "False"}),
        ],
    }


class ThreesAndNines(GuardedProgram):
    """Euclid's algorithm by subtraction, of any two multiples of three: so is what is left."""

    variables = {"a": ("integer", 3), "b": ("integer", 3)}
    processes = {
        "P": [
            step("choose", "choose", then={"a": "a + 3"}),
            step("choose", "choose", then={"b": "b + 9"}),
            step("choose", "loop"),
            step("loop", "loop", when="a > b", then={"a": "a - b"}),
            step("loop", "loop", when="b > a", then={"b": "b - a"}),
            step("loop", "done", when="a == b"),
        ]
    }
    always = {"positive": "a > 0 and b > 0", "a multiple": "P != 'done' or a % 3 == 0"}


class ThreesAndNinesWrong(ThreesAndNines):
    always = {"a multiple of nine": "P != 'done' or a % 9 == 3"}


class GoBack(GuardedProgram):
    """Go-back-N with a window of four: what was lost is sent again from the first that nobody confirmed."""

    variables = {"base": "integer", "next": "integer", "expected": "integer", "on_wire": ("integer", -1)}
    processes = {
        "Sender": [
            step(
                "go",
                "go",
                when="next < base + 4 and on_wire < 0",
                then={"on_wire": "next", "next": "next + 1"},
            ),
            step("go", "go", when="next > base", then={"next": "base"}),
            step("go", "go", when="base < expected", then={"base": "expected", "next": "expected"}),
        ],
        "Wire": [step("go", "go", when="on_wire >= 0", then={"on_wire": "-1"})],
        "Receiver": [
            step("go", "go", when="on_wire == expected", then={"expected": "expected + 1", "on_wire": "-1"}),
            step("go", "go", when="on_wire >= 0 and on_wire != expected", then={"on_wire": "-1"}),
        ],
    }
    always = {
        "in the window": "expected <= base + 4",
        "confirmed is there": "base <= expected",
        "nothing from the future": "on_wire < base + 4",
    }


class GoBackWrong(GoBack):
    """It goes on from where it was, not from what was confirmed."""

    processes = {
        **GoBack.processes,
        "Sender": [
            *GoBack.processes["Sender"][:1],
            step("go", "go", when="base < expected", then={"base": "base + 1"}),
            step("go", "go", when="next == base + 4", then={"base": "base + 1"}),
        ],
    }


class WritersFirst(GuardedProgram):
    """Readers and writers without number; a reader waits while a writer does."""

    variables = {"reading": "integer", "writing": "integer", "waiting": "integer", "served": "integer"}
    processes = {
        "Readers": [
            step("go", "go", when="writing == 0 and waiting == 0", then={"reading": "reading + 1"}),
            step("go", "go", when="reading > 0", then={"reading": "reading - 1", "served": "served + 1"}),
        ],
        "Writers": [
            step("go", "go", then={"waiting": "waiting + 1"}),
            step(
                "go",
                "go",
                when="waiting > 0 and reading == 0 and writing == 0",
                then={"waiting": "waiting - 1", "writing": "writing + 1"},
            ),
            step("go", "go", when="writing > 0", then={"writing": "writing - 1", "served": "served + 1"}),
        ],
    }
    always = {
        "alone": "writing == 0 or reading == 0",
        "one": "writing <= 1",
        "counts": "reading >= 0 and waiting >= 0 and served >= 0",
    }


class WritersFirstWrong(WritersFirst):
    """A writer that waits may be two."""

    processes = {
        **WritersFirst.processes,
        "Writers": [
            *WritersFirst.processes["Writers"],
            step(
                "go",
                "go",
                when="waiting > 1 and reading == 0",
                then={"waiting": "waiting - 1", "writing": "writing + 1"},
            ),
        ],
    }


class Triangle(GuardedProgram):
    """Rows of a triangle, each one longer than the last, for any number of rows: the dots of a row, and that
    all of them are no fewer than rows."""

    variables = {"rows": "integer", "i": "integer", "j": "integer", "dots": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"rows": "rows + 1"}),
            step("choose", "row"),
            step("row", "dot", when="i < rows", then={"i": "i + 1", "j": "0"}),
            step("dot", "dot", when="j < i", then={"j": "j + 1", "dots": "dots + 1"}),
            step("dot", "row", when="j >= i"),
            step("row", "done", when="i >= rows"),
        ]
    }
    always = {"a whole row": "P != 'row' or j == i", "no fewer": "P != 'done' or dots >= rows"}


class TriangleWrong(Triangle):
    always = {"more": "P != 'done' or rows == 0 or dots > rows"}


class TwelfthHour(GuardedProgram):
    """A clock hand in steps of five on a dial without end; a bell at every multiple of three, which a guard
    knows by its remainder."""

    variables = {"x": "integer", "rings": "integer", "since": "integer"}
    processes = {
        "P": [
            step("go", "go", when="x % 15 != 10", then={"x": "x + 5", "since": "since + 1"}),
            step("go", "go", when="x % 15 == 10", then={"x": "x + 5", "since": "0", "rings": "rings + 1"}),
        ]
    }
    always = {
        "by fives": "x % 5 == 0",
        "not long": "0 <= since <= 2",
        "where it is": "x == 15 * rings + 5 * since",
    }


class TwelfthHourWrong(TwelfthHour):
    always = {"never long": "since <= 1"}


class Seesaw(GuardedProgram):
    """What one side goes down the other goes up, below zero and above, and the middle only sinks."""

    variables = {"left": "integer", "right": "integer", "middle": "integer", "moves": "integer"}
    processes = {
        "P": [
            step("level", "tilted", then={"left": "left - 3", "right": "right + 3", "moves": "moves + 1"}),
            step("level", "tilted", then={"left": "left + 3", "right": "right - 3", "moves": "moves + 1"}),
            step("tilted", "level", then={"middle": "middle - 2", "left": "left - 1", "right": "right - 1"}),
        ]
    }
    always = {
        "the sum is the middle": "left + right == middle",
        "never above zero": "middle <= 0",
        "as often": "P != 'level' or middle == -2 * moves",
    }


class SeesawWrong(Seesaw):
    always = {"half": "left >= 0 or right >= 0"}


class TokenBucket(GuardedProgram):
    """A bucket of at most eight tokens, two more with each tick: what was ever sent is no more than what
    there was."""

    variables = {"tokens": ("integer", 8), "ticks": "integer", "sent": "integer"}
    processes = {
        "Clock": [
            step("go", "go", when="tokens <= 6", then={"ticks": "ticks + 1", "tokens": "tokens + 2"}),
            step("go", "go", when="tokens > 6", then={"ticks": "ticks + 1", "tokens": "8"}),
        ],
        "Sender": [step("go", "go", when="tokens > 0", then={"tokens": "tokens - 1", "sent": "sent + 1"})],
    }
    always = {"not full over": "0 <= tokens <= 8", "the rate": "sent <= 2 * ticks + 8"}


class TokenBucketWrong(TokenBucket):
    """It is filled whenever it is empty."""

    processes = {
        **TokenBucket.processes,
        "Filler": [step("go", "go", when="tokens == 0", then={"tokens": "8"})],
    }


class Elections(GuardedProgram):
    """Terms without end (after Raft): who votes, votes once in a term, and only in one that it has not seen;
    so two leaders are never of the same term."""

    variables = {
        "termA": "integer",
        "termB": "integer",
        "voted": "integer",
        "leaderA": ("integer", -1),
        "leaderB": ("integer", -2),
    }
    processes = {
        "A": [
            step("follower", "candidate", then={"termA": "termA + 1"}),
            step("candidate", "candidate", then={"termA": "termA + 1"}),
            step("candidate", "leader", when="termA > voted", then={"voted": "termA", "leaderA": "termA"}),
            step("leader", "follower", when="voted > termA", then={"termA": "voted"}),
        ],
        "B": [
            step("follower", "candidate", then={"termB": "termB + 1"}),
            step("candidate", "candidate", then={"termB": "termB + 1"}),
            step("candidate", "leader", when="termB > voted", then={"voted": "termB", "leaderB": "termB"}),
            step("leader", "follower", when="voted > termB", then={"termB": "voted"}),
        ],
    }
    always = {"one leader in a term": "leaderA != leaderB"}


class ElectionsWrong(Elections):
    """A vote may be given again in the same term."""

    processes = {
        "A": Elections.processes["A"],
        "B": [
            *Elections.processes["B"],
            step("candidate", "leader", when="termB >= voted", then={"voted": "termB", "leaderB": "termB"}),
        ],
    }


class Batches(GuardedProgram):
    """Work in batches of one size, whatever that is: a batch is counted up, and a new one begun."""

    variables = {"size": ("integer", 1), "inside": "integer", "batches": "integer", "work": "integer"}
    processes = {
        "P": [
            step("choose", "choose", then={"size": "size + 1"}),
            step("choose", "go"),
            step("go", "go", when="inside < size", then={"inside": "inside + 1", "work": "work + 1"}),
            step("go", "go", when="inside == size", then={"inside": "0", "batches": "batches + 1"}),
        ]
    }
    always = {"not too many": "inside <= size", "each had some": "batches <= work"}


class BatchesWrong(Batches):
    always = {"each had two": "2 * batches <= work"}
