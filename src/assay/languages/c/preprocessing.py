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
    "access alloc_align alloc_size always_inline artificial assume_aligned cdecl cold const deprecated error "
    "externally_visible fallthrough flatten format format_arg gnu_inline hot leaf malloc may_alias noclone "
    "noinline nonnull nonstring noreturn no_icf no_instrument_function no_reorder nothrow optimize pure "
    "returns_nonnull returns_twice sentinel transparent_union unused used visibility "
    "warn_if_not_aligned warning warn_unused_result".split()
)
# Any file can call itself a header of the system. What such a one may have besides: types whose members are
# in other places, which are refused where that matters; and a function of the library that is weak.
TAGGED = ("struct", "union", "enum")
ALTERING_ATTRIBUTES = frozenset({"aligned", "packed"})
WEAK = re.compile(r"\b__pthread_unwind_next\b[^;{}]*\Z")
# Sections that nobody looks through before `main` or behind it, as the linker does with `.init_array`.
SECTION = re.compile(
    r"\.(?:(?:text|data|init|exit|devinit|devexit|cpuinit|ref)\.[\w.]+|modinfo)|(?!__libc_)[A-Za-z_]\w*",
    re.ASCII,
)
# What a function is called behind the compiler, in the headers of glibc.
RENAMED = re.compile(r"__(?:isoc\d\d|xpg)_")
RENAMED_OTHERWISE = frozenset({("__sigsetjmp_cancel", "__sigsetjmp")})
# What gcc knows without a declaration. Unmodelled types are read, and refused where they are used.
PRELUDE = (
    "typedef struct __va_list_tag { char __unused_list; } __builtin_va_list;"
    "typedef double _Float128; typedef double _Float64; typedef float _Float32;"
    "typedef double _Float32x; typedef double _Float64x; typedef double __float128;"
)
# Of these, gcc's sizes are others.
UNLIKE_GCC = frozenset({"__builtin_va_list", "_Float128", "_Float64x", "__float128"})
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
    "__typeof": "typeof",
    "__typeof__": "typeof",
    "__builtin_offsetof": "offsetof",
}
HARMLESS_PRAGMAS = frozenset(
    "alloc_text diagnostic endregion error function intrinsic ivdep mark merger message omp once poison "
    "region system_header unroll warning".split()
)
SYSTEM_PRAGMAS = frozenset("pop_macro pop_options push_macro push_options target visibility".split())
REFUSED_EVERYWHERE = frozenset({"_Alignas", "_Atomic"})
REFUSED = frozenset(
    "_Alignas alignas "
    "__auto_type __int128 __int128_t __uint128_t _Complex "
    "_Atomic __label__ _Generic __builtin_va_arg __builtin_setjmp setjmp longjmp".split()
)
# gcc knows what these do and does it without a call, whatever body they have, or calls one for another.
KNOWN_TO_GCC = frozenset(
    "_Exit _exit abort abs aligned_alloc alloca bcmp bcopy bzero calloc dcgettext dgettext execl execle "
    "execlp execv execve execvp exit feclearexcept fegetenv fegetexceptflag fegetround feholdexcept "
    "feraiseexcept fesetenv fesetexceptflag fesetround fetestexcept feupdateenv ffs ffsl ffsll fork "
    "fprintf fprintf_unlocked fputc fputc_unlocked fputs fputs_unlocked free fscanf fwrite "
    "fwrite_unlocked gettext imaxabs index isalnum isalpha isascii isblank iscntrl isdigit isgraph "
    "islower isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph "
    "iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit labs llabs malloc memchr memcmp "
    "memcpy memmove mempcpy memset posix_memalign printf printf_unlocked putc putc_unlocked putchar "
    "putchar_unlocked puts puts_unlocked realloc rindex scanf snprintf sprintf sscanf stpcpy stpncpy "
    "strcasecmp strcat strchr strcmp strcpy strcspn strdup strfmon strftime strlen strncasecmp strncat "
    "strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr toascii tolower toupper towlower "
    "towupper vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf".split()
)
BLANKED = frozenset({"__extension__", "__restrict", "__restrict__", "_Noreturn"})


@dataclass(frozen=True, slots=True)
class DataModel:
    name: str
    long: int
    pointer: int
    flag: str


# glibc's headers are the same for both models, but gcc looks for those of 32 bits elsewhere, where many
# machines have none. Folders that are searched after all others change nothing where there are.
OTHER_HEADERS = (Path("/usr/include/x86_64-linux-gnu"), Path(__file__).with_name("headers"))
DATA_MODELS = {"LP64": DataModel("LP64", 64, 64, "-m64"), "ILP32": DataModel("ILP32", 32, 32, "-m32")}


@dataclass(frozen=True, slots=True)
class Preprocessed:
    path: str
    text: str  # what is parsed
    sha256: str  # of the file
    expanded_sha256: str  # of the preprocessor's output
    expanded: str = ""  # that output, as gcc compiles it
    altered: frozenset[str] = frozenset()  # types that attributes change


def _of_headers(model: DataModel) -> list[str]:
    if model.pointer != 32:
        return []
    return [word for folder in OTHER_HEADERS if folder.is_dir() for word in ("-idirafter", str(folder))]


def preprocess(path: Path, model: DataModel, flags: Sequence[str] = ()) -> Preprocessed:
    """`flags` are -I, -D and -U."""
    try:
        source = path.read_bytes()
    except OSError as problem:
        raise SourceProblem(f"cannot be read: {problem.strerror}", where=path) from None
    name = str(path)
    marker = b'# 1 "%s"\n' % name.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    standard = ["-std=gnu11", model.flag, "-iquote", str(path.parent), *flags]
    standard += [*_of_headers(model), "-x", "c", "-"]
    _gcc(["-fsyntax-only", "-w", *standard], marker + source, path)
    expanded = _gcc(["-E", *standard], marker + source, path)
    if len(expanded) > MOST_BYTES:
        raise UnsupportedConstruct(f"more than {MOST_BYTES} bytes after the preprocessor", where=path)
    text = expanded.decode("utf-8", "surrogateescape")
    _require_own_functions(text, name)
    read, has_altered = plain(text, name)
    return Preprocessed(
        name,
        PRELUDE + "\n" + read,
        sha256(source).hexdigest(),
        sha256(unmarked(expanded)).hexdigest(),
        text,
        UNLIKE_GCC | (altered_types(text, name) if has_altered else frozenset()),
    )


def _require_own_functions(text: str, path: str) -> None:
    """No function of the program has the name of one that gcc knows, unless it is static."""
    if not re.search(rf"\b(?:{'|'.join(sorted(KNOWN_TO_GCC))})\b", text):
        return
    words: list[str] = []  # of a declaration of the file
    place, depth = _Place(path), 0
    for token in _tokens(text, place):
        word = token.group()
        if word == "{" and depth == 0 and words[-1:] == [")"] and "static" not in words:
            name = _declared_name(words)
            if name in KNOWN_TO_GCC:
                what = f"a definition of '{name}', which gcc knows without it, is not modelled"
                raise UnsupportedConstruct(what, where=str(place), hint="call it otherwise")
        depth += {"{": 1, "}": -1}.get(word, 0)
        if depth == 0 and word in (";", "}"):
            words.clear()
        elif depth == 0:
            words.append(word)


def _declared_name(words: Sequence[str]) -> str:
    """Of a function: before the first parentheses that are not those of an attribute, or in them."""
    at = 0
    while at < len(words):
        if words[at] in ("__attribute__", "__attribute", "typeof", "__typeof__", "__typeof"):
            enclosing = 0
            while at + 1 < len(words):
                at += 1
                enclosing += {"(": 1, ")": -1}.get(words[at], 0)
                if enclosing == 0:
                    break
        elif words[at] == "(":
            inner = [one for one in words[at + 1 :] if one.isidentifier()][:1]
            is_inner = words[at - 1] in ("*", ")") or not words[at - 1].isidentifier()
            is_inner = is_inner or (words[at + 2 : at + 3] == [")"] and words[at + 3 : at + 4] == ["("])
            return "".join(inner) if is_inner else words[at - 1]
        at += 1
    return ""


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


def plain(text: str, path: str) -> tuple[str, bool]:
    """Without words of GNU C that change nothing; every other character keeps its line and column. And
    whether a system header has attributes that may change something."""
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
            is_weak = WEAK.search(text[max(0, token.start() - 1_000) : token.start()]) is not None
            _require_harmless(inner, place, is_weak=is_weak)
            new = ""
        elif word in ("__asm__", "asm", "__asm"):
            start = str(place)
            end, inner = _parenthesised(tokens, text)
            name = _labelled(text[max(0, token.start() - 10_000) : token.start()], inner)
            if not name:
                raise UnsupportedConstruct(f"'{word}' is not modelled", where=start)
            if re.search(rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", text):
                what = f"a definition of '{name}', which has another name for the linker, is not modelled"
                raise UnsupportedConstruct(what, where=start)
            new = ""
        elif RENAMED.match(word):
            raise UnsupportedConstruct(f"the name '{word[:60]}' is not modelled", where=str(place))
        elif word in REFUSED and (not place.is_of_system or word in REFUSED_EVERYWHERE):
            raise UnsupportedConstruct(f"'{word}' is not modelled", where=str(place))
        else:
            continue
        old = text[token.start() : end]
        blank = re.sub(r"[^\n]", " ", old)
        pieces += [text[done : token.start()], new + blank[len(new) :]]
        done = end
    return "".join([*pieces, text[done:]]), place.has_altered


def _labelled(before: str, inner: str) -> str:
    """The function that a declaration gives a name by which the library knows it; empty if it is another."""
    before, depth = before.rstrip(), 0
    at = len(before) - 1
    while at >= 0:
        depth += {")": 1, "(": -1}.get(before[at], 0)
        if depth == 0:
            break
        at -= 1
    found = re.search(r"(\w+)\s*\Z", before[: max(at, 0)]) if before[-1:] == ")" else None
    text = "".join(re.findall(r'"([^"]*)"', inner))
    is_text = re.fullmatch(r'\s*("[^"]*"\s*)+', inner) is not None
    name = found.group(1) if found else ""
    is_renamed = RENAMED.match(text) is not None and RENAMED.sub("", text, count=1) == name
    return name if is_text and (is_renamed or (name, text) in RENAMED_OTHERWISE) else ""


class _Place:
    """Where the preprocessor says that a token came from."""

    def __init__(self, path: str) -> None:
        self.file, self.line, self.is_of_system = path, 1, False
        self.has_altered = False

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
    known = {*HARMLESS_PRAGMAS, "pack"} | (SYSTEM_PRAGMAS if place.is_of_system else set())
    if found and found.group(1) not in known:
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


def _require_harmless(inner: str, place: _Place, *, is_weak: bool) -> None:
    for name in _other_attributes(inner):
        if name.strip("_") in ALTERING_ATTRIBUTES:
            place.has_altered = True
        elif not (is_weak and name.strip("_") == "weak"):
            raise UnsupportedConstruct(
                f"the attribute '{name}' is not modelled", where=str(place), hint="leave it out"
            )


def _other_attributes(inner: str) -> Iterator[str]:
    """Of those in `((name, name(...)))`, the ones that may change what is meant."""
    for found in re.finditer(
        r"([A-Za-z_]\w*)\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?", inner.strip()[1:-1]
    ):
        name, given = found.group(1).strip("_"), found.group(2) or ""
        section = re.fullmatch(r'\(\s*((?:"[^"\\]*"\s*)+)\)', given)
        if name == "section" and section and SECTION.fullmatch("".join(re.findall(r'"(.*?)"', given))):
            continue
        if name not in HARMLESS_ATTRIBUTES:
            yield found.group(1)


# --- types with attributes ---


def altered_types(text: str, path: str) -> frozenset[str]:
    """Tags and names of types in whose declaration there is an attribute that may change their layout. Most
    programs do not ask where their members are, so they are refused where that matters."""
    found: set[str] = set()
    words: list[str] = []  # of a declaration of the file
    depth, is_altered, is_function = 0, False, False
    own = ""  # the place of an attribute that is not of a system header
    place = _Place(path)
    tokens = _tokens(MODE.sub(_with_mode, text), place)
    for token in tokens:
        word = token.group()
        if word in ("__attribute__", "__attribute"):
            here, is_of_system = str(place), place.is_of_system
            _, inner = _parenthesised(tokens, token.string)
            if any(_other_attributes(inner)):
                is_altered = True
                own = own or ("" if is_of_system else here)
                if is_function and not is_of_system:
                    raise _attribute_not_modelled(here)
            continue
        if word == "{" and depth == 0:
            is_function = words[-1:] == [")"]
        depth += {"{": 1, "}": -1}.get(word, 0)
        words.append(word)
        if depth == 0 and (word == ";" or (word == "}" and is_function)):
            if own:
                _require_names(words, own)
            found |= set(_types_in(words)) if is_altered else set()
            words, is_altered, is_function, own = [], False, False, ""
    return frozenset(found)


def _require_names(words: Sequence[str], where: str) -> None:
    """Types are known by tags and names: one that has neither would keep the layout that it has not."""
    opened = [at for at, word in enumerate(words[:-1]) if word in TAGGED and words[at + 1] == "{"]
    is_named = opened in ([], [1]) and (not opened or words[0] == "typedef")
    if not is_named or words[0] == "{" or ("typedef" in words and "typedef" not in words[:2]):
        raise _attribute_not_modelled(where)


def _attribute_not_modelled(where: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(
        "an attribute that changes a layout, of a type without a name or in a function, is not modelled",
        where=where,
        hint="give the type a tag, outside of functions",
    )


def _types_in(words: Sequence[str]) -> Iterator[str]:
    """Tags that a declaration defines, and names that it gives to types."""
    depth = 0
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in TAGGED and words[at + 2 : at + 3] == ["{"]:
            yield following
        depth += {"{": 1, "}": -1}.get(word, 0)
        if (
            depth == 0
            and "typedef" in words[:2]
            and word.isidentifier()
            and following in (";", ",", "[", "(", ")")
        ):
            yield word
