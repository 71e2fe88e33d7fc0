s = "Hello, World"
print(s.upper(), s.lower(), s.swapcase(), s.title(), "hello world".capitalize(), "ß".casefold())
print(
    s.startswith("Hell"),
    s.startswith(("x", "H")),
    s.endswith("d"),
    s.startswith("o", 4),
    s.endswith(("a", "ld")),
)
print(
    s.find("o"),
    s.find("o", 5),
    s.find("z"),
    s.rfind("o"),
    s.index("W"),
    s.rindex("l"),
    s.count("l"),
    s.count("o", 5),
    "aaaa".count("aa"),
)
print(s.replace("l", "L"), s.replace("l", "L", 2), s.replace("", "-")[:9], "abc".replace("z", "y"))
try:
    s.index("zz")
except ValueError as error:
    print(error)
