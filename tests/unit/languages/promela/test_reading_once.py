"""What is preprocessed is what was read and hashed, whoever changes the files in between."""

import hashlib
import os
import shutil
import stat
from pathlib import Path

import pytest

import assay
from assay.languages.promela import compiler
from assay.languages.promela.parser import parse_model
from assay.languages.promela.preprocess import preprocess
from assay.languages.promela.unparse import unparse
from assay.transition_system import kept
from assay.transition_system.interface import SourceProblem

GOOD = '#include "limit.h"\nactive proctype P() { byte x; x = LIMIT; assert(x == 1) }\n'
BROKEN = GOOD.replace("x == 1", "x == 2")


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def with_a_compiler_that(tmp_path, monkeypatch):
    """Puts a `gcc` in front of the real one, which first does what a shell script says; not when it is asked
    what it is, which happens while the program is read."""

    def install(script):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in ("gcc", "cc"):
            wrapper = folder / name
            wrapper.write_text(
                f'#!/bin/sh\n[ "$1" = "-###" ] || {{ {script}; }}\nexec {shutil.which("gcc")} "$@"\n'
            )
            wrapper.chmod(0o700)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return install


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_program_that_is_exchanged_before_the_compiler_runs_is_not_seen(here, with_a_compiler_that):
    (here / "m.pml").write_text(BROKEN)
    (here / "good").write_text(GOOD)
    (here / "limit.h").write_text("#define LIMIT 1\n")
    with_a_compiler_that(f"cp {here}/good {here}/m.pml")
    result = assay.verify("m.pml")
    assert (here / "m.pml").read_text() == GOOD
    assert result.verdict is assay.Verdict.VIOLATED


def test_an_include_that_is_exchanged_before_the_compiler_runs_is_not_seen(here, with_a_compiler_that):
    """Whichever of the two is hashed is the one that is used."""
    (here / "m.pml").write_text(GOOD)
    (here / "limit.h").write_text("#define LIMIT 2\n")
    with_a_compiler_that(f"test -e {here}/count && cp {here}/swapped.h {here}/limit.h; echo > {here}/count")
    (here / "swapped.h").write_text("#define LIMIT 1\n")
    model = preprocess(here / "m.pml")
    used = "1" if "x = 1" in model.text else "2"
    assert model.sources[1].sha256 == digest(f"#define LIMIT {used}\n")


def test_an_include_that_turns_into_another_file_is_not_followed(here, monkeypatch):
    """Between the run that names files and the one whose text counts, a file gets another include."""
    (here / "m.pml").write_text(GOOD)
    (here / "limit.h").write_text("#define LIMIT 1\n")
    (here / "secret.h").write_text("#define LIMIT 2\n")
    real = os.open

    def swapping(file, *rest, **named):
        if str(file).endswith("limit.h"):
            (here / "limit.h").write_text(f'#include "{here}/secret.h"\n')
        return real(file, *rest, **named)

    monkeypatch.setattr(os, "open", swapping)
    with pytest.raises(SourceProblem, match="is included by its absolute path"):
        preprocess(here / "m.pml")
    (here / "limit.h").write_text("#define LIMIT 1\n")

    def swapping_for_a_neighbour(file, *rest, **named):
        if str(file).endswith("limit.h"):
            (here / "limit.h").write_text('#include "secret.h"\n')
        return real(file, *rest, **named)

    monkeypatch.setattr(os, "open", swapping_for_a_neighbour)
    with pytest.raises(SourceProblem, match=r"secret\.h: No such file or directory"):
        preprocess(here / "m.pml")


@pytest.mark.parametrize(
    "name", ["a b.h", "c$d.h", "e#f.h", "g:h.h", "o'p.h", "q%r.h", "ü.h", "sub/x.h", "../up.h"]
)
def test_included_files_of_any_name_are_hashed(here, name):
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text("byte x;\n")
    (here / "m.pml").write_text(f'#include "{name}"\ninit {{ x = 1 }}\n')
    model = parse_model(here / "m.pml")
    assert [source.path for source in model.sources] == [f"{here}/m.pml", f"{here}/{name}"]
    assert model.sources[1].sha256 == digest("byte x;\n")
    assert model.units[0].where.file == f"{here}/{name}"


@pytest.mark.parametrize("name", ["<defs>.h", "<stdin>", "<built-in>", "back\\slash.h"])
def test_included_files_with_names_like_the_compilers_own_are_refused(here, name):
    (here / name).write_text("byte x;\n")
    (here / "m.pml").write_text(f'#include "{name}"\ninit {{ x = 1 }}\n')
    with pytest.raises(SourceProblem, match="must not have a name like"):
        parse_model(here / "m.pml")


def test_an_include_by_its_absolute_path_is_refused(here):
    (here / "a.h").write_text("byte x;\n")
    (here / "m.pml").write_text(f'#include "{here}/a.h"\ninit {{ x = 1 }}\n')
    with pytest.raises(SourceProblem, match="is included by its absolute path; name included files from"):
        parse_model(here / "m.pml")


def test_more_steps_up_than_there_are_folders_are_refused(here):
    (here / "a.h").write_text("byte x;\n")
    (here / "m.pml").write_text(f'#include "{"../" * 50}{here}/a.h"\ninit {{ x = 1 }}\n')
    with pytest.raises(SourceProblem, match="is included by its absolute path"):
        parse_model(here / "m.pml")


def test_a_file_reached_by_two_names_is_one_source(here):
    (here / "a.h").write_text("byte x;\n#define A 1\n")
    (here / "m.pml").write_text(
        '#ifndef A\n#include "a.h"\n#endif\n#pragma once\n#include "b.h"\ninit { x = 1 }\n'
    )
    (here / "b.h").write_text('#ifndef A\n#include "./a.h"\n#endif\n')
    assert [source.path for source in parse_model(here / "m.pml").sources] == [
        f"{here}/{name}" for name in ("m.pml", "a.h", "b.h")
    ]


def test_a_file_that_a_link_between_folders_makes_two_is_refused(here):
    (here.parent / "elsewhere" / "deep").mkdir(parents=True)
    (here.parent / "elsewhere" / "deep" / "b.h").write_text('#include "../a.h"\n')
    (here.parent / "elsewhere" / "a.h").write_text("byte y;\n")
    (here / "sub").symlink_to(here.parent / "elsewhere" / "deep")
    (here / "a.h").write_text("byte x;\n")
    (here / "m.pml").write_text('#include "sub/b.h"\ninit { y = 1 }\n')
    assert parse_model(here / "m.pml").sources[-1].sha256 == digest("byte y;\n")
    (here / "m.pml").write_text('#include "a.h"\n#include "sub/b.h"\ninit { y = 1 }\n')
    with pytest.raises(SourceProblem, match="one file by name, and two by symbolic links"):
        parse_model(here / "m.pml")


def test_a_model_that_includes_itself_is_read_once(here, monkeypatch):
    (here / "m.pml").write_text(
        '#ifndef A\n#define A\nbyte x;\n#include "m.pml"\n#else\ninit { x = 1 }\n#endif\n'
    )
    opened = []
    real = os.open
    monkeypatch.setattr(
        os, "open", lambda file, *rest, **named: (opened.append(str(file)), real(file, *rest, **named))[1]
    )
    model = parse_model(here / "m.pml")
    assert [source.path for source in model.sources] == [f"{here}/m.pml"]
    assert len([name for name in opened if name.endswith("m.pml")]) == 1


def test_a_line_directive_hides_no_file(here):
    (here / "limit.h").write_text('#line 1 "<built-in>"\n#define LIMIT 1\n')
    (here / "m.pml").write_text(f'#line 7 "other.pml"\n{GOOD}')
    assert [source.path for source in parse_model(here / "m.pml").sources] == [
        f"{here}/m.pml",
        f"{here}/limit.h",
    ]


def test_an_included_pipe_makes_nobody_wait_for_ever(here, monkeypatch):
    monkeypatch.setattr("assay.languages.promela.preprocess.TIMEOUT_SECONDS", 0.5)
    os.mkfifo(here / "limit.h")
    (here / "m.pml").write_text(GOOD)
    with pytest.raises(SourceProblem, match="did not finish within"):
        parse_model(here / "m.pml")


USES = [
    '#if __has_include("limit.h")\n#endif',
    "#ifdef __has_include\n#endif",
    "#if __has_attribute(noreturn)\n#endif",
    "#ifdef __GNUC__\n#endif",
    "#if defined __GNUC__\n#endif",
    "#if __SIZEOF_POINTER__ == 8\n#endif",
    "#if linux\n#endif",
    "#ifdef __OPTIMIZE__\n#endif\n#ifdef __x86_64__\n#endif\n#ifdef __linux__\n#endif",
    "byte a = __COUNTER__;",
    "byte a = __INCLUDE_LEVEL__;",
    "#if __STDC_VERSION__ > 1\n#endif",
    "init { printf(__FILE__) }",
    "init { printf(__BASE_FILE__) }",
    "init { printf(__DATE__) }",
    "init { printf(__TIME__) }",
    "init { printf(__TIMESTAMP__) }",
    "init { printf(__VERSION__) }",
    "#define CAT(a, b) a##b\nbyte a = CAT(__COUN, TER__);",
    '#define CAT(a, b) a##b\n#if CAT(__has_in, clude)("limit.h")\n#endif',
    "#if __GNU\\\nC__\n#endif",
    '#if __has_\\\ninclude("limit.h")\n#endif',
]


@pytest.mark.parametrize("text", USES)
def test_what_depends_on_the_compiler_the_machine_or_the_clock_is_refused(here, text):
    (here / "m.pml").write_text(f"{text}\ninit {{ skip }}\n")
    with pytest.raises(SourceProblem, match="depends on the compiler or the machine, and no model may"):
        parse_model(here / "m.pml")
    (here / "m.pml").write_text('#include "limit.h"\ninit { skip }\n')
    (here / "limit.h").write_text(f"{text}\n")
    with pytest.raises(SourceProblem, match="depends on the compiler or the machine, and no model may"):
        parse_model(here / "m.pml")


def test_names_that_only_look_like_the_compilers_are_the_models_own(here):
    (here / "m.pml").write_text(
        "#define __mine 3\n// __GNUC__ in a comment\n#ifdef NEVER\n#ifdef __GNUC__\n#endif\n#endif\n"
        "byte __x = __mine, y = __LINE__;\ninit { skip }\n"
    )
    assert unparse(parse_model(here / "m.pml").units[0]) == "byte __x = 3; byte y = 7"


def test_assertions_about_the_machine_are_refused(here):
    """An old extension, with answers that a compiler predefines."""
    (here / "m.pml").write_text("#if #machine(x86_64)\n#endif\ninit { skip }\n")
    with pytest.raises(SourceProblem, match="assertions are a deprecated extension"):
        parse_model(here / "m.pml")


@pytest.mark.parametrize("define", ['A=1\n#include "x"', "A=1\r", "A=\x1b[2J", "A\n=1"])
def test_a_definition_has_no_control_characters(here, define):
    (here / "m.pml").write_text("init { skip }\n")
    with pytest.raises(SourceProblem, match="expected a definition"):
        parse_model(here / "m.pml", [define])


# --- Compiled models -------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache" / "assay" / "models"


HOLDS = "active proctype P() { byte x; x = 1; assert(x == 1) }\n"
FAILS = HOLDS.replace("x == 1", "x == 2")


def verdict_of(here, text):
    (here / "m.pml").write_text(text)
    return assay.verify(here / "m.pml").verdict


def test_what_lies_in_the_cache_is_not_believed(here, cache):
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    (entry,) = cache.iterdir()
    good = entry.read_bytes()
    assert len(entry.stem) == 64
    entry.unlink()
    assert verdict_of(here, FAILS) is assay.Verdict.VIOLATED
    (other,) = cache.iterdir()
    for forged in (good, good[kept.CODE_BYTES :], bytes(32) + good[32:], b"", good[:-1]):
        other.write_bytes(forged)
        assert verdict_of(here, FAILS) is assay.Verdict.VIOLATED
        assert other.read_bytes() != forged  # made again


def test_the_cache_is_used(here, cache, monkeypatch):
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    monkeypatch.setattr(compiler, "_Compiler", lambda *_: pytest.fail("it was compiled again"))
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED


def test_another_compiler_is_another_entry(here, cache, with_a_compiler_that):
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    with_a_compiler_that("true")
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    assert len(list(cache.iterdir())) == 2


def test_the_secret_of_the_cache_is_nobody_elses(here, cache):
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    secret = cache.parents[2] / "state" / "assay" / "cache-secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    secret.chmod(0o644)  # who knows who has read it
    (entry,) = cache.iterdir()
    entry.write_bytes(b"")
    assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED
    assert entry.read_bytes() == b""


def test_a_cache_that_cannot_be_made_stops_nobody(here, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "file"))
        assert verdict_of(here, HOLDS) is assay.Verdict.VERIFIED


def test_two_models_that_lie_in_one_place_one_after_the_other_are_two(here):
    """The loader remembers names; one under /proc is given to another file as soon as it is free."""
    from assay import _engine
    from assay.languages import load
    from assay.transition_system.language_options import LanguageOptions

    opened, places = [], set()
    for value in range(20):
        (here / "m.pml").write_text(f"byte x = {value}; active proctype P() {{ x = 0 }}\n")
        program = load(here / "m.pml", LanguageOptions())
        places.add(program.opening.file)
        opened.append(_engine.CompiledModel(program.opening.file))
        del program
    assert len(places) < 20
    assert len({model.initial_state()[0] for model in opened}) == 20


def test_nobody_can_change_a_compiled_model(here):
    (here / "m.pml").write_text(HOLDS)
    from assay.languages import load
    from assay.transition_system.language_options import LanguageOptions

    program = load(here / "m.pml", LanguageOptions())
    with pytest.raises(PermissionError):
        Path(program.opening.file).write_bytes(b"")
