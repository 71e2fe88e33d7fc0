"""The module `random`: every outcome is possible, and all of them are followed.

`random()` and its continuous relatives answer a number that is not known (`_unknown`). Discrete choices are made by the
machine, if there are not too many of them.
"""

from enum import sys as _interpreter

import _assay
from _unknown import Unknown

_MOST_ALTERNATIVES = 64


def _choose(count, what):
    if count > _MOST_ALTERNATIVES:
        _assay.unsupported(
            what
            + " has "
            + str(count)
            + " outcomes; at most "
            + str(_MOST_ALTERNATIVES)
            + " are followed one by one. "
            "Make the range smaller while checking, or let assay.choose(...) pick from the values that matter"
        )
    return 0 if count == 1 else _assay.choose(count)


def _one_of(numbers, what):
    """Of more whole numbers than can be followed one by one it gives one that nobody knows."""
    # There may be more than `len` can tell.
    count = -((numbers.start - numbers.stop) // numbers.step)
    if count <= _MOST_ALTERNATIVES:
        return numbers[_choose(count, what)]
    if numbers.step != 1:
        _assay.unsupported(what + " with a step, and so many outcomes, is not modelled; multiply one without")
    made = Unknown(what, numbers.start, True, numbers.stop - 1)
    made.unknown_is_whole = True
    return made


def _smaller(a, b):
    """A bound for what lies between two numbers; None where nobody knows one of them."""
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    return min(a + 0.0, b + 0.0)  # what is no number fails as in CPython


def _require_whole(*numbers):
    for number in numbers:
        if not hasattr(type(number), "__index__"):
            _assay.unsupported(
                "a range of random numbers whose bounds are not whole is not modelled; round them"
            )


class Random:
    """Seeds change nothing: what holds for all outcomes holds for those of a seed."""

    def __init__(self, x=None):
        self.seed(x)

    def seed(self, a=None, version=2):
        if a is not None and not isinstance(a, (int, float, str, bytes, bytearray, Unknown)):
            raise TypeError(
                "The only supported seed types are: None,\nint, float, str, bytes, and bytearray."
            )

    def random(self):
        made = Unknown("random.random()", 0, True)
        made.unknown_high = (1, True)
        return made

    def uniform(self, a, b):
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return Unknown("random.uniform()", None, True)
        ends = (a + 0.0, a + (b - a) * 1.0)  # as CPython rounds; what is no number fails as there
        return Unknown("random.uniform()", min(ends), True, max(ends))

    def triangular(self, low=0.0, high=1.0, mode=None):
        return Unknown("random.triangular()", _smaller(low, high))

    def gauss(self, mu=0.0, sigma=1.0):
        mu + sigma * 0.0  # what is no number fails as in CPython
        return Unknown("random.gauss()")

    normalvariate = gauss

    def expovariate(self, *lambd):
        if len(lambd) > 1 or (not lambd and _interpreter.version_info < (3, 12)):
            raise TypeError("expovariate() takes another number of arguments")
        rate = lambd[0] if lambd else 1.0
        if rate == 0:
            raise ZeroDivisionError("float division by zero")
        return Unknown("random.expovariate()", 0 if rate > 0 else None)

    def betavariate(self, alpha, beta):
        if alpha <= 0 or beta <= 0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        return Unknown("random.betavariate()", 0, True, 1)

    def randrange(self, start, stop=None, step=1):
        _require_whole(start, 0 if stop is None else stop, step)
        numbers = range(start) if stop is None else range(start, stop, step)
        if not numbers:
            if stop is None:
                raise ValueError("empty range for randrange()")
            raise ValueError(
                "empty range for randrange() (" + ", ".join((str(start), str(stop), str(step))) + ")"
            )
        return _one_of(numbers, "random.randrange()")

    def randint(self, a, b):
        _require_whole(a, b)
        if b < a:
            raise ValueError(
                "empty range for randrange() (" + str(a) + ", " + str(b + 1) + ", " + str(b + 1 - a) + ")"
            )
        return _one_of(range(a, b + 1), "random.randint()")

    def getrandbits(self, k, /):
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        return _one_of(range(2**k), "random.getrandbits()")

    def randbytes(self, n):
        return bytes([_choose(256, "random.randbytes()") for _ in range(n)])

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[_choose(len(seq), "random.choice()")]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        if cum_weights is not None:
            if weights is not None:
                raise TypeError("Cannot specify both weights and cumulative weights")
            weights = [
                cum_weights[place] - (cum_weights[place - 1] if place else 0)
                for place in range(len(cum_weights))
            ]
        if weights is None:
            possible = list(population)
        else:
            if len(weights) != len(population):
                raise ValueError("The number of weights does not match the population")
            possible = [population[place] for place in range(len(population)) if weights[place] > 0]
            if not possible:
                raise ValueError("Total of weights must be greater than zero")
        if not possible:
            raise IndexError("list index out of range")
        return [possible[_choose(len(possible), "random.choices()")] for _ in range(k)]

    def shuffle(self, x):
        for place in range(len(x) - 1, 0, -1):
            other = _choose(place + 1, "random.shuffle()")
            x[place], x[other] = x[other], x[place]

    def sample(self, population, k, *, counts=None):
        if isinstance(population, (set, frozenset, dict)):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        remaining = list(population)
        if counts is not None:
            remaining = [
                item for place in range(len(remaining)) for item in [remaining[place]] * counts[place]
            ]
        if not 0 <= k <= len(remaining):
            raise ValueError("Sample larger than population or is negative")
        return [remaining.pop(_choose(len(remaining), "random.sample()")) for _ in range(k)]

    def getstate(self):
        _assay.unsupported("random.getstate() is not modelled: random numbers have no state here")

    def setstate(self, state):
        _assay.unsupported("random.setstate() is not modelled: random numbers have no state here")


SystemRandom = Random
_shared = Random()
seed = _shared.seed
random = _shared.random
uniform = _shared.uniform
triangular = _shared.triangular
gauss = _shared.gauss
normalvariate = _shared.normalvariate
expovariate = _shared.expovariate
betavariate = _shared.betavariate
randrange = _shared.randrange
randint = _shared.randint
getrandbits = _shared.getrandbits
randbytes = _shared.randbytes
choice = _shared.choice
choices = _shared.choices
shuffle = _shared.shuffle
sample = _shared.sample
getstate = _shared.getstate
setstate = _shared.setstate
