"""What a program under test says to the checker: `import assay`."""

import _assay


def choose(*options):
    """One of the options, any of them: all are followed. A single list, tuple, range or set stands for its elements."""
    if len(options) == 1 and isinstance(options[0], (list, tuple, range, set, frozenset)):
        options = tuple(options[0])
    if not options:
        raise ValueError("assay.choose() needs at least one option")
    return options[0 if len(options) == 1 else _assay.choose(len(options))]


def assume(condition):
    """Looks no further where the condition is false."""
    _assay.assume(bool(condition))


def invariant(predicate, name=None):
    """From now on `predicate()` must be true in every state. Also usable as a decorator."""
    _assay.invariant(
        predicate, str(name) if name is not None else getattr(predicate, "__name__", "invariant")
    )
    return predicate


def label(name, /):
    """A place with a name, for formulas: true in the states in which some thread stands here."""
    _assay.label(name)


_stated = {}  # number of a statement in the text -> its predicates


def _state(what, given, count):
    # The front end puts its number before the arguments of each statement that it finds.
    if len(given) != count + 1 or type(given[0]) is not int:
        _assay.unsupported(
            "assay." + what + " in a module that is not verified itself; state it in the program, or in the "
            "module of the function that is verified"
        )
    _store_statement(given[0], given[1:])


@_assay.atomic
def _store_statement(number, predicates):
    if number in _stated:
        _assay.unsupported("a property of runs is stated for the second time; state it where it happens once")
    _stated[number] = predicates


def always(*given, name=None):
    """From now on `predicate()` is true in every state."""
    _state("always", given, 1)


def eventually(*given, name=None):
    """From now on every run comes to a state in which `predicate()` is true."""
    _state("eventually", given, 1)


def leads_to(*given, name=None):
    """From now on, whenever `cause()` is true, `effect()` is true then or later."""
    _state("leads_to", given, 2)


def _set_atoms(*functions):
    """Called by lines that are added to a program: what formulas ask in every state."""
    _assay.set_atoms(functions)


class _Atomic:
    def __enter__(self):
        _assay.begin_atomic()
        return self

    def __exit__(self, kind, value, traceback):
        _assay.end_atomic()
        return False


_atomic = _Atomic()


def atomic():
    """A context manager: no other thread runs inside."""
    return _atomic
