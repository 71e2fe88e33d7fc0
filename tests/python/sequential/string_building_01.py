# fmt: off
lines = []
for i in range(1, 4):
    lines.append(f"{i:>3} {'*' * i:<5}|")
print("\n".join(lines))
text = ""
for word in ("a", "b"):
    text += word + ","
print(text[:-1], text.rstrip(","))
print("=" * 10, "-" * 0, "ab" * 2, sep="|")
table = [("name", "n"), ("ann", 3), ("bob", 12)]
for left, right in table:
    print(f"{left:<6}{right!s:>4}")
print("%-10s|%5.1f|%03d" % ("left", 2.25, 7))
print("multi " "part " f"{1 + 1}" " string")
