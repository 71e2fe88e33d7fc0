"""From files to one text without macros: gcc judges it first, and its preprocessor expands it.

Every file is read once. gcc gets the bytes that were hashed, from its standard input; what the
preprocessor includes besides is part of the preprocessed text, whose hash is part of the claim. Words of
GNU C that change nothing (`__extension__`, `__attribute__((noreturn))`) are blanked out, so that columns
stay; attributes that would change the layout or the meaning are refused.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from assay.records import dataclass
from assay.transition_system.interface import SourceProblem, UnsupportedConstruct

COMPILE_SECONDS = 60
MOST_BYTES = 16 << 20  # of the preprocessed text

HARMLESS_ATTRIBUTES = frozenset(
    "access alloc_align alloc_size always_inline artificial assume_aligned cold const deprecated error "
    "externally_visible fallthrough flatten format format_arg gnu_inline hot leaf malloc may_alias noclone "
    "noinline nonnull nonstring noreturn no_icf no_instrument_function no_reorder nothrow optimize pure "
    "returns_nonnull returns_twice section sentinel transparent_union unused used visibility "
    "warn_if_not_aligned warning warn_unused_result".split()
)
# What gcc knows without a declaration. Unmodelled types are read, and refused where they are used.
PRELUDE = (
    "typedef struct { char __unused_list; } __builtin_va_list;"
    "typedef double _Float128; typedef double _Float64; typedef float _Float32;"
    "typedef double _Float32x; typedef double _Float64x; typedef double __float128;"
)
TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')|(?P<line>^[ \t]*#[^\n]*)'
    r"|(?P<word>[A-Za-z_]\w*)|(?P<other>\S)",
    re.MULTILINE,
)
LINE_MARKER = re.compile(r'\s*#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)')
GCC_ERROR = re.compile(r"^(\S.*?:\d+:\d+): (?:fatal )?error: (.*)$", re.MULTILINE)
SPELLINGS = {
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__inline": "inline",
    "__inline__": "inline",
    "__signed": "signed",
    "__signed__": "signed",
    "__alignof__": "_Alignof",
}
HARMLESS_PRAGMAS = frozenset(
    "alloc_text diagnostic endregion error function intrinsic ivdep mark merger message omp once poison "
    "region system_header unroll warning".split()
)
REFUSED = frozenset(
    "_Alignas alignas "
    "__typeof__ __typeof typeof __auto_type __int128 __int128_t __uint128_t _Complex "
    "_Atomic __label__ _Generic __builtin_va_arg __builtin_setjmp setjmp longjmp".split()
)
BLANKED = frozenset({"__extension__", "__restrict", "__restrict__", "_Noreturn"})


@dataclass(frozen=True, slots=True)
class DataModel:
    name: str
    long: int
    pointer: int
    flag: str


DATA_MODELS = {"LP64": DataModel("LP64", 64, 64, "-m64"), "ILP32": DataModel("ILP32", 32, 32, "-m32")}


@dataclass(frozen=True, slots=True)
class Preprocessed:
    path: str
    text: str  # what is parsed
    sha256: str  # of the file
    expanded_sha256: str  # of the preprocessor's output
    expanded: str = ""  # that output, as gcc compiles it


def preprocess(path: Path, model: DataModel, flags: Sequence[str] = ()) -> Preprocessed:
    """`flags` are -I, -D and -U."""
    try:
        source = path.read_bytes()
    except OSError as problem:
        raise SourceProblem(f"cannot be read: {problem.strerror}", where=path) from None
    name = str(path)
    marker = b'# 1 "%s"\n' % name.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    standard = ["-std=gnu11", model.flag, "-iquote", str(path.parent), *flags, "-x", "c", "-"]
    _gcc(["-fsyntax-only", "-w", *standard], marker + source, path)
    expanded = _gcc(["-E", *standard], marker + source, path)
    if len(expanded) > MOST_BYTES:
        raise UnsupportedConstruct(f"more than {MOST_BYTES} bytes after the preprocessor", where=path)
    text = expanded.decode("utf-8", "surrogateescape")
    return Preprocessed(
        name,
        PRELUDE + "\n" + plain(text, name),
        sha256(source).hexdigest(),
        sha256(unmarked(expanded)).hexdigest(),
        text,
    )


def unmarked(expanded: bytes) -> bytes:
    """Without the lines that say where the others come from: the same wherever the files are."""
    return b"\n".join(line for line in expanded.split(b"\n") if not line.startswith(b"# "))


def require_accepted(file: Preprocessed, model: DataModel) -> None:
    """gcc judges a text that was changed since it judged the file."""
    text = without_prelude(file.text).encode("utf-8", "surrogateescape")
    _gcc(["-fsyntax-only", "-w", "-std=gnu11", model.flag, "-x", "c", "-"], text, Path(file.path))


def without_prelude(text: str) -> str:
    """As gcc reads it."""
    return text.removeprefix(PRELUDE)


def _gcc(arguments: list[str], source: bytes, path: Path) -> bytes:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise SourceProblem("C programs need gcc, which was not found", hint="install gcc")
    try:
        done = subprocess.run(
            [compiler, *arguments], input=source, capture_output=True, timeout=COMPILE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise SourceProblem(f"gcc needed more than {COMPILE_SECONDS} s", where=path) from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        errors = GCC_ERROR.findall(said)
        if not errors:
            raise SourceProblem("gcc does not accept this program:\n" + said[:4000], where=path)
        place, what = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise SourceProblem(f"gcc does not accept this program: error: {what[:1000]}{more}", where=place)
    return done.stdout


# Types of a width, as the headers of glibc make them.
MODE = re.compile(
    r"typedef[ ]+(unsigned[ ]+)?int[ ]+(\w+)[ ]+__attribute__[ ]*\(\(__mode__[ ]*\(__(\w+)__\)\)\)"
)
MODES = {"QI": "char", "HI": "short", "SI": "int", "DI": "long long", "word": "long"}


def _with_mode(found: re.Match[str]) -> str:
    sign, name, mode = found.groups()
    if mode not in MODES:
        return found.group()
    made = f"typedef {'unsigned' if sign else 'signed'} {MODES[mode]} {name}"
    return made + " " * (len(found.group()) - len(made))


def plain(text: str, path: str) -> str:
    """Without words of GNU C that change nothing; every other character keeps its line and column."""
    text = MODE.sub(_with_mode, text)
    pieces: list[str] = []
    done = 0
    place = _Place(path)
    tokens = _tokens(text, place)
    for token in tokens:
        word = token.group("word")
        if word is None:
            continue
        end = token.end()
        if word in SPELLINGS:
            new = SPELLINGS[word]
        elif word in BLANKED:
            new = ""
        elif word in ("__attribute__", "__attribute"):
            end, inner = _parenthesised(tokens, text)
            _require_harmless(inner, place)
            new = ""
        elif word in ("__asm__", "asm", "__asm"):
            start = str(place)
            end, inner = _parenthesised(tokens, text)
            if not place.is_of_system and not _is_label(text, token.start(), inner):
                raise UnsupportedConstruct(f"'{word}' is not modelled", where=start)
            new = ""
        elif word in REFUSED and not place.is_of_system:
            raise UnsupportedConstruct(f"'{word}' is not modelled", where=str(place))
        else:
            continue
        old = text[token.start() : end]
        blank = re.sub(r"[^\n]", " ", old)
        pieces += [text[done : token.start()], new + blank[len(new) :]]
        done = end
    return "".join([*pieces, text[done:]])


def _is_label(text: str, start: int, inner: str) -> bool:
    """Whether a declaration gets a name of the library with it, as in the headers of glibc."""
    while start > 0 and text[start - 1].isspace():
        start -= 1
    parts = re.findall(r'"([^"]*)"', inner)
    is_text = re.fullmatch(r'\s*("[^"]*"\s*)+', inner) is not None
    return is_text and text[start - 1] == ")" and "".join(parts).startswith("__")


class _Place:
    """Where the preprocessor says that a token came from."""

    def __init__(self, path: str) -> None:
        self.file, self.line, self.is_of_system = path, 1, False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def _tokens(text: str, place: _Place) -> Iterator[re.Match[str]]:
    last, line, marked = 0, 1, 0
    for token in TOKEN.finditer(text):
        line += text.count("\n", last, token.start())
        last = token.start()
        place.line = line - marked
        if token.group("line") is not None:
            found = LINE_MARKER.match(token.group())
            if found:
                marked = line + 1 - int(found.group(1))
                place.file, place.is_of_system = found.group(2), "3" in found.group(3).split()
            _require_harmless_pragma(token.group(), place)
            continue
        yield token


def _require_harmless_pragma(line: str, place: _Place) -> None:
    """Some change what is meant; the listed ones do not, or for other compilers. `packing` reads `pack`."""
    found = re.match(r"\s*#\s*pragma\s+(?:GCC\s+)?(\w*)", line)
    known = (*HARMLESS_PRAGMAS, "pack")
    if found and found.group(1) not in known and not place.is_of_system:
        raise UnsupportedConstruct(
            f"'#pragma {found.group(1)}' is not modelled", where=str(place), hint="leave it out"
        )


def _parenthesised(tokens: Iterator[re.Match[str]], text: str) -> tuple[int, str]:
    """What follows in parentheses: where it ends, and its text."""
    depth, start = 0, -1
    for token in tokens:
        if token.group() == "(":
            start = token.end() if depth == 0 else start
            depth += 1
        elif token.group() == ")":
            depth -= 1
        elif depth == 0:
            if token.group() in ("volatile", "__volatile__", "goto", "inline"):
                continue
            break
        if depth == 0:
            return token.end(), text[start : token.start()]
    return len(text), ""  # gcc has accepted the text, so this does not happen


def _require_harmless(inner: str, place: _Place) -> None:
    for found in re.finditer(
        r"([A-Za-z_]\w*)\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?", inner.strip()[1:-1]
    ):
        name = found.group(1).strip("_")
        if name not in HARMLESS_ATTRIBUTES and not place.is_of_system:
            raise UnsupportedConstruct(
                f"the attribute '{found.group(1)}' is not modelled", where=str(place), hint="leave it out"
            )
