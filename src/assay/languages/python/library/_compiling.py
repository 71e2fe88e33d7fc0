"""`compile`, `exec` and `eval`, as packages use them: with a text that they make, and with dicts for its variables.

What a text does is in the module `_texts`, which has those that runs before have come to (`compiler/texts.py`). A run that
comes to another one goes on for a while, to find further texts, with functions in its place that nobody may call; no
state and no verdict comes of it.
"""

import ast
from ast import literal_eval as _literal_eval
from ast import walk as _walk

import _assay
from _builtins import _ABSENT, ModuleSpec, _HiddenDict, module_dict


def __load__(variables, name, built_in=_ABSENT, /):
    """A variable of a text, where a function in it asks for it."""
    try:
        return variables[name]
    except KeyError:
        pass
    if built_in is not _ABSENT:
        return built_in
    raise NameError("name '" + name + "' is not defined", name=name)


def __load_local__(own, variables, name, built_in=_ABSENT, /):
    if own is not variables:
        if type(own) is dict:
            return _load_from_both(own, variables, name, built_in)
        try:
            return own[name]
        except KeyError:
            pass
    return __load__(variables, name, built_in)


@_assay.atomic
def _load_from_both(own, variables, name, built_in):
    """One instruction of CPython looks into both dicts."""
    try:
        return own[name]
    except KeyError:
        pass
    return __load__(variables, name, built_in)


def __delete__(variables, name, /):
    try:
        del variables[name]
        return
    except KeyError:
        pass
    raise NameError("name '" + name + "' is not defined", name=name)


import _texts  # noqa: E402 (behind what it needs from here)


class code:
    """What `compile` gives."""

    def __init__(self, text, filename, is_expression):
        self._code_text = text
        self._code_is_expression = is_expression
        self.co_filename = filename
        self.co_name = "<module>"


def _refuse(what):
    _assay.unsupported(what + " is not modelled; write the code itself")


def compile(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, *, _feature_version=-1):
    if type(source) is not str or mode not in ("exec", "eval") or flags or optimize != -1:
        _refuse("this use of compile()")
    try:
        ast.parse(source, filename, mode)  # raises what CPython raises
    except SyntaxError:
        if "()>" in source:  # `_unknown.StandIn`
            _refuse("a text with the number of a clock in it, or a random one")
        raise
    return code(source.strip(" \t") if mode == "eval" else source, filename, mode == "eval")


def exec(source, globals=None, locals=None, /):
    _run(source if isinstance(source, code) else compile(source, "<string>", "exec"), globals, locals, "exec")


def eval(source, globals=None, locals=None, /):
    if globals is None and locals is None and type(source) is str:
        try:
            return _literal_eval(source)  # which needs no variables
        except (ValueError, SyntaxError):
            pass
    if not isinstance(source, code):
        source = compile(source.lstrip(" \t") if type(source) is str else source, "<string>", "eval")
    return _run(source, globals, locals, "eval")


def _run(source, variables, own, name):
    if variables is None:
        _refuse(name + "() without a dict for the variables")
    if not isinstance(variables, (dict, module_dict)):
        raise TypeError(name + "() globals must be a dict, not " + type(variables).__name__)
    # By its attribute: `type` would be refused what holds something absent. Of a subclass, CPython asks the methods for some
    # of the variables only.
    if variables.__class__ not in (dict, module_dict):
        _refuse(name + "() with globals of a class derived from dict")
    if own is None:
        own = variables
    if "__builtins__" not in variables:
        variables["__builtins__"] = _HiddenDict()
    elif variables.__class__ is dict and type(variables["__builtins__"]) not in (_HiddenDict, ModuleSpec):
        _refuse(name + "() with __builtins__ of its own")
    if "super" in variables:
        _refuse(name + "() with a variable super")
    key = ("v" if source._code_is_expression else "x") + source._code_text
    run = _texts.TEXTS.get(key)
    if isinstance(run, str):
        _refuse("a text that " + run)
    if run is not None:
        return run(variables, own)
    if "\x1f" in key:
        _refuse("a text with a separator of units in it")
    _assay.lacks_text(key)
    if source._code_is_expression:
        _refuse("a text")
    for defined in _names_in(ast.parse(source._code_text)):
        own[defined] = _stand_in(defined)


def _names_in(tree):
    """What the statements of a text bind, but for those inside of others."""
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [
                inner.id for target in node.targets for inner in _walk(target) if isinstance(inner, ast.Name)
            ]
    return names


def _stand_in(name):
    def function(*arguments, **keywords):
        _refuse("a text")

    function.__name__ = function.__qualname__ = name
    return function
