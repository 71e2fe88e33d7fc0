"""Matches that are kept, and substitutions by functions of the program."""

import re

found = [match for match in re.finditer(r"(\w)(\d)?", "a1 b c3")]
print([(match.group(), match.groups(), match.span(), match.pos, match.endpos) for match in found])
print(found[0] == found[0], found[0] == re.match(r"(\w)(\d)?", "a1 b c3"), found[0] is found[1])
print({found[0]: 1}.get(found[0]), found[1].lastindex, found[2].lastgroup, found[0].re.pattern)

calls = []


class Upper:
    def __init__(self):
        self.count = 0

    def __call__(self, match):
        self.count += 1
        calls.append((match.start(), match.end(), match.string))
        return match.group().upper()


upper = Upper()
print(re.sub(r"[a-c]", upper, "abcd"), upper.count, calls)
print(re.sub(r"[a-c]", upper, "abcd", 2), re.subn(r"[a-c]", upper, "abcd", count=1), upper.count)
print(re.compile("x*").sub(lambda match: f"<{match.group()}>", "axxb"))
print(re.compile(rb"x*").sub(lambda match: b"-" + match.group(), b"axxb"))
print(re.compile("x").subn(lambda match: "y", "xaxbx", 2))
print(re.sub("b", lambda match: None, "abc"), re.sub("(?i)B", lambda m: m[0] + m[0], "abc"))


class Text(str):
    def __getitem__(self, key):
        raise RuntimeError("nobody asks")


print(type(re.sub("b", lambda match: "x", Text("abc"))), re.sub("b", lambda match: "x", Text("abc")))
try:
    re.sub("b", lambda match: 1, "abc")
except TypeError as problem:
    print(problem)
try:
    re.sub("b", lambda match: 1 // 0, "abc")
except ZeroDivisionError as problem:
    print(problem)
print(re.sub("(?P<n>b)", r"<\g<n>>", "abc"))
