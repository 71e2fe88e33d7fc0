"""From the path of a program to all of its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.languages.python.code import Module, Program
from assay.languages.python.compiler import texts
from assay.languages.python.compiler.context import BUILTINS_MODULE, Context, Origin, Target
from assay.languages.python.compiler.finality import body_globals, final_attributes, final_globals, stores_of
from assay.languages.python.compiler.imports import Modules, library_modules, too_deep
from assay.languages.python.compiler.library_code import library_code
from assay.languages.python.compiler.native_modules import COMPILING_MODULE, FILES_MODULE
from assay.languages.python.compiler.nodes import has_annotations
from assay.languages.python.compiler.places import Place
from assay.languages.python.compiler.statements import module_code
from assay.languages.python.compiler.texts import as_in_text
from assay.transition_system.interface import UnsupportedConstruct

REPEATED_CLASSES = "class statements that run once"  # an assumption
NEW_GLOBAL = "global "  # an assumption: that a module gets no variable of that name but by its text
LIBRARY = Path(__file__).resolve().parents[1] / "library"


def compile_program(
    path: Path,
    text: str | None = None,
    *,
    extra_nonfinal: frozenset[str] = frozenset(),
    library: Mapping[str, Path] | None = None,
    read: dict[str, bytes] | None = None,
    environment: Sequence[Path] = (),
) -> Program:
    """Compiles a program with everything it imports.

    `text` is taken instead of the content of the file. `extra_nonfinal` are names that turned out to be
    stored again: globals as "module:name", attributes as ".name"; or other assumptions that failed, as the
    libraries call them (`_assay.early`). `library` has the modules written for the
    machine by their names; without it, those that come with Assay. `read` holds the user's files that were
    read already, by name, and gets the others. `environment` are the folders of installed packages.

    Raises SourceProblem, with a place, for what is wrong or not modelled.
    """
    modules = Modules(
        path,
        text,
        library_modules(LIBRARY) if library is None else library,
        extra_nonfinal,
        {} if read is None else read,
        environment,
    )
    prelude = []
    if BUILTINS_MODULE in modules.library:
        prelude.append(modules.find_for(Origin.LIBRARY, BUILTINS_MODULE).index)
    prelude += modules.libraries_imported_late()
    if (compiling := modules.by_key.get((False, COMPILING_MODULE))) is not None:
        prelude.append(compiling.index)
    if (files := modules.by_key.get((False, FILES_MODULE))) is not None:
        prelude.append(files.index)
    contexts = [Context(module, modules) for module in modules.modules]
    parents: dict[int, int] = {}
    for module in modules.modules:
        package, _, name = module.name.rpartition(".")
        found = modules.find(module, package) if package else None
        parent = found.index if found is not None and found.target is Target.PROGRAM else None
        if parent is None and package and module.origin is Origin.STANDARD:
            # Compiled because somebody else uses it; what stands for it elsewhere is another question.
            parent = next((one.index for one in modules.modules if one.name == package), None)
        if parent is not None:
            parents[module.index] = parent
            contexts[parent].bound_globals.add(name)
    for (_, name), found in modules.found.items():
        package, _, last = name.rpartition(".")
        if found.target is Target.ABSENT and package:
            for context in contexts:
                if context.module.name == package:
                    context.bound_globals.add(last)
    for assumed in extra_nonfinal:  # names that modules were given while they ran, see `globals()`
        if assumed.startswith(NEW_GLOBAL):
            owner, _, names = assumed.removeprefix(NEW_GLOBAL).partition(":")
            for context in contexts:
                if context.module.name == owner:
                    context.bound_globals |= set(names.split(","))
                    extra_nonfinal |= {f"{owner}:{name}" for name in names.split(",")}
    stores = [stores_of(module) for module in modules.modules]
    stored_globals = final_globals(modules.modules, stores, [context.starred for context in contexts])
    compiled = []
    natives: dict[str, None] = {}
    for context in contexts:
        module = context.module
        try:
            if module.index == 0:
                threads = modules.by_key.get((False, "threading")) or modules.by_key.get((False, "_thread"))
                code = module_code(context, prelude, None, None if threads is None else threads.index)
            elif module.origin.is_users:
                code = module_code(context, (), parents.get(module.index))
                code = as_in_text(code) if module.name == texts.MODULE else code
            else:
                code = library_code(context, parents.get(module.index))
        except RecursionError:
            raise too_deep(module.file) from None
        except OverflowError as problem:
            raise UnsupportedConstruct(
                f"the code is too large: {problem}", where=Place(module.file, 1, 1), hint="split the module"
            ) from None
        natives |= context.natives
        for name in sorted(context.bound_globals):
            context.global_index(name)
        final = stored_globals[module.index] & set(context.globals)
        compiled.append(
            Module(
                name=module.name,
                file=module.file,
                is_library=module.origin is Origin.LIBRARY or module.file.startswith("<assay>"),
                code=code,
                global_names=tuple(context.globals),
                final_globals=frozenset(
                    name for name in final if f"{module.name}:{name}" not in extra_nonfinal
                ),
                is_annotated=module.origin.is_users and has_annotations(module.tree),
                body_globals=frozenset(body_globals(module) if module.index == 0 else ()),
            )
        )
    attributes = final_attributes(modules.modules, stores)
    return Program(
        modules=tuple(compiled),
        final_attributes=frozenset(name for name in attributes if f".{name}" not in extra_nonfinal),
        texts={module.file: module.text for module in modules.modules},
        native_modules=tuple(natives),
        has_repeated_classes=REPEATED_CLASSES in extra_nonfinal,
        keeps_annotations=modules.keeps_annotations,
        data_files=tuple(modules.data_files),
        notes=tuple(modules.notes),
    )
