"""Which functions of the C library embedded C may call while all of its memory is part of the state.

Those here keep nothing between two calls and look at nothing but their arguments. What keeps something is
served from within the image (`support.c`). Everything else reaches out of the model (files, clocks, the
environment, other processes) or hides a state, and is refused by its name.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

_MEMORY_AND_TEXTS = """
    memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy rawmemchr bcmp bcopy bzero
    explicit_bzero swab ffs ffsl ffsll strcpy strncpy strcat strncat strcmp strncmp strchr strrchr
    strchrnul strspn strcspn strpbrk strstr strcasestr strlen strnlen strcasecmp strncasecmp strcoll
    strxfrm stpcpy stpncpy strtok_r __strtok_r strsep strverscmp index rindex basename
    __xpg_basename isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct
    isspace isupper isxdigit toascii tolower toupper __ctype_b_loc __ctype_tolower_loc
    __ctype_toupper_loc snprintf sprintf vsnprintf vsprintf qsort qsort_r bsearch
"""
_NUMBERS = """
    abs labs llabs imaxabs div ldiv lldiv atoi atol atoll atof strtol strtoll strtoul strtoull
    strtod strtof strtold strtoimax strtoumax __isoc99_vsscanf __isoc23_strtol
    __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull __isnan
    __isinf __finite __fpclassify __signbit __isnanf __isinff __finitef __fpclassifyf __signbitf
"""
_MATHEMATICS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
    fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp llrint llround log log10 log1p log2 logb
    lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin
    sinh sincos sqrt tan tanh tgamma trunc
"""
STATELESS = frozenset(
    [*_MEMORY_AND_TEXTS.split(), *_NUMBERS.split()]
    + [name + suffix for name in _MATHEMATICS.split() for suffix in ("", "f", "l")]
)
# They may leave an error in errno, and call nobody back.
SETS_ERRNO = frozenset(
    [*_NUMBERS.split(), "snprintf", "sprintf", "vsnprintf", "vsprintf", "strcoll", "strxfrm"]
    + [name + suffix for name in _MATHEMATICS.split() for suffix in ("", "f", "l")]
)
# Functions and variables of SPIN's verifier that reach into how it keeps its states.
OF_SPIN = frozenset(
    """
    Pptr qptr q_cond q_sz qsend qrecv unsend unrecv Q_has q_offset proc_offset addqueue addproc delproc BASE
    II trpt depth maxdepth reached vsize hstore hfull spin_assert assert_c pan_rand boq Moves procname
    """.split()
)


@cache
def _libraries() -> list[ctypes.CDLL]:
    found = [ctypes.CDLL(None)]
    with suppress(OSError):
        found.append(ctypes.CDLL("libm.so.6"))
    return found


def is_of_library(name: str) -> bool:
    """Does the C library of this machine have it?"""
    return any(hasattr(library, name) for library in _libraries())
