"""What happened in a step of a thread, in words: what it read, wrote, took, got and raised."""

from __future__ import annotations

import re

from assay.report.words import shortened
from assay.transition_system.interface import Happening

LONGEST_VALUE = 400
ELEMENT = re.compile(r"(\[[^\]]*\]|\.\w+)$")
CONTAINER = re.compile(r"[\[{(]|(deque|set|frozenset|defaultdict|OrderedDict|Counter|bytearray)\(")
# Which object a name stands for says the source; what is done with it, the operations.
NOT_DATA = re.compile(
    r"<|Thread\(|_MainThread\(|Timer\(|(R?Lock|Condition|Event|(Bounded)?Semaphore|Barrier|ThreadPoolExecutor)\("
    r"|[\[({](?:['\w]+: )?(Thread|R?Lock|Condition|Event|Semaphore)\("
)
# On a line that starts or joins threads: those of a class derived from Thread, alone or in a container.
STARTS_OR_JOINS = re.compile(r"\.(start|join)\(")
NAMED_OBJECT = re.compile(r"[\[({]?\w+\('([^']*)'[,)]")
OBJECT = re.compile(r"[A-Za-z_]\w*\(")
OF_LIBRARY = re.compile(r"_[A-Z]\w*\(")
STATE = re.compile(r"\w+\((.*)\)$", re.DOTALL)
SILENT = {"Thread.__init__", "Thread.start", "Executor.__enter__", "ThreadPoolExecutor.submit", "<module>"}
NOTIFIES = re.compile(r"Condition\.(notify|notify_all|notifyAll)$")
TRIES = re.compile(r"(LockType|RLock|Semaphore|BoundedSemaphore|Condition)\.acquire$")
IN_VAIN = re.compile(r"Queue\.(get|put)(_nowait)?$|Future\.(result|exception|set_result|set_exception)$")
ASKS = re.compile(r"Event\.(wait|is_set|isSet)$|\.(locked|empty|full|qsize|done|cancelled|running)$")


def happening_texts(happenings: tuple[Happening, ...]) -> list[str]:
    """In their order; what says nothing is left out."""
    texts: list[str] = []
    fails = any(one.kind == "raises" for one in happenings)
    for number, one in enumerate(happenings):
        is_told = one.kind == "chooses" and any(
            later.result for later in happenings[:number] if later.line == one.line
        )
        if fails and one.kind == "change" and one.before == one.after != "":
            texts.append(f"{one.name} is {short(one.before)}")  # which is why it fails
        elif fails and one.place and not one.result and IN_VAIN.search(one.name) and one.before == one.after:
            texts += [f"{own_name(one)}: {short(state_of(one.before))}"] if one.before else []
        elif not is_told:
            known = texts if one.result.startswith("item ") else texts[-1:]  # a loop reads it for every item
            texts += [text for text in _texts(one) if text and text not in known]
    return texts


def _texts(one: Happening) -> list[str]:
    match one.kind:
        case "read":
            return [_read(one)]
        case "write":
            return [_write(one)]
        case "change" if one.before == one.after:
            return []
        case "change":
            return [f"{one.name}: {short(one.before)} -> {short(one.after)}"]
        case "does":
            return _operation(one)
        case "raises":
            return [f"raises {one.name}"]
        case _:
            return [f"choice {one.name}"]


def _read(one: Happening) -> str:
    if not one.before or not _is_data(one, one.before):
        return ""
    if OBJECT.match(one.before) and not CONTAINER.match(one.before) and not one.place:
        return ""
    return f"reads {one.name}: {short(one.before)}"


def _write(one: Happening) -> str:
    if one.after == "missing" and one.before:
        return f"{one.name} is gone (it was {short(one.before)})"
    if not one.after or not _is_data(one, one.after):
        return ""
    if CONTAINER.match(one.after) and one.before not in {"", "missing", one.after}:
        return f"{one.name}: {short(one.before)} -> {short(one.after)}"
    return f"{one.name} = {short(one.after)}"


def _is_data(one: Happening, value: str) -> bool:
    if NOT_DATA.match(value):
        return False
    return not (STARTS_OR_JOINS.search(one.text) and NAMED_OBJECT.match(value))


def _operation(one: Happening) -> list[str]:
    """What became of the object, and what came out."""
    if one.name in SILENT or one.name.endswith(".__missing__"):
        return []
    what = own_name(one)
    before, after = state_of(one.before), state_of(one.after)
    parts = []
    thread = NAMED_OBJECT.match(one.before) if one.name == "Thread.join" else None
    if thread is not None:
        if one.result:
            parts.append(f"joins {thread[1]}")
    elif NOTIFIES.search(one.name) and "nobody waits" in before:
        parts.append(f"notifies {what}: nobody waits")
    elif before != after and not one.name.endswith("__init__"):
        parts.append(f"{what}: {_what_differs(before, after)}")
    elif ASKS.search(one.name) and one.result and before:
        parts.append(f"{what}: {short(before)}")
    elif ASKS.search(one.name) and one.result in {"True", "None"}:
        parts.append(f"{operation_name(one)} gives {one.result}")
    is_answer = one.result not in {"", "None", "True"} or one.name.endswith(".get")
    is_own = not one.place and OF_LIBRARY.match(one.result)  # `_GeneratorContextManager(...)`
    is_answer = is_answer and not one.result.startswith("<") and not is_own
    if one.result and is_answer and not one.name.endswith(("__exit__", "__init__")):
        parts.append(f"{operation_name(one)} gives {short(one.result)}")
    elif TRIES.search(one.name) and one.result == "False":
        parts.append(f"{what} is not free: acquire gives False")
    return parts


def _what_differs(before: str, after: str) -> str:
    """Of `held by A, nobody waits` and `free, nobody waits` only who holds it."""
    ours, theirs = before.split(", "), after.split(", ")
    is_list = before[:1] in {"[", "{", "("}
    if len(ours) == len(theirs) and not is_list:
        pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        before, after = (", ".join(side) for side in zip(*pairs, strict=True))
    return f"{short(before)} -> {short(after)}"


def own_name(one: Happening) -> str:
    """What an operation works on, as the program calls it; else by its kind."""
    name = one.place.rpartition(": ")[2]
    return name or f"the {one.name.split('.')[0].replace('LockType', 'Lock').lower()}"


def operation_name(one: Happening) -> str:
    kind, _, method = one.name.rpartition(".")
    if kind == "Random":
        return f"random.{method}"
    return f"{own_name(one)}.{method}" if one.place else method or one.name


def state_of(shown: str) -> str:
    """Of `Lock(held by Thread-1)` what is inside."""
    found = STATE.match(shown)
    return found[1] if found else shown


def short(value: str) -> str:
    return shortened(value, LONGEST_VALUE)
