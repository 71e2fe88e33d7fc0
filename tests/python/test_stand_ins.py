"""What stands in for a value that nobody knows (a clock, a random number) shows nothing of itself.

It is an object of a class of the machine's library. Whatever a program is told about that object, and CPython
would tell otherwise, leads it down a way that it never goes. So it is answered as CPython does, or refused.
"""

import builtins
import re

import pytest

from tests.python.library_on_machine import outcomes_on_machine

MODULES = "datetime decimal functools itertools json numbers operator random statistics time".split()
CLOCK = "time.time()"
DATE = "datetime.datetime(2020, 1, 1)"

TELLING = [
    f"list(map(type, [{CLOCK}])) == [float]",
    f"float.__instancecheck__({CLOCK})",
    f"type.__instancecheck__(float, {CLOCK})",
    f"type.__call__(type, {CLOCK}) is float",
    f"sorted([{CLOCK}, 1.0], key=type)",
    f"{{type(x) for x in [{CLOCK}]}} == {{float}}",
    f"functools.reduce(isinstance, [{CLOCK}, float])",
    f"functools.partial(type, {CLOCK})() is float",
    f"any(map(isinstance, [{CLOCK}], [float]))",
    f"list(itertools.starmap(isinstance, [({CLOCK}, float)]))",
    f"list(filter(functools.partial(isinstance, {CLOCK}), [float]))",
    f"isinstance({CLOCK}, numbers.Number)",
    f"operator.attrgetter('__class__')({CLOCK}) is float",
    f"getattr({CLOCK}, '__class__') is float",
    f"list(map(getattr, [{CLOCK}], ['__class__'])) == [float]",
    f"object.__getattribute__({CLOCK}, '__class__') is float",
    f"{CLOCK}.__reduce_ex__(2)",
    f"operator.methodcaller('__reduce_ex__', 2)({CLOCK})",
    f"dir({CLOCK})",
    f"hasattr({CLOCK}, 'is_integer')",
    f"json.dumps({{'when': [{CLOCK}]}})",
    f"statistics.mean([{CLOCK}, 1.0])",
    f"(5).__lt__({CLOCK}) is NotImplemented",
    f"divmod({CLOCK}, 2)",
    f"{CLOCK} & 1",
    f"2 ** {CLOCK}",
    "random.random() * datetime.timedelta(seconds=1)",
    f"datetime.timedelta(seconds={CLOCK})",
    f"{CLOCK} + decimal.Decimal(1)",
    "time.localtime()[0]",
    f"list(map(type, [{DATE}])) == [datetime.datetime]",
    f"{DATE}.__reduce__()[0] is datetime.datetime",
    f"object.__getattribute__({DATE}, '__class__') is datetime.datetime",
    f"operator.attrgetter('__class__')({DATE}) is datetime.datetime",
    f"type.__instancecheck__(datetime.datetime, {DATE})",
]

FAILING = {
    "(time.time() - time.time()) + 'a'": "TypeError",
    "time.time() / 'a'": "TypeError",
    "(time.time() - time.time()) < 'a'": "TypeError",
    "time.time() / 0": "ZeroDivisionError",
    "time.time().seen": "AttributeError",
    "time.time().unknown_origin": "AttributeError",
    "setattr(time.time(), 'seen', 1)": "AttributeError",
    "time.sleep(float('nan'))": "ValueError",
    "time.sleep(1e10)": "OverflowError",
    "random.gauss('a', 1)": "TypeError",
    "random.expovariate(0)": "ZeroDivisionError",
    "random.betavariate(0, 1)": "ValueError",
    "datetime.datetime.now() - datetime.datetime.now(datetime.timezone.utc)": "TypeError",
    "datetime.datetime.utcnow() < datetime.datetime.now(datetime.timezone.utc)": "TypeError",
    "datetime.datetime.now() < datetime.date.today()": "TypeError",
    "datetime.datetime.now() + 5": "TypeError",
    "datetime.datetime.now() * 2": "TypeError",
    "datetime.datetime.now() < 5": "TypeError",
}

KNOWN = {
    "isinstance(datetime.date.today(), datetime.datetime)": {False},
    "isinstance(datetime.datetime.now(), datetime.date)": {True},
    "bool(datetime.datetime.now())": {True},
    "datetime.datetime.now() == 5": {False},
    "datetime.datetime.now() == datetime.datetime.now(datetime.timezone.utc)": {False},
    "datetime.datetime.now().date() <= datetime.date.today()": {True, False},
    "datetime.datetime(2020, 1, 1) < datetime.timedelta(1) + datetime.datetime.now()": {True, False},
    "hasattr(time.time(), '__iter__')": {False},
    "time.localtime().tm_year > 0": {True},
    "random.triangular(5, 1) >= 5": {True, False},
    "random.expovariate(-1) >= 0": {True, False},
    "[x for x in [time.time()] if x in ('a', None)]": {"[]"},
}


def answers(programs):
    """How each can end. Only what a program names is imported: compiling it takes longer than running it."""
    texts = {}
    for program in programs:
        imports = [f"import {name}\n" for name in MODULES if f"{name}." in program]
        texts[program] = "".join(imports) + f"seen = []\n{program}"
    return outcomes_on_machine(texts)


def telling_errors(computation):
    return f"try:\n    {computation}\nexcept Exception as error:\n    seen.append(type(error).__name__)"


def test_nothing_tells_what_stands_in_for_a_value_of_cpython():
    caught = "try:\n    seen.append({})\nexcept Exception:\n    pass"
    found = answers([caught.format(question) for question in TELLING])
    refused = re.compile("not modelled|not known when a program|nobody knows when a program")
    assert [
        name
        for name, answer in found.items()
        if not (isinstance(answer, dict) and refused.search(answer["problem"]))
    ] == []


@pytest.mark.parametrize("computation", FAILING)
def test_a_computation_fails_in_cpython(computation):
    modules = {name: __import__(name) for name in ("datetime", "random", "time")}
    with pytest.raises(getattr(builtins, FAILING[computation])):
        eval(computation, modules)


def test_what_fails_in_every_run_fails_although_nobody_knows_the_value():
    found = answers([telling_errors(computation) for computation in FAILING])
    assert list(found.values()) == [{(repr([error]), None)} for error in FAILING.values()]


def test_what_is_known_of_a_stand_in_is_answered():
    found = answers([f"seen.append(str({question}))" for question in KNOWN])
    assert list(found.values()) == [
        {(repr([str(each)]), None) for each in each_one} for each_one in KNOWN.values()
    ]


def test_a_difference_of_clocks_may_be_what_a_function_does_not_take():
    calls = {
        "time.sleep(time.time() - time.time())": "ValueError",
        "1 / (time.time() - time.time())": "ZeroDivisionError",
    }
    found = answers([telling_errors(call) for call in calls])
    assert list(found.values()) == [{("[]", None), (repr([error]), None)} for error in calls.values()]
