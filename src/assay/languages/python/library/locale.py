"""The locale of an environment in which no variable is set, as CPython finds it there."""

import _assay

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = 0, 1, 2, 3, 4, 5, 6
CHAR_MAX = 127


class Error(Exception):
    pass


def _note():
    _assay.remark(
        "the program asks for the locale, which is taken for that of an environment without variables"
    )


def getlocale(category=LC_CTYPE):
    _note()
    return ("en_US", "UTF-8") if category == LC_CTYPE else (None, None)


def getdefaultlocale(envvars=("LC_ALL", "LC_CTYPE", "LANG", "LANGUAGE")):
    _note()
    return ("en_US", "UTF-8")


def getpreferredencoding(do_setlocale=True):
    _note()
    return "utf-8"


def getencoding():
    _note()
    return "UTF-8"


def setlocale(category, locale=None):
    _note()
    if locale not in (None, "", "C"):
        _assay.unsupported("locale.setlocale() is not modelled; leave it out")
    if category == LC_ALL:
        _assay.unsupported("locale.setlocale() of all categories is not modelled; leave it out")
    return "C.UTF-8" if category == LC_CTYPE else "C"


def localeconv():
    _note()
    found = {"decimal_point": ".", "thousands_sep": "", "grouping": []}
    for name in ("int_curr_symbol", "currency_symbol", "mon_decimal_point", "mon_thousands_sep"):
        found[name] = ""
    found["mon_grouping"] = []
    found["positive_sign"] = found["negative_sign"] = ""
    for name in ("int_frac_digits", "frac_digits", "p_cs_precedes", "p_sep_by_space", "n_cs_precedes"):
        found[name] = CHAR_MAX
    found["n_sep_by_space"] = found["p_sign_posn"] = found["n_sign_posn"] = CHAR_MAX
    return found


def strxfrm(string, /):
    _note()
    return string


def strcoll(a, b, /):
    _note()
    return (a > b) - (a < b)
