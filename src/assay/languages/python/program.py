"""A Python program as a compiled program: compiled for the machine, written into an image.

The image is opened in child processes (`machine.open_image`). States are numbers of
that process alone, so it sends along what they mean, and this module puts it into the words of the
source: which thread ran which line, what it read and wrote, the traceback as
CPython prints it.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import io
import pickle
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.languages.python.additions import added
from assay.languages.python.assertions import Evaluation, failed_assertion, lines_of_assertion
from assay.languages.python.code import Program
from assay.languages.python.compiler import compile_program
from assay.languages.python.compiler.imports import read_bytes
from assay.languages.python.compiler.program import LIBRARY
from assay.languages.python.environment import package_folders
from assay.languages.python.formulas import EARLY, MOST_THREADS, Formulas, read_formulas, statements_of
from assay.languages.python.invariants import with_invariants
from assay.languages.python.statements import statements_by_line
from assay.records import dataclass
from assay.transition_system.interface import (
    WHAT_WAS,
    Access,
    Capabilities,
    Happening,
    Opening,
    SourceHash,
    SourceProblem,
    StepFacts,
    TemporalProperty,
    Unchecked,
    ViolationFacts,
    Waiting,
)
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.sealed_file import SealedFile
from assay.transition_system.symbolic import NotExpressible, SymbolicSystem

LANGUAGE = "python"
# As the module `platform` has them, which is slow to import.
IMPLEMENTATION = {"cpython": "CPython"}.get(sys.implementation.name, sys.implementation.name)
PYTHON_VERSION = sys.version.split()[0]
OPENER = "assay.languages.python.machine:open_image"
MACHINE_VERSION = 5  # of what the machine makes of a program: states, steps, their order
GRANULARITIES = {
    "bytecode": "at every access that another thread can see",
    "gil": "where CPython with its global lock looks for other threads",
    "sync": "only at synchronisation, and races are reported",
}
DEFAULT_GRANULARITY = "bytecode"
MAIN_THREAD = "MainThread"
DEADLOCK = "deadlock: threads are left and none of them can go on"
AWAITED = {  # class or method of the library -> what its caller waits for
    "LockType": "a lock",
    "RLock": "a lock",
    "Semaphore": "a semaphore",
    "BoundedSemaphore": "a semaphore",
    "Event": "an event to be set",
    "Barrier": "the others at a barrier",
    "Condition.wait": "a notification",
    "Condition.wait_for": "a notification",
    "Thread.join": "a thread to end",
    "Queue.get": "an item in a queue",
    "Queue.put": "room in a queue",
    "Queue.join": "a queue to be done",
    "SimpleQueue.get": "an item in a queue",
    "Future": "the result of a task",
}
AWAITED_BY_NAME = {
    "a lock": "the lock {}",
    "a semaphore": "the semaphore {}",
    "an event to be set": "{} to be set",
    "the others at a barrier": "the others at {}",
    "a notification": "a notification of {}",
    "an item in a queue": "an item in {}",
    "room in a queue": "room in {}",
    "a queue to be done": "{} to be done",
    "the result of a task": "the result of {}",
}
STARTING = (".start", ".submit", ".map")
FINAL = "a final name"  # stored once: nobody minds when it is read
OPERATION = "does"  # among the accesses of a step: an operation of a library that joined it
BEGINS_TO_WAIT = "Condition._enqueue_and_release"
JOINED = re.compile(r"\w+\('(.*?)'(?:, .*)?\)$", re.DOTALL)  # a thread, as the machine shows it
STEPS_LOOKED_BACK = 500  # for where a thread had an object from
CONTENT_OF_FILE = "._io_content"  # for which a program has no name but that of the file
NOT_DATA = ("<function ", "<class ", "<module ", "<built-in ", "<bound method ")


@dataclass(frozen=True)
class PythonProgram:
    """Implements `Program` of the interface."""

    path: Path
    options: LanguageOptions
    program: Program
    image: SealedFile
    sources: Sequence[SourceHash]
    call: str = ""  # instead of the whole program: this call of a function of the file
    formulas: Formulas = field(default_factory=Formulas)
    left_out: tuple[str, ...] = ()  # what it states of its runs and nobody asks for
    descriptions: Mapping[str, Any] = field(default_factory=dict)

    language = LANGUAGE
    capabilities = Capabilities(on_disk=True, lossy=True, assumes=True)

    @property
    def opening(self) -> Opening:
        """An image that lives as long as this program."""
        return Opening(str(self.image.path), OPENER, fixed_hashes=True)

    @property
    def granularity(self) -> str:
        return self.options.granularity or DEFAULT_GRANULARITY

    @cached_property
    def semantics(self) -> Mapping[str, object]:
        return {
            "language": f"Python as {IMPLEMENTATION} {PYTHON_VERSION} runs it",
            "granularity": self.granularity,
            "hash_seed": 0,
            "set_order": "any; one order, by type and content, with more than four elements",
            "machine": MACHINE_VERSION,
            "library": self._library_digest,
            "not_final": sorted(_not_final(self.options, self.formulas)),
            # What formulas look at has states of its own, and threads keep their places.
            **({"watched": self._watch} if not self.formulas.is_empty else {}),
        }

    @property
    def _watch(self) -> Mapping[str, object]:
        return _watch(self.formulas)

    @cached_property
    def _library_digest(self) -> str:
        """Of all that may run with the program and is not part of it: Assay's own modules, and those of
        CPython that were compiled with it."""
        texts = {file: text for file, text in self.program.texts.items() if file.startswith("<python>")}
        for file in LIBRARY.rglob("*.py"):
            texts[f"<assay>/{file.relative_to(LIBRARY)}"] = file.read_text(encoding="utf-8")
        digest = hashlib.sha256()
        for name, text in sorted(texts.items()):
            digest.update(f"{name}\0{len(text)}\0{text}\0".encode())
        return digest.hexdigest()

    @cached_property
    def graph(self) -> str:
        """Properties are checked in states; they change neither states nor steps."""
        parts = [f"{source.path}\0{source.sha256}" for source in self.sources]
        return hashlib.sha256("\0".join([repr(self.semantics), self.call, *parts]).encode()).hexdigest()

    @property
    def caveats(self) -> Sequence[str]:
        return []

    @property
    def unchecked(self) -> Sequence[Unchecked]:
        return [Unchecked("claim", title, asked=False) for title in self.left_out]

    @property
    def monitors(self) -> Sequence[tuple[str, str]]:
        return []

    @property
    def temporal(self) -> Sequence[TemporalProperty]:
        return self._temporal

    @cached_property
    def _temporal(self) -> Sequence[TemporalProperty]:
        return tuple(self.formulas.properties())

    @property
    def process_limit(self) -> int:
        """A thread keeps its place in states as long as it lives, if there are formulas."""
        return 0 if self.formulas.is_empty else MOST_THREADS

    @property
    def notes(self) -> Sequence[str]:
        switches = f"threads may switch {GRANULARITIES[self.granularity]} (granularity {self.granularity})"
        return [switches, *self.program.notes]

    @staticmethod
    def doubts(_untracked: Sequence[tuple[int, int, bool]]) -> Sequence[str]:
        return ()  # all that its steps change is part of the state

    def opened(self) -> PythonProgram:
        return self

    def symbolic(self, predicates: Sequence[str] = ()) -> SymbolicSystem:
        del predicates
        raise NotExpressible(
            "a Python program has no symbolic form", where=self.path, hint="search it with another --search"
        )

    def symbolic_state(self, system: SymbolicSystem, state: bytes) -> Sequence[int | None]:
        raise NotImplementedError(f"there is no form for {len(state)} bytes of {system}")

    def knowing(self, descriptions: Mapping[str, object]) -> PythonProgram:
        return replace(self, descriptions=descriptions)

    def without(self, assumption: str) -> PythonProgram:
        if assumption in self.options.not_final:
            raise RuntimeError(f"the machine takes {assumption!r} for final although it was told not to")
        options = replace(self.options, not_final=(*self.options.not_final, assumption))
        return _compile(self.path, options, self.call)

    # --- the way back to the source ---

    @cached_property
    def _own_files(self) -> frozenset[str]:
        """Files of the user's; the others are libraries."""
        modules = self.program.modules[1:] if self.call else self.program.modules
        return frozenset(module.file for module in modules if _is_own(module.file))

    @cached_property
    def _lines(self) -> Mapping[str, list[str]]:
        return {file: text.splitlines() for file, text in self.program.texts.items()}

    def line_text(self, file: str, line: int) -> str:
        lines = self._lines.get(file, [])
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    @cached_property
    def _statements(self) -> Mapping[str, Mapping[int, str]]:
        texts = self.program.texts
        return {file: statements_by_line(texts[file]) for file in self._own_files if file in texts}

    def statement_text(self, file: str, line: int) -> str:
        return self._statements.get(file, {}).get(line) or self.line_text(file, line)

    def describe_violation(self, code: int) -> ViolationFacts:
        if code == 0:
            return ViolationFacts("deadlock", DEADLOCK)
        found = self.descriptions.get("violations", {}).get(str(code))
        if found is None:
            return ViolationFacts("violation", "a property fails")
        return ViolationFacts(
            found["kind"],
            found["message"],
            found.get("file") or None,
            found.get("line") or None,
            tuple(self._traceback(found)),
            found.get("property", ""),
            self._values_of(found),
        )

    def _values_of(self, found: Mapping[str, Any]) -> tuple[str, ...]:
        """The values with which an assertion of the program failed, in the last step, or in those before in
        which its thread evaluated the same statement: what the message shows is read after them."""
        file, line = found.get("file"), found.get("line")
        if found["kind"] != "assertion" or not file or not line:
            return ()
        text = self.program.texts.get(file, "")
        lines = lines_of_assertion(text, line)
        evaluations: list[Evaluation] = []
        steps = self.descriptions.get("steps") or [{}]
        own = [step for step in steps[-STEPS_LOOKED_BACK:] if step.get("thread") == steps[-1].get("thread")]
        for step in reversed(own):
            told = [
                Evaluation(*evaluated) for where, *evaluated in step.get("evaluations", ()) if where == file
            ]
            evaluations[:0] = told
            begins = step.get("accesses", ())[:1]
            if not begins or begins[0][0] != file or begins[0][1] not in lines:
                break
        return failed_assertion(text, line, evaluations)

    def _traceback(self, found: Mapping[str, Any]) -> Iterator[str]:
        """As CPython prints it, without the frames of libraries."""
        frames = [frame for frame in found.get("traceback") or () if frame[0] in self._own_files]
        if not frames or not found.get("last_line"):
            return
        steps = self.descriptions.get("steps") or [{}]
        thread = steps[-1].get("thread", MAIN_THREAD)
        if thread != MAIN_THREAD:
            yield f"Exception in thread {thread}:"
        yield "Traceback (most recent call last):"
        for file, line, function in frames:
            yield f'  File "{file}", line {line}, in {function}'
            if text := self.line_text(file, line):
                yield f"    {text}"
        yield found["last_line"]

    def _described(self, state: bytes) -> Mapping[str, Any]:
        described: Mapping[str, Any] = self.descriptions.get("states", {}).get(state.hex(), {})
        return described

    def describe_state(self, state: bytes) -> Mapping[str, object]:
        """Globals of the main module by their name, those of others as `module.name`; where each
        thread stands, and its locals as `Thread-1.worker.x`."""
        described = self._described(state)
        values: dict[str, object] = {}
        modules = described.get("globals", {})
        for module in self.program.modules:
            if module.file not in self._own_files:
                continue
            prefix = "" if module is self.program.modules[0] else f"{module.name}."
            for name, value in modules.get(module.name, {}).items():
                if not name.startswith("__") and not str(value).startswith(NOT_DATA):
                    values[self._without_module(prefix + name)] = value
        for thread in described.get("threads", ()):
            frames = self._own_frames(thread)
            here = frames[-1] if frames else None
            values[f"{thread['name']}@"] = f"{Path(here['file']).name}:{here['line']}" if here else "-"
            for frame in frames:
                if frame["function"] == "<module>":
                    continue
                for name, value in frame["locals"].items():
                    if not str(value).startswith(NOT_DATA):
                        values[f"{thread['name']}.{frame['function']}.{name}"] = value
        return values

    def _own_frames(self, thread: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [frame for frame in thread.get("frames", ()) if frame["file"] in self._own_files]

    def describe_step(self, before: bytes, process: int, transition: int) -> StepFacts:
        del process  # a step knows its thread
        step = self._with_what_had_begun(transition)
        thread = step["thread"]
        functions = {(file, line): function for file, line, function in step["lines"]}
        begin, operation = self._begin(before, step)
        continues = operation if self._had_begun(transition) else ""
        parts = [self._part(thread, *begin)]
        if len(self._described(before).get("threads", ())) == 1:
            return self._alone(parts[0], step, transition)
        for file, line, kind, name, value in step["accesses"]:
            if file not in self._own_files or name == FINAL:
                continue
            if kind == OPERATION:
                if (parts[-1].file, parts[-1].line) != (file, line):
                    parts.append(self._part(thread, file, line, functions.get((file, line), "")))
                continue
            access = self._access(step, self.statement_text(file, line), kind, name, str(value))
            if (parts[-1].file, parts[-1].line) == (file, line):
                parts[-1] = replace(parts[-1], accesses=(*parts[-1].accesses, access))
            else:
                parts.append(self._part(thread, file, line, functions.get((file, line), ""), (access,)))
        first, *then = self._with_happenings(parts, step)
        first = replace(first, choices=tuple(step.get("choices", ())), continues=continues)
        if step.get("output"):
            if then:
                then[-1] = replace(then[-1], output=step["output"])
            else:
                first = replace(first, output=step["output"])
        return replace(first, then=tuple(then))

    def _with_what_had_begun(self, transition: int) -> Mapping[str, Any]:
        """The step, its first operation with the object it was begun with: the machine knows that no more."""
        steps = self._steps
        step: Mapping[str, Any] = steps[transition]
        if not step.get("happenings"):
            return step
        first, *rest = step["happenings"]
        begun, before = first, self._previous_of_thread[transition]
        while before is not None and begun["kind"] == OPERATION and begun["has_begun"] and not begun["place"]:
            told = steps[before].get("happenings", ())[-1:]
            if not told or any(told[0][key] != first[key] for key in ("kind", "name", "file", "line")):
                break
            begun, before = told[0], self._previous_of_thread[before]
        if begun is first:
            return step
        known = {key: begun[key] for key in ("place", "root")}
        return {**step, "happenings": [{**first, **known}, *rest]}

    @cached_property
    def _steps(self) -> Sequence[Mapping[str, Any]]:
        """As the machine tells them, less what concerns nobody else: of an object that only one thread can
        reach, what others had changed is told, and what is changed after others put something else in its
        place."""
        return [
            {**step, "happenings": list(self._of_concern(step, number))} if step.get("happenings") else step
            for number, step in enumerate(self.descriptions["steps"])
        ]

    def _of_concern(self, step: Mapping[str, Any], number: int) -> Iterator[Mapping[str, Any]]:
        for one in step["happenings"]:
            if not one["is_private"] or self._is_left_by_others(one, step["thread"], number):
                yield one
            elif one["kind"] in {"write", "change"} and (was := self._was(one, step["thread"], number)):
                part = one["name"][len(re.split(r"[.\[]", one["name"])[0]) :]
                yield {**one, "name": f"{WHAT_WAS}{was}{part}", "place": "", "root": ""}

    def _was(self, one: Mapping[str, Any], thread: str, number: int) -> str:
        """Where its thread had read the object from that it changes, if another has changed that place since:
        the last read on this line, or the one that went into the variable."""
        named = one["place"] or self.statement_text(one["file"], one["line"])
        variable = (re.match(r"\w*", named) or [""])[0]  # one that is not used any more has no place
        for before in range(number, max(-1, number - STEPS_LOOKED_BACK), -1):
            step = self.descriptions["steps"][before]
            if step["thread"] != thread or not step.get("happenings"):
                continue
            for read in reversed(step["happenings"]):
                if read["kind"] != "read" or read["is_private"] or not read["place"]:
                    continue
                text = self.statement_text(read["file"], read["line"])
                is_same = not one["place"] and (read["file"], read["line"]) == (one["file"], one["line"])
                if is_same or (variable and re.match(rf"{variable}\s*=(?!=)", text)):
                    place = _whole_place(read)
                    was_changed = any(
                        before <= at < number and other != thread
                        for part in _parts_of_place(place)
                        for other, all_at in self._all_changes.get(part, {}).items()
                        for at in all_at
                    )
                    return self._without_module(read["name"]) if was_changed else ""
        return ""

    @cached_property
    def _all_changes(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """In which steps each thread changed a place."""
        changed: dict[str, dict[str, list[int]]] = {}
        for number, step in enumerate(self.descriptions["steps"]):
            for one in step.get("happenings", ()):
                if one["kind"] in {"write", "change"} and (place := _whole_place(one)):
                    changed.setdefault(place, {}).setdefault(step["thread"], []).append(number)
        return changed

    @cached_property
    def _previous_of_thread(self) -> Sequence[int | None]:
        last: dict[str, int] = {}
        previous = []
        for number, step in enumerate(self.descriptions["steps"]):
            previous.append(last.get(step["thread"]))
            last[step["thread"]] = number
        return previous

    def _with_happenings(self, parts: Sequence[StepFacts], step: Mapping[str, Any]) -> list[StepFacts]:
        """Each goes to the first part that is on its line, not before those that happened earlier."""
        told: list[list[Happening]] = [[] for _ in parts]
        here = 0
        for one in step.get("happenings", ()):
            if one["file"] not in self._own_files:
                continue
            there = (i for i in range(here, len(parts)) if self._is_at(parts[i], one))
            here = next(there, here)
            told[here].append(self._happening(step["thread"], one))
        return [replace(part, happenings=tuple(own)) for part, own in zip(parts, told, strict=True)]

    @staticmethod
    def _is_at(part: StepFacts, one: Mapping[str, Any]) -> bool:
        return (part.file, part.line) == (one["file"], one["line"])

    def _happening(self, thread: str, one: Mapping[str, Any]) -> Happening:
        """An object has the name that a global or the main thread gives it, else that of the source line."""
        text = self.statement_text(one["file"], one["line"])
        name, place, root = self._without_module(one["name"]), one["place"], one["root"]
        is_renamed = name.startswith(WHAT_WAS)
        if one["kind"] in {"read", "write", "change"} and (
            (not place and not is_renamed) or root not in {"", MAIN_THREAD, thread}
        ):
            _, dot, attribute = name.rpartition(".")
            found = re.search(rf"[A-Za-z_][\w.]*\.{re.escape(attribute)}\b", text) if dot else None
            name = found[0] if found else name
        name = name.removesuffix(CONTENT_OF_FILE)
        return Happening(
            one["kind"],
            one["file"],
            one["line"],
            text,
            name,
            self._without_module(_whole_place(one)),
            one["before"],
            one["after"],
            one["result"],
        )

    def _without_module(self, name: str) -> str:
        """Of a call the file that is called is the program; what calls it is nobody's."""
        return name.removeprefix(f"{self.program.modules[1].name}.") if self.call else name

    def _alone(self, first: StepFacts, step: Mapping[str, Any], transition: int) -> StepFacts:
        """With no other thread there is nobody to see what is read and written on the way: only operations,
        what the last line did, and what is read or written of that which others had changed, are told."""
        lines = [(file, line, function) for file, line, function in step["lines"] if file in self._own_files]
        happenings = [one for one in step.get("happenings", ()) if one["file"] in self._own_files]
        begins = first.function == "<module>" and first.line == self.program.modules[0].code.first_line
        if lines and begins:
            file, line, _ = lines[-1]
            inside = "" if file == first.file else f" of {Path(file).name}"
            first = replace(first, text=f"the program begins, alone up to line {line}{inside}")
            happenings = [one for one in happenings if one["kind"] == "raises" or _starts(one)]
        elif lines and lines[-1][:2] != (first.file, first.line):
            failed = [one for one in happenings if one["kind"] == "raises"][-1:]
            end = (failed[0]["file"], failed[0]["line"], failed[0]["function"]) if failed else lines[-1]
            first = replace(first, then=(replace(self._part(first.process, *end), alone=True),))
        last = (first.then or (first,))[-1]
        told = {
            **step,
            "happenings": [
                one
                for one in happenings
                if one["kind"] in {OPERATION, "raises"}
                or self._is_at(last, one)
                or self._is_left_by_others(one, step["thread"], transition)
            ],
        }
        whole, *then = self._with_happenings([replace(first, then=()), *first.then], told)
        choices = tuple(step.get("choices", ()))
        return replace(whole, then=tuple(then), output=step.get("output", ""), choices=choices, alone=True)

    def _is_left_by_others(self, one: Mapping[str, Any], thread: str, transition: int) -> bool:
        """Whether another thread had changed it, a part of it, or all that it is a part of."""
        place = _whole_place(one)
        if not place:
            return False
        inside = (self._changed.get(part, {}) for part in _parts_of_place(place))
        places = (self._changed_inside.get(place, {}), *inside)
        return any(
            first < transition and other != thread for found in places for other, first in found.items()
        )

    @cached_property
    def _changed(self) -> Mapping[str, Mapping[str, int]]:
        """In which step each thread changed a place first."""
        return {
            place: {thread: numbers[0] for thread, numbers in threads.items()}
            for place, threads in self._all_changes.items()
        }

    @cached_property
    def _changed_inside(self) -> Mapping[str, Mapping[str, int]]:
        """The same, of what the changed places are parts of."""
        inside: dict[str, dict[str, int]] = {}
        for place, threads in self._changed.items():
            for outer in _parts_of_place(place):
                for thread, number in threads.items():
                    known = inside.setdefault(outer, {})
                    known[thread] = min(number, known.get(thread, number))
        return inside

    def _access(self, step: Mapping[str, Any], text: str, kind: str, name: str, value: str) -> Access:
        """With the name as the source line has it, and the value if the states around the step tell it."""
        state = step.get("before" if kind == "read" else "after", "")
        if not value:
            value = self._value_in(self.descriptions.get("states", {}).get(state, {}), name)
        _, dot, attribute = name.rpartition(".")
        if dot and (found := re.search(rf"[A-Za-z_][\w.]*\.{re.escape(attribute)}\b", text)):
            name = found[0]
        return Access(kind, name, value)

    def _value_in(self, described: Mapping[str, Any], name: str) -> str:
        """Of a global; of an attribute `Type.attribute` if all objects of the type that are shown agree."""
        main = described.get("globals", {}).get(self.program.modules[0].name, {})
        if name in main:
            return str(main[name])
        kind, dot, attribute = name.rpartition(".")
        if not dot:
            return ""
        shown = [*main.values()]
        for thread in described.get("threads", ()):
            for frame in thread["frames"]:
                shown += frame["locals"].values()
        values = {value for text in shown for value in attribute_values(str(text), kind, attribute)}
        return values.pop() if len(values) == 1 else ""

    def _part(
        self, thread: str, file: str, line: int, function: str, accesses: tuple[Access, ...] = ()
    ) -> StepFacts:
        text = self.statement_text(file, line) if line else "(its function has returned)"
        return StepFacts(thread, file, line, text, function, accesses)

    def _begin(self, before: bytes, step: Mapping[str, Any]) -> tuple[tuple[str, int, str], str]:
        """Where in the user's code a step begins, and inside of which operation of a library, if it is."""
        for thread in self._described(before).get("threads", ()):
            frames = thread["frames"]
            own = self._own_frames(thread)
            if thread["name"] == step["thread"] and own:
                here = own[-1]
                inside = [frame["function"] for frame in frames[frames.index(here) + 1 :]]
                return (here["file"], here["line"], here["function"]), next(iter(inside), "")
        for file, line, function in step["lines"]:
            if file in self._own_files:
                return (file, line, function), ""
        return (self.program.modules[0].file, 0, ""), "the end of a thread"

    def _had_begun(self, transition: int) -> bool:
        """Whether others could already see something of the operation inside of which a step begins.

        That is so if the thread's last step stayed inside of it, or ended there because it started one or
        began to wait.
        """
        number = self._previous_of_thread[transition]
        if number is None:
            return False
        before = self.descriptions["steps"][number]
        operations = [name for _, _, kind, name, _ in before["accesses"] if kind == OPERATION]
        begins_to_wait = operations[-1:] == [BEGINS_TO_WAIT]
        return not before["lines"] or begins_to_wait or self._starts_a_thread(before)

    def _starts_a_thread(self, step: Mapping[str, Any]) -> bool:
        states = self.descriptions.get("states", {})
        then, now = (states.get(step.get(key, ""), {}).get("threads", ()) for key in ("before", "after"))
        return len({thread["name"] for thread in now} - {thread["name"] for thread in then}) > 0

    def describe_waiting(self, state: bytes) -> Sequence[Waiting]:
        threads = self._described(state).get("threads", ())
        return [self._standing(thread) for thread in threads if thread["status"] == "waiting"]

    def describe_everybody(self, state: bytes) -> Sequence[Waiting]:
        return [self._standing(thread) for thread in self._described(state).get("threads", ())]

    def _standing(self, thread: Mapping[str, Any]) -> Waiting:
        frames = self._own_frames(thread)
        file, line = (frames[-1]["file"], frames[-1]["line"]) if frames else (str(self.path), 0)
        text = self.statement_text(file, line) if line else "before its first step"
        if thread["status"] != "waiting":
            return Waiting(thread["name"], file, line, text, number=thread.get("number"))
        told = _Awaited.from_machine(thread.get("waits_for"))
        return Waiting(
            thread["name"],
            file,
            line,
            f"{told.text}  ({text})" if line and text else told.text,
            number=thread.get("number"),
            awaited=told.kind,
            what=self._without_module(told.name),
            whom=told.whom,
            joins=told.joins,
        )


def attribute_values(text: str, kind: str, attribute: str) -> Iterator[str]:
    """From `Account(balance=3, lock=Lock())`: what the objects of a type have as an attribute."""
    for start in re.finditer(rf"\b{re.escape(kind)}\(", text):
        depth, field_start, quote = 0, start.end(), ""
        for at in range(start.end(), len(text)):
            letter = text[at]
            if quote:
                quote = "" if letter == quote and text[at - 1] != "\\" else quote
            elif letter in "'\"":
                quote = letter
            elif letter in "([{":
                depth += 1
            elif letter in ")]}" and depth:
                depth -= 1
            elif letter in ",)" and not depth:
                name, _, value = text[field_start:at].strip().partition("=")
                if name == attribute and value != "...":
                    yield value
                field_start = at + 1
                if letter == ")":
                    break


def _whole_place(one: Mapping[str, Any]) -> str:
    place = str(one["place"])
    return f"{one['root']}: {place}" if place and one["root"] else place


def _parts_of_place(place: str) -> Iterator[str]:
    """Of `bank.accounts[0].balance` itself and all before a dot or a bracket."""
    yield place
    for found in re.finditer(r"[.\[]", place):
        yield place[: found.start()]


def _starts(one: Mapping[str, Any]) -> bool:
    """Whether it is an operation that starts a thread, and the step ended in it."""
    return one["kind"] == OPERATION and one["name"].endswith(STARTING) and not one["result"]


def _is_own(file: str) -> bool:
    """Whether a file is the user's: the others are shown as <assay>/queue.py and <python>/heapq.py."""
    return not file.startswith("<")


@dataclass(frozen=True, slots=True)
class _Awaited:
    """What a thread waits for."""

    kind: str = "something"
    name: str = ""  # as the program calls it
    whom: str = ""
    joins: bool = False

    @classmethod
    def from_machine(cls, told: object) -> _Awaited:
        if not isinstance(told, Mapping):
            return cls(str(told) if told else "something")
        operation = str(told.get("operation") or "something")
        kind = AWAITED.get(operation.rpartition(".")[0]) or AWAITED.get(operation) or operation
        joined = JOINED.match(str(told.get("object") or ""))
        if operation == "Thread.join" and joined:
            return cls(kind, str(told.get("name") or ""), joined[1], joins=True)
        return cls(kind, str(told.get("name") or ""), str(told.get("held_by") or ""))

    @property
    def text(self) -> str:
        if self.joins:
            return f"{self.whom} to end"
        named = AWAITED_BY_NAME.get(self.kind, self.kind).format(self.name) if self.name else self.kind
        return f"{named}, held by {self.whom}" if self.whom else named


def load(path: Path, options: LanguageOptions) -> PythonProgram:
    """Everything before the search; raises `SourceProblem` if the program is wrong or not supported."""
    return _compile(path, options, "")


def load_call(path: Path, call: str, options: LanguageOptions) -> PythonProgram:
    """A program that imports the file and evaluates a call, in which `module` is the imported file."""
    return _compile(path, options, call)


def _compile(path: Path, options: LanguageOptions, call: str) -> PythonProgram:
    _require_known(options)
    if str(path).startswith("<"):
        path = path.absolute()  # not to be taken for a library
    data = read_bytes(path)
    text = _decoded(path, data)
    _require_no_model(path, text)
    own, numbered = statements_of(path, text)
    formulas = read_formulas(
        path,
        text,
        options.ltl,
        terminates=options.terminates,
        own=() if options.safety_only else own,
        match=options.match,
        match_anywhere=options.match_anywhere,
    )
    not_final = _not_final(options, formulas)
    read: dict[str, bytes] = {str(path): data}  # every file once: what is compiled is what is hashed
    if call:
        if options.invariants:
            raise SourceProblem("an invariant speaks of a whole program, not of one function", where=path)
        if not path.stem.isidentifier():
            raise SourceProblem(f"a file called {path.name} cannot be imported", where=path)
        main = path.with_name(f"call of {path.stem}.py")
        calling = f"import {path.stem} as module\n{call}\n"
        with_atoms, restored = _with_atoms(path, text, numbered, formulas)
        read[str(path)] = with_atoms.encode(_encoding(data))
        program = restored(
            compile_program(
                main,
                calling,
                extra_nonfinal=not_final,
                read=read,
                environment=package_folders(options.python, options.import_from),
            )
        )
        read[str(path)] = data
    else:
        program = _with_properties(path, text, numbered, options, formulas, not_final, read)
    formulas.require_labels({file: own for file, own in program.texts.items() if _is_own(file)})
    sources = []
    for number, module in enumerate(program.modules):
        if not _is_own(module.file) or (call and number == 0):
            continue
        if module.file in read:  # a folder that is a package has no file
            digest = hashlib.sha256(read[module.file]).hexdigest()
            sources.append(SourceHash(module.file, digest))
    sources += [SourceHash(file, hashlib.sha256(read[file]).hexdigest()) for file in program.data_files]
    image = _image(program, options, formulas)
    left_out = tuple(one.title for one in own if one not in formulas.stated)
    return PythonProgram(path, options, program, image, tuple(sources), call, formulas, left_out)


def _with_properties(
    path: Path,
    text: str,
    numbered: str,
    options: LanguageOptions,
    formulas: Formulas,
    not_final: frozenset[str],
    read: dict[str, bytes],
) -> Program:
    """The program, with what properties from outside need in its text."""
    environment = package_folders(options.python, options.import_from)

    def compiled(changed: str) -> Program:
        with_atoms, restored = _with_atoms(path, text, changed, formulas)
        return restored(
            compile_program(path, with_atoms, extra_nonfinal=not_final, read=read, environment=environment)
        )

    if not options.invariants:
        return compiled(numbered)
    return with_invariants(path, text, numbered, options.invariants, compiled)


def _with_atoms(
    path: Path, text: str, changed: str, formulas: Formulas
) -> tuple[str, Callable[[Program], Program]]:
    """The changed text with what formulas need, and what gives a program the lines of the text itself."""
    lines = list(formulas.lines())
    if not lines:
        return changed, lambda program: program
    more, addition = added(path, changed, lines, behind_imports=True)
    return more, lambda program: addition.taken_back(program, str(path), text)


def _encoding(data: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]


def _not_final(options: LanguageOptions, formulas: Formulas) -> frozenset[str]:
    """What must not be assumed: what a search found to fail, and with formulas that what only helps others
    may join the step before it."""
    return frozenset(options.not_final) | (frozenset() if formulas.is_empty else EARLY)


def _watch(formulas: Formulas) -> dict[str, object]:
    """What the machine is told of formulas."""
    watch = {"watching": not formulas.is_empty, "labels": formulas.labels, "atoms": formulas.atoms}
    if not formulas.match:
        return watch
    return {**watch, "matches": len(formulas.match), "matches_anywhere": formulas.match_anywhere}


def _require_known(options: LanguageOptions) -> None:
    if options.granularity not in {"", *GRANULARITIES}:
        raise SourceProblem(
            f"granularity: expected one of {', '.join(GRANULARITIES)}, got {options.granularity!a}"
        )
    if options.step_invariants:
        raise SourceProblem(
            "step invariants are not checked in Python programs",
            hint="keep the old value in a variable of the program and assert what must hold",
        )


def _require_no_model(path: Path, text: str) -> None:
    """A file with a transition system in it does nothing when it runs: "verified" would mislead."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):  # told by the compiler
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
                if {"initial_states", "enabled", "step"} <= methods:
                    raise SourceProblem(
                        f"{node.name} is a transition system, which is verified as a class",
                        where=f"{path}:{node.lineno}",
                        hint=f"name it as {path}:{node.name}",
                    )


def _decoded(path: Path, data: bytes) -> str:
    try:
        return importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError) as problem:
        raise SourceProblem(f"expected text, got bytes that are none ({problem})", where=path) from None


def _image(program: Program, options: LanguageOptions, formulas: Formulas) -> SealedFile:
    """What `machine.open_image` opens."""
    image = {
        "machine": MACHINE_VERSION,
        "python": PYTHON_VERSION,
        "granularity": options.granularity or DEFAULT_GRANULARITY,
        "program": program,
        "watch": _watch(formulas),
    }
    return SealedFile(pickle.dumps(image, protocol=5))
