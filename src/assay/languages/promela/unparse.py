"""Syntax tree -> one line of text, as a person would write it.

Used where a reader meets a statement again: traces, the list of what each
process waits for, messages. Parsing the text of an expression or of a simple
statement gives the same tree back.
"""

from __future__ import annotations

from assay.languages.promela import syntax

_STRENGTH = {
    "->": 1, "<->": 1, "||": 2, "&&": 3, "U": 5, "V": 5, "W": 5, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9,
    "<": 10, ">": 10, "<=": 10, ">=": 10, "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13,
}  # fmt: skip
_UNARY = 14
_TIGHT = frozenset("*/%+-")


def unparse(node: syntax.Statement | syntax.Expression) -> str:
    """The text of a statement or an expression on one line."""
    with syntax.deep_recursion():
        return _expression(node, 0) if isinstance(node, syntax.Expression) else _statement(node)


def _expression(node: syntax.Expression, strength: int) -> str:
    match node:
        case syntax.Number(text=text, value=value):
            return text or str(value)
        case syntax.StringLiteral(value=value):
            return f'"{value}"'
        case syntax.Reference():
            return _reference(node)
        case syntax.Unary(operator=operator, operand=operand):
            inner = _expression(operand, _UNARY)
            # `!!` and `--` would be read as one operator
            needs_blank = operator.isalpha() or inner.startswith(operator)
            return f"{operator} {inner}" if needs_blank else f"{operator}{inner}"
        case syntax.Binary(operator=operator, left=left, right=right):
            return _binary(operator, left, right, strength)
        case syntax.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({_expression(condition, 0)} -> {_expression(then, 0)} : {_expression(otherwise, 0)})"
        case syntax.Run(proctype=name, arguments=arguments, priority=priority):
            suffix = "" if priority is None else f" priority {_expression(priority, 0)}"
            return f"run {name}({_list(arguments)}){suffix}"
        case syntax.Length(channel=channel):
            return f"len({_reference(channel)})"
        case syntax.ChannelTest(test=test, channel=channel):
            return f"{test}({_reference(channel)})"
        case syntax.Poll(channel=channel, anywhere=anywhere, fields=fields):
            return f"{_reference(channel)}{'??' if anywhere else '?'}[{_fields(fields)}]"
        case syntax.Enabled(process=process):
            return f"enabled({_expression(process, 0)})"
        case syntax.PcValue(process=process):
            return f"pc_value({_expression(process, 0)})"
        case syntax.GetPriority(process=process):
            return f"get_priority({_expression(process, 0)})"
        case syntax.SetPriority(process=process, priority=priority):
            return f"set_priority({_expression(process, 0)}, {_expression(priority, 0)})"
        case syntax.Timeout():
            return "timeout"
        case syntax.NonProgress():
            return "np_"
        case syntax.RemoteLabel(proctype=name, process=process, label=label):
            return f"{name}{_index(process)}@{label}"
        case syntax.RemoteVariable(proctype=name, process=process, variable=variable):
            return f"{name}{_index(process)}:{_reference(variable)}"
        case syntax.EmbeddedCExpression(text=text, precondition=precondition):
            return _embedded("c_expr", text, precondition)
        case syntax.Next(expression=expression):
            return f"next.{_expression(expression, _UNARY)}"
    raise TypeError(f"not an expression: {node!r}")


def _binary(operator: str, left: syntax.Expression, right: syntax.Expression, strength: int) -> str:
    own = _STRENGTH[operator]
    first = _expression(left, own)
    second = _expression(right, own + 1)
    # a minus sign after a minus sign would be read as `--`
    tight = operator in _TIGHT and not second.startswith("-")
    text = f"{first}{operator}{second}" if tight else f"{first} {operator} {second}"
    return f"({text})" if own < strength else text


def _reference(node: syntax.Reference) -> str:
    return ".".join(part.name + _index(part.index) for part in node.parts)


def _index(index: syntax.Expression | None) -> str:
    return "" if index is None else f"[{_expression(index, 0)}]"


def _list(arguments: tuple[syntax.Expression, ...]) -> str:
    return ", ".join(_expression(argument, 0) for argument in arguments)


def _fields(fields: tuple[syntax.MessageField, ...]) -> str:
    return ",".join(_field(field) for field in fields)


def _field(field: syntax.MessageField) -> str:
    if field.expression is None:
        return "_"
    text = _expression(field.expression, 0)
    return f"eval({text})" if field.evaluated else text


def _embedded(keyword: str, text: str, precondition: str | None) -> str:
    guard = "" if precondition is None else f"[{' '.join(precondition.split())}] "
    return f"{keyword} {guard}{{ {' '.join(text.split())} }}"


def _statement(node: syntax.Statement) -> str:
    match node:
        case syntax.Assign(target=target, operator="=", value=value):
            return f"{_reference(target)} = {_expression(value, 0)}"
        case syntax.Assign(target=target, operator=operator):
            return f"{_reference(target)}{operator}"
        case syntax.Condition(expression=expression):
            return _condition(expression)
        case syntax.Else():
            return "else"
        case syntax.Send(channel=channel, sorted=is_sorted, arguments=arguments):
            values = ",".join(_expression(argument, 0) for argument in arguments)
            return f"{_reference(channel)}{'!!' if is_sorted else '!'}{values}"
        case syntax.Receive(channel=channel, anywhere=anywhere, keep=keep, fields=fields):
            inner = f"<{_fields(fields)}>" if keep else _fields(fields)
            return f"{_reference(channel)}{'??' if anywhere else '?'}{inner}"
        case syntax.Assert(expression=expression):
            return f"assert({_expression(expression, 0)})"
        case syntax.Print(format=None, arguments=arguments):
            return f"printm({_list(arguments)})"
        case syntax.Print(format=text, arguments=arguments):
            return f'printf("{text}"{"".join(", " + _expression(value, 0) for value in arguments)})'
        case syntax.Goto(label=label):
            return f"goto {label}"
        case syntax.Break():
            return "break"
        case syntax.EmbeddedC(keyword=keyword, text=text, precondition=precondition):
            return _embedded(keyword, text, precondition)
        case syntax.Select(variable=variable, low=low, high=high):
            return f"select({_reference(variable)} : {_expression(low, 0)} .. {_expression(high, 0)})"
        case syntax.Declare(variables=variables):
            return "; ".join(_declaration(variable) for variable in variables)
        case syntax.Exclusive(direction=direction, channels=channels):
            return f"{direction} {', '.join(_reference(channel) for channel in channels)}"
    return _compound(node)


def _condition(expression: syntax.Expression) -> str:
    """As SPIN's users write it: comparisons and the like in parentheses, calls without."""
    text = _expression(expression, 0)
    bare = isinstance(expression, syntax.Binary | syntax.Unary | syntax.Reference) or (
        isinstance(expression, syntax.Number) and not expression.text.isalpha()
    )
    return f"({text})" if bare else text


def _compound(node: syntax.Statement) -> str:
    match node:
        case syntax.Labelled(label=label, statement=statement):
            return f"{label}: {_statement(statement)}"
        case syntax.Sequence():
            return _steps(node)
        case syntax.Block(body=body):
            return f"{{ {_steps(body)} }}"
        case syntax.Atomic(body=body):
            return f"atomic {{ {_steps(body)} }}"
        case syntax.DStep(body=body):
            return f"d_step {{ {_steps(body)} }}"
        case syntax.InlineBody(name=name, arguments=arguments, target=target):
            prefix = "" if target is None else f"{_reference(target)} = "
            return f"{prefix}{name}({_list(arguments)})"
        case syntax.If(options=options):
            return f"if {_options(options)} fi"
        case syntax.Do(options=options):
            return f"do {_options(options)} od"
        case syntax.Unless(main=main, escape=escape):
            return f"{_statement(main)} unless {_statement(escape)}"
        case syntax.ForRange(variable=variable, low=low, high=high, body=body):
            bounds = f"{_expression(low, 0)} .. {_expression(high, 0)}"
            return f"for ({_reference(variable)} : {bounds}) {{ {_steps(body)} }}"
        case syntax.ForIn(variable=variable, collection=collection, body=body):
            return f"for ({_reference(variable)} in {_reference(collection)}) {{ {_steps(body)} }}"
    raise TypeError(f"not a statement: {node!r}")


def _steps(sequence: syntax.Sequence) -> str:
    return "; ".join(_statement(step) for step in sequence.body)


def _options(options: tuple[syntax.Sequence, ...]) -> str:
    return " ".join(f":: {_steps(option)}" for option in options)


def _declaration(variable: syntax.Variable) -> str:
    visibility = "" if variable.visibility is None else f"{variable.visibility} "
    mtype_set = "" if variable.mtype_set is None else f":{variable.mtype_set}"
    width = "" if variable.width is None else f" : {variable.width}"
    text = f"{visibility}{variable.type}{mtype_set} {variable.name}{width}{_index(variable.length)}"
    match variable.initial:
        case None:
            return text
        case syntax.ChannelSpec(capacity=capacity, fields=fields, mtype_sets=sets):
            named = [
                f"{field}:{name}" if name else field
                for field, name in zip(fields, sets or (None,) * len(fields), strict=True)
            ]
            return f"{text} = [{_expression(capacity, 0)}] of {{ {', '.join(named)} }}"
        case tuple() as values:
            return f"{text} = {{ {_list(values)} }}"
        case value:
            return f"{text} = {_expression(value, 0)}"
