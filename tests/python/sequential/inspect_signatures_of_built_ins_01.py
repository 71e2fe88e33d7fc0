"""What `inspect.signature` says of functions in C, from the texts that they have."""

import inspect
import math
import operator


class Plain:
    pass


class Derived(dict):
    pass


for one in (
    *(object.__init__, Plain.__init__, Derived.__init__, Plain().__init__, len, sorted, sum, abs, isinstance),
    *(print, pow, round, [].append, list.append, list.pop, "".join, str.split, {}.get, dict.get, int.__add__),
    *((1).__add__, math.floor, math.isclose, operator.add, dict.fromkeys, hash, callable, list.sort),
    *(max, getattr, dict.update, iter, Derived.update, str.encode, bytes.fromhex),
):
    try:
        found = inspect.signature(one)
        parameters = [(each.name, each.kind.name, each.default) for each in found.parameters.values()]
        print(
            one.__name__,
            [
                (name, kind, "-" if value is inspect.Parameter.empty else value)
                for name, kind, value in parameters
            ],
        )
    except ValueError as error:
        print(one.__name__, str(error)[:30])
