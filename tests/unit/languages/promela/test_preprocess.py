"""Reading a model: macros, includes, hashes and the fence around the C preprocessor."""

import hashlib
import os

import pytest

from assay.languages.promela import preprocess as module
from assay.languages.promela.parser import parse_model
from assay.languages.promela.preprocess import preprocess
from assay.languages.promela.unparse import unparse
from assay.transition_system.interface import SourceProblem


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into the current folder, so that messages show its short name."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path.relative_to(tmp_path)

    return write


def problem_of(path, defines=()):
    with pytest.raises(SourceProblem) as problem:
        parse_model(path, defines)
    return str(problem.value)


def test_a_text_without_directives_needs_no_preprocessor(write):
    result = preprocess(write("m.pml", "byte x; // one\ninit { /* two */ x = 1 }"))
    assert not result.preprocessor_ran
    assert result.text == "byte x;       \ninit {           x = 1 }"


def test_macros_and_definitions_from_outside_are_replaced(write):
    path = write("m.pml", "#define TWICE(a) (2 * a)\ninit { assert(TWICE(N) == 6) }")
    (init,) = parse_model(path, ["N=3"]).units
    assert unparse(init.body) == "assert(2*3 == 6)"


def test_a_definition_reaches_a_model_without_directives(write):
    (init,) = parse_model(write("m.pml", "init { assert(N) }"), ["N"]).units
    assert unparse(init.body) == "assert(1)"


def test_names_that_the_compiler_defines_are_refused(write):
    """SPIN's preprocessor makes 1 of it, on this machine."""
    assert problem_of(write("m.pml", "byte unix;")) == (
        "m.pml:1:6: unix depends on the compiler or the machine, and no model may; "
        "use a macro of your own, and give it with -D"
    )


def test_included_files_are_found_beside_the_file_that_includes_them_and_are_hashed(write):
    main = write("m.pml", '#include "parts/a.h"\ninit { run P() }\n')
    write("parts/a.h", '#include "b.h"\nproctype P() { x = 1 }\n')
    write("parts/b.h", "byte x;\n")
    model = parse_model(main)
    assert [source.path for source in model.sources] == ["m.pml", "parts/a.h", "parts/b.h"]
    assert model.sources[2].text == "byte x;\n"
    assert model.sources[2].sha256 == hashlib.sha256(b"byte x;\n").hexdigest()
    assert [str(unit.where) for unit in model.units] == ["parts/b.h:1:1", "parts/a.h:2:1", "m.pml:2:1"]


def test_a_mistake_in_an_included_file_is_told_with_that_file(write):
    main = write("m.pml", '\n#include "a.h"\ninit { skip }\n')
    write("a.h", "\n\n   proctype () { skip }\n")
    assert problem_of(main) == "a.h:3:13: expected a name for the proctype, got '('"


def test_places_survive_macros_and_runs_of_blanks(write):
    path = write("m.pml", "#define ONE  1\nbyte  x;\ninit {\n\tx   =  ONE   +   ?  2 }\n")
    assert problem_of(path) == "m.pml:4:19: expected an expression, got '?'"


def test_a_missing_include_is_told_with_its_place(write):
    path = write("m.pml", 'byte x;\n#include "nowhere.h"\n')
    assert problem_of(path) == "m.pml:2:10: nowhere.h: No such file or directory"


def test_system_headers_are_not_searched(write):
    path = write("m.pml", "#include <stdio.h>\ninit { skip }\n")
    assert problem_of(path) == (
        "m.pml:1:1: expected a declaration or a process, got '\\'; "
        "only embedded C includes files of the system"
    )


def test_include_folders_of_the_environment_are_not_searched(write, monkeypatch):
    write("elsewhere/a.h", "byte x;")
    monkeypatch.setenv("CPATH", "elsewhere")
    assert "a.h: No such file or directory" in problem_of(write("m.pml", '#include "a.h"\ninit { skip }'))


def test_an_error_directive_is_told_with_its_place(write):
    assert problem_of(write("m.pml", "\n\n#error not today\n")) == "m.pml:3:2: #error not today"


def test_a_missing_file(write):
    assert problem_of(write("m.pml", "").with_name("other.pml")) == (
        "other.pml:1:1: cannot read this file: No such file or directory"
    )


def test_a_folder_is_not_a_model(write, tmp_path):
    write("folder/m.pml", "")
    with pytest.raises(SourceProblem, match="folder:1:1: cannot read this"):
        parse_model(tmp_path / "folder")


def test_a_named_pipe_is_refused_at_once(write, tmp_path):
    write("m.pml", "")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceProblem, match="not a regular file"):
        parse_model(tmp_path / "pipe")


def test_a_file_name_with_a_zero_byte_is_refused(tmp_path):
    with pytest.raises(SourceProblem, match="not a file name"):
        parse_model(tmp_path / "a\0b")


def test_a_file_name_that_looks_like_an_option(write):
    (init,) = parse_model(write("-m.pml", "#define A 1\ninit { assert(A) }")).units
    assert str(init.where) == "./-m.pml:2:1"


@pytest.mark.parametrize("define", ["", "1=2", "A B", "-I/tmp"])
def test_a_definition_must_be_one(write, define):
    assert problem_of(write("m.pml", "init { skip }"), [define]) == (
        f"m.pml:1:1: expected a definition NAME or NAME=VALUE, got {define!r}"
    )


def test_a_latin_1_comment_is_read(write):
    model = parse_model(write("m.pml", b"/* \xe9t\xe9 */\n#define A 1\ninit { skip } /* \xff */"))
    assert len(model.units) == 1


def test_an_endless_include_is_refused(write):
    assert "include" in problem_of(write("m.pml", '#include "m.pml"\ninit { skip }'))


def test_macros_that_grow_without_end_are_stopped(write, monkeypatch):
    monkeypatch.setattr(module, "SIZE_LIMIT_BYTES", 2 * 1024 * 1024)
    lines = ["#define A0 x x x x x x x x x x"]
    lines += [f"#define A{i} " + " ".join([f"A{i - 1}"] * 10) for i in range(1, 12)]
    message = problem_of(write("m.pml", "\n".join(lines) + "\nbyte x; init { A11 }\n"))
    assert "larger than 2 MiB" in message or "within 10 seconds" in message


def test_a_preprocessor_that_hangs_is_stopped(write, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    path = write("m.pml", "#define A 1\ninit { skip }")
    write("slow", "#!/bin/sh\nsleep 3600\n").chmod(0o700)
    monkeypatch.setattr(module.shutil, "which", lambda _: str(path.parent.absolute() / "slow"))
    assert problem_of(path) == "m.pml:1:1: the C preprocessor did not finish within 0.2 seconds"


def test_a_machine_without_a_compiler_is_told_what_to_install(write, monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda _: None)
    assert problem_of(write("m.pml", "#define A 1\ninit { skip }")) == (
        "m.pml:1:1: this model needs the C preprocessor, and no C compiler was found; install gcc"
    )
