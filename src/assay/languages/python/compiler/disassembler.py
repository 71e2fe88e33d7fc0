"""Code for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from assay.languages.python.code import COMPARISONS, OPERATIONS, OPERATORS, Code, Program

LOCAL = {"LOAD_FAST", "STORE_FAST", "DELETE_FAST"}
CELL = {"LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF"}
GLOBAL = {"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL"}
NAME = set(
    "LOAD_NAME STORE_NAME DELETE_NAME LOAD_BUILTIN LOAD_ATTR STORE_ATTR DELETE_ATTR LOAD_SPECIAL "
    "IMPORT_NATIVE IMPORT_FROM".split()
)
JUMP = set(
    "FOR_ITER JUMP POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP LOOP".split()
)
COUNT = set(
    "BUILD_TUPLE BUILD_LIST BUILD_SET BUILD_STRING BUILD_SLICE BUILD_MAP LIST_APPEND SET_ADD MAP_ADD "
    "LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE FORMAT_VALUE UNPACK_SEQUENCE UNPACK_EX CALL CALL_KW "
    "CALL_EX MAKE_FUNCTION BUILD_CLASS RAISE COPY SWAP".split()
)


def operand_text(operation: str, operand: int, code: Code, program: Program) -> str:
    """What an operand stands for."""
    if operation in LOCAL:
        return code.local_names[operand]
    if operation in CELL:
        return (*code.cell_names, *code.free_names)[operand]
    if operation in GLOBAL:
        return program.modules[code.module].global_names[operand]
    if operation in NAME:
        return code.names[operand]
    if operation in JUMP:
        return f"to {operand}"
    if operation in {"LOAD_CONST", "FAIL", "LOAD_ABSENT"}:
        constant = code.constants[operand]
        return f"<code {constant.qualname}>" if isinstance(constant, Code) else repr(constant)
    if operation in {"BINARY", "INPLACE"}:
        return OPERATORS[operand]
    if operation == "UNARY":
        return ("-", "+", "~", "not")[operand]
    if operation == "COMPARE":
        return COMPARISONS[operand]
    if operation == "IMPORT":
        return program.modules[operand].name
    return str(operand) if operation in COUNT else ""


def disassemble(code: Code, program: Program) -> Iterator[str]:
    """Lines of text for a code and those inside of it."""
    kind = "early " if code.early else "atomic " if code.atomic else ""
    kind += "generator" if code.generator else "code"
    yield f"{kind} {code.qualname} (line {code.first_line})"
    for title, names in (("locals", code.local_names), ("cells", code.cell_names), ("free", code.free_names)):
        if names:
            yield f"  {title}: {', '.join(names)}"
    line = 0
    for index, (instruction, position) in enumerate(zip(code.instructions, code.positions, strict=True)):
        operation, operand = OPERATIONS[instruction & 255], instruction >> 8
        shown = str(position[0]) if position[0] != line else ""
        line = position[0]
        text = operand_text(operation, operand, code, program)
        yield f"{shown:>6} {index:>6} {operation:<22}{text}".rstrip()
    for start, end, target, depth in code.handlers:
        yield f"  exceptions in {start} to {end - 1}: to {target}, depth {depth}"
    for constant in code.constants:
        if isinstance(constant, Code):
            yield ""
            yield from disassemble(constant, program)


def disassemble_program(program: Program, *, with_libraries: bool = False) -> Iterator[str]:
    for module in program.modules:
        if module.file.startswith("<") and not with_libraries:
            continue
        yield f"module {module.name} ({module.file})"
        yield f"  final globals: {', '.join(sorted(module.final_globals))}"
        yield from disassemble(module.code, program)
        yield ""
    yield f"final attributes: {', '.join(sorted(program.final_attributes))}"
