# split and join
print(
    "a,b,,c".split(","),
    "a b  c ".split(),
    "a b  c ".split(" "),
    "a,b,c".split(",", 1),
    "".split(),
    "".split(","),
)
print("a,b,c".rsplit(",", 1), "line1\nline2\r\nline3".splitlines(), "x\ny\n".splitlines(True))
print("key=value=x".partition("="), "abc".partition("="), "a.b.c".rpartition("."))
print("-".join("abc"), ", ".join(["x"]), "".join([]), "ab".join(str(i) for i in range(3)))
try:
    ",".join([1, 2])
except TypeError as error:
    print(error)
