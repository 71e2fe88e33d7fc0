"""A stranger's C that is executed while a certificate is checked tries to get out.

Functions that reach out are refused by their names, and system calls by their instruction. So the C here
hides the instruction inside of a constant, where no disassembly sees it, and jumps there: what is tested is
what holds a process that is executing anything.
"""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import assay
from assay.transition_system.interface import SourceProblem

# syscall(2): the constant of the first instruction ends in `syscall; ret`.
SYSTEM_CALL = r"""
__asm__(".globl gate\ngate: movabs $0x9090909090c3050f, %rax\nret");
extern char gate[];
static long system_call(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("call *%[gate]" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth),
                   [gate] "r"(gate + 2) : "rcx", "r11", "memory");
  return result;
}
"""
MODEL = """
c_decl {{ {code}
  int tried, answer;
  {function}
}}
active proctype P() {{ c_code {{ tried = 1; }}; assert(c_expr {{ tried == 1 }}) }}
"""


def run(*arguments, cwd):
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd)


@pytest.fixture
def confined(tmp_path):
    """Executes C with the confinement that certification uses, and tells what became of it."""

    def execute(code, readable=()):
        library = tmp_path / "hostile.so"
        source = "#include <stdio.h>\n#include <errno.h>\n" + SYSTEM_CALL + code
        command = ["gcc", "-shared", "-fPIC", "-O1", "-w", "-x", "c", "-o", library, "-"]
        subprocess.run(command, input=source, text=True, check=True)
        script = f"""
            import ctypes, sys
            from assay import _engine
            library = ctypes.CDLL({str(library)!r})
            model = {str(tmp_path / "model.so")!r}
            sys.stdout.flush()
            _engine.CompiledModel.confine({list(map(str, readable))!r})
            _engine.CompiledModel(model)
            print(library.hostile(), flush=True)
        """
        if not (tmp_path / "model.so").exists():
            from assay.languages.promela.program import load
            from assay.transition_system.language_options import LanguageOptions

            (tmp_path / "m.pml").write_text("c_decl { int x; } active proctype P() { c_code { x = 1; } }")
            program = load(tmp_path / "m.pml", LanguageOptions())
            (tmp_path / "model.so").write_bytes(Path(program.opening.file).read_bytes())
        command = [sys.executable, "-c", textwrap.dedent(script)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return execute


# The number of the call and what it is given; what is true of the answer.
ATTEMPTS = {
    "open for writing": 'system_call(2, (long)"made", 0102, 0600, 0)',
    "open": 'system_call(2, (long)"/etc/passwd", 0, 0, 0)',
    "openat": 'system_call(257, -100, (long)"/etc/passwd", 0, 0)',
    "openat2": 'system_call(437, -100, (long)"/etc/passwd", (long)(long[3]){0}, 24)',
    "creat": 'system_call(85, (long)"made", 0600, 0, 0)',
    "unlink": 'system_call(87, (long)"victim", 0, 0, 0)',
    "rename": 'system_call(82, (long)"victim", (long)"moved", 0, 0)',
    "truncate": 'system_call(76, (long)"victim", 0, 0, 0)',
    "chmod": 'system_call(90, (long)"victim", 0, 0, 0)',
    "mkdir": 'system_call(83, (long)"made", 0700, 0, 0)',
    "symlink": 'system_call(88, (long)"victim", (long)"made", 0, 0)',
    "socket": "system_call(41, 2, 1, 0, 0)",
    "socket of this machine": "system_call(41, 1, 1, 0, 0)",
    "fork": "system_call(57, 0, 0, 0, 0)",
    "vfork": "system_call(58, 0, 0, 0, 0)",
    "clone": "system_call(56, 17, 0, 0, 0)",
    "clone3": "system_call(435, (long)(long[11]){0, 0, 0, 0, 17}, 88, 0, 0)",
    "execve": 'system_call(59, (long)"/bin/true", (long)(char *[]){"true", 0}, 0, 0)',
    "kill the parent": "system_call(62, system_call(110, 0, 0, 0, 0), 9, 0, 0)",
    "tgkill the parent": "system_call(234, system_call(110, 0, 0, 0, 0), system_call(110, 0, 0, 0, 0), 9, 0)",
    "ptrace the parent": "system_call(101, 16, system_call(110, 0, 0, 0, 0), 0, 0)",
    "read the parent": "system_call(310, system_call(110, 0, 0, 0, 0), 0, 0, 0)",
    "shared memory": "system_call(29, 7, 4096, 01600, 0)",
    "memory with a name": 'system_call(319, (long)"made", 0, 0, 0)',
    "keystrokes into the terminal": 'system_call(16, 0, 0x5412, (long)"x", 0)',
    "io_uring": "system_call(425, 1, (long)(char[120]){0}, 0, 0)",
    "bpf": "system_call(321, 0, 0, 0, 0)",
    "setuid": "system_call(105, 0, 0, 0, 0)",
    "a limit of its own": "system_call(302, 0, 9, (long)(long[2]){-1, -1}, 0)",
    "chdir": 'system_call(80, (long)"/", 0, 0, 0)',
}


def test_what_a_confined_process_may_not_do_fails(confined, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("kept")
    tries = "\n".join(
        f'if ({call} >= 0) {{ fputs("{name}\\n", stderr); wrong++; }}' for name, call in ATTEMPTS.items()
    )
    os.chdir(tmp_path)
    try:
        done = confined(f"int hostile(void) {{ int wrong = 0; {tries} return wrong; }}")
    finally:
        os.chdir("/")
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
    assert victim.read_text() == "kept"
    assert not (tmp_path / "made").exists()


def test_what_it_needs_it_may_read_and_nothing_else(confined, tmp_path):
    (tmp_path / "allowed").write_text("x")
    code = f"""
    int hostile(void) {{
      long one = system_call(2, (long)"{tmp_path}/allowed", 0, 0, 0);
      long other = system_call(2, (long)"{tmp_path}/m.pml", 0, 0, 0);
      return (one >= 0) + 2 * (other >= 0);
    }}"""
    assert confined(code, [tmp_path / "allowed"]).stdout == "1\n"


def test_calls_of_another_kind_of_process_end_it(confined):
    """32 bits, whose numbers mean other calls."""
    done = confined('int hostile(void) { __asm__ volatile("int $0x80" : : "a"(20)); return 0; }')
    assert done.returncode == -signal.SIGSYS


def test_memory_without_end_is_not_given(confined):
    code = """
    int hostile(void) {
      for (int i = 0; i < 100000; i++)
        if (system_call(9, 0, 1l << 34, 3, 0x4022) < 0) return -1;
      return 0;
    }"""
    assert confined(code).stdout == "-1\n"


EARLY = """
__attribute__((constructor)) static void early(void) { answer = system_call(85, (long)"MADE", 0600, 0, 0); }
"""


def test_constructors_are_confined_in_both_checkers(tmp_path):
    made = tmp_path / "made"
    model, certificate = tmp_path / "model.pml", tmp_path / "model.assay"
    model.write_text(MODEL.format(code=SYSTEM_CALL, function=EARLY.replace("MADE", str(made))))
    run("verify", model, "--certificate", certificate, cwd=tmp_path)  # nobody confines what is one's own
    assert certificate.exists()
    made.unlink()
    run("certify", model, certificate, "--foreign-code", cwd=tmp_path)
    assert not made.exists()
    command = [sys.executable, "-m", "assay.checker", str(model), str(certificate), "--foreign-code"]
    subprocess.run(command, capture_output=True, timeout=300, check=False, cwd=tmp_path)
    assert not made.exists()


def test_a_compiler_reads_what_belongs_to_the_program_and_nothing_else(tmp_path):
    (tmp_path / "secret").write_text("12345678")
    folder = tmp_path / "model"
    folder.mkdir()
    model, certificate = folder / "model.pml", folder / "model.assay"
    model.write_text(f"""
    c_decl {{ __asm__(".incbin \\"{tmp_path}/secret\\""); int x; }}
    active proctype P() {{ c_code {{ x = 1; }} }}
    """)
    assert run("verify", model, "--certificate", certificate, cwd=folder).returncode == 0
    done = run("certify", model, certificate, "--foreign-code", cwd=folder)
    assert done.returncode != 0
    assert "does not compile" in done.stdout + done.stderr


FLAGS = [
    *(
        "-fplugin=x",
        "-wrapper gdb",
        "-B/tmp",
        "@file",
        "-specs=x",
        "-o /tmp/x",
        "-Wa,-o,x",
        "-fdump-tree-all",
    ),
    *("-fstack-usage", "-fdiagnostics-format=sarif-file", "-fsave-optimization-record", "-fmodule-mapper=x"),
    *("-include /etc/passwd", "-imacros x", "-fprofile-generate", "-fauto-profile=x", "-save-temps", "-MF x"),
]


@pytest.mark.parametrize("flag", FLAGS)
def test_no_flag_makes_a_compiler_run_or_write_something_else(tmp_path, flag):
    model = tmp_path / "model.pml"
    model.write_text("active proctype P() { c_code { ; } }")
    with pytest.raises(SourceProblem, match="is not allowed here"):
        assay.verify(model, cflags=[flag])


def test_a_script_for_the_linker_is_no_library(tmp_path):
    model = tmp_path / "model.pml"
    model.write_text("active proctype P() { c_code { ; } }")
    (tmp_path / "evil.a").write_text("OUTPUT(/tmp/elsewhere)\n")
    with pytest.raises(SourceProblem, match="no archive and no object"):
        assay.verify(model, ldflags=[str(tmp_path / "evil.a")])
