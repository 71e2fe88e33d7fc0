"""The command `assay certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from assay.cli.mistaken_files import TRACE, require_no, require_program
from assay.cli.quantities import Count, Definition, Duration, Memory
from assay.cli.telling import print_json, tell
from assay.evidence.estimate_file import looks_like_an_estimate
from assay.evidence.witness_file import looks_like_a_witness

if TYPE_CHECKING:
    from assay.certification.result import CertificationResult


@click.command(short_help="Check a certificate against its program.")
@click.argument("program")
@click.argument("certificate", type=click.Path(path_type=Path))
@click.option("--tasks", type=Count(1, 65_536), metavar="K", help="Cut the work into K parts.")
@click.option(
    "--partition",
    type=click.Choice(("intervals", "subgraphs")),
    default="intervals",
    show_default=True,
    help="How to cut: into equal parts, or by subtrees, if the certificate lists their sizes.",
)
@click.option("--workers", type=Count(1, 1024), help="Local processes [one per processor, if that pays].")
@click.option(
    "--cluster", metavar="ADDRESS", help="Give the tasks to a Dask cluster: tcp://host:8786, or local:N."
)
@click.option(
    "--explain", is_flag=True, help="Keep a map of all states and name the first thing that is wrong."
)
@click.option(
    "--fp",
    type=click.Choice(("full", "dropping")),
    default="full",
    show_default=True,
    help="With --explain: keep all states in the map, or each only until its last reference.",
)
@click.option("--trusted", is_flag=True, help="Believe the script: visit its states, no other transitions.")
@click.option(
    "--key", "keys", multiple=True, metavar="FILE", help="Ask for a signature by this public key. Repeatable."
)
@click.option("--signature", metavar="FILE", help="Where the signature is [CERTIFICATE.sig].")
@click.option("--trust-unsigned", is_flag=True, help="With --trusted: believe it whoever made it.")
@click.option(
    "--invariant",
    "invariants",
    multiple=True,
    metavar="EXPR",
    help="Check this in every state too, claimed or not. Repeatable.",
)
@click.option(
    "--step-invariant",
    "step_invariants",
    multiple=True,
    metavar="EXPR",
    help="Check this at every step too. Repeatable; not with --trusted.",
)
@click.option(
    "--foreign-code", is_flag=True, help="Agree that the embedded C of the program is executed, confined."
)
@click.option(
    "--c-source", "c_sources", multiple=True, metavar="FILE", help="As it was verified with. Repeatable."
)
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE", help="C: as it was verified with. Repeatable."
)
@click.option(
    "--check", "checks", multiple=True, metavar="CHECK", help="C: the certificate must cover it. Repeatable."
)
@click.option(
    "--data-model", type=click.Choice(("LP64", "ILP32")), help="C: that the claim must be about [LP64]."
)
@click.option("--cflags", multiple=True, metavar="FLAGS", help="As it was verified with. Repeatable.")
@click.option("--ldflags", multiple=True, metavar="FLAGS", help="As it was verified with. Repeatable.")
@click.option("--sanitize", is_flag=True, help="As it was verified with.")
@click.option("--no-deadlock", is_flag=True, help="Accept a certificate that does not speak of deadlocks.")
@click.option("--safety", is_flag=True, help="Accept a certificate that leaves out the program's claims.")
@click.option(
    "--ltl",
    multiple=True,
    metavar="NAME|FORMULA",
    help="The certificate must cover this; a formula cannot be added. Repeatable.",
)
@click.option("--progress", is_flag=True, help="The certificate must rule out non-progress cycles.")
@click.option("--terminates", is_flag=True, help="The certificate must show that every fair run ends.")
@click.option("--fair", is_flag=True, help="Accept what is claimed of fair runs only.")
@click.option(
    "-D", "defines", type=Definition(), multiple=True, help="The macros to accept, no others. Repeatable."
)
@click.option("--any-macros", is_flag=True, help="Accept the claim with whatever macros it names.")
@click.option(
    "--granularity",
    type=click.Choice(("bytecode", "gil", "sync")),
    help="Python: the switches between threads that the claim must cover [bytecode].",
)
@click.option("--python", metavar="VENV", help="Python: the environment with the packages of the program.")
@click.option("--memory", type=Memory(), help="Give up when a walk would keep more, for example 1GiB.")
@click.option("--timeout", type=Duration(), help="Stop after this long since the start: 60s, 5m.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--quiet", "-q", is_flag=True, help="Print the verdict only.")
@click.pass_context
def certify(
    context: click.Context, /, program: str, certificate: Path, as_json: bool, quiet: bool, **given: Any
) -> int:
    """Check that CERTIFICATE holds for PROGRAM, trusting nobody.

    An estimate of coverage (verify --estimate-file) is repeated and compared instead. An SV-COMP witness of a
    C program (FILE.yml) is validated: 1 says that the violation it tells of was shown.

    Compiles the program text, walks through its states as the certificate says, and checks every state and
    every transition. Exit codes: 0 it holds, 1 an added property fails, 2 unusable input, 3 incomplete,
    4 rejected.
    """
    from assay.certification import certify as certify_program
    from assay.report.certification_progress import certification_listener

    require_program(program, certificate, command="certify")
    require_no(TRACE, certificate)
    if given["trust_unsigned"] and not given["trusted"]:
        raise click.UsageError("--trust-unsigned goes with --trusted: nothing else believes the producer")
    if looks_like_a_witness(certificate):
        return _validate_witness(program, certificate, given, context, as_json=as_json, quiet=quiet)
    if looks_like_an_estimate(certificate):
        return _certify_estimate(program, certificate, given, context, as_json=as_json, quiet=quiet)
    if given["explain"] and given["trusted"]:
        raise click.UsageError(
            "--explain and --trusted do not go together: one checks what the other believes"
        )
    if given["any_macros"] and given["defines"]:
        raise click.UsageError("--any-macros and -D do not go together: one accepts what the other refuses")
    mode = "explained" if given["explain"] else "trusted" if given["trusted"] else "authenticated"
    with certification_listener(wanted=not quiet) as listener:
        result = certify_program(
            program,
            certificate,
            mode=mode,
            drop_after_last=given["fp"] == "dropping",
            tasks=given["tasks"],
            partition=given["partition"],
            workers=given["workers"],
            cluster=given["cluster"],
            invariants=given["invariants"],
            step_invariants=given["step_invariants"],
            require_deadlock_freedom=not given["no_deadlock"],
            safety=given["safety"],
            ltl=given["ltl"],
            progress=given["progress"],
            fair=given["fair"],
            terminates=given["terminates"],
            defines=None if given["any_macros"] else given["defines"],
            granularity=given["granularity"] or "",
            python=given["python"] or "",
            trusted_keys=given["keys"],
            signature=given["signature"],
            trust_unsigned=given["trust_unsigned"],
            c_sources=given["c_sources"],
            rules=given["rules"],
            checks=given["checks"],
            data_model=given["data_model"] or "",
            cflags=given["cflags"],
            ldflags=given["ldflags"],
            sanitize=given["sanitize"],
            foreign_code=given["foreign_code"],
            memory_limit_bytes=given["memory"] or 0,
            timeout_seconds=given["timeout"] or 0.0,
            listener=listener,
            started=context.obj,
        )
    return tell(result.verdict, printed=lambda: _print_result(result, as_json=as_json, quiet=quiet))


def _validate_witness(
    program: str, path: Path, given: dict[str, Any], context: click.Context, *, as_json: bool, quiet: bool
) -> int:
    from assay.transition_system.language_options import LanguageOptions, require_readable
    from assay.verification.witnesses import validate_witness

    require_readable("witness", path)
    used = {"memory", "timeout", "defines", "data_model", "checks", "c_sources"}
    for name in given.keys() - used:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise click.UsageError(f"{option} is for certificates; {path} is a witness")
    result = validate_witness(
        program,
        path,
        LanguageOptions(
            defines=tuple(given["defines"]),
            data_model=given["data_model"] or "",
            checks=tuple(given["checks"]),
            c_sources=tuple(given["c_sources"]),
            language="c",
        ),
        timeout_seconds=given["timeout"] or 0.0,
        memory_limit_bytes=given["memory"] or 0,
        started=context.obj,
    )
    return tell(result.verdict, printed=lambda: _print_result(result, as_json=as_json, quiet=quiet))


def _certify_estimate(
    program: str, path: Path, given: dict[str, Any], context: click.Context, *, as_json: bool, quiet: bool
) -> int:
    from assay.verification.repeated_estimates import certify_estimate

    for name in given.keys() - {"memory", "timeout"}:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise click.UsageError(
                f"{option} is for certificates; {path} is an estimate, which proves nothing"
            )

    result = certify_estimate(
        program,
        path,
        memory_limit_bytes=given["memory"] or 0,
        timeout_seconds=given["timeout"] or 0.0,
        started=context.obj,
    )
    return tell(result.verdict, printed=lambda: _print_result(result, as_json=as_json, quiet=quiet))


def _print_result(result: CertificationResult, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(result.as_json())
        return
    from assay.report.certification import print_certification

    print_certification(result, quiet=quiet)
