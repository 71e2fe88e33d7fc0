# translate, casefold and format_map
table = str.maketrans("abc", "xyz")
print(
    "aabbcc".translate(table),
    "hello".translate(str.maketrans({"l": "L", "o": None})),
    "a-b".translate(str.maketrans("", "", "-")),
)
print("{x}-{y}".format_map({"x": 1, "y": 2}))
print(str(12), str(None), str([1, "a"]), str({"k": (1,)}), str(b"x"), str(1.0), str())
print("abc".isprintable(), "a\n".isprintable(), "Straße".casefold(), "ABC".isascii())
