"""Random functions full of loops, try, with, match and early exits, for comparing with CPython."""

import random

PRELUDE = """
class Manager:
    def __init__(self, number, swallows):
        self.number, self.swallows = number, swallows
    def __enter__(self):
        print("enter", self.number)
        return self.number
    def __exit__(self, kind, value, trace):
        print("exit", self.number, kind and kind.__name__)
        return self.swallows
counts = {}
def chance(number):
    counts[number] = counts.get(number, 0) + 1
    return (number * 7 + counts[number] * 5) % 3 == 0
"""
EXCEPTIONS = ("ValueError", "KeyError", "IndexError")


class Author:
    """Writes one program; the seed decides."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def fresh(self):
        self.number += 1
        return self.number

    def program(self):
        lines = [PRELUDE]
        for name in ("f", "g"):
            is_generator = self.random.random() < 0.3
            body = self.block(3, in_loop=False, is_generator=is_generator)
            lines += [f"def {name}():", "    limit = 0", *(f"    {line}" for line in body)]
            call = f"list({name}())" if is_generator else f"{name}()"
            lines += [
                "try:",
                f"    print('result', {call})",
                "except BaseException as e:",
                "    print('raised', repr(e), repr(e.__context__), repr(e.__cause__))",
            ]
        return "\n".join(lines) + "\n"

    def block(self, depth, *, in_loop, is_generator):
        lines = []
        for _ in range(self.random.randint(1, 2)):
            lines += self.statement(depth, in_loop=in_loop, is_generator=is_generator)
        return lines

    def statement(self, depth, *, in_loop, is_generator):
        inside = {"in_loop": in_loop, "is_generator": is_generator}
        kinds = ["print", "exit", "exit"]
        if depth > 0:
            kinds += ["if", "for", "while", "try", "try", "try", "with", "with", "match"]
        number = self.fresh()
        match self.random.choice(kinds):
            case "print":
                return [f"yield {number}"] if is_generator and number % 2 else [f"print({number})"]
            case "exit":
                exits = [f"return {number}", f"return str({number})", "1 / 0", "raise"]
                exits += [f"raise {self.random.choice(EXCEPTIONS)}({number})"]
                exits += [f"raise KeyError({number}) from ValueError()"]
                if in_loop:
                    exits += ["break", "continue", "break", "continue"]
                return [f"if chance({number}):", f"    {self.random.choice(exits)}"]
            case "if":
                return [
                    f"if chance({number}) and not chance({number}) or {number} < len(counts) < 90:",
                    *self.inner(depth, **inside),
                    "else:",
                    *self.inner(depth, **inside),
                ]
            case "for":
                inside["in_loop"] = True
                otherwise = ["else:", *self.inner(depth, in_loop=in_loop, is_generator=is_generator)]
                return [
                    f"for i{number} in range(2):",
                    *self.inner(depth, **inside),
                    *(otherwise if self.random.random() < 0.5 else []),
                ]
            case "while":
                inside["in_loop"] = True
                return [
                    f"while limit < 40 and not chance({number}):",
                    "    limit += 1",
                    *self.inner(depth, **inside),
                ]
            case "with":
                second = f", Manager(-{number}, False)" if self.random.random() < 0.4 else ""
                swallows = self.random.random() < 0.3
                return [
                    f"with Manager({number}, {swallows}) as m{number}{second}:",
                    *self.inner(depth, **inside),
                ]
            case "match":
                return [
                    f"match [chance({number}), {number} % 3]:",
                    "    case [True, x] | [x, 1]:",
                    *(f"    {line}" for line in self.inner(depth, **inside)),
                    "    case [False, 2 as x, *rest] if not rest:",
                    *(f"    {line}" for line in self.inner(depth, **inside)),
                ]
            case _:
                return self.attempt(depth, **inside)

    def attempt(self, depth, **inside):
        lines = ["try:", *self.inner(depth, **inside)]
        handlers = self.random.randint(0, 2)
        for exception in self.random.sample(EXCEPTIONS, handlers):
            name = f" as e{self.fresh()}" if self.random.random() < 0.5 else ""
            lines += [f"except {exception}{name}:", *self.inner(depth, **inside)]
        if handlers and self.random.random() < 0.3:
            lines += ["else:", *self.inner(depth, **inside)]
        if not handlers or self.random.random() < 0.5:
            lines += ["finally:", *self.inner(depth, **inside)]
        return lines

    def inner(self, depth, **inside):
        return [f"    {line}" for line in self.block(depth - 1, **inside)]
