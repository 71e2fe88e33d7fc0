# fmt: off
name, n, pi = "ann", 42, 3.14159
print(f"{name} {n} {pi}")
print(f"{name!r} {name!s} {n!r}")
print(f"{n + 1} {name.upper()} {[n] * 2} {n if n > 1 else 0}")
print(f"{{literal}} {n}}}")
print(f"{n=} {name=} {n + 1 = } {pi=:.2f} {name = !s}")
print(f"" f"{n}" "plain {n}" f"{'quoted'}")
print(f"{'a' 'b'}{None}{True}")
