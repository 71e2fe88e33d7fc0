"""Programs that use one place, in each way that shows whether a state has it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.python.hiding.places import Place

HEAD = "import threading\nimport assay\n"
THREADS = """
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@dataclass(frozen=True, slots=True)
class Form:
    """A way to use a place. `endings`: how runs of the program end, all of them and no others."""

    name: str
    body: str
    endings: frozenset[str]

    def program(self, place: Place) -> str:
        return HEAD + place.setup + self.body.replace("GET", place.get)


RIGHT = frozenset({"ok"})
FORMS = (
    # Two threads add one and lose an update.
    Form(
        "raced",
        f"""
def work():
    found = GET
    found[0] += 1
{THREADS}
total = GET[0]
assert total == 2
""",
        frozenset({"ok", "AssertionError"}),
    ),
    # A lock keeps it from happening, and what was there before is still there.
    Form(
        "locked",
        f"""
lock = threading.Lock()
def work():
    with lock:
        found = GET
        found[0] += 1
{THREADS}
total = GET[0]
assert total == 2
assert len(GET) == 1
""",
        RIGHT,
    ),
    # It is the same object wherever and whenever it is looked for.
    Form(
        "identity",
        f"""
kept = GET
seen = []
def work():
    assert GET is kept
    seen.append(GET)
{THREADS}
assert seen[0] is kept and seen[1] is GET
""",
        RIGHT,
    ),
    # What one way through the program does to it is not there on another way.
    Form(
        "branches",
        f"""
chosen = assay.choose(0, 1, 2)
for _ in range(chosen):
    GET.append(7)
def work():
    assert len(GET) == 1 + chosen
{THREADS}
GET.append(8)
assert len(GET) == 2 + chosen and GET[-1] == 8
""",
        RIGHT,
    ),
    # Nor is what one thread has done to it before another one looks, unless it has.
    Form(
        "order",
        f"""
lock = threading.Lock()
def work():
    with lock:
        GET.append(len(GET))
{THREADS}
assert GET[1:] == [1, 2]
""",
        RIGHT,
    ),
)
