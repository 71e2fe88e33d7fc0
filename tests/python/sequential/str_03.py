# strip, pad, align
print(
    repr("  x ".strip()),
    repr("  x ".lstrip()),
    repr("  x ".rstrip()),
    "xxabcxx".strip("x"),
    "abcab".strip("ab"),
    "abcab".rstrip("ba"),
)
print("a".center(5, "*"), "a".ljust(3, ".") + "|", "a".rjust(3) + "|", "42".zfill(5), "-42".zfill(5))
print("prefix-name".removeprefix("prefix-"), "file.py".removesuffix(".py"), "x".removeprefix("y"))
print("a\tb".expandtabs(4), "%s" % "tab\t".strip())
