"""The compiler from Python source to the machine's code."""

import contextlib
import io
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from assay.languages.python.code import OPERATIONS, OPERATORS, Code
from assay.languages.python.compiler import (
    LIBRARY,
    compile_program,
    imports,
    kept_libraries,
    library_code,
    library_modules,
)
from assay.languages.python.compiler.assembler import COUNTED_EFFECTS, ENDS, FIXED_EFFECTS, JUMPED_EFFECTS
from assay.languages.python.compiler.disassembler import JUMP, disassemble_program, operand_text
from assay.languages.python.compiler.native_modules import NATIVE_MODULES
from assay.languages.python.helpers import HELPERS, match_class, match_mapping, match_sequence
from assay.transition_system.interface import SourceProblem
from assay.transition_system.kept import CODE_BYTES
from tests.python.plain_machine import run_plainly
from tests.python.random_control_flow import Author

HERE = Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "engine" / "languages" / "python" / "opcodes.hpp"


def compiled(text, **options):
    return compile_program(Path("program.py"), text, library=options.pop("library", {}), **options)


def codes_of(code):
    yield code
    for constant in code.constants:
        if isinstance(constant, Code):
            yield from codes_of(constant)


def all_codes(program):
    return [code for module in program.modules for code in codes_of(module.code)]


def code_named(program, qualname):
    return next(code for code in all_codes(program) if code.qualname == qualname)


def operations_of(code):
    return [OPERATIONS[instruction & 255] for instruction in code.instructions]


# --- the instruction set ------------------------------------------------------------------------------------


def test_the_engine_has_the_same_operations_in_the_same_order():
    header = HEADER.read_text()
    table = header[header.index("#define ASSAY_OPERATIONS") : header.index("enum class Operation")]
    assert re.findall(r"X\((\w+)\)", table) == OPERATIONS
    operators = re.search(r"enum class Operator [^{]*\{([^}]*)\}", header)
    assert [name.strip() for name in operators.group(1).split(",")] == OPERATORS


def test_every_operation_has_an_effect_on_the_stack_and_a_line_in_the_documentation():
    assert set(FIXED_EFFECTS) | set(COUNTED_EFFECTS) == set(OPERATIONS)
    assert not set(FIXED_EFFECTS) & set(COUNTED_EFFECTS)
    documented = (HERE.parents[1] / "docs" / "python" / "machine.md").read_text()
    table = documented[documented.index("| operation |") : documented.index("Exception handlers are")]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")]
    named = {name for row in rows for name in re.findall(r"\b[A-Z][A-Z_]{2,}\b", row)}
    assert named == set(OPERATIONS)


def check_code(code, program):
    """Walks all paths: one depth of the stack at each instruction; operands and handlers are valid."""
    count = len(code.instructions)
    assert len(code.positions) == count
    depths = {}
    pending = [(0, 0)]
    for start, end, target, depth in code.handlers:
        assert 0 <= start < end <= count
        assert 0 <= target < count
        assert not start <= target < end
        pending.append((target, depth + 1))
    for number, (start, end, _, depth) in enumerate(code.handlers):
        for other_start, other_end, _, other_depth in code.handlers[number + 1 :]:  # these are further out
            disjoint = end <= other_start or other_end <= start
            assert disjoint or (other_start <= start and end <= other_end and other_depth <= depth)
    while pending:
        index, depth = pending.pop()
        assert depths.setdefault(index, depth) == depth, f"{code.qualname}: {index}"
        if depths.get((index, "done")):
            continue
        depths[index, "done"] = True
        operation, operand = OPERATIONS[code.instructions[index] & 255], code.instructions[index] >> 8
        operand_text(operation, operand, code, program)  # raises IndexError if it points to nothing
        for start, end, _, kept in code.handlers:
            assert not start <= index < end or depth >= kept
        effect = FIXED_EFFECTS.get(operation)
        after = depth + (COUNTED_EFFECTS[operation](operand) if effect is None else effect)
        assert after >= 0
        if operation in JUMP:
            pending.append((operand, depth + JUMPED_EFFECTS.get(operation, FIXED_EFFECTS[operation])))
            polls = operation == "LOOP" and operand == index + 1  # and goes on
            assert polls or (operand <= index) == (operation == "LOOP")
        if operation not in ENDS:
            assert index + 1 < count
            pending.append((index + 1, after))
        if operation == "RETURN_VALUE":
            assert after == 0, code.qualname
    unreached = set(range(count)) - set(depths)
    assert not unreached, f"{code.qualname}: {sorted(unreached)} cannot be reached"


PROGRAMS = sorted((HERE / "sequential").glob("compiler_*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_code_is_consistent_on_every_path(path):
    program = compile_program(path)
    for code in all_codes(program):
        check_code(code, program)


def test_the_libraries_compile_to_consistent_code():
    names = [name for name in library_modules(LIBRARY) if not name.startswith("_")]
    there = [name for name in names if name.partition(".")[0] not in imports.IF_INSTALLED]
    program = compile_program(Path("program.py"), "".join(f"import {name}\n" for name in there))
    assert {module.name for module in program.modules} >= {"threading", "queue", "assay"}
    for code in all_codes(program):
        check_code(code, program)


# --- what is refused ----------------------------------------------------------------------------------------

REFUSED = [
    ("async def f(): pass\n", "1:1", "async functions"),
    ("def f():\n    return eval('1')\n", "2:12", "'eval'"),
    ("x = 1\nexec('x = 2')\n", "2:1", "'exec'"),
    ("open('f')\n", "1:1", "'open'"),
    ("def f(x):\n    print(vars())\n", "2:11", "'vars'"),
    ("print(globals())\n", "1:7", "'globals'"),
    ("print(locals())\n", "1:7", "'locals'"),
    ("__import__('os')\n", "1:1", "'__import__'"),
    ("n = input()\n", "1:5", "'input'"),
    ("class C:\n    n = input()\n", "2:9", "'input'"),
    ("try:\n    pass\nexcept* ValueError:\n    pass\n", "1:1", "except*"),
    ("import _assay\n", "1:1", "'_assay'"),
    ("import pytest\n", "1:1", "'pytest'"),
    ("from . import x\n", "1:1", "relative import"),
    ("import decimal\nprint(decimal.getcontext().prec)\n", "2:7", "'getcontext'"),
    ("from decimal import localcontext\n", "1:1", "'localcontext'"),
    ("x = [i async for i in y]\n", None, ""),
    ("print(__spec__)\n", "1:7", "'__spec__'"),
    ("class C:\n    def f(self):\n        return [super() for _ in 'a']\n", "3:17", "super()"),
]


@pytest.mark.parametrize(("text", "place", "what"), REFUSED, ids=[text[:24] for text, _, _ in REFUSED])
def test_what_is_not_modelled_is_refused_with_its_place(text, place, what):
    with pytest.raises(SourceProblem) as problem:
        compiled(text)
    if place is not None:
        assert str(problem.value).startswith(f"program.py:{place}: ")
    assert what in str(problem.value)
    assert problem.value.hint


def test_names_of_refused_built_ins_can_be_used_for_other_things():
    program = compiled(
        "def open(x): return x + 1\n"
        "class Item:\n    id: int = 3\n    def input(self): return self.id\n"
        "def f(vars, id=4): return vars + id\n"
        "print(open(1), Item().input(), f(2), [eval for eval in (5,)])\n"
    )
    assert run_plainly(program).output == "2 3 6 [5]\n"


SYNTAX_ERRORS = [
    ("x = (\n", "program.py:1:5:"),
    ("def f():\n    return x +\n", "program.py:2:"),
    ("return 1\n", "program.py:1:1:"),
    ("def f(a, a): pass\n", "program.py:1:"),
    ("def f():\n    x = 1\n    global x\n", "program.py:3:5:"),
    ("x = 1\n\0\n", "program.py:2:1:"),
    ("x = 1\n  y = 2\n", "program.py:2:"),
]


@pytest.mark.parametrize(("text", "place"), SYNTAX_ERRORS, ids=range(len(SYNTAX_ERRORS)))
def test_what_is_no_python_is_refused_with_its_place(text, place):
    with pytest.raises(SourceProblem) as problem:
        compiled(text)
    assert str(problem.value).startswith(place)


HOSTILE = {
    "deep parentheses": "x = " + "(" * 5000 + ")" * 5000,
    "deep lists": "x = " + "[" * 150 + "]" * 150 + "\ny = " + "-" * 100_000 + "1\n",
    "long sum": "x = " + "+".join(["1"] * 60_000) + "\n",
    "long attribute chain": "x = a" + ".b" * 60_000 + "\n",
    "deep blocks": "".join(" " * depth + "if x:\n" for depth in range(300)) + " " * 300 + "pass\n",
    "deep lambdas": "x = " + "lambda: " * 5000 + "1\n",
    "huge number": "x = 1" + "0" * 100_000 + "\n",
    "elif chain": "if x: pass\n" + "elif x: pass\n" * 20_000,
    "too large": "#" * (5 << 20),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_programs_are_refused_or_compiled_but_never_crash(text):
    with contextlib.suppress(SourceProblem):
        assert compiled(text).modules


def test_programs_that_are_nested_too_deeply_are_refused_with_a_sentence():
    with pytest.raises(SourceProblem, match=r"^program.py:1:1: the program is nested too deeply; split "):
        compiled(HOSTILE["long attribute chain"])


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(SourceProblem, match="no file"):
        compile_program(tmp_path / "missing.py")
    with pytest.raises(SourceProblem, match="cannot read"):
        compile_program(tmp_path)
    latin = tmp_path / "latin.py"
    latin.write_bytes(b"x = '\xe9'\n")
    with pytest.raises(SourceProblem, match="not Python"):
        compile_program(latin)
    latin.write_bytes(b"# coding: latin-1\nprint('\xe9')\n")
    assert run_plainly(compile_program(latin, library={})).output == "é\n"


def test_wide_unpacking():
    targets = ", ".join(f"a{i}" for i in range(300))
    assert run_plainly(compiled(f"{targets} = range(300)\nprint(a299)\n")).output == "299\n"
    assert run_plainly(compiled(f"*rest, {targets} = range(302)\nprint(rest, a0)\n")).output == "[0, 1] 2\n"


# --- imports ------------------------------------------------------------------------------------------------


def write_files(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "main.py"


def assert_like_cpython(main):
    outcome = run_plainly(compile_program(main, library={}))
    ended = subprocess.run([sys.executable, str(main)], capture_output=True, text=True, check=False)
    assert outcome.output == ended.stdout
    assert (outcome.error is None) == (ended.returncode == 0)
    return outcome


def test_packages_modules_and_relative_imports(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "import pack.inner.leaf\nimport pack.other as other\nfrom pack import inner, value\n"
            "from pack.inner import leaf as second\nimport queue\n"
            "print(pack.inner.leaf.name(), other.x, inner is pack.inner, value, second is pack.inner.leaf)\n"
            "print(pack.__name__, pack.inner.leaf.__name__, __name__, queue.mine)\n"
            "def late():\n    from pack.late import thing\n    return thing\nprint(late(), late())\n",
            "pack/__init__.py": "print('pack runs')\nvalue = 7\nfrom . import other\n",
            "pack/other.py": "x = 'other'\n",
            "pack/late.py": "print('late runs')\nthing = 1\n",
            "pack/inner/__init__.py": "from ..other import x as y\n",
            "pack/inner/leaf.py": "from . import y\nfrom .. import value\ndef name(): return (y, value)\n",
            "queue.py": "mine = True\n",
        },
    )
    outcome = assert_like_cpython(main)
    assert outcome.output.count("late runs") == 1


def test_star_imports(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "from a import *\nfrom b import *\nfrom math import *\n"
            "print(x, y, listed, floor(2.5))\n"
            "try:\n    hidden\nexcept NameError as e:\n    print(e)\n"
            "def f():\n    return x + listed\nprint(f())\n",
            "a.py": "from c import *\nx = 1\n_private = 2\nfor loop in range(3): pass\ndel loop\n",
            "b.py": "__all__ = ['listed']\nlisted = 3\nhidden = 4\n",
            "c.py": "y = 5\n",
        },
    )
    assert_like_cpython(main)


def test_circular_imports_and_missing_names(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "import a\nprint(a.value, a.b.value)\n"
            "try:\n    import nowhere\nexcept ImportError as e:\n    print(e)\n"
            "try:\n    from a import nothing\nexcept ImportError as e:\n    print('no', e.__class__)\n"
            "import broken\n",
            "a.py": "import b\nvalue = 1\n",
            "b.py": "import a\nvalue = hasattr(a, 'value')\n",
            "broken.py": "1 / 0\n",
        },
    )
    assert assert_like_cpython(main).error == "ZeroDivisionError: division by zero"


def test_blocks_for_type_checkers_and_for_the_main_program(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
            "import typing as t\n"
            "if TYPE_CHECKING:\n    import no_such_module\nelse:\n    print('else')\n"
            "if t.TYPE_CHECKING:\n    from nowhere import Thing\n"
            "def f(x: Thing) -> no_such_module.X:\n    y: Unknown\n    return x\nprint(f(1))\nimport helper\n"
            "if __name__ == '__main__':\n    print('main')\n",
            "helper.py": "if __name__ == '__main__':\n    print('never')\nprint(__name__, __doc__)\n",
        },
    )
    assert_like_cpython(main)


def test_modules_of_the_standard_library_are_compiled_from_their_source():
    program = compiled(
        "import graphlib\nprint(list(graphlib.TopologicalSorter({'a': ['b'], 'b': ['c']}).static_order()))\n"
    )
    assert run_plainly(program).output == "['c', 'b', 'a']\n"
    assert [module.file for module in program.modules][1] == "<python>/graphlib.py"


def test_unsupported_parts_of_the_standard_library_fail_when_they_are_reached(tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "STANDARD_LIBRARY", tmp_path)
    monkeypatch.setattr(imports, "COMPILED_MODULES", {"this"})
    (tmp_path / "this.py").write_text(
        "try:\n    from _this import f\nexcept ImportError:\n    f = 1\n"
        "def reads():\n    return open('x')\nasync def waits(): pass\ndef sockets():\n    import _socket\n"
    )
    good = run_plainly(compiled("import this\nprint(this.f, this.waits.__name__)\n"))
    assert (good.output, good.error) == ("1 waits\n", None)
    for call, what in (
        ("reads", "the built-in 'open' is not modelled"),
        ("waits", "<python>/this.py:7:1: async functions are not modelled"),
        ("sockets", "the module '_socket' of CPython is not modelled"),
    ):
        text = f"import this\ntry:\n    this.{call}()\nexcept BaseException:\n    print('caught')\n"
        bad = run_plainly(compiled(text))
        assert bad.output == ""
        assert what in bad.error


def test_native_modules_can_be_imported_and_are_listed():
    text = "".join(f"import {name}\n" for name in sorted(NATIVE_MODULES))
    program = compiled(text)
    assert set(program.native_modules) == NATIVE_MODULES
    assert run_plainly(program).error is None


def test_only_libraries_see_the_machine_and_mark_functions_atomic(tmp_path):
    path = tmp_path / "lib.py"
    path.write_text(
        "import _assay\nfrom _assay import atomic\n\n"
        "@_assay.atomic\ndef one(): return _assay.choose(3)\n"
        "@atomic\ndef two(): pass\ndef three(): pass\n"
        "class C:\n    @staticmethod\n    @_assay.atomic\n    def four(): return 4\n"
    )
    program = compiled("import lib\nprint(lib.one(), lib.C.four())\n", library={"lib": path})
    assert {code.qualname for code in all_codes(program) if code.atomic} == {"one", "two", "C.four"}
    assert run_plainly(program).output == "0 4\n"
    library = next(module for module in program.modules if module.name == "lib")
    assert (library.file, library.is_library) == ("<assay>/lib.py", True)


def test_a_library_in_a_folder_without_init_is_a_package(tmp_path):
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer" / "inner.py").write_text("x = 1\n")
    library = library_modules(tmp_path)
    assert list(library) == ["outer.inner"]
    program = compiled(
        "import outer.inner\nfrom outer import inner\nprint(outer.inner.x, inner.x)\n", library=library
    )
    assert run_plainly(program).output == "1 1\n"


# --- what is final ------------------------------------------------------------------------------------------


def finals(text, **options):
    program = compiled(text, **options)
    return program.modules[0].final_globals - {"__name__", "__file__", "__doc__"}, program.final_attributes


def test_globals_with_one_store_are_final():
    text = (
        "import math\nfrom math import floor\nonce = 1\ntwice = 1\ntwice = 2\nadded = 0\nadded += 1\n"
        "def f():\n    global set_inside\n    set_inside = 1\n    local = 1\nclass C: pass\n"
        "for loop in range(3):\n    in_loop = loop\nwhile once > 2:\n    in_while = 1\n"
        "if once:\n    in_branch = 1\ndeleted = 1\ndel deleted\n"
        "try:\n    pass\nexcept ValueError as caught:\n    pass\nset_inside = 0\n"
        "[walrus := i for i in range(3)]\nwith f() as opened:\n    pass\n(a, b), [c, *d] = x = 1\n"
    )
    names, _ = finals(text)
    assert names == {
        "math", "floor", "once", "f", "C", "in_branch", "opened", "a", "b", "c", "d", "x",
    }  # fmt: skip


def test_attributes_stored_only_by_init_and_class_bodies_are_final():
    text = (
        "class C:\n    constant = 1\n    changed_later = 2\n    annotated: int\n"
        "    def __init__(self, other):\n        self.final = 1\n        self.changed = 1\n"
        "        self.added = 1\n"
        "        self.added += 1\n        other.foreign = 1\n        self.deleted = 1\n"
        "        self.by_name = 2\n"
        "        def inner():\n            self.late = 1\n        self.pair, self.second = 1, 2\n"
        "        for self.looped in range(3): pass\n        self.__private = 1\n"
        "    def method(self):\n        self.changed = 2\n        self.only_here = 1\n"
        "        del self.deleted\n"
        "def __init__(self):\n    self.no_method = 1\n"
        "class D:\n    def __init__(self):\n        self = C(1)\n        self.rebound = 1\n"
        "C.changed_later = 3\nsetattr(C, 'by_name', 1)\n"
    )
    _, names = finals(text)
    assert names == {
        "constant", "annotated", "final", "pair", "second", "looped", "_C__private", "__init__", "method",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "def f(o, n):\n    setattr(o, n, 1)\n",
        "def f(o, n):\n    o.__dict__[n] = 1\n",
        "def f(o, n):\n    object.__setattr__(o, n, 1)\n",
        "f = setattr\n",
        "def f(o, *a):\n    delattr(o, *a)\n",
    ],
)
def test_no_attribute_is_final_when_some_are_stored_by_computed_names(text):
    _, names = finals("class C:\n    def __init__(self):\n        self.x = 1\n" + text)
    assert names == frozenset()


def test_names_that_turned_out_to_be_stored_again_are_taken_out():
    text = "x = 1\ny = 2\nclass C:\n    def __init__(self):\n        self.z = 1\n        self.w = 1\n"
    names, attributes = finals(text, extra_nonfinal=frozenset({"__main__:x", ".z"}))
    assert names == {"y", "C"}
    assert attributes == {"w", "__init__"}


def test_globals_that_another_module_stores_are_not_final(tmp_path):
    main = write_files(tmp_path, {"main.py": "import other\nother.x = 2\n", "other.py": "x = 1\ny = 1\n"})
    program = compile_program(main, library={})
    assert "x" not in program.modules[1].final_globals
    assert "y" in program.modules[1].final_globals


def test_globals_that_only_the_body_of_the_program_touches_are_known(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "import other\nshared = 1\nread = 2\nlazy = 3\nworkers = [i for i in range(3)]\n"
            "in_class = 4\nfor t in workers:\n    print(t, [t for _ in workers])\n"
            "def f():\n    global shared, written\n    shared += 1\n    written = 1\n"
            "    workers = t = 1\n    return read\n"
            "g = (lazy for _ in 'a')\nclass C:\n    x = in_class\nk = lambda: late\nlate = 1\nwritten = 0\n",
            "other.py": "for t in (1, 2): pass\n",
        },
    )
    program = compile_program(main, library={})
    assert program.modules[0].body_globals == {"other", "workers", "t", "f", "g", "C", "k"}
    assert program.modules[1].body_globals == frozenset()


def test_folders_without_init_do_not_hide_modules(tmp_path):
    main = write_files(
        tmp_path,
        {
            "main.py": "import collections.abc\nimport graphlib\nimport mine.part\nfrom mine import more\n"
            "print(collections.abc.Mapping.__name__, hasattr(graphlib, 'CycleError'), mine.part.x, more.y)\n",
            "collections/abc.py": "1 / 0\n",
            "graphlib/part.py": "1 / 0\n",
            "mine/part.py": "x = 1\n",
            "mine/more.py": "y = 2\n",
        },
    )
    assert_like_cpython(main)


# --- the shape of code --------------------------------------------------------------------------------------


def test_type_annotations_of_functions_cost_nothing():
    program = compiled("def f(a: int) -> str:\n    b: int\n    c: list[int] = []\n    return c\n")
    assert operations_of(code_named(program, "f")) == [
        "BUILD_LIST",
        "STORE_FAST",
        "LOAD_FAST",
        "RETURN_VALUE",
    ]


def test_what_dataclasses_look_for_in_annotations_is_there_under_any_name():
    program = compiled(
        "from __future__ import annotations\nimport dataclasses as d\nimport typing as t\n"
        "from typing import ClassVar as CV\n"
        "@d.dataclass\nclass P:\n    a: int\n    b: t.ClassVar[int] = 1\n    c: 'CV[int]' = 2\n"
        "    e: d.InitVar[int] = 3\n"
        "    _: d.KW_ONLY\n    f: int = 4\n    def __post_init__(self, e): self.sum = self.a + e\n"
        "print([f.name for f in d.fields(P)], P(1).sum, P(1, f=5))\n"
    )
    outcome = run_plainly(program)
    assert (outcome.output, outcome.error) == ("['a', 'f'] 4 P(a=1, f=5)\n", None)


def test_equal_constants_of_different_types_are_kept_apart():
    program = compiled("print(1, 1.0, True, 0.0, -0.0, (1, 2), (1.0, 2), 1j, b'a', 'a')\n")
    assert run_plainly(program).output == "1 1.0 True 0.0 -0.0 (1, 2) (1.0, 2) 1j b'a' a\n"


def test_compiling_twice_gives_equal_code():
    text = (HERE / "sequential" / "compiler_scopes_of_odd_kinds.py").read_text()
    assert compiled(text) == compiled(text)


def test_positions_lead_back_to_the_source():
    text = "x = 1\ndef f():\n    return x +  y\n"
    code = code_named(compiled(text), "f")
    binary = operations_of(code).index("BINARY")
    assert code.positions[binary] == (3, 11, 3, 17)


def test_the_disassembler_names_what_operands_stand_for():
    lines = "\n".join(
        disassemble_program(
            compiled("def f(a):\n    try:\n        return a.b + 1\n    except ValueError: pass\n")
        )
    )
    for part in (
        "module __main__",
        "LOAD_ATTR             b",
        "BINARY                Add",
        "exceptions in 0 to",
    ):
        assert part in lines


def test_the_disassembler_is_a_command(tmp_path):
    path = tmp_path / "p.py"
    path.write_text("import threading\nprint(1)\n")
    command = [sys.executable, "-m", "assay.languages.python.compiler"]
    shown = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
    assert "LOAD_BUILTIN          print" in shown.stdout
    path.write_text("eval('1')\n")
    refused = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"{path}:1:1: the built-in 'eval' is not modelled")


@pytest.mark.parametrize("seed", range(40))
def test_random_control_flow_is_that_of_cpython(seed):
    text = Author(seed).program()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    program = compiled(text)
    for code in all_codes(program):
        check_code(code, program)
    outcome = run_plainly(program)
    assert (outcome.output, outcome.error) == (printed.getvalue(), None)


# --- helpers ------------------------------------------------------------------------------------------------


def test_every_helper_that_code_names_exists():
    program = compile_program(HERE / "sequential" / "compiler_patterns.py", library={})
    named = {name for code in all_codes(program) for name in code.names if name.startswith("__match")}
    assert named == set(HELPERS)


def test_helpers_of_match_follow_the_language():
    assert not match_sequence("ab", 2, False)
    assert match_sequence([1, 2, 3], 2, True)
    assert not match_sequence([1], 2, True)
    assert match_mapping({"a": 1, "b": 2}, ("a",), True) == (1, {"b": 2})
    assert match_mapping([1], (), False) is None
    with pytest.raises(ValueError, match="duplicate key"):
        match_mapping({"a": 1, "b": 2}, ("a", "a"), False)
    assert match_class(3, int, 1, ()) == (3,)
    assert match_class(3, str, 0, ()) is None
    with pytest.raises(TypeError, match=r"int\(\) accepts 1 positional sub-pattern \(2 given\)"):
        match_class(3, int, 2, ())
    with pytest.raises(TypeError, match="must be a class"):
        match_class(3, 3, 0, ())


def test_code_of_libraries_that_is_taken_again_is_what_would_be_compiled(monkeypatch):
    """In programs that import others, mention others and have other assumptions that failed."""
    texts = [
        "import threading\nthreading.Thread(target=print).start()",
        "import queue\nq = queue.Queue()\nq.put(1)",
        "import queue\nq = queue.Queue()\nq.put(1)\nq.task_done()\nq.join()",
        "from concurrent.futures import ThreadPoolExecutor as Pool\nwith Pool() as pool: pool.submit(print)",
        "import logging, threading, queue",
        "import queue, threading, logging",
        "x = 1",
    ]
    assumptions = [frozenset(), frozenset({"releases of locks"})]

    def program(text, failed):
        return compile_program(Path("program.py"), text, extra_nonfinal=failed)

    monkeypatch.setattr(kept_libraries, "_cache", lambda: None)
    alone = []
    for text in texts:
        for failed in assumptions:
            kept_libraries.kept_library.cache_clear()
            alone.append(program(text, failed))
    kept_libraries.kept_library.cache_clear()
    first = [program(text, failed) for text in texts for failed in assumptions]
    again = [program(text, failed) for text in reversed(texts) for failed in reversed(assumptions)]
    assert first == alone
    assert list(reversed(again)) == alone
    taken = {id(one.code): one for one in first[0].modules[1:]}
    assert all(id(one.code) in taken for one in again[-1].modules[1:])


def test_code_of_libraries_that_an_earlier_process_kept_is_what_would_be_compiled(monkeypatch, tmp_path):
    """And what somebody else put there is compiled again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    text = "import queue, threading\nq = queue.Queue()\nthreading.Thread(target=q.put, args=(1,)).start()"

    def program():
        kept_libraries._cache.cache_clear()
        kept_libraries.kept_library.cache_clear()
        return compile_program(Path("program.py"), text)

    try:
        first = program()
        files = sorted((tmp_path / "cache/assay/libraries").iterdir())
        assert files
        with monkeypatch.context() as patch:
            patch.setattr(library_code, "module_code", lambda *_: pytest.fail("it was compiled again"))
            patch.setattr(imports, "read_library", lambda *_: pytest.fail("it was read again"))
            assert program() == first
        for file in files:
            file.write_bytes(bytes(CODE_BYTES) + pickle.dumps({"forged": True}))
        assert program() == first
        for file in files:  # cut short
            file.write_bytes(file.read_bytes()[:-1])
        assert program() == first
    finally:
        kept_libraries._cache.cache_clear()
        kept_libraries.kept_library.cache_clear()
