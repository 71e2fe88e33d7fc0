print(
    dict(a=1, b=2),
    dict([("x", 1), ("y", 2)]),
    dict(zip("ab", range(2))),
    dict({"k": 1}, z=2),
    dict.fromkeys("ab", 0),
    dict.fromkeys([1, 2]),
)
d = {1: "int", 1.0: "float", "1": "str", (1,): "tuple", None: "none", True: "bool"}
print(d, len(d))
print({k: v for k, v in d.items() if v != "str"})
for k, v in {"a": 1, "b": 2}.items():
    print(k, v)
inverted = {v: k for k, v in d.items()}
print(inverted["bool"])
print(max({"a": 3, "b": 7}, key={"a": 3, "b": 7}.get))
