# fmt: off
# repr and escapes
for s in ("plain", "it's", 'say "hi"', "both ' and \"", "new\nline", "tab\t", "back\\slash", "nul\0", "é€", "\x7f", "\u200b", "", "\r", "emoji \U0001f600"):
    print(repr(s), len(s))
print(r"raw\n", "a" "b", """triple
quoted""")
print("\x41\u0042\103", ascii("é€"), str("x"), "a\
b")
