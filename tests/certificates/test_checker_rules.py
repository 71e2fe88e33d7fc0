"""Rules over several files, and several rules, as the independent checker weaves them in."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.checker import Rejected, check
from assay.checker.c.checking import asked, deep, read
from assay.checker.c.preprocessing import expand
from assay.checker.c.problems import CannotCheck, NoProgram, NoProof
from assay.checker.c.proofs import Proof
from assay.checker.c.rules import read_rule, woven
from assay.checker.c.syntax import parse
from assay.checker.c_certificates import RULES
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import SourceProblem
from assay.transition_system.language_options import LanguageOptions
from tests.certificates.test_contract_certificates import forged

LOCK = (
    "extern int __VERIFIER_nondet_int(void); void KeAcquireSpinLock(int *); void KeReleaseSpinLock(int *);\n"
)
BODIES = "int held; void KeAcquireSpinLock(int *l) { held++; } void KeReleaseSpinLock(int *l) { held--; }\n"
WORK = "void work(void) { KeAcquireSpinLock(0); %s KeReleaseSpinLock(0); }\n"
MAIN = "void work(void); int main(void) { while (__VERIFIER_nondet_int()) work(); return 0; }\n"
ONCE = MAIN.replace("while (__VERIFIER_nondet_int())", "")
OWN = "static void KeReleaseSpinLock(int *l) { } static void KeAcquireSpinLock(int *l) { }\n"
KEPT = {
    "defined in a further file": (LOCK + MAIN, LOCK + WORK % "" + BODIES),
    "defined in the first file": (LOCK + BODIES + MAIN, LOCK + WORK % ""),
    "defined nowhere": (LOCK + MAIN, LOCK + WORK % ""),
    "one in each of two files": (
        LOCK + "void KeReleaseSpinLock(int *l) { }\n" + MAIN,
        LOCK + "void KeAcquireSpinLock(int *l) { }\n" + WORK % "",
    ),
    "static in one file": (LOCK + MAIN, OWN + WORK % ""),
}
BROKEN = {
    "defined in a further file": (LOCK + ONCE, LOCK + WORK % "KeAcquireSpinLock(0);" + BODIES),
    "called in the file that does not define it": (
        LOCK + BODIES + "void work(void); int main(void) { KeAcquireSpinLock(0); work(); return 0; }\n",
        LOCK + WORK % "",
    ),
    "defined nowhere": (LOCK + ONCE, LOCK + WORK % "KeReleaseSpinLock(0);"),
    "one in each of two files": (
        LOCK + "void KeReleaseSpinLock(int *l) { }\n" + ONCE,
        LOCK + "void KeAcquireSpinLock(int *l) { }\n" + WORK % "KeAcquireSpinLock(0);",
    ),
    "static in one file": (LOCK + ONCE, OWN + WORK % "KeAcquireSpinLock(0);"),
    "static in one, and called in both": (
        LOCK + BODIES + "void work(void); int main(void) { KeAcquireSpinLock(0); work(); return 0; }\n",
        OWN + WORK % "",
    ),
}


def written(texts: tuple[str, ...], folder: Path) -> list[Path]:
    files = [folder / f"part{number}.c" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return files


def is_accepted(files: list[Path]) -> bool:
    """Without a loop there is nothing to prove but that no run fails."""
    rule = read_rule(Path(RULES, "ke-spinlock.rule").read_text(), "ke-spinlock")
    try:
        with deep():
            program = read(
                [expand(one.read_bytes(), one, "LP64", []) for one in files], "LP64", [], [rule], 2
            )
            paths = list(dict.fromkeys(where for where, _, _ in program.points))
            body = {"bound": 3, "rounds": 0, "recursion": 2, "nodes": []}
            body["instances"] = [[list(site) for site in one] for one in paths]
            body["locations"] = [
                {"instance": paths.index(where), "line": line, "column": column, "holds": []}
                for where, line, column in program.points
            ]
            wanted = list(Proof(body, program).obligations())
        asked(wanted)
    except (NoProof, CannotCheck):
        return False
    return True


@pytest.mark.parametrize("name", KEPT)
def test_a_rule_that_is_kept_is_accepted_and_a_forged_proof_is_not(name: str, tmp_path: Path) -> None:
    files = written(KEPT[name], tmp_path)
    given = {"rules": ["ke-spinlock"], "c_sources": [str(one) for one in files[1:]], "timeout_seconds": 60}
    certificate = tmp_path / "program.cert"
    result = assay.verify(files[0], search="templates", certificate=certificate, **given)
    assert result.verdict is Verdict.VERIFIED
    options = LanguageOptions(c_sources=tuple(map(str, files[1:])))
    check(files[0], certificate, options)
    empty = forged(tmp_path, "program", lambda body: [one.update(holds=[]) for one in body["locations"]])
    with pytest.raises(Rejected):
        check(files[0], empty, options)


@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_that_is_broken_is_never_accepted(name: str, tmp_path: Path) -> None:
    kept = [one.replace(MAIN, ONCE) for one in KEPT["defined nowhere"]]
    assert is_accepted(written(tuple(kept), tmp_path))
    files = written(BROKEN[name], tmp_path)
    assert not is_accepted(files)
    given = {"rules": ["ke-spinlock"], "c_sources": [str(one) for one in files[1:]], "timeout_seconds": 60}
    assert assay.verify(files[0], **given).verdict is Verdict.VIOLATED


TWO = "void a(void); void b(void);%s int main(void) { a(); b(); %s b(); return 0; }\n"
RULES_OF_TWO = (
    "state { int s = 0; }\na.entry { s++; }\nb.entry { if (s == 0) abort; s--; }\n",
    "state { int s = 0; }\na.return { s = 1; }\nb.entry { if (s != 1) abort; s = 0; }\n",
)


@pytest.mark.parametrize("defined", ["", " void a(void) {} void b(void) {}"])
def test_two_rules_watch_one_function(defined: str, tmp_path: Path) -> None:
    rules = [tmp_path / f"rule{number}.rule" for number in range(2)]
    for file, text in zip(rules, RULES_OF_TWO, strict=True):
        file.write_text(text)
    given = {"rules": [str(one) for one in rules], "timeout_seconds": 60}
    kept, broken = written((TWO % (defined, "a();"), TWO % (defined, "a(); a(); b();")), tmp_path)
    certificate = tmp_path / "program.cert"
    assert assay.verify(kept, certificate=certificate, **given).verdict is Verdict.VERIFIED
    check(kept, certificate, LanguageOptions(rules=tuple(given["rules"])))
    result = assay.verify(broken, **given)
    assert [one.message for one in result.violations] == ["b() breaks the rule rule1"]
    assert "the compiled program fails with these inputs" in result.notes
    (explained,) = (one.explanation() for one in result.violations)
    assert explained.startswith(f"b() in {broken.name}:1 breaks the rule")


def test_two_rules_of_one_name_are_none(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    rules = [tmp_path / "mine.rule", tmp_path / "other" / "mine.rule"]
    for file, text in zip(rules, RULES_OF_TWO, strict=True):
        file.write_text(text)
    (program,) = written((TWO % ("", ""),), tmp_path)
    with pytest.raises(SourceProblem, match="two rules are called 'mine'"):
        assay.verify(program, rules=[str(one) for one in rules])
    with pytest.raises(NoProgram, match="two rules"):
        woven([parse(program.read_text())], [read_rule(text, "mine") for text in RULES_OF_TWO])


@pytest.mark.parametrize("leaving", ["return;", "goto out; out:;"])
def test_an_event_does_not_leave_the_function(leaving: str, tmp_path: Path) -> None:
    text = f"state {{ int s = 0; }}\na.entry {{ if (s) abort; s = 1; {leaving} }}\n"
    rule = tmp_path / "mine.rule"
    rule.write_text(text)
    (program,) = written((TWO % ("", ""),), tmp_path)
    with pytest.raises(SourceProblem, match=r"would leave a\(\)"):
        assay.verify(program, rules=[str(rule)])
    with pytest.raises(NoProgram, match="leaves a"):
        woven([parse(program.read_text())], [read_rule(text, "mine")])
